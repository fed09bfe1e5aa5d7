"""Whatever an estate is, mending it breaks nothing: judged by the brute force of the contract's tests."""

from __future__ import annotations

import random

import pytest

from tests.budget import ALL
from tests.contract.generator import random_estate
from tests.contract.oracle import judge, parse
from tests.mending.test_damages import mend

A_BLOCK = 30
BLOCKS = 20 if ALL else 2


@pytest.mark.parametrize("block", range(BLOCKS))
def test_nothing_gets_worse(block: int) -> None:
    changed = 0
    for seed in range(block * A_BLOCK, (block + 1) * A_BLOCK):
        text = random_estate(random.Random(seed))
        mended, after = mend(text)
        if not mended.contents:
            assert after == text
            continue
        changed += 1
        old, new = judge(parse(text)), judge(parse(after))
        assert new.fires <= old.fires | old.open, f"{seed}\n{text}"
        for pair, how in new.broken.items():
            assert pair in old.broken, f"{seed}: {pair} {how}\n{text}"
        lost = [sum(end != "arrives" for end, _ in one.walks.values()) for one in (old, new)]
        assert lost[1] <= lost[0], f"{seed}\n{text}"
    assert changed > A_BLOCK / 6, "some are mended"

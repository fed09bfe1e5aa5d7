"""How many random damages of recovery tables ``momlint fix`` mends, and whether it mends them by the fewest rows.

python scripts/count_mends.py [N]: N estates with one damage, N with two and N with four (200 each), as the tests of
recovery tables damage them. Of each it is asked

- whether what `fix` makes of it is proved clean, by graph and by smt, and right by networkx, from the graph alone;
- how many rows have changed, against the fewest that will do: counted apart, by trying which rows stay as they are and
  covering what is missing by as few others as can be;
- whether it is worse than it was: more is found, or an entry that was right no longer is.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.mending.counting import DAMAGES, Outcome, outcomes

#: Its columns.
_HEAD = ("damages", "estates", "mended", "by fewest rows", "rows", "fewest", "worse")


def main(count: int) -> int:
    """Print the table; 1 if anything was made worse, else 0."""
    print(("{:>16}" * len(_HEAD)).format(*_HEAD))
    worse = 0
    for times in DAMAGES:
        found = [one for _, one in zip(range(count), outcomes(random.Random(f"count {times}"), times), strict=False)]
        mended = [one for one in found if one.is_mended]
        cells = (
            times,
            len(found),
            f"{len(mended)} ({len(mended) / len(found):.1%})",
            sum(one.rows == one.fewest for one in mended),
            sum(one.rows for one in mended),
            sum(one.fewest for one in mended),
            sum(one.is_worse for one in found),
        )
        print(("{:>16}" * len(cells)).format(*cells))
        worse += sum(one.is_worse for one in found)
        _tell_left(found)
    return min(worse, 1)


def _tell_left(found: list[Outcome]) -> None:
    left = Counter((" and ".join(one.kinds), one.why) for one in found if not one.is_mended or one.rows != one.fewest)
    for (kinds, why), number in sorted(left.items()):
        print(f"  {number} × {kinds}: {why}")


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))

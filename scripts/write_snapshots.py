"""Write tests/report/snapshots: every rule's report in every format. Read the change before you commit it.

python scripts/write_snapshots.py
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.report.snapshots import FOLDER, all_snapshots

FOLDER.mkdir(exist_ok=True)
written = all_snapshots()
for path in FOLDER.iterdir():
    if path.stem not in written:
        path.unlink()
        print(f"removed {path.name}")
for code, text in written.items():
    path = FOLDER / f"{code}.txt"
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        print(path.name)

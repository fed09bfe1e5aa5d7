"""``python -m momlint``."""

import sys

from momlint.cli import main

if __name__ == "__main__":
    sys.exit(main())

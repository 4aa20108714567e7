"""`infill_quality` as a process of its own, with an engine slow enough to be killed in the middle."""

from __future__ import annotations

import sys

from benchmarks.infill_quality import main

from .hand_made import open_slowly

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], open_slowly))

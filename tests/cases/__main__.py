"""`python -m tests.cases FILE.jsonl ...`: one line a case, `id pass` or `id fail: why`, and last the counts.

Exit status 0 if all passed, 1 if one failed, 2 if a file cannot be read.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from .running import run_lines


def main() -> int:
    """Run the files named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.cases", description=__doc__)
    parser.add_argument("file", type=Path, nargs="+")
    try:
        lines = [line for file in parser.parse_args().file for line in file.read_text("utf-8").split("\n")]
    except (OSError, ValueError) as error:
        print(f"cannot read the cases: {error}", file=sys.stderr)
        return 2
    return asyncio.run(_run(lines))


async def _run(lines: list[str]) -> int:
    passed = failed = 0
    async for verdict in run_lines(lines):
        print(verdict, flush=True)
        failed += bool(verdict.fault)
        passed += not verdict.fault
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

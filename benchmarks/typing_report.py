"""What the benchmarks that type have in common on the command line: options, the JSON report, errors in one line."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Coroutine, Mapping
from pathlib import Path

from server.cli.editor_client import RequestFailed, ServerGone

from .machine import describe_machine, load_average
from .options import positive
from .typing_session import StartError


def typing_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """A parser with `--places`, `--keys` and `--out`."""
    parser = report_parser(name, description)
    parser.add_argument(
        "--places", type=positive, default=12, help="lines of a file that are written over (default: 12)"
    )
    parser.add_argument("--keys", type=positive, default=6, help="keys typed at each (default: 6)")
    return parser


def report_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """A parser with `--out`."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="also write the JSON here")
    return parser


def report(name: str, measuring: Coroutine[None, None, Mapping[str, object]], out: Path | None) -> int:
    """Run `measuring`, print its figures with the machine they are from; the exit code: 0 done, 1 cannot."""
    machine = describe_machine()
    try:
        figures = asyncio.run(measuring)
        text = json.dumps({**figures, "machine": machine, "load_average_after": load_average()}, indent=2)
        print(text)
        if out:
            out.write_text(text + "\n", encoding="utf-8")
    except (StartError, ServerGone, RequestFailed, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    return 0

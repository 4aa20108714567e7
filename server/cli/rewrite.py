"""`sfumato rewrite`: rewrite a range of a file as an instruction says, shown as a diff or written."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from engine import EngineConfig

from ..settings import Settings
from .arguments import Commands, UsageError, add_model_option, locate_range, parse_range

_EXAMPLES = """\
Positions are 0-based; characters count UTF-16 code units, as in LSP; the end of the range is not included.

  sfumato rewrite app.py --range 10:0-18:0 --instruction "add type hints"           look at it
  sfumato rewrite app.py --range 10:0-18:0 --instruction "simplify" --diff | patch  apply it elsewhere
  sfumato rewrite app.py --range 10:0-18:0 --instruction "simplify" --write         change the file

JSON: text, range, stop_reason, refused, model, mode, forwards, tokens, tokens_per_forward, ms {load, encode, denoise,
total}. A refusal names its rule, changes nothing and ends with exit code 1.
"""


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "rewrite",
        help="rewrite a range as an instruction says",
        description="Rewrite a range of FILE as an instruction says. FILE is changed only with --write.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--range", type=parse_range, required=True, metavar="L:C-L:C", help="what to rewrite")
    parser.add_argument("--instruction", required=True, metavar="TEXT", help="what to make of it")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON object")
    shape.add_argument("--diff", action="store_true", help="print a plain unified diff (default: the same in colour)")
    shape.add_argument("--write", action="store_true", help="change FILE, all or nothing, if nobody else did meanwhile")
    add_model_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check everything that can be checked, then load the model, then ask."""
    from rich.console import Console

    from ..privacy import is_excluded
    from ..suggest import Refused, RewriteAnswer, rewrite
    from .open_model import open_model
    from .progress_bar import ProgressBar
    from .render import coloured, diff
    from .report import Report, print_json, range_of
    from .source_file import read_source

    if not args.instruction.strip():
        raise UsageError("--instruction is empty; say what to make of the range")
    source = read_source(args.file)
    snapshot = source.snapshot()
    start, end = locate_range(snapshot.lines, args.range)
    if start == end:
        raise UsageError(f"--range {args.range} is empty; there is nothing to rewrite")
    if is_excluded(snapshot, Settings().exclude):
        answer = RewriteAnswer(refused=Refused.EXCLUDED)
        report = Report.of(None, answer.refused, args.model, 0.0)
    else:
        with ProgressBar(args.model) as bar:
            opened = open_model(args.open_engine, EngineConfig(model=args.model), bar)
            answer = rewrite(opened.engine, snapshot, start, end, args.instruction, Settings(), progress=bar)
        report = Report.of(answer.result, answer.refused, opened.model, opened.load_ms)
    new = answer.suggestion
    if args.json:
        if new is not None:
            start, end = new.start, new.end
        placed = {"text": None if new is None else new.text, "range": range_of(snapshot.lines, start, end)}
        print_json(placed | report.fields())
        return 0 if new else 1
    print(report.line(), file=sys.stderr)
    if new is None:
        return 1
    text = snapshot.text[: new.start] + new.text + snapshot.text[new.end :]
    if args.write:
        source.replace(text)
        return 0
    patch = diff(args.file.as_posix(), snapshot.text, text)
    if args.diff:
        sys.stdout.write(patch)
    else:
        Console(soft_wrap=True, highlight=False).print(coloured(patch), end="")
    return 0

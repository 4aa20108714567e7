"""`sfumato infill`: complete at a position, or fill holes, and print what an editor would insert."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine import Engine, EngineConfig, InfillResult, Mode, ProgressSink

from ..settings import Settings, parse_settings
from ..snapshot import Snapshot
from .arguments import Commands, TextRange, UsageError, add_model_option, locate_range, parse_count, parse_range

if TYPE_CHECKING:  # at run time only once the command runs: `sfumato serve` must start fast
    from ..context import Snippets
    from ..suggestion import Refused, Suggestion
    from .report import Report

    Asked: TypeAlias = tuple[Sequence[Suggestion], Refused | None, InfillResult | None]

_EXAMPLES = """\
Positions are 0-based; characters count UTF-16 code units, as in LSP.

  sfumato infill app.py --line 11 --character 8               complete there
  sfumato infill app.py --line 11 --character 8 --json        the same for a program
  sfumato infill app.py --hole 3:4-3:4 --hole 9:0-9:12        fill two holes, each seeing the other;
                                                              the text inside a hole is replaced
  sfumato infill app.py --line 11 --character 8 --candidates 3
  sfumato infill app.py --line 11 --character 8 --draft       watch it denoise: committed, proposed, open

JSON: text (or texts, with several holes or candidates), range (with texts, one each), stop_reason, refused, model,
mode, forwards, tokens, tokens_per_forward, ms {load, encode, denoise, total}. `refused` names the rule when there is
nothing to suggest; that is an answer, so the exit code is 0.
"""


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "infill",
        help="complete at a position, or fill holes",
        description="Complete at a position of FILE, or fill holes in it. FILE is not changed.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", type=Path)
    parser.add_argument("--line", type=parse_count, metavar="L", help="line of the cursor, from 0")
    parser.add_argument("--character", type=parse_count, metavar="C", help="character of the cursor, from 0")
    parser.add_argument(
        "--hole", dest="holes", type=parse_range, action="append", metavar="L:C-L:C", help="a range to fill; repeatable"
    )
    parser.add_argument(
        "--mode",
        choices=[mode.value for mode in Mode],
        metavar="lossless|joint",
        help="lossless: the causal text, only sooner; joint: holes together, candidates ranked (default: what fits)",
    )
    parser.add_argument("--candidates", type=parse_count, metavar="N", help="different suggestions at one position")
    parser.add_argument("--max-tokens", type=parse_count, metavar="N", help="limit for each hole")
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON object")
    shape.add_argument(
        "--draft",
        action="store_true",
        help="show the canvas as it denoises (on a terminal; else only what comes of it)",
    )
    add_model_option(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check everything that can be checked, then load the model, then ask."""
    from ..privacy import is_excluded
    from ..suggestion import Refused
    from .open_model import open_model
    from .progress_bar import ProgressBar
    from .report import Report
    from .source_file import read_source

    mode = Mode(args.mode) if args.mode else None
    _check_what_was_asked(args, mode)
    settings = _settings(args)
    snapshot = read_source(args.file).snapshot()
    ranges = args.holes or [TextRange((args.line, args.character), (args.line, args.character))]
    holes = _located(snapshot, ranges)
    if is_excluded(snapshot, settings.exclude):
        return _show(args, snapshot, holes, (), Report.of(None, Refused.EXCLUDED, args.model, 0.0))
    with ProgressBar(args.model) as bar:
        opened = open_model(args.open_engine, EngineConfig(model=args.model), bar)
    with _watched(args, snapshot, holes) as sink:
        if args.holes:
            suggestions, refused, result = _fill(opened.engine, snapshot, holes, settings, mode, sink)
        else:
            suggestions, refused, result = _complete(opened.engine, snapshot, holes[0][0], settings, mode, sink)
    return _show(args, snapshot, holes, suggestions, Report.of(result, refused, opened.model, opened.load_ms))


def _show(
    args: argparse.Namespace,
    snapshot: Snapshot,
    holes: Sequence[tuple[int, int]],
    suggestions: Sequence[Suggestion],
    report: Report,
) -> int:
    if args.json:
        several = len(holes) > 1 or (args.candidates or 1) > 1
        _print_json(snapshot, holes, suggestions, report, several=several)
    else:
        _print(snapshot, [suggestions] if args.holes else [(one,) for one in suggestions], report)
    return 0


def _watched(
    args: argparse.Namespace, snapshot: Snapshot, holes: Sequence[tuple[int, int]]
) -> AbstractContextManager[ProgressSink]:
    """Who hears of the steps: the canvas itself, which is drawn on a terminal only, or a bar."""
    from rich.console import Console

    from .draft_view import DraftView
    from .progress_bar import ProgressBar

    return DraftView(snapshot, holes, Console(highlight=False)) if args.draft else ProgressBar(args.model)


def _check_what_was_asked(args: argparse.Namespace, mode: Mode | None) -> None:
    at_position = args.line is not None and args.character is not None
    if bool(args.holes) == at_position or (args.line is None) != (args.character is None):
        raise UsageError("say where: either --line L --character C, or --hole L:C-L:C (repeatable)")
    if args.holes and args.candidates is not None:
        raise UsageError("--candidates goes with --line and --character, not with --hole")
    if mode is Mode.LOSSLESS and (len(args.holes or ()) > 1 or (args.candidates or 1) > 1):
        raise UsageError("--mode lossless gives one text for one hole; several need joint")


def _settings(args: argparse.Namespace) -> Settings:
    """The defaults, but one candidate: a command line shows one unless told otherwise."""
    chosen = {"candidates": 1 if args.candidates is None else args.candidates}
    if args.max_tokens is not None:
        chosen["max_tokens"] = args.max_tokens
    settings, problems = parse_settings(chosen)
    if problems:
        raise UsageError("; ".join(f"--{problem.replace('_', '-')}" for problem in problems))
    return settings


def _located(snapshot: Snapshot, ranges: list[TextRange]) -> list[tuple[int, int]]:
    """Offsets of the holes in document order."""
    holes = sorted(ranges, key=lambda hole: (hole.start, hole.end))
    for one, other in pairwise(holes):
        if other.start < one.end or other == one:
            raise UsageError(f"--hole {one} and --hole {other} overlap")
    return [locate_range(snapshot.lines, hole) for hole in holes]


def _complete(
    engine: Engine, snapshot: Snapshot, offset: int, settings: Settings, mode: Mode | None, sink: ProgressSink
) -> Asked:
    from ..suggest import complete

    snippets = _snippets(snapshot, offset, settings)
    answer = complete(engine, snapshot, offset, settings, invoked=True, progress=sink, mode=mode, snippets=snippets)
    return answer.suggestions, answer.refused, answer.result


def _fill(
    engine: Engine,
    snapshot: Snapshot,
    holes: Sequence[tuple[int, int]],
    settings: Settings,
    mode: Mode | None,
    sink: ProgressSink,
) -> Asked:
    from ..suggest import fill_holes

    snippets = _snippets(snapshot, holes[0][0], settings)
    answer = fill_holes(engine, snapshot, holes, settings, progress=sink, mode=mode, snippets=snippets)
    return answer.suggestions, answer.refused, answer.result


def _snippets(snapshot: Snapshot, offset: int, settings: Settings) -> Snippets:
    """What an editor would show of imported files that has the working directory open."""
    from ..related import Related

    here = Path.cwd()
    related = Related((here, here.resolve()))
    return lambda: related.snippets(snapshot, offset, (), settings)


def _print_json(
    snapshot: Snapshot,
    holes: Sequence[tuple[int, int]],
    suggestions: Sequence[Suggestion],
    report: Report,
    *,
    several: bool,
) -> None:
    from .report import print_json, range_of

    places = [(one.start, one.end) for one in suggestions] or holes
    texts = [one.text for one in suggestions]
    ranges = [range_of(snapshot.lines, *place) for place in places]
    if several:
        placed: dict[str, object] = {"texts": texts, "range": ranges}
    else:
        placed = {"text": texts[0] if texts else None, "range": ranges[0]}
    print_json(placed | report.fields())


def _print(snapshot: Snapshot, pictures: Sequence[Sequence[Suggestion]], report: Report) -> None:
    """Each picture is the document with some suggestions in it."""
    from rich.console import Console

    from .render import in_place

    console = Console(soft_wrap=True, highlight=False)
    for number, picture in enumerate(pictures):
        if number:
            console.rule(style="dim")
        if picture:
            console.print(in_place(snapshot, picture), end="")
    Console(stderr=True, highlight=False, soft_wrap=True).print(report.line(), style="dim", markup=False)

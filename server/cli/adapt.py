"""`sfumato adapt`: train an adapter in the background, on one's own repository or as the shipped one was.

Knows how to say what runs do; the files are chosen in `repository.py`, the training is the engine's.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from pathlib import Path

from engine import AdaptError, adapt

from .arguments import Commands, UsageError, parse_count

_EXAMPLES = """\
  sfumato adapt train --repo .              learn from this git repository, in the background
  sfumato adapt status                      how far it is, and how long it will take
  sfumato adapt pause my-project            save and stop; nothing is lost
  sfumato adapt resume my-project           go on
  sfumato models use my-project             complete with it; `sfumato models use embedded` goes back
  sfumato adapt train --recipe embedded     train as the shipped adapter was (fetches 174 packages)

Files are only read. What git ignores, `.sfumatoignore`, the names of key files and files with a key or password in
them are left out. The training has the lowest priority and one thread; a kill or a crash loses at most four minutes.
"""
_STEPS = {"repo": 200, "embedded": 2000}


def add_parser(commands: Commands, runs: Callable[[], adapt.Runs] = adapt.open_runs) -> None:
    """Add `adapt` and what can be done with runs. `runs` is the seam tests use."""
    parser = commands.add_parser(
        "adapt",
        help="train the model on your own code, in the background",
        description="Train an adapter for the embedded model.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)

    def add(name: str, command: Callable[[adapt.Runs, argparse.Namespace], int], says: str) -> argparse.ArgumentParser:
        action = actions.add_parser(name, help=says, description=says)
        action.set_defaults(run=lambda args: command(runs(), args))
        return action

    train = add("train", _train, "prepare a run and start it in the background")
    what = train.add_mutually_exclusive_group(required=True)
    what.add_argument("--repo", type=Path, metavar="PATH", help="a git repository, or a folder in one")
    what.add_argument("--recipe", choices=["embedded"], help="the data and numbers of the shipped adapter")
    train.add_argument("--name", help="what to call it (default: the folder's name, or the recipe's with -own)")
    train.add_argument("--steps", type=parse_count, metavar="N", help="how long (default: 200, or the recipe's)")
    train.add_argument(
        "--exclude", action="append", default=[], metavar="PATTERN", help="files to leave out; repeatable"
    )
    train.add_argument("--benchmarks", type=Path, metavar="PATH", help="with --recipe: leave out what resembles these")
    add("status", _status, "all runs: how far, how good, how long yet")
    for name, command, says in (
        ("pause", _pause, "save and stop"),
        ("resume", _resume, "go on in the background"),
        ("rm", _remove, "remove a run and its adapter"),
    ):
        add(name, command, says).add_argument("name", metavar="NAME", help="as in `sfumato adapt status`")


def _train(runs: adapt.Runs, args: argparse.Namespace) -> int:
    name = args.name or (_name_of(args.repo) if args.repo else f"{args.recipe}-own")
    recipe = adapt.Recipe(steps=args.steps or _STEPS["repo" if args.repo else args.recipe])
    if args.repo:
        _prepare_repository(runs, name, recipe, args)
    else:
        _prepare_recipe(runs, name, recipe, args)
    runs.start(name)
    print(f"{name} is being trained in the background: {recipe.steps} steps; see `sfumato adapt status`")
    return 0


def _name_of(repo: Path) -> str:
    return re.sub(r"[^a-z0-9._]+", "-", repo.resolve().name.lower()).strip("-._") or "repository"


def _prepare_repository(runs: adapt.Runs, name: str, recipe: adapt.Recipe, args: argparse.Namespace) -> None:
    from .repository import read_repository

    files = read_repository(args.repo, tuple(args.exclude))
    taken = runs.create(name, recipe, files)
    print(f"{taken} of the {len(files)} files in {args.repo} are learnt from; they are only read")


def _prepare_recipe(runs: adapt.Runs, name: str, recipe: adapt.Recipe, args: argparse.Namespace) -> None:
    folder = runs.folder / ".data"
    folder.mkdir(parents=True, exist_ok=True)
    print("fetching and cleaning the packages of the manifest; this takes some minutes", flush=True)
    if args.benchmarks and not args.benchmarks.is_dir():
        raise UsageError(f"{args.benchmarks} is not a folder")
    report = adapt.build_corpus(adapt.load_manifest(), folder, args.benchmarks)
    for missing in report["not_reached"]:
        print(f"goes without {missing}")
    training, held_out = (adapt.load_documents(folder / f"{part}.jsonl") for part in ("train", "held_out"))
    runs.create_from(name, recipe, training, held_out)


def _status(runs: adapt.Runs, _: argparse.Namespace) -> int:
    names = runs.names
    if not names:
        print("no runs yet; `sfumato adapt train --repo .` starts one")
    for name in names:
        print(_said(runs.status(name), chosen=name == runs.chosen))
    return 0


def _said(status: adapt.RunStatus, *, chosen: bool) -> str:
    progress = status.progress
    words = [f"{status.name}  {status.state.value}"]
    if progress is None:
        words.append("before the first step" if status.state is adapt.RunState.RUNNING else f"see {status.log}")
    else:
        words.append(f"step {progress.step} of {progress.steps}")
        if status.state is adapt.RunState.RUNNING:
            words.append(f"about {duration(progress.seconds_left)} left at this pace")
        words += [f"{duration(progress.seconds)} of computing", f"loss {progress.loss:.2f}"]
    if status.curve:
        words.append(f"held-out loss {status.curve[0].loss:.2f} -> {min(point.loss for point in status.curve):.2f}")
    return "  ".join([*words, "in use"] if chosen else words)


def duration(seconds: float) -> str:
    """In the unit a person would use."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def _pause(runs: adapt.Runs, args: argparse.Namespace) -> int:
    runs.pause(args.name)
    for _ in range(600):
        if runs.status(args.name).state is not adapt.RunState.RUNNING:
            print(f"{args.name} is paused; `sfumato adapt resume {args.name}` goes on")
            return 0
        time.sleep(0.1)
    print(f"{args.name} will stop after the step it is at")
    return 0


def _resume(runs: adapt.Runs, args: argparse.Namespace) -> int:
    if runs.status(args.name).state is adapt.RunState.FINISHED:
        raise AdaptError(f"{args.name} is finished; `sfumato models use {args.name}` completes with it")
    runs.start(args.name)
    print(f"{args.name} goes on in the background")
    return 0


def _remove(runs: adapt.Runs, args: argparse.Namespace) -> int:
    runs.remove(args.name)
    print(f"{args.name} is removed")
    return 0

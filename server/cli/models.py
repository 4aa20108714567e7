"""`sfumato models`: list, fetch, verify, find and remove the files that models are loaded from; choose an adapter.

Knows how to say what the hub does; never how it does it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable

from engine import (
    DEFAULT_MODEL,
    Checkpoint,
    adapt,
    fetch_checkpoint,
    hub,
    kept_checkpoints,
    names_checkpoint,
)

from .arguments import Commands

EXAMPLES = """\
examples:
  sfumato models list                  what there is, and what of it is here
  sfumato models pull                  fetch what the built-in models need (about 0.5 GB), or go on with it
  sfumato models verify                read the files again and compare their digests
  sfumato models path embedded-base    where the file lies; on a machine without a network, copy it there by hand
  sfumato models pull google/diffusiongemma-26B-A4B-it
                                       a checkpoint of the Hugging Face Hub, if it would run here (docs/models.md)
  sfumato models rm embedded-base      remove the file and all that was made of it
  sfumato models use my-project        complete with what `sfumato adapt` trained; `use embedded` goes back

Files lie in this system's cache folder, or in the folder that SFUMATO_HOME names.
"""

Command = Callable[[hub.Hub, argparse.Namespace], int]


def add_parser(
    commands: Commands,
    open_hub: Callable[[], hub.Hub] = hub.open_hub,
    open_runs: Callable[[], adapt.Runs] = adapt.open_runs,
) -> None:
    """Add `models` and what can be done with them. `open_hub` and `open_runs` are the seams tests use."""
    parser = commands.add_parser(
        "models",
        help="list, fetch, verify and remove model files",
        description="The files that models are loaded from: each fetched once and checked by its sha256.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)

    def add(name: str, command: Command, says: str, nargs: str | None = "?") -> argparse.ArgumentParser:
        action = actions.add_parser(name, help=says, description=says)
        if nargs != "":
            action.add_argument("name", metavar="NAME", nargs=nargs, help="as in `sfumato models list`")
        action.set_defaults(run=lambda args: command(open_hub(), args))
        return action

    listing = add("list", _list, "what there is, and what of it is here", nargs="")
    listing.add_argument("--json", action="store_true", help="as JSON, for programs")
    add("pull", _pull, "fetch and verify; without a name, everything")
    add("verify", _verify, "read the file again and compare its digest; without a name, every file")
    add("path", _path, "print where the file lies or belongs; without a name, of every file")
    add("rm", _remove, "remove the file and all that was made of it", nargs=None)
    says = "have the default model use an adapter of your own, or with `embedded` the shipped one again"
    use = actions.add_parser("use", help=says, description=says)
    use.add_argument("name", metavar="NAME", help="as in `sfumato adapt status`, or embedded")
    use.set_defaults(run=lambda args: _use(open_runs(), args.name))


def _list(store: hub.Hub, args: argparse.Namespace) -> int:
    statuses = [store.status(artifact.name) for artifact in store.artifacts]
    checkpoints = kept_checkpoints()
    if args.json:
        fields = [_fields(status) for status in statuses]
        json.dump(fields + [_told(name, one) for name, one in checkpoints.items()], sys.stdout, indent=2)
        print()
        return 0
    for status in statuses:
        artifact = status.artifact
        state = (
            f"{status.state.value} ({_megabytes(status.held)})"
            if status.state == hub.State.PARTIAL
            else status.state.value
        )
        models = ", ".join(artifact.models)
        print(f"{artifact.name}  {state}  {_megabytes(artifact.size)}  {artifact.licence}  for {models}")
        print(f"    {status.path}")
    for name, one in checkpoints.items():
        print(f"{name}  ready  {_megabytes(one.size)}  {one.family}, from the Hugging Face Hub")
        print(f"    {one.folder}")
    return 0


def _told(name: str, one: Checkpoint) -> dict[str, object]:
    return {"name": name, "state": "ready", "path": str(one.folder), "size": one.size, "family": one.family}


def _fields(status: hub.Status) -> dict[str, object]:
    artifact = status.artifact
    return {
        "name": artifact.name,
        "state": status.state.value,
        "path": str(status.path),
        "file": artifact.file,
        "size": artifact.size,
        "held": status.held,
        "sha256": artifact.sha256,
        "licence": artifact.licence,
        "models": list(artifact.models),
        "places": [place.label for place in artifact.places],
    }


def _pull(store: hub.Hub, args: argparse.Namespace) -> int:
    from .progress_bar import ProgressBar

    if args.name and names_checkpoint(args.name):
        with ProgressBar(args.name) as bar:
            folder = fetch_checkpoint(args.name, progress=bar)
        print(f"{args.name} is ready: {folder}")
        return 0
    for name in _names(store, args.name):
        with ProgressBar(name) as bar:
            path = store.fetch(name, bar)
        print(f"{name} is ready: {path}")
    return 0


def _verify(store: hub.Hub, args: argparse.Namespace) -> int:
    from .progress_bar import ProgressBar

    for name in _names(store, args.name):
        with ProgressBar(name) as bar:
            path = store.verify(name, bar)
        print(f"{name} is right: {path} has sha256 {store.artifact(name).sha256}")
    return 0


def _path(store: hub.Hub, args: argparse.Namespace) -> int:
    for name in _names(store, args.name):
        status = store.status(name)
        print(status.path)
        if status.state in (hub.State.MISSING, hub.State.PARTIAL):
            print(f"{name} is not there yet: run `sfumato models pull {name}`, or copy the file there", file=sys.stderr)
    return 0


def _remove(store: hub.Hub, args: argparse.Namespace) -> int:
    name = store.artifact(args.name).name
    freed = store.remove(name)
    print(f"{name} is removed: {_megabytes(freed)} freed" if freed else f"{name} was not here: nothing to remove")
    return 0


def _use(runs: adapt.Runs, name: str) -> int:
    runs.choose(None if name == DEFAULT_MODEL else name)
    print(f"{DEFAULT_MODEL} now uses {'the shipped adapter' if name == DEFAULT_MODEL else f'the adapter of {name}'}")
    print("servers that run already keep theirs until they are started again")
    return 0


def _names(store: hub.Hub, name: str | None) -> list[str]:
    return [store.artifact(name).name] if name else [artifact.name for artifact in store.artifacts]


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.0f} MB"

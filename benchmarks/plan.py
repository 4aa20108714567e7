"""One run over tasks, as asked on a command line: what makes it the same run, and how it ends. Shared by benchmarks."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine import Engine, EngineConfig, SfumatoError

from .journal import JournalError
from .machine import Description, load_average
from .options import positive
from .running import write_json
from .sandbox import Sandbox, SandboxError
from .tasks import DataError

OpenEngine = Callable[[EngineConfig], Engine]


@dataclass(frozen=True, slots=True)
class Plan:
    """`asked`: what else must be equal for two starts to be one run."""

    config: EngineConfig
    data: tuple[Path, ...]
    limit: int | None
    seed: int
    out: Path
    asked: Mapping[str, str | int]

    @classmethod
    def of(cls, options: argparse.Namespace, **asked: str | int) -> Plan:
        """From the options that `add_options` added."""
        config = EngineConfig(model=options.model, precision=options.precision, threads=options.threads)
        return cls(config, tuple(options.data), options.limit, options.seed, options.out, asked)

    @property
    def journal_path(self) -> Path:
        """Beside the summary."""
        return self.out.with_suffix(".records.jsonl")

    def identity(self, info: Mapping[str, str]) -> dict[str, str | int]:
        """What must be equal for two starts to be one run: all but how many tasks, on how many threads, from where."""
        run: dict[str, str | int] = {
            "model": self.config.model,
            "precision": self.config.precision,
            "data": ", ".join(path.name for path in self.data),
            "data_sha256": ", ".join(hashlib.sha256(path.read_bytes()).hexdigest() for path in self.data),
            "seed": self.seed,
            **self.asked,
        }
        return run | {f"engine.{name}": value for name, value in info.items() if name not in ("threads", "file")}

    def write(
        self,
        summary: Mapping[str, object],
        engine: Engine,
        sandbox: Sandbox | None,
        machine: Description,
        **more: object,
    ) -> None:
        """Write the summary, with what was run on what; `machine` as it was before."""
        run = {
            **self.identity({}),
            "limit": self.limit,
            "engine": {name: value for name, value in engine.info.items() if name != "file"},
            "confinement": sandbox.confinement.description if sandbox else None,
            "machine": machine,
            "load_average_after": load_average(),
            **more,
        }
        write_json(self.out, {**summary, "run": run})


def add_options(parser: argparse.ArgumentParser, *, limit: int | None, files: int | str = 1) -> None:
    """What `Plan.of` reads. `files`: how many, as in `nargs`."""
    parser.add_argument("--model", default="embedded", help="embedded, causal, base, or the path of a GGUF file")
    parser.add_argument("--precision", default="int8", choices=("int8", "float32"))
    parser.add_argument("--threads", default=0, type=int, metavar="N", help="0: as many as are free")
    parser.add_argument("--data", required=True, type=Path, nargs=files, metavar="FILE.jsonl[.gz]")
    default = limit or "all"
    parser.add_argument(
        "--limit",
        default=limit,
        type=positive,
        metavar="N",
        help=f"the first N tasks after shuffling (default: {default})",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the shuffle: random.Random(SEED)")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE.json")


def exit_code(name: str, run: Callable[[], int]) -> int:
    """Of `run`; 1, and one line, for whatever a user can mend."""
    try:
        return run()
    except (DataError, JournalError, SandboxError, SfumatoError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1

"""One record a task, on disk as soon as it is known, so that a killed run goes on where it stopped.

A journal is a JSONL file: the run's identity first, then the records, each a flat dataclass with an `id`. Knows
nothing of what a run measures beyond that.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

WAY_OUT = "move it away or choose another --out"


class JournalError(Exception):
    """A journal that this run must not continue; one line that says why."""


@dataclass(frozen=True, slots=True)
class Record:
    """What one task gave. None: this benchmark cannot say. `seconds` is the wall-clock time of the engine's call."""

    id: str
    problem: str
    text: str
    stop_reason: str
    passed: bool | None
    ending: str
    exact: bool
    syntax_valid: bool | None
    tokens: int
    forwards: int
    prompt_tokens: int
    reused_tokens: int
    seconds: float
    encode_ms: float
    denoise_ms: float


class Kept(Protocol):
    """What a journal keeps: a dataclass of JSON values."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def id(self) -> str:
        """Unlike every other record's."""


AnyRecord = TypeVar("AnyRecord", bound=Kept)


class Journal(Generic[AnyRecord]):
    """The records of one run, those of an earlier start included."""

    def __init__(self, path: Path, records: dict[str, AnyRecord]) -> None:
        self.path = path
        self.records = records

    @classmethod
    def open(cls, path: Path, identity: Mapping[str, str | int], kind: type[AnyRecord]) -> Self:
        """Begin a journal of `kind`, or go on with the one at `path`. Raises `JournalError` if it is of another run."""
        lines = _whole_lines(path) if path.exists() else []
        if not lines:
            _append(path, {"run": dict(identity)})
            return cls(path, {})
        try:
            began, *rows = [json.loads(line) for line in lines]
            known = dict(began["run"])
            records = [kind(**row) for row in rows]
        except (ValueError, TypeError, KeyError) as error:
            raise JournalError(f"{path}: not a journal of this benchmark ({error}); {WAY_OUT}") from error
        differing = sorted(key for key in known.keys() | identity.keys() if known.get(key) != identity.get(key))
        if differing:
            raise JournalError(f"{path}: records of another run (differs in {', '.join(differing)}); {WAY_OUT}")
        return cls(path, {record.id: record for record in records})

    def add(self, record: AnyRecord) -> None:
        """Keep `record`, on disk before this returns."""
        _append(self.path, asdict(record))
        self.records[record.id] = record


def _append(path: Path, row: Mapping[str, object]) -> None:
    with path.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(row) + "\n")


def _whole_lines(path: Path) -> list[bytes]:
    """The lines of `path`; a last one that a kill cut short is taken off the file."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)
    return content[:whole].splitlines()

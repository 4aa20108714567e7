"""One line of a case file, read with suspicion: what is not understood is a fault of the case, never a pass.

    id, language, text      name, LSP languageId, the document; `pad_before` {head, unit, times} is put before the text
    action                  complete, rewrite, fim, didChange, initialize
    position / selection / spans
                            the cursor, the range to rewrite, the holes; utf-16, counted from the padded text.
                            A position will do for an empty selection, either for a single hole
    candidate               what the engine answers; a list for `spans`. `candidate_chunks_hex`: the same as bytes
    instruction, uri        of a rewrite; of the document
    options                 initializationOptions, or initializationOptions_variants (each is tried); open_version.
                            Without any of these names they are the initialization options themselves
    events                  [{t, do: request / cancel / didChange / engine_result, ...}], see `acting.py`
    expect_text, may_refuse, checks
                            see `checks.py`
    trigger                 ours: "invoked" or "automatic" in place of the usual one, see `acting.py`

Other fields (source, kind, symptom, right, must_hold) are for people.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = Any
ACTIONS = ("complete", "rewrite", "fim", "didChange", "initialize")
EVENTS = ("request", "cancel", "didChange", "engine_result")
OPTIONS = ("initializationOptions", "initializationOptions_variants", "open_version")
ABSENT = "<absent>"
_NEEDS = {"complete": ("position",), "rewrite": ("instruction",), "didChange": ("events",)}


class BadCase(Exception):  # noqa: N818 - whose fault it is
    """The case cannot be understood; the message says why."""


@dataclass(frozen=True)
class Case:
    """A case that can be driven. `fields` is the line as it stands."""

    fields: Mapping[str, Json]

    @property
    def id(self) -> str:
        """Its name."""
        return str(self.fields["id"])

    @property
    def action(self) -> str:
        """What is asked of the server."""
        return str(self.fields["action"])

    @property
    def text(self) -> str:
        """The document."""
        pad = self.fields.get("pad_before")
        before = pad["head"] + pad["unit"] * pad["times"] if pad else ""
        return str(before + self.fields["text"])

    @property
    def language(self) -> str:
        """LSP languageId."""
        return str(self.fields["language"])

    @property
    def uri(self) -> str:
        """Of the document; no file has to be there."""
        return str(self.fields.get("uri", f"file:///cases/{self.id}"))

    @property
    def version(self) -> int:
        """The version the document is opened with."""
        return int(self.options.get("open_version", 1))

    @property
    def options(self) -> Mapping[str, Json]:
        """What is special about the session."""
        options = self.fields.get("options") or {}
        return options if options.keys() & set(OPTIONS) or not options else {"initializationOptions": options}

    @property
    def selection(self) -> Json:
        """The range to rewrite."""
        position = self.fields.get("position")
        return self.fields.get("selection") or {"start": position, "end": position}

    @property
    def holes(self) -> list[Json]:
        """The ranges to fill, in document order."""
        return list(self.fields.get("spans") or [self.selection])

    @property
    def events(self) -> Sequence[Mapping[str, Json]]:
        """In order of time."""
        return sorted(self.fields.get("events") or [], key=lambda event: event["t"])

    @property
    def checks(self) -> Sequence[Mapping[str, Json]]:
        """All must hold."""
        return list(self.fields["checks"])

    @property
    def is_automatic(self) -> bool:
        """Whether the client asks on its own: in a race, as one who types does; anywhere else a person asks."""
        return bool(self.fields.get("trigger", "automatic" if self.events else "invoked") == "automatic")

    @property
    def initializations(self) -> list[Json]:
        """The `initializationOptions` of each session to hold; `ABSENT` to leave them out."""
        variants = self.options.get("initializationOptions_variants")
        return [self.options.get("initializationOptions", ABSENT)] if variants is None else list(variants)

    @property
    def answers(self) -> list[str]:
        """What the engine writes, a text a hole. A case without a candidate is not about one."""
        if "candidate_chunks_hex" in self.fields:
            return [b"".join(map(bytes.fromhex, self.fields["candidate_chunks_hex"])).decode("utf-8", "replace")]
        candidate = self.fields.get("candidate", "1")
        return [candidate] if isinstance(candidate, str) else list(candidate)

    @property
    def has(self) -> frozenset[str]:
        """The names of all checks, those within `any_of` included."""
        names: set[str] = set()
        waiting = list(self.checks)
        while waiting:
            check = waiting.pop()
            names |= check.keys()
            waiting += check.get("any_of", [])
        return frozenset(names)


def read_case(line: str) -> Case:
    """The case of one line; raises `BadCase`."""
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise BadCase(f"not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise BadCase("not a JSON object")
    try:
        _inspect(fields)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadCase(f"malformed: {type(error).__name__}: {error}") from None
    return Case(fields)


def _inspect(fields: Mapping[str, Json]) -> None:
    action = fields.get("action")
    if action not in ACTIONS:
        raise BadCase(f"unknown action {action!r}")
    needed = ("id", "language", "text", "checks", *_NEEDS.get(action, ()))
    if missing := [name for name in needed if name not in fields]:
        raise BadCase(f"{action} without {', '.join(missing)}")
    if not isinstance(fields["checks"], list) or not fields["checks"]:
        raise BadCase("nothing is checked")
    if unknown := [event["do"] for event in fields.get("events") or [] if event["do"] not in EVENTS]:
        raise BadCase(f"unknown event {unknown[0]!r}")
    if fields.get("trigger", "invoked") not in ("invoked", "automatic"):
        raise BadCase(f"unknown trigger {fields['trigger']!r}")
    case = Case(fields)
    if unknown := [name for name in case.options if name not in OPTIONS]:
        raise BadCase(f"unknown option {unknown[0]!r}")
    if action in ("rewrite", "fim") and not fields.keys() & {"position", "selection", "spans"}:
        raise BadCase(f"{action} without selection, spans or position")
    if action == "fim":
        holes = len(case.holes)
        if len(case.answers) != holes:
            raise BadCase(f"{holes} holes, but {len(case.answers)} texts")
    elif len(case.answers) != 1 or not isinstance(case.answers[0], str):
        raise BadCase(f"the candidate of {action} must be a text")

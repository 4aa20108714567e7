"""What a user may set, and how it is read: a bad or unknown key is reported by name and its default used.

The one place that says what a setting is: `settings_reference` writes it down for people and editors. Knows no
protocol: the raw object is whatever JSON the client sent.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import Meta


def _text(description: str) -> Meta:
    return Meta(min_length=1, description=description)


def _number(unit: str, least: int, most: int, description: str) -> Meta:
    return Meta(ge=least, le=most, description=description, extra_json_schema={"unit": unit})


class Settings(msgspec.Struct, frozen=True):
    """What a user may set."""

    model: Annotated[
        str,
        _text(
            "A name of `sfumato models list`, the path of a GGUF file or of a checkpoint's folder, or owner/name on the"
            " Hugging Face Hub."
        ),
    ] = "embedded"
    threads: Annotated[int, _number("threads", 0, 1024, "CPU threads; 0 = as many as are free.")] = 0
    max_tokens: Annotated[int, _number("tokens", 1, 4096, "The longest completion.")] = 256
    rewrite_max_tokens: Annotated[int, _number("tokens", 1, 16384, "The longest rewrite.")] = 1024
    completion_deadline_ms: Annotated[
        int, _number("ms", 50, 600_000, "The best draft of a completion by then is the answer.")
    ] = 10_000
    rewrite_deadline_ms: Annotated[
        int, _number("ms", 50, 3_600_000, "The best draft of a rewrite, or of filled holes, by then is the answer.")
    ] = 120_000
    multi_line: Annotated[bool, Meta(description="Complete several lines where they fit.")] = True
    candidates: Annotated[int, _number("items", 1, 8, "Completions to choose from when asked for by hand.")] = 3
    speculate: Annotated[
        bool, Meta(description="While a completion is shown, compute what would follow it, as long as nobody asks.")
    ] = True
    prompt_tokens: Annotated[int, _number("tokens", 64, 16384, "How much of your code the model is shown.")] = 768
    snippet_tokens: Annotated[
        int, _number("tokens", 0, 8192, "How much of other files it is shown beside that; 0 = nothing.")
    ] = 256
    confirm_changes: Annotated[
        bool, Meta(description="Have the editor ask before a rewrite or filled holes change the text.")
    ] = False
    exclude: Annotated[
        tuple[str, ...],
        Meta(description="Files to leave alone, in gitignore syntax, beside `.sfumatoignore` and the deny list."),
    ] = ()
    placeholder: Annotated[str, _text("What marks a hole to fill.")] = "<<hole>>"
    tab_size: Annotated[int, _number("columns", 0, 16, "An indentation step; 0 = as the file has it.")] = 0


_TYPES = get_type_hints(Settings, include_extras=True)
_DEFAULTS = Settings()


def parse_settings(raw: object, defaults: Settings = _DEFAULTS) -> tuple[Settings, list[str]]:
    """Settings and one line a problem, each naming its key. `None`, `{}` and `{"sfumato": {...}}` are all fine.

    What `raw` leaves out, or has wrong, comes from `defaults`. Keys may be written `max_tokens` or `maxTokens`.
    """
    if isinstance(raw, dict) and "sfumato" in raw:
        raw = raw["sfumato"]
    if raw is None:
        return defaults, []
    if not isinstance(raw, dict):
        return defaults, [f"settings must be an object, not {type(raw).__name__}"]
    values: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in raw.items():
        name = _snake_case(str(key))
        if name not in _TYPES:
            problems.append(f"{key}: no such setting{_meant(name)}")
            continue
        try:
            values[name] = msgspec.convert(value, _TYPES[name])
        except msgspec.ValidationError as error:
            problems.append(f"{key}: {error}")
    return msgspec.structs.replace(defaults, **values), problems


def camel_case(name: str) -> str:
    """The key of a setting as editors write it: `maxTokens` for `max_tokens`."""
    return re.sub(r"_(\w)", lambda letter: letter[1].upper(), name)


def _meant(name: str) -> str:
    near = get_close_matches(name, _TYPES, n=1, cutoff=0.75)
    return f"; did you mean {camel_case(near[0])}?" if near else ""


def _snake_case(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()

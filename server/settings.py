"""What a user may set, and how it is read: a bad or unknown key is reported by name and its default used.

Knows no protocol: the raw object is whatever JSON the client sent.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import Meta


class Settings(msgspec.Struct, frozen=True):
    """All settings. Times are milliseconds; `threads` 0 = as many as are free, `tab_size` 0 = as the file has it."""

    model: Annotated[str, Meta(min_length=1)] = "embedded"
    threads: Annotated[int, Meta(ge=0, le=1024)] = 0
    max_tokens: Annotated[int, Meta(ge=1, le=4096)] = 256
    rewrite_max_tokens: Annotated[int, Meta(ge=1, le=16384)] = 1024
    completion_deadline_ms: Annotated[int, Meta(ge=50, le=600_000)] = 10_000
    rewrite_deadline_ms: Annotated[int, Meta(ge=50, le=3_600_000)] = 120_000
    multi_line: bool = True
    candidates: Annotated[int, Meta(ge=1, le=8)] = 3
    prompt_tokens: Annotated[int, Meta(ge=64, le=16384)] = 768
    exclude: tuple[str, ...] = ()
    placeholder: Annotated[str, Meta(min_length=1)] = "<<hole>>"
    tab_size: Annotated[int, Meta(ge=0, le=16)] = 0


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
            problems.append(f"{key}: no such setting")
            continue
        try:
            values[name] = msgspec.convert(value, _TYPES[name])
        except msgspec.ValidationError as error:
            problems.append(f"{key}: {error}")
    return msgspec.structs.replace(defaults, **values), problems


def _snake_case(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()

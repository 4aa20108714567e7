"""Strategies by name: from the settings of an engine to how its canvases are denoised."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from .config import EngineConfig
from .errors import ConfigError
from .remask import InsertDelete, Keep, LowConfidence, Renoise, TokenEditing
from .sampler import Greedy, Gumbel, TopP
from .schedule import Constant, Linear
from .stopping import EarlyCommit, Never, StableAndConfident
from .unmask import Confident, EntropyBound, Klass, TopK

KNOWN: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "schedule": {"constant": Constant, "linear": Linear},
    "sampler": {"greedy": Greedy, "gumbel": Gumbel, "top_p": TopP},
    "unmask": {"confident": Confident, "entropy_bound": EntropyBound, "klass": Klass, "top_k": TopK},
    "remask": {
        "keep": Keep,
        "low_confidence": LowConfidence,
        "renoise": Renoise,
        "token_editing": TokenEditing,
        "insert_delete": InsertDelete,
    },
    "stopping": {"never": Never, "stable_and_confident": StableAndConfident, "early_commit": EarlyCommit},
}


def chosen(config: EngineConfig, tokens: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Fields of `Strategies` that the settings say: to replace the family's own. Raises `ConfigError`.

    `tokens`: control tokens of the model that strategies need, by the name of their parameter (`expand`, `delete`).
    """
    said: dict[str, str] = {setting: getattr(config, setting) for setting in KNOWN}
    return {setting: _made(setting, text, tokens or {}) for setting, text in said.items() if text.strip()}


def none_chosen(config: EngineConfig) -> None:
    """For models that draft and verify instead. Raises `ConfigError`."""
    for setting in KNOWN:
        if getattr(config, setting).strip():
            raise ConfigError(
                f"{setting} says how a canvas is denoised, and {config.model} writes drafts: leave it out"
            )


def _made(setting: str, text: str, tokens: Mapping[str, int]) -> Any:
    name, *parameters = text.split()
    kind = KNOWN[setting][name]
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type] # all are dataclasses
    values: dict[str, float | int] = {key: token for key, token in tokens.items() if key in known}
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key not in known or key in tokens:
            takes = ", ".join(key for key in known if key not in tokens) or "none"
            raise ConfigError(f"{setting} {name} has no parameter {key!r}; it takes: {takes}")
        values[key] = _number(setting, name, key, value, whole=known[key].type in (int, "int"))
    missing = [key for key, field in known.items() if field.default is MISSING and key not in values]
    if missing:
        raise ConfigError(f"{setting} {name} needs the tokens {', '.join(missing)}, which this model has not")
    return kind(**values)


def _number(setting: str, name: str, key: str, value: str, *, whole: bool) -> float | int:
    try:
        number = int(value) if whole else float(value)
    except ValueError:
        wanted = "a whole number" if whole else "a number"
        raise ConfigError(f"{setting} {name}: {key} is {value!r}; use {wanted}") from None
    if number < 0 or (whole and number < 1 and key != "stability"):
        raise ConfigError(f"{setting} {name}: {key} is {value}; use {'1 or more' if whole else 'no less than 0'}")
    return number

"""Settings of an engine: a typing mistake is an error that names it."""

from __future__ import annotations

import pytest

from engine.config import DEFAULT_MODEL, EngineConfig
from engine.errors import ConfigError


def test_defaults() -> None:
    assert EngineConfig() == EngineConfig.from_mapping({}) == EngineConfig(model=DEFAULT_MODEL, precision="auto")


def test_values_are_taken() -> None:
    assert EngineConfig.from_mapping({"threads": 3, "canvas": 8}) == EngineConfig(threads=3, canvas=8)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"thread": 2},
            "unknown engine setting 'thread'; known: canvas, compiled, model, precision, prompt_tokens, remask",
        ),
        ({"precision": "int3"}, "precision 'int3' is not known; use auto, float32, bfloat16, fp8, int8, int4"),
        ({"threads": -1}, "threads is -1"),
        ({"canvas": 0}, "canvas is 0; use 1 to 64"),
        ({"canvas": 65}, "canvas is 65"),
        ({"prompt_tokens": 63}, "prompt_tokens is 63; use 64 to 16384"),
        ({"prompt_tokens": 16385}, "prompt_tokens is 16385"),
    ],
)
def test_bad_values_are_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        EngineConfig.from_mapping(values)

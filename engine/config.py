"""Settings of an engine. Unknown keys are errors: a typing mistake must not become a default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from .errors import ConfigError

DEFAULT_MODEL = "embedded"
PRECISIONS = ("auto", "float32", "bfloat16", "fp8", "int8", "int4")
STRATEGIES: Mapping[str, tuple[str, ...]] = {
    "schedule": ("constant", "linear"),
    "sampler": ("greedy", "gumbel", "top_p"),
    "unmask": ("confident", "entropy_bound", "klass", "top_k"),
    "remask": ("keep", "low_confidence", "renoise", "token_editing", "insert_delete"),
    "stopping": ("never", "stable_and_confident", "early_commit"),
}
"""How a canvas is denoised: the names of each setting's strategies. `engine.strategies` makes them."""


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """How to open an engine.

    `model`: a name (`embedded`, `causal`, `base`), the path of a GGUF file, the folder of a checkpoint, or owner/name
    on the Hugging Face Hub. `threads` 0 = as many as are free. `precision` `auto` is `int8` for the embedded model,
    which also has `float32` (the reading that lossless is proved in), and what fits best for a checkpoint.
    `prompt_tokens`: two CPU cores read some 300 tokens a second, and a jump in a file has them all read anew.
    `compiled`: have torch compile the decoder of a checkpoint on a GPU; off, because it was not measured.

    `schedule`, `sampler`, `unmask`, `remask` and `stopping` say how a canvas is denoised: a name of `STRATEGIES` and
    its parameters, as in `entropy_bound bound=0.2`; empty: as the model's family does it. Models that draft and verify
    take none of them.
    """

    model: str = DEFAULT_MODEL
    threads: int = 0
    precision: str = "auto"
    canvas: int = 12
    prompt_tokens: int = 768
    compiled: bool = False
    schedule: str = ""
    sampler: str = ""
    unmask: str = ""
    remask: str = ""
    stopping: str = ""

    def __post_init__(self) -> None:
        if self.precision not in PRECISIONS:
            raise ConfigError(f"precision {self.precision!r} is not known; use {', '.join(PRECISIONS)}")
        if self.threads < 0:
            raise ConfigError(f"threads is {self.threads}; use 0 (automatic) or more")
        if not 1 <= self.canvas <= 64:
            raise ConfigError(f"canvas is {self.canvas}; use 1 to 64 positions")
        if not 64 <= self.prompt_tokens <= 16384:
            raise ConfigError(f"prompt_tokens is {self.prompt_tokens}; use 64 to 16384")
        for setting, known in STRATEGIES.items():
            name, *_ = getattr(self, setting).split() or [""]
            if name and name not in known:
                raise ConfigError(f"unknown {setting} {name!r}; known: {', '.join(known)}")

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Self:
        """Build from names and values; raises `ConfigError` naming the first unknown key."""
        known = {f.name for f in fields(cls)}
        for key in values:
            if key not in known:
                raise ConfigError(f"unknown engine setting {key!r}; known: {', '.join(sorted(known))}")
        return cls(**values)

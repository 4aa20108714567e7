"""Opens a run's folder as a trainer: base, adapter, examples."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import torch

from .. import hub
from ..errors import SfumatoError
from ..hub.disk import locked
from ..models.embedded import QWEN_PROMPTS
from ..models.gguf import INT8_RECIPE, GgufFile, convert_to_int8, load_shape
from ..tokenizer import Tokenizer
from .body import TrainingBody
from .corpus import load_documents
from .examples import Sampler
from .holes import line
from .low_rank import LowRank
from .recipe import Recipe
from .state import RunFolder
from .trainer import Trainer

_VALIDATION_SEED = 7


class AlreadyRunningError(SfumatoError):
    """Another process trains this run."""


@contextmanager
def open_run(path: Path) -> Iterator[Trainer]:
    """The trainer of this folder, where it was left. Raises `AlreadyRunningError`, `ArtifactError`, `ModelError`."""
    with locked(path / "lock", _refuse):
        recipe, folder = Recipe.load(path / "recipe.json"), RunFolder(path)
        torch.set_num_threads(recipe.threads)
        torch.manual_seed(recipe.seed)
        store = hub.open_hub()
        source, digest = store.fetch(recipe.base, lambda _: None), store.artifact(recipe.base).sha256
        gguf = GgufFile(source)
        made = store.derived(digest, INT8_RECIPE, lambda into: convert_to_int8(source, into, lambda _: None))
        tokenizer = Tokenizer.load(made / "tokenizer.json", frozenset(load_shape(made / "shape.json").control))
        adapter = LowRank(gguf.shape)
        if recipe.start_from:
            adapter.load(Path(recipe.start_from))
        device, dtype = fastest()
        adapter.to(device)
        body = TrainingBody(gguf.shape, dict(gguf.tensors()), [adapter], device, dtype)
        examples = Sampler(
            load_documents(path / "train.jsonl"), recipe.languages, tokenizer, QWEN_PROMPTS, recipe.cutting, recipe.seed
        )
        held_out = Sampler(
            load_documents(path / "held_out.jsonl"),
            recipe.languages,
            tokenizer,
            QWEN_PROMPTS,
            replace(recipe.cutting, through=0.0),
            _VALIDATION_SEED,
            kinds={line: 1.0},
        )
        checks = [held_out(number) for number in range(recipe.validation)]
        yield Trainer(recipe, folder, body, adapter, examples, checks, QWEN_PROMPTS.text_end, digest)


def _refuse() -> None:
    raise AlreadyRunningError("this run is being trained by another process; pause that one first")


def fastest() -> tuple[str, torch.dtype]:
    """Where and in what the base computes: bf16 where the hardware multiplies it, else fp32."""
    if torch.cuda.is_available():
        return "cuda", torch.bfloat16
    # Without such instructions bf16 is emulated, four times slower than fp32.
    fast = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return "cpu", torch.bfloat16 if fast else torch.float32

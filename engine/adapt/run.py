"""Opens a run's folder as a trainer: base, adapter, examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from .. import hub
from ..errors import AdaptError
from ..hub.disk import locked
from ..models.embedded import QWEN_PROMPTS
from ..models.gguf import INT8_RECIPE, GgufFile, Shape, convert_to_int8, load_shape
from ..tokenizer import Tokenizer
from .body import TrainingBody
from .corpus import load_documents
from .denoising import Blocks, DenoiserObjective
from .examples import Sampler
from .holes import KINDS, Maker, line
from .low_rank import LowRank
from .objective import InfillerObjective, Objective
from .recipe import Cutting, Recipe
from .state import RunFolder
from .trainer import Trainer

WEIGHTS = Path(__file__).parent.parent / "weights"
_VALIDATION_SEED = 7


@contextmanager
def open_run(path: Path) -> Iterator[Trainer]:
    """The trainer of this folder, where it was left. Raises `AdaptError`, `ArtifactError`, `ModelError`."""
    with locked(path / "lock", _Patience()):
        recipe = Recipe.load(path / "recipe.json")
        torch.set_num_threads(recipe.threads)
        torch.manual_seed(recipe.seed)
        body, tokenizer, digest = _base(recipe)

        def sampler(file: str, cutting: Cutting, seed: int, kinds: Mapping[Maker, float]) -> Sampler:
            documents = load_documents(path / file)
            return Sampler(documents, recipe.languages, tokenizer, QWEN_PROMPTS, cutting, seed, kinds)

        examples = sampler("train.jsonl", recipe.cutting, recipe.seed, KINDS)
        held_out = sampler(
            "held_out.jsonl",
            replace(recipe.cutting, through=0.0, several=0.0, edits=0.0),
            _VALIDATION_SEED,
            {line: 1.0},
        )
        yield Trainer(
            lambda: Recipe.load(path / "recipe.json"),
            RunFolder(path),
            body,
            body.adapters[-1],
            examples,
            [held_out(number) for number in range(recipe.validation)],
            _objective(recipe),
            digest,
        )


class _Patience:
    """Whoever asks how a run is holds its lock for a moment; another trainer holds it for longer."""

    def __init__(self) -> None:
        self._tries = 20  # a tenth of a second each

    def __call__(self) -> None:
        self._tries -= 1
        if not self._tries:
            raise AdaptError("this run is being trained by another process; pause that one first")


def _base(recipe: Recipe) -> tuple[TrainingBody, Tokenizer, str]:
    """The frozen base with its adapters, the last one to be trained, the tokenizer, and the base's digest."""
    store = hub.open_hub()
    source, digest = store.fetch(recipe.base, lambda _: None), store.artifact(recipe.base).sha256
    device, dtype = fastest()
    int8 = store.derived(digest, INT8_RECIPE, lambda into: convert_to_int8(source, into, lambda _: None))
    name = str(dtype).removeprefix("torch.")
    plain = store.derived(digest, f"qwen2-{name}-1", lambda into: _dequantize(source, into, dtype))
    shape = load_shape(int8 / "shape.json")
    adapters = [adapter.to(device) for adapter in _adapters(recipe, shape)]
    body = TrainingBody(shape, load_file(plain / "model.safetensors"), adapters, device, dtype)
    return body, Tokenizer.load(int8 / "tokenizer.json", frozenset(shape.control)), digest


def _adapters(recipe: Recipe, shape: Shape) -> list[LowRank]:
    """The one to train, after the frozen infiller if it is a denoiser."""
    trained = LowRank(shape, denoiser=recipe.trains == "denoiser")
    if recipe.start_from:
        trained.load(WEIGHTS / recipe.start_from)  # a path of its own stays one
    if recipe.trains == "infiller":
        return [trained]
    infiller = LowRank(shape).requires_grad_(False)
    infiller.load(WEIGHTS / recipe.infiller)
    return [infiller, trained]


def _objective(recipe: Recipe) -> Objective:
    if recipe.trains == "denoiser":
        return DenoiserObjective(Blocks())
    if recipe.cutting.edits:
        raise AdaptError("the infiller is off for rewrites: only a denoiser learns from edits")
    return InfillerObjective(QWEN_PROMPTS.text_end, recipe.end_weight)


def _dequantize(source: Path, folder: Path, dtype: torch.dtype) -> None:
    """Once a machine: it takes as long as some steps."""
    tensors = {name: tensor.to(dtype).clone() for name, tensor in GgufFile(source).tensors()}
    save_file(tensors, folder / "model.safetensors")


def fastest() -> tuple[str, torch.dtype]:
    """Where and in what the base computes: bf16 where the hardware multiplies it, else fp32."""
    if torch.cuda.is_available():
        return "cuda", torch.bfloat16
    # Without such instructions bf16 is emulated, four times slower than fp32.
    fast = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
    return "cpu", torch.bfloat16 if fast else torch.float32

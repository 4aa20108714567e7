"""A random tiny base with a random adapter being trained."""

from __future__ import annotations

from pathlib import Path

import torch

from engine.adapt.body import TrainingBody
from engine.adapt.low_rank import LowRank
from engine.models.adapters import load_adapter
from engine.models.qwen2 import Qwen2
from tests.engine.models.tiny_qwen import SHAPE, body, gguf_tensors, reference


def random_adapter(seed: int, *, denoiser: bool = False) -> LowRank:
    """With all of its parts large enough to show."""
    torch.manual_seed(seed)
    adapter = LowRank(SHAPE, rank=4, alpha=8, denoiser=denoiser)
    with torch.no_grad():
        for name, value in adapter.named_parameters():
            value.normal_(0.0, 1.0 if name == "mask" else 0.2)
            value.copy_(value.bfloat16())  # what is stored
    return adapter


def training_body(*adapters: LowRank) -> TrainingBody:
    """In fp32, where the serving one is exact."""
    return TrainingBody(SHAPE, gguf_tensors(reference()), adapters, "cpu", torch.float32)


def serving_body(folder: Path, *adapters: LowRank) -> Qwen2:
    """The same weights in the forward that serves, by way of the files."""
    for number, adapter in enumerate(adapters):
        adapter.save(folder / str(number), "0" * 64)
    return body(reference(), [load_adapter(folder / str(number)) for number in range(len(adapters))])

"""An adapter being trained: its low-rank matrices as parameters, from noise or from a file, and out as PEFT's."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from ..models.adapters import ADAPTED, ADAPTER_FILE, MASK_EMBEDDING, PREFIX, load_adapter
from ..models.gguf import Shape

RANK, ALPHA = 32, 64


class LowRank(nn.Module):
    """`down` (rank, in) and `up` (out, rank) for each linear map of each layer; `mask` (width,) for a denoiser.

    A map adds `scale * up(down(x))`. `up` starts at zero, so that training starts from the base (arXiv 2106.09685).
    """

    def __init__(self, shape: Shape, rank: int = RANK, alpha: float = ALPHA, *, denoiser: bool = False) -> None:
        super().__init__()
        self.rank, self.alpha, self.scale = rank, alpha, alpha / rank
        self.down, self.up = nn.ParameterDict(), nn.ParameterDict()
        for layer in range(shape.layers):
            for name, (out, width) in sizes(shape).items():
                self.down[f"{layer}-{name}"] = nn.Parameter(torch.randn(rank, width) / width**0.5)
                self.up[f"{layer}-{name}"] = nn.Parameter(torch.zeros(out, rank))
        self.mask = nn.Parameter(torch.randn(shape.width) * 0.02) if denoiser else None

    @torch.no_grad()
    def load(self, folder: Path) -> None:
        """Take the values of an adapter folder of the same rank. Raises `ModelError`."""
        stored = load_adapter(folder)
        for (layer, name), down in stored.down.items():
            self.down[f"{layer}-{name}"].copy_(down)
            self.up[f"{layer}-{name}"].copy_(stored.up[layer, name] / self.scale)
        if self.mask is not None and stored.mask is not None:
            self.mask.copy_(stored.mask)

    def save(self, folder: Path, base_sha256: str) -> None:
        """Write `adapter_config.json` and `adapter_model.safetensors`, in bf16."""
        tensors: dict[str, Tensor] = {}
        for key in self.down:
            layer, name = key.split("-")
            stem = f"{PREFIX}.layers.{layer}.{ADAPTED[name]}"
            tensors[f"{stem}.lora_A.weight"] = self.down[key].detach().bfloat16().cpu().contiguous()
            tensors[f"{stem}.lora_B.weight"] = self.up[key].detach().bfloat16().cpu().contiguous()
        if self.mask is not None:
            tensors[MASK_EMBEDDING] = self.mask.detach().bfloat16().cpu()
        folder.mkdir(parents=True, exist_ok=True)
        save_file(tensors, folder / ADAPTER_FILE, metadata={"format": "pt"})
        config = {
            "peft_type": "LORA",
            "task_type": "CAUSAL_LM",
            "base_model_name_or_path": "Qwen/Qwen2.5-Coder-0.5B-Instruct",
            "base_sha256": base_sha256,
            "bias": "none",
            "inference_mode": True,
            "lora_alpha": self.alpha,
            "lora_dropout": 0.0,
            "r": self.rank,
            "target_modules": sorted({name.rpartition(".")[2] for name in ADAPTED.values()}),
        }
        (folder / "adapter_config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")


def sizes(shape: Shape) -> dict[str, tuple[int, int]]:
    """(out, in) of each adapted map of a layer."""
    keys = shape.kv_heads * shape.head_width
    return {
        "q": (shape.width, shape.width),
        "k": (keys, shape.width),
        "v": (keys, shape.width),
        "o": (shape.width, shape.width),
        "gate": (shape.inner, shape.width),
        "up": (shape.inner, shape.width),
        "down": (shape.width, shape.inner),
    }

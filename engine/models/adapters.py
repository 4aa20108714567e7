"""Low-rank adapters in PEFT's file format: `adapter_config.json` and `adapter_model.safetensors`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from ..errors import ModelError

ADAPTED = {
    "q": "self_attn.q_proj", "k": "self_attn.k_proj", "v": "self_attn.v_proj", "o": "self_attn.o_proj",
    "gate": "mlp.gate_proj", "up": "mlp.up_proj", "down": "mlp.down_proj",
}  # fmt: skip
ADAPTER_FILE = "adapter_model.safetensors"
PREFIX = "base_model.model.model"
MASK_EMBEDDING = f"{PREFIX}.mask_embedding"  # ours: the input of open canvas positions


@dataclass(frozen=True, slots=True)
class Adapter:
    """Low-rank terms by (layer, map): `down` (rank, in), `up` (out, rank) with alpha / rank folded in."""

    rank: int
    down: Mapping[tuple[int, str], Tensor]
    up: Mapping[tuple[int, str], Tensor]
    mask: Tensor | None  # (width,)
    base_sha256: str


def load_adapter(folder: Path) -> Adapter:
    """Read an adapter folder. Raises `ModelError` naming what is wrong with it."""
    try:
        config = json.loads((folder / "adapter_config.json").read_text("utf-8"))
        tensors = load_file(folder / ADAPTER_FILE)
        rank, scale = int(config["r"]), float(config["lora_alpha"]) / int(config["r"])
        down, up = {}, {}
        for layer in range(sum(name.endswith(f"{ADAPTED['q']}.lora_A.weight") for name in tensors) or 1):
            for key, module in ADAPTED.items():
                stem = f"{PREFIX}.layers.{layer}.{module}"
                a, b = tensors[f"{stem}.lora_A.weight"], tensors[f"{stem}.lora_B.weight"]
                if not a.shape[0] == b.shape[1] == rank:
                    raise ValueError(f"{stem} is not of rank {rank}, which its config says")
                down[layer, key], up[layer, key] = a.float(), b.float() * scale
    except KeyError as error:
        raise ModelError(f"the adapter in {folder} cannot be read: it has no {error}") from error
    except (OSError, TypeError, ValueError, ZeroDivisionError, SafetensorError) as error:
        raise ModelError(f"the adapter in {folder} cannot be read: {error}") from error
    mask = tensors.get(MASK_EMBEDDING)
    return Adapter(rank, down, up, mask.float() if mask is not None else None, str(config.get("base_sha256", "")))

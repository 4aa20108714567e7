"""A random Qwen2 of a few thousand weights: as transformers' class, as our tensors, as a GGUF file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import gguf
import numpy as np
import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

from engine.kernels.int8 import quantize_rows
from engine.kernels.linear import PRECISIONS
from engine.models.adapted import Tensors
from engine.models.adapters import Adapter
from engine.models.gguf import Shape
from engine.models.qwen2 import Qwen2

SHAPE = Shape(
    layers=3,
    width=64,
    inner=96,
    heads=4,
    kv_heads=2,
    vocabulary=320,
    rope_base=1e4,
    rms_epsilon=2.0**-20,  # GGUF keeps it in fp32
    control=(300, 301),
)
MAPS = {
    "q": ("attn_q", "self_attn.q_proj"),
    "k": ("attn_k", "self_attn.k_proj"),
    "v": ("attn_v", "self_attn.v_proj"),
    "o": ("attn_output", "self_attn.o_proj"),
    "gate": ("ffn_gate", "mlp.gate_proj"),
    "up": ("ffn_up", "mlp.up_proj"),
    "down": ("ffn_down", "mlp.down_proj"),
}
NORMS = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm"}


def reference(shape: Shape = SHAPE, seed: int = 0) -> Qwen2ForCausalLM:
    """transformers' model with random weights large enough that every part shows in the logits."""
    torch.manual_seed(seed)
    config = Qwen2Config(
        vocab_size=shape.vocabulary,
        hidden_size=shape.width,
        intermediate_size=shape.inner,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        rope_parameters={"rope_type": "default", "rope_theta": shape.rope_base},
        rms_norm_eps=shape.rms_epsilon,
        tie_word_embeddings=False,
        attn_implementation="eager",
    )
    model = Qwen2ForCausalLM(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.normal_(1.0 if "norm" in name else 0.0, 0.3 if weight.dim() == 1 else weight.shape[-1] ** -0.5)
    return model


def gguf_tensors(model: Qwen2ForCausalLM) -> dict[str, torch.Tensor]:
    """Its tensors by GGUF name."""
    state = model.state_dict()
    named = {
        "token_embd.weight": state["model.embed_tokens.weight"],
        "output_norm.weight": state["model.norm.weight"],
        "output.weight": state["lm_head.weight"],
    }
    for layer in range(model.config.num_hidden_layers):
        for ours, theirs in (*MAPS.values(), *NORMS.items()):
            for kind in ("weight", "bias"):
                if (key := f"model.layers.{layer}.{theirs}.{kind}") in state:
                    named[f"blk.{layer}.{ours}.{kind}"] = state[key]
    return named


def body(
    model: Qwen2ForCausalLM,
    adapters: Sequence[Adapter] = (),
    precision: str = "float32",
    short: int = 0,
    shape: Shape = SHAPE,
) -> Qwen2:
    """The same weights in our own forward."""
    tensors = gguf_tensors(model)
    if precision == "int8":
        tensors = {
            part: value
            for name, tensor in tensors.items()
            for part, value in (
                zip((f"{name}.codes", f"{name}.scale"), quantize_rows(tensor), strict=True)
                if tensor.dim() == 2 and name != "token_embd.weight"
                else [(name, tensor)]
            )
        }
    chosen = PRECISIONS[precision]
    return Qwen2(shape, chosen, Tensors(tensors, chosen), adapters, short)


def adapter(seed: int, rank: int = 4, *, mask: bool = False, shape: Shape = SHAPE) -> Adapter:
    """Random low-rank terms for every map."""
    generator = torch.Generator().manual_seed(seed)
    sizes = {
        "q": (shape.width, shape.width),
        "k": (shape.kv_heads * shape.head_width, shape.width),
        "v": (shape.kv_heads * shape.head_width, shape.width),
        "o": (shape.width, shape.width),
        "gate": (shape.inner, shape.width),
        "up": (shape.inner, shape.width),
        "down": (shape.width, shape.inner),
    }
    down, up = {}, {}
    for layer in range(shape.layers):
        for name, (out, inner) in sizes.items():
            down[layer, name] = torch.randn(rank, inner, generator=generator) * inner**-0.5
            up[layer, name] = torch.randn(out, rank, generator=generator) * 0.3
    return Adapter(rank, down, up, torch.randn(shape.width, generator=generator) if mask else None, "")


def merged(model: Qwen2ForCausalLM, low_rank: Adapter) -> Qwen2ForCausalLM:
    """A copy of transformers' model with `W + B A` in place of each W."""
    copy = Qwen2ForCausalLM(model.config).eval()
    copy.load_state_dict(model.state_dict())
    with torch.no_grad():
        for (layer, name), up in low_rank.up.items():
            linear = copy.get_submodule(f"model.layers.{layer}.{MAPS[name][1]}")
            linear.weight += up @ low_rank.down[layer, name]
    return copy


def write_gguf(
    path: Path,
    tensors: Mapping[str, torch.Tensor],
    *,
    shape: Shape = SHAPE,
    tokens: Sequence[str] = (),
    merges: Sequence[str] = (),
    architecture: str = "qwen2",
    packed: Sequence[str] = (),
    leave_out: Sequence[str] = (),
) -> None:
    """Write a GGUF file; tensors named in `packed` as Q8_0, keys in `leave_out` not at all."""
    writer = gguf.GGUFWriter(path, architecture)
    fields = {
        "block_count": lambda: writer.add_block_count(shape.layers),
        "embedding_length": lambda: writer.add_embedding_length(shape.width),
        "feed_forward_length": lambda: writer.add_feed_forward_length(shape.inner),
        "head_count": lambda: writer.add_head_count(shape.heads),
        "head_count_kv": lambda: writer.add_head_count_kv(shape.kv_heads),
        "freq_base": lambda: writer.add_rope_freq_base(shape.rope_base),
        "layer_norm_rms_epsilon": lambda: writer.add_layer_norm_rms_eps(shape.rms_epsilon),
        "tokens": lambda: writer.add_token_list(list(tokens)),
        "token_type": lambda: writer.add_token_types([3 if n in shape.control else 1 for n in range(len(tokens))]),
        "merges": lambda: writer.add_token_merges(list(merges)),
    }
    for name, add in fields.items():
        if name not in leave_out:
            add()
    for name, tensor in tensors.items():
        data = tensor.detach().numpy()
        if name in packed:
            q8 = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quants.quantize(data, q8), raw_dtype=q8)
        else:
            writer.add_tensor(name, np.ascontiguousarray(data))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()

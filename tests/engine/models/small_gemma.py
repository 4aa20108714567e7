"""A DiffusionGemma checkpoint of a few hundred thousand random weights, as a folder that looks like a published one.

Sliding and full attention, mixture of experts, self-conditioning, byte-fallback tokenizer, chat template.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import DiffusionGemmaConfig, DiffusionGemmaForBlockDiffusion
from transformers.models.diffusion_gemma.generation_diffusion_gemma import (
    DiffusionGemmaGenerationConfig,
    EntropyBoundSamplerConfig,
)

CANVAS = 16
WINDOW = 8
SPREAD = 0.5  # of the weights: large enough that every part shows in the logits, and that some tokens are sure
CONTROL = ("<pad>", "<eos>", "<bos>", "<unk>", "<|turn>", "<turn|>")
PAD, EOS, BOS, UNK, TURN_START, TURN_END = range(len(CONTROL))
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|turn>{{ message['role'] }}\n{{ message['content'] | trim }}<turn|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|turn>model\n{% endif %}"
)
_ADDING = ("post_attention_layernorm.weight", "post_feedforward_layernorm.weight", "self_conditioning.down_proj.weight")
_WORDS = ("▁return", "def", "return", "▁▁▁▁", "▁x", "▁=", "print", "code", "text", "model", "user", "file", "é", "漢")


def small_tokenizer() -> Tokenizer:
    """All bytes by fallback, ASCII, and a few words with each of their beginnings, as Gemma's tokenizer is built."""
    letters = ["▁", "\n", *(chr(number) for number in range(0x21, 0x7F)), "é", "漢"]
    pieces = [*CONTROL, *(f"<0x{byte:02X}>" for byte in range(256)), *letters]
    merges = []
    for word in (*_WORDS, "\n\n", "```"):
        for size in range(2, len(word) + 1):
            if word[:size] not in pieces:
                pieces.append(word[:size])
                merges.append((word[: size - 1], word[size - 1]))
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    bpe = models.BPE(vocab=vocabulary, merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    tokenizer = Tokenizer(bpe)
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in CONTROL])
    tokenizer.add_tokens([AddedToken("\n\n", normalized=False)])
    return tokenizer


def small_config(vocabulary: int, canvas: int = CANVAS) -> DiffusionGemmaConfig:
    """Two sliding layers and a full one, four experts of which each token uses two."""
    return DiffusionGemmaConfig(
        text_config={
            "vocab_size": vocabulary,
            "hidden_size": 32,
            "intermediate_size": 48,
            "moe_intermediate_size": 16,
            "num_hidden_layers": 3,
            "num_attention_heads": 2,
            "num_key_value_heads": 1,
            "num_global_key_value_heads": 1,
            "head_dim": 8,
            "global_head_dim": 16,
            "num_experts": 4,
            "top_k_experts": 2,
            "sliding_window": WINDOW,
            "max_position_embeddings": 4096,
            "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
            "use_bidirectional_attention": "vision",
            "pad_token_id": PAD,
            "eos_token_id": EOS,
            "bos_token_id": BOS,
            "initializer_range": SPREAD,
        },
        vision_config={
            "model_type": "gemma4_vision",
            "hidden_size": 8,
            "intermediate_size": 8,
            "num_hidden_layers": 1,
            "num_attention_heads": 1,
            "num_key_value_heads": 1,
            "head_dim": 8,
        },
        initializer_range=SPREAD,
        canvas_length=canvas,
        boi_token_id=vocabulary - 3,
        eoi_token_id=vocabulary - 2,
        image_token_id=vocabulary - 1,
    )


def small_model(seed: int = 0, canvas: int = CANVAS, calm: float = 1.0) -> DiffusionGemmaForBlockDiffusion:
    """transformers' model with random weights; fp32. The lower `calm`, the less a layer adds: a canvas settles."""
    torch.manual_seed(seed)
    vocabulary = small_tokenizer().get_vocab_size() + 3  # the image tokens have no text
    model = DiffusionGemmaForBlockDiffusion(small_config(vocabulary, canvas)).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 1:  # norms and scales begin as ones, which hides a missing one
                weight.mul_(torch.rand_like(weight) * 0.4 + 0.8)
            if name.endswith(_ADDING):
                weight.mul_(calm)
    return model


def settings(steps: int = 12, confidence: float = 0.005, bound: float = 0.1) -> DiffusionGemmaGenerationConfig:
    """What a checkpoint's generation_config.json says. `confidence`: mean entropy under which a stable canvas stops."""
    return DiffusionGemmaGenerationConfig(
        max_denoising_steps=steps,
        sampler_config=EntropyBoundSamplerConfig(entropy_bound=bound),
        t_min=0.4,
        t_max=0.8,
        stability_threshold=1,
        confidence_threshold=confidence,
        eos_token_id=[EOS, TURN_END],
        pad_token_id=PAD,
        bos_token_id=BOS,
    )


def write_checkpoint(folder: Path, generation: DiffusionGemmaGenerationConfig | None = None, seed: int = 0) -> Path:
    """The folder, filled."""
    model = small_model(seed)
    model.generation_config = generation or settings()
    model.save_pretrained(folder)
    small_tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "chat_template.jinja").write_text(TEMPLATE, "utf-8")
    special = {"bos_token": "<bos>", "eos_token": "<eos>", "pad_token": "<pad>", "unk_token": "<unk>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(special), "utf-8")
    return folder

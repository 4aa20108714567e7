"""DiffusionGemma in our loop against transformers' generate(): `python -m benchmarks.diffusion_gemma`.

Random weights in bf16 of the published shape, equal steps, one canvas of 256; minutes on one GPU of 80 GB. Where there
is none, `--small` runs the same on the CPU with a toy shape, to see that it runs. Definitions: `README.md` beside this.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import torch
from torch import Generator
from transformers import DiffusionGemmaConfig, DiffusionGemmaForBlockDiffusion
from transformers.models.diffusion_gemma.generation_diffusion_gemma import (
    DiffusionGemmaGenerationConfig,
    EntropyBoundSamplerConfig,
)

from engine.cancel import NO_DEADLINE, CancelToken
from engine.canvas import Canvas, Gap
from engine.denoise import Denoising, Strategies, denoise
from engine.models.diffusion_gemma import DiffusionGemma
from engine.remask import Renoise
from engine.sampler import Gumbel, Sampler, TopP
from engine.schedule import Linear
from engine.stopping import Never
from engine.unmask import EntropyBound

from .machine import describe_machine, load_average
from .options import positive
from .peak import Cost, cost_of

# google/diffusiongemma-26B-A4B-it, its text model: 25.2 billion weights, a test counts them
PUBLISHED: dict[str, Any] = {
    "hidden_size": 2816,
    "intermediate_size": 2112,
    "moe_intermediate_size": 704,
    "num_hidden_layers": 30,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "num_global_key_value_heads": 2,
    "head_dim": 256,
    "global_head_dim": 512,
    "num_experts": 128,
    "top_k_experts": 8,
    "sliding_window": 1024,
}
SMALL: dict[str, Any] = {
    "vocab_size": 4099,
    "hidden_size": 32,
    "intermediate_size": 48,
    "moe_intermediate_size": 16,
    "num_hidden_layers": 3,
    "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "num_global_key_value_heads": 1,
    "head_dim": 8,
    "global_head_dim": 16,
    "num_experts": 4,
    "top_k_experts": 2,
    "sliding_window": 8,
}
_NEEDS = 60 << 30  # bytes of GPU memory for the weights and what a canvas takes


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print JSON; 1 where there is no GPU for it."""
    asked = _parser().parse_args(argv)
    free = torch.cuda.mem_get_info()[0] if torch.cuda.is_available() else 0
    if not asked.small and free < _NEEDS:
        print(f"diffusion_gemma: needs a GPU with {_NEEDS >> 30} GiB free; there are {free >> 30}", file=sys.stderr)
        return 1
    machine, device = describe_machine(), torch.device("cuda" if free else "cpu")
    body = random_body(SMALL if asked.small else PUBLISHED, 16 if asked.small else 256, device)
    figures = {name: figures_of(way, asked, body) for name, way in ways(body, asked.prompt).items()}
    run: dict[str, object] = {
        "shape": "small" if asked.small else "published",
        "weights": sum(p.numel() for p in body.parameters()),
    }
    run |= {"steps": asked.steps, "prompt_tokens": asked.prompt, "canvas": body.config.canvas_length}
    run |= {"gpu": torch.cuda.get_device_name() if free else None, "torch": torch.__version__}
    text = json.dumps({**run, **figures, "machine": machine, "load_average_after": load_average()}, indent=2)
    print(text)
    if asked.out:
        asked.out.write_text(text + "\n", encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.diffusion_gemma", description=__doc__)
    parser.add_argument("--steps", type=positive, default=16, help="denoising steps (default: 16)")
    parser.add_argument("--prompt", type=positive, default=1024, help="tokens of the prompt (default: 1024)")
    parser.add_argument("--repeats", type=positive, default=3, help="runs that are timed (default: 3)")
    parser.add_argument("--small", action="store_true", help="a toy shape, for a machine without a GPU")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="also write the JSON here")
    return parser


def random_body(shape: dict[str, Any], canvas: int, device: torch.device) -> DiffusionGemmaForBlockDiffusion:
    """bf16; made where it will stay. The vision tower is a stub, as no image is shown."""
    torch.manual_seed(0)
    vision = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    vision |= {"num_key_value_heads": 1, "head_dim": 8}
    config = DiffusionGemmaConfig(
        text_config={**shape, "use_bidirectional_attention": "vision"},
        vision_config={"model_type": "gemma4_vision", **vision},
        canvas_length=canvas,
    )
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with device:
            body = DiffusionGemmaForBlockDiffusion(config)
    finally:
        torch.set_default_dtype(usual)
    body.requires_grad_(False).train(False)
    return body


Way = Callable[[int], object]
"""A prompt and one canvas, denoised in so many steps."""


def ways(body: DiffusionGemmaForBlockDiffusion, prompt_tokens: int) -> dict[str, Way]:
    """Our loop with either draw, and transformers'."""
    vocabulary = body.config.get_text_config().vocab_size
    drawn = torch.randint(6, vocabulary, (prompt_tokens,), generator=Generator().manual_seed(0))
    prompt: list[int] = drawn.tolist()
    model = DiffusionGemma(body, cast("Any", None), frozenset())  # the loop sees no text

    def ours(sampler: Sampler) -> Way:
        def run(steps: int) -> Denoising:
            generator = Generator(body.device).manual_seed(0)
            model.encode([], CancelToken())  # nothing is kept from the run before
            model.encode(prompt, CancelToken())
            use = Strategies(Linear(steps), sampler, EntropyBound(0.1), Renoise(), Never())
            one = Denoising(Canvas.of([Gap(body.config.canvas_length or 256)], model.noise, generator), use, generator)
            denoise(model, [one], CancelToken(), NO_DEADLINE, lambda: None)
            assert one.steps == steps
            return one

        return run

    def theirs(steps: int) -> object:
        torch.manual_seed(0)
        settings = DiffusionGemmaGenerationConfig(  # type: ignore[no-untyped-call]
            max_denoising_steps=steps,
            max_new_tokens=body.config.canvas_length,
            sampler_config=EntropyBoundSamplerConfig(entropy_bound=0.1),
            t_min=0.4,
            t_max=0.8,
            stability_threshold=steps,  # longer than there are steps: it never stops early
            confidence_threshold=1e-9,
        )
        ids: Any = torch.tensor([prompt], device=body.device)
        return body.generate(ids, generation_config=settings)

    return {"kernel": ours(Gumbel()), "multinomial": ours(TopP()), "transformers": theirs}


def figures_of(way: Way, asked: argparse.Namespace, body: DiffusionGemmaForBlockDiffusion) -> dict[str, float]:
    """`ms_per_forward` is of what `steps` - 1 more steps cost: the prompt is in both runs, and falls out."""
    one, all_ = (cost_of(lambda n=n: way(n), body.device, asked.repeats) for n in (1, asked.steps))  # type: ignore[misc]
    return summary(one, all_, asked.steps, body.config.canvas_length or 256)


def summary(one: Cost, all_: Cost, steps: int, canvas: int) -> dict[str, float]:
    """From the cost of one step and of `steps`, each with the prompt."""
    forward = (all_.ms - one.ms) / max(steps - 1, 1)
    return {
        "ms": all_.ms,
        "ms_per_forward": forward,
        "tokens_per_second": canvas / all_.ms * 1000,
        "extra_bytes": all_.extra_bytes,
    }


if __name__ == "__main__":
    sys.exit(main())

"""What a step's logits cost to read: `python -m benchmarks.kernels [--out FILE.json]`.

The fused kernel, its twin, and what transformers' generate() does with DiffusionGemma's logits, over the same logits.
The kernel needs a GPU; on a CPU the other two are measured. Definitions: `README.md` beside this file.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers.models.diffusion_gemma.generation_diffusion_gemma import (
    EntropyBoundSampler,
    EntropyBoundSamplerConfig,
    LinearTemperatureScheduleLogitsProcessor,
    StableAndConfidentStoppingCriteria,
)

from engine.kernels.philox import Draw
from engine.kernels.sampling import plain

from .machine import describe_machine, load_average
from .options import positive
from .peak import cost_of

SOFTCAP = 30.0  # DiffusionGemma's
STEPS, STEP = 48, 24
T_MIN, T_MAX = 0.4, 0.8
TEMPERATURE = T_MIN + (T_MAX - T_MIN) * STEP / STEPS
SPREAD = 8.0  # of the logits: some rows are sure, some are not
NEEDS_A_GPU = "the kernel needs a GPU, and there is none here; tests/engine/kernels holds it equal to the twin"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print JSON."""
    asked = _parser().parse_args(argv)
    machine = describe_machine()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    figures = [measure(rows, asked.vocabulary, device, asked.repeats) for rows in asked.rows]
    gpu = torch.cuda.get_device_name(device) if device.type == "cuda" else None
    run = {"device": device.type, "gpu": gpu, "torch": torch.__version__, "threads": torch.get_num_threads()}
    ended = {"machine": machine, "load_average_after": load_average()}
    text = json.dumps({**run, "type": "bfloat16", "figures": figures, **ended}, indent=2)
    print(text)
    if asked.out:
        asked.out.write_text(text + "\n", encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels", description=__doc__)
    parser.add_argument("--rows", type=positive, nargs="+", default=[16, 256], help="canvas lengths (default: 16 256)")
    parser.add_argument("--vocabulary", type=positive, default=262_144, help="(default: 262144)")
    parser.add_argument("--repeats", type=positive, default=5, help="calls that are timed (default: 5)")
    parser.add_argument("--out", type=Path, metavar="FILE.json", help="also write the JSON here")
    return parser


def measure(rows: int, vocabulary: int, device: torch.device, repeats: int) -> dict[str, object]:
    """Each way of reading bf16 logits (rows, vocabulary)."""
    generator = torch.Generator(device).manual_seed(0)
    logits = torch.empty(rows, vocabulary, dtype=torch.bfloat16, device=device).normal_(0, SPREAD, generator=generator)
    ways = {**_kernel(logits), "twin": lambda: plain(logits, TEMPERATURE, SOFTCAP, Draw(0))}
    ways["transformers"] = transformers_step(logits)
    figures: dict[str, object] = {"kernel": NEEDS_A_GPU}
    figures |= {name: asdict(cost_of(way, device, repeats)) for name, way in ways.items()}
    return {"rows": rows, "vocabulary": vocabulary, "logits_bytes": logits.nbytes, **figures}


def _kernel(logits: Tensor) -> dict[str, Callable[[], object]]:
    """Nothing where it does not run."""
    if not logits.is_cuda:
        return {}
    from engine.kernels.sampling_triton import fused

    return {"kernel": lambda: fused(logits, TEMPERATURE, SOFTCAP, Draw(0))}


def transformers_step(logits: Tensor) -> Callable[[], tuple[Any, Any, Any]]:
    """From the head's logits to the next canvas, as DiffusionGemmaForBlockDiffusion and its generate() do it.

    The call returns what was accepted, the arg-max canvas and whether to stop.
    """
    rows, vocabulary = logits.shape
    schedule = LinearTemperatureScheduleLogitsProcessor(T_MIN, T_MAX, STEPS)
    sampler = EntropyBoundSampler(EntropyBoundSamplerConfig(entropy_bound=0.1), rows, vocabulary, STEPS)
    stopping = StableAndConfidentStoppingCriteria(stability_threshold=1, confidence_threshold=0.005)
    canvas: Any = sampler.initialize_canvas(1, logits.device)

    def step() -> tuple[Any, Any, Any]:
        raw = logits[None].to(torch.float32)  # (1, rows, vocabulary), as the model's forward returns them
        raw = torch.tanh(raw / SOFTCAP) * SOFTCAP
        processed = schedule(canvas, raw, STEP)
        probabilities = torch.softmax(processed, dim=-1, dtype=torch.float32)
        drawn: Any = torch.multinomial(probabilities.view(-1, vocabulary), num_samples=1).view(1, rows)
        best: Any = torch.argmax(processed, dim=-1)
        accepted = sampler.renoise_canvas(sampler.accept_canvas(canvas, drawn, processed, STEP), STEP)
        return accepted, best, stopping(best, processed)

    return step


if __name__ == "__main__":
    sys.exit(main())

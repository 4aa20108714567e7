"""From a folder or a repository of the Hub to an engine: checked, its form chosen, loaded by transformers.

Nothing is fetched that would not fit, and nothing but data is read: no code of a checkpoint is ever run.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import SafetensorError
from transformers import BitsAndBytesConfig, DiffusionGemmaConfig, DiffusionGemmaForBlockDiffusion, FineGrainedFP8Config

from ..canvas_engine import CanvasEngine
from ..config import EngineConfig
from ..denoise import Strategies
from ..errors import ModelError
from ..hub.repository import Repository
from ..remask import Renoise
from ..request import Progress, ProgressSink
from ..sampler import Gumbel, TopP
from ..schedule import Linear
from ..stopping import StableAndConfident
from ..strategies import chosen
from ..threads import free_threads
from ..unmask import EntropyBound
from ..work import CanvasSetup
from .checkpoint import (
    TOKENIZER,
    WANTED,
    Checkpoint,
    check_names,
    family_of,
    find_checkpoint,
    quantized_as,
    read_checkpoint,
)
from .diffusion_gemma import DiffusionGemma
from .fit import PACKED, Choice, Place, Weights, choose, choose_packed
from .gemma_frames import GemmaFrames
from .gemma_tokenizer import GemmaTokenizer

_ANSWER = 2048  # tokens that may follow a prompt in the KV
_LOGIT_BYTES = 2 * 8 + 4 * 5  # eight canvases' first steps in 16 bits, five temporaries of one canvas in fp32
_MEMINFO = Path("/proc/meminfo")


def find(config: EngineConfig, progress: ProgressSink, hub: Repository | None = None) -> Checkpoint:
    """The checkpoint that `config.model` names as a folder or as owner/name; `hub` is the seam tests use.

    Raises `ModelError`, `ArtifactError`, `UnknownModelError`.
    """
    repository = hub or Repository(config.model, WANTED)
    if here := find_checkpoint(config.model, repository.cache):
        return here
    files = repository.files()
    check_names(list(files), config.model)
    published = json.loads(repository.read("config.json"))
    family_of(published, config.model)
    size = sum(size for name, size in files.items() if name.endswith(".safetensors"))
    _choice(config, published, size, place_here())
    return read_checkpoint(repository.fetch(files, progress))


def open_published(
    config: EngineConfig, checkpoint: Checkpoint, progress: ProgressSink, started: float
) -> CanvasEngine:
    """Load it; `started` on the monotonic clock. Raises `ModelError`, `ConfigError`."""
    own = chosen(config)  # all that can be refused is, before minutes of loading
    place = place_here()
    if config.compiled and place.device != "cuda":
        raise ModelError(f"compiled is for a GPU, and {config.model} would run on {place.name}: leave it out")
    choice = _choice(config, checkpoint.config, checkpoint.size, place)
    progress(Progress("load", text=choice.said))
    text: Any = _shape(checkpoint.config, config.model).get_text_config()
    tokenizer = GemmaTokenizer.read(checkpoint.folder / TOKENIZER, text.vocab_size)
    frames = GemmaFrames.read(checkpoint, tokenizer)
    body = _body(checkpoint, choice.form, place)
    threads = config.threads or free_threads()
    ends = frozenset({*_ends(body), frames.end})
    model = DiffusionGemma(body, tokenizer, ends, threads, "inductor" if config.compiled else "")
    textless = torch.tensor([not data for data in tokenizer.token_bytes], device=model.device)
    setup = CanvasSetup(
        model, frames, replace(_strategies(body), **own), int(body.config.canvas_length or 256), textless
    )
    info = {
        "model": config.model,
        "family": checkpoint.family,
        "revision": _revision(checkpoint.folder),
        "device": place.name,
        "precision": choice.form,
        "threads": str(threads),
        "memory": choice.said,
        "canvas": f"{setup.longest} positions, at most {setup.strategies.schedule.steps} steps",
        "file": str(checkpoint.folder),
    }
    return CanvasEngine(setup, config, info, load_ms=(time.monotonic() - started) * 1000)


def place_here() -> Place:
    """The first GPU, or the CPU."""
    packages = frozenset(name for packages, _ in PACKED.values() for name in packages if find_spec(name))
    if torch.cuda.is_available():
        free, _ = torch.cuda.mem_get_info()
        return Place("cuda", torch.cuda.get_device_name(), free, packages, torch.cuda.get_device_capability())
    return Place("cpu", "the CPU", free_memory(), packages)


def free_memory(meminfo: Path = _MEMINFO) -> int | None:
    """Bytes; None where the system does not tell."""
    try:
        return int(re.findall(r"^MemAvailable:\s+(\d+) kB$", meminfo.read_text(), re.MULTILINE)[0]) * 1024
    except (OSError, IndexError):
        return None


def _choice(config: EngineConfig, published: Mapping[str, Any], size: int, place: Place) -> Choice:
    """The form to load in; `size` in bytes of the files, which is what packed weights take."""
    shape = _shape(published, config.model)
    working = _working(shape, config.prompt_tokens)
    if method := quantized_as(published):
        return choose_packed(method, size, working, place)
    return choose(count(shape), working, place, config.precision, str(published.get("dtype") or "bfloat16"))


def _shape(published: Mapping[str, Any], where: str) -> DiffusionGemmaConfig:
    try:
        return DiffusionGemmaConfig.from_dict(dict(published))
    except Exception as error:  # the library's checks raise those of several others
        raise ModelError(f"the config of {where} is not one of a diffusion_gemma: {error}") from error


def count(shape: DiffusionGemmaConfig) -> Weights:
    """How many weights of each kind; none is made."""
    with torch.device("meta"):
        body = DiffusionGemmaForBlockDiffusion(shape)
    sizes = {"experts": 0, "linear": 0, "rest": 0}
    for name, weight in body.named_parameters():  # those that are tied once
        linear = weight.dim() == 2 and "embed" not in name
        sizes["experts" if ".experts." in name else "linear" if linear else "rest"] += weight.numel()
    return Weights(**sizes)


def _working(shape: DiffusionGemmaConfig, prompt_tokens: int) -> int:
    """Bytes for the KV of a prompt and its answer, and for what is read of a canvas' logits."""
    text: Any = shape.get_text_config()
    layers = [text.per_layer_config[number] for number in range(text.num_hidden_layers)]
    token = sum(2 * 2 * layer.num_key_value_heads * layer.head_dim for layer in layers)  # keys and values, 16 bits
    return int(token * (prompt_tokens + _ANSWER) + (shape.canvas_length or 256) * text.vocab_size * _LOGIT_BYTES)


def _body(checkpoint: Checkpoint, form: str, place: Place) -> DiffusionGemmaForBlockDiffusion:
    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    options: dict[str, Any] = {"device_map": {"": 0}} if place.device == "cuda" else {}
    if form == "fp8" and not checkpoint.quantized:
        options["quantization_config"] = FineGrainedFP8Config()
    elif form == "int8":
        options["quantization_config"] = BitsAndBytesConfig(load_in_8bit=True)  # type: ignore[no-untyped-call]
    elif form == "int4":
        options["quantization_config"] = BitsAndBytesConfig(  # type: ignore[no-untyped-call]
            load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16, bnb_4bit_quant_type="nf4"
        )
    try:
        loaded: Any = DiffusionGemmaForBlockDiffusion.from_pretrained(
            checkpoint.folder,
            dtype=torch.float32 if form == "float32" else torch.bfloat16,
            use_safetensors=True,
            local_files_only=True,
            output_loading_info=True,
            **options,
        )
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, ImportError, SafetensorError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ModelError(f"{checkpoint.folder} cannot be loaded: {reason}") from error
    body: DiffusionGemmaForBlockDiffusion = loaded[0].eval()
    if missing := sorted(loaded[1]["missing_keys"]):
        raise ModelError(f"{checkpoint.folder} lacks weights, {missing[0]} among them; fetch it again")
    vars(body.model.encoder)["_modules"].update(vision_tower=None, embed_vision=None)  # code is text
    return body


def _ends(body: DiffusionGemmaForBlockDiffusion) -> list[int]:
    told: Any = body.generation_config.eos_token_id
    return [told] if isinstance(told, int) else list(told or ())


def _strategies(body: DiffusionGemmaForBlockDiffusion) -> Strategies:
    """As the checkpoint's generation_config.json says, or its family's defaults.

    On a CPU the draw is transformers' own, token for token; on a GPU the fused kernel's, of the same distribution.
    """
    told: Any = body.generation_config
    usual, bound, still = Linear(), EntropyBound(), StableAndConfident()
    return Strategies(
        Linear(told.max_denoising_steps or usual.steps, told.t_max or usual.high, told.t_min or usual.low),
        Gumbel() if body.device.type == "cuda" else TopP(),
        EntropyBound(told.sampler_config.entropy_bound if told.sampler_config else bound.bound),
        Renoise(),
        StableAndConfident(
            still.stability if told.stability_threshold is None else told.stability_threshold,
            told.confidence_threshold or still.entropy,
        ),
    )


def _revision(folder: Path) -> str:
    """The commit that a folder of the Hub's cache is of."""
    return folder.name if folder.parent.name == "snapshots" else "not told"

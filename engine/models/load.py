"""From a model's name or path to a loaded engine: fetch, verify, convert once, pack."""

from __future__ import annotations

import ctypes
import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

# OpenMP threads that spin for long starve whatever else runs here, and each other; those that sleep at once wake late.
# So they spin for some tens of microseconds, and `threads` sees to it that they never wait for a core.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("GOMP_SPINCOUNT", "20000")

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from .. import hub
from ..adapt.runs import open_runs
from ..api import Engine
from ..config import EngineConfig
from ..engine import LocalEngine
from ..errors import ModelError, UnknownModelError
from ..kernels.linear import PRECISIONS, Precision
from ..request import Progress, ProgressSink
from ..strategies import none_chosen
from ..threads import free_threads
from ..tokenizer import Tokenizer
from .adapted import Tensors
from .adapters import ADAPTER_FILE, load_adapter
from .checkpoint import names_checkpoint
from .embedded import QWEN_PROMPTS, SHORT_VOCABULARY, EmbeddedModel
from .gguf import INT8_RECIPE, GgufFile, Shape, convert_to_int8, load_shape
from .qwen2 import Qwen2

WEIGHTS = Path(__file__).parent.parent / "weights"
ADAPTERS = {"embedded": ("infiller", "denoiser"), "causal": ("infiller",), "base": ()}


@dataclass(frozen=True, slots=True)
class Loaded:
    """Weights and what reads text for them; several models may share one."""

    body: Qwen2
    tokenizer: Tokenizer
    info: Mapping[str, str]


def load_engine(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
    """See `engine.open_engine`."""
    started = time.monotonic()
    tell = progress or (lambda _: None)
    own = (*ADAPTERS, *open_runs().names)  # a folder of such a name, where the editor happens to be, is not meant
    if config.model not in own and names_checkpoint(config.model):
        from .published import find, open_published  # transformers: seconds that the embedded model does not pay

        return open_published(config, find(config, tell), tell, started)
    none_chosen(config)
    loaded = load(config, tell)
    model = EmbeddedModel(loaded.body, loaded.tokenizer, config.canvas, config.threads or free_threads())
    return LocalEngine(model, config, loaded.info, load_ms=(time.monotonic() - started) * 1000)


def load(config: EngineConfig, progress: ProgressSink) -> Loaded:
    """Everything but the engine. Raises `UnknownModelError`, `ModelError`, `ArtifactError`."""
    torch.set_num_threads(config.threads or free_threads())
    source, digest, adapters = _find(config.model, progress)
    if config.compiled:
        raise ModelError(f"compiled is for a checkpoint on a GPU, and {config.model} runs on the CPU: leave it out")
    if config.precision not in ("auto", *PRECISIONS):
        raise ModelError(f"precision {config.precision} is not offered for {config.model}: use {', '.join(PRECISIONS)}")
    precision = PRECISIONS["int8" if config.precision == "auto" else config.precision]
    progress(Progress("load"))
    tensors, tokenizer_file, shape = _tensors(source, digest, precision, progress)
    if missing := QWEN_PROMPTS.tokens - set(shape.control):
        raise ModelError(f"{source} has no control tokens {sorted(missing)}; use a model of the Qwen2.5-Coder family")
    low_rank = [load_adapter(folder) for folder in adapters]
    short = SHORT_VOCABULARY if len(low_rank) > 1 else 0
    with ThreadPoolExecutor(1) as beside:
        reading = beside.submit(_tokenizer, tokenizer_file, frozenset(shape.control))
        body = Qwen2(shape, precision, Tensors(tensors, precision), low_rank, short)
        tokenizer = reading.result()
    del tensors, low_rank
    return_free_memory()
    info = {
        "model": config.model,
        "family": "embedded",
        "digest": digest,
        "device": f"cpu ({torch.backends.cpu.get_cpu_capability()})",
        "precision": precision.name,
        "threads": str(torch.get_num_threads()),
        "adapters": ", ".join(f"{folder.name} {_adapter_digest(folder)}" for folder in adapters) or "none",
        "file": str(source),
    }
    return Loaded(body, tokenizer, info)


def _tokenizer(path: Path, control: frozenset[int]) -> Tokenizer:
    tokenizer = Tokenizer.load(path, control)
    tokenizer.continuing(b" ")  # builds its tables now, not in the first request
    return tokenizer


def _adapter_digest(folder: Path) -> str:
    """The first digits, to tell one version from another."""
    return hashlib.sha256((folder / ADAPTER_FILE).read_bytes()).hexdigest()[:12]


def return_free_memory() -> None:
    """Give what packing left behind back to the system: glibc keeps some 300 MB. Elsewhere nothing happens."""
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _find(model: str, progress: ProgressSink) -> tuple[Path, str, Sequence[Path]]:
    """A model's file, its digest and the folders of its adapters."""
    store = hub.open_hub()
    if model in ADAPTERS:
        path = store.fetch(model, progress)
        return path, store.artifact(model).sha256, shipped(model)
    runs = open_runs()
    if model in runs.names:
        adapter = runs.adapter(model)  # before anything is fetched
        return store.fetch("embedded", progress), store.artifact("embedded").sha256, (adapter, WEIGHTS / "denoiser")
    path = Path(model).expanduser()
    if path.is_file():
        digest = store.digest_of(path, progress)
        known = digest == store.artifact("embedded").sha256
        return path, digest, shipped("embedded") if known else ()
    names = ", ".join((*ADAPTERS, *runs.names))
    raise UnknownModelError(
        f"no model named {model!r}: use {names}, the path of a GGUF file, the folder of a checkpoint, or owner/name on"
        " the Hugging Face Hub"
    )


def shipped(model: str) -> list[Path]:
    """The adapters of a built-in model."""
    return [WEIGHTS / name for name in ADAPTERS[model]]


def _tensors(
    source: Path, digest: str, precision: Precision, progress: ProgressSink
) -> tuple[dict[str, Tensor], Path, Shape]:
    folder = hub.open_hub().derived(digest, INT8_RECIPE, lambda into: convert_to_int8(source, into, progress))
    try:
        shape = load_shape(folder / "shape.json")
        if precision.name == "int8":
            parts = (load_file(folder / name) for name in ("model.safetensors", "embedding.safetensors"))
            return {name: tensor for part in parts for name, tensor in part.items()}, folder / "tokenizer.json", shape
    except (OSError, ValueError, TypeError, KeyError, SafetensorError) as error:
        raise ModelError(
            f"what was prepared from the model in {folder} cannot be read ({error}); remove that folder, and it is"
            " prepared again"
        ) from error
    return dict(GgufFile(source).tensors()), folder / "tokenizer.json", shape

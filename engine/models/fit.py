"""In which form a checkpoint's weights are loaded: a pure choice from sizes, free memory and installed packages.

Forms are those that transformers offers for a model with experts. bitsandbytes packs linear maps only, so of a mixture
of experts it packs little; NVFP4 weights it can make but not read. None of the packed forms was run here: no GPU.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ModelError

_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class Weights:
    """Numbers of weights: of the experts, of other linear maps, and of what no form packs (embeddings, norms)."""

    experts: int
    linear: int
    rest: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.experts + self.linear + self.rest


@dataclass(frozen=True, slots=True)
class Place:
    """Where weights are to go. `free` in bytes, None where the system does not tell; `capability` of CUDA."""

    device: str
    name: str
    free: int | None
    packages: frozenset[str] = frozenset()
    capability: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Form:
    """Bytes a weight of the experts and of linear maps takes; the rest takes `rest`. What it asks of a GPU."""

    name: str
    experts: float
    linear: float
    rest: float = 2
    packages: tuple[str, ...] = ()
    capability: tuple[int, int] = (0, 0)

    def size(self, weights: Weights) -> int:
        """Bytes."""
        return round(weights.experts * self.experts + weights.linear * self.linear + weights.rest * self.rest)


CPU_FORMS = (Form("float32", 4, 4, 4), Form("bfloat16", 2, 2))
# Best first. Scales are a few per cent of what is packed in blocks of 64 (bitsandbytes) or of 128 x 128 (FP8).
GPU_FORMS = (
    Form("bfloat16", 2, 2, packages=("accelerate",)),
    Form("fp8", 1.001, 1.001, packages=("accelerate", "kernels"), capability=(8, 9)),
    Form("int8", 2, 1.01, packages=("accelerate", "bitsandbytes")),
    Form("int4", 2, 0.57, packages=("accelerate", "bitsandbytes")),
)
# What weights that are packed already ask for; below 8.9 transformers would unpack FP8 into twice the memory.
PACKED = {
    "fp8": (("accelerate", "kernels"), (8, 9)),
    "compressed-tensors": (("accelerate", "compressed_tensors"), (0, 0)),
    "torchao": (("accelerate", "torchao"), (0, 0)),
    "bitsandbytes": (("accelerate", "bitsandbytes"), (0, 0)),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """A form by name, and why, for people."""

    form: str
    said: str


def choose(weights: Weights, working: int, place: Place, wanted: str = "auto", plain: str = "bfloat16") -> Choice:
    """The first form that fits, or the wanted one if it does; `plain` is the form on disk, which a CPU keeps.

    `working`: bytes for the KV and the canvas. Raises `ModelError` with the numbers.
    """
    forms = GPU_FORMS if place.device == "cuda" else CPU_FORMS
    if wanted == "auto" and place.device != "cuda":
        wanted = plain if plain in [form.name for form in forms] else "bfloat16"
    offered = [form for form in forms if wanted in ("auto", form.name)]
    if not offered:
        raise ModelError(f"precision {wanted} is not offered on {place.name}: use {_names(forms)}")
    refused = []
    for form in offered:
        size = form.size(weights)
        if reason := _lacks(form.packages, form.capability, place) or _too_large(size + working, place):
            refused.append(f"{form.name} {reason}")
        else:
            return Choice(form.name, _said(form.name, size, working, place))
    raise ModelError(
        f"no form of the model's {weights.total / 1e9:.1f} billion weights can be loaded on {place.name}:"
        f" {'; '.join(refused)}"
    )


def choose_packed(method: str, size: int, working: int, place: Place) -> Choice:
    """A checkpoint whose weights are packed already, `size` bytes. Raises `ModelError` with the numbers."""
    if method not in PACKED:
        raise ModelError(f"weights packed as {method} cannot be read; known: {', '.join(PACKED)}")
    if place.device != "cuda":
        raise ModelError(f"weights packed as {method} need a GPU, and none is seen here")
    packages, capability = PACKED[method]
    if reason := _lacks(packages, capability, place) or _too_large(size + working, place):
        raise ModelError(f"the model's weights cannot be loaded on {place.name}: {method} {reason}")
    return Choice(method, _said(f"{method}, as they are", size, working, place))


def _lacks(packages: tuple[str, ...], capability: tuple[int, int], place: Place) -> str:
    if place.capability < capability:
        return f"needs compute capability {capability[0]}.{capability[1]}"
    missing = [name.replace("_", "-") for name in packages if name not in place.packages]
    return f"needs {' and '.join(missing)} (pip install {' '.join(missing)})" if missing else ""


def _too_large(needed: int, place: Place) -> str:
    if place.free is None or needed <= place.free:
        return ""
    return f"needs {needed / _GIB:.1f} GiB where {place.free / _GIB:.1f} GiB are free"


def _said(form: str, size: int, working: int, place: Place) -> str:
    free = "unknown" if place.free is None else f"{place.free / _GIB:.1f} GiB"
    return (
        f"loading in {form}: {size / _GIB:.1f} GiB of weights and {working / _GIB:.1f} GiB to work in;"
        f" free on {place.name}: {free}"
    )


def _names(forms: tuple[Form, ...]) -> str:
    return ", ".join(form.name for form in forms)

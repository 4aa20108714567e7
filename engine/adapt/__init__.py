"""Training of the embedded family's adapters: data, objective, trainer, export. Nothing of it runs while serving.

What stands here imports no torch: runs by name, which train in processes of their own (`__main__.py`).
"""

from .corpus import build_corpus, load_documents
from .manifest import load_manifest
from .progress import CurvePoint, TrainingProgress, load_curve
from .recipe import Recipe
from .runs import Runs, RunState, RunStatus, open_runs

__all__ = [
    "CurvePoint",
    "Recipe",
    "RunState",
    "RunStatus",
    "Runs",
    "TrainingProgress",
    "build_corpus",
    "load_curve",
    "load_documents",
    "load_manifest",
    "open_runs",
]

"""Training of the embedded family's adapters: data, objective, trainer, export. Nothing of it runs while serving.

What stands here imports no torch: runs by name, which train in processes of their own (`__main__.py`).
"""

from .corpus import build_corpus, load_documents
from .progress import TrainingProgress
from .recipe import Recipe
from .runs import Runs, RunState, RunStatus, open_runs

__all__ = ["Recipe", "RunState", "RunStatus", "Runs", "TrainingProgress", "build_corpus", "load_documents", "open_runs"]

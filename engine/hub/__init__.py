"""Artifacts by digest: where they lie, how they get there, and what is made of them once.

It knows files, sizes and digests. It never knows what a model is, and never imports torch.
"""

from __future__ import annotations

from .artifact import Artifact, Place
from .catalogue import ARTIFACTS
from .store import Hub, State, Status, open_hub

__all__ = ["ARTIFACTS", "Artifact", "Hub", "Place", "State", "Status", "open_hub"]

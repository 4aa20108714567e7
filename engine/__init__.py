"""Sfumato's engine: text with holes in, fillings out. Importing it does not import torch."""

from . import hub
from .api import Engine, open_engine
from .cancel import CancelToken, Deadline
from .config import DEFAULT_MODEL, EngineConfig
from .errors import (
    ArtifactError,
    Cancelled,
    ConfigError,
    DigestError,
    ModelError,
    OfflineError,
    RequestError,
    SfumatoError,
    StorageError,
    UnknownModelError,
)
from .request import (
    Candidate,
    Hole,
    InfillRequest,
    InfillResult,
    Mode,
    Progress,
    ProgressSink,
    RewriteRequest,
    RewriteResult,
    Snippet,
    StopReason,
    SyntaxCheck,
    Timings,
    Usage,
)

__all__ = [
    "DEFAULT_MODEL",
    "ArtifactError",
    "CancelToken",
    "Cancelled",
    "Candidate",
    "ConfigError",
    "Deadline",
    "DigestError",
    "Engine",
    "EngineConfig",
    "Hole",
    "InfillRequest",
    "InfillResult",
    "Mode",
    "ModelError",
    "OfflineError",
    "Progress",
    "ProgressSink",
    "RequestError",
    "RewriteRequest",
    "RewriteResult",
    "SfumatoError",
    "Snippet",
    "StopReason",
    "StorageError",
    "SyntaxCheck",
    "Timings",
    "UnknownModelError",
    "Usage",
    "hub",
    "open_engine",
]

"""Every error the engine raises on purpose. The message is one line that says what was wrong and what to do.

SfumatoError
├── Cancelled                 the caller changed its mind
├── RequestError              a request that makes no sense (holes overlap, range outside the text)
├── ConfigError               a bad engine setting
├── AdaptError                a training run that cannot be made, found or gone on with
├── ModelError                a model that cannot be used
│   └── UnknownModelError     no artifact, folder or file of that name
└── ArtifactError             something about files fetched by digest
    ├── OfflineError          no place could be reached
    ├── DigestError           bytes that are not what they should be
    └── StorageError          no room, no permission
"""

from __future__ import annotations


class SfumatoError(Exception):
    """Base of all errors raised on purpose."""


class Cancelled(SfumatoError):  # noqa: N818 - an answer, not a fault
    """The request was cancelled."""


class RequestError(SfumatoError):
    """A request that makes no sense."""


class ConfigError(SfumatoError):
    """A bad engine setting."""


class AdaptError(SfumatoError):
    """A training run that cannot be made, found or gone on with."""


class ModelError(SfumatoError):
    """A model that cannot be used."""


class UnknownModelError(ModelError):
    """No artifact, folder or file of that name."""


class ArtifactError(SfumatoError):
    """Something about files fetched by digest."""


class OfflineError(ArtifactError):
    """No place that serves an artifact could be reached."""


class DigestError(ArtifactError):
    """Bytes that are not what their digest says."""


class StorageError(ArtifactError):
    """No room, or no permission, where an artifact must go."""

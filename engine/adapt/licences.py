"""Which licences the training data may have, read from what a package says of itself."""

from __future__ import annotations

import json
import re
from email.parser import HeaderParser

# As packages write them, in lower case -> SPDX. "BSD" alone is what classifiers say: all of its forms are permissive.
_NAMES = {
    "mit": "MIT",
    "mit license": "MIT",
    "the mit license": "MIT",
    "expat": "MIT",
    "bsd": "BSD",
    "bsd license": "BSD",
    "new bsd": "BSD-3-Clause",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "apache-2.0": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache-2": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "isc": "ISC",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "psf-2.0": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
}
_CLASSIFIER = "License :: OSI Approved :: "


def of_wheel(metadata: str) -> str | None:
    """The permissive licence a wheel's METADATA states, as SPDX; None if it states another one, or none."""
    fields = HeaderParser().parsestr(metadata)
    if expression := fields["License-Expression"]:
        return permissive(expression)
    classifiers = [line.removeprefix(_CLASSIFIER) for line in fields.get_all("Classifier", []) if _CLASSIFIER in line]
    return permissive(" AND ".join(classifiers) or fields["License"] or "")


def of_npm(package: str) -> str | None:
    """The same for a package.json."""
    stated = json.loads(package).get("license", "")
    return permissive(stated if isinstance(stated, str) else stated.get("type", ""))


def permissive(expression: str) -> str | None:
    """An SPDX or Debian expression's permissive reading: one side of each OR, all sides of each AND."""
    for choice in re.split(r"\s+or\s+", expression.strip().strip("()"), flags=re.IGNORECASE):
        names = [_NAMES.get(part.strip(" ()").lower()) for part in re.split(r"\s+and\s+", choice, flags=re.IGNORECASE)]
        if all(names):
            return " AND ".join(sorted({name for name in names if name}))
    return None


def version_of_npm(package: str) -> str:
    """The version a package.json states."""
    return str(json.loads(package)["version"])

"""Which licences let a package in."""

from __future__ import annotations

import pytest

from engine.adapt.licences import of_npm, of_wheel, permissive


@pytest.mark.parametrize(
    ("expression", "spdx"),
    [
        ("MIT", "MIT"),
        ("Apache-2.0 OR GPL-3.0-only", "Apache-2.0"),
        ("(GPL-2.0-only OR MIT)", "MIT"),
        ("Apache-2.0 AND MIT", "Apache-2.0 AND MIT"),
        ("MIT AND GPL-2.0-only", None),
        ("GPL-3.0-or-later", None),
        ("Permission is hereby granted", None),
        ("", None),
    ],
)
def test_one_side_of_or_and_all_sides_of_and(expression: str, spdx: str | None) -> None:
    assert permissive(expression) == spdx


def wheel(*lines: str) -> str:
    return "\n".join(["Metadata-Version: 2.4", "Name: x", *lines, "", "License: MIT\n"])


def test_a_wheel_is_believed_in_the_order_of_precision() -> None:
    classifier = "Classifier: License :: OSI Approved :: "
    assert of_wheel(wheel("License-Expression: ISC", f"{classifier}MIT License")) == "ISC"
    assert of_wheel(wheel("License: whatever", f"{classifier}BSD License")) == "BSD"
    assert of_wheel(wheel("License: BSD-3-Clause")) == "BSD-3-Clause"


def test_a_wheel_that_states_none_or_also_another_one_is_refused() -> None:
    classifier = "Classifier: License :: OSI Approved :: "
    assert of_wheel(wheel()) is None  # what stands in the description is not a statement
    assert of_wheel(wheel(f"{classifier}MIT License", f"{classifier}GNU General Public License v3 (GPLv3)")) is None


def test_npm_states_it_as_a_word_or_an_object() -> None:
    assert of_npm('{"license": "MIT"}') == "MIT"
    assert of_npm('{"license": {"type": "ISC"}}') == "ISC"
    assert of_npm('{"license": "SEE LICENSE IN x"}') is None
    assert of_npm("{}") is None

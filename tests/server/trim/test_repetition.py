from __future__ import annotations

import pytest

from server.suggestion import Refused
from server.trim.repetition import has_loop, without_loop
from server.trim.site import Refusal


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1\nprint(a)\nprint(a)\nprint(a)\nprint(a)", "a = 1\nprint(a)"),
        ("one(a)\ntwo(b)\none(a)\ntwo(b)\none(a)\ntwo(b)\none(a)", "one(a)\ntwo(b)"),
        ("x = one two three " + "and so on " * 8, "x = one two three and so on"),
    ],
)
def test_a_loop_ends_after_its_first_turn(text: str, expected: str) -> None:
    assert without_loop(text) == expected
    assert has_loop(text)


@pytest.mark.parametrize("text", ["print(a)\n" * 4, "abc " * 8])
def test_nothing_but_a_loop_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        without_loop(text)
    assert refusal.value.reason is Refused.REPETITION


@pytest.mark.parametrize(
    "text",
    [
        "",
        "print(a)\nprint(a)",
        "}\n}\n}\n}",
        "0, 0, 0\n0, 0, 0\n0, 0, 0\n",
        "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]",
        "# " + "-" * 60,
        "| --- " * 9 + "|",
        "=" * 70,
        "\n\n\n\n",
    ],
)
def test_what_repeats_by_nature_stays(text: str) -> None:
    assert without_loop(text) == text
    assert not has_loop(text)


@pytest.mark.parametrize("text", ["1" + "0" * 90, "x = " + "ab" * 90, "a = 1\nb = " + "1" * 90])
def test_a_word_without_end_is_refused(text: str) -> None:
    with pytest.raises(Refusal) as refusal:
        without_loop(text)
    assert refusal.value.reason is Refused.REPETITION


@pytest.mark.parametrize("text", ['"' + "0" * 64 + '"', "# " + "-" * 100, "[" + "0, " * 3 + "0]"])
def test_digests_rules_and_rows_of_zeros_stay(text: str) -> None:
    assert without_loop(text) == text

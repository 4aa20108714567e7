"""What a person sees: the suggestion in place, and diffs that other tools take."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from rich.text import Text

from engine import Piece, PieceState
from server.cli.render import NEW, SHADES, coloured, diff, draft_in_place, in_place, printable
from server.snapshot import Snapshot
from server.suggestion import Suggestion


def snapshot(text: str) -> Snapshot:
    return Snapshot("file:///a.py", "python", 1, text)


def test_new_text_is_marked_and_lines_around_are_shown() -> None:
    shown = in_place(snapshot("1\n2\n3\n4\nx = \n6\n7\n8\n9\n"), [Suggestion(12, 12, "42")])
    assert shown.plain == "".join(f"  │ {line}\n" for line in ["2", "3", "4", "x = 42", "6", "7", "8"])
    assert [shown.plain[span.start : span.end] for span in shown.spans if span.style == NEW] == ["42"]


def test_replaced_text_is_left_out() -> None:
    assert in_place(snapshot("f(old)\n"), [Suggestion(2, 5, "new")]).plain.splitlines()[0] == "  │ f(new)"


def test_several_lines_in_a_document_with_crlf() -> None:
    shown = in_place(snapshot("a:\r\n\r\nz\r\n"), [Suggestion(4, 4, "b\r\nc")])
    assert shown.plain.splitlines() == ["  │ a:", "  │ b", "  │ c", "  │ z"]


def test_holes_far_apart_have_a_gap_between() -> None:
    text = "a=\n" + "-\n" * 20 + "b="
    shown = in_place(snapshot(text), [Suggestion(2, 2, "1"), Suggestion(len(text), len(text), "2")], around=1)
    assert shown.plain.splitlines() == ["  │ a=1", "  │ -", "  ⋮", "  │ -", "  │ b=2"]


def test_nothing_suggested_for_an_empty_document() -> None:
    assert in_place(snapshot(""), [Suggestion(0, 0, "x")]).plain == "  │ x\n"


def test_a_line_of_two_megabytes_is_cut_to_what_is_near() -> None:
    half = "[1,2]," * 160_000
    shown = in_place(snapshot(half + half), [Suggestion(len(half), len(half), "[3],")])
    assert len(shown.plain) < 400
    assert "[1,2],[3],[1,2]," in shown.plain


def test_control_characters_cannot_steer_the_terminal() -> None:
    assert printable("a\x1b[31m\x0c\u202eb\x9b\t\n") == "a␛[31m␌\ufffdb\ufffd\t\n"


def test_a_diff_shows_lines_and_their_missing_end() -> None:
    patch = diff("a.py", "one\ntwo", "one\n2")
    assert patch.splitlines() == [
        "--- a/a.py",
        "+++ b/a.py",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "\\ No newline at end of file",
        "+2",
        "\\ No newline at end of file",
    ]
    assert coloured(patch).plain == patch


@pytest.mark.parametrize(
    ("before", "after"),
    [("a\r\nb\r\n", "a\r\nc\r\nd\r\n"), ("a\x0cb\u2028c\n", "a\x0cx\u2028c\n"), ("a", "a\n"), ("a\rb\n", "a\rc\n")],
)
def test_git_applies_a_diff(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(before.encode())
    patch = diff("a.py", before, after).encode()
    subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, check=True, capture_output=True)
    assert path.read_bytes() == after.encode()


def test_nothing_to_see_is_nothing() -> None:
    assert in_place(snapshot("a\n"), []).plain == ""
    assert in_place(snapshot("a\n"), [Suggestion(1, 1, " \n")]).plain == ""


def styled(shown: Text, style: str) -> list[str]:
    return [shown.plain[span.start : span.end] for span in shown.spans if span.style == style]


def test_a_draft_has_a_shade_for_each_state() -> None:
    drafts = [
        (
            Piece(PieceState.COMMITTED, "one\n  ", 3),
            Piece(PieceState.PROPOSED, "two\x1b", 1),
            Piece(PieceState.OPEN, "", 2),
        ),
        (),
    ]
    shown = draft_in_place(snapshot("a = old\nb = \n"), [(4, 7), (12, 12)], drafts)
    assert shown.plain.splitlines() == ["  │ a = one", "  │   two␛░░", "  │ b = ░"]
    assert styled(shown, SHADES[PieceState.COMMITTED]) == ["one", "  "]
    assert styled(shown, SHADES[PieceState.PROPOSED]) == ["two␛"]
    assert styled(shown, SHADES[PieceState.OPEN]) == ["░░", "░"]
    assert len({*SHADES.values()}) == len(PieceState)


def test_tokens_without_text_of_their_own_are_not_shown() -> None:
    """Such as one that writes the prefix again, or half a character."""
    half = (Piece(PieceState.COMMITTED, "", 1), Piece(PieceState.PROPOSED, "x", 1))
    assert draft_in_place(snapshot("a = "), [(4, 4)], [half]).plain == "  │ a = x\n"


def test_a_draft_of_nothing_but_blanks() -> None:
    assert draft_in_place(snapshot(""), [(0, 0)], [(Piece(PieceState.COMMITTED, "\n ", 1),)]).plain == "  │ \n"

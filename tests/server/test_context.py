from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.brackets import Inside
from server.context import excerpt, line_ending, prompt_path, shown_to_engine, shown_to_grammar, site_at, snapped
from server.settings import Settings
from server.snapshot import Snapshot
from server.trim import Site

SETTINGS = Settings()


def site_of(marked: str, language: str = "python") -> Site:
    snapshot = Snapshot("file:///a", language, 1, marked.replace("‸", ""))
    offset = marked.index("‸")
    return site_at(snapshot, offset, shown_to_engine(snapshot, offset, offset, SETTINGS), SETTINGS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "\n"),
        ("a\nb\n", "\n"),
        ("a\r\nb\r\n", "\r\n"),
        ("a\rb\r", "\r"),
        ("a\r\nb\r\nc\n", "\r\n"),
        ("a\r\nb\nc\n", "\n"),
        ("a\u2028b\x0c", "\n"),
    ],
)
def test_line_ending_is_the_usual_one(text: str, expected: str) -> None:
    assert line_ending(text) == expected


@pytest.mark.parametrize(("offset", "expected"), [(-1, 0), (0, 0), (1, 1), (2, 1), (3, 3), (9, 4)])
def test_an_offset_is_never_inside_a_line_end(offset: int, expected: int) -> None:
    assert snapped("a\r\nb", offset) == expected


def test_a_document_within_the_budget_is_shown_whole() -> None:
    shown = excerpt("a\r\nb\r\n", 4, 4, 100)
    assert (shown.text, shown.start, shown.at(4), shown.whole_lines) == ("a\nb\n", 0, 3, True)


def test_a_long_document_is_cut_at_lines_on_both_sides() -> None:
    text = "".join(f"    line {number}\n" for number in range(1000))
    at = len(text) // 2
    shown = excerpt(text, at, at, 800)
    assert 600 < len(shown.text) <= 800
    assert shown.text.startswith("    line ")
    assert shown.text.endswith("\n")
    assert text[shown.start : shown.start + len(shown.text)] == shown.text
    assert abs(shown.at(at) - len(shown.text) / 2) < 200


def test_a_cut_is_rather_at_the_top_level() -> None:
    text = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(100))
    assert excerpt(text, len(text), len(text), 400).text.startswith("def f")


def test_one_side_gets_what_the_other_does_not_need() -> None:
    text = "x\n" * 1000
    assert len(excerpt(text, 0, 0, 800).text) > 600
    assert len(excerpt(text, len(text), len(text), 800).text) > 600


def test_typing_leaves_the_beginning_where_it_is() -> None:
    text = "".join(f"line {number}\n" for number in range(500))
    starts = {
        excerpt(text[:3000] + "x" * typed + text[3000:], 3000 + typed, 3000 + typed, 800).start for typed in range(60)
    }
    ends = {len(excerpt(text[:3000] + "x" * n + text[3000:], 3000 + n, 3000 + n, 800).source) - n for n in range(60)}
    assert len(starts) <= 2
    assert len(ends) <= 2


def test_a_line_of_megabytes_is_cut_inside() -> None:
    text = "x" * 2_000_000
    shown = excerpt(text, 1_000_000, 1_000_000, 800)
    assert len(shown.text) <= 800
    assert not shown.whole_lines


@given(text=st.text(st.sampled_from("ab\r\n"), max_size=200), at=st.integers(0, 200), budget=st.integers(1, 60))
def test_offsets_of_an_excerpt_are_those_of_the_document(text: str, at: int, budget: int) -> None:
    at = snapped(text, at)
    shown = excerpt(text, at, at, budget)
    before = text[shown.start : at]
    assert shown.text[: shown.at(at)] == before.replace("\r\n", "\n").replace("\r", "\n")
    assert text[max(shown.start - 1, 0) : shown.start + 1] != "\r\n" or shown.start == 0


def test_grammars_see_the_whole_of_ordinary_documents() -> None:
    short, long = (Snapshot("file:///a", "python", 1, "x = 1\n" * count) for count in (1000, 20_000))
    assert shown_to_grammar(short, 10, 10).text == short.text
    assert len(shown_to_grammar(long, 60_000, 60_000).text) < 40_000


@pytest.mark.parametrize(
    ("marked", "language", "inside", "quote"),
    [
        ("x = ‸\n", "python", Inside.CODE, ""),
        ("x = 'a‸'\n", "python", Inside.STRING, "'"),
        ("x = 'a‸\n", "python", Inside.STRING, "'"),
        ('def f():\n    """It\'s ‸.\n    """\n', "python", Inside.STRING, ""),
        ("# it's ‸\n", "python", Inside.COMMENT, ""),
        ("const a = <p>it's ‸</p>;\n", "javascriptreact", Inside.CODE, ""),
        ("x = 'a‸\n", "klingon", Inside.CODE, ""),
        ("it's ‸\n", "markdown", Inside.CODE, ""),
    ],
)
def test_what_a_place_is_inside_of(marked: str, language: str, inside: Inside, quote: str) -> None:
    site = site_of(marked, language)
    assert (site.inside, site.quote) == (inside, quote)


def test_a_place_in_a_fenced_block_is_in_its_language() -> None:
    site = site_of("Use `(`:\n\n```go\nfunc f() {\n\t‸\n}\n```\n", "markdown")
    assert (site.language.id, site.fenced, site.before) == ("go", True, "func f() {\n\t")
    assert not site_of("a\n\n```go\n```\n‸\n", "markdown").fenced


def test_a_place_in_a_script_is_in_its_language() -> None:
    site = site_of("<p>(</p><script>f(‸)</script>\n", "html")
    assert (site.language.id, site.before, site.fenced) == ("javascript", "f(", False)


def test_the_cursors_line_says_nothing_of_the_files_indentation() -> None:
    assert site_of("if a:\n  ‸\n").unit == "    "
    assert site_of("if a:\n  b\nif c:\n    ‸\n").unit == "  "
    assert site_of("if a:\n\t‸\n").unit == "\t"  # a tab tells more than its width
    assert site_of("if a:\n    b\nif c:\n\t‸\n").unit == "    "


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/someone/project/src/a.py", "src/a.py"),
        ("file:///a.py", "a.py"),
        ("untitled:Untitled-1", ""),
    ],
)
def test_the_model_is_told_name_and_folder_only(uri: str, path: str) -> None:
    assert prompt_path(Snapshot(uri, "python", 1, "")) == path

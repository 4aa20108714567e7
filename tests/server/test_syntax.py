"""tree-sitter's traps: bytes, errors without a node, false errors, errors that were there before."""

from __future__ import annotations

import pytest

from server.brackets import Inside
from server.languages import language_of
from server.syntax import Edit, added_errors, error_count, inside_at, region_at

RIGHT_AND_WRONG = {
    "python": ("x = 1\n", "x = = 1\n"),
    "javascript": ("let a = 1;\n", "let a = ;;= 1\n"),
    "javascriptreact": ("const a = <p>{b}</p>;\n", "const a = <p>{b</p>;\n"),
    "typescript": ("let a: number = 1;\n", "let a: = 1;\n"),
    "typescriptreact": ("const a: B = <p/>;\n", "const a: B = <p/;\n"),
    "json": ('{"a": [1]}\n', '{"a": [1}\n'),
    "jsonc": ('{"a": 1 /* b */}\n', '{"a" 1}\n'),
    "yaml": ("a: b\n", "a: -\nb: [\n"),
    "go": ("package a\n", "package package\n"),
    "rust": ("fn a() {}\n", "fn a( {}\n"),
    "java": ("class A {}\n", "class A {\n"),
    "c": ("int a;\n", "int a = ;\n"),
    "cpp": ("int a{};\n", "int a{;\n"),
    "shellscript": ("if a; then b; fi\n", "if a; then b;\n"),
    "html": ("<p>a</p>\n", "<p>a</\n"),
    "css": ("a { b: c }\n", "a { b: c\n"),
    "toml": ("a = 1\n", "a = = 1\n"),
    "lua": ("local a = 1\n", "local = 1\n"),
}


@pytest.mark.parametrize("id_", RIGHT_AND_WRONG)
def test_every_grammar_tells_right_from_wrong(id_: str) -> None:
    right, wrong = RIGHT_AND_WRONG[id_]
    assert error_count(language_of(id_), right) == 0
    assert error_count(language_of(id_), wrong)


def test_markdown_takes_any_text() -> None:
    assert error_count(language_of("markdown"), "# a\n\n| b |\n|---|\n") == 0


@pytest.mark.parametrize("id_", ["klingon", "plaintext", "makefile"])
def test_a_language_without_a_grammar_refuses_nothing(id_: str) -> None:
    assert error_count(language_of(id_), "((((") is None
    assert added_errors(language_of(id_), "a", [Edit(1, 1, "((((")]) == 0
    assert inside_at(language_of(id_), "# a", 3) is Inside.CODE


def test_no_edit_adds_nothing() -> None:
    assert added_errors(language_of("python"), "x = (", []) == 0
    assert added_errors(language_of("markdown"), "x", []) == 0


def test_an_older_error_is_no_ground_for_refusal() -> None:
    text = "def broken(:\n    pass\n\n\ndef ok(a):\n    return \n"
    at = text.rindex(" \n") + 1
    assert added_errors(language_of("python"), text, [Edit(at, at, "a")], holes=True) == 0
    assert added_errors(language_of("python"), text, [Edit(at, at, "a b (")], holes=True) > 0


def test_a_gap_is_no_excuse_for_a_broken_filling_but_a_broken_selection_is_for_a_less_broken_one() -> None:
    python = language_of("python")
    assert added_errors(python, "x = \n", [Edit(4, 4, "a b")], holes=True) > 0
    assert added_errors(python, "x = a b\n", [Edit(4, 7, "c d")]) == 0


def test_several_edits_are_judged_together() -> None:
    edits = [Edit(4, 4, "["), Edit(9, 9, "1]")]
    assert added_errors(language_of("javascript"), "a = ;\nb = ;\n", edits, holes=True) > 0
    edits = [Edit(4, 4, "[1]"), Edit(10, 10, "[2]")]
    assert added_errors(language_of("javascript"), "a = ;\nb = ;\n", edits, holes=True) == 0


@pytest.mark.parametrize(
    ("id_", "marked", "new", "expected"),
    [
        ("javascript", "/**\n‸ * a\n */\n‸f();\n\n/** b */\ng();\n", "const a = 1;\n", 1),
        ("javascript", "/**\n‸ * a\n */\n‸/** b */\ng();\n", "const a = 1;\n", 1),
        ("javascript", "‸a();‸\nf();\n/* b */\n", "/* a();", 1),
        ("c", "‸‸\nf();\n/* b */\n", "é; /* a", 1),
        # these are right
        ("javascript", "/**\n‸ * a\n */\n‸f();\n\n/** b */\ng();\n", " * é\n */\n", 0),
        ("javascript", "‸a();‸\nf();\n/* b */\n", "// a();", 0),
        ("javascript", "‸a();\n‸f();\n/* b */\n", "// a();\n", 0),
        ("javascript", "f();\n‸‸\n/* b */\n", "// a();\n", 0),
        ("javascript", "‸/* a‸\n b */\nf();\n", "/* c", 0),
        ("python", "‸a‸\nb\n", "# a", 0),
        ("yaml", "a: ‸‸\nb: c\n", "d # e", 0),
    ],
)
def test_a_comment_does_not_run_on_over_what_follows(id_: str, marked: str, new: str, expected: int) -> None:
    before, old, after = marked.split("‸")
    edit = Edit(len(before), len(before + old), new)
    assert added_errors(language_of(id_), before + old + after, [edit]) == expected


def test_of_several_edits_the_one_that_opens_the_comment_counts() -> None:
    text = "a();\nb();\nc();\n/* d */\ne();\n"
    edits = [Edit(0, 4, "é();"), Edit(5, 9, "/* b"), Edit(23, 27, "f();")]
    assert added_errors(language_of("javascript"), text, edits) == 1


def test_offsets_are_code_points_though_the_tree_counts_bytes() -> None:
    text = 'a = "日本語😀"; b = \n'
    at = text.index("b = ") + 4
    assert added_errors(language_of("python"), text, [Edit(at, at, "c")], holes=True) == 0
    assert added_errors(language_of("python"), text, [Edit(at, at, "(")], holes=True) > 0


def test_a_lone_surrogate_is_a_character_like_others() -> None:
    text = 'a = "\ud83d"; b = \n'
    assert added_errors(language_of("python"), text, [Edit(14, 14, "c")], holes=True) == 0


def test_what_python_takes_is_right_though_the_grammar_doubts() -> None:
    python, doubted = language_of("python"), '*"ab", "c"'
    assert error_count(python, f"letters = {doubted}\n")
    assert added_errors(python, "letters = \n", [Edit(10, 10, doubted)], holes=True) == 0
    above = "def broken(:\n    pass\n\n\n"
    at = len(above) + 10
    assert added_errors(python, above + "letters = \n", [Edit(at, at, doubted)], holes=True) == 0


def test_escapes_in_the_users_strings_raise_no_warning() -> None:
    assert added_errors(language_of("python"), 'x = "\\d"\ny = \n', [Edit(13, 13, "a b")], holes=True) > 0


def test_deep_nesting_is_no_problem() -> None:
    text = "[" * 5000
    assert added_errors(language_of("json"), text, [Edit(5000, 5000, "1")]) == 0


def test_a_script_in_a_page_is_judged_too() -> None:
    html, text = language_of("html"), "<p>😮</p>\n<script>\nconst a = ;\n</script>\n"
    at = text.index(" ;") + 1
    assert added_errors(html, text, [Edit(at, at, "1")], holes=True) == 0
    assert added_errors(html, text, [Edit(at, at, "1 2")], holes=True) > 0


def test_a_fenced_block_is_judged_too() -> None:
    markdown, text = language_of("markdown"), "日本\n\n```python\nx = \n```\n"
    at = text.index("x = ") + 4
    assert added_errors(markdown, text, [Edit(at, at, "1")], holes=True) == 0
    assert added_errors(markdown, text, [Edit(at, at, "1 2")], holes=True) > 0
    assert added_errors(markdown, text, [Edit(0, 0, "1 2")], holes=True) == 0


def test_each_of_several_edits_is_judged_by_where_it_stands() -> None:
    markdown, text = language_of("markdown"), "# a\n\n```js\nx = ;\n```\n\n```js\ny = ;\n```\n"
    places = text.index("a"), text.index(";"), text.index(";", text.index("y"))
    assert added_errors(markdown, text, [Edit(at, at, "1") for at in places], holes=True) == 0
    for number in (1, 2):
        written = [Edit(at, at, "| a | b" if nth == number else "1") for nth, at in enumerate(places)]
        assert added_errors(markdown, text, written, holes=True) > 0


@pytest.mark.parametrize(
    ("id_", "text", "mark", "expected"),
    [
        ("markdown", "a\n```js\nb\n```\nc\n", "a", "markdown"),
        ("markdown", "a\n```js\nb\n```\nc\n", "b", "javascript"),
        ("markdown", "a\n```js\nb\n```\nc\n", "c", "markdown"),
        ("markdown", "a\n```js\nb", "b", "javascript"),
        ("markdown", "````md\n```js\nb\n```\n````\n", "b", "markdown"),
        ("markdown", "```\nb\n```\n", "b", ""),
        ("html", "é<script>b</script>c", "b", "javascript"),
        ("html", "é<style>b</style>c", "b", "css"),
        ("html", "é<script>b</script>c", "c", "html"),
        ("python", "b", "b", "python"),
    ],
)
def test_the_language_at_an_offset(id_: str, text: str, mark: str, expected: str) -> None:
    region = region_at(language_of(id_), text, text.index(mark))
    assert region.language.id == expected
    assert mark in text[region.start : region.end]


@pytest.mark.parametrize(
    ("id_", "marked", "expected"),
    [
        ("python", "a = ‸1\n", Inside.CODE),
        ("python", 'a = "b‸c"\n', Inside.STRING),
        ("python", 'a = "bc"‸\n', Inside.CODE),
        ("python", 'a = f"b{c‸}"\n', Inside.CODE),
        ("python", 'def f():\n    """It\'s ‸a."""\n', Inside.STRING),
        ("python", "a  # b‸\n", Inside.COMMENT),
        ("python", "a  # b\n‸\n", Inside.CODE),
        ("javascript", "/* a‸ */\n", Inside.COMMENT),
        ("javascript", "/* a */‸\n", Inside.CODE),
        ("javascript", "`a ${b‸}`\n", Inside.CODE),
        ("markdown", "it's ‸\n", Inside.CODE),
    ],
)
def test_what_an_offset_stands_in(id_: str, marked: str, expected: Inside) -> None:
    assert inside_at(language_of(id_), marked.replace("‸", ""), marked.index("‸")) is expected

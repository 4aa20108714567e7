"""Completion, document to document: `‸` marks the cursor; expected is the whole document after accepting."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import Cancelled, CancelToken, InfillRequest, Mode, StopReason
from server.settings import Settings
from server.snapshot import Snapshot
from server.suggest import Answer, Refused, complete

from .answering import Answering

SETTINGS = Settings()


def ask(
    marked: str,
    *texts: str,
    language: str = "python",
    invoked: bool = True,
    stop: StopReason = StopReason.END,
    uri: str = "file:///project/src/code",
    settings: Settings = SETTINGS,
    mode: Mode | None = None,
) -> tuple[Answer, InfillRequest | None, Snapshot]:
    offset = marked.index("‸")
    snapshot = Snapshot(uri, language, 1, marked.replace("‸", ""))
    engine = Answering(*texts, stop=stop)
    answer = complete(engine, snapshot, offset, settings, invoked=invoked, mode=mode)
    return answer, engine.infills[0] if engine.infills else None, snapshot


def accepted(answer: Answer, snapshot: Snapshot) -> str:
    suggestion = answer.suggestions[0]
    return snapshot.text[: suggestion.start] + suggestion.text + snapshot.text[suggestion.end :]


def after(marked: str, text: str, **how: object) -> str:
    answer, _, snapshot = ask(marked, text, **how)  # type: ignore[arg-type]
    assert answer.refused is None
    return accepted(answer, snapshot)


KEPT = {
    # what stands right of the cursor is not written twice, and never lost
    "rest of the line repeated": ("javascript", "log(‸, level);\n", "name, level);", "log(name, level);\n"),
    "rest repeated in part": ("python", "x = fetch(‸).json()\n", "url)", "x = fetch(url).json()\n"),
    "its own bracket closed": ("python", "print(‸)\n", "len(xs)", "print(len(xs))\n"),
    "closers in excess": ("typescript", "const a = xs.map((x) => x.‸)\n", "id)));", "const a = xs.map((x) => x.id)\n"),
    "closed pair taken over": ("python", "total = add(‸)\n", "1, 2) + 3", "total = add(1, 2) + 3\n"),
    "quote closed by the editor": ("python", 'open("‸")\n', 'a.txt", "w")', 'open("a.txt", "w")\n'),
    "docstring closed by the editor": (
        "python",
        'def f():\n    """‸"""\n    return 1\n',
        'One."""',
        'def f():\n    """One."""\n    return 1\n',
    ),
    "several lines back to the rest": ("python", "x = f(‸).y\n", "a,\n    b).y", "x = f(a,\n    b).y\n"),
    "arguments over lines": ("python", "x = f(‸)\n", "a,\n    b,\n", "x = f(a,\n    b,\n)\n"),
    "line written before another": ("python", "‸y = 2\n", "x = 1\n", "x = 1\ny = 2\n"),
    # what stands below is not written twice
    "closing brace below": (
        "typescript",
        "function f() {\n  ‸\n}\n",
        "return 1;\n}",
        "function f() {\n  return 1;\n}\n",
    ),
    "brace of its own": (
        "javascript",
        "function f() {\n  ‸\n}\n",
        "if (a) {\n    b();\n  }",
        "function f() {\n  if (a) {\n    b();\n  }\n}\n",
    ),
    "begin of else": (
        "javascript",
        "if (a) {\n  ‸\n} else {\n  c();\n}\n",
        "b();\n}",
        "if (a) {\n  b();\n} else {\n  c();\n}\n",
    ),
    "lines below": (
        "python",
        "def f():\n    ‸\n    b = 2\n    return a + b\n",
        "a = 1\n    b = 2\n    return a + b",
        "def f():\n    a = 1\n    b = 2\n    return a + b\n",
    ),
    "a line that ends two blocks": (
        "python",
        "def f(x):\n    ‸\n    return False\n",
        "if x:\n        return False\n    x += 1",
        "def f(x):\n    if x:\n        return False\n    x += 1\n    return False\n",
    ),
    "nothing below": ("python", "def area(w, h):\n    ‸", "return w * h", "def area(w, h):\n    return w * h"),
    # seam and indentation
    "indentation brought along": (
        "python",
        "for x in xs:\n    if x:\n        ‸\n",
        "        print(x)",
        "for x in xs:\n    if x:\n        print(x)\n",
    ),
    "indentation needed": ("python", "def f():\n‸\n", "    return 1", "def f():\n    return 1\n"),
    "blank at the seam": ("python", "for i in ‸:\n    pass\n", "  range(3)", "for i in range(3):\n    pass\n"),
    "blank that was missing": ("python", "def f(x):\n    return‸\n", " x", "def f(x):\n    return x\n"),
    "blank of the user's": ("python", "x = 1  # say ‸\n", "it", "x = 1  # say it\n"),
    "else at its own depth": (
        "python",
        "def f(n):\n    if n:\n        ‸\n",
        "return 1\n    else:\n        return 2",
        "def f(n):\n    if n:\n        return 1\n    else:\n        return 2\n",
    ),
    "tabs for spaces": (
        "go",
        "func f() {\n\tfor {\n\t\t‸\n\t}\n}\n",
        "if a {\n            break\n        }",
        "func f() {\n\tfor {\n\t\tif a {\n\t\t\tbreak\n\t\t}\n\t}\n}\n",
    ),
    "tabs of recipes": ("makefile", "all:\n\t‸\n", "cc a.c\n    cc b.c", "all:\n\tcc a.c\n\tcc b.c\n"),
    "two spaces for four": (
        "typescript",
        "class A {\n  f() {\n    ‸\n  }\n}\n",
        "if (a) {\n        b();\n    }",
        "class A {\n  f() {\n    if (a) {\n      b();\n    }\n  }\n}\n",
    ),
    "counted from column 0": (
        "python",
        "class A:\n    def f(self):\n        ‸\n",
        "if a:\n    return 1\nreturn 2",
        "class A:\n    def f(self):\n        if a:\n            return 1\n        return 2\n",
    ),
    "aligned arguments": (
        "python",
        "def f():\n    ‸\n",
        "call(a,\n         b)",
        "def f():\n    call(a,\n         b)\n",
    ),
    "trailing blanks": (
        "python",
        "def f():\n    ‸\n",
        "a = 1  \n    return a  \n",
        "def f():\n    a = 1\n    return a\n",
    ),
    # line ends
    "carriage returns": (
        "javascript",
        "function f() {\r\n  ‸\r\n}\r\n",
        "const a = 1;\n  return a;",
        "function f() {\r\n  const a = 1;\r\n  return a;\r\n}\r\n",
    ),
    "carriage returns only": ("python", "x = 1\ry = ‸\r", "2", "x = 1\ry = 2\r"),
    "value before a carriage return": ("json", '{\r\n  "a": ‸\r\n}\r\n', "1", '{\r\n  "a": 1\r\n}\r\n'),
    "line separator in a string": (
        "javascript",
        'const s = "a\u2028b";\nlet t = ‸;\n',
        "s",
        'const s = "a\u2028b";\nlet t = s;\n',
    ),
    "form feed": ("python", "a = 1\n\f\nb = ‸\n", "2", "a = 1\n\f\nb = 2\n"),
    # strings, fences, control tokens
    "end of a string": ("python", 'p = "C:/d/‸"\nprint(p)\n', 'x.csv"\nprint(p)', 'p = "C:/d/x.csv"\nprint(p)\n'),
    "emoji before": ("python", 's = "😀👨‍👩‍👧"; n = len(‸)\n', "s", 's = "😀👨‍👩‍👧"; n = len(s)\n'),
    "doubled brace": ("python", 'm = f"{a} ‸"\n', "{{", 'm = f"{a} {{"\n'),
    "control tokens": ("python", "x = ‸\n", "1<|fim_pad|><|endoftext|>y = 2", "x = 1\n"),
    "control token at the start": ("python", "x = ‸\n", "<|fim_middle|>1", "x = 1\n"),
    "control token of the document": (
        "python",
        'PAD = "<|fim_pad|>"\nEND = ‸\n',
        '"<|fim_pad|>"',
        'PAD = "<|fim_pad|>"\nEND = "<|fim_pad|>"\n',
    ),
    "enclosing fence": (
        "python",
        "def f():\n    ‸\n",
        "```python\nreturn 1\n```\nThis returns one.",
        "def f():\n    return 1\n",
    ),
    "closing fence": ("python", "x = ‸\n", "1\n```\nDone.", "x = 1\n"),
    "fence in prose": ("markdown", "Run:\n\n‸\n", "```sh\nls\n```", "Run:\n\n```sh\nls\n```\n"),
    "fence that follows": (
        "markdown",
        "```sh\ncd /a‸\n```\n\nEnd.\n",
        "/b\n```\nMore",
        "```sh\ncd /a/b\n```\n\nEnd.\n",
    ),
    "script in a page": (
        "html",
        "<p>😮 é</p>\n<script>\nconst a = ‸;\n</script>\n",
        "1",
        "<p>😮 é</p>\n<script>\nconst a = 1;\n</script>\n",
    ),
    # errors
    "older error above": (
        "python",
        "def broken(:\n    pass\n\n\ndef f(a):\n    return ‸\n",
        "a + 1",
        "def broken(:\n    pass\n\n\ndef f(a):\n    return a + 1\n",
    ),
    "older error below": ("javascript", "let a = ‸;\nfunction ( {\n", "1", "let a = 1;\nfunction ( {\n"),
    "loop": (
        "python",
        "def f():\n    ‸\n",
        "a = 1\n    print(a)\n    print(a)\n    print(a)\n    print(a)",
        "def f():\n    a = 1\n    print(a)\n",
    ),
    "matrix": ("python", "m = ‸\n", "[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]", "m = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n"),
    # formats
    "comma before the next member": (
        "json",
        '{\n  "a": 1,\n  ‸\n  "c": 3\n}\n',
        '"b": 2',
        '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n',
    ),
    "no comma before the end": ("json", '{\n  "a": 1,\n  ‸\n}\n', '"b": 2,', '{\n  "a": 1,\n  "b": 2\n}\n'),
    "comma between elements": ("json", "[\n  1,\n  ‸\n  3\n]\n", "2", "[\n  1,\n  2,\n  3\n]\n"),
    "comma before a comment": (
        "jsonc",
        '{\n  ‸\n  // next\n  "b": 2\n}\n',
        '"a": 1',
        '{\n  "a": 1,\n  // next\n  "b": 2\n}\n',
    ),
    "string that was open": ("json", '{"a": {"t": "ord‸, "f": "x"}}\n', 'er"', '{"a": {"t": "order", "f": "x"}}\n'),
    "second key of an item": ("yaml", "jobs:\n  - ‸\n", "name: a\n  run: b", "jobs:\n  - name: a\n    run: b\n"),
    "next item": ("yaml", "jobs:\n  - ‸\n", "a\n  - b", "jobs:\n  - a\n  - b\n"),
    "next key": ("yaml", "a:\n  - ‸\n", "x\nb: 1", "a:\n  - x\nb: 1\n"),
    "key at the end of a file": ("yaml", "foo:\n  bar: v\n‸", "baz:\n  qux: w", "foo:\n  bar: v\nbaz:\n  qux: w"),
    "pipes in code": (
        "markdown",
        "| op | code |\n| --- | --- |\n| or | ‸ |\n",
        "`a || b`",
        "| op | code |\n| --- | --- |\n| or | `a \\|\\| b` |\n",
    ),
    "cell and the rest": (
        "markdown",
        "| a | b |\n|---|---|\n| 1 | ‸ |\n",
        "2 | 3 |",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
    ),
    "short row": (
        "markdown",
        "| a | b | c |\n|---|---|---|\n‸\n",
        "| 1 | 2 |",
        "| a | b | c |\n|---|---|---|\n| 1 | 2 |  |\n",
    ),
    "rows of a table": (
        "markdown",
        "| a | b |\n|---|---|\n‸\n",
        "| 1 | 2 |\n| 3 | 4 |",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
    ),
    # edges of a document
    "empty document": ("python", "‸", "import os\n", "import os\n"),
    "unknown language": ("klingon", "a = ‸\n", "b :- c d", "a = b :- c d\n"),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_inserted(name: str) -> None:
    language, marked, text, expected = KEPT[name]
    assert after(marked, text, language=language) == expected


REFUSED = {
    "nothing": ("python", "x = ‸\n", "", Refused.EMPTY),
    "blanks": ("python", "x = ‸\n", "  \n ", Refused.EMPTY),
    "control tokens only": ("python", "x = ‸\n", "<|endoftext|>", Refused.EMPTY),
    "the line below": ("python", "‸\nimport os\n", "import os", Refused.REPEATS_SUFFIX),
    "the line above": ("python", "import os\n‸\n", "import os", Refused.REPEATS_LINE_ABOVE),
    "the block above": ("python", "a = one()\nb = two()\n‸\n", "a = one()\nb = two()", Refused.REPEATS_LINE_ABOVE),
    "only a loop": ("python", "x = ‸\n", "abc abc abc abc abc abc abc abc ", Refused.REPETITION),
    "closers only": ("javascript", "f();\n‸\n", "}\n}", Refused.UNMATCHED_BRACKET),
    "never closed": ("python", "x = ‸\n", "f(a,\n    b", Refused.CUT_OFF),
    "broken": ("python", "x = ‸\n", "a b", Refused.SYNTAX),
    "broken in a string's place": ("json", '{"a": ‸}\n', "b c", Refused.SYNTAX),
    "dash as a value": ("yaml", "a: b\nc: ‸\nd: e\n", "-", Refused.SYNTAX),
    "broken script in a page": ("html", "<script>\nconst a = ‸;\n</script>\n", "1 2", Refused.SYNTAX),
    "missing comma above": ("json", '{\n  "a": 1\n  ‸\n}\n', '"b": 2', Refused.SYNTAX),
    "row too long": ("markdown", "| a | b |\n|---|---|\n‸\n", "| 1 | 2 | 3 |", Refused.TABLE_CELLS),
    "elsewhere": ("python", "x = a‸ + b\n", ".c\ny = 2\nz", Refused.MID_LINE),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    language, marked, text, reason = REFUSED[name]
    answer, _, _ = ask(marked, text, language=language)
    assert (answer.refused, answer.suggestions) == (reason, ())
    assert answer.result is not None


@pytest.mark.parametrize(
    ("language", "marked", "text"),
    [
        ("javascript", "function f() {\n  if (a) {\n    b();\n  ‸\n}\n", "}"),
        ("python", "x = [\n    1,\n‸\n", "]"),
        ("python", "def f(x):\n    if x:\n        return False\n    ‸\n", "return False"),
        ("python", "layers = [\n    linear,\n    ‸\n]\n", "0,\n    0,\n    0,\n    0"),
        ("markdown", "Title\n‸\n", "====================================="),
    ],
)
def test_what_is_left_alone(language: str, marked: str, text: str) -> None:
    assert after(marked, text, language=language) == marked.replace("‸", text)


def test_cut_off_tail_goes_back_to_the_last_whole_statement() -> None:
    text = "if (n < 2) {\n    return n;\n  }\n  const p = n - 1;\n  for (const x of xs) {\n    if (x < p"
    done = after("function f(n) {\n  ‸\n}\n", text, language="javascript", stop=StopReason.LENGTH)
    assert done == "function f(n) {\n  if (n < 2) {\n    return n;\n  }\n  const p = n - 1;\n}\n"


def test_cut_off_block_is_closed() -> None:
    text = "if (a) {\n    b();\n    c(d"
    done = after("function f() {\n  ‸\n}\n", text, language="javascript", stop=StopReason.DEADLINE)
    assert done == "function f() {\n  if (a) {\n    b();\n  }\n}\n"


def test_cut_off_block_of_indentation_ends_with_its_last_line() -> None:
    text = "for x in xs:\n        a(x)\n    if b:\n        c = d"
    done = after("def f(xs):\n    ‸\n", text, stop=StopReason.LENGTH)
    assert done == "def f(xs):\n    for x in xs:\n        a(x)\n"


def test_whole_answer_is_not_shortened() -> None:
    text = "for x in xs:\n        a(x)\n    return b"
    assert after("def f(xs):\n    ‸\n", text).endswith("return b\n")


def test_prose_that_was_cut_ends_with_a_word() -> None:
    done = after("Some words ‸\n", "that are cut in the mid", language="markdown", stop=StopReason.LENGTH)
    assert done == "Some words that are cut in the\n"


@pytest.mark.parametrize(
    ("language", "marked", "text"),
    [
        ("python", "‸\n", "for x in xs:"),
        ("javascript", "a();\n  ‸\nb();\n", "if (a) {"),
        ("javascript", "a();\n  ‸\nb();\n", "call("),
        ("lua", "a()\n  ‸\nb()\n", "if x then"),
        ("shellscript", "a\n  ‸\nb\n", "for x in 1 2; do"),
    ],
)
def test_a_line_may_open_a_block(language: str, marked: str, text: str) -> None:
    settings = Settings(multi_line=False)
    assert after(marked, text, language=language, settings=settings, stop=StopReason.NEWLINE) == marked.replace(
        "‸", text
    )


def test_a_line_may_not_stop_in_the_middle_of_an_expression() -> None:
    answer, _, _ = ask("x = ‸\n", "f(a +", invoked=False, stop=StopReason.NEWLINE)
    assert answer.refused is Refused.CUT_OFF


@pytest.mark.parametrize(
    ("marked", "refused"),
    [
        ("foo(‸, b)\n", Refused.MID_LINE),
        ("foo = get‸Name()\n", Refused.MID_WORD),
        ("foo = get‸_name()\n", Refused.MID_WORD),
        ("‸x = 1\n", Refused.MID_WORD),
    ],
)
def test_unasked_it_keeps_out_of_the_middle_of_lines(marked: str, refused: Refused) -> None:
    answer, request, _ = ask(marked, "a", invoked=False)
    assert (answer.refused, request) == (refused, None)


@pytest.mark.parametrize("marked", ["foo(‸)\n", 'x = "‸")\n', "if (‸) {\n", "x = [‸];\n", "f(‸)  \n"])
def test_unasked_it_works_before_closing_punctuation(marked: str) -> None:
    _, request, _ = ask(marked, "a", invoked=False, language="javascript")
    assert request is not None


@pytest.mark.parametrize(
    ("language", "marked", "one_line"),
    [
        ("python", "def f(x):\n    ‸\n", False),
        ("python", "def f(x):‸\n", False),
        ("python", "‸", False),
        ("python", "x = 1\n\n‸\n", False),
        ("javascript", "if (a) {\n  ‸\n}\n", False),
        ("yaml", "a:\n  - ‸\n", False),
        ("python", "def f(x):\n    y = 1\n    ‸\n", True),
        ("python", "x = ‸\n", True),
        ("python", "x = f(‸)\n", True),
        ("python", "def f():\n    # say ‸\n", True),
        ("python", 'x = "a‸"\n', True),
        ("markdown", "# Title\n\n‸\n", True),
    ],
)
def test_unasked_it_writes_several_lines_only_into_blocks(language: str, marked: str, one_line: bool) -> None:
    _, request, _ = ask(marked, "a", invoked=False, language=language)
    assert request is not None
    assert request.holes[0].one_line is one_line


@pytest.mark.parametrize(
    ("marked", "one_line"),
    [
        ("x = ‸\n", False),
        ("x = f(‸)\n", False),
        ("x = a‸ + b\n", True),
        ("# say ‸\n", True),
        ('x = "a‸"\n', True),
    ],
)
def test_asked_it_writes_several_lines_where_they_fit(marked: str, one_line: bool) -> None:
    _, request, _ = ask(marked, "a")
    assert request is not None
    assert request.holes[0].one_line is one_line


def test_long_files_and_settings_ask_for_one_line() -> None:
    _, request, _ = ask("x = 1\n" * 8000 + "def f():\n    ‸\n", "a")
    assert request is not None
    assert request.holes[0].one_line
    _, request, _ = ask("def f():\n    ‸\n", "a", settings=Settings(multi_line=False))
    assert request is not None
    assert request.holes[0].one_line


def test_only_unasked_blocks_are_stopped_by_what_they_say() -> None:
    for invoked in (False, True):
        _, request, _ = ask("def f():\n    ‸\n", "1", invoked=invoked)
        assert request is not None
        assert (request.enough is None) is invoked
        assert request.holes[0].wanted is not invoked


def test_one_line_is_the_first_line() -> None:
    done = after("def f():\n    a = 1\n    ‸\n", "b = 2\n    return b", invoked=False)
    assert done == "def f():\n    a = 1\n    b = 2\n"


def test_what_the_engine_is_told() -> None:
    settings = Settings(max_tokens=64, candidates=2, completion_deadline_ms=500)
    _, request, _ = ask("a = 1\r\nb = ‸\r\n", "2", settings=settings, uri="file:///home/someone/project/src/a.py")
    assert request is not None
    assert request.text == "a = 1\nb = \n"
    assert (request.holes[0].start, request.holes[0].end) == (10, 10)
    assert (request.mode, request.candidates, request.max_tokens) == (Mode.JOINT, 2, 64)
    assert (request.language, request.path, request.deadline_s) == ("python", "src/a.py", 0.5)


def test_asked_by_hand_several_are_ranked_and_shown_in_that_order() -> None:
    """Ranked ones pass more often than the lossless one (docs/LOG.md), and who asks can wait for them."""
    answer, request, _ = ask("x = ‸\n", "2", "1", "3", settings=Settings())
    assert request is not None
    assert (request.mode, request.candidates) == (Mode.JOINT, 3)
    assert [one.text for one in answer.suggestions] == ["2", "1", "3"]


def test_unasked_it_asks_for_one_candidate() -> None:
    _, request, _ = ask("x = ‸\n", "1", invoked=False)
    assert request is not None
    assert (request.mode, request.candidates) == (None, 1)


def test_a_mode_can_be_demanded() -> None:
    _, request, _ = ask("x = ‸\n", "1", mode=Mode.LOSSLESS)
    assert request is not None
    assert (request.mode, request.candidates) == (Mode.LOSSLESS, 1)


def test_candidates_are_cleaned_one_by_one_and_doubles_go() -> None:
    answer, _, _ = ask("x = ‸\n", "a b", "1", "1<|endoftext|>", "2")
    assert [one.text for one in answer.suggestions] == ["1", "2"]
    assert answer.refused is None


def test_the_engine_is_told_of_errors_as_they_would_be_inserted() -> None:
    engine = Answering("1<|fim_pad|>", "a b", "")
    complete(engine, Snapshot("file:///a.py", "python", 1, "x = \n"), 4, SETTINGS, invoked=True)
    assert [added > 0 for added in engine.added] == [False, True, True]


def test_a_cursor_between_carriage_return_and_line_feed_is_before_both() -> None:
    snapshot = Snapshot("file:///a.py", "python", 1, "x = \r\n")
    answer = complete(Answering("1"), snapshot, 5, SETTINGS, invoked=True)
    assert accepted(answer, snapshot) == "x = 1\r\n"


def test_an_offset_outside_is_the_nearest_inside() -> None:
    snapshot = Snapshot("file:///a.py", "python", 1, "x = ")
    assert accepted(complete(Answering("1"), snapshot, 99, SETTINGS, invoked=True), snapshot) == "x = 1"


def test_excluded_files_never_reach_the_engine() -> None:
    answer, request, _ = ask("x = ‸\n", "1", uri="file:///project/.env")
    assert (answer.refused, request) == (Refused.EXCLUDED, None)
    answer, request, _ = ask("x = ‸\n", "1", settings=Settings(exclude=("code",)))
    assert (answer.refused, request) == (Refused.EXCLUDED, None)


def test_untitled_documents_are_completed() -> None:
    assert after("def f(x):\n    return ‸\n", "x", uri="untitled:Untitled-1") == "def f(x):\n    return x\n"


def test_cancelling_passes_through() -> None:
    token = CancelToken()
    token.cancel()
    snapshot = Snapshot("file:///a.py", "python", 1, "x = ")
    with pytest.raises(Cancelled):
        complete(Answering("1"), snapshot, 4, SETTINGS, invoked=True, cancel=token)


@pytest.mark.parametrize("language", ["json", "javascript", "python", "markdown", "yaml"])
def test_a_line_of_megabytes_is_answered_from_what_is_near(language: str) -> None:
    head = '{"blob": "' + "x" * 2_000_000
    answer, request, snapshot = ask(head + '", "k": ‸}\n', "1", language=language)
    assert request is not None
    assert len(request.text) < 2 * SETTINGS.prompt_tokens * 3
    assert answer.refused or accepted(answer, snapshot) == head + '", "k": 1}\n'


def test_a_file_of_many_lines_is_answered_from_what_is_near() -> None:
    above = "".join(f"def f{number}(a):\n    return a\n\n\n" for number in range(6000))
    answer, request, snapshot = ask(above + "def g(a):\n    ‸\n\n\n" + above, "return a * 2")
    assert request is not None
    assert len(request.text) < 2 * SETTINGS.prompt_tokens * 3
    assert accepted(answer, snapshot) == above + "def g(a):\n    return a * 2\n\n\n" + above


def test_json_stays_json() -> None:
    done = after('{\n  "a": [1, 2],\n  ‸\n  "c": {"d": null}\n}\n', '"b": {"x": true}', language="json")
    assert json.loads(done) == {"a": [1, 2], "b": {"x": True}, "c": {"d": None}}


TEXT = st.text(st.sampled_from("ab(){}[]\"'`,:;|.= \t\n\r\\#-<>/😀"), max_size=40)


@given(
    before=TEXT,
    behind=TEXT,
    candidate=TEXT,
    language=st.sampled_from(["python", "javascript", "json", "yaml", "markdown", "html", "rust", ""]),
    stop=st.sampled_from(StopReason),
    invoked=st.booleans(),
)
def test_no_character_of_the_users_is_ever_lost(
    before: str, behind: str, candidate: str, language: str, stop: StopReason, invoked: bool
) -> None:
    snapshot = Snapshot("untitled:a", language, 1, before + behind)
    answer = complete(Answering(candidate, stop=stop), snapshot, len(before), SETTINGS, invoked=invoked)
    assert bool(answer.suggestions) != bool(answer.refused)
    for one in answer.suggestions:
        replaced, characters = snapshot.text[one.start : one.end], iter(one.text)
        assert one.start in (len(before), len(before) - 1)
        assert "\n" not in replaced
        assert "\r" not in replaced
        assert all(character in characters for character in replaced)


def test_what_a_deadline_left_broken_is_named_after_it() -> None:
    snapshot = Snapshot("file:///a.py", "python", 1, "x = \n")
    for stop, refused in ((StopReason.DEADLINE, Refused.DEADLINE), (StopReason.END, Refused.SYNTAX)):
        answer = complete(Answering("a b", stop=stop), snapshot, 4, Settings(), invoked=True)
        assert (answer.suggestions, answer.refused) == ((), refused)


def test_what_was_cut_off_in_an_endless_line_is_refused() -> None:
    text = '{"blob": "' + "x" * 200_000 + '", "k": }\n'
    at = text.index("}")
    for stop, refused in ((StopReason.LENGTH, Refused.CUT_OFF), (StopReason.END, None)):
        engine = Answering('1, "v": 1', stop=stop)
        answer = complete(engine, Snapshot("file:///a.json", "json", 1, text), at, Settings(), invoked=True)
        assert answer.refused == refused


@pytest.mark.parametrize(("invoked", "expected"), [(False, "return 1"), (True, "return 1\n\n\ndef g():\n    return 2")])
def test_nobody_gets_the_next_function_unasked(expected: str, *, invoked: bool) -> None:
    engine = Answering("return 1\n\n\ndef g():\n    return 2")
    snapshot = Snapshot("file:///project/a.py", "python", 1, "def f():\n    \n")
    answer = complete(engine, snapshot, 13, Settings(), invoked=invoked)
    assert [one.text for one in answer.suggestions] == [expected]

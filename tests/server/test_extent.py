"""`‸` marks the cursor."""

from __future__ import annotations

import pytest

from server.context import shown_to_engine, site_at
from server.extent import wants_one_line
from server.settings import Settings
from server.snapshot import Snapshot


def one_line(marked: str, language: str, *, invoked: bool = False, settings: Settings | None = None) -> bool:
    offset, settings = marked.index("‸"), settings or Settings()
    snapshot = Snapshot("file:///project/code", language, 1, marked.replace("‸", ""))
    site = site_at(snapshot, offset, shown_to_engine(snapshot, offset, offset, settings), settings)
    return wants_one_line(snapshot, site, settings, invoked=invoked)


EMPTY_BLOCKS = [
    ("python", "def f(x):‸\n"),
    ("python", "class A:\n    def f(x):‸\n\n    def g(x):\n        pass\n"),
    ("python", "if x:‸\nelse:\n    pass\n"),
    ("python", "def f(x):  # why\n    ‸\n"),
    ("python", 'def f(x):\n    """Doc."""\n    ‸\n'),
    ("python", "class A:\n    def f(x):\n        # first\n        ‸\n\n    def g(x):\n        pass\n"),
    ("javascript", "function f() {‸\n}\n"),
    ("javascript", "const f = () => {‸\n"),
    ("javascript", "function f() {\n  // first\n  ‸\n}\n"),
    ("typescript", "interface A {‸\n}\n"),
    ("go", "func f() {‸\n}\n"),
    ("rust", "fn f() {\n    // first\n    ‸\n}\n"),
    ("rust", "struct A {‸\n}\n"),
    ("java", "class A {\n    void f() {‸\n    }\n}\n"),
    ("c", "int f() {‸\n}\n"),
    ("cpp", "class A {‸\n};\n"),
    ("lua", "function f()‸\nend\n"),
    ("shellscript", "if true; then‸\nfi\n"),
    ("klingon", "x {‸\n}\n"),
]
NO_EMPTY_BLOCKS = [
    ("python", "def f(x):‸\n    return x\n"),  # it is written
    ("python", 'd = {"a":‸\n'),  # a value, no block
    ("python", "x = f(‸\n"),
    ("python", "def f(x):\n    a = 1\n    ‸\n"),
    ("python", 'def f(x):\n    """Doc."""\n    ‸\n    return x\n'),
    ("python", "def f(x):\n    # first\n    ‸\n    return x\n"),
    ("python", 'def f(x):\n    a = """no docstring"""\n    ‸\n'),
    ("python", 'def f(x):\n    # first\n    ‸\n    """No docstring if something stands before it."""\n'),
    ("javascript", "function f() {‸\n  return 1;\n}\n"),
    ("javascript", "function f() {\n  a();\n  ‸\n}\n"),
    ("go", "func f() {‸\n\ta()\n}\n"),
    ("rust", "fn f() {\n    a();\n    ‸\n}\n"),
]


@pytest.mark.parametrize(("language", "marked"), EMPTY_BLOCKS)
def test_an_empty_block_takes_several_lines(language: str, marked: str) -> None:
    assert not one_line(marked, language)


@pytest.mark.parametrize(("language", "marked"), NO_EMPTY_BLOCKS)
def test_anything_else_takes_one(language: str, marked: str) -> None:
    assert one_line(marked, language)


@pytest.mark.parametrize("marked", ["def f(x):\n    ‸\n    return x\n", "x = f(\n    ‸\n)\n"])
def test_an_empty_line_after_an_opener_takes_several(marked: str) -> None:
    assert not one_line(marked, "python")


@pytest.mark.parametrize(
    ("language", "marked"),
    [
        ("python", "def f(x): ‸)\n"),  # in the middle of a line
        ("javascript", "if (a) {‸}\n"),
        ("python", "def f(x):\n    # say ‸\n"),  # in a comment
        ("javascript", "/* a {\n   ‸\n*/\n"),
        ("python", "x = 1\n" * 8000 + "def f():‸\n"),  # in a long file
    ],
)
def test_lines_that_stay_one(language: str, marked: str) -> None:
    assert one_line(marked, language)


def test_settings_and_whoever_asks() -> None:
    assert one_line("def f(x):‸\n", "python", settings=Settings(multi_line=False))
    assert not one_line("x = f(‸\n", "python", invoked=True)


def test_a_heading_ends_with_its_line_whoever_asks() -> None:
    assert one_line("# A\n\n## ‸\n", "markdown", invoked=True)
    assert not one_line("# A\n\n#hash ‸\n", "markdown", invoked=True)

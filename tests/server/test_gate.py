from __future__ import annotations

from server.gate import Gate, as_document
from server.snapshot import Snapshot
from server.syntax import Edit


def test_edits_are_by_the_documents_offsets() -> None:
    snapshot = Snapshot("file:///a.py", "python", 1, "a = 1\r\nb = \r\n")
    gate = Gate(snapshot, 11, 11, holes=True)
    assert gate.added([Edit(11, 11, "2")]) == 0
    assert gate.added([Edit(11, 11, "2 3")]) > 0


def test_a_long_document_is_judged_near_the_edit() -> None:
    text = "def f(a):\n    return a\n\n\n" * 10_000
    at = text.index("return a", 100_000) + 7
    gate = Gate(Snapshot("file:///a.py", "python", 1, text), at, at + 1, holes=False)
    assert gate.added([Edit(at, at + 1, "b + 1")]) == 0
    assert gate.added([Edit(at, at + 1, "b + (")]) > 0


def test_a_piece_of_a_huge_line_is_not_judged() -> None:
    snapshot = Snapshot("file:///a.json", "json", 1, "[" + "1," * 1_000_000 + "1]")
    assert Gate(snapshot, 5000, 5000, holes=True).added([Edit(5000, 5000, "]]")]) == 0


def test_text_gets_the_documents_line_end() -> None:
    assert as_document("a\nb", Snapshot("file:///a", "python", 1, "x\r\n")) == "a\r\nb"
    assert as_document("a\nb", Snapshot("file:///a", "python", 1, "x\n")) == "a\nb"

"""`sfumato infill` with an engine that answers from a script: files of every kind, and what is printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import Engine, EngineConfig, Mode, ProgressSink
from server.cli import main
from tests.clients.scripted_engine import ScriptedOpening

KEYS = ["range", "stop_reason", "refused", "model", "mode", "forwards", "tokens", "tokens_per_forward", "ms"]


class Shell:
    """A folder, a script for the engine, and what a command printed."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capsys = capsys
        self.code = 0
        self.err = ""

    def run(self, data: str | bytes, answers: list[Any], *argv: str, name: str = "a.py") -> str:
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        script = {"answers": answers, "log": str(self.folder / "log")}
        self.code = main(["infill", str(path), *argv], open_engine=ScriptedOpening(script))
        out, self.err = self.capsys.readouterr()
        return out

    def json(self, data: str | bytes, answers: list[Any], *argv: str, name: str = "a.py") -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.run(data, answers, *argv, "--json", name=name))
        return answer

    def asked(self) -> dict[str, Any]:
        """The last request the engine saw."""
        request: dict[str, Any] = json.loads((self.folder / "log").read_text().splitlines()[-1])
        return request


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, capsys)


def at(line: int, character: int) -> list[str]:
    return ["--line", str(line), "--character", str(character)]


def span(line: int, character: int, end_line: int, end_character: int) -> dict[str, dict[str, int]]:
    return {
        "start": {"line": line, "character": character},
        "end": {"line": end_line, "character": end_character},
    }


def test_the_json_of_a_completion(shell: Shell) -> None:
    answer = shell.json("x = \n", ["1"], *at(0, 4))
    assert list(answer) == ["text", *KEYS]
    assert (answer["text"], answer["range"]) == ("1", span(0, 4, 0, 4))
    assert (answer["stop_reason"], answer["refused"], answer["mode"]) == ("end", None, "lossless")
    assert (answer["model"], answer["forwards"], answer["tokens"]) == ("embedded", 2, 6)
    assert answer["tokens_per_forward"] == 3
    assert list(answer["ms"]) == ["load", "encode", "denoise", "total"]
    assert (shell.code, shell.err) == (0, "")


def test_characters_count_utf_16(shell: Shell) -> None:
    answer = shell.json('s = "🙂"; x = \n', ["1"], *at(0, 14))
    assert (answer["text"], answer["range"]) == ("1", span(0, 14, 0, 14))


def test_line_ends_are_those_of_lsp_and_stay(shell: Shell) -> None:
    text = "# a\x0cb\u2028c\r\ndef f():\r\n    \r\n\r\ny = 2\r\n"
    answer = shell.json(text, ["x = 1\n    return x"], *at(2, 4))
    assert answer["range"]["start"] == {"line": 2, "character": 4}
    assert answer["text"] == "x = 1\r\n    return x"


def test_a_byte_order_mark_is_no_character(shell: Shell) -> None:
    assert shell.json(b"\xef\xbb\xbfx = \n", ["1"], *at(0, 4))["range"] == span(0, 4, 0, 4)


def test_an_empty_file(shell: Shell) -> None:
    assert shell.json("", ["x = 1"], *at(0, 0))["text"] == "x = 1"


def test_a_refusal_is_an_answer_with_a_name(shell: Shell) -> None:
    answer = shell.json("x = \n", [""], *at(0, 4))
    assert (answer["text"], answer["refused"], answer["range"]) == (None, "empty", span(0, 4, 0, 4))
    assert shell.code == 0


def test_an_excluded_file_is_not_shown_to_the_engine(shell: Shell) -> None:
    answer = shell.json("KEY=\n", ["1"], *at(0, 4), name=".env")
    assert (answer["text"], answer["refused"], answer["stop_reason"]) == (None, "excluded", None)
    assert not (shell.folder / "log").exists()


def never_opened(config: EngineConfig, *, progress: ProgressSink | None = None) -> Engine:
    raise AssertionError("nobody needs a model to say no")


@pytest.mark.parametrize(
    "argv",
    [["infill", *at(0, 0), "--json"], ["rewrite", "--range", "0:0-0:3", "--instruction", "shorter", "--json"]],
    ids=["infill", "rewrite"],
)
def test_an_excluded_file_opens_no_model(argv: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path := tmp_path / ".env").write_text("KEY=\n")
    main([argv[0], str(path), *argv[1:]], open_engine=never_opened)
    assert json.loads(capsys.readouterr().out)["refused"] == "excluded"


def test_several_candidates_are_texts(shell: Shell) -> None:
    answer = shell.json("x = \n", [{"candidates": [["1"], ["2"], ["1"]]}], *at(0, 4), "--candidates", "3")
    assert (answer["texts"], answer["range"]) == (["1", "2"], [span(0, 4, 0, 4)] * 2)
    assert (answer["mode"], shell.asked()["candidates"]) == ("joint", 3)


def test_the_mode_is_passed_on(shell: Shell) -> None:
    assert shell.json("x = \n", ["1"], *at(0, 4), "--mode", "joint")["mode"] == Mode.JOINT


def test_several_holes_in_any_order(shell: Shell) -> None:
    holes = ["--hole", "1:4-1:7", "--hole", "0:4-0:4"]
    answer = shell.json("x = \ny = old\n", [["1", "2"]], *holes)
    assert (answer["texts"], answer["range"]) == (["1", "2"], [span(0, 4, 0, 4), span(1, 4, 1, 7)])
    assert (answer["mode"], answer["refused"]) == ("joint", None)


def test_one_hole_is_one_text(shell: Shell) -> None:
    answer = shell.json("x = old\n", ["1"], "--hole", "0:4-0:7")
    assert (answer["text"], answer["range"]) == ("1", span(0, 4, 0, 7))


def test_holes_that_get_nothing(shell: Shell) -> None:
    answer = shell.json("x = \ny = \n", [["", ""]], "--hole", "0:4-0:4", "--hole", "1:4-1:4")
    assert answer["texts"] == []
    assert answer["range"] == [span(0, 4, 0, 4), span(1, 4, 1, 4)]
    assert answer["refused"] == "empty"


def test_without_json_the_suggestion_is_shown_in_place(shell: Shell) -> None:
    out = shell.run("a = 0\nx = \nb = 2\n", ["1"], *at(1, 4))
    assert out.splitlines() == ["  │ a = 0", "  │ x = 1", "  │ b = 2"]
    assert "stopped by end" in shell.err
    assert shell.err.count("\n") == 1


def test_candidates_are_shown_one_after_the_other(shell: Shell) -> None:
    out = shell.run("x = \n", [{"candidates": [["1"], ["2"]]}], *at(0, 4), "--candidates", "2")
    assert "x = 1" in out
    assert "x = 2" in out
    assert "───" in out


def test_holes_are_shown_together(shell: Shell) -> None:
    out = shell.run("x = \ny = \n", [["1", "2"]], "--hole", "0:4-0:4", "--hole", "1:4-1:4")
    assert out.splitlines() == ["  │ x = 1", "  │ y = 2"]


def test_a_refusal_is_said_without_json_too(shell: Shell) -> None:
    assert shell.run("x = \n", [""], *at(0, 4)) == ""
    assert "refused: empty" in shell.err


def test_a_line_of_two_megabytes(shell: Shell) -> None:
    text = "x = [" + "1, " * 700_000
    answer = shell.json(text, ["2]"], *at(0, len(text)))
    assert answer["range"]["start"]["character"] == len(text)
    assert len(shell.asked()["text"]) < 100_000


def test_a_file_of_20_000_lines(shell: Shell) -> None:
    text = "x = 1\n" * 10_000 + "y = \n" + "z = 3\n" * 10_000
    answer = shell.json(text, ["2"], *at(10_000, 4))
    assert (answer["text"], answer["range"]) == ("2", span(10_000, 4, 10_000, 4))


def test_a_syntax_error_above(shell: Shell) -> None:
    assert shell.json("def (:\n\nx = \n", ["1"], *at(2, 4))["text"] == "1"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "say where"),
        (["--line", "0"], "say where"),
        ([*at(0, 0), "--hole", "0:0-0:0"], "say where"),
        (["--line", "0", "--hole", "0:0-0:0"], "say where"),
        (at(9, 0), "line 9 is outside the file: its lines are 0 to 1"),
        (at(0, 9), "character 9 is outside line 0: its characters are 0 to 5"),
        (["--hole", "0:0-7:0"], "line 7 is outside the file"),
        (["--hole", "0:0-0:3", "--hole", "0:2-0:4"], "--hole 0:0-0:3 and --hole 0:2-0:4 overlap"),
        (["--hole", "0:1-0:1", "--hole", "0:1-0:1"], "overlap"),
        (["--hole", "0:0-0:3", "--candidates", "2"], "--candidates goes with --line"),
        (["--hole", "0:0-0:1", "--hole", "0:2-0:3", "--mode", "lossless"], "several need joint"),
        ([*at(0, 0), "--candidates", "2", "--mode", "lossless"], "several need joint"),
        ([*at(0, 0), "--candidates", "0"], "--candidates: "),
        ([*at(0, 0), "--max-tokens", "0"], "--max-tokens: "),
    ],
)
def test_what_cannot_be_is_said_before_the_model_is_opened(shell: Shell, argv: list[str], message: str) -> None:
    (shell.folder / "a.py").write_text("x = 1\n")
    opening = ScriptedOpening({})
    assert main(["infill", str(shell.folder / "a.py"), *argv], open_engine=opening) == 2
    assert not opening.opened
    err = shell.capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_a_missing_file_too(shell: Shell) -> None:
    opening = ScriptedOpening({})
    assert main(["infill", str(shell.folder / "none.py"), *at(0, 0)], open_engine=opening) == 2
    assert "no such file" in shell.capsys.readouterr().err
    assert not opening.opened


def test_a_model_that_does_not_open(shell: Shell) -> None:
    (shell.folder / "a.py").write_text("x = \n")
    opening = ScriptedOpening({"models": {"huge": {"error": "no model is named 'huge'"}}})
    code = main(["infill", str(shell.folder / "a.py"), *at(0, 4), "--model", "huge"], open_engine=opening)
    assert (code, shell.capsys.readouterr().err) == (1, "sfumato: no model is named 'huge'\n")


def test_what_is_imported_is_shown_as_an_editor_would(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    (shell.folder / "cart.py").write_text("class Cart:\n    def add(self, item): ...\n")
    text = "from cart import Cart\n\nCart().\n"
    for folder, count in ((shell.folder, 1), (shell.folder / "elsewhere", 0)):
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        shell.run(text, ["add(1)"], *at(2, 7))
        assert len(shell.asked()["snippets"]) == count


def test_a_draft_where_nothing_can_be_drawn_is_the_text_alone(shell: Shell) -> None:
    answer = {"drafts": ["1", "1 +"], "texts": ["1 + 2"]}
    assert shell.run("x = \n", [answer], *at(0, 4), "--draft") == shell.run("x = \n", [answer], *at(0, 4))
    assert shell.code == 0


@pytest.mark.parametrize("where", [at(0, 4), ["--hole", "0:4-0:4", "--hole", "1:4-1:4"]])
def test_a_draft_on_a_terminal_ends_with_the_text(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, where: list[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich's way of saying that this is a terminal
    monkeypatch.setenv("TERM", "xterm-256color")
    out = shell.run("x = \ny = \n", [{"drafts": ["1", "1 +"], "texts": ["1 + 2"]}], *where, "--draft")
    for number in range(3):
        assert f"forward {number}" in out
    assert "1 + 2" in out.rpartition("forward 2")[2]
    assert shell.code == 0


def test_a_draft_is_for_people(shell: Shell) -> None:
    with pytest.raises(SystemExit):
        shell.run("x = \n", ["1"], *at(0, 4), "--draft", "--json")
    assert "not allowed with" in shell.capsys.readouterr().err

"""The plugin in a real Neovim 0.12, typed into, with the real server over a scripted engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from .neovim import PLUGIN, Neovim, neovim_or_reason

NVIM, REASON = neovim_or_reason()
pytestmark = pytest.mark.skipif(not NVIM, reason=REASON)
Edit = Callable[..., Neovim]
BODY = "def add(a, b):\n    "
TAPS = """
vim.keymap.set("i", "<C-l>", function() require("sfumato").accept("word") end)
function tap(...)
  for at, key in ipairs({ ... }) do vim.defer_fn(function() vim.api.nvim_input(key) end, 30 * at) end
end
"""
DRAFTS = {"texts": ["x = 2\n"], "delay_s": 5.0}


@pytest.fixture
def edit(tmp_path: Path) -> Iterator[Edit]:
    """Opens one file in Neovim; the cursor stands at its beginning."""
    started: list[Neovim] = []

    def start(text: str, *answers: str | list[str] | Mapping[str, Any], name: str = "a.py", init: str = "") -> Neovim:
        (tmp_path / name).write_bytes(text.encode())
        neovim = Neovim(NVIM, tmp_path, {"answers": list(answers)}, init=init)
        started.append(neovim)
        return neovim.open(tmp_path / name)

    yield start
    for neovim in started:
        with neovim:
            assert "Error" not in neovim.lua("vim.fn.execute('messages')")


def test_ghost_text_appears_and_tab_accepts_it(edit: Edit) -> None:
    neovim = edit(BODY, "return a + b")
    neovim.keys("GA")
    neovim.until("ghost()", "return a + b")
    assert neovim.text == BODY
    neovim.keys("<Tab>")
    neovim.until("text()", BODY + "return a + b")
    neovim.keys("!")
    assert neovim.text == BODY + "return a + b!"


def test_one_undo_takes_the_ghost_text_away_and_leaves_what_was_typed(edit: Edit) -> None:
    neovim = edit("", "1", "2 + 3")
    neovim.keys("ix = ")
    neovim.until("ghost()", "1")
    neovim.keys("<Tab>")
    neovim.until("text()", "x = 1")
    neovim.keys("<Esc>u")
    assert neovim.text == "x = "


def test_several_lines_are_drawn_below_and_accepted(edit: Edit) -> None:
    neovim = edit("def f(x):\n    \n\n\ny = 1\n", "if x:\n        return 1\n    return 2")
    neovim.keys("jA")
    neovim.until("ghost()", "if x:\n        return 1\n    return 2")
    neovim.keys("<Tab>")
    neovim.until("text()", "def f(x):\n    if x:\n        return 1\n    return 2\n\n\ny = 1")
    neovim.keys("  # !")
    assert "    return 2  # !\n" in neovim.text


@pytest.mark.parametrize("typed", ["r", "ret", "return a + b"])
def test_characters_typed_before_accepting_are_not_doubled(edit: Edit, typed: str) -> None:
    neovim = edit(BODY, "return a + b", {"texts": [""], "delay_s": 3.0})
    neovim.keys("GA")
    neovim.until("ghost()", "return a + b")
    neovim.keys(*typed)
    assert neovim.lua("ghost()") == "return a + b".removeprefix(typed)
    if typed != "return a + b":
        neovim.keys("<Tab>")
    neovim.until("text()", BODY + "return a + b")


def test_other_characters_typed_before_accepting_are_kept_and_nothing_is_inserted(edit: Edit) -> None:
    neovim = edit(BODY, "return a + b")
    neovim.keys("GA")
    neovim.until("ghost()", "return a + b")
    neovim.lua("vim.api.nvim_input('q<Tab>')")
    neovim.until("vim.fn.getline(2):sub(5, 5)", "q")
    assert neovim.text in (BODY + "q", BODY + "q   ")


def test_backspace_before_accepting_inserts_nothing(edit: Edit) -> None:
    neovim = edit("x = 1 +", " 2", {"texts": [""], "delay_s": 3.0})
    neovim.keys("A")
    neovim.until("ghost()", " 2")
    neovim.lua("vim.api.nvim_input('<BS><BS><Tab>')")
    neovim.until("vim.startswith(text(), 'x = 1') and #text() < 7 or text() == 'x = 1   '", True)
    assert "2" not in neovim.text


def test_what_is_replaced_is_replaced_once(edit: Edit) -> None:
    neovim = edit("print()\n", "a, b)")
    neovim.keys("f)i")
    neovim.until("ghost() ~= ''", True)
    neovim.keys("<Tab>")
    neovim.until("text()", "print(a, b)")


def test_columns_are_right_behind_emoji_and_in_dos_files(edit: Edit) -> None:
    neovim = edit('a = "\U0001f469\u200d\U0001f680é"; b = \r\nc = 1\r\n', "2")
    assert neovim.lua("vim.bo.fileformat") == "dos"
    neovim.keys("A")
    neovim.until("ghost()", "2")
    neovim.keys("<Tab>")
    neovim.until("text()", 'a = "\U0001f469\u200d\U0001f680é"; b = 2\nc = 1')


def test_dos_files_get_no_carriage_returns(edit: Edit) -> None:
    neovim = edit("def f(x):\r\n    \r\n\r\n\r\ny = 1\r\n", "if x:\n        return 1\n    return 2")
    neovim.keys("jA")
    neovim.until("ghost() ~= ''", True)
    neovim.keys("<Tab>")
    neovim.until("vim.fn.line('$') > 5", True)
    assert neovim.text == "def f(x):\n    if x:\n        return 1\n    return 2\n\n\ny = 1"


def test_by_word_and_by_line(edit: Edit) -> None:
    keys = """
    vim.keymap.set("i", "<C-l>", function() require("sfumato").accept("word") end)
    vim.keymap.set("i", "<C-j>", function() require("sfumato").accept("line") end)
    """
    neovim = edit("def f(x):\n    \n\n\ny = 1\n", "if x:\n        return 1\n    return 2", init=keys)
    neovim.keys("jA")
    for key, line, column in (("<C-l>", "    if", 6), ("<C-l>", "    if x", 8), ("<C-j>", "    if x:", 9)):
        neovim.until("ghost():match('^[^\\n]') ~= nil or ghost():match('^:') ~= nil", True)
        neovim.keys(key)
        neovim.until("vim.fn.getline(2)", line)
        assert neovim.lua("vim.fn.col('.') - 1") == column


def test_parts_are_accepted_faster_than_the_rest_is_drawn(edit: Edit) -> None:
    neovim = edit("print()\n", "a, b, c, d)", init=TAPS)
    neovim.keys("f)i")
    neovim.until("ghost() ~= ''", True)
    neovim.lua("tap('<C-l>', '<C-l>', '<Tab>')")
    neovim.until("text()", "print(a, b, c, d)")


def test_a_part_that_was_left_is_forgotten_once_something_is_typed(edit: Edit) -> None:
    neovim = edit("print()\n", "a, b, c)", {"texts": [""]}, init=TAPS)
    neovim.keys("f)i")
    neovim.until("ghost() ~= ''", True)
    neovim.lua("tap('<C-l>', 'x', '<Tab>', 'y')")
    neovim.until("(text():gsub('%s+', '_'))", "print(ax_y)")


def test_tab_is_a_tab_when_nothing_is_shown(edit: Edit) -> None:
    neovim = edit("", "")
    neovim.keys("i<Tab>x")
    neovim.until("vim.trim(text())", "x")
    assert neovim.text != "x"


def test_tab_does_what_it_did_before_when_nothing_is_shown(edit: Edit) -> None:
    neovim = edit("", "", init='vim.keymap.set("i", "<Tab>", function() return "T!" end, { expr = true })\n')
    neovim.keys("i<Tab>")
    neovim.until("text()", "T!")


def test_tab_still_jumps_in_a_snippet_after_attaching_again(edit: Edit) -> None:
    neovim = edit("", "")
    neovim.keys(":edit!<CR>")
    neovim.until("require('sfumato').status()", "ready")
    neovim.keys("i<Cmd>lua vim.snippet.expand('f($1, $2)')<CR>")
    neovim.keys("a", "<Tab>", "b")
    neovim.until("text()", "f(a, b)")


def test_tab_indents_a_blank_line_before_it_accepts(edit: Edit) -> None:
    neovim = edit("def f():\n", "    return 1")
    neovim.keys(":setlocal noautoindent indentexpr=<CR>o")
    neovim.until("ghost()", "    return 1")
    neovim.keys("<Tab>")
    neovim.until("vim.fn.getline(2)", "    ")
    neovim.until("ghost()", "return 1")
    neovim.keys("<Tab>")
    neovim.until("vim.fn.getline(2)", "    return 1")


def test_a_rewrite_of_lines_is_one_undo_step(edit: Edit) -> None:
    before = "x = 1\ny = 2\nz = 3\nw = 4"
    neovim = edit(before + "\n", "x = 10\ny = 2\nz = 30\n")
    neovim.keys("Vjj:SfumatoRewrite times ten<CR>")
    neovim.until("text()", "x = 10\ny = 2\nz = 30\nw = 4")
    neovim.keys("u")
    neovim.until("text()", before)


def test_a_preview_is_applied_run_again_or_discarded(edit: Edit) -> None:
    neovim = edit("x = 1\ny = 2\n", "x = 10\n", "x = 100\n", "x = 1000\n")
    neovim.keys(":SfumatoRewrite! times ten<CR>")
    neovim.until("vim.fn.tabpagenr('$')", 2)
    assert "run again" in neovim.lua("vim.wo.winbar")
    assert neovim.lua("vim.wo.diff")
    assert neovim.text == "x = 10\ny = 2"
    neovim.keys("q")
    neovim.until("vim.fn.tabpagenr('$')", 1)
    assert neovim.text == "x = 1\ny = 2"
    neovim.keys(":SfumatoRewrite! times ten<CR>")
    neovim.until("text()", "x = 100\ny = 2")
    neovim.keys("r")
    neovim.until("text()", "x = 1000\ny = 2")
    neovim.keys("a")
    neovim.until("vim.fn.tabpagenr('$')", 1)
    neovim.until("text()", "x = 1000\ny = 2")
    assert not neovim.lua("vim.wo.diff")
    neovim.keys("u")
    neovim.until("text()", "x = 1\ny = 2")


def test_a_preview_of_a_text_changed_since_is_not_applied(edit: Edit) -> None:
    neovim = edit("x = 1\ny = 2\n", "x = 10\n")
    neovim.keys(":SfumatoRewrite! times ten<CR>")
    neovim.until("text()", "x = 10\ny = 2")
    neovim.keys("<C-w>hGAz<Esc>", "<C-w>l", "a")
    neovim.until("#told", 1)
    assert "changed meanwhile" in neovim.told[0]
    assert neovim.text == "x = 1\ny = 2z"


def test_a_rewrite_is_run_again(edit: Edit) -> None:
    neovim = edit("x = 1\n", "x = 10\n", "x = 100\n")
    neovim.keys(":SfumatoRewrite times ten<CR>")
    neovim.until("text()", "x = 10")
    neovim.keys(":SfumatoAgain<CR>")
    neovim.until("text()", "x = 100")


def test_a_selection_of_characters_is_rewritten_exactly(edit: Edit) -> None:
    neovim = edit('a = "\U0001f680é" + b\n', "c\n")
    neovim.keys("fbv:SfumatoRewrite call it c<CR>")
    neovim.until("text()", 'a = "\U0001f680é" + c')
    neovim.keys("0f\U0001f680vl:SfumatoRewrite again<CR>")
    neovim.until("text()", 'a = "c" + c')


def test_holes_of_a_selection_and_of_the_buffer(edit: Edit) -> None:
    neovim = edit("a = <<hole>>\nb = <<hole>>\nc = <<hole>>\n", "1", ["2", "3"])
    neovim.keys("V:SfumatoFill<CR>")
    neovim.until("text()", "a = 1\nb = <<hole>>\nc = <<hole>>")
    neovim.keys(":SfumatoFill<CR>")
    neovim.until("text()", "a = 1\nb = 2\nc = 3")


def test_why_nothing_was_changed_is_told(edit: Edit) -> None:
    neovim = edit("x = 1\n", "")
    neovim.keys(":SfumatoFill<CR>")
    neovim.until("#told", 1)
    assert "no hole is marked" in neovim.told[0]


def test_a_rewrite_can_be_stopped(edit: Edit) -> None:
    neovim = edit("x = 1\n", DRAFTS)
    neovim.keys("V:SfumatoRewrite slowly<CR>", ":SfumatoStop<CR>")
    neovim.until("told", ["Sfumato: stopped"])
    assert neovim.text == "x = 1"


def test_an_edit_for_an_older_buffer_is_not_said_to_be_applied(edit: Edit) -> None:
    neovim = edit("x = 1\n", "")
    call = "require('sfumato').handlers['workspace/applyEdit'](nil, {edit = {documentChanges = {{textDocument = \
        {uri = vim.uri_from_bufnr(0), version = 0}, edits = {}}}}}, {client_id = vim.lsp.get_clients()[1].id})"
    neovim.keys("Ax<Esc>")
    assert neovim.lua(call) == {"applied": False, "failureReason": "the buffer was changed meanwhile"}


def test_edits_are_asked_for_with_their_version(edit: Edit) -> None:
    neovim = edit("x = 1\n", "")
    assert neovim.lua("vim.lsp.get_clients()[1].capabilities.workspace.workspaceEdit.documentChanges") is True


def test_the_status_is_told(edit: Edit) -> None:
    neovim = edit("x = 1\n", "")
    neovim.keys(":SfumatoStatus<CR>")
    neovim.until("told", ["Sfumato: ready"])


def test_without_a_server_commands_say_so(edit: Edit) -> None:
    neovim = edit("x = 1\n", "")
    neovim.keys(":enew<CR>:SfumatoFill<CR>")
    neovim.until("#told", 1)
    assert "no server for this buffer" in neovim.told[0]


def test_settings_reach_the_server(edit: Edit) -> None:
    init = 'vim.lsp.config("sfumato", { settings = { sfumato = { maxTokens = 77, nonsense = 1 } } })\n'
    neovim = edit("x = 1\n", "", init=init)
    neovim.until("#told", 1)
    assert "nonsense" in neovim.told[0]
    assert "maxTokens" not in neovim.told[0]
    assert neovim.told[0].lower().count("sfumato") == 1  # Neovim names the server already


def test_the_plugin_stays_small() -> None:
    lines = [line.strip() for path in PLUGIN.rglob("*.lua") for line in path.read_text(encoding="utf-8").splitlines()]
    assert sum(1 for line in lines if line and not line.startswith("--")) < 250

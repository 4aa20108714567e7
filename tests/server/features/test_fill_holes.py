from __future__ import annotations

from typing import Any

import pytest

from tests.clients.editor import InProcessEditor, range_of

URI = "file:///project/a.py"
FILL = "sfumato.fillHoles"


async def test_placeholders_in_a_range_are_filled_by_one_edit() -> None:
    async with InProcessEditor({"answers": [["a", "b"]]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = <<hole>>\ny = <<hole>>\nz = <<hole>>\n")
        outcome = await editor.command(FILL, {"uri": URI, "version": 1, "range": range_of((0, 0), (2, 0))})
        assert outcome["texts"] == ["a", "b"]
        assert editor.documents[URI] == "x = a\ny = b\nz = <<hole>>\n"
        assert len(editor.applied) == 1


async def test_without_a_range_the_whole_document_is_meant_and_the_placeholder_can_be_set() -> None:
    async with InProcessEditor({"answers": [["a", "b"]]}) as editor:
        await editor.initialize(initializationOptions={"placeholder": "???"})
        editor.open(URI, "x = ???\ny = ???\n")
        await editor.command(FILL, {"uri": URI})
        assert editor.documents[URI] == "x = a\ny = b\n"


async def test_given_holes_may_come_in_any_order_and_touch() -> None:
    async with InProcessEditor({"answers": [["x, ", "y"]]}) as editor:
        await editor.initialize()
        editor.open(URI, "f(AB)\n")
        holes = [range_of((0, 3), (0, 4)), range_of((0, 2), (0, 3))]
        outcome = await editor.command(FILL, {"uri": URI, "holes": holes})
        assert outcome["ranges"] == [range_of((0, 2), (0, 3)), range_of((0, 3), (0, 4))]
        assert editor.documents[URI] == "f(x, y)\n"


@pytest.mark.parametrize("arguments", [{"holes": []}, {"range": range_of((0, 0), (0, 5))}, {}])
async def test_no_hole_is_refused_with_what_to_do(arguments: dict[str, Any]) -> None:
    async with InProcessEditor({}) as editor:
        await editor.initialize()
        editor.open(URI, "x = 1\n")
        outcome = await editor.command(FILL, {"uri": URI, **arguments})
        assert outcome["refused"] == "no-holes"
        assert "<<hole>>" in editor.shown[0]


async def test_a_preview_gives_texts_and_ranges() -> None:
    async with InProcessEditor({"answers": [["a"]]}) as editor:
        await editor.initialize()
        editor.open(URI, "x = <<hole>>\n")
        outcome = await editor.command(FILL, {"uri": URI, "preview": True})
        assert (outcome["texts"], outcome["ranges"]) == (["a"], [range_of((0, 4), (0, 12))])
        assert editor.documents[URI] == "x = <<hole>>\n"


async def test_an_edit_inside_one_hole_ends_it_and_one_between_holes_does_not() -> None:
    script = {"answers": [{"texts": ["a", "b"], "delay_s": 0.1}, {"texts": ["a", "b"], "delay_s": 30}]}
    async with InProcessEditor(script) as editor:
        await editor.initialize()
        editor.open(URI, "x = <<hole>>\n\ny = <<hole>>\n")
        asked = editor.ask_command(FILL, {"uri": URI})
        await editor.until_asked(1)
        editor.edit(URI, (1, 0), (1, 0), "# between")
        assert (await editor.answer(asked))["applied"] is True
        assert editor.documents[URI] == "x = a\n# between\ny = b\n"
        editor.edit(URI, (0, 4), (0, 5), "<<hole>>")
        asked = editor.ask_command(FILL, {"uri": URI})
        await editor.until_asked(2)
        editor.edit(URI, (0, 6), (0, 7), "")
        assert (await editor.answer(asked))["refused"] == "changed-inside"

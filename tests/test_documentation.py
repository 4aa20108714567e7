"""What the pages for users say is so: reasons, commands, links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from server.features.changing import REASONS
from server.quiet import Suppressed
from server.suggestion import Refused

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("*.md"))


def test_every_reason_is_explained_and_none_is_made_up() -> None:
    text = (DOCS / "when-nothing-comes.md").read_text(encoding="utf-8").split("## Reasons")[1]
    named = {name for row in re.findall(r"^\|([^|]+)\|", text, re.MULTILINE) for name in re.findall(r"`([\w-]+)`", row)}
    known = {*Refused, *Suppressed, *REASONS}
    assert known <= named
    assert named - known == {"not-ready", "superseded", "cancelled", "engine-fault"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (DOCS / target).exists()] == []


def test_every_page_is_listed() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if page.name != "README.md" and f"({page.name})" not in index] == []

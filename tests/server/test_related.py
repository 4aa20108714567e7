"""Excerpts of other files: what is chosen, that it stays while somebody types, and what is never read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import EngineConfig, Snippet
from engine.engine import LocalEngine
from engine.models.toy import Toy
from server.privacy import IGNORE_FILE
from server.related import MOST, Related
from server.settings import Settings
from server.snapshot import Snapshot
from server.suggest import complete

SETTINGS = Settings(snippet_tokens=256)
CART = "class Cart:\n    def add(self, item, count=1):\n        pass\n\n\ndef total(cart):\n    return 0\n"
ORDER = "from cart import Cart\n\n\ndef order():\n    cart = Cart()\n    cart.\n"


def document(name: str, text: str, version: int = 1, language: str = "python") -> Snapshot:
    return Snapshot(f"file:///w/shop/{name}", language, version, text)


def shown(text: str, *others: Snapshot, settings: Settings = SETTINGS, name: str = "order.py") -> tuple[Snippet, ...]:
    return Related().snippets(document(name, text), text.rindex(".") + 1, others, settings)


def test_what_is_imported_and_used_is_shown_as_a_comment_under_its_files_name() -> None:
    [snippet] = shown(ORDER, document("cart.py", CART))
    assert snippet == Snippet("shop/cart.py", "# shop/cart.py:\n# class Cart:\n#     def add(self, item, count=1):")


def test_other_languages_have_other_comments() -> None:
    text = 'import { total } from "./cart";\nconst t = total.\n'
    other = document("cart.ts", "export function total(cart: Cart) { return 0; }\n", language="typescript")
    current = document("order.tsx", text, language="typescriptreact")
    [snippet] = Related().snippets(current, len(text) - 1, (other,), SETTINGS)
    assert snippet.text == "// shop/cart.ts:\n// function total(cart: Cart)"


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("cart.py", CART.replace("Cart", "Basket").replace("total", "sum_of"), "python"),  # nothing used
        ("trolley.py", CART, "python"),  # not imported
        ("cart.go", CART, "go"),  # another language
        ("cart.md", CART, "markdown"),
        ("order.py", CART, "python"),  # itself
    ],
)
def test_what_is_not_shown(name: str, text: str, language: str) -> None:
    assert shown(ORDER, document(name, text, language=language)) == ()


def test_nothing_is_shown_where_it_is_turned_off_or_no_comment_can_be_written() -> None:
    assert shown(ORDER, document("cart.py", CART), settings=Settings(snippet_tokens=0)) == ()
    prose = Snapshot("file:///w/shop/order.txt", "plaintext", 1, ORDER)
    assert Related().snippets(prose, 9, (Snapshot("file:///w/shop/cart.txt", "plaintext", 1, CART),), SETTINGS) == ()


def test_a_package_of_one_folder_needs_no_import() -> None:
    other = document("cart.go", "package shop\n\nfunc Total(c Cart) int { return 0 }\n", language="go")
    current = document("order.go", "package shop\n\nvar t = Total.\n", language="go")
    [snippet] = Related().snippets(current, len(current.text) - 1, (other,), SETTINGS)
    assert "func Total(c Cart) int" in snippet.text


def many(count: int) -> tuple[str, list[Snapshot]]:
    """A document that uses a function of each of several others, the last one nearest to the cursor."""
    others = [document(f"m{number}.py", f"def use_{number}(argument_{number}): ...\n") for number in range(count)]
    imports = "".join(f"from m{number} import use_{number}\n" for number in range(count))
    return imports + "".join(f"use_{number}(1)\n" for number in range(count)) + "x.\n", others


def test_the_nearest_used_win_and_stand_in_an_order_that_does_not_depend_on_the_place() -> None:
    text, others = many(9)
    snippets = shown(text, *others)
    assert [snippet.path for snippet in snippets] == [f"shop/m{number}.py" for number in (5, 6, 7, 8)]
    assert shown(text, *reversed(others)) == snippets
    assert len(snippets) == MOST


def test_a_class_that_is_too_long_is_cut_and_leaves_room_for_others() -> None:
    methods = "".join(f"    def method_{number}(self, argument): ...\n" for number in range(24))
    others = document("cart.py", f"class Cart:\n{methods}"), document("basket.py", "def fill(basket): ...\n")
    text = f"from basket import fill\n{ORDER}"
    basket, cart = shown(text, *others, settings=Settings(snippet_tokens=60))
    assert basket.text == "# shop/basket.py:\n# def fill(basket):"
    assert cart.text == "# shop/cart.py:\n# class Cart:\n" + "\n".join(
        f"#     def method_{number}(self, argument):" for number in range(2)
    )


def test_ten_keystrokes_do_not_change_it_though_they_would_choose_anew() -> None:
    text, others = many(9)
    at = text.index("use_3(1)\n") + len("use_3(1)\n")
    related = Related()
    first = related.snippets(document("order.py", text), at, others, SETTINGS)
    assert [snippet.path for snippet in first] == [f"shop/m{number}.py" for number in (2, 3, 4, 5)]
    typed = "use_8(2)\n\n"
    for count in range(1, 11):
        now = document("order.py", text[:at] + typed[:count] + text[at:], version=count + 1)
        assert related.snippets(now, at + count, others, SETTINGS) is first
    far = text + "\n" * 40 + "use_8."
    assert related.snippets(document("order.py", far, 20), len(far), others, SETTINGS) != first
    other_place = Related().snippets(document("order.py", now.text), at + 10, others, SETTINGS)
    assert other_place != first


def test_ten_keystrokes_leave_the_prompt_read() -> None:
    """With a real prompt, a real prefix KV, and other files that are chosen from."""
    text, others = many(9)
    at = text.index("use_3(1)\n") + len("use_3(1)\n")
    related, engine = Related(), LocalEngine(Toy(), EngineConfig(model="toy"), {})  # type: ignore[arg-type]
    typed = "use_8(2)\n\nus"
    for count in range(12):
        now, place = document("order.py", text[:at] + typed[:count] + "\n" + text[at:], count + 1), at + count

        def snippets(now: Snapshot = now, place: int = place) -> tuple[Snippet, ...]:
            return related.snippets(now, place, others, SETTINGS)

        answer = complete(engine, now, place, SETTINGS, invoked=False, snippets=snippets)
        assert answer.result is not None
        usage = answer.result.usage
        assert count == 0 or usage.reused_tokens >= usage.prompt_tokens - 4
    assert usage.prompt_tokens > len(now.text)


def test_elsewhere_it_stays_as_long_as_nothing_is_missing_that_is_used_there() -> None:
    text, others = many(9)
    at = text.index("use_3(1)\n")
    text = text[:at] + "use_3(1)\n" + "# a line that says nothing\n" * 50 + "use_3(2)\n" + "#\n" * 600 + text[at:]
    related = Related()
    first = related.snippets(document("order.py", text), at + 9, others, SETTINGS)
    there = text.index("use_3(2)\n") + 9
    assert related.snippets(document("order.py", text), there, others, SETTINGS) is first
    assert Related().snippets(document("order.py", text), there, others, SETTINGS) != ()
    assert related.snippets(document("order.py", text), len(text), others, SETTINGS) != first


def engine_tokens(snippets: tuple[Snippet, ...]) -> list[int]:
    return Toy().tokenizer.encode("".join(f"{snippet.text}\n\n" for snippet in snippets))


def test_a_jump_within_a_file_leaves_what_is_shown_read() -> None:
    lines = [f"value_{number} = use_1({number})\n" for number in range(100)]
    text, others = "from m1 import use_1\n" + "".join(lines), many(3)[1]
    related, engine = Related(), LocalEngine(Toy(), EngineConfig(model="toy", prompt_tokens=400), {})  # type: ignore[arg-type]
    reused = []
    for line in (90, 10, 50):
        at = text.index(lines[line]) + len(lines[line]) - 1
        shown = related.snippets(document("order.py", text), at, others, SETTINGS)
        answer = complete(engine, document("order.py", text), at, SETTINGS, invoked=False, snippets=lambda: shown)  # noqa: B023
        assert answer.result is not None
        reused.append(answer.result.usage.reused_tokens)
    tokens = len(engine_tokens(shown))
    assert min(reused[1:]) >= tokens + 2  # and two control tokens


def test_as_long_as_there_is_nothing_every_line_looks_again() -> None:
    related, others = Related(), (document("cart.py", CART),)
    assert related.snippets(document("order.py", "x.\n"), 2, others, SETTINGS) == ()
    assert related.snippets(document("order.py", "x.\n" + ORDER, 2), len(ORDER) + 2, others, SETTINGS) != ()


def test_another_file_that_changed_is_read_again() -> None:
    related, current = Related(), document("order.py", ORDER)
    related.snippets(current, len(ORDER) - 1, (document("cart.py", CART),), SETTINGS)
    changed = document("cart.py", CART.replace("count=1", "count=2"), version=2)
    [snippet] = related.snippets(current, len(ORDER) - 1, (changed,), SETTINGS)
    assert "count=2" in snippet.text


LIKE = "".join(f"    result_{n} = compute_{n}(value, other)\n" for n in range(8))
HERE = f"def one(value, other):\n{LIKE[:200]}    x.\n"
ALIKE = document("two.py", f"def two(value, other):\n{LIKE}" + " ".join(f"name_{n}" for n in range(20)) + "\n")


def test_what_resembles_the_surroundings_is_shown_but_not_their_double_and_not_cut_to_pieces() -> None:
    wide = Settings(snippet_tokens=1024)
    [snippet] = shown(HERE, document("copy.py", HERE), ALIKE, document("far.py", "import os\n"), settings=wide)
    assert snippet.path == "shop/two.py"
    assert "# def two(value, other):" in snippet.text
    assert shown(HERE, ALIKE) == ()


def test_a_window_keeps_to_the_budget() -> None:
    long = document("two.py", ALIKE.text + f"# {'other ' * 60}\n" * 50)
    [snippet] = shown(HERE, long, settings=Settings(snippet_tokens=700))
    assert 700 < len(snippet.text) < 700 * 3 * 1.1


def test_a_huge_text_costs_no_more_than_its_time() -> None:
    text, others = many(9)
    huge = [document(f"m{number}.py", "def use_1(a): ...\n" * 60_000) for number in range(9, 29)]
    began = time.monotonic()
    Related().snippets(
        document("order.py", "y = 1;" * 500_000 + text), 3_000_000 + len(text), [*huge, *others], SETTINGS
    )
    assert time.monotonic() - began < 3  # one file is read to its limit; on a busy machine


def test_what_is_not_read_in_time_is_left_out_and_looked_at_again_on_another_line() -> None:
    text, others = many(3)
    current, related = document("order.py", text), Related(time_s=0.0)
    assert related.snippets(current, len(text) - 1, others, SETTINGS) == ()
    related._time_s = 9.0
    assert related.snippets(current, len(text) - 1, others, SETTINGS) == ()
    assert len(related.snippets(current, len(text) - 4, others, SETTINGS)) == 3


PIECES = [
    "def use_1(a):",
    "class use_2",
    "(",
    ")",
    ":",
    "\n",
    "\r\n",
    "\r",
    "\f",
    "\u2028",
    "    ",
    "'''",
    "#",
    "\ud800",
    "🖌",
]
pieces = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(text=pieces, other=pieces, at=st.integers(0, 80), budget=st.sampled_from([1, 20, 256, 1024]))
def test_whatever_the_texts_are_only_comments_are_shown_and_the_budget_holds(
    text: str, other: str, at: int, budget: int
) -> None:
    current, source = document("order.py", f"import cart\nuse_1 use_2\n{text}"), document("cart.py", other)
    snippets = Related().snippets(current, at, (source,), Settings(snippet_tokens=budget))
    lines = [line for snippet in snippets for line in snippet.text.split("\n")]
    assert all(line.startswith("#") and "\r" not in line for line in lines)
    assert sum(map(len, lines)) <= budget * 3 + 2 * len(lines) + 20


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "cart.py").write_text(CART)
    return tmp_path.resolve()


def from_disk(workspace: Path, settings: Settings = SETTINGS) -> tuple[Snippet, ...]:
    related = Related((workspace,))
    current = Snapshot((workspace / "shop" / "order.py").as_uri(), "python", 1, ORDER)
    return related.snippets(current, len(ORDER) - 1, (), settings)


def test_an_imported_file_is_read_from_disk(workspace: Path) -> None:
    [snippet] = from_disk(workspace)
    assert "def add(self, item, count=1)" in snippet.text


def test_an_open_document_is_what_counts_not_its_file(workspace: Path) -> None:
    related = Related((workspace,))
    current = Snapshot((workspace / "shop" / "order.py").as_uri(), "python", 1, ORDER)
    unsaved = Snapshot((workspace / "shop" / "cart.py").as_uri(), "python", 5, CART.replace("count=1", "unsaved"))
    [snippet] = related.snippets(current, len(ORDER) - 1, (unsaved,), SETTINGS)
    assert "unsaved" in snippet.text


def test_what_is_private_is_not_read(workspace: Path) -> None:
    assert from_disk(workspace, Settings(snippet_tokens=256, exclude=("cart.py",))) == ()
    (workspace / IGNORE_FILE).write_text("cart.*\n")
    assert from_disk(workspace) == ()


def test_what_became_private_is_shown_no_longer(workspace: Path) -> None:
    related = Related((workspace,))
    current = Snapshot((workspace / "shop" / "order.py").as_uri(), "python", 1, ORDER)
    assert related.snippets(current, len(ORDER) - 1, (), SETTINGS) != ()
    (workspace / IGNORE_FILE).write_text("cart.*\n")
    assert related.snippets(current, len(ORDER) - 1, (), SETTINGS) == ()


@pytest.mark.parametrize("name", [".env", "id_rsa", "secrets/keys.py", "private/keys.py"])
def test_a_link_to_what_is_private_or_outside_is_not_read(workspace: Path, name: str, tmp_path: Path) -> None:
    target = workspace / name if "private" not in name else workspace.parent / f"{workspace.name}-out" / "keys.py"
    target.parent.mkdir(exist_ok=True)
    target.write_text(CART)
    (workspace / "shop" / "cart.py").unlink()
    (workspace / "shop" / "cart.py").symlink_to(target)
    assert from_disk(workspace) == ()


def test_excluded_open_documents_are_not_shown() -> None:
    for uri in ("file:///w/secrets/cart.py", "untitled:/w/secrets/cart.py"):
        assert shown(ORDER, Snapshot(uri, "python", 1, CART)) == ()


def test_what_cannot_be_read_is_passed_over(workspace: Path) -> None:
    (workspace / "shop" / "cart.py").write_bytes(b"class Cart:\xff\n")
    assert from_disk(workspace) == ()
    (workspace / "shop" / "cart.py").write_text(CART + "#" * 200_000)
    assert from_disk(workspace) == ()
    (workspace / "shop" / "cart.py").unlink()
    (workspace / "shop" / "cart.py").mkdir()
    assert from_disk(workspace) == ()

"""Who may import whom, how long a file may be, and that the documents say what is true: read from the source itself."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path, PurePosixPath

import pytest

import engine

ROOT = Path(__file__).resolve().parent.parent
PATHS = [*(ROOT / "engine").rglob("*.py"), *(ROOT / "server").rglob("*.py")]
SOURCES = sorted(path.relative_to(ROOT).as_posix() for path in PATHS if path.parent.name != "demo_files")

LEAVES = ("request", "config", "cancel", "errors")
STRATEGIES = ("schedule", "sampler", "unmask", "remask", "stopping", "choose", "propose", "verify", "ending")
LOOPS = ("denoise", "drafting")  # each with what it denoises: a canvas, a draft
DRIVERS = (
    "session",
    "attention",
    "record",
    "flight",
    "speculation",
    "runner",
    "suggest",
    "filling",
    "rewriting",
    "context",
    "trim",
    "edits",
    "progress",
)
GROUND = (
    "snapshot",
    "documents",
    "positions",
    "languages",
    "suggestion",
    "syntax",
    "settings",
    "status",
    "privacy",
    "completion_cache",
    "place",
    "quiet",
    "acceptance",
)
MAY_SEE_LSPROTOCOL = (
    "server/app.py",
    "server/features/",
    "server/edits.py",
    "server/positions.py",
    "server/progress.py",
)


@cache
def tree_of(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), path)


def module_of(path: str) -> str:
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def nodes_at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Everything that runs when the module is imported: no function bodies, nothing only for types."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from nodes_at_import(node)


def imports_of(path: str, *, at_import: bool = False) -> set[str]:
    """Full dotted names of what a file imports: modules, and names taken out of them."""
    package = module_of(path).split(".") if path.endswith("__init__.py") else module_of(path).split(".")[:-1]
    found: set[str] = set()
    for node in nodes_at_import(tree_of(path)) if at_import else ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def of_package(imports: set[str], *packages: str) -> set[str]:
    return {name for name in imports if any(name == package or name.startswith(f"{package}.") for package in packages)}


def sources(*prefixes: str) -> list[str]:
    return [path for path in SOURCES if path.startswith(prefixes)]


def reached_at_import(start: str) -> set[str]:
    """Everything that importing a module of ours imports, on the way through other modules of ours."""
    files = {module_of(path): path for path in SOURCES}
    seen: set[str] = set()
    todo = [start]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        todo += [name.rpartition(".")[0]] if "." in name else []
        todo += imports_of(files[name], at_import=True) if name in files else []
    return seen


@pytest.mark.parametrize("path", sources("engine/"))
def test_rule_1_engine_knows_no_editor(path: str) -> None:
    assert not of_package(imports_of(path), "server", "pygls", "lsprotocol", "tree_sitter", "msgspec")


@pytest.mark.parametrize("path", sources("server/"))
def test_rule_2_server_takes_only_the_engines_public_names(path: str) -> None:
    allowed = {"engine", *(f"engine.{name}" for name in engine.__all__)}
    assert of_package(imports_of(path), "engine") <= allowed
    assert not of_package(imports_of(path), "torch", "transformers", "safetensors", "gguf", "numpy")


@pytest.mark.parametrize("module", ["engine", "server.cli", "server.app"])
def test_rule_2_starting_reads_no_weights(module: str) -> None:
    heavy = of_package(reached_at_import(module), "torch", "transformers", "numpy", "gguf", "huggingface_hub")
    assert not heavy, "the server answers `initialize` before any of these is imported"


@pytest.mark.parametrize("path", sources("server/"))
def test_rule_3_layers_of_the_server(path: str) -> None:
    imports = imports_of(path)
    above = {"server.app", "server.cli", "server.features", "server.__main__"}
    name = PurePosixPath(path).stem
    if path.startswith("server/features/"):
        above.remove("server.features")
    elif path.startswith("server/cli/") or path == "server/__main__.py":
        above.clear()
    elif name == "app":
        above = {"server.cli"}
    if name in GROUND:
        above |= {f"server.{driver}" for driver in DRIVERS}
    assert not of_package(imports, *above)
    if not path.startswith(MAY_SEE_LSPROTOCOL):
        assert not of_package(imports, "lsprotocol")


@pytest.mark.parametrize("path", [path for path in SOURCES if path in {f"engine/{leaf}.py" for leaf in LEAVES}])
def test_rule_4_leaves_import_no_torch(path: str) -> None:
    others = {f"engine.{leaf}" for leaf in LEAVES}
    imports = of_package(imports_of(path), "engine", "torch", "transformers", "numpy")
    assert imports == of_package(imports, *others)


@pytest.mark.parametrize("path", [path for path in SOURCES if path in {f"engine/{name}.py" for name in STRATEGIES}])
def test_rule_4_strategies_do_not_meet(path: str) -> None:
    others = {f"engine.{name}" for name in STRATEGIES} - {module_of(path)}
    assert not of_package(imports_of(path), *others, *(f"engine.{loop}" for loop in LOOPS), "engine.engine")


@pytest.mark.parametrize(
    ("path", "above"),
    [
        ("engine/canvas.py", ("engine.denoise", "engine.drafting", "engine.engine")),
        ("engine/draft.py", ("engine.denoise", "engine.drafting", "engine.engine")),
        ("engine/denoise.py", ("engine.drafting", "engine.engine")),
        ("engine/drafting.py", ("engine.denoise", "engine.engine")),
    ],
)
def test_rule_4_state_below_loop_below_engine(path: str, above: tuple[str, ...]) -> None:
    assert not of_package(
        imports_of(path),
        *above,
        *(f"engine.{name}" for name in STRATEGIES if path not in {f"engine/{loop}.py" for loop in LOOPS}),
    )


def test_rule_4_no_cycles() -> None:
    """Imports at import time form no cycle, in either package."""
    files = {module_of(path): path for path in SOURCES}
    edges = {
        name: {longest_known(target, files) for target in imports_of(path, at_import=True)} - {name}
        for name, path in files.items()
    }
    while ready := [name for name, targets in edges.items() if not targets & edges.keys()]:
        for name in ready:
            del edges[name]
    assert not edges, f"these import each other: {sorted(edges)}"


def longest_known(name: str, files: dict[str, str]) -> str:
    while name and name not in files:
        name = name.rpartition(".")[0]
    return name


@pytest.mark.parametrize("path", sources("server/"))
def test_rule_5_no_client_is_known_by_name(path: str) -> None:
    asks = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Attribute) and node.attr == "client_info"]
    assert not asks, "branch on capabilities, not on who the client says it is"


@pytest.mark.parametrize("path", SOURCES)
def test_rule_6_nothing_imports_tests_or_benchmarks(path: str) -> None:
    assert not of_package(imports_of(path), "tests", "benchmarks")


@pytest.mark.parametrize("path", SOURCES)
def test_no_clock_that_can_jump(path: str) -> None:
    """Deadlines, debouncing and back-off outlive a clock that is set, a time zone, and a machine that slept."""
    assert not of_package(imports_of(path), "datetime")
    asks = [ast.unparse(node) for node in ast.walk(tree_of(path)) if isinstance(node, ast.Attribute)]
    assert not {"time.time", "time.time_ns", "time.localtime", "time.gmtime"} & set(asks)


@pytest.mark.parametrize("path", SOURCES)
def test_files_and_functions_are_short(path: str) -> None:
    lines = len((ROOT / path).read_text(encoding="utf-8").splitlines())
    assert lines <= 300
    functions = [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = [f.name for f in functions if (f.end_lineno or f.lineno) - f.lineno >= 60]
    assert not long


@pytest.mark.parametrize("path", SOURCES)
def test_every_module_says_what_it_is(path: str) -> None:
    if ast.unparse(tree_of(path)):
        assert ast.get_docstring(tree_of(path))
    assert not {"utils", "helpers", "manager", "misc", "common"} & set(PurePosixPath(path).with_suffix("").parts)


@pytest.mark.parametrize("path", [path for path in SOURCES if path.endswith("__init__.py")])
def test_all_is_sorted_and_complete(path: str) -> None:
    for node in tree_of(path).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = ast.literal_eval(node.value)
            constants = [name for name in names if name.isupper()]
            classes = [name for name in names if name[0].isupper() and not name.isupper()]
            rest = [name for name in names if not name[0].isupper()]
            assert names == sorted(constants) + sorted(classes) + sorted(rest)


def test_engine_offers_what_it_lists() -> None:
    assert all(hasattr(engine, name) for name in engine.__all__)
    assert "torch" not in {name.partition(".")[0] for name in reached_at_import("engine")}


def test_every_import_is_a_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {normal(re.split(r"[=<>; ]", requirement)[0]) for requirement in project["dependencies"]}
    tops = {name.partition(".")[0] for path in SOURCES for name in imports_of(path)}
    tops -= {"engine", "server", "__future__"} | sys.stdlib_module_names
    wheels = packages_distributions()
    optional = {"triton"}  # extra `cuda`, imported behind a check
    undeclared = {top for top in tops - optional if not {normal(name) for name in wheels[top]} & declared}
    assert not undeclared


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_documents_name_only_targets_that_exist(document: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = re.findall(r"(?:`|^)make ([a-z-]+)", (ROOT / document).read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) <= targets


@pytest.mark.parametrize("document", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_documents_name_only_files_that_exist(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:engine|server|tests|docs|scripts|benchmarks|editors)/[\w./-]*)`", text))
    assert not {path for path in named if not (ROOT / path).exists()}


def test_scripts_are_short() -> None:
    long = [path.name for path in (ROOT / "scripts").iterdir() if len(path.read_text().splitlines()) > 20]
    assert not long

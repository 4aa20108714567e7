"""The languages Sfumato knows by their LSP languageId: file suffixes, grammar, comments, strings, indentation.

Data only: it never loads a grammar and never opens a file. An unknown language is `UNKNOWN`, and works with less.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

_BRACKETS = "()[]{}"
_C_COMMENT = (("/*", "*/"),)


@dataclass(frozen=True)
class Language:
    """How one language is written, as far as cleaning a candidate needs it.

    `quotes` end with the line, `long_quotes` may run over lines. `lone_closers` may stand without an opener.
    `opener` matches a line that opens a block, `keyword_ends` closes one that a word opens. `name` is an expression
    that can stand in any hole, "" if there is none.
    """

    id: str
    grammar: str = ""
    suffixes: tuple[str, ...] = ()
    line_comments: tuple[str, ...] = ()
    block_comments: tuple[tuple[str, str], ...] = ()
    quotes: tuple[str, ...] = ('"', "'")
    long_quotes: tuple[tuple[str, str], ...] = ()
    brackets: str = _BRACKETS
    lone_closers: str = ""
    opener: re.Pattern[str] = re.compile(r"[{(\[]\s*$")
    keyword_ends: tuple[tuple[str, str], ...] = ()
    unit: str = "    "
    name: str = "x"
    prose: bool = False

    @property
    def structured(self) -> bool:
        """Whether it holds data rather than statements."""
        return self.id in ("json", "jsonc", "yaml", "toml")


def _c_like(id_: str, grammar: str, suffixes: str, *, unit: str = "    ") -> Language:
    return Language(id_, grammar, tuple(suffixes.split()), ("//",), _C_COMMENT, unit=unit)


def _script(id_: str, grammar: str, suffixes: str) -> Language:
    opener = re.compile(r"(?:[{(\[]|=>)\s*$")
    quotes = (("`", "`"),)
    return Language(
        id_, grammar, tuple(suffixes.split()), ("//",), _C_COMMENT, long_quotes=quotes, opener=opener, unit="  "
    )


def _prose(id_: str, grammar: str, suffixes: str) -> Language:
    return Language(
        id_, grammar, tuple(suffixes.split()), quotes=(), brackets="", opener=re.compile(r"(?!)"), name="", prose=True
    )


UNKNOWN = Language("", quotes=('"',), name="")

_LANGUAGES = (
    Language(
        "python",
        "python",
        (".py", ".pyi", ".pyw"),
        ("#",),
        long_quotes=(('"""', '"""'), ("'''", "'''")),
        opener=re.compile(r"[:{(\[]\s*(?:#.*)?$"),
    ),
    _script("javascript", "javascript", ".js .mjs .cjs"),
    _script("javascriptreact", "javascript", ".jsx"),
    _script("typescript", "typescript", ".ts .mts .cts"),
    _script("typescriptreact", "tsx", ".tsx"),
    Language("json", "json", (".json",), ("//",), _C_COMMENT, quotes=('"',), unit="  ", name="0"),
    Language("jsonc", "json", (".jsonc",), ("//",), _C_COMMENT, quotes=('"',), unit="  ", name="0"),
    Language(
        "yaml",
        "yaml",
        (".yaml", ".yml"),
        ("#",),
        brackets="[]{}",
        opener=re.compile(r"[:\[{|>]\s*$"),
        unit="  ",
        name="",
    ),
    _prose("markdown", "markdown", ".md .markdown"),
    _prose("plaintext", "", ".txt"),
    Language(
        "go",
        "go",
        (".go",),
        ("//",),
        _C_COMMENT,
        long_quotes=(("`", "`"),),
        opener=re.compile(r"[{(\[:]\s*$"),
        unit="\t",
    ),
    Language("rust", "rust", (".rs",), ("//",), _C_COMMENT, quotes=(), long_quotes=(('"', '"'),)),
    _c_like("java", "java", ".java"),
    _c_like("c", "c", ".c .h"),
    _c_like("cpp", "cpp", ".cpp .cc .cxx .hpp .hh .hxx"),
    Language(
        "shellscript",
        "bash",
        (".sh", ".bash"),
        ("#",),
        quotes=(),
        long_quotes=(('"', '"'), ("'", "'")),
        lone_closers=")",
        opener=re.compile(r"(?:[{(]|\b(?:then|do|else|in))\s*$"),
        keyword_ends=(("then", " :; fi"), ("do", " :; done"), ("in", " *) ;; esac")),
        name="",
    ),
    Language("html", "html", (".html", ".htm"), (), (("<!--", "-->"),), quotes=('"',), brackets="", unit="  ", name=""),
    Language("css", "css", (".css",), (), _C_COMMENT, unit="  ", name=""),
    Language("toml", "toml", (".toml",), ("#",), long_quotes=(('"""', '"""'), ("'''", "'''")), unit="  ", name="0"),
    Language(
        "lua",
        "lua",
        (".lua",),
        ("--",),
        (("--[[", "]]"),),
        long_quotes=(("[[", "]]"),),
        opener=re.compile(r"(?:[{(]|\b(?:then|do|else|repeat)|\bfunction\b[^()]*\([^()]*\))\s*$"),
        keyword_ends=(("then", " end"), ("do", " end"), (r"function\b[^()]*\([^()]*\)", " end")),
        unit="  ",
    ),
    Language("makefile", "", (".mk",), ("#",), quotes=(), opener=re.compile(r":[^=]*$"), unit="\t", name=""),
)

_BY_ID = {language.id: language for language in _LANGUAGES}
_ALIASES = {
    "bash": "shellscript",
    "sh": "shellscript",
    "zsh": "shellscript",
    "shell": "shellscript",
    "py": "python",
    "js": "javascript",
    "jsx": "javascriptreact",
    "mjs": "javascript",
    "ts": "typescript",
    "tsx": "typescriptreact",
    "yml": "yaml",
    "md": "markdown",
    "rs": "rust",
    "golang": "go",
    "c++": "cpp",
    "cuda-cpp": "cpp",
    "make": "makefile",
    "text": "plaintext",
    "dockercompose": "yaml",
}
_BY_SUFFIX = {suffix: language.id for language in _LANGUAGES for suffix in language.suffixes}
_BY_NAME = {"makefile": "makefile", "gnumakefile": "makefile", ".bashrc": "shellscript", "tsconfig.json": "jsonc"}


def language_of(id_: str) -> Language:
    """The language of a languageId, or of the name people give it after a code fence."""
    id_ = id_.lower()
    return _BY_ID.get(_ALIASES.get(id_, id_), UNKNOWN)


def language_id_of_path(path: str) -> str:
    """LSP languageId for a file name, "plaintext" if nothing is known of it."""
    pure = PurePosixPath(path.replace("\\", "/").lower())
    return _BY_NAME.get(pure.name) or _BY_SUFFIX.get(pure.suffix, "plaintext")

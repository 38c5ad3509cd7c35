"""`docs/linter-rules.md` lists the table of rules as it is; rewrite it with `pytest --rewrite` on this file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from contextrail.wire.lint import RULES, Rule
from contextrail.wire.target import PROVIDERS

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "linter-rules.md"
MARK: Final = "<!-- generated from the table of rules: tests/wire/test_lint_document.py -->\n"
TITLES: Final = {
    "anthropic": "Anthropic Messages",
    "openai-chat": "OpenAI Chat Completions",
    "openai-responses": "OpenAI Responses",
    "gemini": "Gemini generateContent",
}


def cell(text: str | None) -> str:
    """Text that a table can hold: what looks like markup is shown as it is."""
    if text is None:
        return ""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def code(text: str | None) -> str:
    """An answer word for word; its own backquotes stay visible."""
    if text is None:
        return ""
    shown = text.replace("|", "\\|")
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"


def row(rule: Rule) -> str:
    name = f"[`{rule.id.partition('.')[2]}`]({rule.link})"
    return f"| {name} | {rule.severity} | {cell(rule.breaks)} | {code(rule.answer)} | {cell(rule.mend)} |"


def tables() -> Iterator[str]:
    for provider in PROVIDERS:
        rules = [rule for rule in RULES.values() if rule.provider == provider]
        errors = sum(rule.severity == "error" for rule in rules)
        yield f"\n## {TITLES[provider]} (`{provider}`)\n"
        yield f"{errors} errors, {len(rules) - errors} warnings.\n"
        yield "| rule | severity | what breaks it | the provider answers | `repair` |"
        yield "|---|---|---|---|---|"
        yield from map(row, rules)


def test_the_document_lists_every_rule_as_it_is(rewrite: bool) -> None:  # noqa: FBT001 - the form of a fixture
    head, mark, listed = DOCUMENT.read_text("utf-8").partition(MARK)
    wanted = "\n".join(tables()) + "\n"
    if rewrite:
        DOCUMENT.write_text(head + MARK + wanted, "utf-8")
        return
    assert mark
    assert listed == wanted

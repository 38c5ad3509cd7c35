"""Check a request before it is sent, mend what can be mended, and see what was done."""

import json
from pathlib import Path

from contextrail import lint, repair

body = json.loads(Path("refused.json").read_text())
for finding in lint(body, "anthropic"):
    print(f"{finding.severity:8} {finding.rule:40} {finding.path}")

mended = repair(body, "anthropic")
for decision in mended.decisions:
    print(f"{decision.verdict:8} {decision.reason:40} {decision.message or ''}")
print(len(mended.after), "findings are left")

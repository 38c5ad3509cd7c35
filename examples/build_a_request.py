"""Move a conversation from one provider to another, within a budget."""

import json
from pathlib import Path

from contextrail import Rail, decode

conversation = decode(json.loads(Path("refused.json").read_text()))
rail = Rail(target="openai-chat", model="gpt-5", window=2_000, reserve_output=500)
request = rail.build(conversation)
print(f"{request.cost.high} of {request.turn.limit} {request.unit}s, {len(request.findings)} findings")
for decision in request.decisions:
    print(f"{decision.verdict:8} {decision.step}/{decision.reason}  {decision.message or ''}")

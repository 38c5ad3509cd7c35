"""Values and rules that every layer speaks: errors, ids, digests, JSON text, budgets, token counts."""

"""The forms that providers gave their keys, with what each begins with. A new provider is a line here."""

from __future__ import annotations

from typing import Final

_B: Final = r"(?:(?<![A-Za-z0-9_+-])|(?<=\\[nrt]))"
"""The border before a key; the letter of an escaped line break is one as well."""
_A: Final = r"(?:(?<![A-Za-z0-9+])|(?<=\\[nrt]))"
"""The border before a key of a form that nobody writes by hand: a dash as well, as in an id that was put together."""
_E: Final = r"(?![A-Za-z0-9_])"

_UUID: Final = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
FORMS: Final[tuple[tuple[str, tuple[str, ...], str], ...]] = (
    # kind, what it begins with, all of it
    ("anthropic-key", ("sk-ant-",), _A + r"sk-ant-[a-z0-9]{2,12}-[A-Za-z0-9_-]{20,}"),
    ("openai-key", ("sk-",), _B + r"sk-(?!ant-)(?:[a-z]{48}(?![A-Za-z0-9_-])|(?:proj-|svcacct-|admin-|None-|or-v1-)?[A-Za-z0-9_-]{20,})"),
    ("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA"), _A + r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16}" + _E),
    ("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _A + r"gh[pousr]_[A-Za-z0-9]{36,255}" + _E),
    ("github-token", ("github_pat_",), _A + r"github_pat_[A-Za-z0-9_]{22,255}" + _E),
    ("gitlab-token", ("glpat-", "glrt-", "gldt-", "glptt-", "glcbt-"), _B + r"gl(?:pat|rt|dt|ptt|cbt)-[A-Za-z0-9_-]{20,}"),
    ("docker-token", ("dckr_pat_", "dckr_oat_"), _A + r"dckr_[op]at_[A-Za-z0-9_-]{27,}"),
    ("atlassian-token", ("ATATT3",), _A + r"ATATT3[A-Za-z0-9_=-]{60,}"),
    ("mailgun-key", ("key-",), _B + r"key-[0-9a-f]{32}" + _E),
    ("nvidia-key", ("nvapi-",), _A + r"nvapi-[A-Za-z0-9_-]{60,70}" + _E),
    ("alibaba-key", ("LTAI",), _A + r"LTAI(?=[A-Za-z]{0,20}\d)(?=\w{0,20}[a-z])(?:[A-Za-z0-9]{20}|[A-Za-z0-9]{12})" + _E),
    ("tencent-key", ("AKID",), _A + r"AKID(?=[A-Za-z]{0,32}\d)(?=\w{0,32}[a-z])[A-Za-z0-9]{32}" + _E),
    ("volcengine-key", ("AKLT",), _A + r"AKLT(?=[A-Za-z]{0,60}\d)(?=\w{0,60}[a-z])[A-Za-z0-9_-]{40,60}" + _E),
    ("discord-webhook", ("/api/webhooks/",), r"\d{17,20}/(?P<value>[A-Za-z0-9_-]{60,80})"),
    ("feishu-webhook", ("/open-apis/bot/v2/hook/",), _UUID),
    ("wecom-webhook", ("qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",), _UUID),
    ("dingtalk-webhook", ("oapi.dingtalk.com/robot/send?access_token=",), r"[0-9a-f]{64}"),
    ("azure-signature", ("sig=",), r"(?<=[?&;]sig=)[A-Za-z0-9%+/]{40,70}(?:=|%3D)(?![A-Za-z0-9])"),
    ("google-key", ("AIza",), _A + r"AIza[A-Za-z0-9_-]{35}" + _E),
    ("google-secret", ("GOCSPX-",), _A + r"GOCSPX-[A-Za-z0-9_-]{24,}"),
    ("google-token", ("ya29.",), _A + r"ya29\.[A-Za-z0-9_-]{20,}"),
    ("slack-token", ("xox",), _B + r"xox[abeoprs]-(?:[A-Za-z0-9]+-)*[A-Za-z0-9]{10,}"),
    ("slack-token", ("xapp-",), _B + r"xapp-\d-[A-Z0-9]+-\d+-[A-Za-z0-9]{20,}"),
    ("slack-webhook", ("hooks.slack.com/services/",), r"T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{16,}"),
    ("stripe-key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), _B + r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("stripe-secret", ("whsec_",), _A + r"whsec_[A-Za-z0-9+/=]{24,}"),
    ("twilio-key", ("SK",), _B + r"SK[0-9a-f]{32}" + _E),
    ("sendgrid-key", ("SG.",), _A + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    ("npm-token", ("npm_",), _A + r"npm_[A-Za-z0-9]{36}" + _E),
    ("pypi-token", ("pypi-AgE",), _A + r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    ("huggingface-token", ("hf_",), _B + r"hf_[A-Za-z0-9]{30,}" + _E),
    ("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), _A + r"do[opr]_v1_[0-9a-f]{64}" + _E),
    ("groq-key", ("gsk_",), _A + r"gsk_[A-Za-z0-9]{48,64}" + _E),
    ("xai-key", ("xai-",), _A + r"xai-[A-Za-z0-9]{70,90}" + _E),
    ("perplexity-key", ("pplx-",), _A + r"pplx-[A-Za-z0-9]{40,64}" + _E),
    ("replicate-token", ("r8_",), _A + r"r8_[A-Za-z0-9]{37}" + _E),
    ("tavily-key", ("tvly-",), _A + r"tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}" + _E),
    ("langsmith-key", ("lsv2_pt_", "lsv2_sk_"), _A + r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}" + _E),
    ("databricks-token", ("dapi",), _A + r"dapi[0-9a-f]{32}(?:-\d)?" + _E),
    ("shopify-token", ("shpat_", "shpca_", "shppa_", "shpss_"), _A + r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}" + _E),
    ("linear-key", ("lin_api_",), _A + r"lin_api_[A-Za-z0-9]{40}" + _E),
    ("notion-token", ("ntn_",), _A + r"ntn_[A-Za-z0-9]{40,50}" + _E),
    ("supabase-token", ("sbp_",), _A + r"sbp_[0-9a-f]{40}" + _E),
    ("vault-token", ("hvs.",), _A + r"hvs\.[A-Za-z0-9_-]{24,120}"),
    ("age-key", ("AGE-SECRET-KEY-1",), _A + r"AGE-SECRET-KEY-1[0-9A-Z]{58}" + _E),
    ("azure-key", ("AccountKey=",), r"[A-Za-z0-9+/]{86}=="),
    ("password-hash", ("$apr1$", "$1$"), r"\$(?:apr1|1)\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}" + _E),
    ("password-hash", ("$2a$", "$2b$", "$2y$"), r"\$2[aby]\$\d\d\$[A-Za-z0-9./]{53}" + _E),
    ("password-hash", ("$5$", "$6$"), r"\$[56]\$(?:rounds=\d{1,9}\$)?[A-Za-z0-9./]{1,16}\$(?:[A-Za-z0-9./]{86}|[A-Za-z0-9./]{43})" + _E),
    ("password-hash", ("$y$",), r"\$y\$[A-Za-z0-9./]{1,9}\$[A-Za-z0-9./]{1,86}\$[A-Za-z0-9./]{43}" + _E),
    ("password-hash", ("$argon2",), r"\$argon2(?:id|i|d)\$v=\d{1,3}\$[a-z0-9=,]{5,60}\$[A-Za-z0-9+/]{8,100}\$[A-Za-z0-9+/]{20,200}" + _E),
    ("telegram-token", (":AA",), r"(?<=[0-9]{8}:AA)[A-Za-z0-9_-]{30,36}(?![A-Za-z0-9_-])"),
    ("jwt", ("eyJ",), _A + r"eyJ[A-Za-z0-9_-]{10,4096}+\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
    ("jwt", ("eyJ",), _A + r"eyJ[A-Za-z0-9_-]{10,4096}+\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
)  # fmt: skip
BEHIND: Final = frozenset(
    {
        "slack-webhook", "azure-key", "telegram-token", "discord-webhook", "feishu-webhook", "wecom-webhook",
        "dingtalk-webhook", "azure-signature",
    }
)  # fmt: skip
"""The secret stands behind what marks it."""
LOOSE: Final = frozenset({"openai-key", "slack-token", "stripe-key", "huggingface-token", "gitlab-token"})
"""Forms that a name written by a person may have as well."""
SPLIT_MARKS: Final = (
    ("eyJ", b""),
    ("/api/webhooks/", b"webhooks"),
    ("/open-apis/bot/v2/hook/", b"hook"),
    ("qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", b"qyapi"),
    ("oapi.dingtalk.com/robot/send?access_token=", b"dingtalk"),
    ("sig=", b"sig"),
    ("ya29.", b""),
    ("SG.", b""),
    ("hvs.", b""),
    ("hooks.slack.com/services/", b"slack"),
    ("AccountKey=", b""),
    (":AA", b""),
    ("$apr1$", b"apr1"),
    ("$1$", b"1"),
    ("$2a$", b"2a"),
    ("$2b$", b"2b"),
    ("$2y$", b"2y"),
    ("$5$", b"5"),
    ("$6$", b"6"),
    ("$y$", b"y"),
    ("$argon2", b""),
)
"""Marks that the border of a word parts, or that stand before the long piece: looked for by themselves, if the word
that each holds is there, if it holds one."""
KNOWN_EXAMPLES: Final = frozenset({"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"})
"""Printed in the manuals of their provider, so known to everyone."""

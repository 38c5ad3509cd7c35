"""The words in which something is said to be done, by kind of deed, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, get_args

from contextrail.compaction.operations import CHINESE, ENGLISH, OPERATION_STEMS, VERBS, Operation

Deed = Literal[
    "test", "ci", "build", "lint", "push", "commit", "merge", "deploy", "install", "delete", "send", "approve", "fix", "change",
    "work", "done", Operation,
]  # fmt: skip
DEEDS: Final[tuple[Deed, ...]] = get_args(Deed)

_BETWEEN: Final = (
    r"(?:\s+(?:now|all|still|again|gone|went|turned|got|became|finally|currently|also|both|already|just|suite|suites|run|runs|cases?|is|are|were|was|"
    r"have|has|been|do|does|did|themselves|fully|cleanly|successfully|come|came|back|up|turned|locally|\d+)){0,5}"
)
_GOOD: Final = r"(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|clean|successful|ok|okay|happy|fine)"
_CHECKS: Final = (
    r"(?:tests?|specs?|test[- ]suites?|test[- ]cases?|suite|pytest|jest|vitest|unittests?|cargo test|go test|"
    r"checks)"
)
_CI: Final = (
    r"(?:CI|CI/CD|pipelines?|github actions|jenkins|circleci|workflow(?: run)?|continuous integration|gitlab)"
)
_BUILD: Final = r"(?:builds?|compilation|compile|tsc)"
_LINT: Final = r"(?:type[- ]?check(?:s|er|ing)?|mypy|pyright|tsc|lint(?:er|ing|s)?|ruff|eslint|flake8|pylint|clippy|formatter|formatting)"
_SHIPPABLE: Final = (
    r"(?:(?:fix(?:es)?|changes?|patch(?:es)?|features?|code|update|release|version|service|build|app|site|it|this|that|"
    r"everything|all|v?\d[\w.]*)\s+)"
)

_WENT: Final = (
    r"(?:\s+(?:to|of|on|into|for)\s+\S{1,80}(?:\s+\S{1,40})?)?\s*:?\s+(?:is\s+|was\s+|has\s+|has\s+been\s+)?(?:now\s+)?"
    r"(?:done|completed?|finished|succeeded|successful|went\s+(?:through|fine|well)|worked)"
)

_ENGLISH: Final[Mapping[str, str]] = {
    "test": (
        rf"{_CHECKS}[:,]?{_BETWEEN}\s+{_GOOD}|(?:passed|passing|green)\s+(?:all\s+)?(?:of\s+)?(?:the\s+|\d+\s+)*{_CHECKS}|"
        rf"(?:no|zero|without(?:\s+any)?|nor)\s+(?:\w+\s+)?(?:failures|failing|failed)\b(?:\s+tests?)?|"
        rf"(?:no|none\s+of\s+the)\s+(?:more\s+)?tests?\s+(?:now\s+)?(?:fail(?:s|ed)?|(?:is|are)\s+(?:failing|red|broken))|"
        rf"{_CHECKS}\s+(?:no\s+longer|stopped)\s+fail(?:s|ing)?|(?:everything|all|suite|board)\s+(?:is\s+|are\s+)?green|"
        rf"green\s+across\s+the\s+board|from\s+(?:failing|red)\s+to\s+(?:passing|green)|we\s+are\s+(?:now\s+|all\s+)?green|failing\s+{_CHECKS}\s+(?:now\s+)?pass"
    ),
    "ci": rf"{_CI}[:,]?{_BETWEEN}\s+{_GOOD}|(?:passed|passing|green)\s+(?:the\s+)?{_CI}",
    "build": (
        rf"{_BUILD}[:,]?{_BETWEEN}\s+{_GOOD}|compiles(?:\s+(?:fine|cleanly|now|again|without))?|(?:successfully\s+)?built|"
        rf"compiled\s+(?:successfully|fine|cleanly)|(?:successful|green|clean|passing)\s+{_BUILD}"
    ),
    "lint": rf"{_LINT}[:,]?{_BETWEEN}\s+{_GOOD}|(?:successful|green|clean|passing)\s+{_LINT}",
    "push": (
        rf"(?:force-)?pushed|push{_WENT}|(?:commits?|changes?|fix(?:es)?|patch|branch|code|it|everything|work)(?:\s+[\w/.-]{{1,60}})?\s+"
        r"(?:has\s+|have\s+)?(?:went|gone|got|made\s+it|reached)\s+(?:(?:in|on)?to\s+|on\s+)?(?:the\s+)?(?:main|master|trunk|origin|remote|upstream)"
    ),
    "commit": rf"committed|checked in|commit{_WENT}",
    "merge": rf"merged|landed|merge{_WENT}",
    "deploy": (
        rf"(?:re)?deployed|released|published|rolled out|shipped|(?:deployment|deploy|release|rollout){_WENT}|"
        r"(?:is|are|now|was|were|went|gone|goes|been)\s+(?:now\s+|already\s+|fully\s+)?live|"
        rf"{_SHIPPABLE}(?:is|are|now|was|has been|have been)\s+(?:now\s+|already\s+|running\s+|out\s+)*"
        r"(?:on|in)\s+prod(?:uction)?|now\s+(?:running\s+)?(?:on|in)\s+prod(?:uction)?|\w+['’]s\s+(?:now\s+|already\s+)?live|(?:reached|hit|made\s+it\s+(?:in)?to|went\s+(?:in)?to|got\s+to)\s+prod(?:uction)?|"
        rf"(?:release|version|patch|fix|update|hotfix)\s+(?:is|are)\s+(?:now\s+|already\s+)?out|users?\s+(?:now\s+|already\s+){{1,2}}(?:have|see|get|use)\s+(?:the|it)|live\s+(?:on|in)\s+prod(?:uction)?"
    ),
    "install": "installed",
    "delete": "deleted|removed|dropped",
    "send": "sent|emailed|notified",
    "approve": (
        r"approved|signed\s+off|gave\s+(?:the\s+|their\s+|its\s+|his\s+|her\s+)?(?:go-ahead|approval|permission|consent|green\s+light|ok)|"
        r"okayed|green-?lit|consented|agreed\s+to\s+(?:the\s+)?(?:push|deploy|release|merge|change|delet|drop|mov|us)\w*|"
        r"has\s+given\s+(?:\w+\s+)?(?:approval|permission|consent)|authorized"
    ),
    "fix": "fixed|resolved|solved|cured|repaired",
    "change": "implemented|added|renamed|updated|created|migrated|refactored|rewrote|rewritten|reverted|replaced",
    "work": (
        r"(?:everything|all)\s+(?:now\s+|all\s+|just\s+|finally\s+)?works|\w+\s+(?:now\s+|finally\s+)?works(?=\s*(?:$|[.,;!]))|"
        r"now\s+works|works\s+(?:now|fine|again|perfectly|correctly|as\s+(?:expected|intended))|"
        r"(?:is|are)\s+(?:now\s+|all\s+|fully\s+)?(?:working|functional|operational)|"
        r"(?:all|everything)(?:\s+is|['’]s)?\s+(?:good|well|set|fine|in\s+order|ok|okay)|"
        r"(?:no|zero)\s+(?:more\s+|remaining\s+|known\s+|open\s+|outstanding\s+|further\s+)(?:errors?|issues?|problems?|bugs?)|"
        r"(?:bug|error|crash|problem|issue|failure)s?\s+(?:is|are)\s+(?:now\s+)?(?:gone|no\s+more)|no\s+longer\s+(?:crash|fail|hang|throw|break|occur|happen|appear)\w*|"
        r"(?:does|do)(?:\s+not|n['’]t)\s+(?:crash|fail|hang|throw|break|occur|happen|appear)\s+(?:any\s?more|any\s+longer|again|now)|"
        r"(?:everything|all)\s+(?:now\s+)?(?:runs?|functions?|behaves?)"
    ),
    "done": (
        r"done|finished|completed|complete|succeeded|verified|accomplished|wrapped\s+up|taken\s+care\s+of|dealt\s+with|sorted(?:\s+out)?|nothing\s+(?:(?:else|more|left)\s+){1,2}to\s+(?:do|be\s+done)|(?:nothing|no\s+work|no\s+tasks?)\s+"
        r"(?:else\s+|more\s+)?(?:is\s+|was\s+)?(?:left|remains|remaining|missing)(?:\s+to\s+(?:do|be\s+done))?|concluded\s+successfully"
    ),
}
_SINCE: Final = r"(?:已经?|都|均|全部?|成功|现已|刚刚?|顺利|终于|也|全都|完全|已全部|均已|都已)"
_ENDED: Final = r"(?:了|完毕|完成|完了|好了|成功|完|结束|到位)"
_VERBS: Final[Mapping[str, str]] = {
    "push": "推送|推|push",
    "commit": "提交|commit",
    "merge": "合并|合入|merge",
    "deploy": "部署|上线|发布|投产|上生产|发版",
    "install": "安装",
    "delete": "删除|移除|删掉|清除|清理",
    "send": "发送|通知|寄出",
    "approve": "批准|同意|审批通过|许可|授权|放行",
    "fix": "修复|解决|修好|改好",
    "change": "实现|添加|新增|更新|创建|迁移|重命名|替换|重构|重写|修改|改写|改造",
    "build": "构建|编译|打包",
    "done": "完成|验证|办妥|做完|处理完|收尾",
}
_CHINESE: Final[Mapping[str, str]] = {
    "push": r"(?:已|已经)(?:进入|进了|到了|上了)\s?(?:main|master|origin|主分支|主干|远端)",
    "test": (
        rf"(?:测试|用例|单测|单元测试|回归)(?:套件|用例|现在|目前|{_SINCE}|[a-z\d ]){{0,6}}(?:通过|绿|过了|跑通)"
        rf"|(?:通过|跑通)了?(?:全部|所有)的?(?:测试|用例)|{_SINCE}?通过了?(?:全部|所有)?测试|全绿|(?:没有|无|零)(?:任何)?(?:失败|报错)(?:的?(?:测试|用例))?"
        r"|测试(?:都|全部|均)?不再失败|(?:测试|用例)(?:全部|都|均)?(?:正常|没问题|成功)"
    ),
    "ci": rf"(?:CI|流水线|持续集成)(?:{_SINCE}|现在|目前|构建|检查| ){{0,4}}(?:通过|绿|成功|正常)",
    "build": r"(?:构建|编译|打包)(?:已|都|全部|现在|也| ){0,3}(?:通过|无误|正常)",
    "lint": r"(?:类型检查|代码检查|静态检查|ruff|mypy|eslint)\s?(?:已|都|全部|现在|也| |检查){0,3}(?:通过|无误|正常|没问题)",
    "deploy": r"(?:已|已经|正式|成功|现已)(?:在|上|进)了?(?:生产|线上)(?:环境)?(?:运行|生效|可用)?|在?生产(?:环境)?(?:已|已经)(?:生效|可用|上线)",
    "fix": r"(?:问题|错误|缺陷|故障|bug)(?:已|已经|都|全部)?(?:消失|没有了|不再出现|排除)",
    "work": (
        r"一切(?:都|已|均)?(?:正常|就绪|顺利|没问题|OK|ok|妥当)|(?:全部|都|已经?|现在|均)(?:可以)?正常(?:工作|运行|了)?|没(?:有)?(?:任何)?问题了?(?=$|[。，！])|"
        r"运行正常|工作正常|不再(?:报错|崩溃|出错|失败)"
    ),
    "done": (
        r"(?:全部|都|已经?|终于|彻底)?搞定了?|大功告成|完工|收工|任务(?:已经?|都|全部|均|顺利|圆满)?(?:完成|结束|完毕)|"
        r"(?:工作|事项|目标|需求|步骤)(?:已经?|都|全部|均|顺利){0,3}(?:完成|结束|完毕)|(?:全部|圆满|顺利)(?:完成|结束|完毕)|(?:全部|一切)就绪|(?<!提交|推送|合并|部署|上线|发布|安装|删除|修改|更新|创建|添加|构建|编译|打包|测试|登录|请求)成功(?![率地]|后|的话)|(?:都|全)弄好了|"
        r"没有(?:任何)?(?:遗留|剩余|待办)"
    ),
}


_ALL_ENGLISH: Final[Mapping[str, str]] = {**ENGLISH, **_ENGLISH}
_ALL_VERBS: Final[Mapping[str, str]] = {**VERBS, **_VERBS}
_ALL_CHINESE: Final[Mapping[str, str]] = {**CHINESE, **_CHINESE}


def _pattern(kind: Deed) -> re.Pattern[str]:
    verbs = _ALL_VERBS.get(kind)
    said = [f"(?:{_SINCE}){{1,3}}(?:被|给|把)?(?:{verbs})|(?:{verbs}){_ENDED}"] if verbs else []
    said += [_ALL_CHINESE[kind]] if kind in _ALL_CHINESE else []
    chinese = "|".join(said)
    return re.compile(
        rf"\b(?:{_ALL_ENGLISH[kind]})\b" + (f"|{chinese}" if chinese else ""), re.IGNORECASE | re.ASCII
    )


WORDS: Final[dict[Deed, re.Pattern[str]]] = {kind: _pattern(kind) for kind in DEEDS}

WHOLE: Final = re.compile(
    r"\b(?:all|every|everything|entire|full|whole|100\s?%|no|none|nothing|zero)\b|全部|所有|都|均|一切|整个|全绿|没有|无|零",
    re.IGNORECASE,
)
"""That a claim leaves no exception."""

_STEMS: Final[Mapping[str, str]] = {
    "test": "test|spec|suite|check|jest|fail|green|测试|用例|单测|回归|绿|失败|报错|跑通|通过",
    "ci": "ci|pipeline|github|jenkins|workflow|continuous|gitlab|流水线|持续集成",
    "build": "build|built|compil|tsc|构建|编译|打包",
    "lint": "check|mypy|pyright|tsc|lint|ruff|flake8|clippy|format|检查|静态",
    "push": "push|推|main|master|trunk|origin|remote|upstream|主|远端",
    "commit": "commit|check|提交",
    "merge": "merge|land|合",
    "deploy": "deploy|releas|publish|roll|ship|live|prod| out|user|部署|上线|发布|投产|生产|发版|线上",
    "install": "install|安装",
    "delete": "delet|remov|drop|删|移除|清",
    "send": "sent|email|notif|发送|通知|寄",
    "approve": "approv|sign|gave|okay|lit|consent|agree|given|authori|批准|同意|审批|许可|授权|放行",
    "fix": "fix|solv|cured|repair|修|解决|改好|问题|错误|缺陷|故障|bug",
    "change": "implement|add|renam|updat|creat|migrat|refactor|rewr|revert|replac|实现|新增|更新|创建|迁移|重|替换|改|添加",
    "work": "work|functional|operational|all|everything|no |zero|gone|longer|not|n't|n’t|正常|一切|问题|不再|运行",
    "done": "done|finish|complet|succe|verif|accomplish|wrap|taken|dealt|sort|nothing|no |conclud|搞定|大功|完|收|结束|就绪|成功|"
    "弄好|没有|验证|办妥|做|处理",
}
_ALL_STEMS: Final[Mapping[str, str]] = {**OPERATION_STEMS, **_STEMS}
STEMS: Final[dict[Deed, tuple[str, ...]]] = {kind: tuple(_ALL_STEMS[kind].split("|")) for kind in DEEDS}
"""One of these, folded, stands in all that `WORDS` finds: a quick look before a slow one."""

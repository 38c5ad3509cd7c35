"""Operations: deeds on a thing that leave a command behind. The words that claim them, and the calls that bear them out.

Most are silent: no later result tells of them. So a claim needs a call that could have done it, an edit of the thing
it names, or somebody who said so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal, get_args

Operation = Literal[
    "open",
    "edit",
    "rename",
    "restart",
    "rollback",
    "migrate",
    "clear",
    "renew",
    "upgrade",
    "backup",
    "health",
]
OPERATIONS: Final[tuple[Operation, ...]] = get_args(Operation)

_WAS: Final = r"(?:is|are|was|were|been|got|being)\s+(?:(?:now|already|also|just|successfully|then|all)\s+)?"
_PATH: Final = r"[\w./@+-]{1,200}\.[A-Za-z]\w{0,7}"
_EDITED: Final = r"(?:edited|modified|touched|patched|adapted|adjusted|changed|altered|amended|written)"
_REQUEST: Final = r"(?:(?:pull|merge)[- ]requests?|PRs?|MRs?|tickets?|(?:github |gitlab |jira )?issues?)"
_OPENED: Final = r"(?:opened|created|raised|submitted|filed)"
_STORE: Final = r"(?:caches?|queues?|tables?|logs?|databases?|buckets?|index|volumes?|disks?)"
_CLEARED: Final = r"(?:cleared|flushed|purged|emptied|truncated|wiped|invalidated)"
_STATE: Final = r"(?:ok|okay|healthy|green|up|fine|normal|good|operational)"
_TELLS: Final = (
    r"(?:\s+(?:on|of|for|at)\s+\S{1,60}(?:\s+\d+)?)?\s*:?\s*(?:(?:now|all|again|is|are|was|were|has|returned|returns|reports|reported|shows|showed|says|came|back|"
    r"responds|responded|with|the|a|as|status|service|currently)\s+){0,6}"
)
_UNITS: Final = r"(?:pods?|nodes?|containers?|instances?|services?|replicas?|workers?)"

ENGLISH: Final[Mapping[str, str]] = {
    "open": rf"{_OPENED}\s+(?:(?:a|an|the|one|new|draft)\s+){{0,3}}{_REQUEST}|{_REQUEST}(?:\s+#?\d+)?(?:\s+\w+){{0,3}}?\s+(?:has\s+|have\s+)?{_WAS}{_OPENED}",
    "edit": rf"{_EDITED}\s+(?:the\s+)?(?:files?\s+)?[`\"']?{_PATH}|{_PATH}[`\"']?\s+(?:has\s+|have\s+|\w+ly\s+)?{_WAS}{_EDITED}",
    "rename": r"renamed",
    "restart": rf"{_WAS}(?:restarted|rebooted)(?!\s+\w+\s+times)|(?:restarted|rebooted)\s+(?:the|all|both|a|an|its|every)\s",
    "rollback": r"rolled\s+back|reverted|backed\s+out",
    "migrate": (
        r"migrations?\s+(?:(?:was|were|is|are|has|have|been|now|successfully|already)\s+){0,3}(?:run|ran|applied|executed|finished|completed|succeeded|done|performed)"
        r"|(?:ran|applied|executed)\s+(?:the\s+|all\s+)?(?:\w+\s+)?migrations?|(?:database|schema|data|tables?)\s+(?:has\s+|have\s+)?(?:was|were|been|is)\s+(?:\w+\s+)?migrated"
    ),
    "clear": rf"{_STORE}\s+(?:has\s+|have\s+)?{_WAS}{_CLEARED}|{_CLEARED}\s+(?:(?:the|all|a|whole)\s+){{0,2}}(?:\w+\s+){{0,2}}?{_STORE}",
    "renew": r"rotated|renewed|revoked|regenerated|reissued",
    "upgrade": r"upgraded|downgraded|bumped",
    "backup": r"back-?ups?\s+(?:(?:was|were|is|are|has|have|been|successfully|already)\s+){0,3}(?:taken|made|created|succeeded|finished|completed|done|restored)|backed\s+up",
    "health": (
        rf"health(?:[- ]?(?:checks?|endpoints?|probes?|status))?{_TELLS}(?:{_STATE}|passes|passed|passing|succeeds|succeeded|successful)"
        rf"|(?:is|are|was|were|looks?|became|back\s+to)\s+(?:(?:now|again|all|fully|completely|perfectly|being|up\s+and)\s+){{0,2}}healthy"
        rf"|status(?:\s+(?:endpoint|page|check|probe))?{_TELLS}(?:ok|okay|healthy|green|up|operational)"
        rf"|all\s+(?:\w+\s+){{0,3}}?{_UNITS}\s+(?:are|were|is)\s+(?:now\s+|again\s+)?(?:running|up|ready|available)"
    ),
}
VERBS: Final[Mapping[str, str]] = {
    "rename": "重命名|改名",
    "restart": "重启",
    "rollback": "回滚|回退|撤销|还原",
    "migrate": "(?:数据库|数据|表)迁移",
    "clear": "清空|清零",
    "renew": "轮换|续期|续签|吊销",
    "upgrade": "升级|降级",
    "backup": "备份",
}
"""Chinese verbs, which tell that it is done by 已 before or 了 behind them."""
_HAN_REQUEST: Final = "(?:合并请求|拉取请求|PR|MR|工单|issue)"
_HAN_OPENED: Final = "(?:创建|提交|发起|打开|新建|提出|提|开)"
_HAN_EDITED: Final = "(?:修改|编辑|更改|调整|改动|改写)"
CHINESE: Final[Mapping[str, str]] = {
    "open": rf"(?:已|已经|成功|新){_HAN_OPENED}了?(?:一个|一条)?(?:新的?)?\s?{_HAN_REQUEST}|{_HAN_OPENED}了(?:一个|一条)?(?:新的?)?\s?{_HAN_REQUEST}|{_HAN_REQUEST}\s?(?:\#?\d{{1,6}}\s?)?(?:已|已经|被){{1,2}}{_HAN_OPENED}",
    "edit": rf"{_HAN_EDITED}[了过]\s?(?:文件\s?)?{_PATH}|{_PATH}\s?(?:文件)?(?:已|被|已经|也|均){{1,3}}{_HAN_EDITED}",
    "migrate": "(?:数据库)?迁移(?:脚本)?(?:已|已经|都|全部|成功|顺利){1,3}(?:执行|运行|应用|完成|跑)|(?:执行|运行|跑)了(?:数据库)?迁移",
    "health": (
        r"健康(?:检查|状态|探针)(?:已|已经|结果|状态|显示|返回|现在|都|全部|为|是|也|目前|：|:|\s){0,5}(?:正常|通过|成功|良好|ok|healthy|健康)(?![性度])"
        r"|(?:服务|系统|接口|网关|集群|节点|实例)(?:的)?(?:状态)?(?:现在|已|已经|都|恢复|目前|均|全部|一切|为|是|\s){0,5}(?:正常(?![启关退])|健康(?!检查|状态|探针))"
    ),
}
OPERATION_STEMS: Final[Mapping[str, str]] = {
    "open": "open|creat|rais|submit|fil|创建|提|发起|打开|新建|开",
    "edit": "edit|modif|touch|patch|adapt|adjust|chang|alter|amend|writ|改|编辑|调整",
    "rename": "renam|命名|改名",
    "restart": "restart|reboot|重启",
    "rollback": "rolled|revert|backed|回滚|回退|撤销|还原",
    "migrate": "migrat|迁移",
    "clear": "clear|flush|purg|empt|truncat|wip|invalidat|清",
    "renew": "rotat|renew|revok|regenerat|reissu|轮换|续|吊销",
    "upgrade": "upgrad|downgrad|bump|升级|降级",
    "backup": "back|备份",
    "health": "health|status|all|健康|正常",
}
_CALLS: Final[Mapping[str, str]] = {
        "open": r"\b(?:gh|hub|glab)\s+(?:pr|mr|issue|pull-request)\s+(?:create|new)|\bpull-request\b|(?:create|open|new|submit|file)_?-?(?:pull|merge)_?-?request|(?:create|open)_?-?(?:pr|mr|issue|ticket)\b|/(?:pulls|issues|merge_requests)\b|jira",
        "rename": r"\bmv\b|\bmove|renam|\bsed\b",
        "restart": r"restart|reboot|reload|\brollout\b|\bup\b|\bstart|\bkill|systemctl|pm2|delete\s+pod",
        "rollback": r"rollback|roll_back|\brevert|\bundo\b|\bgit\s+(?:checkout|restore|reset|stash)|downgrade|\bapply\b.{0,20}-R\b",
        "migrate": r"migrat|alembic|flyway|liquibase|upgrade\s+head|dbmate|goose|psql|mysql|sqlite",
        "clear": r"flush|purge|clear|truncate|prune|\brm\b|\bdel\b|clean|invalidat|delete|drop|reset",
        "renew": r"rotat|renew|revok|regenerat|reissu|certbot|keygen|openssl|access-key|token|secret",
        "upgrade": r"upgrad|\bupdate\b|install|bump|\badd\b|\bgo\s+get\b|sync|downgrad|set\s+image|pull",
        "backup": r"back-?up|dump|restore|snapshot|\bcp\b|rsync|\btar\b|archive|export|stash",
}  # fmt: skip
CALLS: Final = {kind: re.compile(words, re.IGNORECASE) for kind, words in _CALLS.items()}
"""What a call does that may be the deed: looked for in commands and names of tools."""
EDITED: Final[frozenset[Operation]] = frozenset(["rename", "rollback", "upgrade", "renew"])
"""Operations that an edit of a file may do."""
OPENED: Final = re.compile(r"/(?:pull|pulls|issues|merge_requests|-/merge_requests)/\d+", re.IGNORECASE)
"""The address of a request or an issue that exists."""

"""Which Chinese sentences bind the work, and what only sounds like it."""

from __future__ import annotations

import pytest

from contextrail.compaction.binding import is_rule

RULES = """\
每次提交都要写说明
不允许删除表
只能用标准库
公共接口保持不变
保持公共接口不变。
避免使用全局变量
请勿修改配置
勿修改生成的文件
不用改测试
无需更新文档
不必兼容旧版本
千万别动数据库
别推送到主分支
先别部署
绝不提交密钥
仅限修改 src 目录
只改 src 目录
停止使用 sudo
严格按照规范执行
以设计文档为准
最多重试三次
没有我的批准不要合并
经我同意后再部署
暂不部署
不应修改公共接口
确保测试通过
不再支持 Python 2
不可修改接口
未经批准不得上线
不要改测试，好吗？
能不能不要改测试？
请先备份再迁移，可以吗？
提前告诉我
原样保留注释
不要引入新依赖
不许改接口
不准推送
禁止使用 eval
不能用第三方库
不能修改测试
只准改文档
只可以读取
只用标准库。
请保持接口不变
保持代码风格一致
接口签名保持不变，内部可以重构
不必写测试
无须更新依赖
不需要改文档
请避免重复代码
一律使用中文
所有提交必须签名
务必跑测试
切勿删除数据
莫动数据库
先备份再迁移
等我确认后再发布
没有我同意不要推送
除非我同意，否则不要合并
遵循 PEP 8
至少写一个测试
绝对不要动生产库
拜托别改配置
你别改测试
严禁直接上线
"""
NO_RULES = """\
别担心
不得不重启服务
页面不能打开
我不能登录
为什么不能改测试？
是不是必须先备份
必须先备份吗？
测试总是失败
每次都报错
为了避免冲突，我改了名字
现在只能重启了
只能这样了
不用谢
不用担心
不要紧
别人写的代码
这个接口的别名是什么
特别慢
服务停止了
无法避免
数值一直保持不变
继续。
我等了半天才好
怪不得这么慢
可以避免这个问题吗
我只改了一行
不可能
要不要部署？
区别不大
首先看日志然后告诉我
修复登录
添加一个测试
这个问题不能复现
接口不可用
程序不能启动
服务不可达
它总是超时
这不可能
我们先看日志再说
别名是什么
级别太低
差别很大
告别旧版本
特别注意
分别运行
只有两个测试失败
只是看看
我只是想问问
等待超时
等级不够
为什么总是失败
是否需要审批？
能告诉我为什么必须用它吗？
我避免了冲突
请解释为什么不能用
测试通过了
他不再回复?
平等地处理
这样就不用改了
无需多言
我已经停止服务
"""


@pytest.mark.parametrize("sentence", RULES.splitlines())
def test_an_order_binds(sentence: str) -> None:
    assert is_rule(sentence)


@pytest.mark.parametrize("sentence", NO_RULES.splitlines())
def test_reports_questions_and_figures_of_speech_do_not_bind(sentence: str) -> None:
    assert not is_rule(sentence)

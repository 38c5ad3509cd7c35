"""Allotment: which pieces of a history are taken, and in which form, within a limit.

The order of worth: what is required; the tool work just done, in some form; the goal and what binds the work; the
current run, open tool work and the promised minimum, in some form; their full forms, newest first; recent groups;
summaries; what the user said, newest first; answers and other texts; older groups; and at last whatever still fits, up
to the whole limit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from contextrail.core.errors import BudgetExceeded
from contextrail.core.ids import MessageId
from contextrail.history.answers import MIN_SHORT, excerpt, short_answer, stub_answer, without_thinking
from contextrail.history.context import Context
from contextrail.history.forms import PAIRS, Form, Forms
from contextrail.history.pieces import Piece
from contextrail.messages.model import Message

_SHORTENED: Final = 2
"""Answers that are shortened rather than left out when they do not fit."""


@dataclass(frozen=True, slots=True)
class Worth:
    """What is known of some pieces beyond their kind, by their index."""

    binding: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """Those that hold the goal, or what binds the work, with the words that do; what counts most comes first."""
    yielding: frozenset[int] = frozenset()
    """Required, but in any form."""

    @classmethod
    def of(
        cls,
        messages: Sequence[Message],
        pieces: Sequence[Piece],
        binding: Mapping[MessageId, tuple[str, ...]],
        yielding: Collection[MessageId],
    ) -> Self:
        """From the ids of messages."""
        piece_of = {messages[at].id: index for index, piece in enumerate(pieces) for at in piece.at}
        return cls(
            {piece_of[ident]: told for ident, told in binding.items() if ident in piece_of},
            frozenset(piece_of[ident] for ident in yielding if ident in piece_of),
        )


class Allotment:
    """One pass over the pieces; `taken` and `stubs` are its result."""

    def __init__(
        self, pieces: Sequence[Piece], messages: Sequence[Message], context: Context, worth: Worth
    ) -> None:
        self.taken: dict[int, Form] = {}
        """Index of a piece to what is sent of it."""
        self.stubs: dict[int, Form] = {}
        """Index of an answer that is not taken to the line in its place."""
        self.room: dict[int, int] = {}
        """Index of a piece that did not fit to the room there was when it was tried last."""
        self._pieces = pieces
        self._messages = messages
        self._context = context
        self._worth = worth
        self._limit = context.limit
        self._free = context.limit
        self._forms: dict[int, Forms] = {}
        self._last_run = pieces[-1].run if pieces else 0
        self._question_of = {piece.run: at for at, piece in enumerate(pieces) if piece.kind == "question"}
        self._answer_of = {piece.run: at for at, piece in enumerate(pieces) if piece.kind == "answer"}

    def fill(self) -> None:
        """Take what is worth most.

        Raises:
            BudgetExceeded: What is required costs more than the limit.
        """
        forced = self._forced()
        self._require()
        self._require_newest()
        yielded = self._bind()
        self._reserve(forced)
        self._widen([*yielded, *forced])
        share = self._context.policy.working_memory
        recent = self._groups_newest_first()[: share.max_recent_tool_interactions]
        self._take_groups(recent)
        self._take_whole(self._newest("summary"))
        self._take_questions()
        self._take_texts(self._soft())
        self._take_groups(self._groups_newest_first())
        self._take_texts(0)
        self._take_rest()

    # What must be there

    def _is_current(self, piece: Piece) -> bool:
        return piece.run == self._last_run and piece.run > 0

    def _forced(self) -> list[int]:
        """Pieces that are kept in some form: the current run, newest first, then the promised minimum."""
        current = [at for at in self._backward() if self._is_current(self._pieces[at])]
        memory = self._context.policy.working_memory
        promised = min(memory.max_recent_tool_interactions, memory.min_tool_interactions_to_keep)
        return [*current, *self._groups_newest_first()[:promised]]

    def _require(self) -> None:
        required = [at for at, piece in enumerate(self._pieces) if piece.required]
        groups = [at for at in required if self._pieces[at].kind == "group"]
        for at in required:
            if at not in groups:
                self._take(at, self._whole(at))
        for at in groups:
            self._take(at, self._whole(at))
        for at in groups:
            if self._free < 0:
                self._take(at, self._smallest(at))
        for at in groups:
            if self._free < 0:
                self._take(at, self._forms_of(at).at("bare"))
        if self._free < 0:
            raise self._too_much(self._free)

    def _require_newest(self) -> None:
        """The tool work just done, if need be as a stub: the model may not be asked as if it had not happened."""
        newest = next((at for at in self._newest("group") if self._is_current(self._pieces[at])), None)
        if newest is None or newest in self.taken:
            return
        form = self._smallest(newest)
        if form.cost > self._free:
            form = self._forms_of(newest).at("bare")
        if form.cost > self._free:
            raise self._too_much(self._free - form.cost)
        self._take(newest, form)

    def _bind(self) -> list[int]:
        """The goal and what binds the work. Required groups that were shortened for it, newest first."""
        yielded: list[int] = []
        groups = [
            at
            for at, piece in enumerate(self._pieces)
            if piece.kind == "group" and at in self.taken and not self._is_fixed(at)
        ]
        for at in self._worth.binding:
            if at in self.taken:
                continue
            whole = self._whole(at)
            could = sum(self.taken[group].cost - self._least(group).cost for group in groups)
            if whole.cost <= self._free + could:
                while groups and whole.cost > self._free:
                    group = groups.pop(0)
                    self._take(group, self._least(group))
                    yielded.insert(0, group)
            if not self._try(at, whole):
                short = excerpt(self._members(at), self._worth.binding[at], self._free, self._context)
                if short is not None:
                    self._take(at, short)
        return yielded

    def _least(self, at: int) -> Form:
        """The smallest form of a group in which its calls and results are still there."""
        return min(self._smallest(at), self._forms_of(at).at("bare"), key=lambda form: form.cost)

    def _too_much(self, free: int) -> BudgetExceeded:
        return BudgetExceeded(
            "what must be kept does not fit",
            needed=self._limit - free,
            available=self._limit,
            unit=self._context.unit,
            messages=sum(len(piece.at) for piece in self._pieces if piece.required),
            cure="raise the window, lower the reserve, or shorten the system prompt or the last user message",
        )

    def _reserve(self, forced: Sequence[int]) -> None:
        """The smallest form of each, as long as there is room; a line where even that is too much."""
        for at in forced:
            if at in self.taken:
                continue
            form = self._smallest(at)
            if form.cost > self._free and self._pieces[at].kind == "group":
                forms = self._forms_of(at)
                form = forms.best(self._free, levels=("bare",)) or forms.at("line")
            self._try(at, form)

    def _widen(self, forced: Sequence[int]) -> None:
        """Better forms for what was reserved, newest first."""
        for at in forced:
            if at not in self.taken or self._pieces[at].kind != "group" or self._is_fixed(at):
                continue
            room = self._free + self.taken[at].cost
            forms = self._forms_of(at)
            better = (
                forms.best(room, levels=("whole", "shortened"))
                or forms.sized(room)
                or forms.best(room, levels=("stub", "short-calls"))
                or self.taken[at]
            )
            if better.cost > self.taken[at].cost:
                self._take(at, better)

    def _is_fixed(self, at: int) -> bool:
        """Whether the form of a piece is settled."""
        return self._pieces[at].required and at not in self._worth.yielding

    # What is worth it

    def _take_groups(self, groups: Sequence[int]) -> None:
        """Pairs within the share of working memory, lines where pairs do not fit."""
        for at in groups:
            if at in self.taken:
                continue
            if self._pieces[at].kind == "record":
                self._try(at, self._whole(at), keep=self._soft())
                continue
            forms = self._forms_of(at)
            if not self._try(at, forms.at("whole"), keep=self._soft()):
                self._try(at, forms.at("line"), keep=self._soft())

    def _take_whole(self, pieces: Sequence[int]) -> None:
        for at in pieces:
            if at not in self.taken:
                self._try(at, self._whole(at))

    def _take_questions(self) -> None:
        """What the user said, each with room for a stub of its answer; a short answer comes along at once."""
        for at in self._newest("question"):
            if at in self.taken and at not in self._worth.binding:
                continue
            answer = self._answer_of.get(self._pieces[at].run)
            beside = self._beside(answer) if answer is not None and answer not in self.taken else None
            if at in self.taken:
                if answer is not None and beside is not None and beside.cost <= self._free:
                    self._take_beside(answer, beside)
                continue
            question = self._whole(at)
            if answer is None or beside is None:
                self._try(at, question)
            elif question.cost + beside.cost > self._free:
                self.room[at] = self._free
            else:
                self._take(at, question)
                self._take_beside(answer, beside)

    def _beside(self, answer: int) -> Form:
        """The least that stands beside a question: a stub of its answer, or the answer if that is no longer."""
        stub = stub_answer(self._members(answer), self._context)
        whole = self._whole(answer)
        return whole if whole.cost <= stub.cost else stub

    def _take_beside(self, answer: int, form: Form) -> None:
        if form.level == "whole":
            self._take(answer, form)
        else:
            self.stubs[answer] = form
            self._free -= form.cost

    def _take_texts(self, keep: int) -> None:
        """Answers and other texts of runs whose question is there, newest first; a large one in short."""
        shortened = 0
        for at in self._newest("answer", "text"):
            if at in self.taken or not self._has_question(at):
                continue
            if self._try(at, self._whole(at), keep=keep):
                continue
            said = without_thinking(self._members(at), self._context)
            if (said is not None and self._try(at, said, keep=keep)) or at not in self.stubs:
                continue
            room = self._free - keep + self._stub_cost(at)
            if shortened < _SHORTENED and room >= MIN_SHORT:
                short = short_answer(self._members(at), room, self._context)
                if short is not None and self._try(at, short, keep=keep):
                    shortened += 1

    def _take_rest(self) -> None:
        """The last pass: everything that still fits, newest first; a group that does not, as a line."""
        for at in self._backward():
            piece = self._pieces[at]
            if at in self.taken:
                if piece.kind == "group" and self.taken[at].level == "line":
                    whole = self._forms_of(at).at("whole")
                    if whole.cost - self.taken[at].cost <= self._free:
                        self._take(at, whole)
                elif self.taken[at].level == "excerpt":
                    self._try(at, self._whole(at), keep=-self.taken[at].cost)
                continue
            if piece.kind == "group":
                if not self._try(at, self._forms_of(at).at("whole")):
                    self._try(at, self._forms_of(at).at("line"))
            elif piece.kind == "record" or (piece.kind != "question" and self._has_question(at)):
                self._try(at, self._whole(at))

    # Small things

    def _soft(self) -> int:
        """What the passes by priority leave free for the last one."""
        share = self._context.policy.budget.working_memory_budget_percentage
        filled = max(0, int(self._context.total * share) - self._context.fixed)
        return max(0, self._limit - filled)

    def _has_question(self, at: int) -> bool:
        """Whether what the assistant said is not an answer to a question that is gone."""
        if self._messages[self._pieces[at].at.start].role != "assistant":
            return True
        question = self._question_of.get(self._pieces[at].run)
        return question is None or question in self.taken

    def _stub_cost(self, at: int) -> int:
        return self.stubs[at].cost if at in self.stubs else 0

    def _try(self, at: int, form: Form, *, keep: int = 0) -> bool:
        """Take it if `keep` stays free."""
        room = self._free - keep + self._stub_cost(at)
        if form.cost > room:
            self.room[at] = max(0, room)
            return False
        self._take(at, form)
        return True

    def _take(self, at: int, form: Form) -> None:
        before = self.taken.get(at) or self.stubs.pop(at, None)
        self._free += (before.cost if before else 0) - form.cost
        self.taken[at] = form

    def _members(self, at: int) -> tuple[Message, ...]:
        unit = self._pieces[at].at
        return tuple(self._messages[unit.start : unit.stop])

    def _forms_of(self, at: int) -> Forms:
        if at not in self._forms:
            self._forms[at] = Forms(self._members(at), self._context)
        return self._forms[at]

    def _whole(self, at: int) -> Form:
        piece = self._pieces[at]
        if piece.kind == "group" and not piece.required:
            return self._forms_of(at).at("whole")
        return Form("whole", self._members(at), piece.cost)

    def _smallest(self, at: int) -> Form:
        if self._pieces[at].kind != "group":
            return self._whole(at)
        forms = [self._forms_of(at).at(level) for level in PAIRS]
        return min(forms, key=lambda form: form.cost)

    def _backward(self) -> range:
        return range(len(self._pieces) - 1, -1, -1)

    def _newest(self, *kinds: str) -> list[int]:
        return [at for at in self._backward() if self._pieces[at].kind in kinds]

    def _groups_newest_first(self) -> list[int]:
        """Groups and records of earlier runs."""
        return [at for at in self._newest("group", "record") if not self._is_current(self._pieces[at])]

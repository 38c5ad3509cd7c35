"""The tool an agent calls to ask for a checkpoint: a value that a host puts among its tools and runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from contextrail.core.errors import InvalidRequest
from contextrail.core.json_text import JsonObject, dump_text
from contextrail.history.checkpoint import MARKER
from contextrail.messages.model import Tool

_DESCRIPTION: Final = (
    "Save what matters of the work so far, when a phase is done or the context fills up. Everything before "
    "this call is then cleared, except this summary, the latest tool results and what the user said. Write "
    "down the goal, decisions, files and lines, commands with their outcome, open questions and the next step."
)
_OBSERVATION: Final = "checkpoint saved; earlier work is now represented by its summary"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointCall:
    """What a host's hooks see of one call."""

    arguments: JsonObject
    context: object
    """Whatever the host passed to `run`."""
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextCheckpointTool:
    """Definition and behavior of the tool. If it is renamed, `checkpoint.trigger_tool_name` must say so too.

    Raises:
        InvalidRequest: An extra parameter is called `summary`, or a required one is not among them.
    """

    name: str = MARKER
    description: str = _DESCRIPTION
    summary_max_length: int = 8_000
    """Characters."""
    extra_parameters: Mapping[str, JsonObject] = field(default_factory=dict)
    """The host's own parameters: name to JSON Schema."""
    required_extra_parameters: tuple[str, ...] = ()
    build_payload_extension: Callable[[CheckpointCall], JsonObject] | None = None
    """More fields for the payload; they cannot replace its type or summary."""
    build_observation: Callable[[CheckpointCall], str] | None = None
    """What the model reads besides."""

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InvalidRequest("the checkpoint tool has no name")
        if self.summary_max_length < 1:
            raise InvalidRequest(f"summary_max_length is {self.summary_max_length}, not at least 1")
        if "summary" in self.extra_parameters:
            raise InvalidRequest("summary is the checkpoint tool's own parameter", path="extra_parameters")
        for name in self.required_extra_parameters:
            if name not in self.extra_parameters:
                raise InvalidRequest(
                    f"{name} is required but no extra parameter", path="required_extra_parameters"
                )

    @property
    def tool(self) -> Tool:
        """The definition for the model."""
        summary = {
            "type": "string",
            "minLength": 1,
            "maxLength": self.summary_max_length,
            "description": "What must be known to go on without the earlier messages.",
        }
        return Tool(
            name=self.name,
            description=self.description,
            parameters={
                "type": "object",
                "properties": {"summary": summary, **self.extra_parameters},
                "required": ["summary", *self.required_extra_parameters],
            },
        )

    def run(self, arguments: JsonObject, context: object = None) -> str:
        """Answer one call with the marker, as JSON text.

        Raises:
            InvalidRequest: The summary is missing, blank or too long, or a required parameter is missing.
        """
        summary = self._summary(arguments)
        for name in self.required_extra_parameters:
            if arguments.get(name) is None:
                raise InvalidRequest(f"{name} is missing", path=name, cure=f"give {name}")
        call = CheckpointCall(arguments=arguments, context=context, summary=summary)
        more = {} if self.build_payload_extension is None else self.build_payload_extension(call)
        said = _OBSERVATION if self.build_observation is None else self.build_observation(call)
        return dump_text({"data": {**more, "_type": MARKER, "summary": summary}, "observation": said})

    def _summary(self, arguments: JsonObject) -> str:
        given = arguments.get("summary")
        summary = given.strip() if isinstance(given, str) else ""
        if not summary:
            raise InvalidRequest(
                "summary must be a text that is not blank", path="summary", cure="say what must be known"
            )
        if len(summary) > self.summary_max_length:
            raise InvalidRequest(
                f"summary has {len(summary)} characters, more than {self.summary_max_length}",
                path="summary",
                cure="shorten it",
            )
        return summary

"""Chooses the model of each step of an agent that LangChain's `create_agent` makes.

`AgentMiddleware.wrap_model_call(self, request, handler)` and `awrap_model_call`, both of which a middleware must have;
`ModelRequest` has `model`, `messages`, `system_message`, `tools`, `response_format` and `model_settings`, and
`override(model=…, model_settings=…)` makes another of it. Read in langchain 1.4.2,
`langchain/agents/middleware/types.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Awaitable, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

from langchain.agents.middleware import AgentMiddleware

from ._attempts import Attempts, attempt
from ._choice import Call, Choice, read_usage
from ._log import warn
from ._question import question_of
from ._shape import is_dict, is_row
from ._text import field
from ._usage import usage_of
from .aio import AsyncSextant
from .client import Sextant

if TYPE_CHECKING:
    from langchain.agents.middleware import ModelRequest, ModelResponse
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage

    Base = AgentMiddleware[Any, Any]
    Request = ModelRequest[Any]
    Response = ModelResponse[Any]
else:
    # At run time the number of its parameters depends on the version.
    Base = AgentMiddleware

# Errors by which the framework refuses an answer that does not fit its schema.
_MISFITS = ("StructuredOutputValidationError", "MultipleStructuredOutputsError")


class SextantMiddleware(Base):
    """Asks Sextant which of `models` makes each call, runs the next one after an outage, and reports each call.

    A call that another middleware gave a model which is none of `models`, as a fallback does, runs untouched; so do
    all where the agent's own model is none of them. Put it last in the list, because layers behind it are part of a
    call.

    models: every model of the client, by its id.
    settings: model settings by the model's id, which replace the settings of the request.
    gate_errors: names of errors that mean a wrong answer if a layer behind this one raises them.

    Raises ValueError if a model of the client is missing.
    """

    def __init__(
        self,
        sextant: Sextant,
        models: Mapping[str, BaseChatModel],
        *,
        settings: Optional[Mapping[str, Mapping[str, Any]]] = None,
        gate_errors: Sequence[str] = (),
    ) -> None:
        super().__init__()
        missing = [model_id for model_id in sextant.models if model_id not in models]
        if missing:
            raise ValueError(f"SextantMiddleware: no chat model of {', '.join(missing)}")
        self.sextant = sextant
        self._asynchronous = AsyncSextant(client=sextant)
        self._models = dict(models)
        self._settings = {model_id: dict(each) for model_id, each in (settings or {}).items()}
        self._gate_errors = (*_MISFITS, *gate_errors)

    def wrap_model_call(
        self, request: Request, handler: Callable[[Request], Response]
    ) -> Union[Response, AIMessage]:
        """One call of the agent's model. Raises `BudgetExhausted`, and what the last model raises."""
        if not self._is_ours(request.model):
            return handler(request)
        choice = self.sextant.choose(**_question(request))
        attempts = Attempts(choice)
        while True:
            with attempts as call:
                try:
                    answer = handler(self._request(request, call))
                except Exception as error:
                    self._refused(choice, call, error)
                    raise
                return self._reported(choice, call, answer)

    async def awrap_model_call(
        self, request: Request, handler: Callable[[Request], Awaitable[Response]]
    ) -> Union[Response, AIMessage]:
        """Does the same as `wrap_model_call`, asynchronously."""
        if not self._is_ours(request.model):
            return await handler(request)
        choice = (await self._asynchronous.choose(**_question(request))).choice
        attempts = Attempts(choice)
        while True:
            with attempts as call:
                try:
                    answer = await handler(self._request(request, call))
                except Exception as error:
                    self._refused(choice, call, error)
                    raise
                return self._reported(choice, call, answer)

    def _is_ours(self, model: Any) -> bool:
        name = _name_of(model)
        if any(model is each or (name is not None and name == _name_of(each)) for each in self._models.values()):
            return True
        warn(f"langchain {name}", "%s is none of the middleware's models, and runs as it is", name)
        return False

    def _request(self, request: Request, call: Call) -> Request:
        settings: Dict[str, Any] = {**request.model_settings, **self._settings.get(call.model_id, {})}
        return request.override(model=self._models[call.model_id], model_settings=settings)

    def _refused(self, choice: Choice, call: Call, error: Exception) -> None:
        """Reports an answer that the layers behind found wrong. Errors that the caller did not name report no
        verdict.
        """
        if not any(each.__name__ in self._gate_errors for each in type(error).__mro__):
            return
        call.succeeded(read_usage(usage_of, getattr(error, "ai_message", None)))
        choice.score(0, "gate", notes=type(error).__name__)

    def _reported(self, choice: Choice, call: Call, answer: Any) -> Any:
        """Reports the call of an answer, and returns the answer with its recommendation's id."""
        message = attempt(_message_of, answer)
        ran = attempt(self._ran, message, call.model_id, otherwise=call.model_id)
        # A layer behind may have gone on with another model after this one had failed.
        (call if ran == call.model_id else choice.begin(ran)).succeeded(read_usage(usage_of, message))
        said = field(message, "response_metadata")
        if is_dict(said):
            said["sextant"] = {
                "recommendation_id": choice.recommendation_id,
                "model_id": ran,
                "source": choice.source,
                "reason": choice.reason,
            }
        return answer

    def _ran(self, message: Any, model_id: str) -> str:
        """Returns the client's model that a message names; the called model if the message names none."""
        said = field(message, "response_metadata")
        name = str(field(said, "model_name") or field(said, "model") or "")
        others = (each for each in self._models if each != model_id)
        own, *rest = ((each, _name_of(self._models[each]) or each) for each in (model_id, *others))

        def is_said(known: Tuple[str, str]) -> bool:
            # A provider puts the date behind the name that it was asked for.
            return name == known[1] or name[:-11] == known[1] and name[-11] in "-@:"
        return model_id if is_said(own) else next((each[0] for each in rest if is_said(each)), model_id)


def _name_of(model: Any) -> Optional[str]:
    """Returns the provider's name of a chat model; None if the model shows no name."""
    found = attempt(lambda: field(model, "model_name") or field(model, "model") or field(model, "model_id"))
    return found if isinstance(found, str) else None


def _message_of(answer: Any) -> Any:
    """The model's message in a call's result, which is the message itself or holds it in a list."""
    result = field(field(answer, "model_response") or answer, "result")
    return result[0] if is_row(result) and result else answer


def _question(request: Request) -> Dict[str, Any]:
    """Arguments of `choose` about a call: task, step, size, needs and conversation."""
    messages: Sequence[Any] = attempt(lambda: list(request.messages), otherwise=[])
    humans = [at for at, each in enumerate(messages) if field(each, "type") == "human"]
    last = humans[-1] if humans else -1
    steps = sum(1 for each in messages[last + 1:] if field(each, "type") == "ai")
    read = question_of(
        messages, system=field(field(request, "system_message"), "content"), tools=field(request, "tools"),
        is_structured=field(request, "response_format") is not None, tags=[f"step:{steps}"])
    # If there is no thread id, the id of the user's message marks the conversation, so one run is one conversation.
    conversation = attempt(_thread_id) or (field(messages[last], "id") if humans else None)
    return {**read, "conversation_id": conversation, "parameters": list(request.model_settings)}


def _thread_id() -> Any:
    from langgraph.config import get_config

    return field(get_config().get("configurable"), "thread_id")

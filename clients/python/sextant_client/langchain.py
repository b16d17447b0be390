"""Chooses the model of each step of an agent that LangChain's `create_agent` makes. LangChain calls
a middleware's `wrap_model_call(request, handler)` or `awrap_model_call`. LangChain's interface was
read in `langchain/agents/middleware/types.py` of langchain 1.4.2.
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
    # LangChain's versions differ in the number of type parameters of `AgentMiddleware`.
    Base = AgentMiddleware

# Names of errors by which LangChain refuses an answer that does not fit the schema.
_MISFITS = ("StructuredOutputValidationError", "MultipleStructuredOutputsError")


class SextantMiddleware(Base):
    """Asks Sextant for the model of each call, runs another after an outage, and reports the calls.

    A call whose model is none of `models` runs untouched. Put SextantMiddleware last in the list of
    middlewares, because middlewares after it run inside each measured call.

    - models: every model of the client, by its id.
    - settings: model settings by the model's id, which replace the settings of the request.
    - gate_errors: names of errors that mean a wrong answer if a middleware after SextantMiddleware
        in the list raises them.

    Raises ValueError if `models` lacks a model of the client.
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
        """Makes one model call of an agent."""
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
        """Reports the quality 0 if the error is a misfit of the schema or one of `gate_errors`."""
        if not any(each.__name__ in self._gate_errors for each in type(error).__mro__):
            return
        call.succeeded(read_usage(usage_of, getattr(error, "ai_message", None)))
        choice.score(0, "gate", notes=type(error).__name__)

    def _reported(self, choice: Choice, call: Call, answer: Any) -> Any:
        """Reports a successful call, and returns its answer with the recommendation's id."""
        message = attempt(_message_of, answer)
        ran = attempt(self._ran, message, call.model_id, otherwise=call.model_id)
        # A middleware after SextantMiddleware may have run another model when the called model
        # failed.
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
        """Returns the client's model that a message names, or else the called model."""
        said = field(message, "response_metadata")
        name = str(field(said, "model_name") or field(said, "model") or "")
        others = (each for each in self._models if each != model_id)
        own, *rest = ((each, _name_of(self._models[each]) or each) for each in (model_id, *others))

        def is_said(known: Tuple[str, str]) -> bool:
            # A provider may add a date to a model's name, as in `gpt-5-2025-08-07`.
            return name == known[1] or name[:-11] == known[1] and name[-11] in "-@:"
        return model_id if is_said(own) else next((each[0] for each in rest if is_said(each)), model_id)


def _name_of(model: Any) -> Optional[str]:
    """Returns the provider's name of a chat model; None if the model shows no name."""
    found = attempt(lambda: field(model, "model_name") or field(model, "model") or field(model, "model_id"))
    return found if isinstance(found, str) else None


def _message_of(answer: Any) -> Any:
    """Returns the message in a call's result: the result itself, or the first in its list."""
    result = field(field(answer, "model_response") or answer, "result")
    return result[0] if is_row(result) and result else answer


def _question(request: Request) -> Dict[str, Any]:
    """Returns arguments of `choose` about a call: task, step, size, needs and conversation."""
    messages: Sequence[Any] = attempt(lambda: list(request.messages), otherwise=[])
    humans = [at for at, each in enumerate(messages) if field(each, "type") == "human"]
    last = humans[-1] if humans else -1
    steps = sum(1 for each in messages[last + 1:] if field(each, "type") == "ai")
    read = question_of(
        messages, system=field(field(request, "system_message"), "content"), tools=field(request, "tools"),
        is_structured=field(request, "response_format") is not None, tags=[f"step:{steps}"])
    # If there is no thread id, the id of the user's message marks the conversation, so that one run
    # is one conversation.
    conversation = attempt(_thread_id) or (field(messages[last], "id") if humans else None)
    return {**read, "conversation_id": conversation, "parameters": list(request.model_settings)}


def _thread_id() -> Any:
    from langgraph.config import get_config

    return field(get_config().get("configurable"), "thread_id")

"""Routes the model `sextant/auto` in the clients of `openai`: chat completions and responses, also
as streams. A client of `openai` sends HTTP requests by its method `request(cast_to, options, …)`.
The `options` of `request` hold `method`, `url`, `json_data` and `max_retries`. The method `request`
of the given client is replaced, so that helpers, `parse` and raw responses are routed too.
"""

from __future__ import annotations

import copy
import inspect
import json
import re
from typing import Any, AsyncIterator, Callable, Dict, Iterator, Mapping, NamedTuple, Optional, TypeVar

from . import gates
from ._attempts import Attempts, attempt
from ._choice import Call, Choice, Routed, read_usage
from ._question import question_of
from ._shape import is_dict, is_row
from ._shared import Remembered
from ._text import answer_text, field
from ._usage import Usage, usage_of
from .aio import AsyncSextant
from .client import Sextant

Client = TypeVar("Client")

# The model name with which a caller asks Sextant to choose the model.
_AUTO = "sextant/auto"
_ROUTED = re.compile(r"^/?(chat/completions|responses)/?$")
# Types of the events that end a stream of OpenAI's responses without an error.
_LAST = ("response.completed", "response.incomplete")
# Matches types and codes of errors in a stream that mean an outage of the provider.
_OUTAGE = re.compile(r"overload|rate_limit|server_error|api_error|timeout|unavailable")
# Attribute of an answer that holds its `Routed`; dumps of a pydantic model leave it out.
_KEPT = "_sextant"


def auto(**options: Any) -> str:
    """Returns the model name `sextant/auto`, which may carry options of one choice.

    - options: options of `Sextant.choose` with JSON values, such as `conversation_id`.
    """
    return f"{_AUTO}?{json.dumps(options)}" if options else _AUTO


def sextant_of(answer: Any) -> Optional[Routed]:
    """Returns the routing of an answer, stream or raw response; None if it was not routed."""
    found = getattr(answer, _KEPT, None) or getattr(getattr(answer, "_raw_stream", None), _KEPT, None)
    return found if isinstance(found, Routed) else None


def with_sextant(
    client: Client, sextant: Sextant, *, names: Optional[Mapping[str, str]] = None, stream_usage: bool = True
) -> Client:
    """Returns the same `OpenAI` or `AsyncOpenAI`, which now routes requests for `sextant/auto`.

    Requests for other models than `sextant/auto` pass untouched. Copies that the routed client
    makes by `with_options` are routed too.

    - names: the provider's names of models, by Sextant's ids; a model without a name keeps its id.
    - stream_usage: whether the client asks streams of chat completions for their usage, unseen by
        the caller. Set `stream_usage` to False for servers that refuse `stream_options`.

    Raises TypeError if `client` lacks the method `request` or `copy`.
    """
    foreign: Any = client
    request, copied = getattr(foreign, "request", None), getattr(foreign, "copy", None)
    if not callable(request) or not callable(copied):
        raise TypeError("with_sextant: no client of openai that is known")
    routing = _Routing(sextant, dict(names or {}), stream_usage)
    foreign.request = (_asynchronous if inspect.iscoroutinefunction(request) else _synchronous)(routing, request)

    def copy_routed(*args: Any, **options: Any) -> Any:
        return with_sextant(copied(*args, **options), sextant, names=names, stream_usage=stream_usage)
    foreign.copy = foreign.with_options = copy_routed
    return client


class _Question(NamedTuple):
    options: Any
    body: Dict[str, Any]
    asked: Dict[str, Any]
    # The model that called the tool whose result is sent; other models may refuse that model's reasoning.
    caller: Optional[str]
    hides_usage: bool


class _Routing:
    """The state that one client's requests share."""

    def __init__(self, sextant: Sextant, names: Dict[str, str], stream_usage: bool) -> None:
        self.sextant = sextant
        self._names = names
        self._stream_usage = stream_usage
        # The model that called a tool, by the id of the call.
        self._called = Remembered()

    def question(self, options: Any) -> Optional[_Question]:
        """Makes the question about a request; returns None for another model than `sextant/auto`.

        Raises TypeError for `sextant/auto` where it cannot be routed, and ValueError for options
        that are no JSON object.
        """
        body, url = getattr(options, "json_data", None), str(getattr(options, "url", ""))
        model = body.get("model") if is_dict(body) else None
        if not is_dict(body) or not isinstance(model, str) or model.split("?")[0] != _AUTO:
            return None
        if not _ROUTED.match(url):
            raise TypeError(f"{_AUTO} runs chat completions and responses: name a model for {url}")
        own = _options_of(model)
        caller = self._called.get(attempt(_answered_tool, body))
        if caller is not None:
            own["models"] = [caller]
        messages = body.get("messages") if body.get("messages") is not None else body.get("input")
        limits = ("max_completion_tokens", "max_output_tokens", "max_tokens")
        read = question_of(
            messages, system=body.get("instructions"), tools=body.get("tools"),
            is_structured=attempt(_schema_of, body) is not None,
            output_limit=next((body[name] for name in limits if body.get(name) is not None), None))
        conversation = body.get("conversation")
        asked = {"conversation_id": field(conversation, "id") or conversation, **read, "parameters": list(body), **own}
        asks_for_usage = (
            self._stream_usage and body.get("stream") is True and "messages" in body
            and field(body.get("stream_options"), "include_usage") is None)
        sent: Dict[str, Any] = dict(body)
        if asks_for_usage:
            sent["stream_options"] = {**(body.get("stream_options") or {}), "include_usage": True}
        return _Question(options, sent, asked, caller, asks_for_usage)

    def attempts(self, question: _Question, choice: Choice) -> Attempts:
        # If the budget is used up, the model that `on_budget_exhausted` names runs, even after a
        # tool call of another model.
        is_bound = question.caller is not None and choice.reason != "budget_exhausted"
        return Attempts(choice, question.caller if is_bound else None)

    def sent(self, question: _Question, choice: Choice, model_id: str) -> Any:
        """Returns a copy of the request's options that names the model `model_id`."""
        options = copy.copy(question.options)
        options.json_data = {**question.body, "model": self._names.get(model_id, model_id)}
        if not choice.is_last:
            # If another model is left, that model runs directly after an outage. The SDK retries
            # only the last model.
            options.max_retries = 0
        return options

    def measured(self, question: _Question, choice: Choice, call: Call, answer: Any) -> Any:
        """Returns the answer. A streamed call is reported at the stream's end, any other immediately."""
        if sextant_of(answer) is not None:  # a raw response makes the same stream again
            return answer
        routed = choice.routed(call.model_id)
        parts = getattr(answer, "_iterator", None)
        if parts is not None:
            _measure_stream(answer, _Observer(call, self._called, question.hides_usage), parts)
        elif hasattr(answer, "http_response") and question.body.get("stream") is True:
            _measure_when_parsed(answer, lambda stream: self.measured(question, choice, call, stream))
        else:
            # A raw response has a text once its body is read.
            text = attempt(lambda: answer.text if hasattr(answer, "http_response") else None)
            whole = attempt(json.loads, text) if isinstance(text, str) else answer
            call.succeeded(read_usage(usage_of, whole))
            for tool in attempt(lambda: list(_tools_of(whole)), otherwise=()):
                self._called.set(tool, call.model_id)
            schema = attempt(_schema_of, question.body)
            if schema is not None and attempt(_misses, schema, whole) is True:
                self.sextant.score(routed, 0, "gate", notes="not of its schema")
        attempt(lambda: object.__setattr__(answer, _KEPT, routed))
        return answer


def _synchronous(routing: _Routing, send: Callable[..., Any]) -> Callable[..., Any]:
    def request(cast_to: Any, options: Any, **how: Any) -> Any:
        question = routing.question(options)
        if question is None:
            return send(cast_to, options, **how)
        choice = routing.sextant.choose(**question.asked)
        attempts = routing.attempts(question, choice)
        while True:
            with attempts as call:
                answer = send(cast_to, routing.sent(question, choice, call.model_id), **how)
                return routing.measured(question, choice, call, answer)
    return request


def _asynchronous(routing: _Routing, send: Callable[..., Any]) -> Callable[..., Any]:
    sextant = AsyncSextant(client=routing.sextant)

    async def request(cast_to: Any, options: Any, **how: Any) -> Any:
        question = routing.question(options)
        if question is None:
            return await send(cast_to, options, **how)
        choice = (await sextant.choose(**question.asked)).choice
        attempts = routing.attempts(question, choice)
        while True:
            with attempts as call:
                answer = await send(cast_to, routing.sent(question, choice, call.model_id), **how)
                return routing.measured(question, choice, call, answer)
    return request


def _options_of(model: str) -> Dict[str, Any]:
    text = model[len(_AUTO) + 1:]
    given: Any = json.loads(text) if text else {}
    if not is_dict(given):
        raise ValueError(f"{model} is not a model: use auto()")
    return given


def _answered_tool(body: Mapping[str, Any]) -> Optional[str]:
    """Returns the id of the tool call whose result is the request's last message, otherwise None."""
    messages = body.get("messages") or body.get("input")
    last = messages[-1] if is_row(messages) and messages else None
    found = field(last, "tool_call_id") or field(last, "call_id")
    return found if isinstance(found, str) else None


def _tools_of(event: Any) -> Iterator[str]:
    """Yields the ids of tool calls in a whole answer, or in an event of a stream."""
    for choice in field(event, "choices") or ():
        for tool in field(field(choice, "message") or field(choice, "delta"), "tool_calls") or ():
            if isinstance(field(tool, "id"), str):
                yield field(tool, "id")
    for item in [*(field(event, "output") or ()), field(event, "item")]:
        if isinstance(field(item, "call_id"), str):
            yield field(item, "call_id")


def _schema_of(body: Mapping[str, Any]) -> Any:
    """Returns the JSON schema that the request sets for the answer; None without a schema."""
    for found in (body.get("response_format"), field(body.get("text"), "format")):
        if field(found, "type") == "json_schema":
            return field(found, "schema") or field(field(found, "json_schema"), "schema") or True
    return None


def _misses(schema: Any, answer: Any) -> bool:
    """Whether an answer's text misses its schema; false after a filter or a tool call."""
    end = field((field(answer, "choices") or [None])[0], "finish_reason") or field(
        field(answer, "incomplete_details"), "reason")
    if re.search(r"filter|tool|function", str(end)) or any(True for _ in _tools_of(answer)):
        return False
    output = field(answer, "output")
    parts = [part for item in output or () for part in field(item, "content") or ()]
    text = answer_text({"content": parts} if output else answer)
    return text is not None and gates.json(schema)(text) is False


class _ProviderFailure(Exception):
    """An error event of a stream. `status_code` is 503 for an outage, otherwise None."""

    def __init__(self, error: Any) -> None:
        super().__init__(str(field(error, "message")))
        said = f"{field(error, 'type')} {field(error, 'code')}"
        self.status_code = 503 if _OUTAGE.search(said) else None


class _Observer:
    """Reads the events of a stream, and reports its call."""

    def __init__(self, call: Call, called: Remembered, hides_usage: bool) -> None:
        self._call, self._called, self._hides_usage = call, called, hides_usage
        self._took = Usage()

    def read(self, event: Any) -> bool:
        """Reads an event, and returns whether the caller gets the event. An event of usage alone is
        hidden if only the adapter asked for usage.
        """
        call = self._call
        self._took = self._took.updated(read_usage(usage_of, event))
        kind = field(event, "type")
        if field(event, "choices") or "delta" in str(kind):
            call.first_token()
        for tool in attempt(lambda: list(_tools_of(event)), otherwise=()):
            self._called.set(tool, call.model_id)
        if kind in ("error", "response.failed"):
            error = event if kind == "error" else field(field(event, "response"), "error")
            call.failed(_ProviderFailure(error), self._took)
        if kind in _LAST:
            call.succeeded(self._took)
        is_bare = field(event, "choices") == [] and field(event, "usage") is not None
        return not (self._hides_usage and is_bare)

    def ended(self, error: Optional[BaseException] = None) -> None:
        if error is None:
            self._call.succeeded(self._took)
        elif isinstance(error, Exception):
            # For an error event of chat completions, the SDK raises an error without a status.
            body = getattr(error, "body", None)
            is_said = is_dict(body) and getattr(error, "status_code", None) is None
            self._call.failed(_ProviderFailure(body) if is_said else error, self._took)
        else:  # the reader left, or the task was cancelled
            self._call.abandoned(self._took)


def _measure_stream(stream: Any, observer: _Observer, parts: Any) -> None:
    """Passes the events of a stream to the observer while the caller reads the stream. If a stream
    is closed before its end, its call is reported as abandoned.
    """
    closed = stream.close
    if hasattr(parts, "__anext__"):
        stream._iterator = _observed_async(observer, parts)

        async def close_async() -> None:
            observer.ended(GeneratorExit())
            await closed()
        stream.close = close_async
    else:
        stream._iterator = _observed(observer, parts)

        def close() -> None:
            observer.ended(GeneratorExit())
            closed()
        stream.close = close


def _observed(observer: _Observer, parts: Iterator[Any]) -> Iterator[Any]:
    try:
        for part in parts:
            if attempt(observer.read, part, otherwise=True):
                yield part
    except BaseException as error:
        observer.ended(error)
        raise
    observer.ended()


async def _observed_async(observer: _Observer, parts: AsyncIterator[Any]) -> AsyncIterator[Any]:
    try:
        async for part in parts:
            if attempt(observer.read, part, otherwise=True):
                yield part
    except BaseException as error:
        observer.ended(error)
        raise
    observer.ended()


def _measure_when_parsed(response: Any, measured: Callable[[Any], Any]) -> None:
    """Measures the stream that the method `parse` of a raw response returns."""
    parse = response.parse

    async def parse_async(*args: Any, **options: Any) -> Any:
        return measured(await parse(*args, **options))

    def parse_sync(*args: Any, **options: Any) -> Any:
        return measured(parse(*args, **options))
    response.parse = parse_async if inspect.iscoroutinefunction(parse) else parse_sync

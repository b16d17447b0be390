"""A hook for the LiteLLM proxy: requests for the model "auto" run the model that Sextant names.

In the proxy's configuration: `litellm_settings: {callbacks: sextant_litellm.handler}`. It needs this file and the
package `sextant_client` on the proxy's path, and LiteLLM itself.

SEXTANT_URL, SEXTANT_KEY: the service. SEXTANT_MODELS: a JSON object from Sextant's model ids to the proxy's
`model_name`s. SEXTANT_DEFAULT: the id that runs whenever Sextant cannot say. SEXTANT_DEADLINE_MS: how long a request
waits for Sextant, 400 by default. SEXTANT_AUTO: the name that callers ask for, "auto" by default.
"""

import json
import logging
import os
import threading
from collections import OrderedDict

from litellm.integrations.custom_logger import CustomLogger
from sextant_client import AsyncSextant, BudgetExhausted, Sextant, Usage, fault_of, usage_of

logger = logging.getLogger("sextant_litellm")

# Choices whose calls have not ended, count; the oldest is forgotten.
CHOICES_MAX = 10_000
HEADER = "x-sextant-recommendation-id"


def task_of(data):
    """The text of the last message of the user; of a completion its prompt, of a response its input."""
    messages = data.get("messages") or data.get("input") or data.get("prompt") or ""
    if isinstance(messages, str):
        return messages
    said = [each for each in messages if isinstance(each, dict) and each.get("role") == "user"]
    content = said[-1].get("content") if said else ""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))


def metadata_of(kwargs):
    """What the proxy carries from the request to its log."""
    params = kwargs.get("litellm_params") or {}
    found = {}
    for each in (params.get("metadata"), params.get("litellm_metadata")):
        found.update(each if isinstance(each, dict) else {})
    return found


def elapsed_ms(start, end):
    """Milliseconds between two times, of datetime or in seconds; None if either is missing."""
    try:
        passed = end - start
        return (passed.total_seconds() if hasattr(passed, "total_seconds") else passed) * 1_000
    except TypeError:
        return None


class SextantHook(CustomLogger):
    """Chooses before a call, and reports after it.

    Whatever fails here, the proxy runs the default model; a budget that is used up refuses the request.
    """

    def __init__(self, client, names, default_model_id, auto="auto"):
        super().__init__()
        self.client = client
        self._sextant = AsyncSextant(client=client)
        self._names = dict(names)
        self._ids = {name: model_id for model_id, name in self._names.items()}
        self._default_name = self._names[default_model_id]
        self._auto = auto
        self._choices = OrderedDict()
        self._lock = threading.Lock()

    async def async_pre_call_hook(self, user_api_key_dict, cache, data, call_type):
        """Puts a model's name in the place of "auto"; other requests pass untouched."""
        if data.get("model") != self._auto:
            return data
        data["model"] = self._default_name
        try:
            key = "litellm_metadata" if isinstance(data.get("litellm_metadata"), dict) else "metadata"
            metadata = dict(data.get(key) or {})
            session = data.get("litellm_session_id") or metadata.get("session_id")
            task = {"task": task_of(data) or "(empty)"}
            tags = [tag for tag in metadata.get("tags") or [] if isinstance(tag, str) and 0 < len(tag) <= 256]
            choice = await self._sextant.choose({**task, "tags": tags[:64]}, conversation_id=session, parameters=data)
            data["model"] = self._names[choice.model_id]
            # Only text: the proxy writes metadata to its own logs.
            metadata["sextant"] = {
                "recommendation_id": choice.recommendation_id,
                "model_id": choice.model_id,
                "source": choice.source,
                "reason": choice.reason,
            }
            data[key] = metadata
            self._remember(choice)
        except BudgetExhausted:
            raise
        except Exception:
            logger.exception("the default runs")
        return data

    async def async_post_call_success_hook(self, data, user_api_key_dict, response):
        """Gives the caller the id to score with, as a header of the answer."""
        try:
            own = metadata_of({"litellm_params": data}).get("sextant") or {}
            recommendation_id = own.get("recommendation_id")
            hidden = getattr(response, "_hidden_params", None)
            if recommendation_id and isinstance(hidden, dict):
                headers = hidden.get("additional_headers") or {}
                hidden["additional_headers"] = {**headers, HEADER: recommendation_id}
        except Exception:
            logger.exception("the answer has no %s", HEADER)
        return response

    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        """Reports what a call took; an answer from the proxy's cache was no call."""
        try:
            call = None if kwargs.get("cache_hit") else self._call(kwargs)
            if call is None:
                return
            first = kwargs.get("completion_start_time") if kwargs.get("stream") else None
            measured = Usage(
                # The proxy says 0 of a model without a price.
                cost_usd=kwargs.get("response_cost") or None,
                latency_ms=elapsed_ms(start_time, end_time),
                time_to_first_token_ms=elapsed_ms(start_time, first),
            )
            call.succeeded(measured.updated(usage_of(response_obj)))
        except Exception:
            logger.exception("a call was not reported")

    async def async_log_failure_event(self, kwargs, response_obj, start_time, end_time):
        """Reports an outage or a refusal of a provider, whose model is then left out; other errors are the caller's."""
        try:
            error = kwargs.get("exception")
            if isinstance(error, BaseException) and fault_of(error):
                call = self._call(kwargs)
                if call is not None:
                    call.failed(error, Usage(latency_ms=elapsed_ms(start_time, end_time)))
        except Exception:
            logger.exception("a failure was not reported")

    def _call(self, kwargs):
        """A call of the model that ran, which may be one of the proxy's own fallbacks; None if it is not ours."""
        metadata = metadata_of(kwargs)
        own = metadata.get("sextant")
        if not own:
            return None
        with self._lock:
            choice = self._choices.get(own["recommendation_id"])
        if choice is None:
            return None
        name = metadata.get("model_group")
        return choice.begin(self._ids.get(name, name) if name else own["model_id"])

    def _remember(self, choice):
        if choice.recommendation_id is None:
            return
        with self._lock:
            self._choices[choice.recommendation_id] = choice
            if len(self._choices) > CHOICES_MAX:
                self._choices.popitem(last=False)


def from_environment():
    """The hook that the variables describe; a mistake in them ends the start of the proxy."""
    names = json.loads(os.environ["SEXTANT_MODELS"])
    default = os.environ["SEXTANT_DEFAULT"]
    client = Sextant(
        os.environ["SEXTANT_URL"],
        os.environ["SEXTANT_KEY"],
        models=names,
        default_model_id=default,
        deadline_ms=float(os.environ.get("SEXTANT_DEADLINE_MS", 400)),
    )
    return SextantHook(client, names, default, os.environ.get("SEXTANT_AUTO", "auto"))


def __getattr__(name):
    """Makes `handler` when the proxy asks for it, and not when a test imports this file."""
    if name != "handler":
        raise AttributeError(name)
    made = globals()["handler"] = from_environment()
    return made

"""A logger of the LiteLLM proxy, which reports the calls that a `SextantClassifier` classified.
`litellm_settings: {callbacks: …}` of the proxy names the logger.
"""

from __future__ import annotations

import uuid
from typing import Any, Dict, Mapping, Optional

from litellm.integrations.custom_logger import CustomLogger

from ._choice import Call
from ._log import logger
from ._outage import fault_of
from ._usage import Usage, usage_of
from .litellm_classifier import REQUEST_ID, choice_of

# The header of an answer that names the recommendation to score.
HEADER = "x-sextant-recommendation-id"


def metadata_of(kwargs: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the metadata that the proxy passes from a request to its log."""
    params = kwargs.get("litellm_params") or {}
    found: Dict[str, Any] = {}
    for each in (params.get("metadata"), params.get("litellm_metadata")):
        found.update(each if isinstance(each, dict) else {})
    return found


def elapsed_ms(start: Any, end: Any) -> Optional[float]:
    """Returns the ms between two times, datetimes or seconds; None if a time is missing."""
    try:
        passed = end - start
        return (passed.total_seconds() if hasattr(passed, "total_seconds") else passed) * 1_000
    except TypeError:
        return None


class SextantLogger(CustomLogger):
    """Reports the calls of requests that a SextantClassifier classified.

    An error in a method of the logger is logged, and does not stop the proxy.

    - names: the proxy's `model_name` of each model, by Sextant's id of the model.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        super().__init__()
        self._ids = {name: model_id for model_id, name in dict(names).items()}

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: Any, call_type: Any
    ) -> Any:
        """Marks a request with an id, by which `choice_of` finds the request's choice."""
        try:
            key = "litellm_metadata" if isinstance(data.get("litellm_metadata"), dict) else "metadata"
            session = data.get("litellm_session_id")
            # The metadata gets texts only, because the proxy writes metadata to its own logs.
            own = {REQUEST_ID: str(uuid.uuid4()), **({"litellm_session_id": str(session)} if session else {})}
            data[key] = {**(data.get(key) or {}), **own}
        except Exception:
            logger.exception("a request was not marked")
        return data

    async def async_post_call_success_hook(
        self, data: Any, user_api_key_dict: Any, response: Any
    ) -> Any:
        """Gives the caller the id to score with, as a header of the answer."""
        try:
            choice = choice_of(metadata_of({"litellm_params": data}))
            recommendation_id = None if choice is None else choice.recommendation_id
            hidden = getattr(response, "_hidden_params", None)
            if recommendation_id and isinstance(hidden, dict):
                headers = hidden.get("additional_headers") or {}
                hidden["additional_headers"] = {**headers, HEADER: recommendation_id}
        except Exception:
            logger.exception("the answer has no %s", HEADER)
        return response

    async def async_log_success_event(
        self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Reports a call's usage. An answer from the proxy's cache is not reported."""
        try:
            call = None if kwargs.get("cache_hit") else self._call(kwargs)
            if call is None:
                return
            first = kwargs.get("completion_start_time") if kwargs.get("stream") else None
            measured = Usage(
                # The proxy reports a cost of 0 for a model whose price it does not know.
                cost_usd=kwargs.get("response_cost") or None,
                latency_ms=elapsed_ms(start_time, end_time),
                time_to_first_token_ms=elapsed_ms(start_time, first),
            )
            call.succeeded(measured.updated(usage_of(response_obj)))
        except Exception:
            logger.exception("a call was not reported")

    async def async_log_failure_event(
        self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """Reports an outage or a refused model, and leaves the model out for a while. A refused
        parameter is not reported: the classifier does not know the parameters.
        """
        try:
            error = kwargs.get("exception")
            if isinstance(error, BaseException) and fault_of(error) in ("outage", "model"):
                call = self._call(kwargs)
                if call is not None:
                    call.failed(error, Usage(latency_ms=elapsed_ms(start_time, end_time)))
        except Exception:
            logger.exception("a failure was not reported")

    def _call(self, kwargs: Mapping[str, Any]) -> Optional[Call]:
        """Begins a call of the model that ran, which may be a fallback of the proxy. Returns None
        if this process did not classify the request.
        """
        metadata = metadata_of(kwargs)
        choice = choice_of(metadata)
        if choice is None:
            return None
        # `model_group` may be the name that the caller asked for, such as `auto`.
        name = metadata.get("deployment_model_name") or metadata.get("model_group")
        return choice.begin(self._ids.get(name, name))

"""Sextant in the LiteLLM proxy: `classifier` names the tier of a request, and `handler` reports how the calls went.

In the proxy's configuration: `classifier_plugin: sextant_litellm.classifier` of its complexity router, and
`litellm_settings: {callbacks: sextant_litellm.handler}`. It needs this file and the package `sextant_client` on the
proxy's path, and LiteLLM itself.

SEXTANT_URL, SEXTANT_KEY: the service. SEXTANT_MODELS: a JSON object from Sextant's model ids to the proxy's
`model_name`s. SEXTANT_TIERS: one from Sextant's model ids to the router's tiers, a tier of its own for each.
SEXTANT_DEFAULT: the id of the model that the router's fallback runs. SEXTANT_DEADLINE_MS: how long a request waits for
Sextant, 400 by default.
"""

import json
import logging
import os
import uuid

from litellm.integrations.custom_logger import CustomLogger
from sextant_client import Usage, fault_of, usage_of
from sextant_client.litellm_classifier import REQUEST_ID, SextantClassifier, choice_of

logger = logging.getLogger("sextant_litellm")

HEADER = "x-sextant-recommendation-id"


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


class SextantLogger(CustomLogger):
    """Reports the calls of the requests that were classified; whatever fails here, the proxy goes on."""

    def __init__(self, names):
        super().__init__()
        self._ids = {name: model_id for model_id, name in dict(names).items()}

    async def async_pre_call_hook(self, user_api_key_dict, cache, data, call_type):
        """Marks a request, so that its calls find what it was classified by; it chooses nothing."""
        try:
            key = "litellm_metadata" if isinstance(data.get("litellm_metadata"), dict) else "metadata"
            session = data.get("litellm_session_id")
            # Only text: the proxy writes metadata to its own logs.
            own = {REQUEST_ID: str(uuid.uuid4()), **({"litellm_session_id": str(session)} if session else {})}
            data[key] = {**(data.get(key) or {}), **own}
        except Exception:
            logger.exception("a request was not marked")
        return data

    async def async_post_call_success_hook(self, data, user_api_key_dict, response):
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
        """Reports an outage or a refusal of a provider, whose model is then left out; other errors are the caller's.

        So is a parameter that a model refuses: the classifier does not see which ones a request has.
        """
        try:
            error = kwargs.get("exception")
            if isinstance(error, BaseException) and fault_of(error) in ("outage", "model"):
                call = self._call(kwargs)
                if call is not None:
                    call.failed(error, Usage(latency_ms=elapsed_ms(start_time, end_time)))
        except Exception:
            logger.exception("a failure was not reported")

    def _call(self, kwargs):
        """A call of the model that ran, which may be one of the proxy's own fallbacks; None if it is not ours."""
        metadata = metadata_of(kwargs)
        choice = choice_of(metadata)
        if choice is None:
            return None
        # The deployment's name; the group is what the caller asked for, as long as no router has changed it.
        name = metadata.get("deployment_model_name") or metadata.get("model_group")
        return choice.begin(self._ids.get(name, name))


def classifier_of_environment():
    """The classifier that the variables describe; a mistake in them ends the start of the proxy."""
    return SextantClassifier(
        os.environ["SEXTANT_URL"],
        os.environ["SEXTANT_KEY"],
        json.loads(os.environ["SEXTANT_TIERS"]),
        os.environ["SEXTANT_DEFAULT"],
        deadline_ms=float(os.environ.get("SEXTANT_DEADLINE_MS", 400)),
    )


def __getattr__(name):
    """Makes `classifier` and `handler` when the proxy asks for them, and not when a test imports this file."""
    if name == "classifier":
        made = classifier_of_environment()
    elif name == "handler":
        made = SextantLogger(json.loads(os.environ["SEXTANT_MODELS"]))
    else:
        raise AttributeError(name)
    globals()[name] = made
    return made

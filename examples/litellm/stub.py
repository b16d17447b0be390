"""Stands for LiteLLM, which this repository does not install: the base class of its hooks, and what calls them.

What a proxy does around a call is written from LiteLLM's documentation and sources: the hook before the call, the
complexity router with its classifier, retries and fallbacks of the router with one log event per attempt, and the hook
after the call.
"""

import asyncio
import copy
import json
import sys
import types
import urllib.error
import urllib.request
from datetime import datetime


class CustomLogger:
    """The methods of LiteLLM's class that the hook overrides."""

    def __init__(self, message_logging=True, **_):
        self.message_logging = message_logging

    async def async_pre_call_hook(self, user_api_key_dict, cache, data, call_type):
        return data

    async def async_post_call_success_hook(self, data, user_api_key_dict, response):
        return response

    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        return None

    async def async_log_failure_event(self, kwargs, response_obj, start_time, end_time):
        return None


def install():
    """Makes `litellm.integrations.custom_logger` importable."""
    for name in ("litellm", "litellm.integrations", "litellm.integrations.custom_logger"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["litellm.integrations.custom_logger"].CustomLogger = CustomLogger


class ProviderError(Exception):
    """An error as the router raises it: with a status."""

    def __init__(self, status_code):
        super().__init__(f"status {status_code}")
        self.status_code = status_code


class Answer(dict):
    """An answer of a model, with what the proxy keeps beside it."""

    def __init__(self, fields):
        super().__init__(fields)
        self._hidden_params = {}


class Context:
    """What a classifier gets, with a copy of the request's metadata."""

    def __init__(self, data, candidates):
        self.raw_messages = self.structured_messages = tuple(data["messages"])
        self.candidate_models = tuple(candidates)
        self.metadata = dict(data.get("metadata") or {})


class Proxy:
    """A proxy with one logger and one complexity router, whose models all go to one provider."""

    def __init__(self, handler, classifier, tiers, default, base_url, fallbacks=(), timeout_ms=3_000):
        self._handler = handler
        self._classifier = copy.deepcopy(classifier)
        self._tiers, self._default, self._timeout_s = dict(tiers), default, timeout_ms / 1_000
        self._base_url = base_url
        self._fallbacks = list(fallbacks)

    async def _routed(self, data):
        """The model of the tier that the classifier names; the default where it declines or fails."""
        try:
            context = Context(data, self._tiers.values())
            tier = await asyncio.wait_for(self._classifier.classify(context), timeout=self._timeout_s)
        except Exception:
            tier = None
        return self._tiers.get(tier, self._default)

    async def chat(self, **data):
        """One request of a caller; the answer of the first model that gives one."""
        data = await self._handler.async_pre_call_hook({}, None, data, "acompletion")
        model = await self._routed(data) if data["model"] == "auto" else data["model"]
        names = [model, *(name for name in self._fallbacks if name != model)]
        for name in names:
            start = datetime.now()
            metadata = {
                **(data.get("metadata") or {}), "model_group": data["model"], "deployment_model_name": name}
            kwargs = {"model": name, "litellm_params": {"metadata": metadata}, "response_cost": 0.0}
            try:
                answer = Answer(await asyncio.to_thread(self._complete, name, data["messages"]))
            except ProviderError as error:
                failed = {**kwargs, "exception": error}
                await self._handler.async_log_failure_event(failed, None, start, datetime.now())
                if name == names[-1]:
                    raise
                continue
            await self._handler.async_log_success_event(kwargs, answer, start, datetime.now())
            return await self._handler.async_post_call_success_hook(data, {}, answer)

    def _complete(self, name, messages):
        request = urllib.request.Request(
            f"{self._base_url}/chat/completions",
            json.dumps({"model": name, "messages": messages}).encode(),
            {"content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise ProviderError(error.code) from error

"""Stands for LiteLLM, which this repository does not install: the base class of its hooks, and what calls them.

What a proxy does around a call is written from LiteLLM's documentation: the hook before the call, retries and
fallbacks of the router with one log event per attempt, and the hook after the call.
"""

import asyncio
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


class Proxy:
    """A proxy with one hook, whose models all go to one provider that speaks OpenAI's chat completions."""

    def __init__(self, hook, base_url, fallbacks=()):
        self._hook = hook
        self._base_url = base_url
        self._fallbacks = list(fallbacks)

    async def chat(self, **data):
        """One request of a caller; the answer of the first model that gives one."""
        data = await self._hook.async_pre_call_hook({}, None, data, "acompletion")
        names = [data["model"], *(name for name in self._fallbacks if name != data["model"])]
        for name in names:
            start = datetime.now()
            metadata = {**(data.get("metadata") or {}), "model_group": name}
            kwargs = {"model": name, "litellm_params": {"metadata": metadata}, "response_cost": 0.0}
            try:
                answer = Answer(await asyncio.to_thread(self._complete, name, data["messages"]))
            except ProviderError as error:
                await self._hook.async_log_failure_event({**kwargs, "exception": error}, None, start, datetime.now())
                if name == names[-1]:
                    raise
                continue
            await self._hook.async_log_success_event(kwargs, answer, start, datetime.now())
            return await self._hook.async_post_call_success_hook(data, {}, answer)

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

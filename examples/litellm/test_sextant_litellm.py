"""The hook on a stand-in for the proxy, against a service that is a fake."""

import asyncio
import json
import os
import unittest
from datetime import datetime, timedelta
from unittest import mock

import stub

stub.install()

import sextant_litellm  # noqa: E402  (the stub comes first)
from sextant_client import BudgetExhausted, Sextant  # noqa: E402
from tests.fakes import FakeService, advice, answering  # noqa: E402  (of clients/python)

NAMES = {"gpt-4o": "proxy-gpt-4o", "claude-sonnet-4-5": "proxy-claude"}
KEY = "sxt_acme_k1_" + "a" * 32
START = datetime(2026, 1, 1)


def hook_of(url):
    client = Sextant(url, KEY, NAMES, "gpt-4o", deadline_ms=5_000, proxies={}, on_default=lambda *_: None)
    return sextant_litellm.SextantHook(client, NAMES, "gpt-4o")


class Hook(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.service = FakeService(answering())
        self.addCleanup(self.service.close)
        self.hook = hook_of(self.service.url)
        self.addCleanup(self.hook.client.close, 0)

    async def choose(self, **data):
        given = {"model": "auto", "messages": [{"role": "user", "content": "hello"}], **data}
        return await self.hook.async_pre_call_hook({}, None, given, "acompletion")

    def kwargs(self, data, **over):
        metadata = {**data["metadata"], "model_group": data["model"]}
        return {"litellm_params": {"metadata": metadata}, "response_cost": 0.25, **over}

    def reports(self):
        self.assertTrue(self.hook.client.flush(10))
        return self.service.bodies("/v1/feedback")

    async def test_auto_becomes_the_name_of_the_pick_and_the_decision_is_in_the_metadata_as_text(self):
        data = await self.choose(metadata={"tags": ["team:a", "", 7], "other": 1})
        self.assertEqual(data["model"], "proxy-claude")
        self.assertEqual(data["metadata"]["other"], 1)
        self.assertEqual(json.loads(json.dumps(data["metadata"]))["sextant"]["source"], "service")
        self.assertEqual(self.service.requests[0][1]["task"], {"task": "hello", "tags": ["team:a"]})

    async def test_a_budget_that_is_used_up_refuses_the_request_and_no_default_runs(self):
        service = FakeService(answering((429, {"type": "budget_exhausted", "detail": "all of 5 USD are used"})))
        self.addCleanup(service.close)
        self.hook = hook_of(service.url)
        self.addCleanup(self.hook.client.close, 0)
        with self.assertRaises(BudgetExhausted):
            await self.choose()

    async def test_another_model_passes_untouched_and_is_not_reported(self):
        data = {"model": "proxy-gpt-4o", "messages": []}
        self.assertEqual(await self.hook.async_pre_call_hook({}, None, dict(data), "acompletion"), data)
        kwargs = {"litellm_params": {"metadata": None}}
        await self.hook.async_log_success_event(kwargs, {}, START, START)
        self.assertEqual((self.service.requests, self.reports()), ([], []))

    async def test_the_task_is_the_users_last_message_in_every_form_of_a_request(self):
        parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}, "c"]
        for data, expected in (
            ({"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}, "x"),
            ({"messages": [{"role": "user", "content": parts}]}, "a\n\nb"),
            ({"input": "x"}, "x"), ({"prompt": "x"}, "x"), ({"messages": []}, ""), ({"messages": None}, ""),
            ({"messages": [{"role": "user", "content": None}]}, ""), ({"messages": [7]}, ""), ({}, ""),
        ):
            self.assertEqual(sextant_litellm.task_of(data), expected, data)

    async def test_a_session_keeps_its_incumbent(self):
        await self.choose(litellm_session_id="s")
        await self.choose(metadata={"session_id": "s"})
        self.assertEqual(self.service.bodies("/v1/recommend")[1]["incumbent_model_id"], "claude-sonnet-4-5")

    async def test_success_reports_latency_first_token_tokens_and_cost(self):
        data = await self.choose()
        kwargs = self.kwargs(data, stream=True, completion_start_time=START + timedelta(milliseconds=120))
        answer = {"usage": {"prompt_tokens": 10, "completion_tokens": 5}}
        await self.hook.async_log_success_event(kwargs, answer, START, START + timedelta(seconds=2))
        [report] = self.reports()
        report.pop("idempotency_key")
        self.assertEqual(report, {
            "recommendation_id": data["metadata"]["sextant"]["recommendation_id"], "evidence_source": "none",
            "chosen_model_id": "claude-sonnet-4-5", "outcome": "success", "input_tokens": 10, "output_tokens": 5,
            "actual_cost_usd": 0.25, "latency_ms": 2_000, "time_to_first_token_ms": 120,
        })

    async def test_a_cost_of_zero_claims_nothing(self):
        data = await self.choose()
        await self.hook.async_log_success_event(self.kwargs(data, response_cost=0.0), {}, START, START)
        self.assertNotIn("actual_cost_usd", self.reports()[0])

    async def test_an_answer_from_the_proxys_cache_is_no_call(self):
        data = await self.choose()
        await self.hook.async_log_success_event(self.kwargs(data, cache_hit=True), {}, START, START)
        self.assertEqual(self.reports(), [])

    async def test_an_outage_cools_the_model_down_and_another_error_is_not_reported(self):
        data = await self.choose()
        for status in (400, 503):
            kwargs = self.kwargs(data, exception=stub.ProviderError(status))
            await self.hook.async_log_failure_event(kwargs, None, START, START)
        [report] = self.reports()
        self.assertEqual((report["outcome"], report["error_cause"]), ("failure", "infra"))
        await self.choose()
        constraints = self.service.bodies("/v1/recommend")[1]["constraints"]
        self.assertEqual(constraints["excluded_models"], ["claude-sonnet-4-5"])

    async def test_a_model_that_is_not_to_be_had_is_reported_and_left_out_and_a_refused_parameter_is_by_its_request(self):
        error = stub.ProviderError(404)
        await self.hook.async_log_failure_event(self.kwargs(await self.choose(), exception=error), None, START, START)
        [report] = self.reports()
        self.assertEqual((report["error_cause"], report["provider_status"]), ("infra", 404))
        self.hook.client._shared.refused.forget("claude-sonnet-4-5")
        error = stub.ProviderError(400)
        error.param, error.code = "max_tokens", "unsupported_parameter"
        kwargs = self.kwargs(await self.choose(max_tokens=5), exception=error)
        await self.hook.async_log_failure_event(kwargs, None, START, START)
        self.assertEqual(len(self.reports()), 1)
        await self.choose(max_tokens=9)
        await self.choose()
        excluded = [body["constraints"].get("excluded_models") for body in self.service.bodies("/v1/recommend")]
        self.assertEqual(excluded, [None, None, ["claude-sonnet-4-5"], None])

    async def test_nothing_that_the_proxy_hands_in_makes_the_hook_fail(self):
        with self.assertLogs("sextant_litellm", "ERROR"):
            data = await self.choose(metadata=["not", "an", "object"])
            self.assertEqual(data["model"], "proxy-gpt-4o")
        data = await self.choose()
        own = data["metadata"]["sextant"]["recommendation_id"]
        bare = {"metadata": {"sextant": {"recommendation_id": own}}}
        for kwargs in ({}, {"litellm_params": None}, {"litellm_params": bare}):
            with mock.patch.object(sextant_litellm.logger, "exception"):
                await self.hook.async_log_success_event(kwargs, None, None, None)
                await self.hook.async_log_failure_event({**kwargs, "exception": "text"}, None, None, None)
        for response in (None, object(), mock.Mock(_hidden_params=None)):
            self.assertIs(await self.hook.async_post_call_success_hook(data, {}, response), response)

    async def test_a_model_that_has_no_name_in_the_proxy_gives_the_default(self):
        service = FakeService(answering(advice("gemini-2.5-pro")))
        self.addCleanup(service.close)
        given = {"model": "auto", "messages": []}
        data = await hook_of(service.url).async_pre_call_hook({}, None, given, "acompletion")
        self.assertEqual(data["model"], "proxy-gpt-4o")
        self.assertEqual(data["metadata"]["sextant"]["reason"], "unknown_model")

    async def test_many_requests_at_once_each_get_their_own_decision(self):
        service = FakeService(lambda path, body: (200, advice(recommendation_id=body["task"]["task"])))
        self.addCleanup(service.close)
        hook = hook_of(service.url)
        data = [{"model": "auto", "messages": [{"role": "user", "content": str(i)}]} for i in range(50)]
        done = await asyncio.gather(*(hook.async_pre_call_hook({}, None, each, "acompletion") for each in data))
        ids = [each["metadata"]["sextant"]["recommendation_id"] for each in done]
        self.assertEqual(ids, [str(i) for i in range(50)])

    def test_the_handler_is_made_of_the_environment_once_and_a_mistake_there_is_an_error_at_the_start(self):
        environment = {"SEXTANT_URL": "http://127.0.0.1:1", "SEXTANT_KEY": KEY, "SEXTANT_MODELS": json.dumps(NAMES),
                       "SEXTANT_DEFAULT": "gpt-5"}
        with mock.patch.dict(os.environ, environment), self.assertRaises(ValueError):
            sextant_litellm.handler
        with mock.patch.dict(os.environ, {**environment, "SEXTANT_DEFAULT": "gpt-4o"}):
            self.assertIs(sextant_litellm.handler, sextant_litellm.handler)


if __name__ == "__main__":
    unittest.main()

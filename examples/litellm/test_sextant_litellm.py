"""Classifier and logger on a stand-in for the proxy, against a service that is a fake."""

import importlib
import json
import os
import unittest
from datetime import datetime, timedelta
from unittest import mock

import stub

stub.install()

from sextant_client import litellm_logger  # noqa: E402  (the stub comes first)
from sextant_client.litellm_classifier import REQUEST_ID, SextantClassifier  # noqa: E402
from tests.fakes import RECOMMENDATION_ID, FakeService, answering  # noqa: E402  (of clients/python)

NAMES = {"gpt-4o": "proxy-gpt-4o", "claude-sonnet-4-5": "proxy-claude"}
TIERS = {"gpt-4o": "SIMPLE", "claude-sonnet-4-5": "COMPLEX"}
KEY = "sxt_acme_k1_" + "a" * 32
START = datetime(2026, 1, 1)


class Logger(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.service = FakeService(answering())
        self.addCleanup(self.service.close)
        self.logger = litellm_logger.SextantLogger(NAMES)
        self.classifier = SextantClassifier(self.service.url, KEY, TIERS, "gpt-4o", deadline_ms=5_000)
        self.client = self.classifier.client
        self.addCleanup(self.client.close, 0)

    async def mark(self, **data):
        given = {"model": "auto", "messages": [{"role": "user", "content": "hello"}], **data}
        return await self.logger.async_pre_call_hook({}, None, given, "acompletion")

    async def choose(self, **data):
        """A request that was marked and classified."""
        data = await self.mark(**data)
        self.assertEqual(await self.classifier.classify(stub.Context(data, [])), "COMPLEX")
        return data

    def kwargs(self, data, **over):
        metadata = {**data["metadata"], "model_group": "auto", "deployment_model_name": "proxy-claude"}
        return {"litellm_params": {"metadata": metadata}, "response_cost": 0.25, **over}

    def reports(self):
        self.assertTrue(self.client.flush(10))
        return self.service.bodies("/v1/feedback")

    async def test_a_request_is_marked_as_text_and_else_passes_as_it_was(self):
        data = await self.mark(metadata={"tags": ["team:a"]}, litellm_session_id="s")
        marked = data["metadata"]
        self.assertEqual((data["model"], marked["tags"]), ("auto", ["team:a"]))
        self.assertEqual(set(marked), {"tags", REQUEST_ID, "litellm_session_id"})
        self.assertEqual(json.loads(json.dumps(marked)), marked)
        self.assertEqual(self.service.requests, [])

    async def test_a_request_that_was_not_classified_is_not_reported(self):
        data = await self.mark(model="proxy-gpt-4o")
        await self.logger.async_log_success_event(self.kwargs(data), {}, START, START)
        await self.logger.async_log_success_event({"litellm_params": {"metadata": None}}, {}, START, START)
        self.assertEqual(self.reports(), [])

    async def test_the_answer_carries_the_id_to_score_with(self):
        answer = stub.Answer({})
        await self.logger.async_post_call_success_hook(await self.choose(), {}, answer)
        headers = answer._hidden_params["additional_headers"]
        self.assertEqual(headers, {litellm_logger.HEADER: RECOMMENDATION_ID})

    async def test_the_model_of_a_fallback_is_reported_in_its_name(self):
        kwargs = self.kwargs(await self.choose())
        kwargs["litellm_params"]["metadata"]["deployment_model_name"] = "proxy-gpt-4o"
        await self.logger.async_log_success_event(kwargs, {}, START, START)
        self.assertEqual(self.reports()[0]["chosen_model_id"], "gpt-4o")

    async def test_a_session_keeps_its_incumbent(self):
        await self.choose(litellm_session_id="s")
        await self.choose(metadata={"session_id": "s"})
        self.assertEqual(self.service.bodies("/v1/recommend")[1]["incumbent_model_id"], "claude-sonnet-4-5")

    async def test_success_reports_latency_first_token_tokens_and_cost(self):
        data = await self.choose()
        kwargs = self.kwargs(data, stream=True, completion_start_time=START + timedelta(milliseconds=120))
        answer = {"usage": {"prompt_tokens": 10, "completion_tokens": 5}}
        await self.logger.async_log_success_event(kwargs, answer, START, START + timedelta(seconds=2))
        [report] = self.reports()
        report.pop("idempotency_key")
        self.assertEqual(report, {
            "recommendation_id": RECOMMENDATION_ID, "evidence_source": "none",
            "chosen_model_id": "claude-sonnet-4-5", "outcome": "success", "input_tokens": 10, "output_tokens": 5,
            "actual_cost_usd": 0.25, "latency_ms": 2_000, "time_to_first_token_ms": 120,
        })

    async def test_a_cost_of_zero_claims_nothing(self):
        data = await self.choose()
        await self.logger.async_log_success_event(self.kwargs(data, response_cost=0.0), {}, START, START)
        self.assertNotIn("actual_cost_usd", self.reports()[0])

    async def test_an_answer_from_the_proxys_cache_is_no_call(self):
        data = await self.choose()
        await self.logger.async_log_success_event(self.kwargs(data, cache_hit=True), {}, START, START)
        self.assertEqual(self.reports(), [])

    async def test_an_outage_cools_the_model_down_and_another_error_is_not_reported(self):
        data = await self.choose()
        for status in (400, 503):
            kwargs = self.kwargs(data, exception=stub.ProviderError(status))
            await self.logger.async_log_failure_event(kwargs, None, START, START)
        [report] = self.reports()
        self.assertEqual((report["outcome"], report["error_cause"]), ("failure", "infra"))
        await self.choose()
        constraints = self.service.bodies("/v1/recommend")[1]["constraints"]
        self.assertEqual(constraints["excluded_models"], ["claude-sonnet-4-5"])

    async def test_a_model_that_is_not_to_be_had_is_left_out_and_a_refused_parameter_is_the_callers(self):
        error = stub.ProviderError(400)
        error.param, error.code = "max_tokens", "unsupported_parameter"
        await self.logger.async_log_failure_event(self.kwargs(await self.choose(), exception=error), None, START, START)
        await self.choose()
        error = stub.ProviderError(404)
        await self.logger.async_log_failure_event(self.kwargs(await self.choose(), exception=error), None, START, START)
        [report] = self.reports()
        self.assertEqual((report["error_cause"], report["provider_status"]), ("infra", 404))
        await self.choose()
        excluded = [body["constraints"].get("excluded_models") for body in self.service.bodies("/v1/recommend")]
        self.assertEqual(excluded, [None, None, None, ["claude-sonnet-4-5"]])

    async def test_nothing_that_the_proxy_hands_in_makes_the_logger_fail(self):
        with self.assertLogs("sextant_client", "ERROR"):
            data = await self.mark(metadata=["not", "an", "object"])
        self.assertEqual(data["metadata"], ["not", "an", "object"])
        bare = {"metadata": {REQUEST_ID: (await self.choose())["metadata"][REQUEST_ID]}}
        for kwargs in ({}, {"litellm_params": None}, {"litellm_params": bare}):
            with mock.patch.object(litellm_logger.logger, "exception"):
                await self.logger.async_log_success_event(kwargs, None, None, None)
                await self.logger.async_log_failure_event({**kwargs, "exception": "text"}, None, None, None)
        for response in (None, object(), mock.Mock(_hidden_params=None)):
            self.assertIs(await self.logger.async_post_call_success_hook(data, {}, response), response)

    def test_both_are_made_of_the_environment_and_a_mistake_there_is_an_error_at_the_start(self):
        environment = {"SEXTANT_URL": "http://127.0.0.1:1", "SEXTANT_KEY": KEY, "SEXTANT_MODELS": json.dumps(NAMES),
                       "SEXTANT_TIERS": json.dumps(TIERS), "SEXTANT_DEFAULT": "gpt-5"}
        with mock.patch.dict(os.environ, environment), self.assertRaises(ValueError):
            importlib.import_module("sextant_litellm")
        with mock.patch.dict(os.environ, {**environment, "SEXTANT_DEFAULT": "gpt-4o"}):
            made = importlib.import_module("sextant_litellm")
        self.assertIsInstance(made.handler, litellm_logger.SextantLogger)
        self.assertEqual(made.classifier.client.models, tuple(NAMES))


if __name__ == "__main__":
    unittest.main()

"""The classifier under the contract of LiteLLM's complexity router, of which this is a stand-in."""

import asyncio
import copy
import unittest
from types import SimpleNamespace
from unittest import mock

from sextant_client import _log
from sextant_client.litellm_classifier import REQUEST_ID, SextantClassifier, choice_of

from .fakes import KEY, FakeService, RawServer, advice, answering, dead_url

TIERS = {"gpt-4o": "SIMPLE", "claude-sonnet-4-5": "COMPLEX"}
MESSAGES = [{"role": "user", "content": "Prove it"}]


class Router:
    """What `complexity_router.py` does with a classifier plugin: a deep copy, a deadline, and a fallback."""

    def __init__(self, plugin, timeout_ms=3_000):
        self._plugin = copy.deepcopy(plugin)
        self._timeout_ms = timeout_ms
        self._tiers = {"simple": "SIMPLE", "complex": "COMPLEX"}

    async def tier(self, messages=MESSAGES, metadata=None):
        context = SimpleNamespace(
            raw_messages=tuple(messages), structured_messages=tuple(messages),
            candidate_models=("proxy-gpt-4o", "proxy-claude"), metadata=dict(metadata or {}))
        try:
            verdict = await asyncio.wait_for(self._plugin.classify(context), self._timeout_ms / 1_000)
        except asyncio.TimeoutError:
            return "fallback: timeout"
        except Exception as error:
            return f"fallback: {error}"
        if verdict is None:
            return "fallback: declined"
        return self._tiers.get(verdict.strip().casefold(), f"fallback: unknown tier {verdict}")


class Classifier(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        # A warning is logged once per process: what is said here is still to be said elsewhere.
        told = mock.patch.dict(_log._told, clear=True)
        told.start()
        self.addCleanup(told.stop)

    def made(self, url, **options):
        classifier = SextantClassifier(url, KEY, TIERS, "gpt-4o", **{"deadline_ms": 5_000, **options})
        self.addCleanup(classifier.client.close, 0)
        return classifier

    def serve(self, recommendation=None):
        self.service = FakeService(answering(recommendation))
        self.addCleanup(self.service.close)
        return self.made(self.service.url)

    async def test_a_request_gets_the_tier_of_the_model_that_the_service_names(self):
        router = Router(self.serve())
        self.assertEqual(await router.tier(metadata={"tags": ["team:a", 7]}), "COMPLEX")
        [asked] = self.service.bodies("/v1/recommend")
        self.assertEqual((asked["task"]["task"], asked["task"]["tags"]), ("Prove it", ["team:a"]))
        self.assertEqual(asked["constraints"]["candidate_models"], ["gpt-4o", "claude-sonnet-4-5"])

    async def test_copies_share_one_client_and_what_is_left_out_in_it(self):
        classifier = self.serve()
        self.assertIs(copy.deepcopy(classifier).client, classifier.client)
        classifier.client._shared.cool_down("claude-sonnet-4-5")
        await Router(classifier).tier()
        [asked] = self.service.bodies("/v1/recommend")
        self.assertEqual(asked["constraints"]["excluded_models"], ["claude-sonnet-4-5"])

    async def test_it_declines_where_the_service_cannot_say_and_where_the_budget_is_used_up(self):
        exhausted = (429, {"type": "budget_exhausted", "detail": "all of 5 USD are used"})
        for classifier in (self.made(dead_url()), self.serve((500, {})), self.serve(advice("gemini-2.5-pro"))):
            self.assertEqual(await Router(classifier).tier(), "fallback: declined")
        self.assertEqual(await Router(self.serve(exhausted)).tier(), "fallback: budget exhausted: all of 5 USD are used")
        self.assertEqual(await Router(self.serve()).tier(messages=()), "fallback: declined")

    async def test_it_declines_within_its_own_deadline_before_the_routers_is_over(self):
        silent = RawServer(lambda connection: connection.recv(100_000) and connection.recv(1))
        self.addCleanup(silent.close)
        router = Router(self.made(silent.url, deadline_ms=100), timeout_ms=20_000)
        self.assertEqual(await router.tier(), "fallback: declined")

    async def test_the_logger_finds_a_requests_choice_by_the_id_in_its_metadata(self):
        router = Router(self.serve())
        await router.tier(metadata={REQUEST_ID: "a"})
        self.assertEqual(choice_of({REQUEST_ID: "a"}).model_id, "claude-sonnet-4-5")
        for metadata in ({}, {REQUEST_ID: "b"}, {REQUEST_ID: 7}, None):
            self.assertIsNone(choice_of(metadata))

    async def test_a_session_is_a_conversation(self):
        router = Router(self.serve())
        for _ in range(2):
            await router.tier(metadata={"session_id": "s"})
        self.assertEqual(self.service.bodies("/v1/recommend")[1]["incumbent_model_id"], "claude-sonnet-4-5")

    def test_a_tier_of_two_models_and_a_default_without_one_are_refused(self):
        for tiers, default in (({"a": "SIMPLE", "b": "simple"}, "a"), ({"a": "SIMPLE"}, "b"), ({}, "a")):
            with self.assertRaises(ValueError):
                SextantClassifier("http://localhost", KEY, tiers, default)


if __name__ == "__main__":
    unittest.main()

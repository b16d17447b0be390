"""The capability of Pydantic AI on a stand-in of its agent: no version of the package could be had."""

import asyncio
import unittest

from .fakes import RECOMMENDATION_ID, FakeService, answering, client_of, dead_url
from .frameworks import framework, is_standin

pydantic_ai = framework("pydantic_ai")

from pydantic_ai import Agent, models  # noqa: E402  (which package it is has been said)
from pydantic_ai.messages import ModelResponse, RequestUsage  # noqa: E402

from sextant_client import BudgetExhausted  # noqa: E402
from sextant_client.pydantic_ai import SextantModel, sextant_of  # noqa: E402


class Down(Exception):
    """As `ModelHTTPError`."""

    status_code = 503


class Named(models.Model):
    """A model that answers with its name, or raises."""

    def __init__(self, name, ran, error=None):
        self.name, self.ran, self.error = name, ran, error

    async def request(self, messages, model_settings, parameters):
        self.ran.append(self.name)
        if self.error is not None:
            raise self.error
        usage = RequestUsage(input_tokens=20, cache_read_tokens=5, output_tokens=7, details={"reasoning_tokens": 2})
        return ModelResponse([self.name], usage=usage)


@unittest.skipUnless(is_standin(pydantic_ai), "these tests drive the stand-in's agent")
class Capability(unittest.IsolatedAsyncioTestCase):
    def serve(self, recommendation=None, url=None, errors=None):
        self.service = FakeService(answering(recommendation))
        self.addCleanup(self.service.close)
        self.sextant = client_of(url or self.service.url)
        self.addCleanup(self.sextant.close, 0)
        self.ran = []
        self.models = {each: Named(each, self.ran, (errors or {}).get(each)) for each in self.sextant.models}
        # One of them by an id, which the framework resolves.
        models.known["google:gemini-2.5-pro"] = self.models["gemini-2.5-pro"]
        named = {**self.models, "gemini-2.5-pro": "google:gemini-2.5-pro"}
        return Agent(capabilities=[SextantModel(self.sextant, named)])

    def outcomes(self):
        self.assertTrue(self.sextant.flush(10))
        return [(body["chosen_model_id"], body["outcome"]) for body in self.service.bodies("/v1/feedback")]

    async def test_each_step_is_asked_for_once_about_the_prompt_and_runs_the_pick(self):
        agent = self.serve()
        messages = await agent.run("Write a haiku", conversation_id="c", steps=2)
        self.assertEqual(self.ran, ["claude-sonnet-4-5"] * 2)
        first, second = self.service.bodies("/v1/recommend")
        self.assertEqual((first["task"]["task"], first["task"]["tags"]), ("Write a haiku", ["step:0"]))
        self.assertEqual((second["task"]["task"], second["task"]["tags"]), ("Write a haiku", ["step:1"]))
        self.assertEqual(second["incumbent_model_id"], "claude-sonnet-4-5")
        self.assertEqual(sextant_of(messages[-1]).recommendation_id, RECOMMENDATION_ID)
        self.assertTrue(self.sextant.score(sextant_of(messages[-1]), True, "gate"))
        self.outcomes()
        report = self.service.bodies("/v1/feedback")[0]
        self.assertEqual(
            [report[name] for name in ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens")],
            [20, 5, 7, 2])

    async def test_a_prompt_of_parts_names_the_files_that_it_holds(self):
        agent = self.serve()
        image = type("ImageUrl", (), {"kind": "image-url", "media_type": "image/png"})()
        await agent.run(["What is this?", image])
        [asked] = self.service.bodies("/v1/recommend")
        self.assertEqual(asked["task"]["task"], "What is this?")
        self.assertEqual(asked["inferred_requirements"]["modalities"], ["image"])

    async def test_after_an_outage_the_next_model_runs_also_one_that_is_an_id(self):
        agent = self.serve(errors={"claude-sonnet-4-5": Down()})
        messages = await agent.run("x")
        self.assertEqual(self.ran, ["claude-sonnet-4-5", "gemini-2.5-pro"])
        self.assertEqual(sextant_of(messages[-1]).ran_model_id, "gemini-2.5-pro")
        self.assertEqual(self.outcomes(), [("claude-sonnet-4-5", "failure"), ("gemini-2.5-pro", "success")])

    async def test_a_stream_that_cannot_begin_is_reported_and_no_next_model_runs(self):
        agent = self.serve(errors={"claude-sonnet-4-5": Down()})
        with self.assertRaises(Down):
            await agent.run("x", streaming=True)
        self.assertEqual((self.ran, self.outcomes()), (["claude-sonnet-4-5"], [("claude-sonnet-4-5", "failure")]))

    async def test_a_model_that_the_run_names_wins_and_is_not_reported(self):
        agent = self.serve()
        messages = await agent.run("x", model=self.models["gpt-4o"])
        self.assertEqual((self.ran, self.outcomes()), (["gpt-4o"], []))
        self.assertEqual(self.service.bodies("/v1/recommend"), [])
        self.assertIsNone(sextant_of(messages[-1]))

    async def test_runs_at_once_do_not_share_their_choices(self):
        agent = self.serve()
        await asyncio.gather(*(agent.run(f"task {i}", conversation_id=str(i)) for i in range(10)))
        asked = [body["task"]["task"] for body in self.service.bodies("/v1/recommend")]
        self.assertEqual(sorted(asked), sorted(f"task {i}" for i in range(10)))
        self.assertEqual(len(self.outcomes()), 10)

    async def test_the_default_runs_when_the_service_is_out_and_a_used_up_budget_refuses(self):
        agent = self.serve(url=dead_url())
        await agent.run("x")
        self.assertEqual(self.ran, ["gpt-4o"])
        agent = self.serve((429, {"type": "budget_exhausted", "detail": "all of 5 USD are used"}))
        with self.assertRaises(BudgetExhausted):
            await agent.run("x")
        self.assertEqual(self.ran, [])

    async def test_a_client_whose_model_is_missing_is_refused(self):
        self.serve()
        with self.assertRaises(ValueError):
            SextantModel(self.sextant, {"gpt-4o": self.models["gpt-4o"]})
        self.assertIsNone(SextantModel.get_serialization_name())


if __name__ == "__main__":
    unittest.main()

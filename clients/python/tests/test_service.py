"""The client against the real service, which `test/clients/Python.test.ts` starts; skipped without one.

SEXTANT_URL, SEXTANT_KEY: the service and a key of it that may write.
"""

import json
import os
import subprocess
import sys
import unittest
import urllib.request
from pathlib import Path

from sextant_client import AsyncSextant, Sextant, Usage, wire
from sextant_client._question import question_of

from .fakes import MODELS

URL, KEY = os.environ.get("SEXTANT_URL", ""), os.environ.get("SEXTANT_KEY", "")
PACKAGE = str(Path(__file__).resolve().parents[1])


def get(path):
    request = urllib.request.Request(URL + path, headers={"authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


@unittest.skipUnless(URL and KEY, "no service was given in SEXTANT_URL and SEXTANT_KEY")
class WithService(unittest.IsolatedAsyncioTestCase):
    def client(self, namespace, **options):
        self.losses = []
        given = {"deadline_ms": 20_000, "namespace": namespace, "on_dropped": self.losses.append, **options}
        client = Sextant(URL, KEY, MODELS, "gpt-4o", **given)
        self.addCleanup(client.close, 5)
        return client

    def decision(self, choice, namespace):
        decisions = get(f"/v1/dashboard?namespace={namespace}&days=1")["decisions"]
        [found] = [each for each in decisions if each["recommendation_id"] == choice.recommendation_id]
        return found

    def test_it_chooses_runs_reports_and_scores_and_the_service_keeps_all_of_it(self):
        client = self.client("python-loop")
        choice = client.choose("Fix the failing unit test of the shopping cart in Python")
        self.assertEqual(choice.source, "service", choice.detail)
        self.assertIn(choice.model_id, MODELS)
        self.assertEqual([w for w in choice.recommendation["warnings"] if w.startswith("unknown_field")], [])
        answer = {"usage": {"prompt_tokens": 900, "completion_tokens": 150}}
        self.assertIs(choice.run(lambda model_id: answer), answer)
        self.assertTrue(choice.score(True))
        self.assertTrue(client.flush(20))
        self.assertEqual(self.losses, [])
        outcome = self.decision(choice, "python-loop")["outcome"]
        self.assertEqual((outcome["model_id"], outcome["outcome"]), (choice.model_id, "success"))
        self.assertEqual(outcome["provenance"], "gate")
        self.assertEqual(outcome["cost_source"], "computed")

    def test_it_knows_every_field_that_an_adapter_sends(self):
        client = self.client("python-adapter")
        parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": "u"}}]
        asked = question_of(
            [{"role": "user", "content": parts}], system="s", tools=[{"type": "function"}], is_structured=True,
            output_limit=100, tags=["step:0"])
        choice = client.choose(**asked, conversation_id="c", parameters=["tools"])
        self.assertEqual(choice.source, "service", choice.detail)
        self.assertEqual([w for w in choice.recommendation["warnings"] if w.startswith("unknown_field")], [])

    def test_the_answer_has_every_field_that_the_types_name(self):
        answer = self.client("python-types").choose("Translate a letter into French").recommendation
        self.assertLessEqual(set(wire.RecommendResponse.__required_keys__), set(answer))
        for model in (answer["recommended_model"], *answer["ranked"]):
            self.assertLessEqual(set(wire.RankedModel.__required_keys__), set(model))

    def test_every_request_field_that_the_client_sends_is_known_to_the_service(self):
        client = self.client("python-fields", cost_quality_tradeoff=3)
        client.choose("Sort a list", conversation_id="c")
        client._shared.cool_down("gemini-2.5-pro")
        choice = client.choose("Sort a list", conversation_id="c", user_id="ann", constraints={"min_quality": 0.1})
        self.assertEqual([w for w in choice.recommendation["warnings"] if w.startswith("unknown_")], [])
        self.assertNotIn("gemini-2.5-pro", [model["model_id"] for model in choice.recommendation["ranked"]])

    def test_an_outage_and_an_abandoned_stream_teach_nothing_and_the_model_that_ran_is_kept(self):
        class Out(Exception):
            status_code = 529

        def work(model_id):
            if model_id != "gpt-4o":
                raise Out()
            yield "half"
            yield "rest"
        client = self.client("python-outage")
        choice = client.choose("Write a haiku about the sea", constraints={"excluded_models": ["gpt-4o"]})
        self.assertEqual(choice.source, "service", choice.detail)
        stream = choice.stream(work)
        self.assertEqual(next(stream), "half")
        stream.close()
        self.assertTrue(client.flush(20))
        self.assertEqual(self.losses, [])
        self.assertFalse(self.decision(choice, "python-outage")["outcome"]["teaches"])

    def test_a_verdict_in_another_process_needs_the_id_alone_and_is_on_the_model_that_was_reported(self):
        client = self.client("python-processes")
        choice = client.choose("Summarise the minutes of a meeting")
        other = next(model_id for model_id in MODELS if model_id != choice.model_id)
        choice.begin(other).succeeded(Usage(input_tokens=10, output_tokens=5))
        self.assertTrue(client.flush(20))
        program = (
            "import os, sys; sys.path.insert(0, sys.argv[1])\n"
            "from sextant_client import Sextant\n"
            "s = Sextant(os.environ['SEXTANT_URL'], os.environ['SEXTANT_KEY'], ['gpt-4o'], 'gpt-4o', exit_flush_s=20)\n"
            "s.score(sys.argv[2], 0.9, 'human')\n"
        )
        subprocess.run([sys.executable, "-c", program, PACKAGE, choice.recommendation_id], check=True, timeout=60)
        outcome = self.decision(choice, "python-processes")["outcome"]
        self.assertEqual((outcome["model_id"], outcome["provenance"]), (other, "human"))

    def test_a_decision_in_shadow_is_marked_and_the_default_is_the_model_that_ran(self):
        client = self.client("python-shadow", shadow=True)
        choice = client.choose("Sort a list of numbers")
        self.assertEqual((choice.model_id, choice.reason), ("gpt-4o", "shadow"))
        choice.run(lambda model_id: None, usage=lambda _: Usage(input_tokens=10, output_tokens=5))
        self.assertTrue(client.flush(20))
        decision = self.decision(choice, "python-shadow")
        self.assertEqual((decision["shadow"], decision["outcome"]["model_id"]), (True, "gpt-4o"))
        self.assertEqual(self.losses, [])

    def test_a_run_until_a_check_passes_follows_the_services_plan_and_tells_it_of_each_attempt(self):
        client = self.client("python-verify")
        verdicts, notes = iter([False, True]), []
        client._note = lambda answer: notes.extend(answer["warnings"])
        answer = {"usage": {"prompt_tokens": 900, "completion_tokens": 150}}
        done = client.run_verified(
            "Fix the failing unit test", lambda model_id, attempts: answer, lambda _: next(verdicts),
            success_value_usd=10,
        )
        self.assertEqual((done.stop, done.is_verified), ("verified", True))
        first, second = done.attempts
        self.assertNotEqual(first.model_id, second.model_id)
        self.assertNotEqual(first.recommendation_id, second.recommendation_id)
        self.assertGreater(done.cost_usd, 0)
        self.assertEqual([each for each in notes if each.startswith("unknown_")], [])
        self.assertTrue(client.flush(20))
        self.assertEqual(self.losses, [])

    def test_an_unknown_decision_is_a_loss_that_is_said(self):
        client = self.client("python-unknown")
        client.score("0190aaaa-0000-7000-8000-000000000001", 1.0, model_id="gpt-4o")
        self.assertTrue(client.flush(20))
        self.assertEqual([loss.reason for loss in self.losses], ["not_accepted"])

    def test_a_wrong_key_gives_the_default_and_says_so(self):
        client = Sextant(URL, "sxt_acme_k1_" + "b" * 32, MODELS, "gpt-4o", deadline_ms=20_000)
        self.addCleanup(client.close, 0)
        with self.assertLogs("sextant_client", "WARNING"):
            choice = client.choose("x")
        self.assertEqual((choice.model_id, choice.reason), ("gpt-4o", "refused"))

    async def test_asyncio_asks_many_times_at_once(self):
        sextant = AsyncSextant(client=self.client("python-asyncio"))

        async def work(model_id):
            return {"usage": {"input_tokens": 5, "output_tokens": 5}}
        for _ in range(20):
            await sextant.run("Classify a support ticket", work)
        self.assertTrue(await sextant.flush(20))
        self.assertEqual((sextant.dropped, self.losses), (0, []))

"""The judge in the caller's stack: what is sampled, asked, read, reported and spent, and that no answer waits for it."""

import json
import os
import re
import threading
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from sextant_client import AsyncSextant, Judged
from sextant_client._prompts import (
    hash_of, name_of, pair_prompt, pair_quality, preference_of, rubric_prompt, score_of,
)

from .fakes import RECOMMENDATION_ID, FakeService, answering, client_of

# What the judges of both clients are held to.
FIXED = json.loads((Path(__file__).resolve().parents[3] / "test/packages/client/judge/prompts.json").read_text("utf-8"))
SECRET = "the task that stays here"


def fair(prompt):
    """Says which of the two answers is better: the one that holds `good`."""
    first, second = ("good" in re.search(rf"<answer {place} \w+>\n(.*)", prompt)[1] for place in (1, 2))
    verdict = ("TIE" if first else "NEITHER") if first == second else 1 if first else 2
    return {"text": f"VERDICT: {verdict}", "cost_usd": 0.01}


def of(recommendation_id, model_id="cheap"):
    return SimpleNamespace(recommendation_id=recommendation_id, model_id=model_id)


class Prompts(unittest.TestCase):
    def test_they_are_the_same_texts_under_the_same_names_as_in_the_other_client(self):
        pair, score, own = FIXED["pair-1"], FIXED["rubric-1"], FIXED["own"]
        self.assertEqual(
            pair_prompt(pair["recommendation_id"], pair["task"], *pair["answers"], None).split("\n"), pair["prompt"])
        self.assertEqual(
            rubric_prompt(score["recommendation_id"], score["task"], score["answer"], None).split("\n"), score["prompt"])
        self.assertEqual(pair_prompt("r", "t", "a", "b", own["rubric"]).split("\n"), own["pair"])
        self.assertEqual(rubric_prompt("r", "t", "a", own["rubric"]).split("\n"), own["score"])
        self.assertEqual([name_of(prompt, rubric) for prompt, rubric, _ in FIXED["names"]], [name for *_, name in FIXED["names"]])
        self.assertEqual({text: hash_of(text) for text in FIXED["hashes"]}, FIXED["hashes"])

    def test_they_are_read_by_their_last_line_that_is_a_verdict(self):
        for said, preference in FIXED["preferences"]:
            self.assertEqual(preference_of(said, 1), preference, said)
        self.assertEqual([preference_of("VERDICT: 2", place) for place in (1, 2)], [-1, 1])
        for said, score in FIXED["scores"]:
            self.assertEqual(score_of(said), score, said)
        for preference, quality in FIXED["qualities"]:
            self.assertAlmostEqual(pair_quality(preference), quality)
        for long in ("SCORE ", "\n", "-", "SCORE -", "a"):
            self.assertIsNone(score_of(long * 500_000))


class Judging(unittest.TestCase):
    def setUp(self):
        self.scores, self.ends, self.asked = [], [], []
        self.client = SimpleNamespace(default_model_id="dear", score=lambda *args, **options: self.scores.append((args, options)))

    def judged(self, judge=lambda _: {"text": "Fine.\nSCORE: 9", "cost_usd": 0.01}, **options):
        def asking(prompt):
            self.asked.append(prompt)
            return judge(prompt)
        return Judged(self.client, asking, **{"share": 1, "on_judged": self.ends.append, **options})

    def run_all(self, review, *answers):
        for i, (answer, source) in enumerate(answers):
            self.assertIs(review(SECRET, answer, source), answer)
        self.assertTrue(review.flush(20))

    def test_it_scores_the_answer_and_reports_the_verdict_on_the_model_that_ran_without_task_and_answer(self):
        self.run_all(self.judged(), ("my answer", of("r-1")))
        self.assertEqual(self.scores, [(("r-1", 0.9, "judge"), {"model_id": "cheap", "notes": "rubric-1"})])
        self.assertIn(SECRET, self.asked[0])
        self.assertIn("my answer", self.asked[0])
        self.assertEqual(self.ends, [("r-1", "cheap", "rubric-1", "judged", 0.9, False, 0.01, None)])

    def test_the_share_is_that_of_the_hash_of_the_recommendation(self):
        ids = [f"r-{i}" for i in range(400)]
        self.run_all(self.judged(share=0.05, queue_max=1_000), *((("a"), of(each)) for each in ids))
        self.assertEqual([args[0] for args, _ in self.scores], [each for each in ids if hash_of(each) < 0.05 * 2**32])
        self.assertTrue(5 < len(self.scores) < 40)

    def test_it_compares_with_the_baseline_in_both_orders_and_never_the_baseline_with_itself(self):
        review = self.judged(fair, against=lambda _: {"text": "a good baseline", "cost_usd": 0.02})
        self.run_all(review, ("a bad answer", of("r-1")), ("a good answer", of("r-2")), ("x", of("r-3", "dear")))
        self.assertEqual([(end.quality, end.prompt) for end in self.ends], [(0, "pair-1"), (0.8, "pair-1")])
        self.assertAlmostEqual(self.ends[0].cost_usd, 0.04)
        orders = [prompt.index("a bad answer") < prompt.index("a good baseline") for prompt in self.asked[:2]]
        self.assertEqual(orders, [True, False])

    def test_a_judge_that_prefers_a_place_contradicts_itself_which_is_a_tie(self):
        review = self.judged(lambda _: "VERDICT: 1", against=lambda _: "baseline")
        self.run_all(review, ("a", of("r-1")))
        self.assertEqual((self.ends[0].quality, self.ends[0].is_contradicted), (0.8, True))
        self.assertEqual(self.scores[0][1]["notes"], "pair-1, contradicted")
        self.assertEqual(review.totals["contradicted"], 1)
        self.assertIsNone(review.totals["cost_usd"])

    def test_it_fails_where_the_baseline_says_nothing_against_which_every_answer_would_win(self):
        for nothing in ("", None, {}):
            self.run_all(self.judged(against=lambda _: nothing), ("a", of("r-1")))
        self.assertEqual(([end.end for end in self.ends], self.asked, self.scores), (["failed"] * 3, [], []))

    def test_it_stays_within_a_budget_of_the_day_and_begins_anew_on_the_next(self):
        review = self.judged(budget_usd=0.035)
        with mock.patch("sextant_client.judge.time.time", return_value=86_400 * 20_000.5):
            self.run_all(review, *(("a", of(f"r-{i}")) for i in range(5)))
        self.assertEqual([end.end for end in self.ends], ["judged"] * 3 + ["over_budget"] * 2)
        with mock.patch("sextant_client.judge.time.time", return_value=86_400 * 20_001.1):
            self.run_all(review, ("a", of("r-6")))
        self.assertEqual(self.ends[-1].end, "judged")
        self.assertAlmostEqual(review.totals["cost_usd"], 0.04)

    def test_a_call_whose_bill_is_not_known_is_the_last_of_its_day_where_there_is_a_budget(self):
        self.run_all(self.judged(lambda _: "SCORE: 9", budget_usd=1), ("a", of("r-1")), ("a", of("r-2")))
        self.assertEqual([end.end for end in self.ends], ["judged", "over_budget"])
        self.ends.clear()
        self.run_all(self.judged(budget_usd=0), ("a", of("r-1")))
        self.assertEqual([end.end for end in self.ends], ["over_budget"])

    def test_failures_and_unreadable_words_report_nothing_and_let_the_next_have_its_turn(self):
        said = iter([OSError("down"), "I cannot say", "SCORE: 3"])

        def judge(_):
            one = next(said)
            if isinstance(one, Exception):
                raise one
            return one
        self.run_all(self.judged(judge), *(("a", of(f"r-{i}")) for i in range(3)))
        self.assertEqual([end.end for end in self.ends], ["failed", "unreadable", "judged"])
        self.assertIsInstance(self.ends[0].error, OSError)
        self.assertEqual(len(self.scores), 1)

    def test_no_answer_waits_for_a_judge_and_a_full_queue_leaves_the_rest_out(self):
        release = threading.Event()
        review = self.judged(lambda _: release.wait(20) and "SCORE: 9", queue_max=2)
        self.assertEqual(review(SECRET, "a", of("r-0")), "a")
        while not self.asked:
            pass
        for i in range(1, 5):
            self.assertEqual(review(SECRET, "a", of(f"r-{i}")), "a")
        self.assertFalse(review.flush(0.05))
        release.set()
        self.assertTrue(review.flush(float("inf")) and review.flush(None))
        self.assertEqual(sorted((end.recommendation_id, end.end) for end in self.ends if end.end != "judged"),
                         [("r-3", "queue_full"), ("r-4", "queue_full")])

    def test_what_has_no_text_or_no_recommendation_is_not_judged(self):
        class Throwing:
            @property
            def best(self):
                raise OSError("not mine")
        self.run_all(self.judged(), ({}, of("r-1")), ("a", None), ("a", of("")), ("a", of(None)), ("a", Throwing()), (None, of("r")))
        self.assertEqual(self.asked, [])

    def test_wrong_arguments_are_refused(self):
        for options in ({"share": 5}, {"share": float("nan")}, {"budget_usd": -1}, {"judge": None}):
            with self.subTest(options=options), self.assertRaises(ValueError):
                self.judged(**options) if "judge" not in options else Judged(self.client, None)

    @unittest.skipUnless(hasattr(os, "fork"), "this system has no processes that fork")
    def test_a_forked_process_judges_on_its_own(self):
        review = self.judged()
        self.run_all(review, ("a", of("r-1")))
        child = os.fork()
        if child == 0:
            review(SECRET, "b", of("r-2"))
            os._exit(0 if review.flush(10) and len(self.ends) == 2 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class WithClient(unittest.TestCase):
    def test_it_reports_through_the_client_and_no_word_of_the_answer_leaves(self):
        service = FakeService(answering())
        self.addCleanup(service.close)
        client = client_of(service.url)
        self.addCleanup(client.close, 0)
        for each in (client, AsyncSextant(client=client)):
            review = Judged(each, lambda _: "SCORE: 9", share=1)
            choice = client.choose("t")
            review(SECRET, choice.run(lambda model_id: "my answer"), choice)
            done = review(SECRET, client.run_verified("t", lambda *_: "my answer", lambda _: True))
            self.assertTrue(done.is_verified and review.flush(20))
        self.assertTrue(client.flush(20))
        told = [body for body in service.bodies("/v1/feedback") if body["evidence_source"] == "judge"]
        self.assertEqual({(body["recommendation_id"], body["outcome"], body["notes"]) for body in told},
                         {(RECOMMENDATION_ID, "success", "rubric-1")})
        self.assertNotRegex(json.dumps(service.requests), "my answer|stays here")

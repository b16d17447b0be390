"""Attempts until a result passes: which models run, what is told and asked, and why a run ends."""

import asyncio
import unittest

from sextant_client import AsyncSextant, BudgetExhausted, Usage

from .fakes import FakeService, advice, client_of, dead_url, ranked

MODELS = ["a", "b", "c", "d"]
OUT = (500, {})
EXHAUSTED = (429, {"type": "budget_exhausted", "detail": "all is spent"}, {"content-type": "application/problem+json"})


class ProviderError(Exception):
    status_code = 503


def priced(model_id):
    return {**ranked(model_id, f"of-{model_id}", 0.5), "est_cost_usd": 0.1}


def plan(*ids, stop_reason="threshold_reached", **over):
    """An answer whose plan names these models in this order; the first is recommended."""
    return (200, {
        **advice(), "recommendation_id": "r-" + "".join(ids), "recommended_model": priced(ids[0] if ids else "d"),
        "ranked": [priced(model_id) for model_id in MODELS],
        "plan": {"attempts": [priced(model_id) for model_id in ids], "stop_reason": stop_reason}, **over,
    })


class Verifying(unittest.TestCase):
    def serve(self, *answers, **options):
        """A service that gives the answers in turn, and is out after them."""
        left = list(answers)

        def answer(path, _):
            if path.endswith("/v1/recommend"):
                return left.pop(0) if left else OUT
            return 200, {"accepted": True, "warnings": []}
        self.service = FakeService(answer)
        self.addCleanup(self.service.close)
        self.client = client_of(self.service.url, models=MODELS, default_model_id="d", **options)
        self.addCleanup(self.client.close, 0)

    def run_task(self, passing=(), out=(), verify=None, **options):
        self.ran, self.seen = [], []

        def work(model_id, attempts):
            self.ran.append(model_id)
            self.seen.append([each.result for each in attempts])
            if model_id in out:
                raise ProviderError()
            return f"by {model_id}"
        check = verify or (lambda result: result[3:] in passing)
        done = self.client.run_verified("x", work, check, **options)
        self.assertTrue(self.client.flush(10))
        return done

    def verdicts(self):
        reports = self.service.bodies("/v1/feedback")
        return [(body["recommendation_id"], body["chosen_model_id"], body["outcome"], body["evidence_source"])
                for body in reports if "quality_score" in body]

    def test_it_is_one_attempt_where_the_first_result_passes(self):
        self.serve(plan("a", "b"))
        done = self.run_task(["a"])
        self.assertEqual(self.ran, ["a"])
        self.assertEqual(done.best, ("a", "by a", 1.0, 0.1, True, "r-ab"))
        self.assertEqual((done.is_verified, done.stop, done.cost_usd, done.error), (True, "verified", 0.1, None))
        [asked] = self.service.bodies("/v1/recommend")
        self.assertEqual((asked["verification"], asked["attempts"], asked["max_attempts"]), ({"kind": "gate"}, [], 3))
        self.assertEqual(self.verdicts(), [("r-ab", "a", "success", "gate")])

    def test_a_failure_is_reported_and_the_plan_asked_again_with_what_was_tried_and_what_is_left(self):
        self.serve(plan("a", "b"), plan("c", "b"))
        done = self.run_task(["c"], max_attempts=4, max_total_cost_usd=1, usage=lambda _: Usage(cost_usd=0.25))
        self.assertEqual((self.ran, self.seen), (["a", "c"], [[], ["by a"]]))
        self.assertEqual(self.verdicts(), [("r-ab", "a", "failure", "gate"), ("r-cb", "c", "success", "gate")])
        first, second = self.service.bodies("/v1/recommend")
        self.assertEqual((first["max_attempts"], first["max_total_cost_usd"]), (4, 1))
        told = {"recommendation_id": "r-ab", "model_id": "a", "outcome": "failure", "evidence_source": "gate"}
        self.assertEqual((second["attempts"], second["max_attempts"], second["max_total_cost_usd"]), ([told], 3, 0.75))
        self.assertEqual((done.cost_usd, done.best.is_estimate), (0.5, False))
        # The verdict has arrived before the question that counts on it.
        order = ["verdict" if "quality_score" in body else path[4:] for path, body in self.service.requests]
        self.assertLess(order.index("verdict"), len(order) - 1 - order[::-1].index("recommend"))

    def test_it_is_one_task_in_every_question_and_report_of_the_callers_name_or_of_one_that_it_makes(self):
        def tasks_of(**options):
            self.serve(plan("a", "b"), plan("b"))
            self.run_task(["b"], **options)
            bodies = [body for _, body in self.service.requests]
            self.assertEqual(len(bodies), 6)
            return {body.get("task_id") for body in bodies}
        [made] = tasks_of()
        self.assertRegex(made, "^[0-9a-f-]{36}$")
        self.assertNotEqual(tasks_of(), {made})
        self.assertEqual(tasks_of(task_id="t-1"), {"t-1"})
        self.assertEqual(tasks_of(attempts=[{"model_id": "c", "outcome": "failure"}]), {None})

    def test_the_plan_in_hand_goes_on_while_the_service_is_out_and_a_service_that_is_back_hears_of_all(self):
        self.serve(plan("a", "c", "b"))
        done = self.run_task(["b"])
        self.assertEqual((self.ran, done.is_verified), (["a", "c", "b"], True))
        self.assertEqual([verdict[:3] for verdict in self.verdicts()], [
            ("r-acb", "a", "failure"), ("r-acb", "c", "failure"), ("r-acb", "b", "success"),
        ])
        self.serve(plan("a", "c"), OUT, plan("b"))
        self.run_task(["b"])
        told = self.service.bodies("/v1/recommend")[2]["attempts"]
        self.assertEqual([each["model_id"] for each in told], ["a", "c"])

    def test_the_clients_own_chain_goes_on_where_there_is_no_plan_and_the_default_alone_without_an_answer(self):
        self.serve(plan("a", plan=None, fallback_model=priced("c")))
        self.assertEqual(self.run_task(max_attempts=9).stop, "no_model")
        self.assertEqual(self.ran, ["a", "c", "b", "d"])
        self.client = client_of(dead_url(), models=MODELS, default_model_id="d")
        self.addCleanup(self.client.close, 0)
        done = self.run_task()
        self.assertEqual((self.ran, done.is_verified, done.stop, done.cost_usd), (["d"], False, "no_model", None))
        self.assertEqual(done.best.result, "by d")

    def test_where_none_passes_the_best_result_is_there_the_newest_among_equals(self):
        self.serve(plan("a", "b", "c"))
        qualities = {"by a": 0.3, "by b": 0.7, "by c": 0.1}
        done = self.run_task(verify=qualities.get)
        self.assertEqual((done.is_verified, done.stop, done.cost_usd), (False, "max_attempts", 0.3))
        self.assertEqual(done.best.model_id, "b")
        self.assertEqual([verdict[2] for verdict in self.verdicts()], ["failure", "partial", "failure"])
        self.serve(plan("a", "b", "c"))
        self.assertEqual(self.run_task().best.model_id, "c")

    def test_an_outage_is_no_attempt_and_the_next_model_of_the_plan_runs(self):
        self.serve(plan("a", "b"))
        done = self.run_task(["b"], out=["a"], max_attempts=1)
        self.assertEqual((self.ran, len(done.attempts)), (["a", "b"], 1))
        self.assertEqual(self.verdicts(), [("r-ab", "b", "success", "gate")])
        infra = [body for body in self.service.bodies("/v1/feedback") if body.get("error_cause") == "infra"]
        self.assertEqual([body["chosen_model_id"] for body in infra], ["a"])

    def test_an_outage_of_all_is_raised_before_any_result_and_ends_the_run_after_one(self):
        self.serve(plan("a"))
        with self.assertRaises(ProviderError):
            self.run_task(out=MODELS)
        self.serve(plan("a", "b"))
        done = self.run_task(out=["b", "c", "d"])
        self.assertEqual((done.stop, done.best.model_id, type(done.error)), ("outage", "a", ProviderError))

    def test_another_error_of_the_work_is_raised_and_nothing_is_reported(self):
        self.serve(plan("a", "b"))

        def work(model_id, attempts):
            raise KeyError("mine")
        with self.assertRaises(KeyError):
            self.client.run_verified("x", work, lambda _: True)
        self.client.flush(10)
        self.assertEqual(self.service.bodies("/v1/feedback"), [])

    def test_the_limits_of_attempts_and_of_cost_end_it(self):
        for given, count in ((1, 1), (2.9, 2), (0, 3), (float("nan"), 3), (None, 3), (9, 4)):
            with self.subTest(attempts=given):
                self.serve(plan("a", "b", "c", "d"))
                self.assertEqual(len(self.run_task(max_attempts=given).attempts), count)
        for given, count in ((0.3, 3), (0.29, 2), (0.1, 1), (0, 1), (float("nan"), 1)):
            with self.subTest(usd=given):
                self.serve(plan("a", "b", "c", "d"))
                done = self.run_task(max_attempts=4, max_total_cost_usd=given)
                self.assertEqual((len(done.attempts), done.stop), (count, "max_total_cost"))
        self.serve(plan("a", "b", ranked=[]), price_of=lambda model_id, usage: None)
        self.assertEqual(self.run_task(max_total_cost_usd=0.2, verification={"kind": "gate", "cost_usd": 0.05}).cost_usd, 0.15)

    def test_nothing_runs_where_the_plan_is_empty_and_a_plan_that_wants_no_more_ends_it(self):
        self.serve(plan(stop_reason="not_worth_it"))
        done = self.run_task()
        self.assertEqual((self.ran, done.best, done.stop, done.cost_usd), ([], None, "not_worth_it", 0))
        self.serve(plan("a", stop_reason="not_worth_it"))
        self.assertEqual((self.run_task().stop, self.ran), ("not_worth_it", ["a"]))

    def test_a_check_that_gives_no_verdict_reports_none_and_ends_the_run_with_the_result(self):
        failure = AssertionError("no tests")

        def fail(_):
            raise failure
        for verify, error in ((fail, failure), (lambda _: None, None), (lambda _: 2, None), (lambda _: "yes", None),
                              (lambda _: float("nan"), None)):
            with self.subTest(error=error):
                self.serve(plan("a", "b"))
                done = self.run_task(verify=verify)
                self.assertEqual((self.ran, done.is_verified, done.stop), (["a"], False, "no_verdict"))
                self.assertEqual((done.best.result, done.best.quality, self.verdicts()), ("by a", None, []))
                self.assertIs(done.error, error)

    def test_a_budget_that_is_used_up_raises_before_the_first_attempt_and_later_ends_the_run(self):
        self.serve(EXHAUSTED)
        with self.assertRaises(BudgetExhausted):
            self.run_task()
        self.assertEqual(self.ran, [])
        self.serve(plan("a", "b"), EXHAUSTED)
        done = self.run_task()
        self.assertEqual((self.ran, done.stop, type(done.error)), (["a"], "budget_exhausted", BudgetExhausted))
        self.serve(plan("a", "b"), EXHAUSTED, EXHAUSTED, on_budget_exhausted=lambda _: "c")
        self.assertEqual((self.run_task().stop, self.ran), ("budget_exhausted", ["a", "c"]))

    def test_shadow_runs_the_default_alone_and_any_plan_of_an_answer_is_borne(self):
        self.serve(plan("a", "b"), shadow=True)
        self.assertEqual((self.run_task().stop, self.ran), ("shadow", ["d"]))
        for strange in (None, 1, "x", [], {}, {"attempts": 1}, {"attempts": [None]}, {"attempts": [{"model_id": 5}]}):
            with self.subTest(plan=strange):
                self.serve(plan("a", plan=strange))
                self.assertTrue(self.run_task(["d"], max_attempts=9).is_verified)
                self.assertEqual(self.ran[0], "a")


class VerifyingAsynchronously(unittest.IsolatedAsyncioTestCase):
    async def test_work_and_check_may_be_coroutines_and_a_cancelled_task_abandons_its_call(self):
        answers = [plan("a", "b"), plan("b"), plan("a")]
        service = FakeService(lambda path, _: answers.pop(0) if path.endswith("/v1/recommend")
                              else (200, {"accepted": True, "warnings": []}))
        self.addCleanup(service.close)
        sextant = AsyncSextant(client=client_of(service.url, models=MODELS, default_model_id="d"))
        self.addCleanup(sextant.client.close, 0)

        async def work(model_id, attempts):
            await asyncio.sleep(0)
            return model_id

        async def verify(result):
            await asyncio.sleep(0)
            return result == "b"
        done = await sextant.run_verified("x", work, verify)
        self.assertEqual((done.is_verified, [each.model_id for each in done.attempts]), (True, ["a", "b"]))
        self.assertFalse((await sextant.run_verified("x", work, lambda _: None)).is_verified)

        answers.append(plan("a"))
        task = asyncio.ensure_future(sextant.run_verified("x", lambda *_: asyncio.sleep(60), verify))
        while answers:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertTrue(await sextant.flush(10))
        self.assertEqual(service.bodies("/v1/feedback")[-1]["notes"], "abandoned by the caller")


if __name__ == "__main__":
    unittest.main()

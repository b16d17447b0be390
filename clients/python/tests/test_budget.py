"""A budget that is used up: the one answer of the service after which the default does not run by itself."""

import pickle
import time
import unittest
from unittest import mock

from sextant_client import AsyncSextant, BudgetExhausted, is_outage

from .fakes import FakeService, Switch, advice, client_of

DETAIL = "0.50 of 0.50 USD of this day are used"
MONTH_S = 2_678_400


def exhausted(retry_after=str(MONTH_S)):
    body = {"type": "budget_exhausted", "title": "Budget exhausted", "status": 429, "detail": DETAIL}
    return 429, body, {"content-type": "application/problem+json", "retry-after": retry_after}


class Out(Exception):
    status_code = 503


class Budgeted(unittest.TestCase):
    def serve(self, answer=None, **options):
        self.switch = Switch(answer or exhausted())
        self.service = FakeService(self.switch)
        self.addCleanup(self.service.close)
        self.client = client_of(self.service.url, **options)
        self.addCleanup(self.client.close, 0)
        return self.client

    def problem(self, **options):
        with self.assertRaises(BudgetExhausted) as raised:
            self.client.choose("x", **options)
        return raised.exception

    def asked(self):
        return len(self.service.bodies("/v1/recommend"))


class Exhausted(Budgeted):
    def test_the_question_raises_an_error_that_names_it_and_no_default_runs(self):
        client = self.serve()
        problem = self.problem()
        self.assertEqual(problem.detail, DETAIL)
        self.assertAlmostEqual(problem.retry_after_seconds, MONTH_S, delta=60)
        self.assertIn(DETAIL, str(problem))
        self.assertFalse(is_outage(problem))
        self.assertEqual((self.asked(), client.defaults), (1, []))
        with self.assertRaises(BudgetExhausted):
            client.run("x", self.fail)

    def test_the_error_survives_a_pickle_as_between_processes(self):
        self.serve()
        problem = self.problem()
        copy = pickle.loads(pickle.dumps(problem))
        self.assertEqual((type(copy), copy.detail, copy.retry_after_seconds, str(copy)),
                         (BudgetExhausted, DETAIL, problem.retry_after_seconds, str(problem)))

    def test_nothing_is_paused_and_the_first_question_that_is_answered_runs_its_pick(self):
        client = self.serve()
        for _ in range(10):
            self.problem()
        self.assertEqual(self.asked(), 10)
        self.switch.set(advice())
        self.assertEqual(client.choose("x").source, "service")
        self.switch.set((503, {}))
        self.assertEqual(client.choose("x").reason, "refused")

    def test_it_is_not_forgotten_while_the_service_fails_pauses_limits_or_gets_no_question(self):
        client = self.serve()
        first = self.problem()
        for answer in ((503, {}), (200, b"<html>"), (200, advice(ranked=7)), (401, {}),
                       (429, {"type": "about:blank"}, {"retry-after": "30"})):
            self.switch.set(answer)
            problem = self.problem()
            self.assertEqual(problem.detail, DETAIL)
            self.assertLessEqual(problem.retry_after_seconds, first.retry_after_seconds)
        before = self.asked()
        self.problem()  # paused by now
        self.problem(deadline_ms=-1)
        self.problem(models=7)
        self.assertEqual((self.asked(), client.defaults), (before, []))

    def test_it_is_over_when_its_period_is(self):
        client = self.serve()
        self.problem()
        self.switch.set((503, {}))
        later = time.monotonic() + MONTH_S + 60
        with mock.patch("sextant_client._asking.time.monotonic", return_value=later):
            self.assertEqual(client._asking.unasked("refused", "").reason, "refused")

    def test_an_end_that_is_missing_or_odd_is_now(self):
        for header in ("", "soon", "-5", "1e9", "Wed, 21 Oct 2015 07:28:00 GMT", "\u0661"):
            self.serve(exhausted(header.encode().decode("latin-1")))
            self.assertEqual(self.problem().retry_after_seconds, 0)

    def test_an_end_that_is_a_date_is_understood(self):
        self.serve(exhausted("Fri, 01 Jan 2100 00:00:00 GMT"))
        self.assertGreater(self.problem().retry_after_seconds, MONTH_S)

    def test_in_shadow_the_default_runs_anyway(self):
        calls = []
        client = self.serve(shadow=True, on_budget_exhausted=calls.append)
        choice = client.choose("x")
        self.assertEqual((choice.model_id, choice.source, choice.reason, choice.detail),
                         ("gpt-4o", "default", "budget_exhausted", DETAIL))
        self.assertEqual((calls, client.defaults), ([], [("budget_exhausted", DETAIL)]))

    def test_a_limit_that_answers_429_is_none(self):
        client = self.serve((429, {"type": "about:blank", "detail": "budget_exhausted"}))
        self.assertEqual(client.choose("x").reason, "refused")
        self.assertEqual(client.choose("x").reason, "paused")

    def test_details_that_are_no_text_are_shown_and_cut(self):
        for detail, shown in ((None, "None"), ({"a": 1}, "{'a': 1}"), ("x" * 10_000, "x" * 300)):
            self.serve((429, {"type": "budget_exhausted", "detail": detail}))
            self.assertEqual(self.problem().detail, shown)

    def test_a_run_that_began_before_goes_on_as_it_would(self):
        client = self.serve(advice())
        choice = client.choose("x")
        self.switch.set(exhausted())
        self.problem()
        self.assertEqual([choice.next(), choice.next(), choice.next()], ["gemini-2.5-pro", "gpt-4o", None])


class Handling(Budgeted):
    def test_a_model_that_the_handler_names_runs_alone(self):
        problems = []
        client = self.serve(on_budget_exhausted=lambda problem: problems.append(problem) or "gemini-2.5-pro")
        choice = client.choose("x")
        self.assertEqual((choice.model_id, choice.source, choice.reason, choice.recommendation_id),
                         ("gemini-2.5-pro", "default", "budget_exhausted", None))
        ran = []

        def work(model_id):
            ran.append(model_id)
            raise Out()
        with self.assertRaises(Out):
            choice.run(work)
        self.assertEqual((ran, choice.next(), client.defaults), (["gemini-2.5-pro"], None, []))
        self.assertEqual([problem.detail for problem in problems], [DETAIL])

    def test_a_handler_that_names_none_lets_the_default_run_visibly_and_alone(self):
        client = self.serve(on_budget_exhausted=lambda problem: None)
        choice = client.choose("x")
        self.assertEqual((choice.model_id, choice.reason, choice.next()), ("gpt-4o", "budget_exhausted", None))
        self.assertEqual(client.defaults, [("budget_exhausted", DETAIL)])

    def test_a_handler_may_raise_an_error_of_its_own(self):
        client = self.serve(on_budget_exhausted=lambda problem: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            client.choose("x")

    def test_what_is_none_of_the_models_lets_nothing_run(self):
        for named in ("z", 5, [], {}, "", True, b"gpt-4o"):
            client = self.serve(on_budget_exhausted=lambda problem, named=named: named)
            self.problem()
            self.assertEqual(client.defaults, [])


class Asynchronously(unittest.IsolatedAsyncioTestCase):
    def client(self, **options):
        service = FakeService(Switch(exhausted()))
        self.addCleanup(service.close)
        client = client_of(service.url, **options)
        self.addCleanup(client.close, 0)
        return AsyncSextant(client=client)

    async def test_the_question_raises(self):
        sextant = self.client()
        with self.assertRaises(BudgetExhausted):
            await sextant.choose("x")
        with self.assertRaises(BudgetExhausted):
            await sextant.run("x", self.fail)
        # Known by now, whatever happens to the question.
        with self.assertRaises(BudgetExhausted):
            await sextant.choose("x", deadline_ms=0.001)
        self.assertEqual(sextant.client.defaults, [])

    async def test_a_handler_may_be_a_coroutine_function(self):
        async def handler(problem):
            return "gemini-2.5-pro"
        for each in (handler, lambda problem: "gemini-2.5-pro"):
            choice = await self.client(on_budget_exhausted=each).choose("x")
            self.assertEqual((choice.model_id, choice.reason), ("gemini-2.5-pro", "budget_exhausted"))

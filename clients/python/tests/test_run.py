"""What runs after an outage, what is reported of each call, and what streams report."""

import json
import socket
import time
import unittest
import unittest.mock
import urllib.error
from pathlib import Path
from types import SimpleNamespace

from sextant_client import Usage, fault_of, is_outage, usage_of
from sextant_client._usage import measurements, whole_tokens

from .fakes import MODELS, RECOMMENDATION_ID, FakeService, advice, answering, client_of, dead_url, ranked


class ProviderError(Exception):
    def __init__(self, status=None, **fields):
        super().__init__("the prompt was: my secret")
        if status is not None:
            self.status_code = status
        for name, value in fields.items():
            setattr(self, name, value)


class WithService(unittest.TestCase):
    def serve(self, recommendation=None, **options):
        self.service = FakeService(answering(recommendation))
        self.addCleanup(self.service.close)
        self.client = client_of(self.service.url, **options)
        self.addCleanup(self.client.close, 0)
        return self.client.choose("x")

    def reports(self):
        self.assertTrue(self.client.flush(10))
        return self.service.bodies("/v1/feedback")

    def outcomes(self):
        return [(body["chosen_model_id"], body["outcome"], body.get("error_cause")) for body in self.reports()]


def failing(errors, ran):
    """Work that notes its model and fails with the error that is given for it."""
    def work(model_id):
        ran.append(model_id)
        if model_id in errors:
            raise errors[model_id]
        return {"usage": {"prompt_tokens": 10, "completion_tokens": 5}}
    return work


class Running(WithService):
    def test_the_pick_runs_and_its_usage_is_reported_without_a_verdict(self):
        ran = []
        answer = self.serve().run(failing({}, ran))
        self.assertEqual(ran, ["claude-sonnet-4-5"])
        self.assertEqual(answer["usage"]["prompt_tokens"], 10)
        [report] = self.reports()
        self.assertIsInstance(report.pop("latency_ms"), int)
        self.assertRegex(report.pop("idempotency_key"), "^python:[0-9a-f]{32}$")
        self.assertEqual(report, {
            "recommendation_id": RECOMMENDATION_ID, "chosen_model_id": "claude-sonnet-4-5", "outcome": "success",
            "evidence_source": "none", "input_tokens": 10, "output_tokens": 5,
        })

    def test_a_failure_says_the_status_and_the_wait_that_the_provider_asked_for(self):
        for headers, wait in (
            ({"retry-after": "7"}, 7_000), ({"retry-after": "7", "retry-after-ms": "6500"}, 6_500),
            ({"Retry-After": "99999"}, 600_000), ({"retry-after": "soon"}, None), (object(), None), (None, None),
        ):
            error = ProviderError(429)
            error.headers = headers
            self.serve().run(failing({"claude-sonnet-4-5": error}, []))
            report = self.reports()[0]
            self.assertEqual((report["provider_status"], report.get("retry_after_ms")), (429, wait), headers)

    def test_after_an_outage_the_advised_fallback_runs_and_then_the_default_none_twice(self):
        ran, out = [], ProviderError(503)
        choice = self.serve(advice("claude-sonnet-4-5", "gemini-2.5-pro"))
        choice.run(failing({"claude-sonnet-4-5": out, "gemini-2.5-pro": out}, ran))
        self.assertEqual(ran, ["claude-sonnet-4-5", "gemini-2.5-pro", "gpt-4o"])
        self.assertEqual(self.outcomes(), [
            ("claude-sonnet-4-5", "failure", "infra"), ("gemini-2.5-pro", "failure", "infra"),
            ("gpt-4o", "success", None),
        ])
        self.assertEqual(choice.ran_model_id, "gpt-4o")

    def test_without_an_advised_fallback_the_likeliest_model_of_another_provider_runs(self):
        ran = []
        self.serve(advice("claude-sonnet-4-5")).run(failing({"claude-sonnet-4-5": ProviderError(429)}, ran))
        self.assertEqual(ran, ["claude-sonnet-4-5", "gemini-2.5-pro"])

    def test_an_advised_fallback_that_is_not_the_programs_or_cools_down_is_passed_over(self):
        ran = []
        choice = self.serve(advice("claude-sonnet-4-5", "gemini-2.5-pro"))
        self.client._shared.cool_down("gemini-2.5-pro")
        choice.run(failing({"claude-sonnet-4-5": ProviderError(500)}, ran))
        self.assertEqual(ran, ["claude-sonnet-4-5", "gpt-4o"])

    def test_the_chain_goes_on_to_the_last_model_that_the_answer_ranks_by_other_providers_the_default_and_the_rest(self):
        models = [f"m{i}" for i in range(6)]
        ranks = [ranked("m0", "a", 0.9), ranked("m1", "a", 0.8), ranked("m2", "b", 0.3), ranked("m3", "b", 0.5),
                 ranked("m4", "a", 0.4), ranked("m5", "c", 0.2), ranked("other", "d", 0.99)]
        out = {model_id: ProviderError(500) for model_id in models}
        for pick, fallback, order in (
            # The likeliest of b and then of c, the default, and the rest by prediction.
            (0, None, "m0 m3 m5 m4 m1 m2"),
            # The default was the pick, and the fallback is of its provider.
            (4, 1, "m4 m1 m3 m5 m0 m2"),
        ):
            # A full answer ranks the pick too, a short one only the others.
            for others in (ranks, [each for each in ranks if each is not ranks[pick]]):
                answer = advice(recommended_model=ranks[pick], ranked=others,
                                fallback_model=None if fallback is None else ranks[fallback])
                ran = []
                with self.assertRaises(ProviderError):
                    self.serve(answer, models=models, default_model_id="m4").run(failing(out, ran))
                self.assertEqual(" ".join(ran), order)

    def test_under_a_guarantee_its_baseline_follows_then_the_default_and_only_then_those_that_nothing_is_known_of(self):
        out = {model_id: ProviderError(500) for model_id in "abcd"}
        ranks = [ranked("a", "one", 0.9), ranked("b", "two", 0.6), ranked("c", "four", 0.5), ranked("d", "three", 0.8)]
        arms = [*ranks[:1], {**ranks[1], "effort": "high"}, *ranks[2:]]
        for answers, baseline, order in ((ranks, "b", "a b c d"), (arms, "b#high", "a b c d"), (arms, "b#low", "a c d b")):
            answer = advice(recommended_model=ranks[0], ranked=answers, guarantee={"baseline_model_id": baseline})
            ran = []
            with self.assertRaises(ProviderError):
                self.serve(answer, models=[*"abcd"], default_model_id="c").run(failing(out, ran))
            self.assertEqual(" ".join(ran), order)

    def test_a_model_that_the_answer_left_out_never_runs_the_default_aside(self):
        only = ranked("claude-sonnet-4-5", "anthropic", 0.8)
        ran = []
        with self.assertRaises(ProviderError):
            self.serve(advice(ranked=[only])).run(failing({each: ProviderError(500) for each in MODELS}, ran))
        self.assertEqual(ran, ["claude-sonnet-4-5", "gpt-4o"])

    def test_when_every_model_is_out_the_last_error_propagates(self):
        ran, errors = [], {model_id: ProviderError(500) for model_id in MODELS}
        with self.assertRaises(ProviderError) as raised:
            self.serve().run(failing(errors, ran))
        self.assertIs(raised.exception, errors["gpt-4o"])
        self.assertEqual(len(ran), 3)
        self.assertEqual(len(set(ran)), 3)

    def test_another_error_is_the_callers_and_nothing_is_reported_of_it(self):
        for error in (ProviderError(400), ProviderError(401), ValueError("no"), ProviderError()):
            ran = []
            with self.assertRaises(type(error)):
                self.serve().run(failing({"claude-sonnet-4-5": error}, ran))
            self.assertEqual(ran, ["claude-sonnet-4-5"])
            self.assertEqual(self.reports(), [])

    def test_a_model_that_was_out_is_excluded_from_the_next_questions_until_it_has_cooled_down(self):
        self.serve().run(failing({"claude-sonnet-4-5": ProviderError(503)}, []))
        self.client.choose("y")
        self.client._shared._cooling.set("claude-sonnet-4-5", 0)
        self.client.choose("z")
        constraints = [body["constraints"] for body in self.service.bodies("/v1/recommend")]
        self.assertEqual([each.get("excluded_models") for each in constraints],
                         [None, ["claude-sonnet-4-5"], None])

    def test_when_all_models_cool_down_none_is_excluded(self):
        self.serve()
        for model_id in MODELS:
            self.client._shared.cool_down(model_id)
        self.client.choose("y")
        self.assertNotIn("excluded_models", self.service.bodies("/v1/recommend")[1]["constraints"])

    def test_what_stops_the_program_abandons_the_call_and_runs_nothing_else(self):
        ran = []
        with self.assertRaises(KeyboardInterrupt):
            self.serve().run(failing({"claude-sonnet-4-5": KeyboardInterrupt()}, ran))
        self.assertEqual(ran, ["claude-sonnet-4-5"])
        [report] = self.reports()
        self.assertEqual((report["outcome"], report["notes"]), ("partial", "abandoned by the caller"))

    def test_the_text_of_an_error_stays_here(self):
        self.serve().run(failing({"claude-sonnet-4-5": ProviderError(503)}, []))
        self.assertEqual(self.reports()[0]["notes"], "ProviderError 503")
        self.assertNotIn("secret", str(self.service.requests))

    def test_without_the_service_the_default_runs_after_itself_nothing_and_nothing_is_reported(self):
        ran = []
        choice = client_of(dead_url()).choose("x")
        with self.assertRaises(ProviderError):
            choice.run(failing({"gpt-4o": ProviderError(503)}, ran))
        self.assertEqual(ran, ["gpt-4o"])
        self.assertFalse(choice.score(1.0))

    def test_in_shadow_the_default_runs_and_is_reported_as_the_model_that_ran(self):
        self.serve(shadow=True).run(failing({}, []))
        self.assertEqual(self.outcomes(), [("gpt-4o", "success", None)])

    def test_in_shadow_no_advised_model_runs_after_an_outage(self):
        ran = []
        with self.assertRaises(ProviderError):
            self.serve(shadow=True).run(failing({"gpt-4o": ProviderError(503)}, ran))
        self.assertEqual(ran, ["gpt-4o"])

    def test_the_bill_and_the_usage_of_the_program_are_reported(self):
        choice = self.serve(price_of=lambda model_id, usage: usage.output_tokens * 0.01)
        choice.run(lambda model_id: "text", usage=lambda answer: Usage(output_tokens=7, latency_ms=1.6))
        [report] = self.reports()
        self.assertEqual((report["output_tokens"], report["latency_ms"]), (7, 2))
        self.assertAlmostEqual(report["actual_cost_usd"], 0.07)

    def test_a_reader_of_usage_and_a_price_that_fail_or_lie_harm_nothing(self):
        def broken(*_):
            raise RuntimeError("no")
        choice = self.serve(price_of=broken)
        with self.assertLogs("sextant_client", "ERROR"):
            self.assertEqual(choice.run(lambda model_id: "text", usage=broken), "text")
        lies = (7, {"output_tokens": 1}, Usage(output_tokens=-1), Usage(output_tokens=10**400),
                Usage(input_tokens=float("nan"), cost_usd="1"))
        with self.assertLogs("sextant_client", "ERROR"):
            for usage in lies:
                self.client.choose("x").run(lambda model_id: "text", usage=lambda _, usage=usage: usage)
        for report in self.reports():
            self.assertNotIn("output_tokens", report)
            self.assertNotIn("actual_cost_usd", report)

    def test_a_model_that_another_layer_hands_in_is_measured_and_holds_the_conversation(self):
        self.serve()
        choice = self.client.choose("x", conversation_id="c")
        call = choice.begin("some-other-model")
        call.succeeded()
        call.failed(ProviderError(500))
        choice.score(0.5, "judge")
        self.client.choose("x", conversation_id="c")
        other = "some-other-model"
        self.assertEqual(self.outcomes(), [(other, "success", None), (other, "partial", None)])
        self.assertEqual(self.service.bodies("/v1/recommend")[-1]["incumbent_model_id"], "some-other-model")


class SaidError(ProviderError):
    """An error of a provider that says why."""

    def __init__(self, status, said, **fields):
        super().__init__(status, **fields)
        self.said = said

    def __str__(self):
        return self.said


NOT_FOUND = SaidError(404, "The model `x` does not exist or you do not have access to it.")
UNSUPPORTED = SaidError(400, "Unsupported parameter: 'max_tokens' is not supported with this model.")
PICK = "claude-sonnet-4-5"


class Unavailable(WithService):
    def excluded(self):
        return [body["constraints"].get("excluded_models") for body in self.service.bodies("/v1/recommend")]

    def test_a_model_that_is_not_to_be_had_gives_way_is_reported_and_left_out_for_an_hour_and_then_tried_once(self):
        for error in (NOT_FOUND, SaidError(403, "permission_error"), SaidError(400, "x", code="model_decommissioned")):
            ran = []
            self.serve().run(failing({PICK: error}, ran))
            self.assertEqual(ran, [PICK, "gemini-2.5-pro"])
            [report, _] = self.reports()
            self.assertEqual(
                (report["outcome"], report["error_cause"], report["provider_status"]),
                ("failure", "infra", error.status_code))
            self.client.choose("y")
            self.client._shared.refused.set(PICK, time.monotonic() - 1)
            self.client.choose("its time is over")
            self.client.choose("beside the try")
            self.client.choose("z").begin(PICK).succeeded()
            self.client.choose("it is back")
            self.assertEqual(self.excluded(), [None, [PICK], None, [PICK], [PICK], None])

    def test_it_runs_after_no_outage_either(self):
        self.serve().run(failing({PICK: NOT_FOUND}, []))
        ran = []
        choice = self.client.choose("y")
        with self.assertRaises(ProviderError):
            choice.run(failing({model_id: ProviderError(503) for model_id in MODELS}, ran))
        self.client._shared.refused.set("gpt-4o", time.monotonic() + 9)
        self.assertEqual(ran[1:], ["gemini-2.5-pro", "gpt-4o"])

    def test_where_all_are_refused_the_last_error_propagates_and_none_is_left_out(self):
        errors = {model_id: SaidError(403, "forbidden") for model_id in MODELS}
        self.serve()
        for _ in range(2):
            ran = []
            with self.assertRaises(SaidError) as raised:
                self.client.choose("y").run(failing(errors, ran))
            self.assertIs(raised.exception, errors[ran[-1]])
            self.assertEqual(len(ran), 3)
        self.assertEqual(self.excluded(), [None, None, None])

    def test_a_refused_parameter_runs_the_default_unreported_and_counts_for_the_same_parameters_alone(self):
        self.serve()
        ran = []
        self.client.choose("y", parameters=["max_tokens"]).run(failing({PICK: UNSUPPORTED}, ran))
        self.assertEqual(ran, [PICK, "gpt-4o"])
        self.assertEqual(self.outcomes(), [("gpt-4o", "success", None)])
        for parameters in (["max_tokens"], {"temperature": 0, "max_tokens": 5}, None, 7):
            self.client.choose("y", parameters=parameters)
        self.assertEqual(self.excluded(), [None, None, [PICK], None, None, None])
        self.assertNotIn("parameters", self.service.bodies("/v1/recommend")[1])

    def test_the_defaults_own_refusal_of_a_parameter_is_the_callers_and_leaves_none_out(self):
        self.serve()
        for _ in range(2):
            ran, errors = [], {PICK: UNSUPPORTED, "gpt-4o": SaidError(400, "max_tokens is too large")}
            with self.assertRaises(SaidError) as raised:
                self.client.choose("y").run(failing(errors, ran))
            self.assertIs(raised.exception, errors["gpt-4o"])
            self.assertEqual(ran, [PICK, "gpt-4o"])
        self.assertEqual((self.excluded(), self.reports()), ([None] * 3, []))

    def test_streams_and_verified_runs_go_on_alike(self):
        for error, then in ((NOT_FOUND, "gemini-2.5-pro"), (UNSUPPORTED, "gpt-4o")):
            def stream(model_id, error=error):
                if model_id == PICK:
                    raise error
                yield model_id
            self.assertEqual(list(self.serve().stream(stream)), [then])
            done = self.serve() and self.client.run_verified(
                "y", lambda model_id, _: next(stream(model_id)), lambda answer: True)
            self.assertEqual(done.best.result, then)

    def test_it_is_said_once_without_the_providers_words(self):
        for error, said in ((NOT_FOUND, "is not to be had here (404)"), (UNSUPPORTED, "refuses a parameter (400)")):
            with self.assertLogs("sextant_client", "WARNING") as logs, unittest.mock.patch("sextant_client._log._told", {}):
                for _ in range(2):
                    self.serve(warn=True).run(failing({PICK: error}, []))
            self.assertEqual(len(logs.output), 1)
            self.assertIn(f"{PICK} {said}", logs.output[0])

    def test_what_an_error_says_decides(self):
        for status, said, expected in (
            (404, "not_found_error model: x", "model"), (410, "gone", "model"), (400, "Model Not Exist", "model"),
            (400, "Invalid model name passed in model=x", "model"), (503, "x", "outage"),
            (404, "Previous response with id 'resp_1' not found.", None), (404, "File not found", None),
            (403, "Your chosen model requires moderation and your input was flagged", None), (401, "no key", None),
            (400, "max_tokens: 20000 > 8192", "parameters"), (422, "body.temperature: too high", "parameters"),
            (400, "input length and `max_tokens` exceed context limit", None),
            (400, "messages.1.content: Expected `thinking`", None), (400, "Bad Request", None),
        ):
            self.assertEqual(fault_of(SaidError(status, said)), expected, said)
        self.assertEqual(fault_of(SaidError(400, "x", body={"code": "unsupported_value"})), "parameters")
        self.assertIsNone(fault_of(SaidError(400, None)))


class Streaming(WithService):
    def test_the_parts_pass_and_tokens_and_first_token_are_reported_at_the_end(self):
        parts = [{"delta": "a"}, {"delta": "b"}, {"usage": {"prompt_tokens": 3, "completion_tokens": 2}}]
        self.assertEqual(list(self.serve().stream(lambda model_id: iter(parts))), parts)
        [report] = self.reports()
        self.assertEqual((report["outcome"], report["input_tokens"], report["output_tokens"]), ("success", 3, 2))
        self.assertLessEqual(report["time_to_first_token_ms"], report["latency_ms"])

    def test_usage_in_several_events_of_a_stream_is_put_together(self):
        parts = [
            {"type": "message_start", "message": {"usage": {"input_tokens": 5, "cache_read_input_tokens": 20}}},
            {"type": "message_delta", "usage": {"output_tokens": 9}},
        ]
        list(self.serve().stream(lambda model_id: parts))
        [report] = self.reports()
        self.assertEqual((report["input_tokens"], report["cached_input_tokens"], report["output_tokens"]), (25, 20, 9))

    def test_a_reader_that_leaves_abandons_the_call_and_closes_the_providers_stream(self):
        closed = []

        def work(model_id):
            try:
                yield "a"
                yield "b"
            finally:
                closed.append(model_id)
        stream = self.serve().stream(work)
        self.assertEqual(next(stream), "a")
        stream.close()
        self.assertEqual(closed, ["claude-sonnet-4-5"])
        [report] = self.reports()
        self.assertEqual((report["outcome"], report["notes"]), ("partial", "abandoned by the caller"))

    def test_an_outage_before_the_first_part_runs_the_next_model(self):
        def work(model_id):
            if model_id == "claude-sonnet-4-5":
                raise ProviderError(503)
            yield model_id
        self.assertEqual(list(self.serve().stream(work)), ["gemini-2.5-pro"])
        self.assertEqual(self.outcomes(), [
            ("claude-sonnet-4-5", "failure", "infra"), ("gemini-2.5-pro", "success", None),
        ])

    def test_an_outage_after_the_first_part_is_reported_and_propagates(self):
        def work(model_id):
            yield "half of"
            raise ProviderError(503)
        stream = self.serve().stream(work)
        self.assertEqual(next(stream), "half of")
        with self.assertRaises(ProviderError):
            next(stream)
        self.assertEqual(self.outcomes(), [("claude-sonnet-4-5", "failure", "infra")])

    def test_a_stream_whose_end_fails_harms_no_reader(self):
        class Parts:
            def __iter__(self):
                return iter(["a"])

            def close(self):
                raise RuntimeError("no")
        self.assertEqual(list(self.serve().stream(lambda model_id: Parts())), ["a"])
        self.assertEqual(self.outcomes(), [("claude-sonnet-4-5", "success", None)])

    def test_a_stream_that_is_never_read_runs_nothing(self):
        ran = []
        self.serve().stream(lambda model_id: ran.append(model_id) or [])
        self.assertEqual((ran, self.reports()), ([], []))


class Outages(unittest.TestCase):
    def test_statuses_of_408_409_429_and_500_and_more_are_outages_and_others_are_not(self):
        for status in (408, 409, 429, 500, 502, 503, 504, 529):
            self.assertTrue(is_outage(ProviderError(status)), status)
        for status in (400, 401, 403, 404, 413, 422):
            self.assertFalse(is_outage(ProviderError(status)), status)

    def test_the_status_is_found_where_libraries_put_it(self):
        for fields in ({"status": 503}, {"http_status": 503}, {"code": 503},
                       {"response": SimpleNamespace(status_code=503)}, {"response": SimpleNamespace(status=503)},
                       {"response": {"ResponseMetadata": {"HTTPStatusCode": 503}}}):
            self.assertTrue(is_outage(ProviderError(**fields)), fields)
        self.assertTrue(is_outage(urllib.error.HTTPError("http://x", 503, "no", {}, None)))
        self.assertFalse(is_outage(urllib.error.HTTPError("http://x", 400, "no", {}, None)))
        self.assertFalse(is_outage(ProviderError(code="rate_limit", status=True)))

    def test_timeouts_and_broken_connections_are_outages_by_type_by_name_and_by_cause(self):
        class APITimeoutError(Exception):
            pass

        class ConnectError(Exception):
            pass
        wrapped = RuntimeError("call failed")
        wrapped.__cause__ = ConnectionResetError()
        for error in (TimeoutError(), socket.timeout(), ConnectionRefusedError(), urllib.error.URLError("no"),
                      socket.gaierror(), APITimeoutError(), ConnectError(), wrapped):
            self.assertTrue(is_outage(error), repr(error))
        for error in (ValueError(), KeyError("Timeout"), FileNotFoundError(), AttributeError()):
            self.assertFalse(is_outage(error), repr(error))

    def test_an_error_whose_getters_fail_is_the_callers(self):
        class Hostile(Exception):
            @property
            def status_code(self):
                raise RuntimeError("no")
        self.assertFalse(is_outage(Hostile()))


class Usages(unittest.TestCase):
    def test_usage_is_read_as_each_provider_counts_it(self):
        for answer, expected in (
            ({"usage": {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 40}, "completion_tokens": 20,
                        "completion_tokens_details": {"reasoning_tokens": 5}}}, (100, 40, 20, 5)),
            ({"usage": {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 40}, "output_tokens": 20,
                        "output_tokens_details": {"reasoning_tokens": 5}}}, (100, 40, 20, 5)),
            ({"usage": {"input_tokens": 10, "cache_read_input_tokens": 80, "cache_creation_input_tokens": 10,
                        "output_tokens": 20}}, (100, 80, 20, None)),
            ({"usage": {"inputTokens": 20, "cacheReadInputTokens": 80, "outputTokens": 20}}, (100, 80, 20, None)),
            ({"usageMetadata": {"promptTokenCount": 100, "cachedContentTokenCount": 40, "candidatesTokenCount": 15,
                                "thoughtsTokenCount": 5}}, (100, 40, 20, 5)),
            ({"type": "response.completed", "response": {"usage": {"input_tokens": 3, "output_tokens": 0}}},
             (3, None, 0, None)),
            (SimpleNamespace(usage=SimpleNamespace(prompt_tokens=1, completion_tokens=2, prompt_tokens_details=None)),
             (1, None, 2, None)),
            # Gemini and Grok count reasoning beside the output in OpenAI's form too.
            ({"usage": {"prompt_tokens": 900, "completion_tokens": 200, "total_tokens": 2600}}, (900, None, 1700, None)),
            ({"usage": {"prompt_tokens": 900, "completion_tokens": 1700, "total_tokens": 4100,
                        "completion_tokens_details": {"reasoning_tokens": 1500}}}, (900, None, 3200, 1500)),
            ({"usage_metadata": {"prompt_token_count": 100, "tool_use_prompt_token_count": 30,
                                 "thoughts_token_count": 50, "total_token_count": 180}}, (130, None, 50, 50)),
            # LangChain's messages.
            (SimpleNamespace(usage_metadata={
                "input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
                "input_token_details": {"cache_read": 40, "cache_creation": 10}, "output_token_details": {"reasoning": 5},
            }), (100, 40, 20, 5)),
        ):
            self.assertEqual(usage_of(answer)[:4], expected, answer)

    def test_input_that_was_written_to_a_cache_is_told_apart(self):
        used = usage_of({"usage": {"input_tokens": 3, "cache_read_input_tokens": 5758, "cache_creation_input_tokens": 6174,
                                   "cache_creation": {"ephemeral_1h_input_tokens": 174}, "output_tokens": 300}})
        self.assertEqual(measurements(used), {
            "input_tokens": 11935, "cached_input_tokens": 5758, "cache_write_input_tokens": 6174,
            "cache_write_hour_input_tokens": 174, "output_tokens": 300,
        })

    def test_the_service_tier_and_the_searches_of_an_answer_are_read(self):
        tokens = {"input_tokens": 3, "output_tokens": 4}
        for answer, expected in (
            ({"usage": {**tokens, "service_tier": "priority", "server_tool_use": {"web_search_requests": 2}}}, ("priority", 2)),
            ({"usage": {**tokens, "speed": "fast", "service_tier": "standard"}}, ("fast", None)),
            ({"service_tier": "flex", "usage": {"prompt_tokens": 3, "completion_tokens": 4}}, ("flex", None)),
            ({"response": {"service_tier": "flex", "usage": tokens,
                           "output": [{"type": "web_search_call"}, {"type": "message"}, {"type": "web_search_call"}]}}, ("flex", 2)),
            ({"usage": tokens}, (None, None)),
            ({"service_tier": 7, "usage": tokens}, (None, None)),
        ):
            used = usage_of(answer)
            self.assertEqual((used.service_tier, used.web_searches), expected, answer)
        self.assertEqual(measurements(Usage(service_tier="flex", web_searches=2)), {"service_tier": "flex", "web_searches": 2})
        self.assertEqual(measurements(Usage(service_tier="no tier", web_searches=-1)), {})

    def test_whole_tokens_are_those_of_the_rule_that_all_readers_share(self):
        file = Path(__file__).resolve().parents[3] / "test/packages/client/usage.json"
        for name, counts, whole, *beside in json.loads(file.read_text("utf-8"))["cases"]:
            said = beside[0] if beside else {}
            found = whole_tokens(
                input=counts.get("input"), output=counts.get("output"), total=counts.get("total"),
                input_parts=sum(counts.get(part, 0) for part in ("cacheRead", "cacheWrite", "otherInput")),
                output_parts=counts.get("reasoning", 0), input_beside=said.get("input", False),
                output_beside=said.get("output", False), rest_is_output=said.get("isRestOutput", False),
            )
            self.assertEqual(list(found), whole, name)

    def test_an_answer_without_usage_says_nothing(self):
        for answer in (None, "text", 7, [], {}, {"usage": None}, b"x"):
            self.assertIsNone(usage_of(answer), answer)

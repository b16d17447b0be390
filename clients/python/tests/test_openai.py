"""The adapter of `openai`, on the package where it is installed, against a provider that is a fake."""

import asyncio
import copy
import json
import pickle
import unittest

from sextant_client import BudgetExhausted
from sextant_client.openai import auto, sextant_of, with_sextant

from .fakes import RECOMMENDATION_ID, FakeService, advice, answering, client_of, dead_url
from .frameworks import framework

openai = framework("openai")

JSON = {"content-type": "application/json"}
MESSAGES = [{"role": "system", "content": "s"}, {"role": "user", "content": "Say hello"}]


def completion(model, content="hello", **message):
    choice = {"index": 0, "finish_reason": "stop",
              "message": {"role": "assistant", "content": content, "refusal": None, **message}}
    usage = {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14,
             "prompt_tokens_details": {"cached_tokens": 6}}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice], "usage": usage}


def chunk(model, content=None, usage=None, **delta):
    choices = [] if usage else [{"index": 0, "delta": {"content": content, **delta}, "finish_reason": None}]
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices,
            "usage": usage}


def events(*data, done=True):
    lines = [f"data: {json.dumps(each)}\n\n" for each in data] + ["data: [DONE]\n\n"] * done
    return 200, "".join(lines).encode(), {"content-type": "text/event-stream"}


def response(model, output):
    usage = {"input_tokens": 8, "output_tokens": 5, "total_tokens": 13, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 2}}
    return {"id": "r", "object": "response", "created_at": 1, "model": model, "status": "completed", "output": output,
            "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": usage}


def said(text):
    return {"type": "message", "id": "m", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}]}


def provider(path, body):
    """Answers a request as the provider does that is up."""
    model = body["model"]
    if path.endswith("/responses"):
        last = {"type": "response.completed", "sequence_number": 2, "response": response(model, [said("hello")])}
        delta = {"type": "response.output_text.delta", "sequence_number": 1, "delta": "hello", "item_id": "m",
                 "output_index": 0, "content_index": 0, "logprobs": []}
        return events(delta, last, done=False) if body.get("stream") else (
            200, response(model, [said("hello")]), JSON)
    if body.get("stream"):
        asked = (body.get("stream_options") or {}).get("include_usage")
        usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
        return events(chunk(model, "hel"), chunk(model, "lo"), *([chunk(model, usage=usage)] if asked else []))
    return 200, completion(model), JSON


class Routing(unittest.TestCase):
    def serve(self, answer=provider, recommendation=None, names=None, is_async=False, **options):
        self.service = FakeService(answering(recommendation))
        self.addCleanup(self.service.close)
        self.provider = FakeService(answer)
        self.addCleanup(self.provider.close)
        self.sextant = client_of(self.service.url, **options)
        self.addCleanup(self.sextant.close, 0)
        make = openai.AsyncOpenAI if is_async else openai.OpenAI
        made = make(api_key="k", base_url=f"{self.provider.url}/v1", max_retries=1)
        return with_sextant(made, self.sextant, names=names)

    def asked(self):
        return self.service.bodies("/v1/recommend")

    def ran(self):
        return [body["model"] for _, body in self.provider.requests]

    def reports(self):
        self.assertTrue(self.sextant.flush(10))
        return self.service.bodies("/v1/feedback")

    def outcomes(self):
        return [(body["chosen_model_id"], body["outcome"], body.get("error_cause")) for body in self.reports()]


class Completions(Routing):
    def test_the_pick_runs_under_the_providers_name_and_its_usage_is_reported(self):
        client = self.serve(names={"claude-sonnet-4-5": "claude-sonnet-4-5-20250929"})
        answer = client.chat.completions.create(model=auto(), messages=MESSAGES, max_tokens=50)
        self.assertEqual(answer.choices[0].message.content, "hello")
        self.assertEqual(self.ran(), ["claude-sonnet-4-5-20250929"])
        [asked], [report] = self.asked(), self.reports()
        self.assertEqual(asked["task"]["task"], "Say hello")
        self.assertGreater(asked["task"]["expected_input_tokens"], 0)
        self.assertEqual(asked["inferred_requirements"]["output_tokens"], 50)
        self.assertEqual((report["input_tokens"], report["cached_input_tokens"], report["output_tokens"]), (10, 6, 4))
        self.assertEqual((report["outcome"], report["evidence_source"]), ("success", "none"))

    def test_an_answer_of_no_known_shape_is_the_callers_and_is_reported(self):
        for strange in ({"choices": 5}, {"output": {"a": 1}}, {"output": 3}, {"choices": [{"message": {"tool_calls": 1}}]}):
            client = self.serve(lambda path, body: (200, {**completion("m"), **strange}, JSON))
            answer = client.chat.completions.with_raw_response.create(model=auto(), messages=MESSAGES)
            self.assertEqual(json.loads(answer.text)["id"], "1")
            self.assertEqual(self.outcomes(), [("claude-sonnet-4-5", "success", None)])

    def test_a_request_that_names_a_model_passes_untouched_and_nothing_is_asked(self):
        client = self.serve()
        answer = client.chat.completions.create(model="gpt-4o", messages=MESSAGES)
        self.assertIsNone(sextant_of(answer))
        self.assertEqual(self.provider.requests[0][1], {"model": "gpt-4o", "messages": MESSAGES})
        self.assertEqual((self.asked(), self.reports()), ([], []))

    def test_an_answer_knows_its_recommendation_through_copies_and_no_dump_shows_it(self):
        client = self.serve()
        answer = client.chat.completions.create(model=auto(), messages=MESSAGES)
        for each in (answer, copy.deepcopy(answer), copy.copy(answer)):
            self.assertEqual(sextant_of(each).recommendation_id, RECOMMENDATION_ID)
        self.assertEqual(pickle.loads(pickle.dumps(sextant_of(answer))), sextant_of(answer))
        self.assertNotIn("sextant", json.dumps(answer.model_dump()))
        self.assertTrue(self.sextant.score(sextant_of(answer), True, "gate"))
        verdict = self.reports()[1]
        self.assertEqual((verdict["chosen_model_id"], verdict["quality_score"]), ("claude-sonnet-4-5", 1.0))

    def test_options_of_one_call_travel_in_the_name_of_the_model(self):
        client = self.serve()
        for _ in range(2):
            model = auto(conversation_id="c", models=["gpt-4o", "claude-sonnet-4-5"])
            client.chat.completions.create(model=model, messages=MESSAGES)
        first, second = self.asked()
        self.assertEqual(first["constraints"]["candidate_models"], ["gpt-4o", "claude-sonnet-4-5"])
        self.assertEqual(second["incumbent_model_id"], "claude-sonnet-4-5")
        with self.assertRaises(ValueError):
            client.chat.completions.create(model="sextant/auto?[", messages=MESSAGES)

    def test_an_outage_moves_on_at_once_and_the_sdk_retries_the_last_model_alone(self):
        def out(path, body):
            return (200, completion("x"), JSON) if len(self.provider.requests) > 2 else (503, {"error": {}}, JSON)
        client = self.serve(out, models=["claude-sonnet-4-5", "gpt-4o"])
        client.chat.completions.create(model=auto(), messages=MESSAGES)
        self.assertEqual(self.ran(), ["claude-sonnet-4-5", "gpt-4o", "gpt-4o"])

    def test_a_fault_is_reported_and_an_error_of_the_callers_is_not(self):
        def out(path, body):
            if body["model"] == "claude-sonnet-4-5":
                return 503, {"error": {"message": "down"}}, JSON
            return 400, {"error": {"message": "messages: too few", "code": "invalid"}}, JSON
        client = self.serve(out)
        with self.assertRaises(openai.APIStatusError) as raised:
            client.chat.completions.create(model=auto(), messages=MESSAGES)
        self.assertEqual(raised.exception.status_code, 400)
        self.assertEqual(self.ran(), ["claude-sonnet-4-5", "gemini-2.5-pro"])
        self.assertEqual(self.outcomes(), [("claude-sonnet-4-5", "failure", "infra")])

    def test_the_default_runs_when_the_service_is_out_and_a_used_up_budget_refuses(self):
        client = self.serve()
        quiet = client_of(dead_url())
        self.addCleanup(quiet.close, 0)
        made = with_sextant(openai.OpenAI(api_key="k", base_url=f"{self.provider.url}/v1"), quiet)
        answer = made.chat.completions.create(model=auto(), messages=MESSAGES)
        self.assertEqual((self.ran(), sextant_of(answer).source), (["gpt-4o"], "default"))
        self.assertFalse(quiet.score(sextant_of(answer), True))
        client = self.serve(recommendation=(429, {"type": "budget_exhausted", "detail": "all of 5 USD are used"}))
        with self.assertRaises(BudgetExhausted):
            client.chat.completions.create(model=auto(), messages=MESSAGES)
        self.assertEqual(self.ran(), [])

    def test_the_result_of_a_tool_goes_to_the_model_that_called_it_with_or_without_the_service(self):
        call = {"id": "call_7", "type": "function", "function": {"name": "f", "arguments": "{}"}}

        def tools(path, body):
            is_over = body["messages"][-1]["role"] == "tool"
            return 200, completion(body["model"]) if is_over else completion(body["model"], None, tool_calls=[call]), JSON
        client = self.serve(tools)
        tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
        client.chat.completions.create(model=auto(), messages=MESSAGES, tools=[tool])
        later = [*MESSAGES, {"role": "assistant", "tool_calls": [call]},
                 {"role": "tool", "tool_call_id": "call_7", "content": "1"}]
        client.chat.completions.create(model=auto(), messages=later, tools=[tool])
        first, second = self.asked()
        self.assertTrue(first["inferred_requirements"]["tools"])
        self.assertEqual(second["constraints"]["candidate_models"], ["claude-sonnet-4-5"])
        self.assertEqual(second["task"]["task"], "Say hello")
        self.service.close()
        client.chat.completions.create(model=auto(), messages=later, tools=[tool])
        self.assertEqual(self.ran(), ["claude-sonnet-4-5"] * 3)

    def test_an_answer_that_does_not_fit_its_schema_is_a_failed_gate(self):
        schema = {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}
        wanted = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
        for content, scores in (("{}", [0.0]), ('{"n": 1}', [])):
            client = self.serve(lambda path, body, content=content: (200, completion("x", content), JSON))
            client.chat.completions.create(model=auto(), messages=MESSAGES, response_format=wanted)
            self.assertEqual([body["quality_score"] for body in self.reports() if "quality_score" in body], scores)
            self.assertTrue(self.asked()[0]["inferred_requirements"]["structured_output"])

    def test_other_endpoints_refuse_the_model_and_copies_of_the_client_route_it(self):
        client = self.serve()
        with self.assertRaises(TypeError):
            client.embeddings.create(model=auto(), input="x")
        client.with_options(max_retries=0).chat.completions.create(model=auto(), messages=MESSAGES)
        self.assertEqual(self.ran(), ["claude-sonnet-4-5"])
        with self.assertRaises(TypeError):
            with_sextant(object(), self.sextant)

    def test_a_raw_response_is_measured_and_known(self):
        client = self.serve()
        raw = client.chat.completions.with_raw_response.create(model=auto(), messages=MESSAGES)
        self.assertEqual(raw.parse().choices[0].message.content, "hello")
        self.assertEqual(sextant_of(raw).ran_model_id, "claude-sonnet-4-5")
        self.assertEqual(self.reports()[0]["input_tokens"], 10)
        raw = client.chat.completions.with_raw_response.create(model=auto(), messages=MESSAGES, stream=True)
        self.assertEqual([part.choices[0].delta.content for part in raw.parse()], ["hel", "lo"])
        self.assertEqual([body["input_tokens"] for body in self.reports()], [10, 10])


class Streams(Routing):
    def test_a_stream_is_reported_with_its_usage_which_the_caller_did_not_ask_for_and_does_not_see(self):
        client = self.serve()
        stream = client.chat.completions.create(model=auto(), messages=MESSAGES, stream=True)
        self.assertEqual([part.choices[0].delta.content for part in stream], ["hel", "lo"])
        [report] = self.reports()
        self.assertEqual((report["outcome"], report["input_tokens"], report["output_tokens"]), ("success", 10, 2))
        self.assertLessEqual(report["time_to_first_token_ms"], report["latency_ms"])
        self.assertEqual(sextant_of(stream).recommendation_id, RECOMMENDATION_ID)

    def test_a_caller_who_asks_for_usage_sees_it_and_one_who_forbids_it_has_none(self):
        client = self.serve()
        for asked, chunks in ((True, 3), (False, 2)):
            options = {"include_usage": asked}
            stream = client.chat.completions.create(
                model=auto(), messages=MESSAGES, stream=True, stream_options=options)
            self.assertEqual(len(list(stream)), chunks)

    def test_a_stream_that_is_left_is_partial_and_one_that_breaks_a_failure(self):
        client = self.serve()
        with client.chat.completions.create(model=auto(), messages=MESSAGES, stream=True) as stream:
            next(iter(stream))
        self.assertEqual(self.outcomes(), [("claude-sonnet-4-5", "partial", None)])
        broken = events(chunk("x", "hel"), {"error": {"message": "busy", "type": "server_error"}})
        client = self.serve(lambda path, body: broken)
        with self.assertRaises(openai.APIError):
            list(client.chat.completions.create(model=auto(), messages=MESSAGES, stream=True))
        self.assertEqual(self.outcomes(), [("claude-sonnet-4-5", "failure", "infra")])


class Responses(Routing):
    def test_a_response_and_its_stream_are_routed_and_reported(self):
        client = self.serve()
        answer = client.responses.create(model=auto(), input="Say hello", instructions="s")
        self.assertEqual(sextant_of(answer).ran_model_id, "claude-sonnet-4-5")
        stream = client.responses.create(model=auto(), input=[{"role": "user", "content": "Say hello"}], stream=True)
        self.assertEqual([event.type for event in stream], ["response.output_text.delta", "response.completed"])
        self.assertEqual([body["task"]["task"] for body in self.asked()], ["Say hello"] * 2)
        first, second = self.reports()
        for report in (first, second):
            self.assertEqual((report["input_tokens"], report["output_tokens"], report["reasoning_tokens"]), (8, 5, 2))

    def test_a_stream_that_says_it_failed_is_a_failure(self):
        failed = {"type": "response.failed", "sequence_number": 1, "response": {
            **response("x", []), "status": "failed", "error": {"code": "server_error", "message": "m"}}}
        client = self.serve(lambda path, body: events(failed, done=False))
        list(client.responses.create(model=auto(), input="x", stream=True))
        self.assertEqual(self.outcomes(), [("claude-sonnet-4-5", "failure", "infra")])


class Asynchronous(Routing):
    def test_answers_and_streams_of_the_asynchronous_client_are_routed_and_reported(self):
        def answer(path, body):
            return (503, {"error": {}}, JSON) if body["model"] == "claude-sonnet-4-5" else provider(path, body)
        client = self.serve(answer, is_async=True, recommendation=advice(fallback="gemini-2.5-pro"))

        async def work():
            answer = await client.chat.completions.create(model=auto(), messages=MESSAGES)
            self.assertEqual(sextant_of(answer).ran_model_id, "gemini-2.5-pro")
            stream = await client.with_options(max_retries=0).responses.create(model="gpt-4o", input="x", stream=True)
            self.assertIsNone(sextant_of(stream))
            stream = await client.chat.completions.create(model=auto(models=["gpt-4o"]), messages=MESSAGES, stream=True)
            texts = [part.choices[0].delta.content async for part in stream]
            self.assertEqual(texts, ["hel", "lo"])
            async with await client.chat.completions.create(model=auto(), messages=MESSAGES, stream=True) as left:
                async for _ in left:
                    break
        asyncio.run(work())
        self.assertIn(("gemini-2.5-pro", "success", None), self.outcomes())
        self.assertEqual(self.outcomes()[-1][1], "partial")


if __name__ == "__main__":
    unittest.main()

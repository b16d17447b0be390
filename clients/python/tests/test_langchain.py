"""The middleware of LangChain in an agent, on the package where it is installed, with models that are fakes."""

import asyncio
import unittest
from typing import Any, Optional

from .fakes import RECOMMENDATION_ID, FakeService, answering, client_of, dead_url
from .frameworks import framework

framework("langchain")

from langchain.agents import create_agent  # noqa: E402  (which package it is has been said)
from langchain.agents.middleware import AgentMiddleware  # noqa: E402
from langchain_core.language_models.chat_models import BaseChatModel  # noqa: E402
from langchain_core.messages import AIMessage, HumanMessage  # noqa: E402
from langchain_core.outputs import ChatGeneration, ChatResult  # noqa: E402

from sextant_client import BudgetExhausted  # noqa: E402
from sextant_client.langchain import SextantMiddleware  # noqa: E402


class Down(Exception):
    status_code = 503


class TestsFailed(Exception):
    pass


class Chat(BaseChatModel):
    """A chat model that answers with its name, or raises."""

    model_name: str
    error: Optional[Any] = None
    said_name: Optional[str] = None
    given: Any = None

    @property
    def _llm_type(self):
        return "fake"

    def _generate(self, messages, stop=None, run_manager=None, **settings):
        self.given.append((self.model_name, settings))
        if self.error is not None:
            raise self.error
        message = AIMessage(
            content=f"by {self.model_name}",
            response_metadata={"model_name": self.said_name or f"{self.model_name}-2026-01-01"},
            usage_metadata={"input_tokens": 12, "output_tokens": 3, "total_tokens": 15,
                            "input_token_details": {"cache_read": 4}})
        return ChatResult(generations=[ChatGeneration(message=message)])


class Fallback(AgentMiddleware):
    """Tries again with another model, as LangChain's own fallback does."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def wrap_model_call(self, request, handler):
        try:
            return handler(request)
        except Down:
            return handler(request.override(model=self.model))


class Checked(AgentMiddleware):
    """Finds every answer wrong."""

    def wrap_model_call(self, request, handler):
        handler(request)
        raise TestsFailed()


def human(text="Write a haiku"):
    return {"messages": [HumanMessage(content=text, id="h1")]}


class Middleware(unittest.TestCase):
    def serve(self, recommendation=None, url=None, settings=None, errors=None, **options):
        self.service = FakeService(answering(recommendation))
        self.addCleanup(self.service.close)
        self.sextant = client_of(url or self.service.url)
        self.addCleanup(self.sextant.close, 0)
        self.given = []
        self.models = {
            model_id: Chat(model_name=model_id, error=(errors or {}).get(model_id), given=self.given)
            for model_id in self.sextant.models}
        return SextantMiddleware(self.sextant, self.models, settings=settings, **options)

    def agent(self, *middleware):
        return create_agent(self.models["gpt-4o"], middleware=list(middleware))

    def ran(self):
        return [name for name, _ in self.given]

    def reports(self):
        self.assertTrue(self.sextant.flush(10))
        return self.service.bodies("/v1/feedback")

    def outcomes(self):
        return [(body["chosen_model_id"], body["outcome"], body.get("error_cause")) for body in self.reports()]

    def test_the_pick_answers_and_its_message_names_the_recommendation(self):
        agent = self.agent(self.serve())
        for run in (agent.invoke, lambda *given: asyncio.run(agent.ainvoke(*given))):
            message = run(human(), {"configurable": {"thread_id": "t"}})["messages"][-1]
            self.assertEqual(message.content, "by claude-sonnet-4-5")
            self.assertEqual(message.response_metadata["sextant"], {
                "recommendation_id": RECOMMENDATION_ID, "model_id": "claude-sonnet-4-5", "source": "service",
                "reason": None})
        first, second = self.service.bodies("/v1/recommend")
        self.assertEqual((first["task"]["task"], first["task"]["tags"]), ("Write a haiku", ["step:0"]))
        self.assertEqual(second["incumbent_model_id"], "claude-sonnet-4-5")
        report = self.reports()[0]
        self.assertEqual((report["input_tokens"], report["cached_input_tokens"], report["output_tokens"]), (12, 4, 3))

    def test_after_an_outage_the_next_model_runs_and_both_are_reported(self):
        for run in ("invoke", "ainvoke"):
            agent = self.agent(self.serve(errors={"claude-sonnet-4-5": Down()}))
            made = getattr(agent, run)(human())
            messages = (made if run == "invoke" else asyncio.run(made))["messages"]
            self.assertEqual(messages[-1].content, "by gemini-2.5-pro")
            self.assertEqual(self.outcomes(), [
                ("claude-sonnet-4-5", "failure", "infra"), ("gemini-2.5-pro", "success", None)])

    def test_another_error_is_the_callers_and_is_not_reported(self):
        agent = self.agent(self.serve(errors={"claude-sonnet-4-5": KeyError("mine")}))
        with self.assertRaises(KeyError):
            agent.invoke(human())
        self.assertEqual((self.ran(), self.reports()), (["claude-sonnet-4-5"], []))

    def test_the_default_runs_when_the_service_is_out_and_a_used_up_budget_refuses(self):
        agent = self.agent(self.serve(url=dead_url()))
        said = agent.invoke(human())["messages"][-1].response_metadata["sextant"]
        self.assertEqual((self.ran(), said["source"], said["recommendation_id"]), (["gpt-4o"], "default", None))
        agent = self.agent(self.serve((429, {"type": "budget_exhausted", "detail": "all of 5 USD are used"})))
        with self.assertRaises(BudgetExhausted):
            agent.invoke(human())
        self.assertEqual(self.ran(), [])

    def test_settings_of_a_model_go_with_it(self):
        agent = self.agent(self.serve(settings={"claude-sonnet-4-5": {"temperature": 0.5}}))
        agent.invoke(human())
        self.assertEqual(self.given[0][1]["temperature"], 0.5)

    def test_a_model_of_another_layer_runs_untouched(self):
        middleware = self.serve(errors={"gpt-4o": Down(), "claude-sonnet-4-5": Down(), "gemini-2.5-pro": Down()})
        spare = Chat(model_name="spare", given=self.given)
        self.agent(Fallback(spare), middleware).invoke(human())
        self.assertEqual(self.ran()[-1], "spare")
        self.assertEqual({outcome for _, outcome, _ in self.outcomes()}, {"failure"})

    def test_what_a_layer_behind_ran_instead_is_reported_in_its_name(self):
        middleware = self.serve(errors={"claude-sonnet-4-5": Down()})
        self.agent(middleware, Fallback(self.models["gpt-4o"])).invoke(human())
        self.assertEqual(self.outcomes(), [("gpt-4o", "success", None)])

    def test_a_named_error_of_a_layer_behind_is_a_failed_gate(self):
        agent = self.agent(self.serve(gate_errors=["TestsFailed"]), Checked())
        with self.assertRaises(TestsFailed):
            agent.invoke(human())
        [call, verdict] = self.reports()
        self.assertEqual((call["outcome"], verdict["quality_score"], verdict["evidence_source"]), ("success", 0.0, "gate"))
        self.assertEqual(verdict["notes"], "TestsFailed")

    def test_a_client_whose_model_is_missing_is_refused(self):
        self.serve()
        with self.assertRaises(ValueError):
            SextantMiddleware(self.sextant, {"gpt-4o": self.models["gpt-4o"]})


if __name__ == "__main__":
    unittest.main()

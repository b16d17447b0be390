"""The programs of `README.md` run as they are printed, against fakes of the service and of the providers."""

import asyncio
import os
import re
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

from .fakes import KEY, FakeService, advice, answering
from .frameworks import framework, is_standin
from .test_langchain import Chat
from .test_openai import JSON, completion

pydantic_ai = framework("pydantic_ai")

PAGE = Path(__file__).resolve().parents[1] / "README.md"
PROGRAMS = re.findall(r"^### ([^\n]+)\n```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


class Programs(unittest.TestCase):
    def setUp(self):
        self.service = FakeService(answering(advice("gpt-5.4-mini")))
        self.addCleanup(self.service.close)

    def run_program(self, title, messages=()):
        """The names that a program leaves behind; its deadline is that of a slow machine."""
        [program] = [code for each, code in PROGRAMS if each == title]
        program = program.replace("http://localhost:8080", self.service.url)
        program = re.sub(r'(Sextant\w*\(.*"gpt-5.5")\)', r"\1, deadline_ms=5_000)", program)
        names = {"key": KEY, "messages": list(messages), "is_good": lambda _: True}
        exec(compile(program, str(PAGE), "exec"), names)
        return names

    def reports(self, sextant):
        self.addCleanup(sextant.close, 0)
        self.assertTrue(sextant.flush(10))
        return [(body["chosen_model_id"], body["outcome"], body["evidence_source"])
                for body in self.service.bodies("/v1/feedback")]

    def test_the_page_has_a_program_of_each_adapter(self):
        self.assertEqual(
            [title for title, _ in PROGRAMS],
            ["OpenAI in Python", "LangChain in Python", "Pydantic AI", "LiteLLM"])

    def test_openai(self):
        provider = FakeService(lambda path, body: (200, completion(body["model"]), JSON))
        self.addCleanup(provider.close)
        there = {"OPENAI_BASE_URL": f"{provider.url}/v1", "OPENAI_API_KEY": "k"}
        with mock.patch.dict(os.environ, there):
            names = self.run_program("OpenAI in Python", [{"role": "user", "content": "x"}])
        self.assertEqual(self.reports(names["sextant"]), [
            ("gpt-5.4-mini", "success", "none"), ("gpt-5.4-mini", "success", "gate")])

    def test_langchain(self):
        fake = types.ModuleType("langchain_openai")
        fake.ChatOpenAI = lambda model, max_retries: Chat(model_name=model, given=[])
        with mock.patch.dict(sys.modules, {"langchain_openai": fake}):
            from langchain_core.messages import HumanMessage
            names = self.run_program("LangChain in Python", [HumanMessage(content="x")])
        self.assertEqual(self.reports(names["sextant"]), [
            ("gpt-5.4-mini", "success", "none"), ("gpt-5.4-mini", "success", "gate")])

    @unittest.skipUnless(is_standin(pydantic_ai), "the program's models are ids, which the package resolves itself")
    def test_pydantic_ai(self):
        from pydantic_ai import models

        from .test_pydantic_ai import Named
        models.known["openai:gpt-5.4-mini"] = models.known["openai:gpt-5.5"] = Named("x", [])
        names = self.run_program("Pydantic AI")
        messages = asyncio.run(names["agent"].run("x"))
        self.assertEqual(names["sextant_of"](messages[-1]).ran_model_id, "gpt-5.4-mini")
        self.assertEqual(self.reports(names["sextant"]), [("gpt-5.4-mini", "success", "none")])

    def test_litellm(self):
        classifier = self.run_program("LiteLLM")["classifier"]
        self.addCleanup(classifier.client.close, 0)
        context = types.SimpleNamespace(
            raw_messages=(), structured_messages=({"role": "user", "content": "x"},), candidate_models=(), metadata={})
        self.assertEqual(asyncio.run(classifier.classify(context)), "SIMPLE")


if __name__ == "__main__":
    unittest.main()

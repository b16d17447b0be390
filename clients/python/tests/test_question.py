"""What is read of a call for its question, and the calls of one choice."""

import unittest

from sextant_client._attempts import Attempts
from sextant_client._question import estimated_tokens, question_of, task_of

from .fakes import FakeService, answering, client_of


class Question(unittest.TestCase):
    def test_the_task_is_the_users_last_text_and_no_tools_result(self):
        parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "input_text", "text": "b"}]
        tool = {"role": "tool", "content": "result"}
        for messages, expected in (
            ("text", "text"), ([{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}, tool], "x"),
            ([{"role": "user", "content": parts}], "a\nb"),
            ([{"role": "user", "content": "x"}, {"role": "user", "content": [{"type": "image_url"}]}], "x"),
            ([{"role": "user", "content": [{"type": "image_url"}]}], "[file]"), ([], "[file]"), (None, "[file]"),
        ):
            self.assertEqual(task_of(messages), expected, messages)

    def test_no_question_has_an_empty_task(self):
        self.assertEqual(question_of("")["task"]["task"], "(empty)")
        self.assertEqual(question_of(7)["task"], {"task": "[file]"})

    def test_tokens_are_a_fourth_of_plain_characters_more_of_dense_ones_and_none_of_files(self):
        self.assertEqual(estimated_tokens("a" * 40), 10)
        self.assertEqual(estimated_tokens("п" * 100), 45)
        self.assertEqual(estimated_tokens("字" * 100), 80)
        # An emoji is two UTF-16 units.
        self.assertEqual(estimated_tokens("😀" * 50), 80)
        self.assertEqual(estimated_tokens("k" * 90), 60)
        self.assertEqual(estimated_tokens([{"type": "image_url", "image_url": "x" * 400}]), None)
        self.assertEqual(estimated_tokens({"name": "abcd"}), 2)

    def test_needs_are_kinds_of_input_tools_a_schema_and_room_and_text_alone_needs_nothing(self):
        self.assertNotIn("inferred_requirements", question_of([{"role": "user", "content": "x"}], tools=[]))
        parts = [
            {"type": "image_url"}, {"type": "input_audio"}, {"type": "document", "source": {"type": "base64"}},
            {"type": "file", "mediaType": "text/plain"}, {"type": "text", "text": "x"}]
        needs = question_of(
            [{"role": "user", "content": parts}], tools=[{}], is_structured=True, output_limit=9)["inferred_requirements"]
        self.assertEqual(needs, {
            "modalities": ["image", "audio", "file"], "tools": True, "structured_output": True, "output_tokens": 9})
        picture = [{"role": "user", "content": [{"type": "file", "mediaType": "image/png"}]}]
        self.assertEqual(question_of(picture)["inferred_requirements"]["modalities"], ["image"])
        for limit in (0, True, 1.5, "9", None):
            self.assertNotIn("inferred_requirements", question_of("x", output_limit=limit))


class Down(Exception):
    status_code = 503


class Calls(unittest.TestCase):
    def setUp(self):
        self.service = FakeService(answering())
        self.addCleanup(self.service.close)
        self.client = client_of(self.service.url)
        self.addCleanup(self.client.close, 0)

    def run_all(self, error, **options):
        """The models that run when all of them raise."""
        ran, choice = [], self.client.choose("x")
        attempts = Attempts(choice, **options)
        with self.assertRaises(type(error)):
            while True:
                with attempts as call:
                    ran.append((call.model_id, choice.is_last))
                    raise error
        return ran

    def test_every_model_runs_once_after_outages_and_the_last_one_knows_it_is(self):
        self.assertEqual(self.run_all(Down()), [
            ("claude-sonnet-4-5", False), ("gemini-2.5-pro", False), ("gpt-4o", True)])

    def test_a_model_to_begin_with_comes_before_the_pick_and_none_follows_where_none_may(self):
        self.assertEqual([ran for ran, _ in self.run_all(Down(), first="gpt-4o", may_go_on=False)], ["gpt-4o"])

    def test_another_error_and_an_end_of_the_program_run_no_next_model(self):
        for error, outcomes in ((ValueError(), []), (KeyboardInterrupt(), ["partial"])):
            self.assertEqual(len(self.run_all(error)), 1)
            self.assertTrue(self.client.flush(10))
            self.assertEqual([body["outcome"] for body in self.service.bodies("/v1/feedback")], outcomes)


if __name__ == "__main__":
    unittest.main()

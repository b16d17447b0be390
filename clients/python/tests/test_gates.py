"""Gates: what passes, what says nothing, what each says of its errors, and what hostile answers do to them."""

import asyncio
import json
import sys
import tempfile
import time
import unittest
from pathlib import Path
from types import SimpleNamespace

from sextant_client import AsyncSextant, gates

from .fakes import FakeService, answering, client_of

# What the gates of both clients are held to.
CASES = json.loads((Path(__file__).resolve().parents[3] / "test/packages/client/gates/schemas.json").read_text("utf-8"))


def errors(gate):
    return tuple(gate.verification.get(name) for name in ("pass_wrong", "fail_right", "cost_usd"))


def passing(_):
    return True


def failing(_):
    return False


def silent(_):
    return None


class Json(unittest.TestCase):
    def test_it_tells_right_from_wrong_by_every_schema_of_the_cases(self):
        self.assertGreater(len(CASES["checked"]), 20)
        for case in CASES["checked"]:
            gate = gates.json(case["schema"])
            for said, texts in ((True, case["right"]), (False, case["wrong"])):
                for text in texts:
                    with self.subTest(schema=case["schema"], text=text):
                        self.assertIs(gate(text), said)

    def test_it_refuses_what_it_does_not_read_at_once_and_names_the_place(self):
        for schema in CASES["refused"]:
            with self.subTest(schema=schema), self.assertRaisesRegex(ValueError, r"gates\.json: #/.* is not read"):
                gates.json(schema)
        with self.assertRaisesRegex(ValueError, "#/properties/a/items/oneOf is not read"):
            gates.json({"properties": {"a": {"items": {"oneOf": []}}}})

    def test_it_takes_a_model_of_pydantic_and_a_function(self):
        class Model:
            @classmethod
            def model_validate(cls, value):
                if value != 5:
                    raise ValueError("other")
                return cls()
        for schema in (Model, lambda value: value == 5):
            gate = gates.json(schema)
            self.assertEqual([gate("5"), gate("6"), gate("five")], [True, False, False])

    def test_it_raises_what_a_function_raises(self):
        with self.assertRaises(KeyError):
            gates.json(lambda value: {}[value])("1")

    def test_it_says_that_no_right_answer_fails_unless_the_caller_knows_better(self):
        self.assertEqual(gates.json(True).verification, {"kind": "gate", "fail_right": 0})
        self.assertEqual(errors(gates.json(True, pass_wrong=0.2, fail_right=0.01, cost_usd=0.1)), (0.2, 0.01, 0.1))

    def test_it_bears_a_value_that_is_nested_200_000_deep_and_a_number_of_a_million_digits(self):
        schema = {"type": "object", "additionalProperties": False}
        for text in ("[" * 200_000 + "]" * 200_000, "[" * 200_000, "9" * 1_000_000, '{"a":' * 200_000 + "1" + "}" * 200_000):
            self.assertIs(gates.json(schema)(text), False)


class Text(unittest.TestCase):
    def test_it_reads_the_answers_of_sdks(self):
        gate = gates.matches("^yes$")
        for answer in (
            "yes", {"text": "yes"}, {"choices": [{"message": {"content": "yes"}}]}, {"output_text": "yes"},
            SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content="yes", tool_calls=None))]),
            SimpleNamespace(content=[SimpleNamespace(type="thinking"), SimpleNamespace(text="y"), SimpleNamespace(text="es")]),
            {"messages": [{"content": "no"}, {"content": "yes"}]}, SimpleNamespace(content="yes", tool_calls=[]),
        ):
            with self.subTest(answer=answer):
                self.assertIs(gate(answer), True)

    def test_it_says_nothing_of_what_has_no_text_or_no_text_yet(self):
        class Throwing:
            @property
            def text(self):
                raise OSError("not mine")
        for answer in (
            None, 5, True, {}, [], {"text": None}, {"choices": []}, {"choices": 1}, {"content": []}, {"messages": 7}, Throwing(),
            {"choices": [{"message": {"content": None, "tool_calls": [{}]}}]}, {"content": "", "tool_calls": [{}]},
        ):
            with self.subTest(answer=answer):
                self.assertIsNone(gates.matches("yes")(answer))
        self.assertIs(gates.matches("yes")(""), False)

    def test_in_all_a_limit_keeps_a_long_text_from_a_pattern_that_backtracks(self):
        gate = gates.all(gates.max_length(20), gates.matches("^(a+)+$"))
        self.assertEqual([gate("a" * 50_000 + "!"), gate("aaaa")], [False, True])
        self.assertEqual([gates.max_length(2)(text) for text in ("", "ab", "abc")], [True, True, False])


class Commands(unittest.TestCase):
    def test_an_exit_code_is_read_of_a_result_that_has_one(self):
        gate = gates.exit_code()
        results = (0, 1, SimpleNamespace(returncode=0), SimpleNamespace(returncode=-9), None, "0", {}, True)
        self.assertEqual([gate(each) for each in results], [True, False, True, False, None, None, None, None])
        self.assertEqual([gates.exit_code(3)(3), gates.exit_code(3)(0)], [True, False])

    def test_tests_pass_where_the_command_ends_well_of_the_shell_and_without_one(self):
        node = [sys.executable, "-c"]
        self.assertIs(gates.tests("true")("x"), True)
        self.assertIs(gates.tests("exit 3")("x"), False)
        self.assertIs(gates.tests([*node, "import sys; sys.exit(sys.argv[1] != '$HOME; false')", "$HOME; false"])(None), True)
        self.assertIs(gates.tests("grep -q wanted")({"output_text": "it is wanted"}), True)
        self.assertIs(gates.tests("grep -q wanted")("it is not"), False)
        self.assertIs(gates.tests("true")("x" * 5_000_000), True)
        self.assertIs(gates.tests("true")("half of a pair: \ud800"), True)

    def test_a_command_that_takes_too_long_has_failed_and_ends_with_what_it_started(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIs(gates.tests("(sleep 1; echo > outlived) & wait", cwd=folder, timeout_s=0.1)(""), False)
            self.assertIs(gates.tests("cat", timeout_s=float("inf"))("any"), True)
            time.sleep(1.3)
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_a_command_that_is_not_there_raises_for_that_says_nothing_of_the_answer(self):
        for command in ("a-command-that-is-not-there", ["/not/there"], "exit 126"):
            with self.subTest(command=command), self.assertRaises((RuntimeError, OSError)):
                gates.tests(command)("")


class Combined(unittest.TestCase):
    def test_verdicts_combine_where_none_is_one_that_may_still_turn_out_either_way(self):
        said = {passing: True, failing: False, silent: None}
        for one in said:
            for other in said:
                both = (said[one], said[other])
                every = False if False in both else None if None in both else True
                some = True if True in both else None if None in both else False
                self.assertIs(gates.all(one, other)("x"), every)
                self.assertIs(gates.any(one, other)("x"), some)

    def test_no_check_is_asked_after_the_one_that_decides(self):
        asked = []
        gates.all(failing, asked.append)("x")
        gates.any(passing, asked.append)("x")
        self.assertEqual(asked, [])

    def test_errors_are_bounds_of_those_of_the_parts(self):
        a = gates.tests("true", pass_wrong=0.1, fail_right=0.02, cost_usd=0.5)
        b = gates.tests("true", pass_wrong=0.2, fail_right=0.01)
        self.assertAlmostEqual(errors(gates.any(a, b))[0], 0.3)
        self.assertEqual(errors(gates.any(a, b))[1:], (0.01, 0.5))
        self.assertEqual(errors(gates.all(a, b))[0], 0.1)
        self.assertAlmostEqual(errors(gates.all(a, b))[1], 0.03)
        known = gates.tests("true", pass_wrong=0.4, fail_right=0.4)
        self.assertEqual(errors(gates.all(known, passing)), (0.4, None, None))
        self.assertEqual(errors(gates.any(known, passing)), (None, 0.4, None))
        self.assertEqual(errors(gates.all(known, known, known)), (0.4, 0.5, None))

    def test_nothing_and_wrong_errors_are_refused(self):
        for make in (gates.all, gates.any, lambda: gates.max_length(1, pass_wrong=0.6), lambda: gates.max_length(1, fail_right=float("nan")),
                     lambda: gates.max_length(1, cost_usd=-1)):
            with self.assertRaises(ValueError):
                make()


class Verifying(unittest.TestCase):
    def setUp(self):
        self.service = FakeService(answering())
        self.addCleanup(self.service.close)
        self.client = client_of(self.service.url)
        self.addCleanup(self.client.close, 0)

    def verdicts(self):
        self.client.flush(10)
        return [(body["outcome"], body["evidence_source"]) for body in self.service.bodies("/v1/feedback") if "quality_score" in body]

    def test_a_run_tells_the_plan_how_often_its_gate_errs_and_reports_its_verdicts(self):
        gate = gates.json({"required": ["a"]}, pass_wrong=0.1)
        done = self.client.run_verified("x", lambda model_id, attempts: '{"a": 1}', gate)
        self.assertTrue(done.is_verified)
        [asked] = self.service.bodies("/v1/recommend")
        self.assertEqual(asked["verification"], {"kind": "gate", "pass_wrong": 0.1, "fail_right": 0})
        self.assertEqual(self.verdicts(), [("success", "gate")])

    def test_what_the_caller_says_of_the_check_is_believed_before_what_the_gate_says(self):
        said = {"kind": "gate", "pass_wrong": 0.3}
        self.client.run_verified("x", lambda *_: "a", gates.max_length(9), verification=said)
        self.assertEqual(self.service.bodies("/v1/recommend")[0]["verification"], said)

    def test_a_command_of_a_gate_does_not_block_the_loop(self):
        async def run():
            turns = 0

            async def count():
                nonlocal turns
                while True:
                    turns += 1
                    await asyncio.sleep(0)
            counting = asyncio.ensure_future(count())

            async def work(model_id, attempts):
                nonlocal turns
                turns = 0
                return "x"
            done = await AsyncSextant(client=self.client).run_verified("x", work, gates.tests("sleep 0.2"))
            counting.cancel()
            return done, turns
        done, turns = asyncio.run(run())
        self.assertTrue(done.is_verified)
        self.assertGreater(turns, 10)

    def test_no_verdict_is_scored_as_none(self):
        choice = self.client.choose("x")
        self.assertFalse(choice.score(gates.max_length(1)({})))
        self.assertEqual((self.verdicts(), self.client.dropped), ([], 0))

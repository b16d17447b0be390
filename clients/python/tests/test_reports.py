"""The queue of reports: attempts, losses, bounds, and the end of a program."""

import socket
import subprocess
import sys
import threading
import unittest
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from .fakes import KEY, RECOMMENDATION_ID, FakeService, RawServer, answering, client_of

PACKAGE = str(Path(__file__).resolve().parents[1])


class Reporting(unittest.TestCase):
    def serve(self, answer, **options):
        self.service = FakeService(answer if callable(answer) else answering(None, answer))
        self.addCleanup(self.service.close)
        self.client = client_of(self.service.url, **options)
        self.addCleanup(self.client.close, 0)
        return self.client

    def told(self):
        self.assertTrue(self.client.flush(20))
        return self.service.bodies("/v1/feedback")

    def test_a_verdict_is_reported_with_its_label_its_source_and_the_model(self):
        client = self.serve(None)
        verdicts = ((True, "gate"), (0.8, "human"), (0.79, "judge"), (0.4, "gate"), (0.39, "gate"), (False, "gate"))
        for quality, source in verdicts:
            self.assertTrue(client.score(RECOMMENDATION_ID, quality, source, model_id="gpt-4o", notes="n"))
        self.assertEqual([(body["outcome"], body["quality_score"], body["evidence_source"]) for body in self.told()], [
            ("success", 1.0, "gate"), ("success", 0.8, "human"), ("partial", 0.79, "judge"), ("partial", 0.4, "gate"),
            ("failure", 0.39, "gate"), ("failure", 0.0, "gate"),
        ])
        self.assertEqual({(body["chosen_model_id"], body["notes"]) for body in self.told()}, {("gpt-4o", "n")})

    def test_a_verdict_by_id_is_on_the_model_that_ran_here_last(self):
        client = self.serve(None)
        choice = client.choose("x")
        choice.begin("gemini-2.5-pro")
        client.score(choice.recommendation_id, 1.0)
        self.assertEqual(self.told()[0]["chosen_model_id"], "gemini-2.5-pro")

    def test_a_verdict_by_an_id_of_another_process_leaves_the_model_to_the_service(self):
        self.serve(None).score(RECOMMENDATION_ID, 1.0)
        self.assertNotIn("chosen_model_id", self.told()[0])

    def test_what_is_no_verdict_is_a_loss_that_is_said_and_not_an_error(self):
        client = self.serve(None)
        circular = {}
        circular["notes"] = circular
        for quality in (1.1, -0.1, float("nan"), float("inf"), "0.5", {}, [1], 10**400):
            self.assertFalse(client.score(RECOMMENDATION_ID, quality))
        self.assertFalse(client.score(RECOMMENDATION_ID, 1.0, "rumour"))
        self.assertFalse(client.score(7, 1.0))
        self.assertFalse(client.score([], 1.0))
        self.assertFalse(client.score(RECOMMENDATION_ID, 1.0, notes=object()))
        for report in (circular, 7, {1: 1, "a": 1}, {"recommendation_id": object()}):
            self.assertFalse(client.report(report))
        self.assertEqual((client.dropped, {loss.reason for loss in client.losses}), (16, {"invalid"}))
        self.assertFalse(client.score(None, 1.0))
        self.assertFalse(client.score(RECOMMENDATION_ID, None))
        self.assertEqual((client.dropped, self.told()), (16, []))

    def test_a_quality_may_be_a_number_of_any_type(self):
        client = self.serve(None)
        for quality in (Decimal("0.5"), Fraction(1, 2), 1):
            self.assertTrue(client.score(RECOMMENDATION_ID, quality))
        self.assertEqual([body["quality_score"] for body in self.told()], [0.5, 0.5, 1.0])

    def test_the_same_verdict_has_the_same_key_and_another_one_another(self):
        client = self.serve(None)
        client.score(RECOMMENDATION_ID, 1.0)
        client.score(RECOMMENDATION_ID, 1.0)
        client.score(RECOMMENDATION_ID, 0.5)
        client.score(RECOMMENDATION_ID, 1.0, idempotency_key="mine")
        keys = [body["idempotency_key"] for body in self.told()]
        self.assertEqual((keys[0] == keys[1], keys[0] == keys[2], keys[3]), (True, False, "mine"))

    def test_502_503_and_504_are_tried_three_times_and_then_lost(self):
        for status in (502, 503, 504):
            client = self.serve((status, {}))
            client.score(RECOMMENDATION_ID, 1.0)
            told = self.told()
            self.assertEqual((len(told), len({body["idempotency_key"] for body in told})), (3, 1))
            self.assertEqual((client.dropped, client.losses[0].reason), (1, "unreachable"))

    def test_other_statuses_are_tried_once(self):
        for status in (301, 400, 403, 404, 422, 500):
            client = self.serve((status, {}))
            client.score(RECOMMENDATION_ID, 1.0)
            self.assertEqual(len(self.told()), 1)
            self.assertEqual((client.dropped, client.losses[0].reason), (1, "refused"))

    def test_a_second_attempt_that_succeeds_loses_nothing(self):
        answers = [(503, {}), (200, {"accepted": True})]
        client = self.serve(lambda path, body: answers.pop(0))
        client.score(RECOMMENDATION_ID, 1.0)
        self.assertEqual((len(self.told()), client.dropped), (2, 0))

    def test_a_connection_that_breaks_is_tried_three_times(self):
        server = RawServer(lambda connection: connection.recv(10))
        self.addCleanup(server.close)
        client = client_of(server.url)
        self.addCleanup(client.close, 0)
        client.score(RECOMMENDATION_ID, 1.0)
        self.assertTrue(client.flush(10))
        self.assertEqual((server.connections, client.dropped, client.losses[0].reason), (3, 1, "unreachable"))

    def test_a_report_that_the_service_does_not_accept_is_lost_and_said(self):
        client = self.serve((200, {"accepted": False, "warnings": ["unknown_recommendation"]}))
        client.score(RECOMMENDATION_ID, 1.0)
        self.assertEqual(len(self.told()), 1)
        [loss] = client.losses
        self.assertEqual((loss.reason, loss.detail), ("not_accepted", "['unknown_recommendation']"))

    def test_a_report_of_which_no_json_can_be_made_is_lost_and_the_next_one_is_sent(self):
        client = self.serve(None)
        client.report({"recommendation_id": float("nan")})
        client.score(RECOMMENDATION_ID, 1.0)
        self.assertEqual(len(self.told()), 1)
        self.assertEqual([loss.reason for loss in client.losses], ["invalid"])

    def test_a_full_queue_loses_the_newest_reports_without_waiting(self):
        release = threading.Event()
        arrived = threading.Event()

        def answer(path, body):
            arrived.set()
            release.wait(20)
            return 200, {"accepted": True}
        client = self.serve(answer, queue_max=3)
        client.score(RECOMMENDATION_ID, 0.0)
        self.assertTrue(arrived.wait(10))
        added = [client.score(RECOMMENDATION_ID, i / 10) for i in range(1, 6)]
        self.assertEqual((added, client.pending, client.dropped), ([True, True, False, False, False], 3, 3))
        self.assertEqual({loss.reason for loss in client.losses}, {"queue_full"})
        self.assertFalse(client.flush(0.01))
        release.set()
        self.assertEqual([body["quality_score"] for body in self.told()], [0.0, 0.1, 0.2])
        self.assertEqual(client.pending, 0)

    def test_reports_of_many_threads_all_arrive(self):
        client = self.serve(None)
        def score(i):
            for n in range(50):
                client.score(f"{i}-{n}", 1.0)
        threads = [threading.Thread(target=score, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len({body["recommendation_id"] for body in self.told()}), 400)
        self.assertEqual(client.dropped, 0)

    def test_a_callback_that_fails_ends_nothing(self):
        def broken(dropped):
            raise RuntimeError("no")
        client = self.serve((400, {}), on_dropped=broken)
        with self.assertLogs("sextant_client", "ERROR"):
            client.score(RECOMMENDATION_ID, 1.0)
            client.score(RECOMMENDATION_ID, 0.5)
            self.assertEqual(len(self.told()), 2)
        self.assertEqual(client.dropped, 2)

    def test_a_closed_client_has_no_thread_and_begins_anew_when_it_is_used(self):
        client = self.serve(None)
        client.score(RECOMMENDATION_ID, 1.0)
        thread = client._reports._thread
        self.assertTrue(client.close(10))
        thread.join(10)
        self.assertFalse(thread.is_alive())
        client.score(RECOMMENDATION_ID, 0.5)
        self.assertEqual(len(self.told()), 2)


class Ending(unittest.TestCase):
    """Programs of their own, which end after a report."""

    def end(self, url, flush_s):
        program = (
            "import sys; sys.path.insert(0, sys.argv[1])\n"
            "from sextant_client import Sextant\n"
            "s = Sextant(sys.argv[2], sys.argv[3], ['m'], 'm', proxies={}, exit_flush_s=float(sys.argv[4]))\n"
            "s.score('id', 1.0, model_id='m')\n"
        )
        done = subprocess.run([sys.executable, "-c", program, PACKAGE, url, KEY, str(flush_s)], timeout=30,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_end_of_a_program_waits_for_its_reports(self):
        service = FakeService(answering())
        self.addCleanup(service.close)
        self.end(service.url, 20)
        self.assertEqual(len(service.bodies("/v1/feedback")), 1)

    def test_a_service_that_says_nothing_holds_the_end_of_a_program_no_longer_than_it_allows(self):
        # The subprocess is given 30 s; the server would take for ever.
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.end(f"http://127.0.0.1:{listener.getsockname()[1]}", 0.2)

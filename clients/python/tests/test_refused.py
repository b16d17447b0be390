"""Reports and questions that the service refuses for a time, by the key or by a limit."""

import logging
import time
import unittest
from unittest import mock

from sextant_client import _log, _reports

from .fakes import KEY, RECOMMENDATION_ID, FakeService, RawServer, Switch, advice, client_of, dead_url


class Turns(unittest.TestCase):
    """The turns in which the clients of a process try a refused key, by a clock of the test's own."""

    def test_one_try_a_minute_is_made_by_the_whole_process_and_each_client_has_its_turn(self):
        tries, clients, taken = _reports.KeyTries(), ["a", "b", "c"], []
        for now in range(1_000):
            for client in clients:
                tries.join(client, now)
                if tries.take(client, now):
                    taken.append((now, client))
        self.assertEqual(taken, [(60 * i, clients[(i - 1) % 3]) for i in range(1, 17)])

    def test_a_try_is_due_a_minute_after_the_last_one_also_when_nobody_waited_meanwhile(self):
        tries = _reports.KeyTries()
        tries.join("a", 0)
        self.assertEqual((tries.take("a", 59), tries.wait_s("a", 59), tries.take("a", 60)), (False, 1, True))
        tries.join("a", 61)
        self.assertFalse(tries.take("a", 120))
        self.assertTrue(tries.take("a", 121))

    def test_a_client_that_leaves_holds_up_nobody(self):
        tries = _reports.KeyTries()
        for client in ("a", "b"):
            tries.join(client, 0)
        self.assertEqual(tries.wait_s("b", 0), 120)
        tries.leave("a")
        tries.leave("a")
        self.assertEqual((tries.wait_s("b", 0), tries.take("b", 60)), (60, True))


class Reporting(unittest.TestCase):
    def setUp(self):
        # The turns of the process that runs the tests, and no other test's.
        self.patch("_key_tries", _reports.KeyTries())

    def patch(self, name, value):
        patched = mock.patch.object(_reports, name, value)
        patched.start()
        self.addCleanup(patched.stop)

    def serve(self, feedback, **options):
        self.switch = Switch(None, feedback)
        self.service = FakeService(self.switch)
        self.addCleanup(self.service.close)
        self.client = client_of(self.service.url, warn=False, **options)
        self.addCleanup(self.client.close, 0)
        return self.client

    def sent(self):
        return len(self.service.bodies("/v1/feedback"))

    def wait_for(self, condition):
        until = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)

    def test_reports_are_kept_while_the_key_is_refused_and_none_is_sent_before_a_minute(self):
        client = self.serve((401, {}))
        for quality in (0.1, 0.2, 0.3):
            self.assertTrue(client.score(RECOMMENDATION_ID, quality))
        self.wait_for(lambda: client._reports._is_key_refused)
        self.assertTrue(client.score(RECOMMENDATION_ID, 0.4))
        self.assertFalse(client.flush(20))
        self.assertEqual((self.sent(), client.pending, client.dropped), (1, 4, 0))

    def test_a_try_that_is_accepted_lets_all_go_in_their_order(self):
        self.patch("_KEY_RETRY_S", 0.1)
        client = self.serve((401, {}))
        for quality in (0.1, 0.2, 0.3):
            client.score(RECOMMENDATION_ID, quality)
        self.wait_for(lambda: self.sent() >= 3)
        self.assertEqual({body["quality_score"] for body in self.service.bodies("/v1/feedback")}, {0.1})
        self.switch.set()
        self.wait_for(lambda: client.pending == 0)
        self.assertEqual([body["quality_score"] for body in self.service.bodies("/v1/feedback")][-3:], [0.1, 0.2, 0.3])
        self.assertEqual(client.dropped, 0)

    def test_reports_go_at_once_when_a_question_was_answered_whose_key_was_the_same(self):
        client = self.serve((401, {}))
        client.score(RECOMMENDATION_ID, 0.5)
        self.wait_for(lambda: client._reports._is_key_refused)
        self.switch.set()
        self.assertEqual(client.choose("x").source, "service")
        self.assertTrue(client.flush(20))
        self.assertEqual((self.sent(), client.dropped), (2, 0))

    def test_a_report_stays_where_the_service_is_out_at_its_turn(self):
        self.patch("_KEY_RETRY_S", 0.1)
        client = self.serve((401, {}))
        client.score(RECOMMENDATION_ID, 0.5)
        self.wait_for(lambda: self.sent() >= 2)
        self.switch.set(None, (503, {}))
        before = self.sent()
        self.wait_for(lambda: self.sent() > before + 3)
        self.assertEqual((client.pending, client.dropped), (1, 0))
        self.switch.set()
        self.wait_for(lambda: client.pending == 0)
        self.assertEqual(client.dropped, 0)

    def test_no_more_reports_wait_than_the_queue_holds(self):
        client = self.serve((401, {}), queue_max=2)
        self.assertEqual([client.score(RECOMMENDATION_ID, i / 10) for i in range(4)], [True, True, False, False])
        self.wait_for(lambda: client._reports._is_key_refused)
        self.assertFalse(client.score(RECOMMENDATION_ID, 1.0))
        self.assertEqual((client.pending, client.dropped), (2, 3))

    def test_a_closed_client_ends_its_thread_and_begins_anew_with_what_waited(self):
        client = self.serve((401, {}))
        client.score(RECOMMENDATION_ID, 0.1)
        self.wait_for(lambda: client._reports._is_key_refused)
        thread = client._reports._thread
        self.assertFalse(client.close(20))
        thread.join(20)
        self.assertFalse(thread.is_alive())
        self.switch.set()
        client.score(RECOMMENDATION_ID, 0.2)
        client.choose("x")
        self.assertTrue(client.flush(20))
        self.assertEqual(self.sent(), 3)

    def test_a_report_that_a_limit_refuses_waits_as_long_as_it_is_asked_to_and_a_minute_at_most(self):
        for header, wait_s in (("20", 20), ("86400", 60), ("", 0.1)):
            answers = [(429, {}, {"retry-after": header}), (200, {"accepted": True})]
            service = FakeService(lambda path, body, answers=answers: answers.pop(0))
            self.addCleanup(service.close)
            client = client_of(service.url)
            self.addCleanup(client.close, 0)
            with mock.patch("sextant_client._reports.time.sleep") as slept:
                client.score(RECOMMENDATION_ID, 1.0)
                self.assertTrue(client.flush(20))
            self.assertEqual([call.args for call in slept.call_args_list], [(wait_s,)])
            self.assertEqual(client.dropped, 0)

    def test_a_report_that_a_limit_refuses_three_times_is_lost(self):
        client = self.serve((429, {}))
        client.score(RECOMMENDATION_ID, 1.0)
        self.assertTrue(client.flush(20))
        self.assertEqual((self.sent(), client.dropped, client.losses[0].reason), (3, 1, "refused"))


class Asking(unittest.TestCase):
    def test_a_client_whose_key_is_refused_pauses_so_that_its_address_is_not_blocked_for_all(self):
        service = FakeService(Switch((401, {})))
        self.addCleanup(service.close)
        client = client_of(service.url)
        self.addCleanup(client.close, 0)
        for _ in range(50):
            client.choose("x")
        self.assertEqual(len(service.requests), 3)
        self.assertEqual({reason for reason, _ in client.defaults}, {"refused", "paused"})


class Telling(unittest.TestCase):
    """What the log has, once per process and reason."""

    def setUp(self):
        patched = mock.patch.dict(_log._told, clear=True)
        patched.start()
        self.addCleanup(patched.stop)

    def client(self, url, **options):
        client = client_of(url, **{"on_default": None, "on_dropped": None, **options})
        self.addCleanup(client.close, 0)
        return client

    def serve(self, *args):
        service = FakeService(Switch(*args))
        self.addCleanup(service.close)
        return service

    def test_each_reason_is_said_once_by_all_clients_of_a_process(self):
        service = self.serve((401, {}), (400, {}))
        with self.assertLogs("sextant_client", "WARNING") as logs:
            for _ in range(3):
                client = self.client(service.url)
                for _ in range(5):
                    client.choose("x")
                client.score(RECOMMENDATION_ID, 1.0)
                client.flush(20)
            self.client(dead_url()).choose("x")
        said = [record.getMessage() for record in logs.records]
        self.assertEqual(len(said), 4, said)
        for words in ("gpt-4o runs by default (refused): Refused: HTTP 401", "(paused)", "a report was lost (refused)",
                      "(unreachable)"):
            self.assertEqual(len([each for each in said if words in each]), 1, said)

    def test_nothing_is_said_by_a_client_that_is_told_not_to_or_has_callbacks(self):
        service = self.serve(advice(warnings=["unknown_field:x"]), (401, {}))
        callbacks = {"on_default": lambda *_: None, "on_dropped": lambda _: None}
        with mock.patch.object(_log.logger, "warning") as warning:
            for url, options in ((service.url, {"warn": False}), (dead_url(), {"warn": False}), (dead_url(), callbacks)):
                client = self.client(url, **options)
                client.choose("x", incumbent_model_id=None if options is callbacks else "x" * 300)
                client.score(RECOMMENDATION_ID, 2.0)
                client.flush(20)
        warning.assert_not_called()

    def test_fields_that_the_service_ignored_are_said_once_each(self):
        warnings = ["unknown_field:slider", "cold_start", "unknown_field:task.tag", 7, None]
        service = self.serve(advice(warnings=warnings), {"accepted": True, "warnings": ["unknown_field:costUsd"]})
        with self.assertLogs("sextant_client", "WARNING") as logs:
            client = self.client(service.url)
            for _ in range(3):
                client.choose("x", slider=1)
                client.score(RECOMMENDATION_ID, 1.0)
            client.flush(20)
        self.assertEqual(sorted(record.args[0] for record in logs.records), ["unknown_field:costUsd", "unknown_field:slider", "unknown_field:task.tag"])

    def test_a_service_that_names_ever_new_fields_fills_neither_the_log_nor_the_memory(self):
        counts = iter(range(10_000))
        service = FakeService(lambda path, body: (200, advice(warnings=[f"unknown_field:{next(counts)}{'x' * 9_999}"] * 3)))
        self.addCleanup(service.close)
        client = self.client(service.url)
        with mock.patch.object(_log, "_TOLD_MAX", 5), self.assertLogs("sextant_client", "WARNING") as logs:
            for _ in range(20):
                client.choose("x")
        self.assertEqual((len(logs.records), len(_log._told)), (5, 5))
        self.assertLess(max(len(record.getMessage()) for record in logs.records), 400)


class Keys(unittest.TestCase):
    """Answers that repeat the request, as some proxies and debuggers do."""

    def texts(self, url):
        records = []
        handler = logging.Handler()
        handler.emit = records.append
        logging.getLogger("sextant_client").addHandler(handler)
        self.addCleanup(logging.getLogger("sextant_client").removeHandler, handler)
        client = client_of(url)
        self.addCleanup(client.close, 0)
        choice = client.choose("x")
        client.score(RECOMMENDATION_ID, 1.0)
        client.flush(20)
        return repr((choice.detail, client.defaults, client.losses, [record.getMessage() for record in records]))

    def test_a_refusal_that_repeats_the_header_never_puts_the_key_or_a_part_of_it_into_words(self):
        for status in (400, 401, 403, 500):
            for before in (0, 1, 100, 180, 190, 199):
                service = FakeService(Switch((status, b"x" * before + f"Bearer {KEY}".encode()),
                                             (status, b"x" * before + f"Bearer {KEY}".encode())))
                self.addCleanup(service.close)
                self.assertNotIn(KEY[:8], self.texts(service.url), (status, before))

    def test_a_server_that_answers_with_the_request_itself_gets_no_key_into_words(self):
        def echo_first(connection):
            data = connection.recv(100_000)
            connection.sendall(data[data.index(b"Bearer"):])

        def echo_status(connection):
            data = connection.recv(100_000)
            connection.sendall(b"HTTP/1.1 " + data[data.index(b"Bearer"):])
        for serve in (echo_first, echo_status):
            server = RawServer(serve)
            self.addCleanup(server.close)
            self.assertNotIn(KEY[:8], self.texts(server.url))

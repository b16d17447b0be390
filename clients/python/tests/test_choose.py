"""What `choose` names, sends and survives."""

import gzip
import os
import socket
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from sextant_client import Sextant

from .fakes import KEY, MODELS, FakeService, RawServer, advice, answering, client_of, dead_url


class Construction(unittest.TestCase):
    def test_a_client_needs_a_default_model_that_is_one_of_its_models(self):
        with self.assertRaises(TypeError):
            Sextant("http://localhost", KEY, MODELS)
        for models, default in ((MODELS, "gpt-5"), (MODELS, None), ([], ""), ("gpt-4o", "g"), ({}, "gpt-4o"),
                                ([1], 1), ([""], ""), (["gpt-4o", None], "gpt-4o")):
            with self.assertRaises(ValueError):
                Sextant("http://localhost", KEY, models, default)

    def test_a_client_refuses_a_url_and_a_key_that_no_request_could_be_made_of(self):
        for url, key in (
            ("localhost:8080", KEY), ("ftp://localhost", KEY), ("http://", KEY), ("http://a b", KEY),
            ("http://u:p@localhost", KEY), ("http://localhost?a=1", KEY), ("http://localhost:99999", KEY),
            ("http://localhost/\r\nx: y", KEY),
            ("http://localhost", ""), ("http://localhost", "a\r\nx: y"), ("http://localhost", "ä"),
        ):
            with self.assertRaises(ValueError, msg=f"{url!r} {key!r}"):
                Sextant(url, key, MODELS, "gpt-4o")

    def test_a_client_runs_the_new_model_where_the_program_names_the_one_that_it_stands_for(self):
        service = FakeService(answering(advice("gpt-5.1-mini")))
        self.addCleanup(service.close)
        aliases = {"gpt-4o": "gpt-5.1-mini", "older": "gpt-4o"}
        client = Sextant(service.url, KEY, ["gpt-4o", "gpt-4o-mini"], "gpt-4o", aliases=aliases)
        self.addCleanup(client.close, 1)
        self.assertEqual((client.models, client.default_model_id), (("gpt-5.1-mini", "gpt-4o-mini"), "gpt-5.1-mini"))
        self.assertEqual(client.choose("Sum a list", models=["gpt-4o"]).model_id, "gpt-5.1-mini")
        asked = next(body for path, body in service.requests if path.endswith("/v1/recommend"))
        self.assertEqual(asked["constraints"]["candidate_models"], ["gpt-5.1-mini"])
        self.assertEqual(asked["baseline_model_id"], "gpt-5.1-mini")
        self.assertEqual(Sextant(service.url, KEY, ["older"], "older", aliases=aliases).models, ("gpt-4o",))
        with self.assertRaises(ValueError):
            Sextant(service.url, KEY, MODELS, "gpt-4o", aliases={"gpt-4o": ""})

    def test_a_client_refuses_numbers_outside_their_ranges(self):
        for name, value in (("deadline_ms", 0), ("cooldown_s", -1), ("queue_max", 0), ("exit_flush_s", -1),
                            ("deadline_ms", float("nan"))):
            with self.assertRaises(ValueError, msg=name):
                client_of("http://localhost", **{name: value})


class Choosing(unittest.TestCase):
    def serve(self, *args, **options):
        service = FakeService(answering(*args))
        self.addCleanup(service.close)
        client = client_of(service.url, **options)
        self.addCleanup(client.close, 1)
        return service, client

    def test_the_service_names_the_model(self):
        service, client = self.serve()
        choice = client.choose("Fix the failing test")
        self.assertEqual((choice.model_id, choice.source, choice.reason, choice.detail),
                         ("claude-sonnet-4-5", "service", None, ""))
        self.assertEqual(client.defaults, [])
        path, body = service.requests[0]
        self.assertEqual(path, "/v1/recommend")
        self.assertEqual(body["task"], {"task": "Fix the failing test"})
        self.assertEqual(body["constraints"], {"candidate_models": MODELS})
        self.assertEqual(body["baseline_model_id"], "gpt-4o")
        self.assertNotIn("shadow", body)
        self.assertEqual(service.headers[0]["authorization"], f"Bearer {KEY}")

    def test_a_path_in_the_url_of_the_service_stands_before_the_endpoint(self):
        service, _ = self.serve()
        for url in (f"{service.url}/sextant/", f"{service.url}/sextant/v1"):
            client = client_of(url)
            self.addCleanup(client.close, 0)
            client.choose("x")
        self.assertEqual([path for path, _ in service.requests], ["/sextant/v1/recommend"] * 2)

    def test_the_answers_spelling_of_the_request_is_the_model(self):
        model = {"model_id": "claude-sonnet-4-5", "requested_model_id": "anthropic/claude-sonnet-4.5"}
        _, client = self.serve(advice(recommended_model=model), models=["anthropic/claude-sonnet-4.5", "gpt-4o"])
        self.assertEqual(client.choose("x").model_id, "anthropic/claude-sonnet-4.5")

    def test_further_fields_and_constraints_are_sent_as_they_are_on_the_wire(self):
        service, client = self.serve(namespace="checkout", cost_quality_tradeoff=2)
        task = {"task": "x", "task_type": "code", "tags": ["lang:python"]}
        client.choose(task, models=["gpt-4o"], constraints={"min_quality": 0.5}, user_id="ann", namespace="other")
        body = service.requests[0][1]
        self.assertEqual(body["task"], task)
        self.assertEqual(body["constraints"], {"candidate_models": ["gpt-4o"], "min_quality": 0.5})
        self.assertEqual((body["user_id"], body["namespace"], body["cost_quality_tradeoff"]), ("ann", "other", 2))

    def test_a_long_task_is_sent_with_its_beginning_and_its_end(self):
        service, client = self.serve()
        client.choose("a" * 500_000 + "😀" * 500_000)
        sent = service.requests[0][1]["task"]["task"]
        self.assertEqual(sent, "a" * 6_000 + "\n" + "😀" * 2_000)

    def test_a_task_with_half_of_a_surrogate_pair_is_sent_without_it(self):
        service, client = self.serve()
        self.assertEqual(client.choose("a\ud800b").source, "service")
        self.assertEqual(service.requests[0][1]["task"]["task"], "a?b")

    def test_shadow_asks_marks_and_runs_the_default_without_calling_it_a_failure(self):
        service, client = self.serve(shadow=True)
        choice = client.choose("x")
        self.assertEqual((choice.model_id, choice.source, choice.reason), ("gpt-4o", "default", "shadow"))
        self.assertIs(service.requests[0][1]["shadow"], True)
        self.assertEqual(client.defaults, [])
        self.assertIsNotNone(choice.recommendation_id)

    def test_one_question_cannot_be_in_shadow_alone_since_its_pick_would_run_all_the_same(self):
        service, client = self.serve()
        self.assertEqual(client.choose("x", shadow=True).source, "service")
        self.assertNotIn("shadow", service.requests[0][1])

    def test_a_conversation_sends_the_model_that_ran_as_incumbent_and_other_conversations_do_not(self):
        service, client = self.serve()
        client.choose("x", conversation_id="a").begin("gemini-2.5-pro")
        client.choose("x", conversation_id="a")
        client.choose("x", conversation_id="b")
        client.choose("x")
        self.assertEqual([body.get("incumbent_model_id") for body in service.bodies("/v1/recommend")],
                         [None, "gemini-2.5-pro", None, None])

    def test_an_incumbent_that_is_no_id_for_the_service_costs_neither_the_advice_nor_the_pause(self):
        service, client = self.serve(warn=False)
        fit = "m" * 256, "😀" * 128
        for named in (*fit, "m" * 257, "😀" * 129, "", "a\0b", "a\ud800", 7, ["m"]):
            self.assertEqual(client.choose("x", incumbent_model_id=named).source, "service")
            if isinstance(named, str):
                client.choose("x", conversation_id="c").begin(named)
                self.assertEqual(client.choose("x", conversation_id="c").source, "service")
        sent = {body.get("incumbent_model_id") for body in service.bodies("/v1/recommend")}
        self.assertEqual(sent - {None, "gpt-4o", "claude-sonnet-4-5"}, set(fit))

    def test_an_infinite_deadline_waits_as_long_as_it_takes(self):
        def slowly(path, body):
            time.sleep(0.2)
            return 200, advice()
        service = FakeService(slowly)
        self.addCleanup(service.close)
        for options in ({"deadline_ms": float("inf")}, {"deadline_ms": 1e300}):
            client = client_of(service.url, **options)
            self.addCleanup(client.close, 0)
            self.assertEqual(client.choose("x").source, "service")
        self.assertEqual(client_of(service.url).choose("x", deadline_ms=float("inf")).source, "service")

    def test_a_question_without_time_is_not_asked_and_says_nothing_of_the_service(self):
        service, client = self.serve()
        for deadline_ms, reason in ((0, "timeout"), (-1, "timeout"), (-1e300, "timeout"), (float("-inf"), "timeout"),
                                    (float("nan"), "invalid_request"), ("soon", "invalid_request")):
            for _ in range(4):
                self.assertEqual(client.choose("x", deadline_ms=deadline_ms).reason, reason)
        self.assertEqual(service.requests, [])
        self.assertEqual(client.choose("x").source, "service")

    def test_ten_thousand_conversations_are_remembered_and_the_oldest_is_forgotten(self):
        _, client = self.serve()
        for i in range(10_001):
            client._shared.began("gpt-4o", None, str(i))
        self.assertIsNone(client._shared.conversations.get("0"))
        self.assertEqual(client._shared.conversations.get("1"), "gpt-4o")

    def test_questions_one_after_another_share_one_connection(self):
        service, client = self.serve()
        for _ in range(20):
            self.assertEqual(client.choose("x").source, "service")
        self.assertEqual(service.connections, 1)

    def test_threads_ask_at_once_and_each_gets_its_own_answer(self):
        def answer(path, body):
            return 200, advice(recommendation_id=body["task"]["task"])
        service = FakeService(answer)
        self.addCleanup(service.close)
        client = client_of(service.url)
        self.addCleanup(client.close, 0)
        with ThreadPoolExecutor(16) as pool:
            ids = list(pool.map(lambda i: client.choose(str(i)).recommendation_id, range(200)))
        self.assertEqual(ids, [str(i) for i in range(200)])
        self.assertLessEqual(service.connections, 16 * 2)


class Failing(unittest.TestCase):
    """Every failure names the default, says why, calls back once, and is tried once."""

    def expect_default(self, url, reason, **options):
        client = client_of(url, **options)
        self.addCleanup(client.close, 0)
        choice = client.choose("x")
        self.assertEqual((choice.model_id, choice.source, choice.reason), ("gpt-4o", "default", reason), choice.detail)
        self.assertNotEqual(choice.detail, "")
        self.assertEqual(client.defaults, [(reason, choice.detail)])
        return client, choice

    def expect_of_answer(self, answer, reason):
        service = FakeService(answering(answer))
        self.addCleanup(service.close)
        _, choice = self.expect_default(service.url, reason)
        self.assertEqual(len(service.requests), 1)
        return choice

    def expect_of_bytes(self, reason, serve, **options):
        server = RawServer(serve)
        self.addCleanup(server.close)
        self.expect_default(server.url, reason, **options)
        self.assertEqual(server.connections, 1)

    def test_a_service_that_is_down(self):
        self.expect_default(dead_url(), "unreachable")

    def test_a_name_that_cannot_exist(self):
        for host in ("a" * 70 + ".example", "a..b"):
            self.expect_default(f"http://{host}", "unreachable")
            self.expect_default("http://127.0.0.1", "unreachable", proxies={"http": f"http://{host}"})

    def test_words_of_a_server_are_one_line_without_control_characters(self):
        for answer in ((400, b"\x1b[31m\r\nWARNING forged \x00\xe2\x80\xae"), (200, advice("x\n\ud800\u202e"))):
            detail = self.expect_of_answer(answer, "refused" if answer[0] == 400 else "unknown_model").detail
            self.assertTrue(detail.isprintable(), repr(detail))

    def test_a_name_that_does_not_exist(self):
        with mock.patch("socket.getaddrinfo", side_effect=socket.gaierror(-2, "Name or service not known")):
            self.expect_default("http://service.invalid", "unreachable")

    def test_every_status_but_2xx_redirects_included(self):
        for status in (301, 307, 400, 401, 403, 404, 408, 422, 429, 500, 502, 503, 504):
            self.expect_of_answer((status, {"title": "no"}), "refused")

    def test_answers_that_are_no_recommendation(self):
        model = {"model_id": "gpt-4o"}
        for answer in (b"", b"{", b"null", b"[]", b"\xff\xfe", b"[" * 100_000, {}, {"recommendation_id": "1"},
                       advice(recommendation_id=7), advice(recommendation_id=""), advice(recommended_model=None), advice(ranked={}),
                       advice(ranked=[{}]), advice(fallback_model=[]), advice(fallback_model={"model_id": 1}),
                       advice(recommended_model={**model, "requested_model_id": ["x"]}),
                       advice(ranked=[{**model, "predicted_success": "high"}]),
                       advice(ranked=[{**model, "provider": {}}])):
            self.expect_of_answer((200, answer), "invalid_answer")

    def test_a_model_that_is_not_the_programs(self):
        choice = self.expect_of_answer(advice("o9-ultra"), "unknown_model")
        self.assertIsNotNone(choice.recommendation_id)

    def test_a_task_or_an_option_that_cannot_be_sent(self):
        class Hostile:
            def __iter__(self):
                raise RuntimeError("no")
            def __str__(self):
                raise RuntimeError("no")
        service = FakeService(answering())
        self.addCleanup(service.close)
        client = client_of(service.url)
        self.addCleanup(client.close, 0)
        for task, options in ((None, {}), (7, {}), (b"x", {}), ({}, {}), (Hostile(), {}), ({"task": Hostile()}, {}),
                              ("x", {"models": 7}), ("x", {"constraints": 7}), ("x", {"deadline_ms": "soon"}),
                              ("x", {"conversation_id": Hostile()}), ("x", {"user_id": Hostile()}),
                              ("x", {"cost_quality_tradeoff": float("nan")}), ("x", {"user_id": {1, 2}})):
            choice = client.choose(task, **options)
            self.assertEqual((choice.model_id, choice.reason), ("gpt-4o", "invalid_request"), (task.__class__, options))
        self.assertEqual(service.requests, [])
        self.assertEqual(client.choose("x").source, "service")

    def test_a_callback_that_fails(self):
        def broken(reason, detail):
            raise RuntimeError("no")
        client = client_of(dead_url(), on_default=broken)
        self.addCleanup(client.close, 0)
        with self.assertLogs("sextant_client", "ERROR"):
            self.assertEqual(client.choose("x").model_id, "gpt-4o")

    def test_a_server_that_accepts_and_says_nothing(self):
        self.expect_of_bytes("timeout", lambda connection: time.sleep(30), deadline_ms=100)

    def test_a_listener_that_never_accepts(self):
        with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
            self.expect_default(f"http://127.0.0.1:{listener.getsockname()[1]}", "timeout", deadline_ms=100)

    def drip(self, beginning, drop):
        """Serves a beginning, and then drops for as long as the client reads, up to 2,000 of them."""
        sent = []
        ended = threading.Event()

        def serve(connection):
            try:
                connection.sendall(beginning)
                for _ in range(2_000):
                    connection.sendall(drop)
                    sent.append(drop)
                    time.sleep(0.01)
            finally:
                ended.set()
        self.expect_of_bytes("timeout", serve, deadline_ms=200)
        self.assertTrue(ended.wait(10), "the connection was not closed")
        self.assertLess(len(sent), 1_000)

    def test_a_server_that_drips_its_headers(self):
        self.drip(b"HTTP/1.1 200 OK\r\n", b"a")

    def test_a_server_that_drips_its_body(self):
        self.drip(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n", b" ")

    def test_a_server_that_drips_its_chunks(self):
        self.drip(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\n \r\n")

    def test_a_server_that_drips_trailers(self):
        self.drip(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", b"a: b\r\n")

    def test_a_server_that_says_continue_for_ever(self):
        self.drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n")

    def test_a_server_that_does_not_read_what_is_sent(self):
        def serve(connection):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            time.sleep(30)
        server = RawServer(serve)
        self.addCleanup(server.close)
        client = client_of(server.url, deadline_ms=300)
        self.addCleanup(client.close, 0)
        self.assertEqual(client.choose("x", user_id="u" * 30_000_000).reason, "timeout")

    def test_servers_that_do_not_speak_http(self):
        for said, reason in ((b"", "unreachable"), (b"SSH-2.0-x\r\n", "invalid_answer"),
                             (b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 1_000 + b"\r\n", "invalid_answer"),
                             (b"HTTP/1.1 200 OK\r\na: " + b"b" * 100_000, "invalid_answer"),
                             (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "invalid_answer"),
                             (b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{", "invalid_answer"),
                             (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-5\r\nabc\r\n", "invalid_answer"),
                             (b"HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n{}", "invalid_answer"),
                             (b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n" + gzip.compress(b" " * 10**7), "invalid_answer"),
                             (b"HTTP/1.1 abc OK\r\n\r\n", "invalid_answer")):
            def serve(connection, said=said):
                connection.recv(100_000)
                connection.sendall(said)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(100_000)
            self.expect_of_bytes(reason, serve)

    def test_an_answer_without_end_is_not_read_to_it(self):
        sent = []

        def serve(connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            for _ in range(2_000):
                connection.sendall(b" " * 100_000)
                sent.append(1)
        self.expect_of_bytes("invalid_answer", serve)
        self.assertLess(len(sent), 1_000)

    def test_tls_towards_a_server_without_it(self):
        service = FakeService(answering())
        self.addCleanup(service.close)
        self.expect_default(service.url.replace("http:", "https:"), "unreachable")

    def test_after_three_failures_in_a_row_the_service_is_not_asked_for_a_moment(self):
        service = FakeService(answering((500, {})))
        self.addCleanup(service.close)
        client = client_of(service.url)
        self.addCleanup(client.close, 0)
        reasons = [client.choose("x").reason for _ in range(6)]
        self.assertEqual(reasons, ["refused"] * 3 + ["paused"] * 3)
        self.assertEqual(len(service.requests), 3)
        # The moment is over.
        client._asking._pause._until = time.monotonic()
        self.assertEqual(client.choose("x").reason, "refused")
        self.assertEqual(client.choose("x").reason, "paused")

    def test_after_a_429_the_service_is_not_asked_for_as_long_as_it_says(self):
        for said, pause_s in ((None, 1), (b"7", 7), (b"0", 1), (b"99999", 60), (b"soon", 1)):
            head = b"" if said is None else b"retry-after: %b\r\n" % said
            server = RawServer(lambda connection, head=head: connection.recv(100_000) and connection.sendall(
                b"HTTP/1.1 429 Too Many Requests\r\n%bcontent-length: 0\r\n\r\n" % head))
            self.addCleanup(server.close)
            client = client_of(server.url)
            before = time.monotonic()
            self.assertEqual([client.choose("x").reason for _ in range(2)], ["refused", "paused"])
            until = client._asking._pause._until
            self.assertTrue(before + pause_s <= until <= time.monotonic() + pause_s, said)

    def test_refusals_of_single_requests_pause_nothing(self):
        service = FakeService(answering((422, {})))
        self.addCleanup(service.close)
        client = client_of(service.url)
        self.addCleanup(client.close, 0)
        self.assertEqual([client.choose("x").reason for _ in range(6)], ["refused"] * 6)

    def test_a_connection_that_the_server_closed_meanwhile_is_not_used_again(self):
        def serve(connection):
            connection.recv(100_000)
            body = b'{"recommendation_id": "1", "recommended_model": {"model_id": "gemini-2.5-pro"}, "ranked": []}'
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))
        server = RawServer(serve)
        self.addCleanup(server.close)
        client = client_of(server.url)
        self.addCleanup(client.close, 0)
        for _ in range(3):
            self.assertEqual(client.choose("x").model_id, "gemini-2.5-pro")
            idle = client._transport._idle
            while idle and idle[0].is_usable(time.monotonic()):
                time.sleep(0.001)
        self.assertEqual(server.connections, 3)
        self.assertEqual(client.defaults, [])

    def test_an_answer_that_comes_too_late_is_not_taken_for_the_next_one(self):
        def answer(path, body):
            if body["task"]["task"] == "slow":
                time.sleep(0.5)
            return 200, advice(recommendation_id=body["task"]["task"])
        service = FakeService(answer)
        self.addCleanup(service.close)
        client = client_of(service.url)
        self.addCleanup(client.close, 0)
        client.choose("first")
        self.assertEqual(client.choose("slow", deadline_ms=50).reason, "timeout")
        self.assertEqual(client.choose("next").recommendation_id, "next")


@unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
class Forking(unittest.TestCase):
    def test_a_forked_process_has_connections_and_reports_of_its_own(self):
        service = FakeService(answering())
        self.addCleanup(service.close)
        client = client_of(service.url)
        self.addCleanup(client.close, 0)
        client.choose("x")
        held = [client._reports._changed, client._transport._lock]
        for lock in held:
            lock.acquire()
        child = os.fork()
        if child == 0:
            choice = client.choose("y")
            is_fine = choice.source == "service" and choice.score(1.0) and client.flush(5)
            os._exit(0 if is_fine else 1)
        for lock in held:
            lock.release()
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(client.choose("z").source, "service")
        self.assertEqual(service.connections, 2 + 0)

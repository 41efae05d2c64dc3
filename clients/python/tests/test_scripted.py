"""The client against a coordinator that says exactly what a test wants, at the moment that the test wants."""

from __future__ import annotations

import asyncio
import json
import unittest
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

from tintype import Cache, ErrorName, Fetch, Gap, Progress, Rendered, Started, Succeeded, Tintype, TintypeError

RESULT: dict[str, Any] = {
    "receipt": "r", "from": "memory", "state": "succeeded", "source": {"url": "u", "finalURL": "u", "bytes": 1}, "description": {},
    "renditions": [{"name": "default", "key": "k", "url": "/images/k", "contentType": "image/png", "bytes": 1, "width": 3}],
}


class Peer:
    """One connection of a client."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer

    def answer(self, message: dict[str, Any], result: Any) -> None:
        self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def fail(self, message: dict[str, Any], name: str, code: int, **data: Any) -> None:
        error = {"code": code, "message": name, "data": {"name": name, "phase": "admission", "retryable": True, "message": name, **data}}
        self.send({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def event(self, receipt: str, seq: int, type: str, **members: Any) -> None:
        params = {"receipt": receipt, "seq": seq, "type": type, "at": 0, "queue": "default", **members}
        self.send({"jsonrpc": "2.0", "method": "image.event", "params": params})

    def send(self, message: dict[str, Any]) -> None:
        self.writer.write(json.dumps(message).encode() + b"\n")

    def cut(self) -> None:
        self.writer.transport.abort()


Script = Callable[[Peer, dict[str, Any]], Awaitable[None] | None]


class ScriptedTests(unittest.IsolatedAsyncioTestCase):
    async def coordinator(self, script: Script, greets: bool = True) -> str:
        """Starts a coordinator that answers pings and authentication, and leaves the rest to the script."""
        messages: list[dict[str, Any]] = []
        peers: list[Peer] = []
        self.messages, self.peers = messages, peers

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            peer = Peer(writer)
            peers.append(peer)
            try:
                while line := await reader.readline():
                    message = json.loads(line)
                    messages.append(message)
                    if greets and message["method"] in ("system.ping", "session.authenticate"):
                        peer.answer(message, "pong")
                    else:
                        waiting = script(peer, message)
                        if waiting is not None:
                            await waiting
            except ConnectionError:
                pass

        server = await asyncio.start_server(accept, "127.0.0.1", 0, limit=1 << 26)

        def hang_up() -> None:
            for peer in peers:
                peer.cut()

        self.addCleanup(hang_up)
        self.addCleanup(server.close)
        return f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}"

    def asked(self, method: str) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["method"] == method]

    async def eventually(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                await asyncio.sleep(0.002)

    async def test_overloaded_waits_as_long_as_it_is_told(self) -> None:
        times: list[float] = []

        def script(peer: Peer, message: dict[str, Any]) -> None:
            times.append(asyncio.get_running_loop().time())
            if len(times) < 3:
                peer.fail(message, "overloaded", 1050, retryAfter=0.1)
            else:
                peer.answer(message, RESULT)

        async with Tintype(await self.coordinator(script)) as tintype:
            self.assertEqual((await tintype.load("http://h/")).width, 3)
        self.assertEqual(len(times), 3)
        self.assertTrue(all(later - earlier >= 0.1 for earlier, later in zip(times, times[1:])))

    async def test_overloaded_beyond_the_deadline_is_an_error_at_once(self) -> None:
        async with Tintype(await self.coordinator(lambda peer, message: peer.fail(message, "overloaded", 1050, retryAfter=1000))) as tintype:
            with self.assertRaises(TintypeError) as caught:
                await tintype.load("http://h/", deadline=1)
        self.assertEqual((caught.exception.name, caught.exception.retry_after), (ErrorName.OVERLOADED, 1000))

    async def test_other_errors_are_not_repeated(self) -> None:
        async with Tintype(await self.coordinator(lambda peer, message: peer.fail(message, "timeout", 1016))) as tintype:
            with self.assertRaises(TintypeError):
                await tintype.load("http://h/")
        self.assertEqual(len(self.asked("image.load")), 1)

    async def test_a_lost_answer_is_asked_for_again_under_the_same_receipt(self) -> None:
        def script(peer: Peer, message: dict[str, Any]) -> None:
            if len(self.asked("image.submit")) < 3:
                peer.cut()
            else:
                peer.answer(message, {"receipt": message["params"]["receipt"], "state": "succeeded", "result": RESULT})

        async with Tintype(await self.coordinator(script)) as tintype:
            self.assertEqual((await tintype.submit("http://h/")).width, 3)
        self.assertEqual(len({json.dumps(message["params"]) for message in self.asked("image.submit")}), 1)
        self.assertEqual(len(self.asked("image.submit")), 3)

    async def test_events_around_a_lost_connection(self) -> None:
        def script(peer: Peer, message: dict[str, Any]) -> None:
            if message["method"] != "image.submit":
                return
            receipt = message["params"]["receipt"]
            peer.answer(message, {"receipt": receipt, "state": "queued"})
            rendition = {**RESULT["renditions"][0], "name": "a"}
            peer.event(receipt, 1, "started", attempt=1)
            peer.event(receipt, 2, "rendition", **rendition)
            if len(self.peers) == 1:
                peer.event(receipt, 3, "progress", phase="encode", fraction=0.5)
            else:
                peer.event(receipt, 9, "succeeded", result={**RESULT, "renditions": [rendition, {**rendition, "name": "b"}]})

        async with Tintype(await self.coordinator(script)) as tintype:
            seen: list[Any] = []
            task = tintype.submit("http://h/", progress=True)
            async for event in task:
                seen.append(event.name if isinstance(event, Rendered) else type(event))
                if isinstance(event, Progress):
                    self.peers[0].cut()
            # What the new connection tells again is left out, and the rendition that nobody told of comes before the end.
            self.assertEqual(seen, [Started, "a", Progress, Gap, "b", Succeeded])
            self.assertEqual(len((await task).renditions), 2)

    async def test_what_cannot_be_repeated_is_an_error(self) -> None:
        async with Tintype(await self.coordinator(lambda peer, message: peer.cut())) as tintype:
            with self.assertRaises(TintypeError) as caught:
                await tintype.methods.chain_append(group="g", steps=[])
        self.assertEqual(caught.exception.name, ErrorName.CONNECTION_LOST)
        self.assertEqual(len(self.asked("chain.append")), 1)

    async def test_a_silent_coordinator_is_left_for_another(self) -> None:
        silent = await self.coordinator(lambda peer, message: None, greets=False)
        asked = self.messages
        other = await self.coordinator(lambda peer, message: peer.answer(message, RESULT))
        async with Tintype(silent, other, connect_timeout=60, silence=2) as tintype:
            self.assertEqual((await tintype.load("http://h/")).width, 3)
            self.assertEqual(tintype.coordinator, other)
        self.assertNotIn("image.load", [message["method"] for message in asked])

    async def test_a_coordinator_that_falls_silent_is_left_with_its_calls(self) -> None:
        first = await self.coordinator(lambda peer, message: None)
        peers, asked = self.peers, self.messages
        other = await self.coordinator(lambda peer, message: peer.answer(message, RESULT))

        def fall_silent() -> None:
            for peer in peers:
                peer.answer = lambda message, result: None  # type: ignore[method-assign]

        async with Tintype(first, other, connect_timeout=60, silence=4) as tintype:
            fall_silent()
            # A busy machine has time for the first answer; from now on the silence is short.
            wire = tintype._connection._wire
            assert wire is not None
            wire._silence = 0.2
            self.assertEqual((await tintype.load("http://h/")).width, 3)
        self.assertIn("image.load", [message["method"] for message in asked])

    async def test_a_coordinator_that_stops_is_left_and_its_last_answers_are_taken(self) -> None:
        held: list[tuple[Peer, dict[str, Any]]] = []

        def stopping(peer: Peer, message: dict[str, Any]) -> None:
            if message["params"].get("url") == "http://held/":
                held.append((peer, message))
            else:
                peer.fail(message, "shuttingDown", 1053)

        first = await self.coordinator(stopping)
        other = await self.coordinator(lambda peer, message: peer.answer(message, RESULT))
        async with Tintype(first, other) as tintype:
            waiting = asyncio.create_task(tintype.load("http://held/"))
            await self.eventually(lambda: bool(held))
            self.assertEqual((await tintype.load("http://h/")).width, 3)
            self.assertEqual(tintype.coordinator, other)
            peer, message = held[0]
            peer.answer(message, {**RESULT, "from": "remote"})
            self.assertEqual((await waiting).origin, "remote")

    async def test_a_coordinator_without_room_is_tried_again_as_told(self) -> None:
        def script(peer: Peer, message: dict[str, Any]) -> None:
            if len(self.peers) < 3:
                error = {"code": 1050, "message": "full", "data": {"name": "overloaded", "retryAfter": 0.05}}
                peer.send({"jsonrpc": "2.0", "id": None, "error": error})
                peer.writer.close()
            else:
                peer.answer(message, RESULT)

        async with Tintype(await self.coordinator(script, greets=False)) as tintype:
            self.assertEqual((await tintype.load("http://h/")).width, 3)
        self.assertEqual(len(self.peers), 3)

    async def test_at_most_a_thousand_calls_are_under_way_and_cancels_do_not_wait(self) -> None:
        held: list[tuple[Peer, dict[str, Any]]] = []
        async with Tintype(await self.coordinator(lambda peer, message: held.append((peer, message)))) as tintype:
            loads = [asyncio.create_task(tintype.load(f"http://h/{number}")) for number in range(1500)]
            await self.eventually(lambda: len(held) == 1000)
            loads[0].cancel()
            # What comes later waits behind, also in the moment in which there is room.
            await asyncio.sleep(0)
            loads.append(asyncio.create_task(tintype.load("http://h/1500")))
            await self.eventually(lambda: len(self.asked("$/cancelRequest")) == 1)
            urgent = asyncio.create_task(tintype.methods.receipt_cancel(receipt="r"))
            await self.eventually(lambda: len(self.asked("receipt.cancel")) == 1)
            urgent.cancel()
            while len(self.asked("image.load")) < 1501 or held:
                unanswered = [message for _, message in held if message["method"] == "image.load"]
                self.assertLessEqual(len(unanswered), 1001)  # The cancelled one is not answered here.
                batch, held[:] = held[:100], held[100:]
                for peer, message in batch:
                    if message["method"] == "image.load":
                        peer.answer(message, RESULT)
                await asyncio.sleep(0.005)
            results = await asyncio.gather(*loads, return_exceptions=True)
        self.assertEqual(sum(isinstance(one, asyncio.CancelledError) for one in results), 1)
        urls = [message["params"]["url"] for message in self.asked("image.load")]
        self.assertEqual(urls, [f"http://h/{number}" for number in range(1501)])

    async def test_a_reader_that_is_slow_keeps_memory_bounded(self) -> None:
        def script(peer: Peer, message: dict[str, Any]) -> None:
            receipt = message["params"].get("receipt")
            if message["method"] != "image.submit":
                return
            peer.answer(message, {"receipt": receipt, "state": "queued"})
            for number in range(20_000):
                peer.event(receipt, number + 1, "progress", phase="download", fraction=number / 20_000)
            peer.event(receipt, 20_001, "succeeded", result=RESULT)

        async with Tintype(await self.coordinator(script)) as tintype:
            task = tintype.submit("http://h/", deadline=500)
            await task
            seen = [event async for event in task]
        self.assertLess(len(seen), 100)
        self.assertIsInstance(seen[-1], Succeeded)

    async def test_bytes_that_are_no_json_end_the_connection_and_not_the_client(self) -> None:
        def script(peer: Peer, message: dict[str, Any]) -> None:
            if len(self.peers) == 1:
                peer.writer.write(b"HTTP/1.1 400 Bad Request\n")
            else:
                peer.answer(message, RESULT)

        async with Tintype(await self.coordinator(script)) as tintype:
            self.assertEqual((await tintype.load("http://h/")).width, 3)

    async def test_nobody_there_is_an_error_in_time(self) -> None:
        with self.assertRaises(TintypeError) as caught:
            async with Tintype("tcp://127.0.0.1:1", connect_timeout=0.2):
                pass
        self.assertEqual(caught.exception.name, ErrorName.CONNECT)
        self.assertIn("tcp://127.0.0.1:1", str(caught.exception))

    async def test_a_token_is_asked_for_before_each_connection(self) -> None:
        tokens = iter(["one", "two"])
        address = await self.coordinator(lambda peer, message: peer.cut() if len(self.peers) == 1 else peer.answer(message, RESULT))
        async with Tintype(address, token=lambda: next(tokens)) as tintype:
            await tintype.load("http://h/")
        self.assertEqual([message["params"] for message in self.asked("session.authenticate")], [{"token": "one"}, {"token": "two"}])

    async def test_a_function_of_a_token_that_fails_is_an_error_at_once(self) -> None:
        def token() -> str:
            raise KeyError("nowhere")

        with self.assertRaises(TintypeError) as caught:
            async with Tintype(await self.coordinator(lambda peer, message: None), token=token, connect_timeout=600):
                pass
        self.assertEqual(caught.exception.name, ErrorName.UNAUTHENTICATED)
        self.assertIn("nowhere", str(caught.exception))

    async def test_several_readers_of_a_task_get_all_events_each(self) -> None:
        def script(peer: Peer, message: dict[str, Any]) -> None:
            if message["method"] == "image.submit":
                peer.answer(message, {"receipt": message["params"]["receipt"], "state": "queued"})

        async with Tintype(await self.coordinator(script)) as tintype:
            task = tintype.submit("http://h/", progress=True)

            async def read() -> list[type]:
                return [type(event) async for event in task]

            reading = [asyncio.create_task(read()) for _ in range(3)]
            await self.eventually(lambda: bool(self.asked("image.submit")))
            self.peers[0].event(task.receipt, 1, "started", attempt=1)
            self.peers[0].event(task.receipt, 9, "succeeded", result=RESULT)
            await task
            for one in [*reading, asyncio.create_task(read())]:
                self.assertEqual(await one, [Started, Rendered, Succeeded])

    async def test_calls_of_a_task_wait_for_its_submit(self) -> None:
        def script(peer: Peer, message: dict[str, Any]) -> None:
            if message["method"] == "image.submit":
                peer.answer(message, {"receipt": message["params"]["receipt"], "state": "queued"})
            elif self.asked("image.submit"):
                peer.answer(message, {"cancelled": True})
            else:
                peer.fail(message, "unknownReceipt", 1044)

        async with Tintype(await self.coordinator(script)) as tintype:
            await tintype.submit("http://h/").set_priority("high")
            self.assertTrue(await tintype.submit("http://h/").cancel())

    async def test_bytes_that_do_not_come_are_asked_for_again(self) -> None:
        asked: list[bytes] = []

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            asked.append(await reader.readuntil(b"\r\n\r\n"))
            if len(asked) == 1:
                # A connection that breaks.
                return writer.transport.abort()
            if len(asked) == 2:
                writer.write(b"HTTP/1.1 503 Wait\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n")
            else:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.addCleanup(server.close)
        web = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        address = await self.coordinator(lambda peer, message: peer.answer(message, RESULT))
        async with Tintype(address, http=web, connect_timeout=60) as tintype:
            self.assertEqual(await (await tintype.load("http://h/")).read(), b"x")
        self.assertEqual(len(asked), 3)

    async def test_a_load_that_would_do_something_twice_has_a_receipt(self) -> None:
        async with Tintype(await self.coordinator(lambda peer, message: peer.answer(message, RESULT))) as tintype:
            await tintype.load("http://h/")
            await tintype.load("http://h/", cache=Cache(policy="reload"))
            await tintype.load("http://h/", slot="cell")
            await tintype.load("http://h/", fetch=Fetch(method="POST"), receipt="mine")
        receipts = [message["params"].get("receipt") for message in self.asked("image.load")]
        self.assertEqual((receipts[0], bool(receipts[1]), bool(receipts[2]), receipts[3]), (None, True, True, "mine"))

    async def test_a_group_that_starts_while_its_caller_is_cancelled_is_cancelled_too(self) -> None:
        held: list[tuple[Peer, dict[str, Any]]] = []

        def script(peer: Peer, message: dict[str, Any]) -> None:
            held.append((peer, message))

        async with Tintype(await self.coordinator(script)) as tintype:
            starting = asyncio.create_task(tintype.batch(["http://h/"]))
            await self.eventually(lambda: bool(held))
            starting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await starting
            peer, message = held[0]
            peer.answer(message, {"group": "g"})
            await self.eventually(lambda: bool(self.asked("group.cancel")))
            self.assertEqual(self.asked("group.cancel")[0]["params"], {"group": "g"})
            peer.answer(held[-1][1], {"cancelled": True})

    async def test_a_load_that_is_cancelled_between_two_connections_is_withdrawn_on_the_next(self) -> None:
        greeting: list[tuple[Peer, dict[str, Any]]] = []

        def script(peer: Peer, message: dict[str, Any]) -> None:
            if message["method"] == "image.load":
                peer.cut()
            elif len(self.peers) == 2 and not greeting:
                greeting.append((peer, message))
            else:
                peer.answer(message, {"cancelled": True})

        async with Tintype(await self.coordinator(script, greets=False), silence=60, connect_timeout=60) as tintype:
            loading = asyncio.create_task(tintype.load("http://h/", receipt="mine"))
            await self.eventually(lambda: bool(greeting))
            loading.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await loading
            peer, message = greeting[0]
            peer.answer(message, "pong")
            await self.eventually(lambda: bool(self.asked("receipt.cancel")))
        self.assertEqual([message["params"] for message in self.asked("receipt.cancel")], [{"receipt": "mine"}])
        self.assertEqual(len(self.asked("image.load")), 1)

    async def test_errands_are_bounded(self) -> None:
        async with Tintype(await self.coordinator(lambda peer, message: None)) as tintype:
            for number in range(1100):
                tintype._connection.errand(tintype._connection.withdraw(f"{number}"))
            await self.eventually(lambda: len(self.asked("receipt.cancel")) == 1000)
            self.assertEqual(len(tintype._connection._errands), 1000)
            self.peers[0].cut()

    async def test_a_group_is_not_begun_twice_after_a_lost_answer(self) -> None:
        async with Tintype(await self.coordinator(lambda peer, message: peer.cut())) as tintype:
            for method, begin in (("batch.start", tintype.batch), ("prefetch.start", tintype.prefetch), ("chain.start", tintype.chain)):
                with self.assertRaises(TintypeError) as caught:
                    await begin(["http://h/"])
                self.assertEqual(caught.exception.name, ErrorName.CONNECTION_LOST)
                self.assertEqual(len(self.asked(method)), 1)

    async def test_a_cancelled_reader_of_a_group_does_not_wait_for_the_answer_to_its_cancel(self) -> None:
        held: list[tuple[Peer, dict[str, Any]]] = []

        def script(peer: Peer, message: dict[str, Any]) -> None:
            match message["method"]:
                case "group.cancel":
                    held.append((peer, message))
                case "group.get":
                    peer.answer(message, {"group": "g", "state": "running", "finished": 0, "total": 1, "results": []})
                case _:
                    peer.answer(message, {"group": "g"})

        async with Tintype(await self.coordinator(script)) as tintype:
            readings = [(await tintype.batch(["http://h/"])).results(), (await tintype.prefetch(["http://h/"])).done()]
            for count, reading in enumerate(map(asyncio.ensure_future, readings), 1):
                await self.eventually(lambda: len(self.asked("group.get")) >= count)
                reading.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await reading
                # Its cancel is still under way.
                self.assertEqual(len(tintype._connection._errands), 1)
                await self.eventually(lambda: bool(held))
                peer, message = held.pop()
                peer.answer(message, {"cancelled": True})
                await self.eventually(lambda: not tintype._connection._errands)

    async def test_requests_name_the_place_of_their_caller_in_a_trace(self) -> None:
        place: ContextVar[str] = ContextVar("place", default="")

        def script(peer: Peer, message: dict[str, Any]) -> None:
            receipt = message["params"].get("receipt")
            peer.answer(message, RESULT if receipt is None else {"receipt": receipt, "state": "succeeded", "result": RESULT})

        trace = lambda: {"traceparent": place.get()} if place.get() else {}  # noqa: E731
        async with Tintype(await self.coordinator(script), trace=trace) as tintype:
            await tintype.load("http://h/")
            place.set("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            await tintype.load("http://h/")
            task = tintype.submit("http://h/")
            place.set("")
            await task
        places = [message["params"].get("_meta") for message in self.messages if message["method"].startswith("image.")]
        here = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
        self.assertEqual(places, [None, here, here])

    async def test_a_call_ends_though_the_coordinator_never_answers_it(self) -> None:
        async with Tintype(await self.coordinator(lambda peer, message: None)) as tintype:
            with self.assertRaises(TintypeError) as caught:
                await tintype._connection.call("system.info", {}, within=0.1)
            self.assertEqual(caught.exception.name, ErrorName.DEADLINE_EXCEEDED)
            await self.eventually(lambda: len(self.asked("$/cancelRequest")) == 1)


if __name__ == "__main__":
    unittest.main()

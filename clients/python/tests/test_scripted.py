"""What this client alone does with a coordinator that says exactly what a test wants. What all clients do is in test_conformance."""

from __future__ import annotations

import asyncio
import unittest
from contextvars import ContextVar
from typing import Any
from unittest import mock

from scripted import Coordinator
from service import eventually

from tintype import ErrorName, Tintype, TintypeError

RESULT: dict[str, Any] = {
    "receipt": "r", "from": "memory", "state": "succeeded", "source": {"url": "u", "finalURL": "u", "bytes": 1}, "description": {},
    "renditions": [{"name": "default", "key": "k", "url": "/images/k", "contentType": "image/png", "bytes": 1, "width": 3}],
}


class ScriptedTests(unittest.IsolatedAsyncioTestCase):
    async def coordinator(self, script: dict[str, list[Any]]) -> Coordinator:
        coordinator = await Coordinator.start(script)
        self.addCleanup(coordinator.close)
        return coordinator

    async def test_callers_that_wait_for_room_go_on_in_their_order(self) -> None:
        coordinator = await self.coordinator({})
        async with Tintype(coordinator.address) as tintype:
            loads = [asyncio.create_task(tintype.load(f"http://h/{number}")) for number in range(1200)]
            await eventually(lambda: len(coordinator.asked("image.load")) == 1000)
            await coordinator.release("image.load", ["answer", RESULT])
            await asyncio.gather(*loads)
        self.assertEqual([message["params"]["url"] for message in coordinator.asked("image.load")], [f"http://h/{number}" for number in range(1200)])

    async def test_a_call_in_the_moment_of_the_connection_stays_behind_those_that_wait_for_it(self) -> None:
        coordinator = await self.coordinator({"image.load": [["answer", RESULT]]})
        tintype = Tintype(coordinator.address)
        connection, loads = tintype._connection, [asyncio.create_task(tintype.load("http://h/0"))]
        with mock.patch.object(connection, "_take", wraps=connection._take) as take:
            take.side_effect = lambda wire: loads.append(asyncio.create_task(tintype.load("http://h/1"))) or mock.DEFAULT
            await eventually(lambda: len(coordinator.asked("image.load")) == 2)
        self.assertEqual([message["params"]["url"] for message in coordinator.asked("image.load")], ["http://h/0", "http://h/1"])
        await asyncio.gather(*loads)
        await connection.close()

    async def test_a_first_connection_that_fails_is_an_error_and_is_logged(self) -> None:
        with self.assertLogs("tintype", "INFO") as logs, self.assertRaises(TintypeError) as caught:
            async with Tintype("tcp://127.0.0.1:1", connect_timeout=0.2):
                pass
        self.assertEqual(caught.exception.name, ErrorName.CONNECT)
        self.assertTrue(any("no connection to tcp://127.0.0.1:1" in line for line in logs.output))

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
        coordinator = await self.coordinator({"image.load": [["answer", RESULT]]})
        async with Tintype(coordinator.address, http=web, connect_timeout=60) as tintype:
            self.assertEqual(await (await tintype.load("http://h/")).read(), b"x")
        self.assertEqual(len(asked), 3)

    async def test_errands_are_bounded(self) -> None:
        coordinator = await self.coordinator({})
        async with Tintype(coordinator.address) as tintype:
            for number in range(1100):
                tintype._connection.errand(tintype._connection.withdraw(f"{number}"))
            await eventually(lambda: len(coordinator.asked("receipt.cancel")) == 1000)
            self.assertEqual(len(tintype._connection._errands), 1000)
            coordinator.peers[0].cut()

    async def test_a_task_keeps_the_place_of_its_caller_in_a_trace(self) -> None:
        place: ContextVar[str] = ContextVar("place", default="")
        coordinator = await self.coordinator({"image.submit": [["answer", {"receipt": "$receipt", "state": "succeeded", "result": RESULT}]]})
        async with Tintype(coordinator.address, trace=lambda: {"traceparent": place.get()} if place.get() else {}) as tintype:
            place.set("00-a-b-01")
            task = tintype.submit("http://h/")
            place.set("")
            await task
        self.assertEqual(coordinator.asked("image.submit")[0]["params"]["_meta"], {"traceparent": "00-a-b-01"})


if __name__ == "__main__":
    unittest.main()

"""What stands in for a coordinator, and what stands in front of one."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Self


class Peer:
    """One connection of a client."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        self.is_mute = False
        self.is_gone = False
        """Whether the client has closed it."""

    def send(self, message: dict[str, Any]) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        if not self.is_mute:
            self.writer.write(data)

    def cut(self) -> None:
        self.writer.transport.abort()


class Coordinator:
    """Says exactly what an exchange wants, at the moment that it wants.

    Does for the messages of each method what its script says, in turn; the last turn counts for all that come later.

    Other pings and tokens are answered. What the script does not name waits for `send` or `release`.
    """

    def __init__(self, script: dict[str, list[Any]]) -> None:
        self._script = script
        self.messages: list[tuple[float, dict[str, Any]]] = []
        self.peers: list[Peer] = []
        self.most = 0
        """The most requests that had no answer at once."""
        self._waiting: list[tuple[Peer, dict[str, Any]]] = []
        self._server: asyncio.Server | None = None
        self.address = ""

    @classmethod
    async def start(cls, script: dict[str, list[Any]]) -> Self:
        made = cls(script)
        made._server = server = await asyncio.start_server(made._accept, "127.0.0.1", 0, limit=1 << 26)
        made.address = f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return made

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for peer in self.peers:
            peer.cut()

    def asked(self, method: str) -> list[dict[str, Any]]:
        return [message for _, message in self.messages if message["method"] == method]

    async def send(self, method: str, action: list[Any]) -> None:
        """Does something for the first request of a method that waits."""
        await self._perform(*next(one for one in self._waiting if one[1]["method"] == method), action)

    async def release(self, method: str, action: list[Any]) -> None:
        """Does something for all requests of a method, those that wait and those that come."""
        self._script[method] = [action]
        for peer, message in [one for one in self._waiting if one[1]["method"] == method]:
            await self._perform(peer, message, action)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = Peer(writer)
        self.peers.append(peer)
        try:
            while line := await reader.readline():
                message = json.loads(line)
                self.messages.append((asyncio.get_running_loop().time(), message))
                if "id" in message:
                    self._waiting.append((peer, message))
                    self.most = max(self.most, len(self._waiting))
                for action in self._turn(message["method"]):
                    await self._perform(peer, message, action)
        except ConnectionError:
            pass
        peer.is_gone = True

    def _turn(self, method: str) -> list[list[Any]]:
        turns = self._script.get(method)
        if turns is None and method in ("system.ping", "session.authenticate"):
            turns = [["answer", "pong"]]
        turns = turns or self._script.get("*") or [["hold"]]
        turn = turns[min(len(self.asked(method)), len(turns)) - 1]
        return [turn] if isinstance(turn[0], str) else turn

    async def _perform(self, peer: Peer, message: dict[str, Any], action: list[Any]) -> None:
        receipt = message["params"].get("receipt")

        def answer(result: Any, number: int = 0) -> dict[str, Any]:
            return {"jsonrpc": "2.0", "id": message.get("id", 0) + number, "result": filled(result, receipt)}

        def error(name: str, code: int, data: dict[str, Any] | None = None) -> dict[str, Any]:
            return {"code": code, "message": name, "data": {"name": name, "phase": "admission", "retryable": True, "message": name, **(data or {})}}

        def event(seq: int, kind: str, members: dict[str, Any]) -> dict[str, Any]:
            params = {"receipt": receipt, "seq": seq, "type": kind, "at": 0, "queue": "default", **members}
            return {"jsonrpc": "2.0", "method": "image.event", "params": params}

        match action:
            case ["answer" | "half" | "pieces" as word, result]:
                data = json.dumps(answer(result)).encode() + b"\n"
                peer.write(data if word == "answer" else data[:40])
                if word == "pieces":
                    await peer.writer.drain()
                    await asyncio.sleep(0.02)
                    peer.write(data[40:])
            case ["stray", result]:
                peer.send(answer(result, 100_000))
            case ["error", *words]:
                peer.send({"jsonrpc": "2.0", "id": message["id"], "error": error(*words)})
            case ["refuse", *words]:
                peer.send({"jsonrpc": "2.0", "id": None, "error": error(*words)})
            case ["event", seq, kind, members]:
                peer.send(event(seq, kind, members))
            case ["flood", count, kind, members]:
                for seq in range(1, count + 1):
                    peer.send(event(seq, kind, members))
            case ["write", words]:
                peer.write(words.encode())
            case ["cut"]:
                peer.cut()
            case ["mute"]:
                peer.is_mute = True
            case ["hold"]:
                return
            case _:
                raise AssertionError(f"no action: {action}")
        if action[0] in ("answer", "error", "cut"):
            self._waiting = [one for one in self._waiting if one != (peer, message)]


def filled(value: Any, receipt: str | None) -> Any:
    """Puts the receipt of the request in its place."""
    if isinstance(value, dict):
        return {name: filled(one, receipt) for name, one in value.items()}
    return receipt if value == "$receipt" else value


class Relay:
    """A way to HOST:PORT that can be cut, or that swallows answers."""

    def __init__(self, target: str) -> None:
        self._host, _, self._port = target.rpartition(":")
        self._writers: set[asyncio.StreamWriter] = set()
        self.swallows = False
        """Whether what the coordinator sends is lost."""

    async def start(self) -> str:
        """Returns its own HOST:PORT."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def close(self) -> None:
        self._server.close()
        self.cut()

    def cut(self) -> None:
        """Breaks all connections."""
        for writer in list(self._writers):
            writer.transport.abort()

    async def _accept(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        try:
            far, forth = await asyncio.open_connection(self._host, int(self._port))
        except OSError:
            back.transport.abort()
            return
        self._writers |= {back, forth}
        try:
            await asyncio.gather(self._forward(near, forth, False), self._forward(far, back, True))
        except OSError:
            pass
        finally:
            self._writers -= {back, forth}
            back.transport.abort()
            forth.transport.abort()

    async def _forward(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, is_back: bool) -> None:
        while data := await source.read(1 << 16):
            if not (is_back and self.swallows):
                target.write(data)
                await target.drain()
        raise ConnectionResetError

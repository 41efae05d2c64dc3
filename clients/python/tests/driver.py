"""The driver of this client for the exchanges that all clients have in common: clients/conformance/README.md says what it is asked for."""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import sys
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from tintype import Image, Request, Task, Tintype, TintypeError  # noqa: E402
from tintype._client import _UNREPEATABLE  # noqa: E402
from tintype._generated import EVENTS  # noqa: E402

TYPES = {kind: name for name, kind in EVENTS.items()}

Asked = Mapping[str, Any]


def say(number: int, **more: Any) -> None:
    print(json.dumps({"id": number, **more}, separators=(",", ":")), flush=True)


def text(event: Any) -> str:
    kind = TYPES.get(type(event), "gap")
    return f"{kind} {event.name}" if kind == "rendition" else kind


def described(error: TintypeError) -> dict[str, Any]:
    """The members of an error under the names of the protocol."""
    index = [int(found[1]) for note in getattr(error, "__notes__", ()) if (found := re.match(r"item (\d+)", note))]
    own = {"name": error.name, "code": error.name.code, "message": error.message, "retryable": error.retryable, "phase": error.phase}
    return {**error.data, **own, **({"index": index[0]} if index else {})}


def result(image: Image) -> dict[str, Any]:
    return {**image.json, "width": image.width if image.renditions else None}


class Driver:
    """Does each word of a line: `do_WORD` returns the value of its answer."""

    def __init__(self) -> None:
        self.clients: list[Tintype] = []
        self.work: dict[int, asyncio.Task[None]] = {}
        self.handles: dict[int, Any] = {}
        self.readers: list[asyncio.Task[None]] = []
        self.place: dict[str, str] = {}

    @property
    def tintype(self) -> Tintype:
        return self.clients[-1]

    def take(self, asked: Asked) -> None:
        if asked["do"] == "cancel":
            self.work[asked["of"]].cancel()
        else:
            task = asyncio.create_task(self.run(asked["id"], getattr(self, f"do_{asked['do']}")(asked)))
            # A task that is canceled before its first step runs none of its code.
            task.add_done_callback(lambda task: say(asked["id"], cancelled=True) if task.cancelled() else None)
            self.work[asked["id"]] = task

    async def run(self, number: int, work: Awaitable[Any]) -> None:
        try:
            say(number, value=await work)
        except TintypeError as error:
            say(number, error=described(error))
        except Exception as error:
            say(number, fault=repr(error))

    async def do_client(self, asked: Asked) -> None:
        options = asked["options"]
        tokens = options.get("tokens") or []
        token = (lambda: tokens.pop(0) if len(tokens) != 1 else tokens[0]) if options.get("tokens") is not None else options.get("token")
        trust = ssl.create_default_context(cafile=options["ca"]) if options.get("ca") else None
        if trust and options.get("cert"):
            trust.load_cert_chain(options["cert"], options["key"])
        self.clients.append(Tintype(
            *asked["addresses"], token=token, tls=trust, silence=options["silence"], connect_timeout=options["connectTimeout"], trace=lambda: self.place))

    async def do_load(self, asked: Asked) -> Any:
        image = self.handles[asked["id"]] = await self.tintype.load(Request.from_json(asked["params"]))
        return result(image)

    async def do_bytes(self, asked: Asked) -> Any:
        return len(await self.handles[asked["of"]].read())

    async def do_submit(self, asked: Asked) -> Any:
        return await self.follow(asked, self.tintype.submit(Request.from_json(asked["params"])))

    async def do_task(self, asked: Asked) -> Any:
        return await self.follow(asked, self.tintype.task(asked["receipt"], within=asked["within"]))

    async def follow(self, asked: Asked, task: Task) -> Any:
        self.handles[asked["id"]] = task

        async def read() -> None:
            async for event in task:
                say(asked["id"], event=text(event))
            say(asked["id"], event="end")

        self.readers.append(asyncio.create_task(read()))
        return result(await task)

    async def do_probe(self, asked: Asked) -> Any:
        probe = await self.tintype.probe(Request.from_json(asked["params"]))
        return {"source": probe.source.to_json(), "description": probe.description}

    async def do_call(self, asked: Asked) -> Any:
        method = asked["method"]
        return await self.tintype._connection.call(method, asked["params"], within=asked.get("within", 30), is_repeatable=method not in _UNREPEATABLE)

    async def do_batch(self, asked: Asked) -> Any:
        items = [Request.from_json(one) for one in asked["items"]]
        group = self.handles[asked["id"]] = await getattr(self.tintype, asked["do"].replace("stream", "batch"))(items, **asked["options"])
        if asked["do"] == "prefetch":
            end = await group.done()
            return {"finished": end.finished, "skipped": end.skipped, "errors": {str(index): described(error) for index, error in end.errors.items()}}
        if asked["do"] == "stream":
            ended = []
            async for item in group:
                ended.append(item)
                say(asked["id"], event="item")
            ended.sort(key=lambda item: item.index)
        else:
            ended = await group.results()
        return {"results": [{"error": described(one.error)} if one.image is None else result(one.image) for one in ended]}

    do_stream = do_chain = do_prefetch = do_batch

    async def do_act(self, asked: Asked) -> Any:
        handle, value = self.handles[asked["of"]], asked["value"]
        return await (handle.set_priority(value) if asked["act"] == "priority" else getattr(handle, asked["act"])())

    async def do_events(self, asked: Asked) -> Any:
        return [text(event) async for event in self.handles[asked["of"]]]

    async def do_coordinator(self, asked: Asked) -> Any:
        return self.tintype.coordinator

    async def do_place(self, asked: Asked) -> None:
        self.place = asked["place"]

    async def do_close(self, asked: Asked) -> None:
        await self.tintype.aclose()

    async def do_end(self, asked: Asked) -> None:
        for one in [*self.readers, *(one for number, one in self.work.items() if number != asked["id"])]:
            one.cancel()
        for client in self.clients:
            await client.aclose()
        self.__init__()  # type: ignore[misc]


async def main() -> None:
    reader = asyncio.StreamReader(limit=1 << 27)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    driver = Driver()
    while line := await reader.readline():
        driver.take(json.loads(line))


if __name__ == "__main__":
    asyncio.run(main())

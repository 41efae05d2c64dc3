"""Runs the exchanges of exchanges.json with one client. README.md says what their words mean.

usage: run.py CLIENT [WORD]
  CLIENT  python, swift or typescript
  WORD    a part of the names of the exchanges that run. Default: all

Exchanges that wait for leases and grace periods run with TINTYPE_SLOW=1.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import service as services
from driving import Call, Driver, Refused
from scripted import Coordinator, Relay
from service import Service, eventually
from values import expand, mismatch, same

PATIENT = {"deadline": 300, "fetch": {"timeouts": {"idle": 120, "total": 120}}}
"""A slow machine must not end downloads that wait at a gate."""


class Run:
    """One exchange over one transport. Each word of its steps is a method `do_WORD`."""

    def __init__(self, exchange: dict[str, Any], way: str, driver: Driver, service: Service | None) -> None:
        self.exchange = exchange
        self.way = way
        self.driver = driver
        self._service = service
        self.calls: dict[str, list[Call]] = {}
        self.coordinators: list[Coordinator] = []
        self.relay: Relay | None = None
        self.lost = 0
        """The coordinator that was hurt last."""
        self.opening: asyncio.Task[None] | None = None
        self.addresses: list[str] = []

    async def __aenter__(self) -> Self:
        self.coordinators = [await Coordinator.start(script) for script in self.exchange.get("coordinators", [])]
        self.addresses = self.exchange.get("addresses") or [one.address for one in self.coordinators]
        if self._service is not None:
            places = self.places
            if self.exchange["service"].get("relay"):
                self.relay = Relay(places[0])
                places = [await self.relay.start()]
            self.addresses = [f"{self.scheme}://{place}" for place in places]
        await self.do_client()
        return self

    async def __aexit__(self, *error: object) -> None:
        if self.opening is not None:
            self.opening.cancel()
        await self.driver.ask("end")
        for coordinator in self.coordinators:
            coordinator.close()
        if self.relay is not None:
            self.relay.close()

    @property
    def service(self) -> Service:
        assert self._service is not None
        return self._service

    @property
    def scheme(self) -> str:
        if not self.exchange["service"].get("tls"):
            return self.way
        return "tls" if self.way == "tcp" else "https"

    @property
    def places(self) -> list[str]:
        return [one.words["rpc" if self.way == "tcp" else "http"] for one in self.service.coordinators]

    async def run(self) -> None:
        for number, (word, *words) in enumerate(self.exchange["steps"], 1):
            try:
                async with asyncio.timeout(120):
                    done = getattr(self, f"do_{word}")(*words)
                    if inspect.isawaitable(done):
                        await done
            except Exception as error:
                raise AssertionError(f"step {number}, {word} {str(words)[:300]}: {error!r}") from error

    # What the client does

    async def do_client(self, own: dict[str, Any] | None = None) -> None:
        options = {"silence": 30, "connectTimeout": 30, **self.exchange.get("options", {}), **(own or {})}
        addresses = self.addresses
        if self._service is not None and self.exchange["service"].get("tls"):
            files = {"ca": "ca.pem", **({"cert": "client.pem", "key": "client.key"} if options.get("certificate") else {})}
            options = {**{name: str(self.service.folder / file) for name, file in files.items()}, **options}
            port = addresses[0].rpartition(":")[2]
            scheme = options.get("scheme", self.scheme)
            # At "" nobody listens.
            addresses = [f"{scheme}://{host}:{port}" if host else f"{self.way}://127.0.0.1:1" for host in options.get("hosts", ["127.0.0.1"])]
        while True:
            await self.driver.ask("client", addresses=addresses, options=options)
            # A client may begin at any address.
            if "begin" not in self.exchange:
                return
            await self.driver.ask("call", method="system.ping", params={})
            if await self.driver.ask("coordinator") == self.addresses[self.exchange["begin"]]:
                return

    def requests(self, params: dict[str, Any]) -> list[tuple[list[str], dict[str, Any]]]:
        """The requests of a description, each with its URLs."""
        made = []
        for number in range(params.get("times", 1)):
            one = {**({} if self._service is None else PATIENT), **{name: value for name, value in params.items() if name != "times"}}
            urls = [self.url(url, number) for url in one.get("urls", [one.get("url")])]
            text = json.dumps(one).replace("$n", str(number))
            made.append((urls, {**json.loads(text), **({"urls": urls} if "urls" in one else {"url": urls[0]})}))
        return made

    def url(self, text: str, number: int) -> str:
        if text.startswith("@"):
            return self.calls[text[1:]][0].urls[0]
        if text.startswith("/") and self._service is not None:
            text = self.service.url(f"{text}{'&' if '?' in text else '?'}n={secrets.token_hex(8)}")
        return "data:text/plain," + "é" * (3 << 20) if text == "$long" else text.replace("$n", str(number))

    def do_load(self, name: str, params: dict[str, Any], word: str = "load") -> None:
        self.calls[name] = [self.driver.tell(word, urls, params=one) for urls, one in self.requests(params)]

    def do_submit(self, name: str, params: dict[str, Any]) -> None:
        self.do_load(name, params, "submit")

    def do_probe(self, name: str, params: dict[str, Any]) -> None:
        self.do_load(name, params, "probe")

    def do_task(self, name: str, receipt: str, within: float) -> None:
        self.calls[name] = [self.driver.tell("task", receipt=receipt, within=within)]

    def do_call(self, name: str, method: str, params: dict[str, Any], within: float = 30) -> None:
        self.calls[name] = [self.driver.tell("call", method=method, params=params, within=within)]

    def do_batch(self, name: str, items: list[Any], options: dict[str, Any] | None = None, word: str = "batch") -> None:
        made = [one for item in items for one in self.requests(item)]
        self.calls[name] = [self.driver.tell(word, [url for urls, _ in made for url in urls], items=[one for _, one in made], options=options or {})]

    def do_stream(self, name: str, items: list[Any], options: dict[str, Any] | None = None) -> None:
        self.do_batch(name, items, options, "stream")

    def do_chain(self, name: str, items: list[Any]) -> None:
        self.do_batch(name, items, word="chain")

    def do_prefetch(self, name: str, items: list[Any], options: dict[str, Any] | None = None) -> None:
        self.do_batch(name, items, options, "prefetch")

    def do_cancel(self, name: str) -> None:
        for call in self.calls[name]:
            self.driver.note("cancel", of=call.id)

    async def do_act(self, name: str, act: str, value: Any = None, expected: Any = None) -> None:
        done = self.driver.tell("act", of=self.calls[name][0].id, act=act, value=value)
        same(expected or {"error": None}, await done.outcome())

    async def do_bytes(self, name: str) -> None:
        """The bytes of the first rendition."""
        for call in self.calls[name]:
            same((await call.value())["renditions"][0]["bytes"], await self.driver.ask("bytes", of=call.id))

    async def do_close(self) -> None:
        await self.driver.ask("close")

    async def do_drop(self) -> None:
        await self.driver.ask("drop")

    async def do_place(self, place: dict[str, str]) -> None:
        await self.driver.ask("place", place=place)

    # What its caller sees

    async def do_ends(self, name: str, expected: Any, count: int | None = None) -> None:
        for call in self.calls[name]:
            value = await call.value()
            for one in [value] if count is None else value["results"]:
                same(expected, one)
            same(count, None if count is None else len(value["results"]))

    async def do_fails(self, name: str, expected: Any, hidden: str = "nothing hidden") -> None:
        for call in self.calls[name]:
            error = await call.error()
            same(expected, error)
            assert hidden not in str(error), error

    async def do_cancelled(self, name: str) -> None:
        for call in self.calls[name]:
            same({"cancelled": True}, await call.answer)

    async def do_some(self, name: str, count: int) -> None:
        await eventually(lambda: sum(call.answer.done() for call in self.calls[name]) >= count)

    def do_pending(self, name: str) -> None:
        assert not any(call.answer.done() for call in self.calls[name])

    async def do_items(self, name: str, count: int) -> None:
        await eventually(lambda: len(self.calls[name][0].seen) >= count)

    async def do_until(self, name: str, kinds: list[str]) -> None:
        await eventually(lambda: any(kind in self.calls[name][0].seen for kind in kinds))

    async def do_events(self, name: str, expected: list[str]) -> None:
        """A reader from the beginning and one that comes later see the same."""
        [call] = self.calls[name]
        await eventually(lambda: "end" in call.seen)
        same([*expected, "end"], call.seen)
        same(expected, await self.driver.ask("events", of=call.id))

    async def do_counts(self, name: str, expected: dict[str, Any]) -> None:
        for call in self.calls[name]:
            await eventually(lambda: "end" in call.seen)
            kinds = [one.partition(" ")[0] for one in call.seen]
            given = {kind: one[self.way] if isinstance(one, dict) and self.way in one else one for kind, one in expected.items()}
            same(given, {kind: kinds.count(kind) for kind in kinds})

    async def do_tail(self, name: str, most: int, last: str) -> None:
        seen = await self.driver.ask("events", of=self.calls[name][0].id)
        assert len(seen) < most and seen[-1] == last, seen[-10:]

    async def do_uses(self, number: int) -> None:
        same(self.addresses[number], await self.driver.ask("coordinator"))

    async def do_eventually(self, method: str, params: dict[str, Any], expected: Any) -> None:
        async def is_so() -> bool:
            return mismatch(expected, await self.driver.ask("call", method=method, params=params)) is None

        await eventually(is_so)

    # What the first scripted coordinator sees and does

    async def do_asked(self, method: str, count: int) -> None:
        coordinator = self.coordinators[0]
        await eventually(lambda: len(coordinator.asked(method)) >= count)
        same(count, len(coordinator.asked(method)))

    async def do_balance(self, method: str, other: str) -> None:
        asked = self.coordinators[0].asked
        await eventually(lambda: len(asked(method)) == len(asked(other)))

    def do_params(self, method: str, expected: list[Any]) -> None:
        same(expected, [message["params"] for message in self.coordinators[0].asked(method)])

    def do_same(self, method: str) -> None:
        same(1, len({json.dumps(message["params"]) for message in self.coordinators[0].asked(method)}))

    def do_ordered(self, method: str, count: int) -> None:
        same([f"http://h/{number}" for number in range(count)], [message["params"]["url"] for message in self.coordinators[0].asked(method)])

    def do_apart(self, method: str, seconds: float) -> None:
        times = [time for time, message in self.coordinators[0].messages if message["method"] == method]
        assert all(later - earlier >= seconds for earlier, later in zip(times, times[1:])), times

    async def do_send(self, method: str, action: list[Any]) -> None:
        await self.coordinators[0].send(method, action)

    async def do_release(self, method: str, action: list[Any]) -> None:
        await self.coordinators[0].release(method, action)

    def do_most(self, count: int) -> None:
        assert self.coordinators[0].most <= count, self.coordinators[0].most

    async def do_connections(self, count: int) -> None:
        await eventually(lambda: len(self.coordinators[0].peers) >= count)
        same(count, len(self.coordinators[0].peers))

    async def do_gone(self) -> None:
        await eventually(lambda: self.coordinators[0].peers[0].is_gone)

    def do_cut(self) -> None:
        (self.relay or self.coordinators[0].peers[-1]).cut()

    # What happens to a real service

    async def do_downloads(self, name: str, count: int) -> None:
        urls = {url.partition(self.service.origin.words["http"])[2] for call in self.calls[name] for url in call.urls}

        def counts() -> list[int]:
            asked = self.service.counts()["counts"]
            return [asked.get(url, 0) for url in urls]

        await eventually(lambda: min(counts()) >= count)
        same([count] * len(urls), counts())

    def do_open(self) -> None:
        """From now on the gate lets every request pass."""

        async def opening() -> None:
            while True:
                self.service.ask_origin(f"/_open?gate={self.exchange['gate']}")
                await asyncio.sleep(0.01)

        self.opening = asyncio.create_task(opening())

    async def do_kill(self) -> None:
        (await self.hurt()).kill()

    async def do_stop(self) -> None:
        (await self.hurt()).signal(signal.SIGTERM)

    async def do_freeze(self) -> None:
        (await self.hurt()).signal(signal.SIGSTOP)

    async def hurt(self) -> services.Process:
        """The coordinator that the client uses."""
        self.lost = self.addresses.index(await self.driver.ask("coordinator"))
        return self.service.coordinators[self.lost]

    def do_restart(self) -> None:
        self.service.restart(self.lost)

    async def do_left(self) -> None:
        async def has_left() -> bool:
            return bool(await self.driver.ask("coordinator") != self.addresses[self.lost])

        await eventually(has_left)

    def do_worker(self, act: str) -> None:
        if act == "start":
            self.service.worker(*self.exchange["service"]["arguments"])
        else:
            self.service.workers[0].kill()

    def do_redis(self, act: str) -> None:
        if act == "start":
            self.service.start_redis()
        else:
            self.service.signal_redis({"kill": signal.SIGKILL, "freeze": signal.SIGSTOP, "thaw": signal.SIGCONT}[act])

    def do_swallow(self, swallows: bool) -> None:
        assert self.relay is not None
        self.relay.swallows = swallows


def chosen(client: str, word: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The exchanges that a client takes part in, each over its transports."""
    file = json.loads((Path(__file__).parent / "exchanges.json").read_text())
    for exchange in file["exchanges"]:
        ways = exchange.get("over", ["tcp", "http"]) if "service" in exchange else ["tcp"]
        if client in exchange.get("clients", [client]) and word in exchange["name"]:
            for way in ways:
                gate = secrets.token_hex(8)
                # The client for Python speaks JSON-RPC over TCP alone.
                if way == "tcp" or client != "python":
                    yield {**expand(exchange, {**file["values"], "gate": gate}), "gate": gate}, way


async def main(client: str, word: str = "") -> int:
    counts = {"ok": 0, "FAILED": 0, "not run": 0}
    with ExitStack() as stack:
        driver = await Driver.start(client)
        stack.callback(driver.stop)
        shared: Service | None = None
        for exchange, way in chosen(client, word):
            if exchange.get("slow") and not os.environ.get("TINTYPE_SLOW"):
                counts["not run"] += 1
                continue
            start, outcome, fault = time.monotonic(), "ok", ""
            with ExitStack() as inner:
                service = None
                if wanted := exchange.get("service"):
                    words = wanted.get("arguments", ())
                    secure = {"tls": wanted.get("tls", False), "asks_clients": wanted.get("asksClients", False)}
                    service = inner.enter_context(
                        services.service(wanted["coordinators"], wanted.get("workers", 1), *words, worker_words=words, **secure))
                elif wanted is not None:
                    # Those that do it no harm share one.
                    service = shared = shared or stack.enter_context(services.service())
                try:
                    async with Run(exchange, way, driver, service) as run:
                        await run.run()
                except (AssertionError, Refused, TimeoutError) as error:
                    outcome, fault = "FAILED", f"\n    {error}"
            counts[outcome] += 1
            print(f"{outcome}: {exchange['name']} ({way}), {time.monotonic() - start:.1f} s{fault}", flush=True)
    print(f"{client}: {counts['ok']} exchanges passed, {counts['FAILED']} failed, {counts['not run']} were not run without TINTYPE_SLOW=1")
    return 1 if counts["FAILED"] or not counts["ok"] else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1] not in ("python", "swift", "typescript"):
        sys.exit(__doc__)
    sys.exit(asyncio.run(main(*sys.argv[1:])))

"""The way to the service: one wire at a time, made anew when it is lost."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from ._address import Address
from ._backoff import Backoff
from ._errors import TintypeError
from ._generated import ErrorName
from ._wire import Wire, WireLost, closed, late

Token = str | Callable[[], str] | None
"""A token, or a function that returns the present one before each connection."""

Trace = Callable[[], Mapping[str, str]] | None
"""A function that returns the caller's place in a trace: `traceparent` and perhaps `tracestate`; an empty mapping outside a trace."""

_log = logging.getLogger("tintype")
"""Connections that are made and lost, at the level INFO."""

_WAITING = frozenset({ErrorName.OVERLOADED, ErrorName.UNAVAILABLE, ErrorName.SHUTTING_DOWN})
"""Errors that say: not now. Nothing was begun, so the same request is sent again."""


GRACE = 30.0
"""The seconds for which a receipt goes on without its client (docs/protocol.md, Disconnecting). After them a cancel comes too late."""
_MOST_ERRANDS = 1000
"""The errands that wait for an answer. Further ones are left out, and the grace ends their receipts."""


class Connection:
    """Calls methods of the service over whichever coordinator answers.

    A call whose wire is lost before the answer is sent again, if it may be repeated.
    """

    def __init__(
        self, addresses: tuple[Address, ...], *, token: Token, tls: ssl.SSLContext | None, silence: float, connect_timeout: float,
        trace: Trace, notify: Callable[[str, Mapping[str, Any]], None], is_watching: Callable[[], bool]
    ) -> None:
        self._addresses = addresses
        self._turn = 0
        self._token = token
        self._tls = tls
        self._silence = silence
        self._connect_timeout = connect_timeout
        # One coordinator that accepts connections and says nothing must leave time for the others.
        self._try_timeout = min(silence, connect_timeout / len(addresses))
        self._trace = trace
        self._notify = notify
        self._is_watching = is_watching
        self._wire: Wire | None = None
        self._waiters: dict[asyncio.Future[Wire], None] = {}
        """The calls without a wire, in their order. Each stays until it goes on, so that no later one overtakes it."""
        self._keeper: asyncio.Task[None] | None = None
        self._errands: set[asyncio.Task[None]] = set()
        self._is_closed = False
        self._last: Exception | None = None
        self.connects = 0
        """How many connections were made."""

    @property
    def token(self) -> str | None:
        if not callable(self._token):
            return self._token
        try:
            return self._token()
        except OSError:
            # A file or a server that gives the token may be there at the next try.
            raise
        except Exception as error:
            raise TintypeError(ErrorName.UNAUTHENTICATED, f"the function of the token has failed: {error!r}", retryable=False) from error

    @property
    def tls(self) -> ssl.SSLContext:
        """How certificates are checked."""
        if self._tls is None:
            self._tls = ssl.create_default_context()
        return self._tls

    @property
    def address(self) -> Address:
        """The address of the coordinator that is used now."""
        return self._wire.address if self._wire else self._addresses[self._turn]

    async def open(self) -> None:
        """Connects to the first coordinator that answers.

        Raises `connect` when none does within the time for it, and `unauthenticated` for a wrong token.
        """
        await self._wait(asyncio.get_running_loop().time() + self._connect_timeout)

    def errand(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs what nobody waits for, such as a cancel. Ends with the connection."""
        if len(self._errands) >= _MOST_ERRANDS:
            return work.close()
        errand = asyncio.get_running_loop().create_task(work, name="tintype: errand")
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)

    async def withdraw(self, receipt: str) -> None:
        """Cancels a receipt that nobody waits for any more. An errand, for it may have to wait for a connection."""
        try:
            await self.call("receipt.cancel", {"receipt": receipt}, within=GRACE)
        except TintypeError:
            pass

    async def close(self) -> None:
        if self._errands:
            await asyncio.wait(self._errands, timeout=1)
        self._is_closed = True
        for errand in self._errands:
            errand.cancel()
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait([self._keeper])
        self._refuse(closed())
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()
            await asyncio.wait([wire.closed], timeout=1)
            wire.abort("the client was closed")

    async def call(self, method: str, params: Mapping[str, Any], *, within: float = 30.0, is_repeatable: bool = True) -> Any:
        """Calls a method.

        - `within`: the seconds for all tries together.
        - `is_repeatable`: whether the call may be sent again when its connection is lost before the answer.
        """
        return (await self.call_on(method, params, within, is_repeatable))[1]

    async def call_on(self, method: str, params: Mapping[str, Any], within: float, is_repeatable: bool = True) -> tuple[Wire, Any]:
        """The same, with the wire that brought the answer."""
        loop = asyncio.get_running_loop()
        end = loop.time() + within
        pauses = Backoff()
        if self._trace is not None and (place := self._trace()):
            params = {**params, "_meta": dict(place)}
        while True:
            wire = self._wire
            if wire is None or self._waiters:
                wire = await self._wait(end)
                if wire is not self._wire:
                    continue
            try:
                return wire, await wire.call(method, params, end)
            except WireLost as lost:
                self._lose(wire)
                if lost.was_sent and not is_repeatable:
                    words = f"{wire.address}: {lost}; {method} was sent, and may have been done: look before sending it again"
                    raise TintypeError(ErrorName.CONNECTION_LOST, words) from None
            except TintypeError as error:
                # Wrong tokens are wrong after the pause too.
                if error.name not in _WAITING or error.data.get("limit") == "wrongTokens":
                    raise
                if error.name is ErrorName.SHUTTING_DOWN:
                    self._retire(wire)
                pause = error.retry_after if error.retry_after is not None else pauses.pause()
                if loop.time() + pause >= end:
                    raise
                await asyncio.sleep(pause)

    def send(self, method: str, params: Mapping[str, Any]) -> None:
        """Sends a notification, if there is a connection."""
        if self._wire is not None:
            self._wire.send(method, params)

    # Wires

    async def _wait(self, end: float) -> Wire:
        """Waits for a wire, behind the calls that wait for one already."""
        if self._is_closed:
            raise closed()
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[Wire] = loop.create_future()
        self._waiters[waiter] = None
        if self._wire is not None:
            # The others go on in this turn of the loop.
            loop.call_soon(_give, waiter, self._wire)
        elif self._keeper is None or self._keeper.done():
            self._keeper = loop.create_task(self._keep(), name="tintype: connect")
        timer = loop.call_at(end, self._expire, waiter)
        try:
            return await waiter
        finally:
            timer.cancel()
            del self._waiters[waiter]

    def _expire(self, waiter: asyncio.Future[Wire]) -> None:
        if not waiter.done():
            names = ", ".join(str(address) for address in self._addresses)
            error = TintypeError(ErrorName.CONNECT, f"no coordinator answers at {names}: {self._last or 'no answer in time'}")
            error.__cause__ = self._last
            waiter.set_exception(error)

    async def _keep(self) -> None:
        """Connects until a wire is there, and as long as receipts are watched, again after each loss."""
        pauses = Backoff()
        while not self._is_closed:
            # A wrong token or certificate of one coordinator says nothing about the others.
            refusals: list[TintypeError] = []
            for _ in self._addresses:
                address = self._addresses[self._turn]
                try:
                    wire = await asyncio.wait_for(self._connect(address), self._try_timeout)
                except ssl.SSLCertVerificationError as error:
                    self._last = TintypeError(ErrorName.TLS, f"{address}: {error.verify_message}: name the authority by tls=ssl.create_default_context(cafile=…)")
                    refusals.append(self._last)
                except TintypeError as error:
                    self._last = error
                    if error.name is ErrorName.UNAUTHENTICATED:
                        refusals.append(error)
                except (OSError, TimeoutError, WireLost) as error:
                    self._last = error
                except Exception as error:
                    # Such as a name that is no name of a host: those that wait have to hear of it.
                    self._last = TintypeError(ErrorName.CONNECT, f"{address}: {error!r}", retryable=False)
                    refusals.append(self._last)
                else:
                    # A connection that was made in the moment of the end: wait_for has taken the cancellation for itself.
                    if self._is_closed:
                        return wire.abort("the client was closed")
                    pauses.reset()
                    self._take(wire)
                    await asyncio.shield(wire.gone)
                    self._last = wire.refusal or ConnectionError(wire.reason)
                    self._lose(wire)
                    _log.info("left %s: %s", wire.address, self._last)
                    break
                _log.info("no connection to %s: %s", address, self._last or "no answer in time")
                self._turn = (self._turn + 1) % len(self._addresses)
            else:
                if len(refusals) == len(self._addresses):
                    return self._refuse(refusals[0])
                pause = self._last.retry_after if isinstance(self._last, TintypeError) else None
                await asyncio.sleep(pauses.pause() if pause is None else pause)

    def _take(self, wire: Wire) -> None:
        self.connects += 1
        self._wire = wire
        _log.info("connected to %s", wire.address)
        for waiter in self._waiters:
            _give(waiter, wire)

    async def _connect(self, address: Address) -> Wire:
        loop = asyncio.get_running_loop()
        wire = Wire(address, self._silence, self._notify, self._is_watching)
        make = lambda: wire  # noqa: E731
        if address.path is not None:
            await loop.create_unix_connection(make, address.path)
        else:
            transport, _ = await loop.create_connection(make, address.host, address.port, ssl=self.tls if address.is_secure else None)
            raw = transport.get_extra_info("socket")
            if raw is not None:
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        try:
            # A coordinator without room closes the connection at once: only an answer shows that this one serves.
            token = self.token
            if token is None:
                await wire.call("system.ping", {}, loop.time() + self._try_timeout)
            else:
                await wire.call("session.authenticate", {"token": token}, loop.time() + self._try_timeout)
        except WireLost as lost:
            raise wire.refusal or lost from None
        except BaseException:
            wire.abort("the connection was refused")
            raise
        return wire

    def _refuse(self, error: TintypeError) -> None:
        """Ends the calls that wait; the next call tries again."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_exception(error)
                waiter.exception()

    def _lose(self, wire: Wire) -> None:
        if self._wire is wire:
            self._wire = None
            self._turn = (self._turn + 1) % len(self._addresses)

    def _retire(self, wire: Wire) -> None:
        """Turns to the next coordinator, because this one stops. Its last answers still come."""
        self._lose(wire)
        wire.retire()


def _give(waiter: asyncio.Future[Wire], wire: Wire) -> None:
    if not waiter.done():
        waiter.set_result(wire)

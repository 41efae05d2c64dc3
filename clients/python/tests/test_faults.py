"""The faults of docs/faults.md that a client sees, with real processes that are killed, stopped and cut off.

Those that wait for leases and grace periods run with TINTYPE_SLOW=1.
"""

from __future__ import annotations

import asyncio
import os
import signal
import unittest
from typing import Any

import service as services
from service import Service, eventually, relay

from tintype import Gap, Image, Output, Rendered, Request, Resize, Started, Succeeded, Task, Tintype

slow = unittest.skipUnless(os.environ.get("TINTYPE_SLOW"), "waits for leases: TINTYPE_SLOW=1")


def is_end(event: object) -> bool:
    return isinstance(event, Succeeded)


async def events_of(task: Task) -> list[Any]:
    return [event async for event in task]


async def check(case: unittest.TestCase, tintype: Tintype) -> None:
    """The rules of the queue hold, once what passes has passed."""

    async def is_well() -> bool:
        return bool((await tintype.methods.system_validate())["ok"])

    await eventually(is_well)


async def has_lost_redis(tintype: Tintype) -> bool:
    """Whether the coordinator knows that its Redis is away."""
    return not (await tintype.methods.system_info())["redis"]["connected"]


class ConnectionTests(unittest.IsolatedAsyncioTestCase):
    """Connections break, and the service goes on."""

    service: Service

    @classmethod
    def setUpClass(cls) -> None:
        cls.service = cls.enterClassContext(services.service())

    async def test_a_cut_connection_costs_nothing(self) -> None:
        service = self.service
        async with relay(service.address()) as (wire, address), Tintype(address) as tintype:
            task = tintype.submit(service.url("/picture.png?gate=cut"), renditions={"a": [Resize(10)], "b": [Resize(20)]}, progress=True)
            events: list[Any] = []

            async def read() -> None:
                async for event in task:
                    events.append(event)

            reading = asyncio.create_task(read())
            await service.asked("/picture.png?gate=cut")
            await eventually(lambda: any(isinstance(event, Started) for event in events))
            for _ in range(3):
                connections = wire.connections
                wire.cut()
                await eventually(lambda: wire.connections > connections and len(wire.methods("image.submit")) > connections)
            await service.open("cut")
            image = await task
            await reading
            self.assertEqual([one.name for one in image.renditions], ["a", "b"])
            self.assertEqual(sum(map(is_end, events)), 1)
            self.assertEqual(sorted(event.name for event in events if isinstance(event, Rendered)), ["a", "b"])
            self.assertEqual(len([event for event in events if isinstance(event, Started)]), 1)
            self.assertTrue(any(isinstance(event, Gap) for event in events))
            self.assertEqual(service.times("/picture.png?gate=cut"), 1)
            self.assertEqual(image.result.attempts, 1)

    async def test_an_answer_that_is_lost_is_asked_for_again_and_nothing_is_done_twice(self) -> None:
        service = self.service
        async with relay(service.address()) as (wire, address), Tintype(address) as tintype:
            wire.swallows = True
            task = tintype.submit(service.url("/picture.png?gate=lost"), Resize(10))
            await service.asked("/picture.png?gate=lost")
            wire.cut()
            wire.swallows = False
            await service.open("lost")
            self.assertEqual((await task).width, 10)
            self.assertEqual(service.times("/picture.png?gate=lost"), 1)
            self.assertEqual(len({str(message["params"]) for message in wire.methods("image.submit")}), 1)

    async def test_a_load_with_a_receipt_goes_on_where_it_was(self) -> None:
        service = self.service
        async with relay(service.address()) as (wire, address), Tintype(address) as tintype:
            loading = asyncio.create_task(tintype.load(service.url("/picture.png?gate=load"), Resize(10), receipt="mine"))
            await service.asked("/picture.png?gate=load")
            wire.cut()
            await eventually(lambda: len(wire.methods("image.load")) == 2)
            await service.open("load")
            self.assertEqual((await loading).receipt, "mine")
            self.assertEqual(service.times("/picture.png?gate=load"), 1)

    async def test_a_load_without_a_receipt_is_sent_again(self) -> None:
        service = self.service
        async with relay(service.address()) as (wire, address), Tintype(address) as tintype:
            loading = asyncio.create_task(tintype.load(service.url("/picture.png?gate=plain"), Resize(10)))
            await service.asked("/picture.png?gate=plain")
            wire.cut()
            await eventually(lambda: len(wire.methods("image.load")) == 2)
            opening = asyncio.create_task(service.open("plain", 2))
            self.assertEqual((await loading).width, 10)
            opening.cancel()

    async def test_a_hundred_tasks_end_once_while_the_connection_breaks_again_and_again(self) -> None:
        service = self.service
        async with relay(service.address()) as (wire, address), Tintype(address) as tintype:
            tasks = [tintype.submit(service.url(f"/picture.png?size=40x30&delay=0.1&many={number}"), Resize(10)) for number in range(100)]
            gathering = asyncio.gather(*(events_of(task) for task in tasks))
            for done in range(0, 90, 15):
                await eventually(lambda: sum(task.done for task in tasks) > done)
                wire.cut()
            events = await gathering
            self.assertEqual([sum(map(is_end, one)) for one in events], [1] * 100)
            counts = service.counts()["counts"]
            self.assertEqual({path: count for path, count in counts.items() if "many=" in path and count > 1}, {})
            await check(self, tintype)

    async def test_a_full_queue_makes_requests_wait(self) -> None:
        service = self.service
        async with Tintype(service.address()) as tintype:
            await tintype.queue().configure(max_queued=1, max_concurrent=1)
            urls = [service.url(f"/picture.png?size=40x30&gate=full&n={number}") for number in range(4)]
            loads = [asyncio.create_task(tintype.load(url, Resize(10))) for url in urls]
            await service.asked("/picture.png?size=40x30&gate=full")
            await service.open("full", 4)
            self.assertEqual([(await load).width for load in loads], [10] * 4)
            await tintype.queue().configure(max_queued=1000, max_concurrent=64)


class FaultTests(unittest.IsolatedAsyncioTestCase):
    def make(self, coordinators: int = 1, workers: int = 1, *words: str, worker_words: tuple[str, ...] = ()) -> Service:
        return self.enterContext(services.service(coordinators, workers, *words, worker_words=worker_words))

    # Coordinators

    async def test_a_killed_coordinator_is_replaced_by_another(self) -> None:
        service = self.make(2)
        async with Tintype(service.address(0), service.address(1)) as tintype:
            task = tintype.submit(service.url("/picture.png?gate=killed"), Resize(10))
            loading = asyncio.create_task(tintype.load(service.url("/picture.png?gate=killed"), Resize(20), receipt="load"))
            batch = await tintype.batch([Request(service.url(f"/picture.png?size=40x30&batch={number}"), [Resize(10)]) for number in range(3)])
            await service.asked("/picture.png?gate=killed")
            service.coordinators[0].kill()
            self.assertGreater(await tintype.ping(), 0)
            self.assertEqual(tintype.coordinator, service.address(1))
            await service.open("killed")
            self.assertEqual(((await task).width, (await loading).width), (10, 20))
            self.assertEqual(service.times("/picture.png?gate=killed"), 1)
            self.assertEqual(len(await batch.results()), 3)
            await check(self, tintype)

    async def test_a_coordinator_that_comes_back_is_connected_to_again(self) -> None:
        service = self.make()
        async with Tintype(service.address()) as tintype:
            task = tintype.submit(service.url("/picture.png?gate=back"), Resize(10))
            await service.asked("/picture.png?gate=back")
            address = service.coordinators[0].words["rpc"]
            service.coordinators[0].kill()
            with self.assertLogs("tintype", "INFO") as logs:
                waiting = asyncio.create_task(tintype.load(service.url("/picture.png?back"), Resize(10)))
                await eventually(lambda: any("no connection to" in line for line in logs.output))
            await asyncio.to_thread(service.coordinator, listen=address)
            self.assertEqual((await waiting).width, 10)
            await service.open("back")
            self.assertEqual((await task).width, 10)
            self.assertEqual(service.times("/picture.png?gate=back"), 1)

    async def test_a_coordinator_that_stands_still_is_left(self) -> None:
        service = self.make(2)
        async with Tintype(service.address(0), service.address(1), silence=1) as tintype:
            task = tintype.submit(service.url("/picture.png?gate=still"), Resize(10))
            await service.asked("/picture.png?gate=still")
            service.coordinators[0].signal(signal.SIGSTOP)
            await eventually(lambda: tintype.coordinator == service.address(1))
            await service.open("still")
            self.assertEqual((await task).width, 10)
            self.assertEqual(service.times("/picture.png?gate=still"), 1)

    async def test_a_stopping_coordinator_hands_its_requests_over(self) -> None:
        service = self.make(2)
        async with Tintype(service.address(0), service.address(1)) as tintype:
            task = tintype.submit(service.url("/picture.png?gate=stop"), Resize(10))
            loading = asyncio.create_task(tintype.load(service.url("/picture.png?gate=stop"), Resize(20)))
            await service.asked("/picture.png?gate=stop")
            # The second signal ends the time that a coordinator takes for its last answers.
            service.coordinators[0].signal(signal.SIGTERM)
            await eventually(lambda: not service.is_ready(0))
            service.coordinators[0].signal(signal.SIGTERM)
            await eventually(lambda: service.coordinators[0].child.poll() is not None)
            await tintype.ping()
            opening = asyncio.create_task(service.open("stop", 2))
            self.assertEqual(((await task).width, (await loading).width), (10, 20))
            opening.cancel()
            await check(self, tintype)

    # Redis

    async def test_a_killed_redis_makes_requests_wait(self) -> None:
        service = self.make()
        async with Tintype(service.address()) as tintype:
            task = tintype.submit(service.url("/picture.png?gate=redis"), Resize(10))
            await service.asked("/picture.png?gate=redis")
            service.signal_redis(signal.SIGKILL)
            loading = asyncio.create_task(tintype.load(service.url("/picture.png?during"), Resize(10)))
            await eventually(lambda: has_lost_redis(tintype))
            self.assertFalse(loading.done())
            await asyncio.to_thread(service.start_redis)
            await service.open("redis")
            self.assertEqual(((await task).width, (await loading).width), (10, 10))
            self.assertEqual(service.times("/picture.png?gate=redis"), 1)
            await check(self, tintype)

    # Workers

    @slow
    async def test_a_killed_worker_is_replaced(self) -> None:
        service = self.make(1, 1, "--lease", "2", worker_words=("--lease", "2"))
        async with Tintype(service.address()) as tintype:
            task = tintype.submit(service.url("/picture.png?gate=worker"), Resize(10))
            await service.asked("/picture.png?gate=worker")
            service.worker("--lease", "2")
            service.workers[0].kill()
            await service.asked("/picture.png?gate=worker", 2)
            await service.open("worker", 1)
            image = await task
            self.assertEqual((image.width, image.result.attempts), (10, 2))
            await check(self, tintype)

    @slow
    async def test_a_frozen_redis_loses_nothing(self) -> None:
        service = self.make()
        async with Tintype(service.address()) as tintype:
            task = tintype.submit(service.url("/picture.png?gate=frozen"), Resize(10))
            await service.asked("/picture.png?gate=frozen")
            service.signal_redis(signal.SIGSTOP)
            loading = asyncio.create_task(tintype.load(service.url("/picture.png?frozen"), Resize(10)))
            await eventually(lambda: has_lost_redis(tintype))
            self.assertFalse(loading.done())
            service.signal_redis(signal.SIGCONT)
            await service.open("frozen")
            self.assertEqual(((await task).width, (await loading).width), (10, 10))

    @slow
    async def test_a_coordinator_that_ends_in_peace_answers_what_it_has(self) -> None:
        service = self.make(2)
        async with Tintype(service.address(0), service.address(1)) as tintype:
            loading = asyncio.create_task(tintype.load(service.url("/picture.png?gate=peace"), Resize(20)))
            await service.asked("/picture.png?gate=peace")
            service.coordinators[0].signal(signal.SIGTERM)
            await eventually(lambda: service.coordinators[0].child.poll() is not None)
            opening = asyncio.create_task(service.open("peace", 2))
            self.assertEqual((await loading).width, 20)
            opening.cancel()
            self.assertEqual(tintype.coordinator, service.address(1))

    @slow
    async def test_a_batch_survives_its_coordinator_while_items_are_under_way(self) -> None:
        service = self.make(2, 1, "--lease", "2", worker_words=("--lease", "2"))
        async with Tintype(service.address(0), service.address(1)) as tintype:
            requests = [Request(service.url(f"/picture.png?size=40x30&delay=0.2&item={number}"), [Resize(10)]) for number in range(60)]
            batch = await tintype.batch(requests, concurrency=8)
            order: list[int] = []
            async for item in batch:
                self.assertEqual(item.unwrap().width, 10)
                order.append(item.index)
                if len(order) == 10:
                    service.coordinators[0].kill()
            self.assertEqual(sorted(order), list(range(60)))
            await check(self, tintype)

    @slow
    async def test_every_request_ends_once_while_coordinators_are_killed_in_turn(self) -> None:
        service = self.make(2)
        addresses = [process.words["rpc"] for process in service.coordinators]
        async with Tintype(service.address(0), service.address(1)) as tintype:

            async def one(number: int) -> Image:
                url = service.url(f"/picture.png?size=40x30&delay=0.05&turn={number}")
                return await (tintype.load(url, Resize(10), receipt=f"t{number}") if number % 2 else tintype.submit(url, Resize(10), output=Output("webp")))

            work = [asyncio.create_task(one(number)) for number in range(300)]
            for turn in range(4):
                await eventually(lambda: sum(one.done() for one in work) >= 50 * (turn + 1))
                service.coordinators[-2].kill()
                await asyncio.to_thread(service.coordinator, listen=addresses[turn % 2])
            images = await asyncio.gather(*work)
            self.assertEqual({image.width for image in images}, {10})
            await check(self, tintype)


if __name__ == "__main__":
    unittest.main()

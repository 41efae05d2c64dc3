"""The client against a real service."""

from __future__ import annotations

import asyncio
import os
import tempfile
import unittest
from pathlib import Path

import service as services
from service import Service, eventually

from tintype import (
    Blur, Cancelled, ErrorName, Failed, Fetch, Output, Phase, Progress, Queued, Rendered, Rendition, Request, Resize, Retry, Started, Succeeded, Task, Timeouts, Tintype,
    TintypeError, blocking,
)

SERVICE: Service
PATIENT = Fetch(timeouts=Timeouts(idle=100, total=100))
"""Nothing but a withdrawal ends such a download while a test waits."""


def setUpModule() -> None:
    global SERVICE
    SERVICE = unittest.enterModuleContext(services.service())


class LoadTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.tintype = await self.enterAsyncContext(Tintype(SERVICE.address()))

    async def test_an_image_has_its_properties_and_its_bytes(self) -> None:
        image = await self.tintype.load(SERVICE.url("/picture.png?load"), Resize(32, 32, fit="cover"), output=Output("webp", quality=80), describe=["thumbhash"])
        self.assertEqual((image.format, image.width, image.height, image.content_type), ("webp", 32, 32, "image/webp"))
        self.assertEqual((image.source.width, image.source.format, image.origin), (1200, "png", "remote"))
        self.assertIn("thumbhash", image.description)
        data = await image.read()
        self.assertTrue(data.startswith(b"RIFF") and len(data) == image.first.bytes)
        with tempfile.TemporaryDirectory() as folder:
            path = await image.save(Path(folder) / "a.webp")
            self.assertEqual((path.read_bytes(), os.listdir(folder)), (data, ["a.webp"]))

    async def test_renditions_share_a_download_and_are_found_by_name(self) -> None:
        image = await self.tintype.load(
            SERVICE.url("/picture.png?renditions"), renditions={"thumb": [Resize(20)], "full": [Resize(60), Blur(preset="light")]}, output=Output("jpeg"))
        self.assertEqual([(one.name, one.width, one.format) for one in image.renditions], [("thumb", 20, "jpeg"), ("full", 60, "jpeg")])
        self.assertEqual(len(await image.read("full")), image["full"].bytes)
        with self.assertRaises(KeyError):
            image["large"]
        self.assertEqual(SERVICE.times("/picture.png?renditions"), 1)

    async def test_a_request_that_is_a_value(self) -> None:
        request = Request(SERVICE.url("/picture.png?value"), renditions=[Rendition("a", [Resize(10)], Output("png"))])
        self.assertEqual((await self.tintype.load(request)).width, 10)
        with self.assertRaises(TypeError):
            await self.tintype.load(request, Resize(3))

    async def test_bytes_in_the_answer_need_no_http(self) -> None:
        tintype = await self.enterAsyncContext(Tintype(SERVICE.address(), http="http://127.0.0.1:1", connect_timeout=3))
        image = await tintype.load(SERVICE.url("/picture.png?inline"), Resize(10), output=Output("png"), deliver="inline")
        self.assertTrue((await image.read()).startswith(b"\x89PNG"))
        other = await tintype.load(SERVICE.url("/picture.png?inline"), Resize(10), output=Output("png"))
        with self.assertRaises(TintypeError) as caught:
            await other.read()
        self.assertEqual(caught.exception.name, ErrorName.CONNECT)

    async def test_an_error_has_its_name_phase_and_causes(self) -> None:
        with self.assertRaises(TintypeError) as caught:
            await self.tintype.load(SERVICE.url("/status/404?error"))
        error = caught.exception
        self.assertEqual((error.name, error.phase, error.status, error.retryable, error.attempts), (ErrorName.HTTP_STATUS, Phase.DOWNLOAD, 404, False, 1))
        with self.assertRaises(TintypeError) as wrong:
            await self.tintype.load(SERVICE.url("/picture.png"), Resize(0))
        self.assertEqual((wrong.exception.name, wrong.exception.data["path"]), (ErrorName.INVALID_PARAMS, "transform[0].width"))

    async def test_a_request_that_is_too_long_is_refused_here(self) -> None:
        with self.assertRaises(TintypeError) as caught:
            await self.tintype.load("data:image/png;base64," + "A" * (5 << 20))
        self.assertEqual(caught.exception.name, ErrorName.INVALID_REQUEST)
        self.assertGreater(await self.tintype.ping(), 0)

    async def test_a_probe_an_upload_and_the_caches(self) -> None:
        probe = await self.tintype.probe(SERVICE.url("/picture.png?probe"), describe=["animation"])
        self.assertEqual((probe.source.width, probe.description), (1200, {"animation": None}))
        data = await (await self.tintype.load(SERVICE.url("/picture.png?probe"), Resize(40), output=Output("png"))).read()
        upload = await self.tintype.upload(data)
        self.assertEqual((upload.bytes, upload.content_type), (len(data), "image/png"))
        image = await self.tintype.load(upload.url, Resize(20))
        self.assertEqual(image.width, 20)
        kept = await self.tintype.cache.get(image.key)
        self.assertEqual(kept and kept.width, 20)
        self.assertGreaterEqual(await self.tintype.cache.remove(image.key), 1)
        self.assertIsNone(await self.tintype.cache.get(image.key))
        with self.assertRaises(TintypeError) as caught:
            await image.read()
        self.assertEqual(caught.exception.name, ErrorName.CACHE_MISS)

    async def test_a_queue_and_the_methods(self) -> None:
        queue = self.tintype.queue("bulk")
        await queue.configure(order="lifo", max_concurrent_per_host=4)
        info = await queue.info()
        self.assertEqual((info.order, info.limits.max_concurrent_per_host, info.paused), ("lifo", 4, False))
        self.assertTrue((await queue.pause()).paused)
        self.assertFalse((await queue.resume()).paused)
        self.assertIn("bulk", [one.name for one in await self.tintype.methods.queue_list()])
        self.assertEqual((await self.tintype.methods.cache_contains(key="none"))["tiers"], [])

    async def test_dead_letters_are_listed_retried_and_removed(self) -> None:
        queue = self.tintype.queue()
        url = SERVICE.url("/status/503?dead")
        with self.assertRaises(TintypeError):
            await self.tintype.load(url, fetch=Fetch(retry=Retry(attempts=1)))
        letters = [letter async for letter in queue.dead_letters()]
        self.assertEqual([(letter.error.name, letter.error.status, letter.retryable) for letter in letters], [(ErrorName.HTTP_STATUS, 503, True)])
        self.assertTrue(letters[0].url.startswith(SERVICE.url("/status/503")))
        self.assertTrue(await letters[0].retry())
        self.assertFalse(await letters[0].remove())


class TaskTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.tintype = await self.enterAsyncContext(Tintype(SERVICE.address()))

    async def test_a_task_is_iterated_and_awaited(self) -> None:
        task = self.tintype.submit(SERVICE.url("/picture.png?task"), renditions={"a": [Resize(10)], "b": [Resize(20)]}, progress=True)
        seen, phases = [], []
        async for event in task:
            match event:
                case Queued() | Started() | Succeeded():
                    seen.append(type(event).__name__)
                case Rendered(name=name):
                    seen.append(name or "")
                case Progress(phase=phase, fraction=fraction):
                    phases.append(phase)
                    self.assertTrue(fraction is None or 0 <= fraction <= 1)
        self.assertEqual(seen, ["Queued", "Started", "a", "b", "Succeeded"])
        self.assertIn("download", phases)
        self.assertEqual((await task)["b"].width, 20)
        self.assertEqual([type(event).__name__ for event in [event async for event in task]][-1], "Succeeded")

    async def test_without_progress_the_end_comes_alone(self) -> None:
        task = self.tintype.submit(SERVICE.url("/picture.png?alone"), renditions={"a": [Resize(10)]})
        self.assertEqual([type(event).__name__ for event in [event async for event in task]], ["Succeeded"])

    async def test_a_failed_task_ends_its_events_and_raises_where_it_is_awaited(self) -> None:
        task = self.tintype.submit(SERVICE.url("/status/404?task"))
        events = [event async for event in task]
        self.assertIsInstance(events[-1], Failed)
        with self.assertRaises(TintypeError):
            await task

    async def test_cancelling_what_awaits_ends_the_download(self) -> None:
        for number, work in enumerate([self.wait_for_task, self.wait_for_load, self.read_events]):
            path = f"/hang?cancel{number}"
            waiting = asyncio.create_task(work(SERVICE.url(path)))
            await SERVICE.asked(path)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            await eventually(lambda: SERVICE.running() == 0)

    async def wait_for_task(self, url: str) -> None:
        await self.tintype.submit(url, deadline=500, fetch=PATIENT)

    async def wait_for_load(self, url: str) -> None:
        await self.tintype.load(url, deadline=500, fetch=PATIENT)

    async def read_events(self, url: str) -> None:
        async for _ in self.tintype.submit(url, deadline=500, fetch=PATIENT):
            pass

    async def test_a_failure_in_a_task_group_withdraws_the_others(self) -> None:
        with self.assertRaises(ExceptionGroup) as caught:
            async with asyncio.TaskGroup() as group:
                group.create_task(self.wait_for_task(SERVICE.url("/hang?group1")))
                group.create_task(self.wait_for_load(SERVICE.url("/hang?group2")))
                await SERVICE.asked("/hang?group1")
                await SERVICE.asked("/hang?group2")
                group.create_task(self.wait_for_load(SERVICE.url("/status/404?group")))
        self.assertEqual([type(one) for one in caught.exception.exceptions], [TintypeError])
        await eventually(lambda: SERVICE.running() == 0)

    async def test_a_timeout_of_asyncio_withdraws(self) -> None:
        with self.assertRaises(TimeoutError):
            async with asyncio.timeout(0.3):
                await self.tintype.load(SERVICE.url("/hang?timeout"), deadline=500, fetch=PATIENT)
        await eventually(lambda: SERVICE.running() == 0)

    async def test_a_deadline_is_an_error(self) -> None:
        with self.assertRaises(TintypeError) as caught:
            await self.tintype.load(SERVICE.url("/hang?deadline"), deadline=0.2)
        self.assertEqual((caught.exception.name, caught.exception.phase is not None), (ErrorName.DEADLINE_EXCEEDED, True))

    async def test_a_task_is_cancelled_paused_and_resumed(self) -> None:
        task = self.tintype.submit(SERVICE.url("/hang?pause"))
        await SERVICE.asked("/hang?pause")
        await task.pause()
        self.assertEqual((await task.state())["state"], "paused")
        await task.resume()
        await task.set_priority("high")
        self.assertTrue(await task.cancel())
        events = [event async for event in task]
        self.assertIsInstance(events[-1], Cancelled)
        with self.assertRaises(TintypeError) as caught:
            await task
        self.assertEqual(caught.exception.name, ErrorName.CANCELLED)
        self.assertFalse(await task.cancel())

    async def test_closing_lets_receipts_go_on(self) -> None:
        other = await self.enterAsyncContext(Tintype(SERVICE.address()))
        task = other.submit(SERVICE.url("/hang?closed"), deadline=500, fetch=PATIENT)
        await SERVICE.asked("/hang?closed")
        await other.aclose()
        with self.assertRaisesRegex(TintypeError, "cancelled: the client was closed"):
            await task
        with self.assertRaisesRegex(TintypeError, "cancelled: the client was closed"):
            await other.ping()
        again = self.tintype.task(task.receipt)
        self.assertEqual((await again.state())["state"], "running")
        await again.cancel()
        with self.assertRaises(TintypeError):
            await again

    async def test_events_tell_of_the_trace_of_their_request(self) -> None:
        trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        async with Tintype(SERVICE.address(), trace=lambda: {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}) as tintype:
            events = [event async for event in tintype.submit(SERVICE.url("/picture.png?trace"), Resize(10))]
        self.assertEqual({(event.traceparent or "")[3:35] for event in events}, {trace})

    async def test_two_tasks_of_one_receipt_both_end(self) -> None:
        first = self.tintype.submit(SERVICE.url("/picture.png?gate=pair"), Resize(10), receipt="pair")
        await SERVICE.asked("/picture.png?gate=pair")
        second, third = self.tintype.task("pair"), self.tintype.submit(SERVICE.url("/picture.png?gate=pair"), Resize(10), receipt="pair")
        reading = asyncio.create_task(self.count(second))
        await SERVICE.open("pair")
        self.assertEqual([(await task).width for task in (first, second, third)], [10, 10, 10])
        self.assertEqual(await reading, 1)
        self.assertEqual(SERVICE.times("/picture.png?gate=pair"), 1)

    async def count(self, task: Task) -> int:
        return len([event async for event in task if isinstance(event, Succeeded)])

    async def test_the_same_receipt_is_the_same_request(self) -> None:
        url = SERVICE.url("/picture.png?twice")
        first, second = self.tintype.submit(url, receipt="twice"), self.tintype.task("unknown", within=3)
        self.assertEqual((await first).receipt, "twice")
        self.assertEqual((await self.tintype.submit(url, receipt="twice")).receipt, "twice")
        self.assertEqual((await self.tintype.task("twice")).receipt, "twice")
        self.assertEqual(SERVICE.times("/picture.png?twice"), 1)
        with self.assertRaises(TintypeError) as caught:
            await second
        self.assertEqual(caught.exception.name, ErrorName.UNKNOWN_RECEIPT)


class GroupTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.tintype = await self.enterAsyncContext(Tintype(SERVICE.address()))

    def requests(self, name: str, count: int) -> list[Request]:
        return [Request(SERVICE.url(f"/picture.png?size=40x30&{name}={index}"), [Resize(10)]) for index in range(count)]

    async def test_items_come_as_they_end_each_once(self) -> None:
        requests = self.requests("batch", 30)
        requests[3] = Request(SERVICE.url("/picture.png?size=40x30&gate=batch"), [Resize(10)])
        requests[7] = Request(SERVICE.url("/status/404?batch"))
        batch = await self.tintype.batch(requests, mode="settleAll", concurrency=4)
        order: list[int] = []
        async for item in batch:
            order.append(item.index)
            if item.index == 7:
                self.assertEqual(item.error and item.error.name, ErrorName.HTTP_STATUS)
                with self.assertRaises(TintypeError):
                    item.unwrap()
            else:
                self.assertEqual(item.unwrap().width, 10)
            if len(order) == 20:
                await SERVICE.open("batch")
        self.assertEqual(sorted(order), list(range(30)))
        self.assertGreaterEqual(order.index(3), 20)
        self.assertEqual((batch.total, batch.finished), (30, 30))

    async def test_results_are_in_the_order_of_the_requests(self) -> None:
        items = await (await self.tintype.batch(self.requests("ordered", 8))).results()
        self.assertEqual([item.index for item in items], list(range(8)))

    async def test_fail_fast_raises_the_first_failure(self) -> None:
        batch = await self.tintype.batch([Request(SERVICE.url("/hang?fast"), deadline=500, fetch=PATIENT), SERVICE.url("/status/404?fast")])
        with self.assertRaises(TintypeError) as caught:
            await batch.results()
        self.assertEqual((caught.exception.name, caught.exception.__notes__), (ErrorName.HTTP_STATUS, ["item 1 of the batch"]))
        await eventually(lambda: SERVICE.running() == 0)

    async def test_a_chain_uses_earlier_results_and_ends_at_its_first_failure(self) -> None:
        url = SERVICE.url("/picture.png?chain")
        chain = await self.tintype.chain([Request(url, [Resize(90)]), Request("${steps[0].source.finalURL}", [Resize(45)])])
        self.assertEqual([item.unwrap().width async for item in chain], [90, 45])
        broken = await self.tintype.chain([Request(url, [Resize(30)]), SERVICE.url("/status/404?chain"), url])
        order: list[int] = []
        with self.assertRaises(TintypeError) as caught:
            async for item in broken:
                order.append(item.index)
        self.assertEqual((caught.exception.name, order[:2]), (ErrorName.HTTP_STATUS, [0, 1]))

    async def test_cancelling_what_reads_a_batch_cancels_the_batch(self) -> None:
        batch = await self.tintype.batch([Request(SERVICE.url("/hang?batch"), deadline=500, fetch=PATIENT)])
        reading = asyncio.create_task(batch.results())
        # The origin may have been asked already, and a task that is cancelled before it has begun does nothing.
        await asyncio.sleep(0)
        await SERVICE.asked("/hang?batch")
        reading.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await reading
        await eventually(lambda: SERVICE.running() == 0)

    async def test_a_prefetch_fills_the_caches(self) -> None:
        urls = [SERVICE.url("/picture.png?size=40x30&prefetch"), SERVICE.url("/status/404?prefetch")]
        summary = await (await self.tintype.prefetch(urls, Resize(10), output=Output("png"))).done()
        self.assertEqual((summary.finished, summary.skipped, [*summary.errors]), (2, 1, [1]))
        image = await self.tintype.load(urls[0], Resize(10), output=Output("png"))
        self.assertIn(image.origin, ("memory", "results"))


class BlockingTests(unittest.TestCase):
    def test_the_same_words_without_asyncio(self) -> None:
        with blocking.Tintype(SERVICE.address()) as tintype:
            image = tintype.load(SERVICE.url("/picture.png?blocking"), Resize(12), output=Output("png"))
            self.assertEqual((image.width, image.read()[:4]), (12, b"\x89PNG"))
            task = tintype.submit(SERVICE.url("/picture.png?blocking-task"), Resize(12))
            self.assertEqual([type(event).__name__ for event in task][-1], "Succeeded")
            self.assertEqual(task.result().width, 12)
            items = list(tintype.batch([SERVICE.url("/picture.png?blocking"), SERVICE.url("/status/404?blocking")], mode="settleAll"))
            self.assertEqual(sorted((item.index, item.image is None) for item in items), [(0, False), (1, True)])
            self.assertEqual(tintype.prefetch([SERVICE.url("/picture.png?blocking")]).done().finished, 1)
            self.assertEqual(tintype.queue().name, "default")
            self.assertEqual(tintype.call("system.ping"), "pong")
            with self.assertRaises(TintypeError):
                tintype.load(SERVICE.url("/status/404?blocking"))
        tintype.close()

    def test_threads_share_a_client(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        with blocking.Tintype(SERVICE.address()) as tintype, ThreadPoolExecutor(8) as pool:
            widths = list(pool.map(lambda width: tintype.load(SERVICE.url("/picture.png?threads"), Resize(width)).width, range(10, 42)))
        self.assertEqual(widths, list(range(10, 42)))

    def test_a_forked_process_is_told_to_make_its_own(self) -> None:
        with blocking.Tintype(SERVICE.address()) as tintype:
            child = os.fork()
            if child == 0:
                try:
                    tintype.ping()
                except RuntimeError as error:
                    os._exit(7 if "fork" in str(error) else 1)
                os._exit(1)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)


if __name__ == "__main__":
    unittest.main()

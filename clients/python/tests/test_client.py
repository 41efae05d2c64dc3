"""The client against a real service."""

from __future__ import annotations

import asyncio
import os
import ssl
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

    async def test_renditions_are_found_by_name(self) -> None:
        image = await self.tintype.load(
            SERVICE.url("/picture.png?renditions"), renditions={"thumb": [Resize(20)], "full": [Resize(60), Blur(preset="light")]}, output=Output("jpeg"))
        self.assertEqual(len(await image.read("full")), image["full"].bytes)
        with self.assertRaises(KeyError):
            image["large"]

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

    async def test_cancelling_what_reads_the_events_ends_the_download(self) -> None:
        async def read() -> None:
            async for _ in self.tintype.submit(SERVICE.url("/hang?cancel"), deadline=500, fetch=PATIENT):
                pass

        reading = asyncio.create_task(read())
        await SERVICE.asked("/hang?cancel")
        reading.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await reading
        await eventually(lambda: SERVICE.running() == 0)

    async def wait_for_task(self, url: str) -> None:
        await self.tintype.submit(url, deadline=500, fetch=PATIENT)

    async def wait_for_load(self, url: str) -> None:
        await self.tintype.load(url, deadline=500, fetch=PATIENT)

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

    async def test_events_tell_of_the_trace_of_their_request(self) -> None:
        trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        async with Tintype(SERVICE.address(), trace=lambda: {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}) as tintype:
            events = [event async for event in tintype.submit(SERVICE.url("/picture.png?trace"), Resize(10))]
        self.assertEqual({(event.traceparent or "")[3:35] for event in events}, {trace})


class GroupTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.tintype = await self.enterAsyncContext(Tintype(SERVICE.address()))

    async def test_an_item_has_an_image_or_an_error(self) -> None:
        batch = await self.tintype.batch([Request(SERVICE.url("/picture.png?item"), [Resize(10)]), SERVICE.url("/status/404?item")], mode="settleAll")
        items = await batch.results()
        self.assertEqual([items[0].unwrap().width, items[1].error and items[1].error.name], [10, ErrorName.HTTP_STATUS])
        with self.assertRaises(TintypeError):
            items[1].unwrap()
        self.assertEqual((batch.total, batch.finished), (2, 2))


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

    def test_the_same_over_tls_with_a_token(self) -> None:
        with services.service(tls=True) as service:
            trust = ssl.create_default_context(cafile=service.folder / "ca.pem")
            with blocking.Tintype(service.address(scheme="tls"), token="operator-token", tls=trust) as tintype:
                data = tintype.load(service.url("/picture.png?tls"), Resize(20), output=Output("png")).read()
                self.assertEqual(tintype.load(tintype.upload(data).url, Resize(10)).width, 10)
            with blocking.Tintype(service.address(scheme="tls"), token="reader-token", tls=trust) as tintype, self.assertRaises(TintypeError) as caught:
                tintype.upload(b"\x89PNG")
            self.assertEqual(caught.exception.name, ErrorName.FORBIDDEN)

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

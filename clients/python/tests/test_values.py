"""The pure parts: framing, addresses, pauses, events, records, errors, signatures."""

from __future__ import annotations

import asyncio
import pickle
import tempfile
import unittest
from pathlib import Path

from tintype import (
    BasicAuth, BearerAuth, Blur, Callback, ErrorName, Fetch, FallbackColor, Gap, ImageResult, Offsets, Output, Phase, Preview, Progress, Rendered, Rendition, Request, Resize, Retry, Signer,
    Succeeded, TintypeError,
)
from tintype._address import Address, addresses
from tintype._backoff import Backoff
from tintype._events import MOST_KEPT, EventQueue
from tintype._http import Answer, failure
from tintype._lines import Lines


class LinesTests(unittest.TestCase):
    def test_any_cut_of_the_bytes_gives_the_same_lines(self) -> None:
        text = b'{"a":1}\n\n{"b":"\xc3\xa4"}\n{"c":3}\n'
        for size in range(1, len(text) + 1):
            lines = Lines()
            found = [line for start in range(0, len(text), size) for line in lines.feed(text[start : start + size])]
            self.assertEqual(found, [b'{"a":1}', b"", b'{"b":"\xc3\xa4"}', b'{"c":3}'], size)

    def test_a_line_without_end_is_refused(self) -> None:
        lines = Lines(most=10)
        lines.feed(b"0123456789")
        with self.assertRaises(ValueError):
            lines.feed(b"0")


class AddressTests(unittest.TestCase):
    def test_spellings(self) -> None:
        for text, expected in {
            "tcp://h:1": Address("h", 1), "tls://h:1": Address("h", 1, is_secure=True), "h": Address("h", 7411), "h:2": Address("h", 2),
            "tcp://[::1]:3": Address("::1", 3), "unix:///run/t.sock": Address("", 0, path="/run/t.sock"),
        }.items():
            self.assertEqual(Address.parse(text), expected)
        self.assertEqual([str(one) for one in addresses(("tcp://a:1, tls://b", "[::1]:4"))], ["tcp://a:1", "tls://b:7411", "tcp://[::1]:4"])

    def test_what_is_no_address_is_refused(self) -> None:
        for text in ["http://h:1", "tcp://", "tcp://user@h:1", "tcp://h:1/path", "tcp://h:port"]:
            with self.assertRaises(ValueError, msg=text):
                Address.parse(text)
        with self.assertRaises(ValueError):
            addresses(("",))


class BackoffTests(unittest.TestCase):
    def test_pauses_double_up_to_the_limit_and_begin_again(self) -> None:
        backoff = Backoff(first=1, most=5, chance=lambda: 0)
        self.assertEqual([backoff.pause() for _ in range(5)], [1, 2, 4, 5, 5])
        backoff.reset()
        self.assertEqual(backoff.pause(), 1)

    def test_chance_takes_up_to_half(self) -> None:
        self.assertEqual(Backoff(first=4, most=4, chance=lambda: 1).pause(), 2)


def progress(number: int, phase: str = "download") -> Progress:
    return Progress(receipt="r", seq=number, at=0, queue="q", phase=phase)


def rendered(number: int) -> Rendered:
    return Rendered(receipt="r", seq=number, at=0, queue="q", name=str(number), key="k", url="/", content_type="image/png", bytes=1)


class EventQueueTests(unittest.IsolatedAsyncioTestCase):
    async def drained(self, queue: EventQueue) -> list[object]:
        queue.end()
        found: list[object] = []
        while (event := await queue.get()) is not None:
            found.append(event)
        return found

    async def test_the_newest_progress_of_a_phase_stands_for_those_before(self) -> None:
        queue = EventQueue()
        for number in range(1000):
            queue.put(progress(number))
        queue.put(progress(1000, "decode"))
        self.assertEqual([event.seq for event in await self.drained(queue) if isinstance(event, Progress)], [999, 1000])

    async def test_one_preview_is_kept(self) -> None:
        queue = EventQueue()
        for number in range(100):
            queue.put(Preview(receipt="r", seq=number, at=0, queue="q", width=1, height=1, data=b"\xff" * 100))
            queue.put(progress(number, str(number)))
        previews = [event for event in await self.drained(queue) if isinstance(event, Preview)]
        self.assertEqual([event.seq for event in previews], [99])

    async def test_a_slow_reader_gets_every_rendition_and_the_end_of_many_events(self) -> None:
        queue = EventQueue()
        for number in range(100_000):
            queue.put(progress(number, str(number % 7)))
            self.assertLessEqual(len(queue), MOST_KEPT)
            if number % 10_000 == 0:
                queue.put(rendered(number))
        queue.put(Succeeded(receipt="r", seq=9, at=0, queue="q", result=ImageResult.from_json({})))
        found = await self.drained(queue)
        self.assertEqual(len([one for one in found if isinstance(one, Rendered)]), 10)
        self.assertIsInstance(found[-1], Succeeded)

    async def test_a_waiting_reader_gets_what_comes(self) -> None:
        queue = EventQueue()
        reading = asyncio.create_task(queue.get())
        await asyncio.sleep(0)
        queue.put(Gap(3))
        self.assertEqual(await reading, Gap(3))


class RecordTests(unittest.TestCase):
    def test_a_request_has_the_names_of_the_wire_and_only_what_was_given(self) -> None:
        request = Request(
            "http://h/", [Resize(320, fit="cover", min_width=10, gravity=Offsets("top", offset_x=3)), Blur(preset="light")], Output("webp", quality=80),
            fetch=Fetch(retry=Retry(on=["dns"]), max_bytes=5), as_="image", fallback=FallbackColor("red", 1, 2), user_info={"n": [1, None]})
        self.assertEqual(request.to_json(), {
            "url": "http://h/",
            "transform": [
                {"op": "resize", "width": 320, "minWidth": 10, "fit": "cover", "gravity": {"place": "top", "offsetX": 3}},
                {"op": "blur", "preset": "light"},
            ],
            "output": {"format": "webp", "quality": 80}, "fetch": {"maxBytes": 5, "retry": {"on": ["dns"]}},
            "as": "image", "fallback": {"color": "red", "width": 1, "height": 2}, "userInfo": {"n": [1, None]},
        })

    def test_an_explicit_default_is_sent_because_rules_yield_to_clients(self) -> None:
        self.assertEqual(Resize(1, fit="inside").to_json(), {"op": "resize", "width": 1, "fit": "inside"})
        self.assertEqual(Rendition("a", [], None).to_json(), {"name": "a", "transform": []})

    def test_a_secret_is_not_shown(self) -> None:
        shown = repr(Request("http://h/", fetch=Fetch(auth=BearerAuth("hidden"), headers={"X-Key": "hidden"}), callback=Callback("http://hidden/", secret="hidden")))
        self.assertNotIn("hidden", shown + repr(BearerAuth("hidden")) + repr(BasicAuth(["u", "hidden"])))
        self.assertIn("http://h/", shown)

    def test_a_result_is_read_with_unknown_and_missing_members(self) -> None:
        result = ImageResult.from_json({
            "from": "remote", "new": 1, "source": {"finalURL": "u"}, "metrics": {"firstByte": 0.5},
            "renditions": [{"key": "k", "contentType": "image/png", "data": "AAE=", "stored": ["memory"], "saved": {"place": "p", "name": "n"}}],
        })
        self.assertEqual((result.from_, result.source.final_url, result.metrics and result.metrics.first_byte), ("remote", "u", 0.5))
        info = result.renditions[0]
        self.assertEqual((info.data, info.stored, info.saved and info.saved.name, info.width), (b"\0\1", ("memory",), "n", None))

    def test_events_keep_the_members_of_all_events(self) -> None:
        event = Progress.from_json({"receipt": "r", "seq": 1, "at": 2.5, "queue": "q", "phase": "download", "receivedBytes": 3, "userInfo": {"a": 1}})
        self.assertEqual((event.received_bytes, event.user_info, event.seq), (3, {"a": 1}, 1))
        match event:
            case Progress(phase="download", received_bytes=bytes_):
                self.assertEqual(bytes_, 3)
            case _:
                self.fail("no match")


class ErrorTests(unittest.TestCase):
    def test_an_error_object(self) -> None:
        error = TintypeError.from_json({
            "code": 1050, "message": "full", "data": {"name": "overloaded", "phase": "admission", "retryable": True, "retryAfter": 2}})
        self.assertEqual((error.name, error.phase, error.retryable, error.retry_after), (ErrorName.OVERLOADED, Phase.ADMISSION, True, 2.0))
        self.assertEqual(str(error), "overloaded: full")
        self.assertEqual(error.name.code, 1050)

    def test_an_error_of_a_newer_service(self) -> None:
        error = TintypeError.from_json({"code": 1999, "message": "m", "data": {"name": "novel", "phase": "moon"}})
        self.assertEqual((error.name, error.phase, error.data["name"]), (ErrorName.INTERNAL, None, "novel"))
        self.assertEqual(TintypeError.from_json({"code": 1010, "message": "m"}).name, ErrorName.HTTP_STATUS)

    def test_an_answer_of_a_proxy_is_an_error_of_the_client(self) -> None:
        for body in (b"<html>", b'{"error": "text"}', b"[]"):
            error = failure(Answer(503, {"retry-after": "Fri, 27 Nov 2026 12:00:00 GMT"}, body), "the picture")
            self.assertEqual((error.name, error.retry_after, error.status), (ErrorName.OVERLOADED, None, 503))
        self.assertEqual(failure(Answer(429, {"retry-after": "2"}, b""), "the picture").retry_after, 2)

    def test_an_error_survives_pickle(self) -> None:
        error = pickle.loads(pickle.dumps(TintypeError(ErrorName.TIMEOUT, "slow", phase=Phase.DOWNLOAD, data={"attempts": 3})))
        self.assertEqual((error.name, error.message, error.phase, error.attempts), (ErrorName.TIMEOUT, "slow", Phase.DOWNLOAD, 3))


class SignerTests(unittest.TestCase):
    KEY = "736563726574"
    SALT = "68656c6c6f"

    def test_the_example_of_imgproxys_documentation(self) -> None:
        path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
        self.assertEqual(Signer(self.KEY, self.SALT).signature(path), "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8")

    def test_spellings_of_a_source(self) -> None:
        signer = Signer(self.KEY, self.SALT, "https://p.example/")
        url = signer.url("http://h/a b?c@d", "rs:fill:1:2/q:80", format="webp", plain=True)
        self.assertRegex(url, r"^https://p\.example/[\w-]{43}/rs:fill:1:2/q:80/plain/http://h/a%20b%3Fc%40d@webp$")
        self.assertTrue(signer.url("http://h/", "w:1").endswith("/w:1/aHR0cDovL2gv"))
        self.assertIn("/plain/http%3A%2F%2Fh%2F..%2Fa", signer.url("http://h/../a", plain=True))
        self.assertRegex(signer.url("http://h/", expires_in=60), r"/exp:\d{10}/")

    def test_a_key_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "keys"
            file.write_text(f"# keys\n{self.KEY} {self.SALT}\n00 11\n")
            self.assertEqual(Signer.from_file(file).signature("/a"), Signer(self.KEY, self.SALT).signature("/a"))
            file.write_text("nothing\n")
            with self.assertRaises(ValueError):
                Signer.from_file(file)
        with self.assertRaises(ValueError):
            Signer("", "")


if __name__ == "__main__":
    unittest.main()

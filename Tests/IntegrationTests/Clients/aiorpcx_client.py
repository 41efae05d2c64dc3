"""aiorpcX (line framing) against a running coordinator: requests, many in flight, a notification, an error, a batch."""
import asyncio
import sys

import aiorpcx


async def main(port: int, url: str) -> None:
    async with aiorpcx.connect_rs("127.0.0.1", port, framer=aiorpcx.NewlineFramer(max_size=8 * 1024 * 1024)) as session:
        session.sent_request_timeout = 60
        assert await session.send_request("system.ping", {}) == "pong"

        async def load(width: int):
            return await session.send_request(
                "image.load",
                {"url": url, "transform": [{"op": "resize", "width": width}], "output": {"format": "jpeg"}},
            )

        results = await asyncio.gather(*(load(width) for width in range(40, 60)))
        for width, result in zip(range(40, 60), results):
            assert result["state"] == "succeeded", result
            assert result["renditions"][0]["width"] == width, result

        await session.send_notification("system.ping", {})
        try:
            await session.send_request("image.laod", {})
            raise AssertionError("an unknown method was answered")
        except aiorpcx.RPCError as error:
            assert error.code == -32601, error

        async with session.send_batch() as batch:
            batch.add_request("system.ping", {})
            batch.add_request("queue.get", {"queue": "default"})
        assert batch.results[0] == "pong", batch.results
        assert batch.results[1]["name"] == "default", batch.results
    print("ok")


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))

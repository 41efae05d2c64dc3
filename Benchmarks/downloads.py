"""Downloads URL&n=… COUNT times with aiohttp, at most MANY at once: what one would write without a service."""

import asyncio
import sys

import aiohttp


async def main(url: str, count: int, many: int) -> None:
    gate = asyncio.Semaphore(many)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=many)) as session:

        async def one(number: int) -> None:
            async with gate, session.get(f"{url}&n=p{number}") as answer:
                answer.raise_for_status()
                await answer.read()

        await asyncio.gather(*(one(number) for number in range(count)))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))

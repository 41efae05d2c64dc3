"""Cached loads through the Python client, for `scripts/bench rpc`: one connection, 1 and 64 in flight.

    python_client.py COORDINATOR URL SECONDS

Prints a row for each, and the CPU that the client took for a load."""

import asyncio
import sys
import time

sys.path.insert(0, "clients/python/src")

from tintype import Output, Resize, Tintype  # noqa: E402


async def measure(tintype, url, in_flight, seconds):
    times = []
    end = time.perf_counter() + seconds

    async def one_after_the_other():
        while (begun := time.perf_counter()) < end:
            await tintype.load(url, Resize(160), output=Output("jpeg"))
            times.append(time.perf_counter() - begun)

    cpu = time.process_time()
    await asyncio.gather(*(one_after_the_other() for _ in range(in_flight)))
    cpu = time.process_time() - cpu
    times.sort()
    p50, p99 = (times[int(len(times) * part)] * 1000 for part in (0.5, 0.99))
    name = f"the Python client, 1 connection × {in_flight} in flight, {cpu / len(times) * 1e6:.0f} µs of its CPU a load"
    print(f"| {name} | {len(times) / seconds:.0f} | {p50:.2f} | {p99:.2f} |")


async def main(coordinator, url, seconds):
    async with Tintype(coordinator) as tintype:
        await tintype.load(url, Resize(160), output=Output("jpeg"))
        for in_flight in (1, 64):
            await measure(tintype, url, in_flight, seconds)


asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))

"""Jobs that do nothing, in job queues everybody knows, on the same Redis server program: what `scripts/bench queue` prints beside ours.

    peers.py NAME REDIS_URL    NAME: dramatiq, rq, celery, bullmq; prints name=value words

One worker process each, the ordinary API, as their documents tell. Latency is from before the enqueue to the first line of the handler:
none of them tells the submitter of the end, so ours (submit to terminal event at the client) goes two hops further.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import time

import redis

# A peer's own worker program imports this file: its command line is not ours then.
NAME, URL = sys.argv[1:3] if __name__ == "__main__" else ("", os.environ["PEER_REDIS"])
PACED, RATE, FLAT = 500, 100, 2000
store = redis.Redis.from_url(URL)


def work(sent):
    """The handler: notes when it was reached."""
    store.rpush("seen", repr(time.time() - sent))


def dramatiq_actor():
    import dramatiq
    from dramatiq.brokers.redis import RedisBroker

    dramatiq.set_broker(RedisBroker(url=URL))
    return dramatiq.actor(work)


def celery_task():
    import celery

    app = celery.Celery("peers", broker=URL)
    app.conf.task_ignore_result = True
    return app, app.task(work, name="work")


if os.environ.get("PEER") == "dramatiq":
    actor = dramatiq_actor()
elif os.environ.get("PEER") == "celery":
    app, task = celery_task()


async def bullmq_worker():
    import bullmq

    async def handle(job, token):
        work(job.data["sent"])

    worker = bullmq.Worker("noop", handle, {"connection": URL, "concurrency": 10})
    await asyncio.Event().wait()


def worker():
    """Starts the peer's own worker program."""
    bin = os.path.dirname(sys.executable)
    here = os.path.dirname(os.path.abspath(__file__))
    command = {
        "dramatiq": [f"{bin}/dramatiq", "--processes", "1", "--threads", "8", "peers"],
        "rq": [f"{bin}/rq", "worker", "--url", URL, "-w", "rq.worker.SimpleWorker", "--quiet"],
        "celery": [f"{bin}/celery", "-A", "peers", "worker", "--pool", "solo", "--loglevel", "ERROR", "--without-gossip", "--without-mingle"],
        "bullmq": [sys.executable, __file__, "bullmq-worker", URL],
    }[NAME]
    environment = dict(os.environ, PEER=NAME, PEER_REDIS=URL, PYTHONPATH=here, PYTHONDONTWRITEBYTECODE="1")
    return subprocess.Popen(command, env=environment, cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def enqueuer():
    """A coroutine function that enqueues one job, and one that closes what it used."""
    if NAME == "bullmq":
        import bullmq

        queue = bullmq.Queue("noop", {"connection": URL})

        async def add():
            await queue.add("noop", {"sent": time.time()}, {})

        return add, queue.close
    if NAME == "dramatiq":
        actor = dramatiq_actor()
        send = lambda: actor.send(time.time())
    elif NAME == "celery":
        _, task = celery_task()
        send = lambda: task.delay(time.time())
    else:
        import rq

        queue = rq.Queue(connection=store)
        send = lambda: queue.enqueue("peers.work", time.time())

    async def add():
        send()

    async def close():
        pass

    return add, close


def wait_for(count, limit=60):
    end = time.time() + limit
    while store.llen("seen") < count:
        if time.time() > end:
            sys.exit(f"{NAME}: {store.llen('seen')} of {count} after {limit} s")
        time.sleep(0.005)


async def main():
    add, close = enqueuer()
    process = worker()
    try:
        for _ in range(20):  # the first ones wait for the worker's start
            await add()
        wait_for(20)
        store.delete("seen")
        start = time.time()
        for number in range(PACED):
            await asyncio.sleep(max(0, start + number / RATE - time.time()))
            await add()
        wait_for(PACED)
        seen = sorted(float(text) * 1000 for text in store.lrange("seen", 0, -1))
        store.delete("seen")
        start = time.time()
        for _ in range(FLAT):
            await add()
        enqueued = time.time() - start
        wait_for(FLAT)
        done = time.time() - start
    finally:
        process.kill()
        process.wait()
        await close()
    print(
        f"p50_ms={statistics.median(seen):.3f} p99_ms={seen[int(len(seen) * 0.99)]:.3f} "
        f"submits_per_s={FLAT / enqueued:.1f} done_per_s={FLAT / done:.1f}"
    )


if __name__ == "__main__":
    asyncio.run(bullmq_worker() if NAME == "bullmq-worker" else main())

"""Fetches that do nothing over Redis Clusters of 1, 2 and 4 primaries: what they cost Redis, and whether that grows in line with the fetches.

    primaries.py BIN FOLDER COUNT ROUNDS

Each cluster has a coordinator, and for each primary a queue whose slot is there and a worker of that queue. So each primary has the same to do. Clients keep
WINDOW fetches of each queue in flight, COUNT together, and the clusters take turns. All of it shares the cores of one machine, so the fetches a second of many
primaries say little. The CPU time of Redis for a fetch says what the primaries could do if each had a core: it should stay the same, within a tenth.

A primary with little to do pays more for a fetch, because fewer commands share a turn of its event loop. With PACE=RATE each queue gets so many fetches a
second, on whatever cluster, so that each primary has the same to do in a second too.

PRIMARIES (1 2 4), WINDOW and CHANNELS (the value of --public-channels) in the environment change what is measured. With QUEUES=NAME,… the load of each
cluster is those queues, wherever they are, and each worker serves all of them. With SHARDS=N the load is one queue of N shards, with as many clients and workers
as the cluster has primaries. Its sources are of no host, so all shards have them.
"""

import binascii
import json
import os
import re
import statistics
import subprocess
import sys
import threading
import time

from deployment import Client, Deployment, until
from nginx import free_port
from processes import cpu

BIN, FOLDER, COUNT, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
PRIMARIES = [int(count) for count in os.environ.get("PRIMARIES", "1 2 4").split()]
WINDOW = int(os.environ.get("WINDOW", "64"))
PACE = float(os.environ.get("PACE", "0"))
CHANNELS = os.environ.get("CHANNELS")
QUEUES = [name for name in os.environ.get("QUEUES", "").split(",") if name]
SHARDS = int(os.environ.get("SHARDS", "0"))
SLOTS = 16384
AIM = 0.1


def slot(queue):
    """The hash slot of all keys of a queue: CRC-16 of its name, as a cluster computes it."""
    return binascii.crc_hqx(queue.encode(), 0) % SLOTS


class Cluster(Deployment):
    """Tintype with a cluster of so many primaries, without replicas."""

    def __init__(self, count):
        folder = f"{FOLDER}/{count}"
        os.makedirs(folder)
        super().__init__(BIN, folder)
        self.count, self.ports, self.run, self.idle = count, [], 0, 0

    def begin(self):
        self.start_all(workers=0, options=["--public-channels", CHANNELS] if CHANNELS else [])
        self.queues = ["bench"] * self.count if SHARDS else QUEUES or [self.queue_at(number) for number in range(self.count)]
        client = self.client()
        for queue in dict.fromkeys(self.queues):
            # A coordinator begins before it has found the servers of its cluster.
            options = {"shards": SHARDS} if SHARDS else {}
            until(lambda: "error" not in client.ask("queue.configure", queue=queue, maxConcurrent=1000, **options))
        self.workers = [self.serve("worker", "--queues", ",".join(QUEUES) or self.queues[number]) for number in range(self.count)]

    def slots(self, number):
        """The first and the last slot of a primary."""
        return SLOTS * number // self.count, SLOTS * (number + 1) // self.count - 1

    def queue_at(self, number):
        """The name of a queue whose slot is at a primary."""
        first, last = self.slots(number)
        return next(name for name in (f"bench-{each}" for each in range(SLOTS)) if first <= slot(name) <= last)

    def ask(self, number, *words):
        return subprocess.run(["redis-cli", "-p", str(self.ports[number]), *words], capture_output=True, text=True).stdout.strip()

    def start_redis(self):
        """Starts all primaries, with the settings of deploy/redis.conf that count here."""
        buses = []
        for number in range(self.count):
            directory = f"{self.folder}/redis{number}"
            os.makedirs(directory)
            self.ports.append(free_port())
            buses.append(str(free_port()))
            options = ["--bind", "127.0.0.1", "--port", str(self.ports[-1]), "--cluster-enabled", "yes", "--cluster-port", buses[-1]]
            options += ["--save", "", "--appendonly", "yes", "--hash-max-listpack-value", "512", "--logfile", "redis.log", "--maxmemory-policy", "noeviction"]
            self.spawn("redis-server", "--dir", directory, *options)
            until(lambda: self.ask(-1, "PING") == "PONG")
            first, last = self.slots(number)
            self.ask(number, "CLUSTER", "ADDSLOTSRANGE", str(first), str(last))
            if number:
                self.ask(number, "CLUSTER", "MEET", "127.0.0.1", str(self.ports[0]), buses[0])
        for number in range(self.count):
            until(lambda: "cluster_state:ok" in self.ask(number, "CLUSTER", "INFO"))
        self.queue = "cluster://" + ",".join(f"127.0.0.1:{port}" for port in self.ports)

    def spent(self):
        """CPU seconds of each primary, scripts that all have run, messages of PUBLISH that they have passed on to each other, and CPU seconds of the coordinator
        and of the workers."""
        infos = [self.ask(number, "INFO", "all") for number in range(self.count)]
        primaries = [sum(map(float, re.findall(r"^used_cpu_(?:sys|user):([\d.]+)", info, re.M))) for info in infos]
        calls = sum(int(each) for info in infos for each in re.findall(r"^cmdstat_evalsha:calls=(\d+)", info, re.M))
        passed = sum(int(each) for number in range(self.count) for each in re.findall(r"messages_publish_sent:(\d+)", self.ask(number, "CLUSTER", "INFO")))
        return primaries, calls, passed, cpu(self.coordinators[0].pid), cpu(*(worker.pid for worker in self.workers))

    def feed(self, feeder, queue, count, failures):
        """Submits fetches to a queue, WINDOW in flight or at an even PACE, until all have ended. Nobody but this connection hears of them."""
        client = Client(self.coordinators[0].ready["rpc"])
        fetch = {"as": "bytes", "deliver": "none", "cache": {"read": [], "write": [], "ttl": 0}, "queue": queue, "deadline": 600}
        start = f'{{"jsonrpc":"2.0","method":"image.submit","id":0,"params":{json.dumps(fetch)[:-1]},"url":"data:,{self.run}-{feeder}-'

        def submit(number):
            client.socket.sendall(f'{start}{number}"}}}}\n'.encode())

        def submit_evenly():
            begun = time.monotonic()
            for number in range(count):
                time.sleep(max(0, begun + number / PACE - time.monotonic()))
                submit(number)

        if PACE:
            sent = count
            threading.Thread(target=submit_evenly, daemon=True).start()
        else:
            sent = min(WINDOW, count)
            for number in range(sent):
                submit(number)
        ended = 0
        while ended < count:
            line = next(client.lines)
            if b'"type":"succeeded"' in line:
                ended += 1
                if sent < count:
                    submit(sent)
                    sent += 1
            elif b'"error"' in line:
                failures.append(line[:300].decode())
                break
        client.socket.close()

    def measure(self):
        """Fetches a second, and for a fetch CPU µs of all primaries above their rest and of the others, script calls, and messages passed on."""
        self.run += 1
        failures, each = [], COUNT // len(self.queues)
        feeders = [threading.Thread(target=self.feed, args=(number, queue, each, failures)) for number, queue in enumerate(self.queues)]
        before, begun = self.spent(), time.monotonic()
        for feeder in feeders:
            feeder.start()
        for feeder in feeders:
            feeder.join()
        elapsed, after = time.monotonic() - begun, self.spent()
        if failures:
            sys.exit(f"bench: a fetch over {self.count} primaries failed: {failures[0]}")
        count = each * len(self.queues)
        # At rest, a primary has the same work in any second. A slow machine would count more of it for a fetch.
        primaries = [(new - old - self.idle * elapsed) / count * 1e6 for old, new in zip(before[0], after[0])]
        calls, passed, coordinator, workers = [(after[part] - before[part]) / count for part in (1, 2, 3, 4)]
        return {"rate": count / elapsed, "redis": sum(primaries), "most": max(primaries) / (sum(primaries) / self.count), "rest": self.idle * elapsed * self.count
                / count * 1e6, "calls": calls, "passed": passed, "coordinator": coordinator * 1e6, "workers": workers * 1e6}

    def rest(self, seconds=10):
        """Notes the CPU seconds of a primary in a second without fetches."""
        before, begun = sum(self.spent()[0]), time.monotonic()
        time.sleep(seconds)
        self.idle = (sum(self.spent()[0]) - before) / (time.monotonic() - begun) / self.count


def main():
    clusters = []
    try:
        for count in PRIMARIES:
            clusters.append(Cluster(count))
            clusters[-1].begin()
        for cluster in clusters:
            cluster.rest()
        rounds = []
        for turn in range(ROUNDS + 1):
            order = clusters[turn % len(clusters):] + clusters[:turn % len(clusters)]
            figures = {cluster.count: cluster.measure() for cluster in order}
            if turn:  # the first round warms up
                rounds.append(figures)
        part = "for each primary" if SHARDS else "of each queue"
        load = f"{PACE:.0f} a second {part}" if PACE else f"{WINDOW} {part} in flight"
        print(f"{COUNT} fetches that do nothing, {load}, {ROUNDS} rounds in turn, medians.")
        print("The CPU of Redis is that of all primaries together, without what they spend at rest.\n")
        print(f"| primaries | {'shards' if SHARDS else 'queues'} | Redis CPU µs a fetch | CPU, ÷ {PRIMARIES[0]} | least | most | fetches a CPU second of a primary | fetches/s "
              "| busiest primary, times the mean | script calls a fetch | messages between primaries a fetch | coordinator, µs | workers, µs "
              "| Redis at rest, µs a fetch | ms a second of a primary |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
        missed = []
        for cluster in clusters:
            median = {part: statistics.median(one[cluster.count][part] for one in rounds) for part in rounds[0][cluster.count]}
            # All clusters of one round have met the same neighbors on the machine.
            ratios = [one[cluster.count]["redis"] / one[PRIMARIES[0]]["redis"] for one in rounds]
            values = statistics.median(ratios), min(ratios), max(ratios)
            if values[0] > 1 + AIM:
                missed.append(str(cluster.count))
            cells = ["", "", ""] if cluster is clusters[0] else [f"{value:.2f}" for value in values]
            print(f"| {cluster.count} | {SHARDS or len(cluster.queues)} | {median['redis']:.0f} | {' | '.join(cells)} | {1e6 / median['redis']:.0f} | {median['rate']:.0f} "
                  f"| {median['most']:.2f} | {median['calls']:.2f} | {median['passed']:.2f} | {median['coordinator']:.0f} | {median['workers']:.0f} "
                  f"| {median['rest']:.0f} | {cluster.idle * 1e3:.1f} |", flush=True)
        print(f"\nThe aim: a fetch costs Redis at most {1 + AIM:.1f} times the CPU that it costs over {PRIMARIES[0]} primary. "
              + (f"Missed with {' and '.join(missed)} primaries." if missed else "Met."))
    finally:
        for cluster in clusters:
            cluster.stop()


main()

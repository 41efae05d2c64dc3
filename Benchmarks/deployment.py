"""A whole Tintype of real processes for `faults.py`, and what it takes to hit them: a client, a wire that can be cut, gates of the origin."""

import collections
import http.client
import itertools
import json
import re
import socket
import socketserver
import subprocess
import threading
import time

PATIENCE = 60
now = time.monotonic


def until(condition):
    """The time at which a condition is found to hold."""
    end = now() + PATIENCE
    while not condition():
        if now() > end:
            raise TimeoutError
        time.sleep(0.002)
    return now()


ENDS = ("succeeded", "failed", "cancelled")


class Client:
    """One connection to a coordinator. Messages that nobody has asked for yet are kept.

    `told` counts the answers by the numbers of requests, and the terminal events by receipts: each may come once."""

    def __init__(self, address):
        self.socket = socket.create_connection(address.split(":"), PATIENCE)
        self.lines, self.kept, self.numbers = self.socket.makefile("rb"), [], itertools.count(1)
        self.told = collections.Counter()

    def send(self, method, **params):
        number = next(self.numbers)
        self.socket.sendall(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
        return number

    def take(self, is_wanted):
        for index, message in enumerate(self.kept):
            if is_wanted(message):
                return self.kept.pop(index)
        for message in map(json.loads, self.lines):
            event = message.get("params", {})
            if "id" in message or event.get("type") in ENDS:
                self.told[message.get("id") or event["receipt"]] += 1
            if is_wanted(message):
                return message
            self.kept.append(message)
        raise ConnectionError("the coordinator has gone")

    def ask(self, method, **params):
        """The answer, which may be an error."""
        number = self.send(method, **params)
        return self.take(lambda message: message.get("id") == number)

    def call(self, method, **params):
        answer = self.ask(method, **params)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def event(self, receipt, *types):
        def is_wanted(message):
            params = message.get("params", {})
            return params.get("receipt") == receipt and params["type"] in types

        return self.take(is_wanted)["params"]

    def told_twice(self):
        """What has come more than once, also of what the coordinator has sent until now."""
        self.call("system.ping")
        return [name for name, count in self.told.items() if count > 1]


class Wire(socketserver.ThreadingUnixStreamServer):
    """A way to Redis. Who listens there can be cut off without a word: the connection stays, and nothing comes through it any more."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path, redis):
        super().__init__(path, None)
        self.redis, self.listening, self.silent = redis, set(), set()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, near, _):
        far = socket.socket(socket.AF_UNIX)
        far.connect(self.redis)
        threading.Thread(target=self.forward, args=(far, near, near), daemon=True).start()
        self.forward(near, far, near)

    def forward(self, source, target, near):
        try:
            while data := source.recv(65536):
                if source is near and re.search(rb"\r\nS?SUBSCRIBE\r\n", data):
                    self.listening.add(near)
                if near not in self.silent:
                    target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)
        except OSError:  # the other side has gone first
            pass

    def silence(self):
        until(lambda: self.listening)
        self.silent |= self.listening


class Deployment:
    """Redis, the origin, coordinators and workers, on ports of the kernel's choice. Those named `wired` reach Redis by a `Wire`.

    A subclass may set the URLs `queue`, of the queue's Redis, and `results` to other places."""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.socket, self.children = programs, folder, f"{folder}/redis.sock", []
        self.queue, self.results = f"unix://{self.socket}", f"file://{folder}/results"
        self.site, self.has_stopped = None, False

    def start_all(self, coordinators=1, workers=1, grace="25s", wired=None, options=(), site=None, queues="default"):
        """`options` are further words of the command line of each coordinator. `site` starts several servers in place of one Redis."""
        self.wired, self.grace, self.queues, self.options = wired, grace, queues, options
        self.site = site(self) if site else None
        if not site:
            self.start_redis()
        self.wire = Wire(f"{self.folder}/wire.sock", self.socket) if wired else None
        self.origin = self.start("origin").ready["http"]
        self.coordinators = [self.serve_clients() for _ in range(coordinators)]
        self.workers = [self.serve_fetches() for _ in range(workers)]

    def serve_clients(self):
        return self.serve("coordinator", "--listen", "127.0.0.1:0", *self.options)

    def serve_fetches(self):
        return self.serve("worker", "--grace", self.grace, "--queues", self.queues)

    def spawn(self, *command):
        with open(f"{self.folder}/errors", "ab") as errors:
            child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
        self.children.append(child)
        return child

    def start(self, name, *arguments):
        child = self.spawn(f"{self.programs}/{name}", *arguments)
        child.ready = dict(word.split("=", 1) for word in child.stdout.readline().decode().split()[1:])
        if not child.ready:
            raise SystemExit(f"{name}: {open(f'{self.folder}/errors').read()}")
        return child

    def serve(self, name, *arguments):
        redis = self.site.url if self.site else f"unix://{self.folder}/wire.sock" if self.wired == name else self.queue
        common = ["--redis", redis, "--results", self.results, "--allow-addresses", "127.0.0.0/8"]
        return self.start(f"tintype-{name}", *common, "--http", "127.0.0.1:0", "--log-level", "error", *arguments)

    def start_redis(self):
        """The time at which it answers."""
        options = ["--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "yes", "--logfile", "redis.log"]
        self.server = self.spawn("redis-server", "--dir", self.folder, *options, "--maxmemory-policy", "noeviction")
        return until(lambda: self.redis("PING") == "PONG")

    def outage(self, seconds, meanwhile=lambda: None):
        """Kills Redis and starts it again. The time at which it answers."""
        self.server.kill()
        end = now() + seconds
        self.server.wait()
        meanwhile()
        time.sleep(max(0, end - now()))
        return self.start_redis()

    def redis(self, *words):
        if self.site:
            return self.site.primary.ask(*words)
        return subprocess.run(["redis-cli", "-s", self.socket, *words], capture_output=True, text=True).stdout.strip()

    def live(self):
        """How many receipts have not ended."""
        return int(self.redis("ZCARD", "tintype:{default}:dl"))

    def after_beat(self):
        """Returns when leases have just been renewed."""
        leases = ["ZRANGE", "tintype:{default}:run", "0", "-1", "WITHSCORES"]
        before = self.redis(*leases)
        until(lambda: self.redis(*leases) != before)

    def until_asleep(self):
        """Returns when a worker waits for work."""
        until(lambda: "blocked_clients:0" not in self.redis("INFO", "clients"))

    def client(self, number=0):
        return Client(self.coordinators[number].ready["rpc"])

    def request(self, path, **more):
        """What is downloaded as it is, with more patience than any fault takes."""
        fetch = {"timeouts": {"idle": 100, "total": 100}}
        return {"url": f"http://{self.origin}{path}", "as": "bytes", "deadline": 100, "progress": True, "fetch": fetch, **more}

    def ask_origin(self, path):
        connection = http.client.HTTPConnection(self.origin, timeout=PATIENCE)
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def seen(self, what="running"):
        """How many requests are `running` at the origin, or have come to it in `total`."""
        return json.loads(self.ask_origin("/_counts")[1])[what]

    def open(self, gate, count=1):
        """Lets so many requests go that wait at a gate of the origin."""
        for _ in range(count):
            until(lambda: self.ask_origin(f"/_open?gate={gate}")[0] == 200)

    def violations(self):
        """What `system.validate` finds at each live coordinator when the work is over; ten seconds are left to what passes, such as a wake-up."""
        found = []
        for coordinator in self.coordinators:
            if coordinator.poll() is None:
                client, end = Client(coordinator.ready["rpc"]), now() + 10
                while not (answer := client.ask("system.validate").get("result", {})).get("ok") and now() < end:
                    time.sleep(0.1)
                found += [] if answer.get("ok") else answer.get("violations", ["no answer of system.validate"])
        return found

    def stop(self):
        self.has_stopped = True
        for child in self.children:
            child.kill()
            child.wait()

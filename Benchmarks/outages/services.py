"""Workers, coordinators and a Redis of one server are killed, stopped and cut off, and clients leave.

Workers are hit right after a beat, when their leases have longest to go."""

import signal
import socket

from deployment import now, until

from outages.table import measures


@measures(
    ("`kill -9` of a worker in the middle of a download → another one runs it", "12 s", {"workers": 2},
     signal.SIGKILL, "/slow/picture.png?size=64x64&rate=2000"),
    ("a worker stands still (SIGSTOP) in the middle of one → another one runs it", "12 s", {"workers": 2}, signal.SIGSTOP, "/hang?times=1"),
    ("SIGTERM, and the download outlasts the grace of 1 s → another one runs it", "1 s, then at once", {"workers": 2, "grace": "1s"},
     signal.SIGTERM, "/hang?times=1"),
)
def taken_over(d, hit, path):
    client = d.client()
    client.call("image.submit", receipt="r", **d.request(path))
    name = client.event("r", "started")["worker"]
    victim = next(worker for worker in d.workers if worker.ready["worker"] == name)
    d.after_beat()
    begun = now()
    victim.send_signal(hit)
    while client.event("r", "started")["worker"] == name:
        pass
    took = now() - begun
    victim.send_signal(signal.SIGCONT)
    return took, [f"attempts {client.event('r', 'succeeded')['result']['attempts']}"]


@measures(("a sleeping worker stands still, and Redis hands it what is submitted → a new one runs it", "12 s", {}))
def swallowed(d):
    d.until_asleep()
    d.workers[0].send_signal(signal.SIGSTOP)
    client, begun = d.client(), now()
    client.call("image.submit", receipt="r", **d.request("/picture.png?size=64x64"))
    client.event("r", "started")
    d.serve("worker")
    client.event("r", "started")
    return now() - begun, [f"attempts {client.event('r', 'succeeded')['result']['attempts']}"]


@measures(("`kill -9` of Redis, back after 2 s, while nothing runs → what is asked for then is there", "3 s", {}))
def picked_up(d):
    client = d.client()
    d.until_asleep()
    back = d.outage(2)
    while "error" in client.ask("image.load", **d.request("/picture.png?size=64x64")):
        pass
    return now() - back, []


@measures(
    ("`kill -9` of Redis, back after 2 s, while 20 downloads run and half of them end → all are told of", "attempts 1, 20 downloads", {}, 2),
    ("the same, back after 12 s, when the leases have run out", "attempts 1", {}, 12),
)
def outlived(d, seconds):
    client = d.client()
    client.call("queue.configure", queue="default", maxConcurrentPerHost=20)
    for number in range(20):
        client.call("image.submit", receipt=f"r{number}", **d.request(f"/picture.png?size=64x64&gate={number % 2}&n={number}"))
    until(lambda: d.seen() == 20)
    d.after_beat()
    back = d.outage(seconds, lambda: d.open(0, 10))
    d.open(1, 10)
    attempts = max(client.event(f"r{number}", "succeeded")["result"]["attempts"] for number in range(20))
    return now() - back, [f"attempts {attempts}, {d.seen('total')} downloads"]


@measures(
    ("nothing comes through the coordinator's subscription any more, the download ends → the client has it", "8 s", {"wired": "coordinator"}, 0),
    ("the same, when the download has taken 16 s and the coordinator seldom asks after it", "8 s", {"wired": "coordinator"}, 16),
)
def cut_off(d, seconds):
    client = d.client()
    client.send("image.load", **d.request("/picture.png?size=64x64&gate=r"))
    begun = until(lambda: d.seen() == 1)
    until(lambda: now() >= begun + seconds)
    d.wire.silence()
    begun = now()
    d.open("r")
    client.take(lambda message: "result" in message)
    return now() - begun, []


@measures(
    ("the last of a hundred cancels → the origin's connection is closed", "1 s", {}, False),
    ("the same, and nothing comes through the worker's subscription any more", "4 s", {"wired": "worker"}, True),
)
def cancelled(d, is_cut):
    client = d.client()
    for number in range(100):
        client.call("image.submit", receipt=f"r{number}", **d.request("/slow/picture.png?rate=100", progress=False))
    until(lambda: d.seen() == 1)
    client.call("receipt.cancel", receipts=[f"r{number}" for number in range(99)])
    d.after_beat()
    if is_cut:
        d.wire.silence()
    begun = now()
    client.send("receipt.cancel", receipt="r99")
    return until(lambda: d.seen() == 0) - begun, []


@measures(("`queue.resume` → what waits has started", "100 ms", {}))
def resumed(d):
    client = d.client()
    client.call("queue.pause", queue="default")
    client.call("image.submit", receipt="r", **d.request("/picture.png?size=64x64"))
    begun = now()
    client.send("queue.resume", queue="default")
    client.event("r", "started")
    return now() - begun, []


@measures(("a client with 1,000 requests closes its connection → they are withdrawn, and the origin has nobody", "2 s", {"workers": 2}))
def left(d):
    client = d.client()
    for number in range(1000):
        client.send("image.load", **d.request(f"/hang?n={number}", progress=False))
    until(lambda: d.live() == 1000 and d.seen() == 6)
    begun = now()
    client.socket.shutdown(socket.SHUT_RDWR)
    return until(lambda: d.live() == 0 and d.seen() == 0) - begun, []


@measures(("`kill -9` of a coordinator with 100 receipts → another one has answered for all", "at once", {"coordinators": 2}))
def orphaned(d):
    one, two = d.client(0), d.client(1)
    for number in range(100):
        one.call("image.submit", receipt=f"r{number}", **d.request(f"/hang?n={number}"))
    until(lambda: d.seen() == 6)
    begun = now()
    d.coordinators[0].kill()
    states = [two.call("receipt.get", receipt=f"r{number}")["state"] for number in range(100)]
    return now() - begun, [", ".join(f"{states.count(state)} {state}" for state in sorted(set(states)))]


@measures(("a deadline of 2 s, and the origin hangs → the error is there", "2 to 3 s", {}))
def too_late(d):
    client, begun = d.client(), now()
    answer = client.ask("image.load", **d.request("/hang", deadline=2))
    return now() - begun, [answer["error"]["data"]["name"]]

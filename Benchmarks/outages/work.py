"""Requests that go on without pause while something happens to the service, and their account: how often each has ended, what is lost, the gaps."""

import collections
import http.client
import itertools
import json
import threading
import time

from deployment import ENDS, PATIENCE, Client, now, until


class Stream(threading.Thread):
    """One client with one request after the other. It repeats what is refused for a while, under the same receipt."""

    def __init__(self, work, name, place):
        super().__init__(daemon=True)
        self.work, self.deployment, self.name, self.place = work, work.deployment, name, place
        self.ended, self.times, self.trouble = [], [now()], None

    def run(self):
        try:
            for number in itertools.count():
                if self.is_over():
                    return
                receipt = f"{self.name}-{number}"
                self.finish(receipt, number)
                self.ended.append(receipt)
                self.times.append(now())
        except Exception as trouble:  # told of by `Work.stop`
            self.trouble = None if self.deployment.has_stopped else f"{self.name}: {trouble!r}"

    def is_over(self):
        return self.work.is_over or self.deployment.has_stopped

    def coordinator(self):
        """The next one, where the client is told or finds that its own does not serve any more."""
        live = [each for each in self.deployment.coordinators if each.poll() is None]
        return live[self.place % len(live)].ready

    def request(self, receipt, **more):
        return self.deployment.request(f"/picture.png?size=64x64&n={receipt}", progress=False, receipt=receipt, queue=self.work.queue, **more)

    def longest_gap(self, begun):
        """The longest time without an end, from that of the last one before `begun` on."""
        from_ = max(index for index, time_ in enumerate(self.times) if time_ <= begun or index == 0)
        times = self.times[from_:] + ([] if len(self.times) > from_ + 1 else [now()])
        return max(later - earlier for earlier, later in zip(times, times[1:]))


class Waiting(Stream):
    """A client over TCP that waits: every second picture is submitted and ends by an event, the others are loaded and end by an answer."""

    METHODS = ("image.load", "image.submit")

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.clients, self.retried = [], collections.Counter()

    def client(self):
        if not self.clients or self.clients[-1].socket.fileno() < 0:
            self.clients.append(Client(self.coordinator()["rpc"]))
        return self.clients[-1]

    def leave(self):
        self.retried["disconnected"] += 1
        self.place += 1
        if self.clients:
            self.clients[-1].socket.close()
            self.clients[-1].lines.close()
        time.sleep(0.02)

    def finish(self, receipt, number):
        method = self.METHODS[number % len(self.METHODS)]
        while not self.deployment.has_stopped:
            try:
                client = self.client()
                answer = client.ask(method, **self.request(receipt))
                error = answer.get("error", {}).get("data", {}).get("name")
                if error == "shuttingDown":
                    raise ConnectionError
                if error in ("unavailable", "overloaded"):
                    self.retried[error] += 1
                    time.sleep(0.1)
                    continue
                end = answer.get("result", answer)
                if method == "image.submit" and end.get("state") not in ENDS:
                    end = client.event(receipt, *ENDS)
                if error or end.get("type", end.get("state", "succeeded")) != "succeeded":
                    raise AssertionError(f"{receipt} ended as {end}")
                # The worker of the first run is lost, and its lease had to end.
                self.retried["run again after a lease"] += end.get("result", end).get("attempts", 1) > 1
                return
            except TimeoutError:
                raise
            except (OSError, ValueError):  # the coordinator has gone
                self.leave()


class Nameless(Waiting):
    """The same, but its requests have no receipt of their own."""

    METHODS = ("image.load",)

    def request(self, receipt, **more):
        request = super().request(receipt, **more)
        del request["receipt"]
        return request


class Detached(Stream):
    """A client over HTTP that submits work and does not wait for its end: `ended` are the acknowledged submits."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.connection, self.retried = None, collections.Counter()

    def finish(self, receipt, number):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "image.submit", "params": self.request(receipt, detached=True)})
        while not self.deployment.has_stopped:
            try:
                if not self.connection:
                    self.connection = http.client.HTTPConnection(self.coordinator()["http"], timeout=PATIENCE)
                self.connection.request("POST", "/rpc", body, {"Content-Type": "application/json"})
                answer = json.loads(self.connection.getresponse().read())
                if "error" not in answer:
                    time.sleep(0.01)
                    return
                self.retried[answer["error"]["data"]["name"]] += 1
                self.place += answer["error"]["data"]["name"] == "shuttingDown"
                time.sleep(0.1)
            except TimeoutError:
                raise
            except (OSError, ValueError, http.client.HTTPException):
                self.retried["disconnected"] += 1
                self.place += 1
                self.connection = None
                time.sleep(0.02)


class Work:
    """A waiting client and one with detached work for each coordinator."""

    def __init__(self, deployment, queue="default", kinds=(Waiting, Detached)):
        self.deployment, self.queue, self.is_over = deployment, queue, False
        places = range(len(deployment.coordinators))
        self.streams = [kind(self, f"{kind.__name__.lower()}{place}-{queue}", place) for kind in kinds for place in places]
        for stream in self.streams:
            stream.start()
        self.until_further(10)

    def until_further(self, count=10, streams=None):
        """Returns when each of the streams has ended so many more requests."""
        streams = streams or self.streams
        goals = {stream: len(stream.times) + count for stream in streams}

        def is_there():
            assert not self.trouble(), f"{self.trouble()}"
            return all(len(stream.times) >= goals[stream] for stream in streams)

        return until(is_there)

    def trouble(self):
        return [stream.trouble for stream in self.streams if stream.trouble]

    def longest_gap(self, begun, streams=None):
        return max(stream.longest_gap(begun) for stream in streams or self.streams)

    def stop(self):
        """Ends the requests, and returns the account: how many have ended, how many were sent, what Redis has lost of both, how often clients had to
        repeat a request. Whatever did not end once is a failure."""
        self.is_over = True
        for stream in self.streams:
            stream.join(PATIENCE)
            assert not stream.is_alive(), f"{stream.name} hangs"
        assert not self.trouble(), f"{self.trouble()}"
        waiting = [stream for stream in self.streams if isinstance(stream, Waiting)]
        twice = [name for stream in waiting for client in stream.clients for name, count in client.told.items() if count > 1]
        assert not twice, f"told twice: {twice}"
        named = [receipt for stream in waiting if not isinstance(stream, Nameless) for receipt in stream.ended]
        sent = [receipt for stream in self.streams if isinstance(stream, Detached) for receipt in stream.ended]
        account = sum((stream.retried for stream in self.streams), collections.Counter())
        account.update(ended=sum(len(stream.ended) for stream in waiting), forgotten=self.forgotten(named), sent=len(sent), lost=self.lost(sent))
        return account

    def states(self, receipts, wait):
        """How many receipts are in which state, or unknown, by what a live coordinator says."""
        client, states = Client(next(each for each in self.deployment.coordinators if each.poll() is None).ready["rpc"]), collections.Counter()
        for receipt in receipts:
            answer = client.ask("receipt.get", receipt=receipt, wait=wait)
            states[answer["result"]["state"] if "result" in answer else answer["error"]["data"]["name"]] += 1
        return states

    def lost(self, receipts):
        states = self.states(receipts, PATIENCE)
        lost = states.pop("unknownReceipt", 0)
        assert set(states) <= {"succeeded"}, f"detached work ended as {dict(states)}"
        return lost

    def forgotten(self, receipts):
        """How many ends Redis has lost that a client has been told."""
        states = self.states(receipts, 0)
        known = states.pop("succeeded", 0)
        assert set(states) <= {"unknownReceipt", "queued", "running", "delayed"}, f"told ends are now {dict(states)}"
        return len(receipts) - known

"""The rows of the table of `faults.py`, and what several of them need."""

import collections
import signal
import threading
import time

from deployment import PATIENCE, now, until

ROWS = []


def measures(*rows):
    """Rows of the table: what happens → until when it is measured, the bound, the deployment, and what the function gets besides it.

    The function returns the seconds and its notes, which `Remarks` takes."""
    return lambda function: ROWS.extend((function, *row) for row in rows)


class Remarks:
    """What is to be seen besides the time, over all runs of a row. A note is a text, or a pair of words and seconds, of which the longest stay.
    Or it is the account of `Work`, of which the numbers are added up."""

    def __init__(self):
        self.texts, self.longest, self.account = [], {}, collections.Counter()

    def add(self, notes):
        for note in notes:
            if isinstance(note, collections.Counter):
                self.account.update(note)
            elif isinstance(note, tuple):
                self.longest[note[0]] = max(note[1], self.longest.get(note[0], 0))
            elif note not in self.texts:
                self.texts.append(note)

    def all(self):
        counts = dict(self.account)
        ended, forgotten, sent, lost = (counts.pop(name, 0) for name in ("ended", "forgotten", "sent", "lost"))
        words = self.texts + [f"{words} {spoken(seconds)}" for words, seconds in self.longest.items()]
        if ended:
            words.append(f"{ended} requests ended once each" + (f", and Redis has lost {forgotten} of these ends" if forgotten else ""))
        if sent:
            words.append(f"{lost} of {sent} acknowledged detached submits lost")
        return words + [f"{count} × {name}" for name, count in sorted(counts.items()) if count]


def spoken(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms" if seconds >= 0.01 else f"{seconds * 1000:.1f} ms"


def begin(lasts=0):
    """The time, which is that of the fault. A row is given up a minute after the end of a fault that lasts so many seconds."""
    signal.alarm(PATIENCE + lasts)
    return now()


def wait(seconds):
    """Only for what is said to last so long."""
    end = now() + seconds
    until(lambda: now() >= end)


def served(client, d, path, **more):
    """Asks until the picture is there: what is refused for a while is asked for again."""
    while "error" in (answer := client.ask("image.load", **d.request(path, **more))):
        if answer["error"]["data"]["name"] != "unavailable":
            raise AssertionError(f"{path}: {answer['error']}")
        time.sleep(0.05)
    return now()


def hurried(d, **more):
    """While nothing can be done: a request with a deadline of three seconds is told so in time. A note on how."""
    asked = now()
    answer = d.client().ask("image.load", **d.request("/picture.png?size=64x64&n=hurried", deadline=3, **more))
    took = now() - asked
    assert "error" in answer and took < 6, f"a deadline of 3 s: {answer} after {took:.1f} s"
    return f"a deadline of 3 s meanwhile: {answer['error']['data']['name']} after", took


class Downloads:
    """Twenty of them that run: ten are submitted by one client, ten are loaded by another. Half of each wait at the gate 0, the others at 1."""

    def __init__(self, d, queue="default"):
        self.deployment, self.queue, self.submitter, self.loader = d, queue, d.client(0), d.client(-1)
        self.submitter.call("queue.configure", queue=queue, maxConcurrentPerHost=30)
        for number in range(10):
            self.submitter.call("image.submit", receipt=f"s{number}", **self.request(number))
        self.loads = [self.loader.send("image.load", receipt=f"l{number}", **self.request(number + 10)) for number in range(10)]
        until(lambda: d.seen() == 20)

    def request(self, number):
        return self.deployment.request(f"/picture.png?size=64x64&gate={number % 2}&n={number}", progress=False, queue=self.queue)

    def open(self, gate):
        """From now on nobody waits at a gate."""

        def keep_open():
            while not self.deployment.has_stopped:
                try:
                    while self.deployment.ask_origin(f"/_open?gate={gate}")[0] == 200:
                        pass
                except OSError:
                    return
                time.sleep(0.02)

        threading.Thread(target=keep_open, daemon=True).start()

    def told(self):
        """Returns when all have ended, once each: when that was, and a note on how often they ran."""
        ends = [self.submitter.event(f"s{number}", "succeeded", "failed", "cancelled") for number in range(10)]
        answers = [self.loader.take(lambda message: message.get("id") == number) for number in self.loads]
        end = now()
        bad = [each for each in ends if each["type"] != "succeeded"] + [each for each in answers if "error" in each]
        assert not bad, f"{len(bad)} of 20 failed, such as {bad[0]}"
        attempts = max(each["result"]["attempts"] for each in ends + answers)
        downloads = sum(count for path, count in self.deployment.seen("counts").items() if "gate=" in path)
        return end, f"attempts {attempts}, {downloads} downloads"

    def told_once(self):
        twice = self.submitter.told_twice() + self.loader.told_twice()
        assert not twice, f"told twice: {twice}"

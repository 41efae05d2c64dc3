"""Asks a service for pictures as a busy day would, until it is stopped: for the tests and the screenshots of the dashboard.

usage: load.py BASE ORIGIN [ROUNDS]
  BASE    the HTTP address of a coordinator with the queues `default` and `thumbs`
  ORIGIN  the address of the program `origin`; several with commas between them, where a proxy gives it many names
  ROUNDS  how many rounds of ten requests, a second apart; without it until the end of the process

Pictures in several formats, repeated ones, slow downloads, files that are no pictures, statuses, dead letters, and texts that try to be markup.
"""
import json, random, sys, time, urllib.request

HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.<script>alert(2)</script>"
# Never by a proxy of this machine.
ask = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
FORMATS = ["webp", "webp", "avif", "jpeg", "png"]


def rpc(base, *calls):
    """Sends calls as one batch and returns the answers; a service that is away gives none."""
    batch = [{"jsonrpc": "2.0", "id": at, "method": method, "params": params} for at, (method, params) in enumerate(calls)]
    asked = urllib.request.Request(base + "/rpc", json.dumps(batch).encode(), {"Content-Type": "application/json"})
    try:
        return json.load(ask(asked, timeout=30))
    except OSError as error:
        print(f"load: {error}", file=sys.stderr, flush=True)
        return []


def submit(url, **more):
    return "image.submit", {"url": url, "detached": True, "progress": True, "deadline": 600, **more}


class Day:
    """What comes in each round. The same numbers give the same requests."""

    def __init__(self, origin, seed=7):
        self.origins, self.random, self.count = origin.split(","), random.Random(seed), 0

    @property
    def origin(self):
        """The first host is asked most."""
        return self.origins[min(self.random.randrange(8), len(self.origins) - 1) if self.random.random() < 0.6 else 0]

    def picture(self):
        steps = [{"op": "grayscale"}] if self.random.random() < 0.2 else []
        shop = self.random.randrange(12)
        return submit(f"{self.origin}/scenes/{self.random.randrange(12)}-{self.random.randrange(20)}.png", queue=self.random.choice(["default", "default", "thumbs"]), tag=f"shop {shop}",
                      transform=[*steps, {"op": "resize", "width": self.random.choice([160, 240, 320, 400])}], output={"format": self.random.choice(FORMATS)},
                      describe=["blurhash"], cache={"tags": [f"shop/{shop}"]})

    def slow(self):
        self.count += 1
        rate = self.random.choice([40_000, 60_000, 100_000])
        return submit(f"{self.origin}/slow/scenes/{self.count % 12}-{self.count}.png?rate={rate}", transform=[{"op": "resize", "width": 200}], describe=["blurhash"])

    def failure(self):
        self.count += 1
        path = self.random.choice(["/status/404?", "/status/403?", "/text?", "/truncated.png?", "/cut/scenes/3.png?cut=9000&"])
        once = {"retry": {"attempts": 1}}
        return submit(f"{self.origin}{path}n={self.count}", fetch=once)

    def dead(self):
        self.count += 1
        return submit(f"{self.origin}/status/500?n={self.count}", fetch={"retry": {"attempts": 2, "base": 0.2}}, blacklist="off")

    def hostile(self):
        """A URL of 64 KB, markup in paths, in queries and in a tag, and a mark that turns the direction of the text."""
        long = "data:text/plain," + "<b>" * 21_000
        once = {"retry": {"attempts": 1}}
        return [submit(long, tag=HOSTILE), submit(f"{self.origin}/status/404/<img/src=x/onerror=alert(1)><script>alert(2)</script>", tag=HOSTILE, fetch=once),
                submit(f"{self.origin}/status/404/" + "<b>" * 2_000, tag=HOSTILE, fetch=once), submit(f"{self.origin}/status/404?%3Cimg%20src=x%20onerror=alert(1)%3E%E2%80%AEgnp", tag=HOSTILE, fetch={"retry": {"attempts": 1}}),
                submit(f"{self.origin}/picture.png?size=64x64&%3Cscript%3Ealert(2)%3C/script%3E", tag=HOSTILE)]

    def round(self, at):
        seldom = {0: self.slow, 1: self.failure, 2: self.dead}.get(at % 3, self.picture)
        return [self.picture() for _ in range(9)] + [seldom()]


def main():
    base, origin = (address.rstrip("/") for address in sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else None
    day, at = Day(origin), 0
    for answer in rpc(base, ("queue.configure", {"queue": "thumbs"}), *day.hostile()):
        if "error" in answer:
            print(f"load: {answer['error']}", file=sys.stderr, flush=True)
    while at != rounds:
        for answer in rpc(base, *day.round(at)):
            if "error" in answer:
                print(f"load: {answer['error']}", file=sys.stderr, flush=True)
        at += 1
        time.sleep(1)


if __name__ == "__main__":
    main()

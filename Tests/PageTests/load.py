"""Asks a service for pictures as a busy day would, until it is stopped: for the tests and the screenshots of the dashboard.

usage: load.py BASE ORIGIN [ROUNDS]
  BASE    the HTTP address of a coordinator with the queues `default` and `thumbs`
  ORIGIN  the address of the program `origin`
  ROUNDS  how many rounds of ten requests, a second apart; without it until the end of the process

Pictures in several formats, repeated ones, slow downloads, files that are no pictures, statuses, dead letters, and texts that try to be markup.
"""
import json, random, sys, time, urllib.request

HOSTILE = "<img src=x onerror=alert(1)>\u202egnp.<script>alert(2)</script>"
FORMATS = ["webp", "webp", "avif", "jpeg", "png"]


def rpc(base, *calls):
    """Sends calls as one batch and returns the answers; a service that is away gives none."""
    batch = [{"jsonrpc": "2.0", "id": at, "method": method, "params": params} for at, (method, params) in enumerate(calls)]
    asked = urllib.request.Request(base + "/rpc", json.dumps(batch).encode(), {"Content-Type": "application/json"})
    try:
        return json.load(urllib.request.urlopen(asked, timeout=30))
    except OSError as error:
        print(f"load: {error}", file=sys.stderr, flush=True)
        return []


def submit(url, **more):
    return "image.submit", {"url": url, "detached": True, "progress": True, "deadline": 600, **more}


class Day:
    """What comes in each round. The same numbers give the same requests."""

    def __init__(self, origin, seed=7):
        self.origin, self.random, self.count = origin, random.Random(seed), 0

    def picture(self):
        width, height = self.random.choice([(640, 480), (480, 640), (800, 450), (600, 600)])
        made = self.random.choice([160, 240, 320, 400])
        # Where in the picture the crop begins makes each one look different.
        steps = [{"op": "crop", "x": self.random.randrange(width // 3), "y": self.random.randrange(height // 3), "width": width // 2, "height": height // 2}]
        if self.random.random() < 0.3:
            steps.append({"op": "grayscale"})
        return submit(f"{self.origin}/picture.png?size={width}x{height}&n={self.random.randrange(60)}", queue=self.random.choice(["default", "default", "thumbs"]),
                      transform=[*steps, {"op": "resize", "width": made}], output={"format": self.random.choice(FORMATS)}, describe=["blurhash"], tag="shop")

    def slow(self):
        self.count += 1
        rate = self.random.choice([60_000, 90_000, 150_000])
        return submit(f"{self.origin}/slow/picture.png?size=640x480&rate={rate}&slow={self.count}", transform=[{"op": "resize", "width": 200}], describe=["blurhash"])

    def failure(self):
        self.count += 1
        path = self.random.choice(["/status/404?", "/status/403?", "/text?", "/truncated.png?", "/cut/picture.png?size=640x480&cut=9000&"])
        once = {"retry": {"attempts": 1}}
        return submit(f"{self.origin}{path}n={self.count}", fetch=once)

    def dead(self):
        self.count += 1
        return submit(f"{self.origin}/status/500?n={self.count}", fetch={"retry": {"attempts": 2, "base": 0.2}}, blacklist="off")

    def hostile(self):
        """A URL of 64 KB, markup in a URL and in a tag, and a mark that turns the direction of the text."""
        long = "data:text/plain," + "<b>" * 21_000
        return [submit(long, tag=HOSTILE), submit(f"{self.origin}/status/404?%3Cimg%20src=x%20onerror=alert(1)%3E%E2%80%AEgnp", tag=HOSTILE, fetch={"retry": {"attempts": 1}}),
                submit(f"{self.origin}/picture.png?size=64x64&%3Cscript%3Ealert(2)%3C/script%3E", tag=HOSTILE)]

    def round(self, at):
        calls = [self.picture() for _ in range(7)] + [self.slow(), self.failure()]
        return calls + ([self.dead()] if at % 4 == 0 else [self.picture()])


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

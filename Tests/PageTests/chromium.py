"""A Chromium that is driven by its DevTools pipe, and keeps no more than the browser of an operator.

Playwright asks for the events of the network. Chromium then keeps up to 200 MB of the bodies that a page has loaded (`Network.enable`),
so a page under Playwright grows for hours. A context of Playwright also has its HTTP cache in memory, where an operator's is on disk.
Protocol: https://chromedevtools.github.io/devtools-protocol. Messages are JSON, each ends with a zero byte.
"""
import fcntl, json, os, pathlib, re, select, subprocess, time

PROGRAM = "/usr/bin/chromium-headless-shell"
ARGUMENTS = ["--no-sandbox", "--no-proxy-server", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--window-size=1440,900"]


class Chromium:
    """A browser with one page. `failed` is called with a sentence for each error of a script or of the console."""

    def __init__(self, profile, failed, *arguments):
        requests, self.write = os.pipe()
        self.read, answers = os.pipe()
        # The numbers of the browser's ends of the pipes are fixed.
        self.process = subprocess.Popen([PROGRAM, "--remote-debugging-pipe", f"--user-data-dir={profile}", *ARGUMENTS, *arguments, "about:blank"],
                                        stderr=subprocess.DEVNULL, pass_fds=(3, 4), preexec_fn=lambda: place(requests, answers))
        os.close(requests)
        os.close(answers)
        self.failed, self.session, self.number, self.parts = failed, None, 0, []
        pages = []
        while not pages:
            pages = [one for one in self.send("Target.getTargets")["targetInfos"] if one["type"] == "page"]
        self.session = self.send("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Inspector", "Performance"):
            self.send(f"{domain}.enable")

    def send(self, method, **params):
        """The result of a command. Raises RuntimeError with the browser's reason."""
        self.number += 1
        session = {"sessionId": self.session} if self.session else {}
        message = json.dumps({"id": self.number, "method": method, "params": params, **session}).encode() + b"\0"
        while message:
            message = message[os.write(self.write, message):]
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for answer in self.receive(end - time.monotonic()):
                if answer.get("id") == self.number:
                    if "error" in answer:
                        raise RuntimeError(f"{method}: {answer['error']['message']}")
                    return answer["result"]
        raise RuntimeError(f"{method}: the browser has not answered for 60 s.")

    def evaluate(self, script):
        """The value of an expression in the page, or that of its promise."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script[:300]}: {told(answer['exceptionDetails'])}")
        return answer["result"].get("value")

    def wait(self, seconds):
        """Lets time pass, and reads what the browser tells meanwhile."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.receive(left)

    def receive(self, seconds):
        """The messages that came within a time, at least one if there was one."""
        if not select.select([self.read], [], [], max(0, seconds))[0]:
            return []
        data = os.read(self.read, 1 << 20)
        if not data:
            raise RuntimeError("The browser has ended.")
        self.parts.append(data)
        if b"\0" not in data:  # A picture comes in thousands of parts.
            return []
        *messages, rest = b"".join(self.parts).split(b"\0")
        self.parts = [rest]
        messages = list(map(json.loads, messages))
        for message in messages:
            self.listen(message.get("method"), message.get("params"))
        return messages

    def listen(self, event, params):
        if event == "Runtime.exceptionThrown":
            self.failed(f"A script failed: {told(params['exceptionDetails'])}")
        elif event == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.failed(f"The console has an error: {json.dumps(params['args'])[:300]}")
        # A network that is away shows as such entries; any other error is a mistake of the page.
        elif event == "Log.entryAdded" and params["entry"]["level"] == "error" and params["entry"]["source"] != "network":
            self.failed(f"The console has an error: {params['entry']['text'][:300]}")
        elif event == "Inspector.targetCrashed":
            self.failed("The page crashed.")

    def memory(self):
        """The memory of the browser in MB by the type of its processes: all but the pages of files, which its programs touch bit by bit.

        A page that several processes share counts in parts."""
        found = {}
        for pid in descendants(self.process.pid):
            try:
                folder = pathlib.Path(f"/proc/{pid}")
                kind = re.search(rb"--type=([a-z]+)", (folder / "cmdline").read_bytes())
                parts = re.findall(r"^Pss_(?:Anon|Shmem): +(\d+)", (folder / "smaps_rollup").read_text(), re.MULTILINE)
                name = kind[1].decode() if kind else "browser"
                found[name] = found.get(name, 0) + sum(map(int, parts)) / 1000
            except OSError:
                pass  # The process has gone.
        return found

    def close(self):
        self.process.kill()
        self.process.wait()


def told(details):
    return details.get("exception", {}).get("description", details["text"])[:300]


def place(requests, answers):
    """Makes the two ends of the pipes the descriptors 3 and 4, whichever numbers they have."""
    requests, answers = (fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 10) for one in (requests, answers))
    os.dup2(requests, 3)
    os.dup2(answers, 4)


def descendants(root):
    """A process, and all that it started."""
    children = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = status.read_text().split(" (", 1)
            children.setdefault(int(rest.rsplit(") ", 1)[1].split()[1]), []).append(int(pid))
        except OSError:
            pass
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found

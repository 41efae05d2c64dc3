"""URLs by chance at the picture door, most of them almost right: each must be a picture or a refusal, and none may do harm. See scripts/fuzz.

A third is signed and then changed, a third is signed, and a third is unsigned. The seed and the number of a URL decide its content.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import pathlib
import random
import re
import socket
import sys
import threading
import time

from target import DIGITS, SECRET, Target

CONNECTIONS = 16
# Seconds. One picture may take 20 s of pixel processes, and waits for those of the other connections.
PATIENCE = 60
PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/imgproxy.md"
# The long and short names, from the tables of that page.
ROWS = re.findall(r"(?m)^\| `([a-z_-]+)[^|]*\|([^|]*)\|", PAGE.read_text())
OPTIONS = sorted({name for row in ROWS for name in re.findall(r"[a-z_-]+", " ".join(row))})
ARGUMENTS = [
    "", "0", "1", "-1", "2", "8", "40", "0.5", "1e9", "nan", "inf", "65536", "2147483648", "9223372036854775808", "1e-320", "9999999999", "fill", "fit", "auto",
    "ce", "no", "sm", "noea", "ffffff", "png", "webp", "avif", "gif", "jxl", "t", "f", "%00", "%2F", "aGk", "é", "١", "a" * 300, ":", "*", "$1",
]
HEADERS = [
    "", "Accept: image/avif,image/webp", "Accept: " + "a/b," * 900, "Sec-CH-Width: 99999999999999999999", "Sec-CH-DPR: nan", "Save-Data: on",
    "Range: bytes=5-1", "If-None-Match: *", "Prefer: respond-async", f"traceparent: 00-{'f' * 32}-{'f' * 16}-01",
]


def signed(path: str) -> str:
    pair = bytes.fromhex(DIGITS)
    return "/" + base64.urlsafe_b64encode(hmac.new(pair, pair + path.encode(), hashlib.sha256).digest()).decode().rstrip("=") + path


def changed(text: str, dice: random.Random) -> str:
    for _ in range(dice.randint(1, 6)):
        at = dice.randint(1, len(text))
        added = [chr(dice.randint(0x21, 0x7E)), dice.choice("/:@%.,-0195"), dice.choice(["%00", "%ff", "é", "//", "..", "?", "#"]), text[at:at + 9], ""]
        text = text[:at] + dice.choice(added) + text[at + dice.choice([0, 1]):]
    return text


def drawn(dice: random.Random, host: str) -> str:
    """A path and query."""
    chosen = [":".join([dice.choice(OPTIONS), *dice.choices(ARGUMENTS, k=dice.choice([0, 1, 1, 2, 3, 7]))]) for _ in range(dice.choice([0, 1, 1, 2, 3, 9]))]
    options = "".join("/" + option for option in chosen)
    if options and dice.random() < 0.4:
        options = changed(options, dice)
    path = dice.choice(["picture.png%3Fsize=32x32", "scenes/1.png", "status/500", "truncated.png", "text"])
    path = changed(path, dice) if dice.random() < 0.3 else dice.choice([path, path, f"picture.png%3FX-Amz-Signature={SECRET}"])
    # The authority stays whole: another port of this machine may be anybody's.
    source = f"http://{dice.choice(['', '', f'user:{SECRET}@'])}{host}/{path}"
    ending = dice.choice(["", "png", "webp", "avif", "jxl", dice.choice(ARGUMENTS)])
    if dice.random() < 0.7:
        options += f"/plain/{source}" + ("@" + ending if ending else "")
    else:
        options += "/" + base64.urlsafe_b64encode(source.replace("%3F", "?").encode()).decode().rstrip("=") + ("." + ending if ending else "")
    return dice.choice([changed(signed(options), dice), signed(options), dice.choice(["/unsafe", "/_"]) + options])


def browse(target: Target, number: int) -> None:
    """Asks for one URL after the other, on one connection while the service keeps it open."""
    host, port = target.ready["images"].rsplit(":", 1)
    connection: socket.socket | None = None
    while not target.is_over:
        dice = random.Random(f"{target.seed} {number}")
        number += CONNECTIONS
        url, header, began = drawn(dice, target.origin), dice.choice(HEADERS), time.monotonic()
        shown = f"{url} {header[:80]}"
        try:
            connection = connection or socket.create_connection((host, int(port)), PATIENCE)
            connection.sendall(f"GET {url} HTTP/1.1\r\nHost: {host}\r\n{header}{header and chr(13) + chr(10)}\r\n".encode())
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            body = answer.read().decode(errors="replace")
        except (OSError, http.client.HTTPException) as failure:
            connection = None
            target.failed("a request without an answer", f"{failure!r} after {time.monotonic() - began:.1f} s: {shown}")
            continue
        connection = None if answer.will_close else connection
        target.ended(str(answer.status), began)
        # A client that comes back does so under its own URL.
        del answer.headers["Location"]
        target.check(f"{answer.headers}{body}", shown)
        if answer.status == 500:
            target.failed("an internal error", f"{body[:600]} to {shown}")


def fuzz(target: Target) -> None:
    threads = [threading.Thread(target=browse, args=(target, number), daemon=True) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        target.look()
        time.sleep(0.25)


if __name__ == "__main__":
    sys.exit(Target().run(fuzz))

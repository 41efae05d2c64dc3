"""Holds the scripts of the queue to the keys and channels of one queue: in a Redis Cluster, all that a script touches must lie in one slot.

Redis itself refuses another slot only on a path that a test takes, and never in a script without a `#!` line. So each key and channel that a script
names begins with the prefix of its queue, `P ..`, or is a variable whose every value in its file does.
  - No text between quotes contains `tintype:`, except where prelude.lua reads the name of the queue.
  - The first argument of a command, and all arguments of DEL, EXISTS and UNLINK, begin with no text and with nothing that Swift has sent.
Prints each breach as file:line.
"""
import re
import sys

CALL = re.compile(r"\bcall\('([A-Z]+)', *")
# Their first argument is no key.
KEYLESS = {"TIME"}
ALL = {"DEL", "EXISTS", "UNLINK"}
SENT = re.compile(r"""['"]|ARGV\b|options\.""")
NAME = re.compile(r"\w+$")


def arguments(text):
    """The arguments of a call up to its parenthesis, as they are written."""
    found, depth, quote = [""], 0, ""
    for c in text:
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif c == "," and depth == 0:
            found.append("")
            continue
        found[-1] += c
    return [word.strip() for word in found]


def breaches(text):
    lines = [line.split("--")[0] for line in text.split("\n")]
    for number, line in enumerate(lines, 1):
        if "tintype:" in line and "string.match(P, '^tintype:" not in line:
            yield number, "a key is spelled out"
        for call in CALL.finditer(line):
            if call[1] in KEYLESS:
                continue
            given = arguments(line[call.end():])
            for word in given if call[1] in ALL else given[:1]:
                if SENT.match(word):
                    yield number, f"{call[1]} of {word}"
                elif NAME.match(word):
                    for place, other in enumerate(lines, 1):
                        if re.search(rf"\blocal {word} = *['\"]", other):
                            yield place, f"{call[1]} of {word}, which has no prefix"


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        for number, reason in breaches(file.read()):
            print(f"{path}:{number}: {reason}")

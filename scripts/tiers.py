#!/usr/bin/env python3
"""The suites of a tier of scripts/test, by the tags in the source: Swift Testing cannot filter a built bundle by tags.

  scripts/tiers.py TIER   a pattern for --filter or --skip: the suites with the tag TIER
  scripts/tiers.py        what breaks the rules, as file:line; for scripts/lint:
                          a suite with the subject of a tier has its tag, or .untiered (Tests/TestSupport/Tags.swift);
                          a test that measures a time, or waits one out, has the tag .timed
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

TYPE = re.compile(r"^(?:@Suite(?P<traits>\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\s+)?(?:@\w+\s+)*(?:(?:final|private|package)\s+)*"
                  r"(?P<kind>struct|class|enum|actor|extension) (?P<name>\w+)", re.M)
TAGS = re.compile(r"\.tags\(([^()]*)\)")
HARNESS = re.compile(r"\b(?:RedisServer|Deployment|\w*Harness)\(")


LOOP_TYPES = tuple(path.stem.split("+")[0] for path in Path("Sources/Shared/Transport/EventLoop").glob("*.swift"))
# What of a suite, and of its files, makes it one for a tier.
SUBJECTS = {
    "cluster": lambda name, text: "QueueHarness(" in text,
    "realTimes": lambda name, text: "TestTimes." in text,
    "threads": lambda name, text: name.startswith(LOOP_TYPES),
    "optimized": lambda name, text: re.search(r"^(?:@testable )?import (?:Bitmaps|Engine|ImageHeads|PNG)$", text, re.M) and not HARNESS.search(text),
}
# The difference of two readings of a clock, a condition that is true at a time, and a pause of 100 ms or more that no condition ends.
ELAPSED = re.compile(r"(?<!WallClock)\.now\b *(?:- *[a-z]|>= )|\.duration\(to:|while \w*\.now < \w+ \{\}")
PAUSE = re.compile(r"^ *try[?!]? await (?:Loop|Task)\.sleep\((?:for: )?\.(?:milliseconds\(\d{3,}\)|seconds\(\d{1,2}\))\)$")


def tags(traits):
    return {tag.strip().lstrip(".") for match in TAGS.finditer(traits or "") for tag in match[1].split(",")}


def suites(files):
    """By (module, name): the tags of the suite, its place, and the text of all its files."""
    found, places, texts = defaultdict(set), {}, defaultdict(str)
    for file, text in files.items():
        if "@Test" not in text:
            continue
        types = list(TYPE.finditer(text))
        for match, following in zip(types, [*types[1:], None]):
            suite = (Path(file).parts[-2], match["name"])
            if "@Test" not in text[match.end():following.start() if following else len(text)]:
                continue
            texts[suite] += text
            found[suite] |= tags(match["traits"])
            if match["kind"] != "extension":
                places[suite] = f"{file}:{text.count(chr(10), 0, match.end()) + 1}"
    return {suite: (found[suite], places[suite], texts[suite]) for suite in places}


def untimed(file, text):
    """The lines of tests, and of the functions that they call, that read a time without the tag. Who only prints it needs none."""
    is_tagged, before, openers = False, "", []
    for number, line in enumerate(text.splitlines(), 1):
        indent = len(line) - len(line.lstrip())
        if re.match(r" *@(?:Test|Suite)\b", line):
            is_tagged = ".timed" in line
        elif indent <= 4 and " func " in line and not before.lstrip().startswith("@"):
            is_tagged = ".timed" in text
        openers = [opener for opener in openers if opener[0] < indent] if line.strip() else openers
        polls = openers and re.search(r"\b(?:while|repeat|until)\b", re.sub(r"`[^`]*`", "", openers[-1][1]))
        if not is_tagged and (ELAPSED.search(line) and "print(" not in line or PAUSE.match(line) and not polls):
            yield f"{file}:{number}: {line.strip()}"
        before = line
        if line.endswith(("{", "in")):
            openers.append((indent, line))


def main(arguments):
    files = {str(path): path.read_text() for path in sorted(Path("Tests").glob("*/*.swift")) if path.parts[1] != "TestSupport"}
    known = suites(files)
    if arguments:
        chosen = [rf"{module}\.{name}/" for (module, name), (with_tags, _, _) in known.items() if arguments[0] in with_tags]
        if not chosen:
            sys.exit(f"scripts/tiers.py: no suite has the tag {arguments[0]}")
        return print("^(" + "|".join(sorted(chosen)) + ")")
    for (_, name), (with_tags, place, text) in known.items():
        for tier, has_subject in SUBJECTS.items():
            if has_subject(name, text) and not with_tags & {tier, "untiered"}:
                print(f"{place}: {name} has neither the tag .{tier} nor .untiered")
    for file, text in files.items():
        for breach in untimed(file, text):
            print(breach + "  (without .tags(.timed))")


if __name__ == "__main__":
    main(sys.argv[1:])

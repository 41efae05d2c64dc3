#!/usr/bin/env python3
"""Finds `default:` in switches over enums: whoever adds a case is then not told where it matters.

    scripts/switches.py [FOLDER]

A switch counts as one over an enum when a case of it begins with a dot. Numbers, text, bytes, tuples and optionals may need a default.
"""

import pathlib
import re
import sys

SWITCH = re.compile(r"\bswitch\b")
OF_ENUM = re.compile(r"case (let |var )?\.(?!some\b|none\b)[a-z]")


def indent(line):
    return len(line) - len(line.lstrip())


def findings(path):
    lines = path.read_text().split("\n")
    for number, line in enumerate(lines):
        if line.strip().startswith("default:"):
            begin = number - 1
            while begin > 0 and not (SWITCH.search(lines[begin]) and indent(lines[begin]) <= indent(line)):
                begin -= 1
            cases = [text.strip() for text in lines[begin:number] if indent(text) == indent(line)]
            if any(OF_ENUM.match(case) for case in cases):
                yield f"{path}:{number + 1}: a switch over an enum has a default: name the cases that are left"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "Sources")
    found = [finding for path in sorted(root.rglob("*.swift")) for finding in findings(path)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())

#!/usr/bin/env python3
"""Finds switches over enums that are hard to extend.

    scripts/switches.py [FOLDER]

A `default:`: with it, the compiler does not show where a new case matters. A switch counts as one over an enum when a case of it begins with a dot.
Numbers, text, bytes, tuples and optionals may need a default.

More than six switches over `ImageFormat`: what differs by format is a field of a row (`FormatTraits`, `FormatHead`, `FormatCodec`). A switch counts as one
over the formats when its cases name nothing else.
"""

import pathlib
import re
import sys

SWITCH = re.compile(r"\bswitch\b")
OF_ENUM = re.compile(r"case (let |var )?\.(?!some\b|none\b)[a-z]")
FORMATS = "Shared/Images/Formats/ImageFormat.swift"
MOST = 6


def indent(line):
    return len(line) - len(line.lstrip())


def defaults(path, lines):
    for number, line in enumerate(lines):
        if line.strip().startswith("default:"):
            begin = number - 1
            while begin > 0 and not (SWITCH.search(lines[begin]) and indent(lines[begin]) <= indent(line)):
                begin -= 1
            cases = [text.strip() for text in lines[begin:number] if indent(text) == indent(line)]
            if any(OF_ENUM.match(case) for case in cases):
                yield f"{path}:{number + 1}: a switch over an enum has a default: name the cases that are left"


def switches(path, lines, formats):
    """Switches over the formats: their cases stand as far to the left as the line of `switch`, or one step to the right."""
    for number, line in enumerate(lines):
        if not (SWITCH.search(line) and line.rstrip().endswith("{")):
            continue
        named = set()
        for text in lines[number + 1:]:
            if text.strip() == "}" and indent(text) <= indent(line):
                break
            if text.strip().startswith("case ") and indent(text) == indent(line):
                named |= set(re.findall(r"\.(\w+)", text.split(":")[0])) - {"some", "none"}
        if named and named <= formats:
            yield f"{path}:{number + 1}: switches over ImageFormat, of which there may be {MOST}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "Sources")
    files = [(path, path.read_text().split("\n")) for path in sorted(root.rglob("*.swift"))]
    found = [finding for path, lines in files for finding in defaults(path, lines)]
    source = next((lines for path, lines in files if str(path).endswith(FORMATS)), [])
    formats = set(re.findall(r"\w+", next((line.split("case", 1)[1] for line in source if line.startswith("    case ")), "")))
    over = [finding for path, lines in files for finding in switches(path, lines, formats)]
    found += over if len(over) > MOST else []
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


sys.exit(main())

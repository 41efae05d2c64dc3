#!/usr/bin/env python3
"""Holds the arrows between folders: a folder knows those of its own module that stand above it in the table of docs/architecture.md.

Prints every name that is used the other way, as file:line, and every folder that has no row. SwiftPM holds the arrows between modules.
A name is a type, function or constant that a file declares at its top level. Members are not seen.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

TEXT = re.compile(r'"""(?:.|\n)*?"""|#+"(?:.|\n)*?"#+|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*(?:.|\n)*?\*/')
INTERPOLATION = re.compile(r"\\#*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:package|public|internal|final|indirect|nonisolated)(?:\(\w+\))?\s+)*"
    r"(?:struct|class|enum|actor|protocol|typealias|let|var|func)\s+(\w+)", re.M)
WORD = re.compile(r"(?<![.\w])[A-Za-z_]\w*|(?<=\.)[A-Z]\w*")
ROW = re.compile(r"^\| `([^`]+)` \|")


def code(text):
    """The text with comments and strings blanked, lines kept; interpolations stay."""
    def blank(match):
        kept = " ".join(INTERPOLATION.findall(match[0])) if match[0][0] in '"#' else ""
        return " " + kept + " " + "\n" * (match[0].count("\n") - kept.count("\n"))

    return TEXT.sub(blank, text)


def layers(document):
    """Folders in the order of the table, by module."""
    lines = document.read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("## Layers"))
    end = next((number for number in range(start + 1, len(lines)) if lines[number].startswith("## ")), len(lines))
    return [match[1] for line in lines[start:end] if (match := ROW.match(line))]


def main():
    order = layers(Path("docs/architecture.md"))
    rank = {folder: number for number, folder in enumerate(order)}
    # A module is a folder with rooms: its name is what its rows have in common.
    modules = sorted({folder.rsplit("/", 1)[0] for folder in order}, key=len, reverse=True)
    files, found = {}, []
    for path in sorted(Path("Sources").rglob("*.swift")):
        folder = str(path.parent)
        module = next((module for module in modules if folder.startswith(module + "/")), None)
        if module is None:
            continue
        if folder not in rank:
            found.append(f"{path}:1: {folder} has no row in the table")
            continue
        files[path] = (module, rank[folder], code(path.read_text()))
    declared = defaultdict(list)
    for path, (module, number, text) in files.items():
        for match in DECLARATION.finditer(text):
            declared[module, match[1]].append((number, path))
    for path, (module, number, text) in files.items():
        for line, words in enumerate(text.splitlines(), 1):
            for word in dict.fromkeys(WORD.findall(words)):
                below = [place for place in declared.get((module, word), []) if place[0] > number]
                if below and len(below) == len(declared[module, word]):
                    found.append(f"{path}:{line}: {word} is of {below[0][1].parent}, which stands below {path.parent} in the table")
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

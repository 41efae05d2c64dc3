#!/usr/bin/env python3
"""Finds sentences that are hard to read, in documents, and in comments and texts of Swift and Lua.

  scripts/prose.py               those of the whole repository, as file:line; for scripts/lint
  scripts/prose.py FILE…         those of these files
  scripts/prose.py --count       how many there are, by area

A sentence is hard if it opens with Of, What, Who, Whoever, Whatever or Whose, or has more than 25 words.
Code in backticks counts as one word; a list of nothing but code is no sentence.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

MOST_WORDS = 25
OPENER = re.compile(r"(?:Of|What|Who|Whoever|Whatever|Whose)\b(?!.*\?$)")
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs)\. ")


def sentences(text):
    text = ABBREVIATION.sub(lambda match: match[1].replace(".", "") + " ", text)
    text = re.sub(r"`[^`]*`", "`code`", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    for piece in re.split(r"(?<=[.!?])[\"'”)]*\s+(?=[\"'“(*]*(?:[A-Z`]))", text):
        piece = piece.strip(" *-|>\"'")
        if piece:
            yield piece


def judge(text):
    for sentence in sentences(text):
        if OPENER.match(sentence):
            yield "opener", sentence
        words = sentence.split()
        if len(words) > MOST_WORDS and any("`code`" not in word for word in words):
            yield "long", sentence


def markdown(lines):
    """Paragraphs, items and cells, each with the number of its first line."""
    paragraph, start, fenced = [], 0, False
    for number, line in enumerate(lines + [""], 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
            line = ""
        if fenced:
            continue
        is_row, is_item = line.lstrip().startswith("|"), re.match(r"\s*([-*]|\d+\.)\s", line)
        if paragraph and (not line.strip() or line.startswith("#") or is_row or is_item):
            yield start, " ".join(paragraph)
            paragraph = []
        if is_row:
            for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")):
                yield number, cell.strip()
        elif line.strip() and not line.startswith("#"):
            if not paragraph:
                start = number
            paragraph.append(re.sub(r"^\s*([-*]|\d+\.)\s+", "", line).strip())


def comments(lines, mark):
    """Comments that follow each other are one text."""
    paragraph, start = [], 0
    for number, line in enumerate(lines + [""], 1):
        match = re.match(rf"\s*{mark}!?\s?(.*)", line)
        text = match[1].strip() if match else None
        if text is not None and text.startswith("MARK:"):
            if paragraph:
                yield start, " ".join(paragraph)
                paragraph = []
            yield number, text.removeprefix("MARK:").strip()
        elif text is not None:
            item = re.match(r"-\s+(?:Parameter\s+\w+:|Parameters:|Returns:|Throws:|\w+:)?\s*(.*)", text)
            if paragraph and (item or not text):
                yield start, " ".join(paragraph)
                paragraph = []
            text = item[1] if item else text
            if text:
                if not paragraph:
                    start = number
                paragraph.append(text)
        elif paragraph:
            yield start, " ".join(paragraph)
            paragraph = []


def texts(lines):
    """String literals that read as prose: joined where a line goes on with +."""
    joined, start = "", 0
    for number, line in enumerate(lines + [""], 1):
        if re.match(r"\s*//", line):
            continue
        pieces = [piece for piece in STRING.findall(line) if piece.count(" ") >= 3]
        goes_on = re.match(r'\s*\+ "', line)
        if joined and not goes_on:
            yield start, joined
            joined = ""
        for piece in pieces:
            piece = re.sub(r"\\\((?:[^()]|\([^()]*\))*\)", "value", piece).replace('\\"', "'")
            if not joined:
                start = number
                joined = piece
            elif goes_on:
                joined += piece
            else:
                yield start, joined
                start, joined = number, piece


def breaches(path):
    lines = Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
    if path.endswith(".md"):
        parts = [("", markdown(lines))]
    elif path.endswith(".swift"):
        parts = [("", comments(lines, "///?")), ("", texts(lines) if path.startswith("Sources/") else [])]
    else:
        parts = [("", comments(lines, "--+"))]
    for _, found in parts:
        for number, text in found:
            for kind, sentence in judge(text):
                yield number, kind, sentence


def area(path):
    if path.endswith(".md"):
        return path if path.startswith("docs/") and path.count("/") == 1 else "docs/decisions" if path.startswith("docs/") else path
    parts = path.split("/")
    if parts[0] == "Sources" and parts[1] == "Shared":
        return "/".join(parts[:3])
    return "/".join(parts[:2])


def files():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True, check=True).stdout.split("\n")
    # The page of the protocol and the client for Swift are made of texts that are counted where they stand.
    made = ("docs/protocol.md", "clients/swift/Sources/TintypeClient/Generated/Generated.swift")
    return [path for path in listed if re.search(r"\.(md|swift|lua)$", path) and path not in made and Path(path).exists()]


def counts():
    found = Counter()
    for path in files():
        for _, kind, _ in breaches(path):
            found[area(path), kind] += 1
    return found


def main(arguments):
    if arguments == ["--count"]:
        found = counts()
        print(f"{'area':40} opener  long")
        for place in sorted({place for place, _ in found}):
            print(f"{place:40} {found[place, 'opener']:6} {found[place, 'long']:5}")
        return
    for path in arguments or files():
        for number, kind, sentence in breaches(path):
            print(f"{path}:{number}: {kind}: {sentence[:200]}")


main(sys.argv[1:])

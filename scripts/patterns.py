"""Holds the patterns of the queue's scripts to linear time: Redis does nothing else while a script looks for one.

Lua's patterns go back when they fail. Over a text of n bytes that costs n*n as soon as a repetition (* + -) can begin, or end, in more than
one place of what it matches. So a repetition with something behind it
  - stands behind ^, or behind a character that it does not match itself: it begins once in each run of its characters;
  - stands before a character that it does not match itself: it ends once.
One that ends the pattern takes what there is. What breaks the rule and is linear all the same says why on its line: "--@linear ...".
Such a function is called by its whole name: string.match(text, pattern). As a method (text:match) or by another name it is refused,
whatever its line says: nothing here would look at its pattern. So is string without a dot behind it, which could become another name.
Prints each breach as file:line.
"""
import re
import sys

CALL = re.compile(r"\bstring\.(?:match|gmatch|gsub|find)\(")
METHOD = re.compile(r":\s*(?:match|gmatch|gsub|find)\b")
# The function without its parenthesis, or `string` without a dot and a word right behind it.
ALIAS = re.compile(r"\bstring\s*\.\s*(?:match|gmatch|gsub|find)\b(?!\()|\bstring\s+\.|\bstring\.\s|\bstring\b(?!\s*\.)")
STRING = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""")
CLASSES = {"a": str.isalpha, "d": str.isdigit, "l": str.islower, "u": str.isupper, "s": str.isspace, "w": str.isalnum,
           "x": lambda c: c in "0123456789abcdefABCDEF", "p": lambda c: c.isprintable() and not c.isalnum() and c != " ", "c": lambda c: ord(c) < 32}
# The marker, and a reason.
LINEAR = re.compile(r"--@linear \S")
ALPHABET = [chr(i) for i in range(128)]


def arguments(text, start):
    """The arguments of a call, as they are written, from behind its parenthesis."""
    found, depth, at, begun = [], 0, start, start
    while at < len(text):
        c = text[at]
        if c in "'\"":
            at += 1
            while at < len(text) and text[at] != c:
                at += 2 if text[at] == "\\" else 1
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return found + [text[begun:at].strip()]
            depth -= 1
        elif c == "," and depth == 0:
            found.append(text[begun:at].strip())
            begun = at + 1
        at += 1
    return found


def single(pattern, at):
    """The characters that the item at `at` matches, and where it ends."""
    c = pattern[at]
    if c == "%":
        letter = pattern[at + 1]
        if letter.lower() in CLASSES:
            chosen = {x for x in ALPHABET if CLASSES[letter.lower()](x)}
            return (set(ALPHABET) - chosen if letter.isupper() else chosen), at + 2
        return {letter}, at + 2
    if c == ".":
        return set(ALPHABET), at + 1
    if c == "[":
        end, chosen = at + 1, set()
        negated = pattern[end] == "^"
        end += negated
        first = True
        while first or pattern[end] != "]":
            first = False
            if pattern[end + 1:end + 2] == "-" and pattern[end + 2:end + 3] not in ("", "]"):
                chosen |= {chr(i) for i in range(ord(pattern[end]), ord(pattern[end + 2]) + 1)}
                end += 3
            else:
                more, end = single(pattern, end) if pattern[end] == "%" else ({pattern[end]}, end + 1)
                chosen |= more
        return (set(ALPHABET) - chosen if negated else chosen), end + 1
    return {c}, at + 1


def items(pattern):
    """(characters, quantifier) of each item; captures mean nothing here. "$" at the end matches nothing."""
    found, at = [], 0
    while at < len(pattern):
        if pattern[at] in "()":
            at += 1
            continue
        if pattern[at] == "$" and at == len(pattern) - 1:
            found.append((set(), ""))
            break
        chosen, at = single(pattern, at)
        quantifier = pattern[at] if at < len(pattern) and pattern[at] in "*+-?" else ""
        at += len(quantifier)
        found.append((chosen, quantifier))
    return found


def fault(pattern):
    anchored = pattern.startswith("^")
    parts = items(pattern[anchored:])
    repeated = False
    for i, (chosen, quantifier) in enumerate(parts):
        if quantifier in ("", "?") or i == len(parts) - 1:
            continue
        if not anchored and not repeated:
            if i == 0 or parts[i - 1][1] or parts[i - 1][0] & chosen:
                return "a repetition may begin anywhere"
        repeated = True
        if parts[i + 1][1] in ("?", "*", "-") or parts[i + 1][0] & chosen:
            # ".*" before the end takes all that is left.
            if not (quantifier == "*" and chosen == set(ALPHABET) and i == len(parts) - 2 and not parts[i + 1][0]):
                return "a repetition may end anywhere"
    return None


def literal(text):
    if len(text) < 2 or text[0] not in "'\"" or text[-1] != text[0]:
        return None
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text[1:-1])


for path in sys.argv[1:]:
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        code, _, comment = line.partition("--")
        # The inside of texts is no code; their quotes stay.
        bare = STRING.sub("''", code)
        for hidden, why in ((METHOD, "a pattern in a method call"), (ALIAS, "another name for a function that takes a pattern")):
            if hidden.search(bare):
                print(f"{path}:{number}: {why}: write string.NAME(text, pattern): {code.strip()}")
        if LINEAR.search("--" + comment):
            continue
        for call in CALL.finditer(code):
            words = arguments(code, call.end())
            if len(words) > 3 and words[3] == "true":
                continue
            pattern = literal(words[1]) if len(words) > 1 else None
            wrong = "a pattern that is not written out" if pattern is None else fault(pattern)
            if wrong:
                print(f"{path}:{number}: {wrong}: {code.strip()}")

"""Holds the scripts of the queue to the keys and channels of one queue: in a Redis Cluster, all that a script touches must lie in one slot.

Redis itself refuses another slot only on a path that a test takes, and never in a script without a `#!` line. So each key and channel that a script
names must be proven to begin with the prefix of its queue:
  - It begins with `P ..`, or is `P`.
  - It is a local whose every value in its file is proven, or that of a file that all scripts share.
  - It is a parameter, and every call of its function in all files gives a proven key.
  - It is the first value of a function that returns proven keys only, or comes from `KEYS` of a proven pattern.
  - It is `a and b or c`, where b and c are proven.
All else fails, and so does a command that is not listed here. No text between quotes contains `tintype:`, except where prelude.lua reads the name of the
queue. Prints each breach as file:line. Checks itself first, with scripts that must fail.
"""
import re
import sys

# Their first argument is the only key.
ONE = set("""GET HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN HMGET HRANDFIELD HSCAN HSET HSETNX HSTRLEN HVALS INCR INCRBY KEYS PERSIST PEXPIRE PTTL PUBLISH SADD SCARD SET
    SISMEMBER SMEMBERS SPUBLISH SRANDMEMBER SREM STRLEN TYPE ZADD ZCARD ZCOUNT ZINCRBY ZPOPMIN ZRANDMEMBER ZRANGE ZREM ZREMRANGEBYRANK ZREMRANGEBYSCORE
    ZREVRANK ZRANK ZSCAN ZSCORE""".split())
# All their arguments are keys.
ALL = {"DEL", "EXISTS", "UNLINK"}
KEYLESS = {"TIME"}
NAME = re.compile(r"[A-Za-z_]\w*")
NOTHING = {"nil", "false"}
# The prefix with its special characters escaped, for KEYS.
GLOB = r"string.gsub(P, '[%[%]*?\\]', '\\%0')"


def plain(text):
    """The text with comments as spaces, so that places stay."""
    out, at = [], 0
    for piece in re.finditer(r"""'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|--[^\n]*""", text):
        out += [text[at:piece.start()], " " * len(piece[0]) if piece[0].startswith("--") else piece[0]]
        at = piece.end()
    return "".join(out) + text[at:]


def pieces(text, separator, closes=False):
    """Splits a text where a separator stands outside of brackets and quotes; with `closes`, up to the bracket that closes."""
    found, depth, at, quote = [""], 0, 0, ""
    while at < len(text):
        c = text[at]
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                if closes:
                    break
                return [word.strip() for word in found]
            depth -= 1
        elif depth == 0 and (step := separator.match(text, at)):
            found.append("")
            at = step.end()
            continue
        found[-1] += c
        at += 1
    return [word.strip() for word in found]


COMMA = re.compile(",")
OR = re.compile(r"\bor\b")
AND = re.compile(r"\band\b")
# The end of an expression that no bracket ends.
END = re.compile(r"\n|;|\b(?:then|do|end|else|elseif|return|local|if|for|while)\b")


class Scripts:
    def __init__(self, texts):
        self.texts = {path: plain(text) for path, text in texts.items()}
        self.under_way = set()

    def values(self, text, start):
        """The expressions of a list that begins here."""
        return [pieces(word, END)[0] for word in pieces(self.joined(text[start:]), COMMA)]

    @staticmethod
    def joined(text):
        """The text with one line for a list that goes on over several."""
        return re.sub(r"\s*\n\s*(and\b|or\b|\.\.)", r" \1", re.sub(r"(,|\.\.|\band|\bor|\()\s*\n\s*", r"\1 ", text[:4000]))

    @staticmethod
    def end(text, start):
        """The end of a function that begins here."""
        line = text.find("\n", start)
        if re.search(r"\bend\s*$", text[start:line if line >= 0 else None]):
            return line if line >= 0 else len(text)
        last = re.compile(r"\nend\b").search(text, start)
        return last.end() if last else len(text)

    def assigned(self, path, name, function=None):
        """All values of a variable in a file, or in a function: its expressions, each with its place among the values of one expression."""
        text = self.texts[path]
        if function is not None:
            text = " " * function + text[function:self.end(text, function)]
        for found in re.finditer(rf"(?<![\w.])((?:[A-Za-z_]\w*\s*,\s*)*\b{name}\b(?:\s*,\s*[A-Za-z_]\w*)*)\s*=(?!=)", text):
            names = [word.strip() for word in found[1].split(",")]
            if name not in names:
                continue
            before, inside = text[:found.start()], text.rfind("\n", 0, found.start())
            # A field of a table between braces, or a name after a dot, is another thing.
            if re.search(r"[{,]\s*$", before[inside + 1:]) and not re.search(r"\blocal\s*$", before):
                continue
            place, values = names.index(name), self.values(text, found.end())
            if place < len(values):
                yield values[place], 0
            else:
                yield values[-1], place - len(values) + 1
        for found in re.finditer(rf"\bfor\s+([\w\s,]*\b{name}\b[\w\s,]*)\s+in\s+(.*?)\s+do\b", text, re.S):
            source = re.fullmatch(r"ipairs\((call\('KEYS', .*\))\)", found[2], re.S)
            yield (source[1] if source else "a loop"), 0
        for found in re.finditer(rf"\bfor\s+{name}\s*=", text):
            yield "a number", 0

    def functions(self, path):
        for found in re.finditer(r"\bfunction\s+(\w+)\s*\(([^)]*)\)", self.texts[path]):
            yield found[1], [word.strip() for word in found[2].split(",")], found.start()

    def owner(self, path, at, parameter):
        """The last function before this place that has such a parameter: its name, the place of the parameter, and where it begins."""
        last = None
        for name, parameters, start in self.functions(path):
            if start < at < self.end(self.texts[path], start) and parameter in parameters:
                last = name, parameters.index(parameter), start
        return last

    def calls(self, function):
        for path, text in self.texts.items():
            for found in re.finditer(rf"(?<!function )(?<![\w.]){function}\(", text):
                yield path, found.start(), pieces(text[found.end():], COMMA, True)

    def returns(self, function):
        for path, text in self.texts.items():
            start = re.search(rf"\bfunction\s+{function}\s*\(", text)
            if start:
                body = text[start.start():self.end(text, start.start())]
                for found in re.finditer(r"\breturn\b", body):
                    yield path, start.start() + found.start(), self.values(body, found.end())[0]

    def is_key(self, path, at, word, place=0):
        """Whether a word at a place of a file is proven to be a key of the queue; `place` is its place among the values of the word."""
        word = word.strip()
        if place == 0 and (word in ("P", GLOB) or re.match(r"P\s*\.\.", word)):
            return True
        if front := re.match(r"([A-Za-z_]\w*)\s*\.\.", word):
            return place == 0 and self.is_key(path, at, front[1])
        if (path, word, place) in self.under_way:
            return True
        self.under_way.add((path, word, place))
        try:
            return self.follows(path, at, word, place)
        finally:
            self.under_way.discard((path, word, place))

    def follows(self, path, at, word, place):
        choices = pieces(word, OR)
        if len(choices) > 1 or len(pieces(word, AND)) > 1:
            last = [pieces(choice, AND)[-1] for choice in choices]
            return place == 0 and all(one in NOTHING or self.is_key(path, at, one) for one in last)
        call = re.match(r"(\w+)\((.*)\)$", word, re.S)
        if call and call[1] == "call":
            given = pieces(call[2], COMMA)
            return place == 0 and given[0] == "'KEYS'" and self.is_key(path, at, given[1])
        if call:
            values = list(self.returns(call[1]))
            return place == 0 and bool(values) and all(self.is_key(there, start, value) for there, start, value in values)
        if word == "...":
            function = self.owner(path, at, "...")
            if not function:
                return False
            calls = list(self.calls(function[0]))
            return bool(calls) and all(self.is_key(there, start, one) for there, start, given in calls for one in given[function[1]:])
        if not NAME.fullmatch(word) or place != 0:
            return False
        owner = self.owner(path, at, word)
        values = list(self.assigned(path, word, owner and owner[2]))
        if owner:
            for there, start, given in self.calls(owner[0]):
                if len(given) <= owner[1] or not (given[owner[1]] in NOTHING or self.is_key(there, start, given[owner[1]])):
                    return False
        elif not values:
            # A name of a file that is put before others.
            for other in self.texts:
                if other != path and re.search(rf"^local [\w, ]*\b{word}\b[\w, ]*=", self.texts[other], re.M):
                    values = list(self.assigned(other, word))
                    return bool(values) and all(self.is_key(other, 0, value, index) for value, index in values)
            return False
        return all(value in NOTHING or self.is_key(path, at, value, index) for value, index in values)

    def breaches(self):
        for path, text in self.texts.items():
            def line(at):
                return text.count("\n", 0, at) + 1
            for found in re.finditer("tintype:", text):
                start = text.rfind("\n", 0, found.start()) + 1
                if "string.match(P, '^tintype:" not in text[start:found.end()]:
                    yield path, line(found.start()), "a key is spelled out"
            for found in re.finditer(r"\bredis\s*\.\s*p?call\b", text):
                if not re.match(r"local P, call = KEYS\[1\], redis\.call$", text[text.rfind("\n", 0, found.start()) + 1:found.end()]):
                    yield path, line(found.start()), "a command without `call`"
            for found in re.finditer(r"(?<![\w.])call\s*\(", text):
                given = pieces(text[found.end():], COMMA, True)
                names = [pieces(choice, AND)[-1] for choice in pieces(given[0], OR)]
                for name in names:
                    command = name[1:-1] if re.fullmatch(r"'[A-Z]+'", name) else None
                    if command in KEYLESS:
                        continue
                    if command not in ONE | ALL:
                        yield path, line(found.start()), f"{name} is no command that scripts/slots.py lists"
                        continue
                    for word in given[1:] if command in ALL else given[1:2]:
                        if not self.is_key(path, found.start(), word):
                            yield path, line(found.start()), f"{command} of {word}, which is not proven to begin with P"


# Each must fail.
WRONG = [
    "call('GET', ARGV[1])", "local k = ARGV[1]\ncall('GET', k)", "call('GET', string.format('%s:a', P))", "local function f(k) return call('GET', k) end\nf(ARGV[1])",
    "call(x and 'SADD' or 'SREM', ARGV[1], 1)", "call(name, P .. 'a')", "call('DEL', P .. 'a', ARGV[1])", "call('EXISTS', P .. 'a',\n  other)",
    "call(\n  'GET',\n  ARGV[1])", "call('RENAME', P .. 'a', P .. 'b')", "call('GET', 'a')", "call('GET', P == 1)", "local k = P .. 'a'\nk = ARGV[1]\ncall('GET', k)",
    "for _, k in ipairs(ARGV) do call('GET', k) end", "local function f(...) call('DEL', ...) end\nf(P .. 'a', ARGV[1])", "local a, k = P .. 'a', ARGV[1]\ncall('GET', k)",
    "local function f() return ARGV[1] end\ncall('GET', f())", "local function f() return P .. 'a', 'b' end\nlocal a, k = f()\ncall('GET', k)",
    "call('GET', x and P .. 'a' or ARGV[1])", "redis.call('GET', P .. 'a')", "local k = x and P .. 'a'\n  or 'b'\ncall('GET', k)", "call('GET', KEYS[2])",
    "call('GET', options.key)", "local a = 'tintype:b'", "call('GET', unknown)", "local function f(k) call('GET', k) end\nf()",
]
# Each must pass.
RIGHT = [
    "call('GET', P .. 'a')", "local k = P .. 'a' .. ARGV[1]\ncall('GET', k)", "local function f(k) return call('GET', k) end\nf(P .. 'a')", "call('TIME')",
    "call('DEL', P .. 'a', P .. 'b')", "local a, k = 1, P .. 'a'\ncall('GET', k)", "local function f() return P .. 'a', 'b' end\nlocal k, b = f()\ncall('GET', k)",
    "call(x and 'SADD' or 'SREM', P .. 'a', 1)", "local k = x and P .. 'a' or P .. 'b'\ncall('GET', k)", "call('GET', -- 'a'\n  P .. 'a')",
    "local function f(a, ...) call('DEL', ...) end\nf(1, P .. 'a', P .. 'b')",
]
for text in WRONG:
    if not list(Scripts({"a": text}).breaches()):
        print(f"scripts/slots.py lets pass: {text!r}")
for text in RIGHT:
    for breach in Scripts({"a": text}).breaches():
        print(f"scripts/slots.py refuses: {text!r}: {breach}")

texts = {}
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        texts[path] = file.read()
for path, number, reason in Scripts(texts).breaches():
    print(f"{path}:{number}: {reason}")

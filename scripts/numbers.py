"""Finds arithmetic that ends the program at a number from Redis: a stolen user of a worker can write any number there.

Refused where numbers from Redis are read (Sources/Coordinator, Sources/Shared/Queue):
  - reduce(0, +), and a sum of numbers that may be missing (reduce or += with ??), which stop at an overflow;
  - Int(...) of a Double, which stops at 1e300, infinity and not-a-number;
  - Int($0) of a text, which has no bound: WireNumber.integer and RedisReply.int have one, and a sum of a thousand of them does not overflow.
A line that is safe all the same says why: "// bounded: ..." on the line or on the one before.
Prints each breach as file:line.
"""
import re
import sys

SUM = re.compile(r"\breduce\(0, \+\)|\breduce\(.*\$0 \+.*\?\? |\+= .*\?\? ")
FLOAT = re.compile(r"\bU?Int(?:8|16|32|64)?\((?!exactly:|clamping:)(?=[^{}()]*(?:\([^{}]*)?(?:\bDouble\b|\brounded\b))")
LATER = re.compile(r"\bDouble\(\$0\).*\bU?Int(?:8|16|32|64)?\(\$0\)")
TEXT = re.compile(r"(?:flatMap|compactMap|compactMapValues)\(?\s*\{ *U?Int(?:8|16|32|64)?\(\$0\) *\}")
RULES = [(SUM, "a sum that may overflow"), (FLOAT, "a whole number of a Double"), (LATER, "a whole number of a Double"),
         (TEXT, "a text without a bound for its number")]

for path in sys.argv[1:]:
    before = ""
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        code = line.partition("//")[0]
        if "// bounded: " not in line and not before.strip().startswith("// bounded: "):
            for rule, why in RULES:
                if rule.search(code):
                    print(f"{path}:{number}: {why}: {code.strip()}")
        before = line

"""Parameters by chance for the methods of an OpenRPC document: right ones, wrong ones, and some that nobody would write."""

from __future__ import annotations

import random
import unicodedata
from typing import Any

from target import SECRET

NUMBERS = [-1, 0, -0.0, 0.5, 1, 64, 256, 65536, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64, 10**30, 5e-324, 1e15, 1e308, -1e308]
# One text in two forms that compare as equal, and have other bytes.
FORMS = [unicodedata.normalize(form, "José/Å/한글") for form in ("NFC", "NFD")]
TEXTS = [
    *FORMS, "", " ", "a", "\0", "\r\nX-Evil: 1", "../../etc/passwd", "%00%0a", "${steps[0].json}", "<script>alert(1)</script>", "*", "\u202e\ufeff", "nan",
    "0x10", "١٢", "a" * 300, "é" * 20000, "tintype:{default}:cfg", "' or 1=1", "deadl\u0131ne",
]
# The members that are a secret of the client: no error and no log may repeat them.
SECRETS: dict[str, Any] = {
    "secret": SECRET, "bearer": SECRET, "basic": ["user", SECRET], "digest": ["user", SECRET], "token": SECRET,
    "headers": {"Authorization": f"Bearer {SECRET}", "X-Api-Key": SECRET, "Cookie": f"sid={SECRET}"},
}
# The most seconds of these members, and those of a request that names none: longer ones would only make a run longer.
TIMES = {"deadline": 2, "wait": 2}


class Parameters:
    """Draws methods with parameters, by their schemas. Every second draw is tame, so that work gets done: its values have the right types and bounds."""

    def __init__(self, methods: list[dict[str, Any]], origin: str) -> None:
        self.methods = {method["name"]: method["params"] for method in methods}
        self.origin, self.wild = origin, 1
        self.members: dict[str, Any] = {}
        self.known: dict[str, list[Any]] = {"color": ["red", "#1234"], "receipt": [f"r-{n}" for n in range(30)], "queue": ["default"], "scope": FORMS}
        """Good values by the names of members, from examples and answers."""
        for method in methods:
            self._collect({parameter["name"]: parameter["schema"] for parameter in method["params"]})
            self.learn([{parameter["name"]: parameter["value"]} for example in method["examples"] for parameter in example["params"]])

    def _collect(self, properties: dict[str, Any]) -> None:
        for name, schema in properties.items():
            self.members.setdefault(name, schema)
            for part in [schema, schema.get("items", {}), *schema.get("anyOf", []), *schema.get("oneOf", [])]:
                self._collect(part.get("properties", {}))

    def learn(self, value: Any) -> None:
        for name, member in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
            if isinstance(member, (dict, list)):
                self.learn(member)
            elif isinstance(name, str) and isinstance(member, str) and name not in ("url", "data") and 0 < len(member) < 200:
                self.known[name] = [*(one for one in self.known.get(name, []) if one != member), member][-40:]

    def draw(self, dice: random.Random) -> tuple[str, Any]:
        self.wild = dice.choice([0, 1])
        method = dice.choice(sorted(self.methods) + ["image.load", "image.submit", "image.probe", "cache.get"] * 4)
        if dice.random() < 0.02 * self.wild:
            return dice.choice([method + "x", method.upper(), *TEXTS]), {}
        params = self.methods[method]
        made = self._object({one["name"]: one["schema"] for one in params}, [one["name"] for one in params if one["required"]], dice, 0)
        return method, self._odd(made, dice) if dice.random() < 0.03 * self.wild else made

    def _object(self, properties: dict[str, Any], required: list[str], dice: random.Random, depth: int) -> dict[str, Any]:
        usual, wanted = min(0.5, (1 + 2 * self.wild) / max(1, len(properties))), {*required, "url"}
        names = [name for name in properties if name in TIMES or dice.random() < (0.97 if name in wanted else usual)]
        if {"url", "urls"} <= {*names} and dice.random() < 0.9:
            names.remove(dice.choice(["url", "urls"]))
        if dice.random() < 0.08 * self.wild:
            names.append(dice.choice([*sorted(self.members), *TEXTS]))
        return {name: self._member(name, properties.get(name, self.members.get(name, {})), dice, depth + 1) for name in names}

    def _member(self, name: str, schema: dict[str, Any], dice: random.Random, depth: int) -> Any:
        if name in ("url", "prefix"):
            made: Any = self._url(dice)
        else:
            made = SECRETS[name] if name in SECRETS and dice.random() < 0.7 else self._value(schema, name, dice, depth)
        if dice.random() < 0.04 * self.wild:
            made = self._odd(made, dice)
        if name in TIMES and (made is None or isinstance(made, (int, float))):
            return TIMES[name] if made is None else min(made, TIMES[name])
        return made

    def _value(self, schema: dict[str, Any], name: str, dice: random.Random, depth: int) -> Any:
        kind = schema.get("type")
        if depth > 12 or kind == "null":
            return None
        if variants := schema.get("anyOf") or schema.get("oneOf"):
            return self._value(dice.choice(variants), name, dice, depth)
        if "enum" in schema:
            return dice.choice(schema["enum"])
        if kind == "object" and isinstance(each := schema.get("additionalProperties"), dict):
            return {dice.choice(["X-Name", *TEXTS]): self._value(each, name, dice, depth + 1) for _ in range(dice.choice([0, 1, 2, 70]))}
        if kind == "object":
            return self._object(schema.get("properties", {}), schema.get("required", []), dice, depth)
        if kind == "array":
            count = dice.choice([schema["minItems"], 1, 2, 3, min(schema["maxItems"], 40)])
            return [self._url(dice) if name == "urls" else self._value(schema["items"], name, dice, depth + 1) for _ in range(count)]
        if kind in ("integer", "number"):
            low, high = (usual if schema.get(bound) is None else schema[bound] for bound, usual in (("minimum", -1000), ("maximum", 1000)))
            return dice.choice([low - 1, high + 1, *NUMBERS] if dice.random() < 0.1 * self.wild else [low, high, min(high, low + 1), min(high, low + 300)])
        if kind == "boolean":
            return dice.random() < 0.5
        known = self.known.get(name, []) if kind == "string" else [[], {}, *NUMBERS]
        # The number of draws does not depend on what was learned: with a seed, only such names differ from run to run.
        is_known, place = dice.random() < 0.8, dice.random()
        among = known if known and is_known else TEXTS if self.wild else ["a"]
        return among[int(place * len(among))]

    def _url(self, dice: random.Random) -> str:
        path = dice.choice(["picture.png?size=40x30", "scenes/1.png?", "json?", "text?", "status/500?", "truncated.png?", "redirect/3?", "hang?"])
        good = [f"http://{self.origin}/{path}", f"http://user:{SECRET}@{self.origin}/{path}", f"http://{self.origin}/{path}&X-Amz-Signature={SECRET}"]
        text = dice.choice(good) if not self.wild else dice.choice([
            *good, f"http://user:{SECRET}@inward.invalid/", f"ftp://user:{SECRET}@{self.origin}/", f"//user:{SECRET}@{self.origin}/", "http://169.254.169.254/",
            "http://[::ffff:10.0.0.1]/", "color:red,8x8", "data:image/png;base64,iVBORw0KGgo=", "file:///etc/passwd", "s3://bucket/key", "upload:abc",
            "${steps[0].source.finalURL}", dice.choice(TEXTS)])
        # Another letter in front of a secret, so that no parser finds it.
        at = dice.randrange(7)
        return text[:at] + dice.choice(["", " ", "é", "%"]) + text[at + 1:] if dice.random() < 0.1 * self.wild else text

    def _odd(self, value: Any, dice: random.Random) -> Any:
        """The value in another shape, or another value."""
        nested = value
        for _ in range(dice.choice([1, 30, 55, 57, 60, 61, 62, 63, 100, 200])):
            nested = [nested]
        many = {f"m{n}": 0 for n in range(dice.choice([3, 40, 3000]))}
        long = [0] * dice.choice([40, 5000])
        return dice.choice([nested, nested, {"a": value}, [value, value], many, long, dice.choice(TEXTS), dice.choice(NUMBERS), True, None])

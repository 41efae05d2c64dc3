#!/usr/bin/env python3
"""Finds texts of clients and origins that Swift would compare by canonical equivalence.

    scripts/texts.py

A `String` is equal to another that spells the same letters in other bytes: é, and e with an accent behind it. JSON, Redis and origins have two texts
there. So a text from outside is compared as `JSON`, by `isExactly`, or as an `ExactText`; these compare bytes. Breaches are:
  - a dictionary by `String`, or a set of it, in a file that LISTED does not have, or one more than it says;
  - the same for a `Set(…)` or `Dictionary(…)` of names, and for `==` and `!=` beside a name that stands for a text of a client, such as `scope`;
  - `json["x"]?.string == text`, which is `json["x"] == .string(text)`.
The types of names are not known here. So `contains`, `hasPrefix` and keys that are structs with a `String` are not seen.
A file is listed with the number of its lines, under the reason why its texts cannot differ so. A reason here is a promise: most are kept by a type
of parameter that allows only ASCII. Checks the list too: a number that is too high is a breach.
"""

import pathlib
import re
from collections import Counter

# Folders without texts of requests.
FREE = {
    "Shared/Core": "settings, arguments, environment, names of metrics, words of the program",
    "Shared/Queue": "what scripts write: ids, keys, hosts, states; and what inspects Redis",
    "Shared/Settings": "the operator's settings",
    "Shared/Transport/Lifecycle": "arguments and environment of processes",
    "Shared/Transport/Net": "addresses",
    "Shared/Transport/Redis": "commands, words and addresses of Redis",
    "Coordinator/Channels": "names of queues and ids of workers",
    "Features/Doctor": "settings, environment, words of Redis",
    "Features/Tracing": "environment",
    "Features/History": "names of metrics and errors, hosts, ids",
    "Features/Top": "environment, names of queues and phases",
    "Features/Up": "arguments and environment of processes",
    "Coordinator/Events": "names of queues, ids of workers, words of the program",
    "Coordinator/Service": "names of ports and methods",
    "Coordinator/Upkeep": "names of queues, ids",
    "Engine/EXIF": "names of fields in libvips",
    "Engine/Fonts": "names of fonts, in lower case",
    "Engine/Geometry": "tags and names of color profiles",
    "Worker/Lease": "ids",
    "Worker/Service": "names of queues",
    "Worker/SourceCache": "keys, hosts, names of headers",
}
LISTED = {
    "ids and keys: [A-Za-z0-9._:-]": {
        "Coordinator/Cache/MemoryTier.swift": 1, "Features/Purges/Purger.swift": 3, "Features/Groups/GroupWatches.swift": 1,
        "Features/Groups/Groups.swift": 1, "Features/PictureDoor/BackgroundJobs.swift": 3, "Features/PictureDoor/DoorBackground.swift": 1,
        "Features/PictureDoor/DoorCalls.swift": 1,
        "Coordinator/Receipts/ReceiptBuckets.swift": 1, "Coordinator/Receipts/Recovery.swift": 2, "Coordinator/Receipts/Session.swift": 3,
        "Coordinator/Web/ImageSender.swift": 1,
    },
    "names of queues and of named clients: [A-Za-z0-9._-]; or the digest of a token": {
        "Coordinator/Admission/FairQuota.swift": 2, "Coordinator/Limits/ClientQuotas.swift": 4, "Coordinator/Limits/ConcurrencyPermits.swift": 1,
        "Shared/Images/Access/AccessGrant.swift": 1, "Features/Scaling/ScalingFeature.swift": 3, "Shared/Images/Access/AccessTokens.swift": 2,
    },
    "tags: [A-Za-z0-9._~:/-], with the digest of a scope": {
        "Coordinator/Admission/AdmissionPlan.swift": 2, "Coordinator/Admission/MemoryAnswers.swift": 1, "Coordinator/Cache/CachedRendition.swift": 2,
        "Coordinator/Cache/MemoryTier.swift": 1, "Coordinator/Receipts/ResultUse.swift": 1,
        "Shared/Images/Requests/ImageRequest.swift": 1,
    },
    "entity tags, of which one is ours: hexadecimal in quotes": {
        "Coordinator/Cache/EntityTag.swift": 2, "Coordinator/Web/ImageChoice.swift": 1, "Shared/Stores/Results/S3Store.swift": 1,
    },
    "the keys are of type ExactText": {"Features/CookieJars/CookieLines.swift": 1, "Worker/Pixels/PixelProcess.swift": 1},
    "hosts and addresses, which are ASCII": {
        "Features/Callbacks/CallbackSender.swift": 1, "Coordinator/Limits/AddressRates.swift": 1, "Coordinator/Limits/WrongTokens.swift": 1, "Coordinator/Methods/QueueMethods.swift": 2,
        "Coordinator/Receipts/LongAnswerBudget.swift": 4, "Shared/Images/Rules/HostLimits.swift": 5,
        "Shared/Transport/HTTP/AnswerReader.swift": 1, "Worker/Download/AccessLists.swift": 1,
        "Worker/Download/ThrottledHosts.swift": 1,
    },
    "names of headers, which are ASCII, or words of a response that are searched by words in lower case": {
        "Shared/Images/Rules/Rule.swift": 2, "Shared/Images/Rules/RuledAddress.swift": 1, "Shared/Images/Sources/RequestHeader.swift": 2,
        "Shared/Images/Sources/SecretScrubber.swift": 1, "Shared/Stores/Sources/CacheControl.swift": 1, "Shared/Stores/Sources/CachedSource.swift": 1,
        "Shared/Stores/Sources/Freshness+Redirects.swift": 1, "Shared/Stores/Sources/Freshness.swift": 1, "Worker/Download/SourceLoader+Download.swift": 1,
        "Shared/Transport/Transfer/HeaderBlock.swift": 1, "Shared/Transport/Transfer/RedirectPlan.swift": 1,
        "Shared/Transport/Transfer/TransferHead.swift": 1, "Worker/Download/Download.swift": 1,
    },
    "words of the program without K, ; and `, the only ASCII that other characters equal": {
        "Coordinator/Admission/CacheTarget.swift": 2, "Coordinator/Server/Connection.swift": 1, "Coordinator/Server/Dispatcher.swift": 5,
        "Coordinator/Methods/BlacklistMethods.swift": 1, "Features/Streams/EventQuestion.swift": 1, "Coordinator/Web/BodyAdmission.swift": 2, "Coordinator/Core/Feature.swift": 1, "Features/Groups/GroupsFeature.swift": 1, "Features/Scaling/ScalingFeature.swift": 1, "Shared/Door/PictureOption+Output.swift": 1,
        "Shared/Door/SourceRefusal.swift": 1,
        "Shared/Door/PictureOption+Size.swift": 1, "Shared/Door/PictureOptionTable.swift": 1, "Shared/Images/Formats/Color.swift": 1,
        "Shared/Images/Operations/ImageOperation.swift": 1, "Shared/Images/Requests/Rendition.swift": 1,
        "Shared/Images/Formats/PictureTrait.swift": 1,
        "Shared/Images/Sources/RetryClasses.swift": 1,
        "Shared/Images/Sources/FetchOptions+Form.swift": 1, "Shared/Transport/HTTP/HTTPExchange.swift": 2, "Features/TextBodies/Charset.swift": 1,
    },
    "words of Redis": {"Coordinator/Admission/RedisMemoryGuard.swift": 1},
    "the operator's files and environment": {
        "Features/Contracts/Configurations.swift": 1, "Shared/Door/PictureDoor.swift": 1, "Shared/Door/PicturePresets.swift": 5, "Shared/Images/Access/TokenOptions.swift": 2, "Shared/Stores/Results/ResultStore.swift": 3,
        "Shared/Stores/Results/S3Bucket.swift": 1, "Worker/Download/DecryptionKeys.swift": 1, "Worker/Download/NamedLines.swift": 3,
        "Worker/Download/SourceBuckets.swift": 3, "Worker/Download/TLSProfiles.swift": 2, "Features/Saving/SavePlaces.swift": 2,
    },
}
KEYED = re.compile(r"\[(?:String|Substring): |\b(?:Set|Dictionary)<(?:String|Substring)\b")
INFERRED = re.compile(r"\b(?:Set|Dictionary)\((?!.*(?:ExactText|rawValue)).*(?:\.(?:name|string|keys|text|host)\b|lowercased|\bString\b"
                      r"|\b(?:names|texts|tags|hosts|words|ids|keys)\b)")
TEXTS = r"\b(?:scope|owner|jar|tag|user|params|sharer|client|slot)\b"
NAMED = re.compile(TEXTS + r"[?!]?\)? (?:==|!=) (?!nil\b|[\".\d])|(?<![=!])(?:==|!=) (?:[\w.$?!]+\.)?" + TEXTS + r"(?!\.)")
COMPARED = re.compile(r"\?\.string\)? (?:==|!=) (?!nil\b|\")|(?:==|!=) [\w.$]+\[[^\]]*\]\?\.string\b")
COMMENT = re.compile(r"^\s*//")


def main():
    allowed = Counter()
    for files in LISTED.values():
        allowed.update(files)
    root = pathlib.Path("Sources")
    for folder in ("Coordinator", "Engine", "Features", "Shared", "Worker"):
        for path in sorted((root / folder).rglob("*.swift")):
            name = str(path.relative_to(root))
            if any(name.startswith(free + "/") for free in FREE):
                continue
            lines = [(number, line) for number, line in enumerate(path.read_text().split("\n"), 1) if not COMMENT.match(line)]
            for number, line in lines:
                if COMPARED.search(line):
                    print(f"{path}:{number}: compare it as JSON: {line.strip()}")
            found = [(number, line) for number, line in lines if any(rule.search(line) for rule in (KEYED, INFERRED, NAMED))]
            most = allowed.pop(name, 0)
            if len(found) < most:
                print(f"{path}:1: scripts/texts.py lists {most} lines here, and there are {len(found)}")
            if len(found) > most:
                for number, line in found:
                    print(f"{path}:{number}: a text as a key, or compared: make it an ExactText, or list it in scripts/texts.py with its reason: {line.strip()}")
    for name in allowed:
        print(f"scripts/texts.py:1: there is no {name}")


main()

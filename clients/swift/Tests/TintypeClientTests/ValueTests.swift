import Foundation
import Testing

@testable import TintypeClient

/// Values that are written and read again.
@Suite struct ValueTests {
    private let page: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../..").standardized.path
        page = try String(contentsOfFile: root + "/docs/protocol.md", encoding: .utf8)
    }

    // MARK: - Requests

    @Test(arguments: [EveryOption.request] + EveryOption.alternatives) func pure_aRequestIsReadAndWrittenAgain(_ text: String) throws {
        let json = try JSON(parsing: text)
        let request = try ImageRequest(json: json)
        #expect(request.json == json)
        #expect(try ImageRequest(json: request.json) == request)
        #expect(Set([request, request]).count == 1)
    }

    /// A new option fails here until `EveryOption` has it: then it is known that the client sends it.
    @Test(arguments: [
        ("ImageRequest", EveryOption.request), ("Fetch", EveryOption.fetch), ("Cache", EveryOption.cache), ("Decode", EveryOption.decode),
        ("Output", EveryOption.output),
    ]) func pure_theSamplesHaveEveryOption(_ section: String, _ text: String) throws {
        let known = Self.names(try JSON(parsing: text))
        let described = try names(inSection: "### \(section)\n")
        #expect(described.count > 5)
        #expect(described.subtracting(known).isEmpty)
    }

    @Test func pure_theSamplesHaveEveryOperation() throws {
        let transform = try ImageTransform(json: try JSON(parsing: EveryOption.operations))
        #expect(transform.json == (try JSON(parsing: EveryOption.operations)))
        var samples: [String: JSON] = [:]
        for operation in transform.json.arrayValue ?? [] {
            let name = try #require(operation["op"]?.stringValue)
            if samples[name] == nil { samples[name] = operation }
        }
        let operations = page.components(separatedBy: "\n## Operations\n")[1].components(separatedBy: "\n## ")[0]
        let names = operations.matches(of: /### `(\w+)`/).map { String($0.1) }
        #expect(Set(names) == Set(samples.keys))
        for name in names {
            let missing = try self.names(inSection: "### `\(name)`\n").subtracting(Self.names(try #require(samples[name])))
            #expect(missing.isEmpty, "\(name) lacks \(missing)")
        }
        #expect(transform.operations.allSatisfy { if case .other = $0 { false } else { true } })
    }

    @Test func pure_theExamplesOfTheProtocolAreReadAndWrittenAgain() throws {
        var count = 0
        for line in page.split(separator: "\n") where line.hasPrefix("{\"method\":") {
            let call = try JSON(parsing: String(line))
            let method = try #require(call["method"]?.stringValue)
            let params = call["params"] ?? [:]
            var requests = ["image.load", "image.submit", "image.probe", "request.explain"].contains(method) ? [params] : []
            for member in ["items", "steps"] { requests += params[member]?.arrayValue ?? [] }
            if let request = params["request"] { requests.append(request) }
            for request in requests {
                #expect(try Self.plain(ImageRequest(json: request).json) == Self.plain(request), "\(method)")
                count += 1
            }
        }
        #expect(count >= 8)
    }

    @Test func pure_anOptionThatIsNotGivenIsNotSent() {
        #expect(ImageRequest("u").json == ["url": "u"])
        #expect(
            ImageRequest("u", transform: [], output: .init(), fetch: .init(), renditions: []).json
                == ["url": "u", "fetch": [:], "renditions": [], "transform": [], "output": [:]])
        // A rule of the operator yields to what a client says, also where that is the default.
        #expect(ImageTransform.resize(1, fit: .inside).json == [["op": "resize", "width": 1, "fit": "inside"]])
    }

    // MARK: - Newer services

    @Test func pure_unknownWordsAndShapesAreKept() throws {
        let json: JSON = [
            "transform": [["op": "crystallize", "cells": 5], ["op": "resize", "fit": "magnetic", "gravity": ["orbit": 3], "scale": "double"]],
            "output": ["format": "jpeg9", "quality": "best"], "fallback": ["mirror": true], "progress": "often", "priority": "urgent",
        ]
        let request = try ImageRequest(json: json)
        #expect(request.json == json)
        #expect(request.output?.format == .other("jpeg9"))
        #expect(request.fallback == .other(["mirror": true]))
        #expect(request.transform?.operations.first == .other(["op": "crystallize", "cells": 5]))
    }

    @Test func pure_everyWordIsReadAgain() {
        #expect(ErrorName.allCases.allSatisfy { ErrorName(rawValue: $0.rawValue) == $0 })
        #expect(ImageRequest.CachePolicy.allCases.allSatisfy { ImageRequest.CachePolicy(rawValue: $0.rawValue) == $0 })
        #expect(ImageOperation.Fit.nothing.rawValue == "none")
        #expect(ImageOutput.Subsampling(rawValue: "4:4:4") == .chroma444)
        #expect(ImageRequest.HTTPMethod.patch.rawValue == "PATCH")
        #expect(ImageFormat(rawValue: "novel").rawValue == "novel")
        #expect("\(ImageFormat.webp)" == "webp")
    }

    @Test func pure_aResultIsReadWithUnknownAndMissingMembers() throws {
        let result = try ImageResult(json: [
            "from": "moon", "novel": 1, "source": ["url": "u", "finalURL": "u", "bytes": 3, "format": "jpeg"], "metrics": ["firstByte": 0.5, "queued": nil],
            "description": ["blurhash": "L", "thumbhash": "AAE=", "animation": nil, "palette": [["color": "#fff", "share": 0.5]]],
            "renditions": [["key": "k", "url": "/k", "contentType": "image/png", "bytes": 2, "data": "AAE=", "stored": ["memory", "moon"], "private": true]],
        ])
        #expect(result.from == .other("moon"))
        #expect(result.source.format == .jpeg)
        #expect(result.metrics?.firstByte == 0.5)
        #expect(result.metrics?.queued == nil)
        #expect(result.traits?.thumbhash == [0, 1])
        #expect(result.traits?.palette?.first?.share == 0.5)
        #expect(result.traits?.animation == nil)
        let rendition = try #require(result.renditions.first)
        #expect(rendition.data == [0, 1])
        #expect(rendition.stored == [.memory, .other("moon")])
        #expect(rendition.isPrivate == true)
        #expect(try ImageResult(json: result.json) == result)
    }

    @Test(
        arguments: [
            (JSON.null, "the answer should be an object, but is null"), (["from": "remote"], "`source` should be there, but is missing"),
            (
                ["from": "remote", "source": ["url": "u", "finalURL": "u", "bytes": "3"], "renditions": []],
                "`source.bytes` should be a whole number, but is a text"
            ),
            (
                ["from": "remote", "source": ["url": "u", "finalURL": "u", "bytes": 3], "renditions": [["key": "k"]]],
                "`renditions[0].url` should be there, but is missing"
            ),
        ] as [(JSON, String)]) func pure_aResultOfAnotherShapeSaysWhere(_ json: JSON, _ message: String)
    {
        #expect { try ImageResult(json: json) } throws: { "\($0)" == message }
    }

    // MARK: - Events

    private static let common: [(String, JSON)] = [
        ("receipt", "r"), ("seq", 3), ("at", 1.5), ("queue", "q"), ("tag", "t"), ("userInfo", ["a": 1]), ("requestId", 7),
    ]

    @Test(
        arguments: [
            ["type": "queued", "position": 3], ["type": "started", "worker": "w", "attempt": 1],
            ["type": "response", "status": 200, "headers": ["A": "b"], "expectedBytes": 3], ["type": "progress", "phase": "download", "fraction": 0.5],
            ["type": "preview", "data": "AAE=", "width": 3, "height": 4], ["type": "retrying", "attempt": 1, "delay": 0.5],
            ["type": "rendition", "name": "n", "key": "k", "url": "/k", "contentType": "image/png", "bytes": 3, "width": 5], ["type": "paused"],
            ["type": "resumed"],
            ["type": "cancelled", "reason": "client", "phase": "queue"], ["type": "novel", "moon": true],
        ] as [JSONObject]) func pure_anEventIsReadAndWrittenAgain(_ own: JSONObject) throws
    {
        var members = JSONObject(Self.common)
        for (name, value) in own { members[name] = value }
        let event = try ImageEvent(json: .object(members))
        #expect(event.json == .object(members))
        #expect(event.isTerminal == (own["type"] == "cancelled"))
        if own["type"] == "novel" {
            #expect(event.facts == nil)
        } else {
            #expect(event.facts?.receipt == "r")
            #expect(event.facts?.requestId == 7)
        }
    }

    @Test func pure_anEventHasTheMembersOfItsTypeAndOfAll() throws {
        var members = JSONObject(Self.common)
        members["type"] = "progress"
        members["phase"] = "upload"
        members["sentBytes"] = 5
        guard case .progress(let progress) = try ImageEvent(json: .object(members)) else { throw AnswerFault(expected: "progress", found: nil) }
        #expect(progress.phase == .upload)
        #expect(progress.sentBytes == 5)
        #expect(progress.receipt == "r")
        #expect(progress.userInfo == ["a": 1])
        members["type"] = "failed"
        members["error"] = ["code": 1016, "message": "slow", "data": ["name": "timeout", "retryable": false, "attempts": 3]]
        guard case .failed(let failed) = try ImageEvent(json: .object(members)) else { throw AnswerFault(expected: "failed", found: nil) }
        #expect(failed.error.name == .timeout)
        #expect(failed.error.attempts == 3)
        #expect(try ImageEvent(json: ["type": "gap", "after": 4]) == .gap(.init(after: 4)))
    }

    // MARK: - Secrets

    @Test func pure_secretsAreInNoDescription() throws {
        let request = try ImageRequest(json: try JSON(parsing: EveryOption.request)).fetch(
            .init(headers: ["X-Key": "hidden"], auth: .bearer("hidden")))
        var shown = "\(request)" + String(reflecting: request)
        dump(request, to: &shown)
        dump([request.fetch], to: &shown)
        shown +=
            "\(ImageRequest.Auth.bearer("hidden")) \(ImageRequest.Auth.basic(user: "u", password: "hidden")) \(ImageRequest.Callback(url: "u", secret: "hidden"))"
        #expect(!shown.contains("hidden"))
        #expect(shown.contains("https://example.org/a.jpg"))
        #expect(request.json.description.contains("hidden"))
        #expect("\(RenditionInfo(key: "k", url: "/k", contentType: "image/png", bytes: 3, data: [1, 2, 3]))".contains("(3 bytes)"))
    }

    // MARK: - Bytes

    @Test(arguments: [("", []), ("AA==", [0]), ("AAE=", [0, 1]), ("AAEC", [0, 1, 2]), ("+/8=", [251, 255]), ("-_8", [251, 255])] as [(String, [UInt8])])
    func pure_base64IsRead(_ text: String, _ bytes: [UInt8]) {
        #expect(Base64.decode(text) == bytes)
        #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        #expect(!Base64.encode(bytes, forURLs: true).contains { "+/=".contains($0) })
    }

    @Test(arguments: ["A", "AA=", "A===", "AA*=", "AAAAA", "AA==AA=="]) func pure_whatIsNotBase64IsRefused(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func pure_base64IsThatOfFoundation() {
        var generator = SystemRandomNumberGenerator()
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
        }
    }

    // MARK: - The page of the protocol

    /// The options that a section names, such as `retry.on` or `rects[].x`, as the last part alone.
    private func names(inSection title: String) throws -> Set<String> {
        let parts = page.components(separatedBy: title)
        try #require(parts.count >= 2)
        let section = parts[1].components(separatedBy: "\n#")[0]
        let heads = section.split(separator: "\n").filter { $0.hasPrefix("- `") }.map { $0.prefix { $0 != "(" } }
        return Set(heads.flatMap { $0.matches(of: /`(?:[A-Za-z\[\]]+\.)*([A-Za-z]+)`/).map { String($0.1) } })
    }

    /// The names of all members, in all depths.
    private static func names(_ json: JSON) -> Set<String> {
        switch json {
        case .object(let members): members.reduce(into: []) { $0.formUnion(names($1.value).union([$1.key])) }
        case .array(let elements): elements.reduce(into: []) { $0.formUnion(names($1)) }
        case .null, .bool, .integer, .number, .string: []
        }
    }

    /// The value with all numbers as `Double`: the page has 90 where a member may have 90.5.
    private static func plain(_ json: JSON) -> JSON {
        switch json {
        case .object(let members): .object(JSONObject(members.map { ($0.key, plain($0.value)) }))
        case .array(let elements): .array(elements.map(plain))
        case .integer(let number): .number(Double(number))
        case .null, .bool, .number, .string: json
        }
    }
}

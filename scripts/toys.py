"""Toys for scripts/recipes, which says how this text is read. A toy is as small as its kind can be, and real: it is built and tested."""

TOYS = r'''
== Image operation
word: toyNegative
-- above `/// Replaces every color by its opposite; transparency stays.`
/// A toy: the same as `invert`.
package struct ToyNegative: ImageOperation {
    package static let description = OperationDescription(name: "toyNegative", summary: "Replaces every color by its opposite.", parameters: [])

    package init(_: JSON, at _: String) {}

    package var canonical: JSON? { ["op": "toyNegative"] }
}

-- behind `Invert.self,`
ToyNegative.self,
-- above `extension Invert: ColorFilter {`
extension ToyNegative: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage { try Invert([:], at: "").apply(to: image) }
}

-- below `"title": "Negative"`
  {"group": "Color", "title": "Toy", "transform": [{"op": "toyNegative"}]},
-- behind `{"op":"sepia"}"#, [100], [135, 120, 94]),`
.init(#"{"op":"toyNegative"}"#, [255, 100, 0], [0, 155, 255]),
-- behind `#"{"op":"grayscale"}"#, #"{"op":"sepia","amount":0.7}"#,` in Tests/WorkerTests/
#"{"op":"toyNegative"}"#,
-- behind `#"{"transform":[{"op":"grayscale"}]}"#, #"{"transform":[{"op":"invert"}]}"#,`
#"{"transform":[{"op":"toyNegative"}]}"#,
-- below `{"op": "invert"},` in clients/swift/Tests/
            {"op": "toyNegative"},

== JSON-RPC method
word: system.toy
-- below `example: MethodExample("{}", #""pong""#)),`
        MethodDescription(
            "system.toy", "Answers at once.", role: .load, result: "`\"toy\"`",
            example: MethodExample("{}", #""toy""#)),
-- below `CoreMethod("system.ping") { call, _ in call.succeed("pong") },`
            CoreMethod("system.toy") { call, _ in call.succeed("toy") },
-- behind `"session.authenticate", "system.ping",` in Tests/IntegrationTests/
"system.toy",
-- new ToyMethodTests.swift beside `struct DispatcherTests`
import TestSupport
import Testing

@testable import Coordinator

@Suite(.timeLimit(.minutes(1)), .scoped) struct ToyMethodTests {
    @Test @Loop func `the toy answers`() async throws {
        let harness = try await CoordinatorHarness()
        let client = try harness.client()
        #expect(try await client.call("system.toy", "{}").result == "toy")
    }
}
-- below `"system.ping": "pong";`
  "system.toy": "toy";

== Setting
word: toy-limit
-- above `/// The most queued fetches of a queue without a limit of its own.`
    /// A toy.
    package var toyLimit = 7
-- below `queue.configure sets another limit for one queue."),`
            Setting("toy-limit", \.toyLimit, .count(1...100), help: "The most toys of this coordinator."),
-- below `let publicChannels = settings.publicChannels ?? ` (code)
        _ = settings.toyLimit

== Error
word: toyFailed
-- behind `case unknownReceipt, unknownGroup, unknownQueue`
, toyFailed
-- above `.unknownReceipt: Row(`
        .toyFailed: Row(1099, false, .failure, 422, "a toy has failed"),
-- above `("unknownReceipt", 1060),`
        ("toyFailed", 1099),
-- below `private static let fetchErrors: [ErrorName] = [`
        .toyFailed,

== Metric
word: tintype_toys_total
-- behind `eventGaps, reaped,`
toys,
-- above `case .callbacks:` in Sources/Shared/
        case .toys: .counter("tintype_toys_total", help: "Toys.")
-- below `policy = CallbackPolicy(firstPause: settings.retry)` (code)
        metrics.add(.toys)

== Door option
word: toy_negative
-- above `PictureOption("sharpen", ["sh"]`
        PictureOption("toy_negative", ["toyn"], [OptionArgument("negative", .flag, required: true)], becomes: "`invert`") { options, values in
            options.isToyNegative = values.flag(0) ?? false
        },
-- below `package var sharpen = 0.0`
    package var isToyNegative = false
-- below `if options.sharpen > 0 { steps.append(`
        if options.isToyNegative { steps.append(["op": "invert"]) }
-- below `case let one as Sharpen: ["sh:`
        case is Invert: ["toyn:1"]
-- above `sh:0.7 = sharpen(sigma=0.7)`
        toyn:1 = invert()
-- behind `(#"{"op":"sharpen","amount":2}"#, "", "!transform[0] (sharpen) has a value"),`
(#"{"op":"invert"}"#, "", "toyn:1/kcr:0"),

== Queue rule
word: toyStar
-- new toy-star.lua beside `-- Changes the priority of a live receipt. Its fetch gets`
#!lua flags=allow-oom
-- Stars a live receipt.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: receipt
-- answer 1, or nil if the receipt is unknown or has ended
local key = P .. 'r:' .. ARGV[1]
local r = call('HMGET', key, 'fetch', 'state')
if not r[1] or r[2] then return false end
call('HSET', key, 'toyStar', '1')
return 1
-- above `case submit, reserve, cancel, priority, pause, snapshot, leave`
    case toyStar = "toy-star"
-- above `#embed "../Shared/Queue/Scripts/submit.lua" suffix(, 0,)`
#embed "../Shared/Queue/Scripts/toy-star.lua" suffix(, 0,)
-- above `/// Changes the priority of a live receipt.` in Sources/Shared/
    /// Stars a live receipt.
    package func toyStar(receipt: String) async throws(RedisError) -> Bool { try await run(.toyStar, [.string(receipt)]).int != nil }

-- above `RecordField("supersedeKey", "its supersede key."),`
        RecordField("toyStar", "1 if it is starred."),
-- above `| `priority` | Changes the priority of a receipt`
| `toy-star` | Stars a receipt. |
-- above `let followers = (record["followers"] ?? "").split(separator: " ").map(String.init)` in Sources/Shared/
            require(record["toyStar"] ?? "1" == "1", "Q7", "receipt \(id) has a strange star")
-- behind `stale, beat, progress, drop, priority, tick, reap, configure, greet`
, toyStar
-- above `case .call: [4, 4, 4]`
            case .toyStar: [1, 1, 1]
-- above `case .priority: try await changePriority()`
        case .toyStar: try await toyStar()
-- above `func changePriority() async throws {`
    func toyStar() async throws {
        guard let id = tracks.keys.sorted().randomElement(using: &dice), let track = tracks[id] else { return }
        let isStarred = try await queue.toyStar(receipt: id)
        try require(isStarred == (track.terminal == nil), "a star for \(id): \(isStarred)")
    }

-- above `Mutant("a priority goes down again"`
        Mutant("a star is 1", "toy-star", "'toyStar', '1'", "'toyStar', '2'"),
-- above `_ = try await h.queue.setPriority(receipt: "r4", 3)`
        _ = try await h.queue.toyStar(receipt: "r4")
-- above `try await measure(.priority) {`
        _ = try await measure(.toyStar) { try await h.queue.toyStar(receipt: "a.3") }
'''

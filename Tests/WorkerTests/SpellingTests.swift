@testable import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// Spellings that share a key because they are the same work. These tests check that they are.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)))
struct SpellingTests {
    static let pairs: [(String, String)] = [
        (#"{"op":"frames","first":1}"#, #"{"op":"frames","pick":[0]}"#),
        (#"{"op":"rotate","angle":180}"#, #"{"op":"flip","horizontal":true,"vertical":true}"#),
        (#"{"op":"rotate","angle":180,"expand":false}"#, #"{"op":"flip","horizontal":true,"vertical":true}"#),
        (#"{"op":"rotate","angle":90},{"op":"rotate","angle":90}"#, #"{"op":"rotate","angle":180}"#),
        (#"{"op":"flip","horizontal":true},{"op":"flip","vertical":true}"#, #"{"op":"rotate","angle":180}"#),
        (#"{"op":"flip","horizontal":true},{"op":"flip","horizontal":true}"#, ""),
        (#"{"op":"rotate","angle":90},{"op":"flip","horizontal":true}"#, #"{"op":"flip","horizontal":true},{"op":"rotate","angle":270}"#),
        (#"{"op":"rotate","angle":180},{"op":"flip","horizontal":true}"#, #"{"op":"flip","vertical":true}"#),
        (#"{"op":"rotate","angle":90},{"op":"autorotate"},{"op":"rotate","angle":-90},{"op":"blur","sigma":1}"#, #"{"op":"blur","sigma":1}"#),
        (#"{"op":"crop","width":9,"height":8,"gravity":"topLeft"}"#, #"{"op":"crop","x":0,"y":0,"width":9,"height":8}"#),
        (#"{"op":"crop","width":900,"height":8,"gravity":{"x":0,"y":0}}"#, #"{"op":"crop","x":0,"y":0,"width":900,"height":8}"#),
        (
            #"{"op":"crop","width":0.3,"height":0.7,"unit":"fraction","gravity":"topLeft"}"#,
            #"{"op":"crop","x":0,"y":0,"width":0.3,"height":0.7,"unit":"fraction"}"#
        ),
    ]

    /// Corners by their names and as points; and all nine places, where only the remainder is divided.
    static let gravities = ["cover", "none", "contain", "crop"].flatMap { fit in
        [("topLeft", 0.0, 0.0), ("topRight", 1, 0), ("bottomLeft", 0, 1), ("bottomRight", 1, 1), ("center", 0.5, 0.5), ("top", 0.5, 0), ("left", 0, 0.5)]
            .prefix(fit == "contain" ? 7 : 4).map { name, x, y in
                func step(_ gravity: String) -> String {
                    fit == "crop"
                        ? #"{"op":"crop","width":33,"height":20,"gravity":\#(gravity)}"#
                        : #"{"op":"resize","width":33,"height":20,"fit":"\#(fit)","gravity":\#(gravity)}"#
                }
                return (step(#""\#(name)""#), step(#"{"x":\#(x),"y":\#(y)}"#))
            }
    }

    @Test(arguments: pairs + gravities) func `Equal keys mean equal plans`(one: String, other: String) throws {
        for (format, frames) in [(ImageFormat.png, 1), (.gif, 3)] {
            for size in [(100, 80), (31, 7), (33, 20), (5, 91), (64, 21), (1, 1)] {
                for orientation in [1, 6] {
                    let facts = PlanTests.facts(format, size.0, size.1, orientation: orientation, frames: frames)
                    // As requested; only the canonical spelling travels.
                    func plan(_ text: String) throws -> PicturePlan {
                        let asked = try ImageRequest(["url": "http://h/", "transform": JSON(parsing: "[\(text)]")]).renditions[0]
                        return try PicturePlanner.plan(facts, asked, ImageLimits())
                    }
                    #expect(try plan(one) == plan(other), "\(size)")
                }
            }
        }
        func key(_ text: String) throws -> String {
            try ImageRequest(["url": "http://h/", "transform": JSON(parsing: "[\(text)]")]).renditions[0].digest(source: "s")
        }
        #expect(try key(one) == key(other))
    }

    @Test(arguments: [#"{"op":"rotate","angle":90},{"op":"rotate","angle":90,"expand":false}"#, #"{"op":"rotate","angle":45},{"op":"rotate","angle":45}"#])
    func `Turns that lose something are not merged`(transform: String) throws {
        let asked = try ImageRequest(["url": "http://h/", "transform": JSON(parsing: "[\(transform)]")]).renditions[0]
        #expect(asked.canonical["transform"]?.array?.count == 2)
    }

    /// A single frame has no delay, but may be shown again.
    @Test(arguments: [
        #"{"op":"animate","columns":1,"rows":1,"delay":50,"loop":3},{"op":"frames","pick":[0,0]}"#,
        #"{"op":"animate","columns":1,"delay":50},{"op":"frames","first":1,"speed":2},{"op":"flip","vertical":true},{"op":"frames","pick":[0,0,0]}"#,
        #"{"op":"frames","pick":[2],"speed":4},{"op":"frames","pick":[0,0]}"#,
    ])
    func `The canonical spelling means the requested plan`(transform: String) throws {
        let asked = try ImageRequest(["url": "http://h/", "transform": JSON(parsing: "[\(transform)]"), "output": ["format": "gif"]]).renditions[0]
        let traveled = try Rendition(canonical: asked.canonical)
        let facts = PlanTests.facts(.gif, 40, 30, frames: 3)
        let (one, other) = try (PicturePlanner.plan(facts, asked, ImageLimits()), PicturePlanner.plan(facts, traveled, ImageLimits()))
        #expect(one == other)
        #expect(one.delays(of: [100, 100, 100]) == other.delays(of: [100, 100, 100]) && one.frameCount > 1)
    }
}

@testable import ImageHeads
import TestSupport
import Testing
import ImgproxyURLs
import TintypeImages

@testable import Engine

/// Sizes of pictures at the door beside those that imgproxy 4 makes of the same URLs.
@Suite(.tags(.optimized)) struct ForeignSizesTests {
    /// imgproxy's own arithmetic, step by step, by its documents and its behavior. It counts how many times smaller each side gets.
    struct Foreign: CustomStringConvertible {
        var source: PictureSize
        var type = "fit"
        var width = 0
        var height = 0
        var minWidth = 0
        var minHeight = 0
        var zoom = (x: 1.0, y: 1.0)
        var dpr = 1.0
        var enlarges = false
        var extends = false

        var options: String {
            var words = ["rt:\(type)"]
            for (name, value) in [("w", width), ("h", height), ("mw", minWidth), ("mh", minHeight)] where value > 0 { words.append("\(name):\(value)") }
            if zoom != (1, 1) { words.append("z:\(zoom.x):\(zoom.y)") }
            if dpr != 1 { words.append("dpr:\(dpr)") }
            if enlarges { words.append("el:1") }
            if extends { words.append("ex:1") }
            return words.joined(separator: "/")
        }
        var description: String { "\(options) of \(source)" }

        /// The times by which both sides shrink, and what is left of the density.
        private var shrink: (x: Double, y: Double, density: Double) {
            let (wide, high) = (Double(source.width), Double(source.height))
            var (x, y) = (width > 0 ? wide / Double(width) : 1, height > 0 ? high / Double(height) : 1)
            let isAlike = (source.width >= source.height) == (width >= height)
            switch type == "auto" ? isAlike ? "fill" : "fit" : type {
            case _ where width == 0: x = y
            case _ where height == 0: y = x
            case "fit": (x, y) = (max(x, y), max(x, y))
            case "fill", "fill-down": (x, y) = (min(x, y), min(x, y))
            default: break
            }
            (x, y) = (x / zoom.x, y / zoom.y)
            var density = dpr
            if !enlarges {
                let least = min(x, y)
                if least < 1 {
                    (x, y) = (x / least, y / least)
                    if !extends { density /= least }
                }
                density = min(density, x, y)
            }
            if minWidth > 0, wide / Double(minWidth) < x { (x, y) = (wide / Double(minWidth), y * wide / Double(minWidth) / x) }
            if minHeight > 0, high / Double(minHeight) < y { (x, y) = (x * high / Double(minHeight) / y, high / Double(minHeight)) }
            return (min(x / density, wide), min(y / density, high), density)
        }

        private static func scaled(_ length: Int, _ factor: Double) -> Int { Int((Double(length) * factor).rounded()) }

        /// The size of the picture that imgproxy makes.
        var result: PictureSize {
            let times = shrink
            let whole = PictureSize(Self.scaled(source.width, 1 / times.x), Self.scaled(source.height, 1 / times.y))
            let box = PictureSize(Self.scaled(width, times.density * zoom.x), Self.scaled(height, times.density * zoom.y))
            var cut = box
            if type == "fill-down", !enlarges {
                let (x, y) = (Double(box.width) / Double(whole.width), Double(box.height) / Double(whole.height))
                if x > y, x > 1 { cut = PictureSize(whole.width, Self.scaled(whole.width, Double(box.height) / Double(box.width))) }
                if y > x, y > 1 { cut = PictureSize(Self.scaled(whole.height, Double(box.width) / Double(box.height)), whole.height) }
            }
            func least(_ side: Int, _ other: Int) -> Int { other == 0 ? side : min(side, other) }
            let kept = PictureSize(least(whole.width, cut.width), least(whole.height, cut.height))
            return extends ? PictureSize(max(kept.width, box.width), max(kept.height, box.height)) : kept
        }
    }

    /// Returns the size that the door and a worker make; nil for a refused use, and for a picture beyond the limits.
    private static func made(_ options: String, of source: PictureSize) throws -> PictureSize? {
        let door = PictureDoor(URLSignature(pairs: [], unsigned: .named))
        do {
            let request = try door.plan(Array("/_/\(options)/plain/http://h/a.png".utf8), now: 0).imageRequest()
            return try PicturePlanner.plan(PlanTests.facts(.png, source.width, source.height), request.renditions[0], ImageLimits()).size
        } catch let error as DoorRefusal {
            #expect(error.reason == .notSupported, "\(error)")
        } catch let error as PictureFailure {
            guard case .limitExceeded = error.reason else { throw error }
        }
        return nil
    }

    /// Findings of checks from outside, with the sizes of imgproxy.
    static let found: [(options: String, source: PictureSize, size: PictureSize)] = [
        ("mw:450", PictureSize(301, 457), PictureSize(450, 683)), ("el:1/z:0.5:0.5/mh:450", PictureSize(301, 457), PictureSize(296, 450)),
        ("dpr:0.5/mw:50", PictureSize(400, 300), PictureSize(200, 150)), ("el:1/dpr:1.5/mh:150", PictureSize(400, 300), PictureSize(600, 450)),
        ("rt:force/w:120/h:600", PictureSize(301, 457), PictureSize(91, 457)), ("rt:fill/w:500/h:250/dpr:1.5", PictureSize(301, 457), PictureSize(301, 250)),
    ]

    @Test(arguments: found) func `a least size, force and dpr do what they do in imgproxy`(options: String, source: PictureSize, size: PictureSize) throws {
        #expect(try Self.made(options, of: source) == size)
    }

    @Test(arguments: 0..<8) func `random URLs make the sizes of imgproxy`(seed: UInt64) throws {
        var dice = Dice(seed)
        var (compared, exact) = (0, 0)
        for _ in 0..<500 {
            func side() -> Int { Int.random(in: 30...900, using: &dice) }
            var one = Foreign(source: PictureSize(side(), side()), type: dice.of(["fit", "fill", "fill-down", "force", "auto"]))
            if dice.chance(0.8) { one.width = side() }
            if dice.chance(0.8) { one.height = side() }
            if dice.chance(0.3) { one.minWidth = side() }
            if dice.chance(0.3) { one.minHeight = side() }
            if dice.chance(0.3) { one.zoom = (dice.of([0.25, 0.5, 1, 2, 3]), dice.of([0.25, 0.5, 1, 2, 3])) }
            if dice.chance(0.5) { one.dpr = dice.of([0.5, 0.75, 1.5, 2, 3]) }
            one.enlarges = dice.chance(0.3)
            // A canvas follows the whole density (docs/imgproxy.md, Differences).
            one.extends = one.dpr == 1 && dice.chance(0.2)
            guard let size = try Self.made(one.options, of: one.source) else { continue }
            let wanted = one.result
            compared += 1
            if size == wanted { exact += 1 }
            // A box has whole pixels before the picture is fitted into it. Half a pixel of the short side is more of the long one.
            let (wide, high) = (Double(one.source.width), Double(one.source.height))
            let slack = 1 + max(wide / high, high / wide)
            let isNear = abs(Double(size.width - wanted.width)) <= slack && abs(Double(size.height - wanted.height)) <= slack
            #expect(isNear, "\(one): \(size) is not \(wanted)")
        }
        #expect(compared > 350 && exact * 100 > compared * 95, "\(exact) of \(compared)")
    }
}

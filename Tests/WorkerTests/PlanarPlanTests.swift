@testable import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// The plans that the planar path accepts, and the source of each sample of a result.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)))
struct PlanarPlanTests {
    private static let wide = PictureSize(2725, 2225)
    private typealias Factors = PlaneSampling.Factors
    private static let halves = [Factors(2, 2), Factors(1, 1), Factors(1, 1)]

    static func facts(_ size: PictureSize = wide, _ components: [PlaneSampling.Factors] = halves, orientation: Int = 1) -> ImageProperties {
        var facts = ImageProperties(format: .jpeg, size: size)
        facts.orientation = orientation
        facts.sampling = PlaneSampling(size: size, components: components)
        return facts
    }

    static func plan(_ facts: ImageProperties, _ canonical: String) throws -> PlanarPlan? {
        let rendition = try Rendition(canonical: JSON(parsing: canonical))
        return PlanarPlan(try PicturePlanner.exact(facts, rendition, ImageLimits()), facts, speed: rendition.decode.speed)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var transform: String
        var output = #"{"format":"jpeg"}"#
        var decode = "{}"
        /// The shrink factor; nil: left to libvips.
        var shrink: Int?
        var testDescription: String { "\(transform) \(output) \(decode)" }
        init(_ transform: String, output: String = #"{"format":"jpeg"}"#, decode: String = "{}", shrink: Int?) {
            (self.transform, self.output, self.decode, self.shrink) = (transform, output, decode, shrink)
        }
    }

    static let cases: [Case] = [
        Case("", shrink: 1),
        Case("", output: #"{"format":"original","quality":50,"progressive":true}"#, shrink: 1),
        Case(#"{"op":"resize","width":720,"height":588}"#, shrink: 2),
        Case(#"{"op":"resize","width":720,"height":588}"#, decode: #"{"speed":"best"}"#, shrink: 1),
        Case(#"{"op":"resize","width":100}"#, shrink: 8),
        Case(#"{"op":"resize","width":100,"height":900,"fit":"fill"}"#, shrink: 2),
        Case(#"{"op":"resize","width":300,"height":300,"fit":"cover"}"#, shrink: 4),
        Case(#"{"op":"resize","width":300,"height":300,"fit":"cover","gravity":"top"},{"op":"flip","vertical":true}"#, shrink: 4),
        // A window that libvips could only cut out of all pixels.
        Case(#"{"op":"crop","x":81,"y":41,"width":1601,"height":801},{"op":"resize","width":160}"#, shrink: 8),
        Case(#"{"op":"crop","x":0.1,"y":0.1,"width":0.5,"height":0.5,"unit":"fraction"}"#, shrink: 1),
        Case(#"{"op":"resize","width":300},{"op":"crop","x":11,"y":13,"width":101,"height":99},{"op":"crop","x":1,"y":1,"width":50,"height":50}"#, shrink: 8),
        Case(#"{"op":"rotate","angle":270},{"op":"resize","width":300}"#, shrink: 4),
        Case(#"{"op":"resize","width":4000,"enlarge":true}"#, shrink: 1),
        Case(#"{"op":"resize","width":720,"kernel":"cubic"}"#, shrink: 2),
        Case(#"{"op":"extend","left":-10,"top":-3}"#, shrink: 1),
        Case(#"{"op":"resize","width":720}"#, output: #"{"format":"webp","effort":2}"#, shrink: 2),
        Case(#"{"op":"resize","width":720}"#, output: #"{"format":"webp","metadata":"copyright"}"#, shrink: 2),
        // Left to libvips.
        Case(#"{"op":"resize","width":720}"#, output: #"{"format":"jpeg","metadata":"all"}"#, shrink: nil),
        Case(#"{"op":"resize","width":720}"#, output: #"{"format":"png"}"#, shrink: nil),
        Case(#"{"op":"resize","width":720}"#, output: #"{"format":"webp","lossless":true}"#, shrink: nil),
        Case(#"{"op":"resize","width":720,"kernel":"nearest"}"#, shrink: nil),
        Case(#"{"op":"resize","width":720,"linear":true}"#, shrink: nil),
        Case(#"{"op":"resize","width":700,"height":4000,"fit":"fill","enlarge":true}"#, shrink: nil),
        Case(#"{"op":"resize","width":720},{"op":"resize","width":100}"#, shrink: nil),
        Case(#"{"op":"resize","width":300,"height":300,"fit":"contain"}"#, shrink: nil),
        Case(#"{"op":"resize","width":300,"height":300,"fit":"cover","gravity":"attention"}"#, shrink: nil),
        Case(#"{"op":"rotate","angle":10}"#, shrink: nil),
        Case(#"{"op":"extend","left":10}"#, shrink: nil),
        Case(#"{"op":"blur","sigma":3}"#, shrink: nil),
        Case(#"{"op":"grayscale"},{"op":"resize","width":100}"#, shrink: nil),
        Case(#"{"op":"roundCorners","radius":10}"#, shrink: nil),
    ]

    @Test(arguments: cases) func `The planar path accepts suitable plans, and shrinks as far as something is left to resize`(_ one: Case) throws {
        let plan = try Self.plan(Self.facts(), #"{"transform":[\#(one.transform)],"output":\#(one.output),"decode":\#(one.decode)}"#)
        #expect(plan?.shrink == one.shrink)
    }

    @Test func `The planar path refuses pictures with unknown planes, and plans over its memory limit`() throws {
        let resize = #"{"transform":[{"op":"resize","width":720}],"output":{"format":"jpeg"}}"#
        var facts = Self.facts()
        facts.sampling = nil
        #expect(try Self.plan(facts, resize) == nil)
        // The header belonged to another picture.
        facts.sampling = PlaneSampling(size: PictureSize(2725, 2224), components: Self.halves)
        #expect(try Self.plan(facts, resize) == nil)
        let huge = Self.facts(PictureSize(7000, 7000))
        #expect(try Self.plan(huge, #"{"transform":[],"output":{"format":"jpeg"}}"#) == nil)
        #expect(try Self.plan(huge, resize)?.shrink == 8)
    }

    @Test func `Only one gray plane, or a full one with two of color, is accepted`() {
        let size = PictureSize(10, 10)
        #expect(PlaneSampling(size: size, components: []) == nil)
        #expect(PlaneSampling(size: size, components: [Factors(1, 1), Factors(1, 1)]) == nil)
        #expect(PlaneSampling(size: size, components: [Factors(1, 1), Factors(2, 1), Factors(1, 1)]) == nil)
        #expect(PlaneSampling(size: size, components: [Factors(0, 1)]) == nil)
        #expect(PlaneSampling(size: size, components: [Factors(1, 1)]) != nil)
        #expect(PlaneSampling(size: size, components: Self.halves) != nil)
    }

    // MARK: Where samples come from

    @Test func `An odd side is not stretched by the decoder's rounding, and color matches brightness`() throws {
        let plan = try #require(try Self.plan(Self.facts(), #"{"transform":[{"op":"resize","width":720,"height":588}],"output":{"format":"jpeg"}}"#))
        #expect(plan.size == PictureSize(720, 588))
        #expect(plan.planes.count == 3)
        for (plane, result) in zip(plan.planes, [PictureSize(720, 588), PictureSize(360, 294), PictureSize(360, 294)]) {
            // At half scale libjpeg brings the halved color planes up to the others.
            #expect(plane.whole == PictureSize(1363, 1113))
            #expect(plane.window == PictureWindow(x: 0, y: 0, width: 1363, height: 1113))
            #expect(plane.result == result)
            #expect(plane.left == 0 && plane.top == 0)
            #expect(abs(plane.width - 2725.0 / 2) < 1e-9)
            #expect(abs(plane.height - 2225.0 / 2) < 1e-9)
        }
    }

    @Test func `A window is cut between samples, and only samples near it are kept`() throws {
        let crop = #"{"transform":[{"op":"crop","x":81,"y":42,"width":1601,"height":801}],"output":{"format":"jpeg"}}"#
        let plan = try #require(try Self.plan(Self.facts(), crop))
        #expect(plan.planes[0].window == PictureWindow(x: 81, y: 42, width: 1601, height: 801))
        #expect(plan.planes[0].left == 0 && plan.planes[0].width == 1601)
        #expect(plan.planes[1].window == PictureWindow(x: 40, y: 21, width: 801, height: 401))
        // Pairs of pixels begin at the window's edge, which is in the middle of a sample. The last one is half outside.
        #expect(plan.planes[1].left == 0.5 && plan.planes[1].width == 801)
        #expect(plan.planes[1].top == 0 && plan.planes[1].height == 401)
        #expect(plan.planes[1].result == PictureSize(801, 401))
        let cut = #"{"transform":[{"op":"resize","width":1362},{"op":"crop","x":600,"y":0,"width":30,"height":30}],"output":{"format":"jpeg"}}"#
        let small = try #require(try Self.plan(Self.facts(), cut))
        #expect(small.planes[0].window.width < 100 && small.planes[0].window.height < 80)
        #expect(small.planes[0].window.x > 1150 && small.planes[0].window.y == 0)
    }

    @Test func `Pairs are counted from the side that is first after the turn`() throws {
        let odd = Self.facts(PictureSize(99, 77))
        let mirrored = try #require(try Self.plan(odd, #"{"transform":[{"op":"flip","horizontal":true}],"output":{"format":"jpeg"}}"#))
        #expect(mirrored.planes[1].result == PictureSize(50, 39))
        #expect(mirrored.planes[1].left == -0.5)
        #expect(mirrored.planes[1].top == 0)
        #expect(mirrored.planes[0].left == 0)
        let turned = try #require(try Self.plan(odd, #"{"transform":[{"op":"rotate","angle":90}],"output":{"format":"jpeg"}}"#))
        #expect(turned.planes[1].left == 0)
        #expect(turned.planes[1].top == -0.5)
    }

    @Test(arguments: 1...8) func `The sides that a turn exchanges agree with its windows`(exif: Int) throws {
        let facts = Self.facts(PictureSize(40, 30), orientation: exif)
        let plan = try PicturePlanner.exact(facts, Rendition(output: OutputOptions(format: .jpeg)), ImageLimits())
        let placement = try #require(Placement(plan))
        let corner = Orientation(exif: exif).inverse.applied(to: PictureWindow(x: 0, y: 0, width: 1, height: 1), in: plan.size)
        #expect(placement.reversesRows == (corner.x > 0))
        #expect(placement.reversesColumns == (corner.y > 0))
    }

    // MARK: Planes

    @Test(arguments: 1...8, [PictureSize(5, 3), PictureSize(130, 67), PictureSize(1, 9)]) func `A plane is turned like windows`(exif: Int, size: PictureSize)
        throws
    {
        let plane = try #require(Plane(size))
        for y in 0..<size.height { for x in 0..<size.width { plane.samples[y * plane.stride + x] = UInt8(truncatingIfNeeded: 31 * y + x) } }
        let orientation = Orientation(exif: exif)
        let turned = try #require(plane.turned(orientation))
        #expect(turned.size == orientation.applied(to: size))
        var wrong = 0
        for y in 0..<size.height {
            for x in 0..<size.width {
                let to = orientation.applied(to: PictureWindow(x: x, y: y, width: 1, height: 1), in: size)
                if turned.samples[to.y * turned.stride + to.x] != UInt8(truncatingIfNeeded: 31 * y + x) { wrong += 1 }
            }
        }
        #expect(wrong == 0)
    }
}

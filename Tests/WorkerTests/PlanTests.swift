@testable import ImageHeads
import TintypeCore
import TintypeImages
import TintypeQueue
import TestSupport
import Testing

@testable import Engine

/// The decisions that depend on a header alone.
@Suite(.tags(.optimized), .timeLimit(.minutes(1)))
struct PlanTests {
    static func facts(_ format: ImageFormat = .jpeg, _ width: Int = 2725, _ height: Int = 2225, orientation: Int = 1, frames: Int = 1) -> ImageProperties {
        var facts = ImageProperties(format: format, size: PictureSize(width, height))
        facts.orientation = orientation
        facts.frames = frames
        return facts
    }

    static func plan(_ facts: ImageProperties, _ canonical: String, _ limits: ImageLimits = ImageLimits()) throws -> PicturePlan {
        try PicturePlanner.plan(facts, Rendition(canonical: JSON(parsing: canonical)), limits)
    }

    @Test(arguments: 1...8) func `The interesting part of a picture is found after it is upright`(orientation: Int) throws {
        let plan = try Self.plan(
            Self.facts(.png, 400, 300, orientation: orientation), #"{"transform":[{"op":"crop","width":100,"height":90,"gravity":"attention"}]}"#)
        let steps = plan.steps.map { step -> String in
            switch step {
            case .turn: "turn"
            case .smartCrop(let crop): "look \(crop.size.width) \(crop.size.height)"
            default: "else"
            }
        }
        #expect(steps == (orientation == 1 ? ["else", "look 100 90"] : ["else", "turn", "look 100 90"]) && plan.size == PictureSize(100, 90), "\(steps)")
    }

    // MARK: Fits

    struct FitCase: Sendable, CustomTestStringConvertible {
        var source = PictureSize(400, 200)
        var width: Int?
        var height: Int?
        var fit: Resize.Fit
        var gravity = Gravity.center
        var enlarge = false
        var minWidth: Int?
        var minHeight: Int?
        var scale = Resize.Factors()
        var scaled: PictureSize
        var window: PictureWindow?
        var canvas: PictureWindow?
        var resize: Resize {
            var resize = Resize(width: width, height: height, fit: fit, gravity: gravity, enlarge: enlarge)
            (resize.minWidth, resize.minHeight, resize.scale) = (minWidth, minHeight, scale)
            return resize
        }
        var testDescription: String { "\(source) \(fit) \(width ?? 0)x\(height ?? 0) \(gravity) enlarge \(enlarge)" }
    }

    static let fits: [FitCase] = [
        FitCase(width: 100, height: 100, fit: .inside, scaled: PictureSize(100, 50)),
        FitCase(width: 100, height: 100, fit: .outside, scaled: PictureSize(200, 100)),
        FitCase(width: 100, height: 100, fit: .fill, scaled: PictureSize(100, 100)),
        FitCase(width: 100, height: 100, fit: .cover, scaled: PictureSize(200, 100), window: PictureWindow(x: 50, y: 0, width: 100, height: 100)),
        FitCase(width: 100, height: 100, fit: .contain, scaled: PictureSize(100, 50), canvas: PictureWindow(x: 0, y: 25, width: 100, height: 100)),
        // One side: all fits are the same.
        FitCase(width: 100, fit: .cover, scaled: PictureSize(100, 50)),
        FitCase(height: 100, fit: .contain, scaled: PictureSize(200, 100)),
        FitCase(width: 100, fit: .fill, scaled: PictureSize(100, 50)),
        // Too small, not enlarged.
        FitCase(width: 800, height: 800, fit: .inside, scaled: PictureSize(400, 200)),
        FitCase(width: 800, height: 800, fit: .outside, scaled: PictureSize(400, 200)),
        FitCase(width: 800, height: 100, fit: .fill, scaled: PictureSize(400, 100)),
        FitCase(width: 300, height: 800, fit: .cover, scaled: PictureSize(400, 200), window: PictureWindow(x: 50, y: 0, width: 300, height: 200)),
        FitCase(width: 800, height: 800, fit: .cover, scaled: PictureSize(400, 200)),
        FitCase(width: 800, height: 800, fit: .contain, scaled: PictureSize(400, 200), canvas: PictureWindow(x: 200, y: 300, width: 800, height: 800)),
        FitCase(width: 800, fit: .inside, scaled: PictureSize(400, 200)),
        // Enlarged.
        FitCase(width: 800, height: 800, fit: .inside, enlarge: true, scaled: PictureSize(800, 400)),
        FitCase(width: 800, height: 800, fit: .outside, enlarge: true, scaled: PictureSize(1600, 800)),
        FitCase(width: 800, height: 800, fit: .fill, enlarge: true, scaled: PictureSize(800, 800)),
        FitCase(
            width: 800, height: 800, fit: .cover, enlarge: true, scaled: PictureSize(1600, 800), window: PictureWindow(x: 400, y: 0, width: 800, height: 800)),
        FitCase(
            width: 800, height: 800, fit: .contain, enlarge: true, scaled: PictureSize(800, 400), canvas: PictureWindow(x: 0, y: 200, width: 800, height: 800)),
        // Shapes that round: never a pixel too few to cover, never one too many inside.
        FitCase(source: PictureSize(2725, 2225), width: 720, height: 588, fit: .inside, scaled: PictureSize(720, 588)),
        FitCase(source: PictureSize(3, 1000), width: 10, height: 10, fit: .inside, scaled: PictureSize(1, 10)),
        FitCase(source: PictureSize(333, 500), width: 100, height: 150, fit: .cover, scaled: PictureSize(100, 150)),
        // coverDown: as cover, or the box's shape from a picture that is too small.
        FitCase(width: 100, height: 100, fit: .coverDown, scaled: PictureSize(200, 100), window: PictureWindow(x: 50, y: 0, width: 100, height: 100)),
        FitCase(width: 800, height: 800, fit: .coverDown, scaled: PictureSize(400, 200), window: PictureWindow(x: 100, y: 0, width: 200, height: 200)),
        FitCase(width: 300, height: 600, fit: .coverDown, scaled: PictureSize(400, 200), window: PictureWindow(x: 150, y: 0, width: 100, height: 200)),
        FitCase(
            width: 4000, height: 1000, fit: .coverDown, gravity: .top, scaled: PictureSize(400, 200), window: PictureWindow(x: 0, y: 0, width: 400, height: 100)
        ),
        FitCase(width: 800, height: 400, fit: .coverDown, scaled: PictureSize(400, 200)),
        FitCase(
            width: 800, height: 800, fit: .coverDown, enlarge: true, scaled: PictureSize(1600, 800),
            window: PictureWindow(x: 400, y: 0, width: 800, height: 800)),
        FitCase(width: 100, fit: .coverDown, scaled: PictureSize(100, 50)),
        // auto: cover where both lie or both stand, else inside. A square lies.
        FitCase(width: 100, height: 80, fit: .auto, scaled: PictureSize(160, 80), window: PictureWindow(x: 30, y: 0, width: 100, height: 80)),
        FitCase(width: 100, height: 100, fit: .auto, scaled: PictureSize(200, 100), window: PictureWindow(x: 50, y: 0, width: 100, height: 100)),
        FitCase(width: 80, height: 100, fit: .auto, scaled: PictureSize(80, 40)),
        FitCase(
            source: PictureSize(200, 400), width: 80, height: 100, fit: .auto, scaled: PictureSize(80, 160),
            window: PictureWindow(x: 0, y: 30, width: 80, height: 100)),
        FitCase(source: PictureSize(200, 400), width: 100, height: 100, fit: .auto, scaled: PictureSize(50, 100)),
        FitCase(height: 100, fit: .auto, scaled: PictureSize(200, 100)),
        // Least sides: the shape stays, and the box cuts.
        FitCase(fit: .inside, minWidth: 800, scaled: PictureSize(400, 200)),
        FitCase(fit: .inside, enlarge: true, minWidth: 800, scaled: PictureSize(800, 400)),
        FitCase(fit: .inside, enlarge: true, minWidth: 300, minHeight: 300, scaled: PictureSize(600, 300)),
        FitCase(width: 100, fit: .inside, minHeight: 100, scaled: PictureSize(200, 100), window: PictureWindow(x: 50, y: 0, width: 100, height: 100)),
        FitCase(width: 100, fit: .outside, minHeight: 100, scaled: PictureSize(200, 100)),
        FitCase(width: 100, fit: .inside, minHeight: 40, scaled: PictureSize(100, 50)),
        FitCase(
            width: 100, height: 100, fit: .inside, gravity: .right, minHeight: 80, scaled: PictureSize(160, 80),
            window: PictureWindow(x: 60, y: 0, width: 100, height: 80)),
        FitCase(
            width: 100, height: 100, fit: .contain, minHeight: 80, scaled: PictureSize(160, 80), window: PictureWindow(x: 30, y: 0, width: 100, height: 80),
            canvas: PictureWindow(x: 0, y: 10, width: 100, height: 100)),
        // Factors: on the picture, or on what the box makes.
        FitCase(fit: .inside, scale: Resize.Factors(x: 0.5, y: 0.5), scaled: PictureSize(200, 100)),
        FitCase(fit: .inside, scale: Resize.Factors(x: 0.5, y: 0.25), scaled: PictureSize(200, 50)),
        FitCase(fit: .inside, scale: Resize.Factors(x: 2, y: 2), scaled: PictureSize(400, 200)),
        FitCase(fit: .inside, scale: Resize.Factors(x: 2, y: 1), scaled: PictureSize(400, 100)),
        FitCase(fit: .inside, enlarge: true, scale: Resize.Factors(x: 2, y: 1), scaled: PictureSize(800, 200)),
        FitCase(width: 100, height: 100, fit: .inside, scale: Resize.Factors(x: 2, y: 1), scaled: PictureSize(200, 50)),
        FitCase(
            width: 100, height: 50, fit: .cover, scale: Resize.Factors(x: 1, y: 0.5), scaled: PictureSize(100, 25)),
        FitCase(
            width: 50, height: 50, fit: .cover, scale: Resize.Factors(x: 2, y: 1), scaled: PictureSize(200, 50),
            window: PictureWindow(x: 50, y: 0, width: 100, height: 50)),
        // Offsets count from the edges of the place, or from the middle, and lead nowhere outside.
        FitCase(
            width: 100, height: 100, fit: .cover, gravity: .moved(.left, x: 10, y: 0), scaled: PictureSize(200, 100),
            window: PictureWindow(x: 10, y: 0, width: 100, height: 100)),
        FitCase(
            width: 100, height: 100, fit: .cover, gravity: .moved(.right, x: 10, y: 5), scaled: PictureSize(200, 100),
            window: PictureWindow(x: 90, y: 0, width: 100, height: 100)),
        FitCase(
            width: 100, height: 100, fit: .cover, gravity: .moved(.center, x: -0.2, y: 0), scaled: PictureSize(200, 100),
            window: PictureWindow(x: 10, y: 0, width: 100, height: 100)),
        FitCase(
            width: 100, height: 100, fit: .cover, gravity: .moved(.right, x: 1000, y: 0), scaled: PictureSize(200, 100),
            window: PictureWindow(x: 0, y: 0, width: 100, height: 100)),
        FitCase(
            width: 100, height: 100, fit: .contain, gravity: .moved(.bottom, x: 0, y: 0.1), scaled: PictureSize(100, 50),
            canvas: PictureWindow(x: 0, y: 40, width: 100, height: 100)),
        FitCase(
            width: 300, height: 300, fit: .none, gravity: .moved(.topRight, x: 20, y: 30), scaled: PictureSize(400, 200),
            window: PictureWindow(x: 80, y: 0, width: 300, height: 200), canvas: PictureWindow(x: 0, y: 30, width: 300, height: 300)),
    ]

    @Test func `a crop by fractions at the far edge is the last pixel`() throws {
        for thousandth in 0...999 {
            let x = Double(thousandth) / 1000
            let plan = try Self.plan(
                Self.facts(.jpeg, 100, 60),
                #"{"transform":[{"op":"crop","x":\#(x),"y":\#(x),"width":\#((1 - x) / 2),"height":\#((1 - x) / 2),"unit":"fraction"}]}"#)
            #expect(plan.size.width >= 1 && plan.size.height >= 1)
        }
    }

    @Test(arguments: fits) func `A fit scales, cuts and pads as described`(_ one: FitCase) {
        let geometry = FitGeometry(one.source, one.resize)
        #expect(geometry.scaled == one.scaled)
        #expect(geometry.window == one.window)
        #expect(geometry.canvas == one.canvas)
    }

    @Test(arguments: [
        (#"{"decode":{"maxPixels":20000}}"#, 1, nil as String?), (#"{"decode":{"maxPixels":19999}}"#, 1, "decode.maxPixels"),
        (#"{"decode":{"maxPixels":40000},"output":{"format":"gif"}}"#, 2, nil),
        (#"{"decode":{"maxPixels":39999},"output":{"format":"gif"}}"#, 2, "decode.maxPixels"),
        (#"{"decode":{"maxPixels":20000},"output":{"format":"png"}}"#, 2, nil), (#"{"decode":{"maxPixels":20000,"frames":"first"}}"#, 2, nil),
        (#"{"decode":{"maxFramePixels":20000,"maxPixels":1}}"#, 2, nil), (#"{"decode":{"maxFramePixels":19999}}"#, 2, "decode.maxFramePixels"),
        (#"{"decode":{"maxFramePixels":1}}"#, 1, nil), (#"{"decode":{"maxFramePixels":1,"maxPixels":1}}"#, 1, "decode.maxPixels"),
        (#"{"decode":{"maxPixels":19999,"limitBytes":100}}"#, 1, "decode.maxPixels"),
    ]) func `a source with more pixels than the request allows is refused`(request: String, frames: Int, limit: String?) throws {
        let facts = Self.facts(frames > 1 ? .gif : .png, 200, 100, frames: frames)
        guard let limit else {
            _ = try Self.plan(facts, request)
            return
        }
        let failure = try #require(throws: PictureFailure.self) { try Self.plan(facts, request) }
        guard case .limitExceeded(let which, _, _) = failure.reason else {
            Issue.record("\(failure)")
            return
        }
        #expect(which == limit)
    }

    // SDWebImage's own vectors of its scaling: 100 × 200, and its largest size in pixels.
    @Test(arguments: [
        (PictureSize(100, 200), 150, 150, Resize.Fit.inside, false, "75x150"), (PictureSize(100, 200), 300, 300, .inside, false, "100x200"),
        (PictureSize(100, 200), 300, 300, .inside, true, "150x300"), (PictureSize(100, 200), 150, 150, .fill, false, "100x150"),
        (PictureSize(100, 200), 150, 150, .fill, true, "150x150"), (PictureSize(5250, 3450), 4000, 4000, .inside, false, "4000x2629"),
    ]) func `Sizes are those of SDWebImage`(source: PictureSize, width: Int, height: Int, fit: Resize.Fit, enlarge: Bool, result: String) throws {
        let resize = #"{"op":"resize","width":\#(width),"height":\#(height),"fit":"\#(fit.rawValue)","enlarge":\#(enlarge)}"#
        #expect(try Self.plan(Self.facts(.png, source.width, source.height), #"{"transform":[\#(resize)]}"#).size.description == result)
    }

    @Test func `Every size of every shape covers exactly and stays inside`() {
        for width in stride(from: 1, through: 400, by: 7) {
            for height in stride(from: 1, through: 400, by: 11) {
                for target in [PictureSize(100, 100), PictureSize(33, 71), PictureSize(1, 9)] {
                    let source = PictureSize(width, height)
                    let cover = FitGeometry(source, Resize(width: target.width, height: target.height, fit: .cover, enlarge: true))
                    #expect((cover.window?.size ?? cover.scaled) == target, "\(source) covers \(target)")
                    let inside = FitGeometry(source, Resize(width: target.width, height: target.height, fit: .inside, enlarge: true))
                    #expect(inside.scaled.width <= target.width && inside.scaled.height <= target.height)
                    #expect(inside.scaled.width == target.width || inside.scaled.height == target.height)
                }
            }
        }
    }

    @Test(arguments: [
        (Gravity.center, 50, 25), (.top, 50, 0), (.topRight, 100, 0), (.right, 100, 25), (.bottomRight, 100, 50), (.bottom, 50, 50),
        (.bottomLeft, 0, 50), (.left, 0, 25), (.topLeft, 0, 0),
    ])
    func `Each gravity has its place`(gravity: Gravity, x: Int, y: Int) {
        let at = gravity.offset(of: PictureSize(0, 0), in: PictureSize(100, 50))
        #expect(at.x == x && at.y == y)
    }

    // MARK: Loading

    struct LoadCase: Sendable, CustomTestStringConvertible {
        var size: PictureSize
        var transform: String
        var speed = "balanced"
        var shrink: Int
        var steps: Int
        var testDescription: String { "\(size) \(transform) \(speed)" }
    }

    static let loads: [LoadCase] = [
        LoadCase(size: PictureSize(2725, 2225), transform: #"{"op":"resize","width":720,"height":588}"#, shrink: 2, steps: 2),
        LoadCase(size: PictureSize(2000, 1000), transform: #"{"op":"resize","width":250}"#, shrink: 4, steps: 2),
        LoadCase(size: PictureSize(2000, 1000), transform: #"{"op":"resize","width":250}"#, speed: "fast", shrink: 8, steps: 1),
        LoadCase(size: PictureSize(2000, 1000), transform: #"{"op":"resize","width":249}"#, speed: "fast", shrink: 8, steps: 2),
        LoadCase(size: PictureSize(2000, 1000), transform: #"{"op":"resize","width":250}"#, speed: "best", shrink: 1, steps: 2),
        LoadCase(size: PictureSize(2000, 1000), transform: #"{"op":"resize","width":200}"#, shrink: 8, steps: 2),
        LoadCase(size: PictureSize(2000, 1000), transform: #"{"op":"resize","width":251}"#, shrink: 4, steps: 2),
        LoadCase(size: PictureSize(2000, 1000), transform: #"{"op":"resize","width":1001}"#, shrink: 1, steps: 2),
        LoadCase(size: PictureSize(2000, 1000), transform: #"{"op":"resize","width":100,"height":900,"fit":"fill"}"#, shrink: 1, steps: 2),
        // A window before the resize: only if its edges fall between the shrunk pixels.
        LoadCase(
            size: PictureSize(2000, 1000), transform: #"{"op":"crop","x":80,"y":40,"width":1600,"height":800},{"op":"resize","width":160}"#, shrink: 8, steps: 3
        ),
        LoadCase(
            size: PictureSize(2000, 1000), transform: #"{"op":"crop","x":81,"y":40,"width":1600,"height":800},{"op":"resize","width":160}"#, shrink: 1, steps: 3
        ),
        LoadCase(
            size: PictureSize(2000, 1000), transform: #"{"op":"crop","x":84,"y":40,"width":1600,"height":800},{"op":"resize","width":160}"#, shrink: 4, steps: 3
        ),
        LoadCase(size: PictureSize(2000, 1000), transform: #"{"op":"flip","horizontal":true}"#, shrink: 1, steps: 2),
    ]

    @Test(arguments: loads) func `A JPEG is shrunk while it is decoded`(_ one: LoadCase) throws {
        let plan = try Self.plan(
            Self.facts(.jpeg, one.size.width, one.size.height), #"{"transform":[\#(one.transform)],"decode":{"speed":"\#(one.speed)"}}"#)
        #expect(plan.load.shrink == one.shrink)
        #expect(plan.steps.count == one.steps, "\(plan.steps)")
    }

    @Test func `An odd side is not stretched by the decoder's rounding`() throws {
        let plan = try Self.plan(Self.facts(), #"{"transform":[{"op":"resize","width":720,"height":588}]}"#)
        guard case .resize(let step) = plan.steps[0] else { throw TestProblem() }
        #expect(step.from == PictureSize(1363, 1113))
        #expect(step.to == PictureSize(720, 588))
        #expect(abs(step.shrinkHorizontal - 2725.0 / 2 / 720) < 1e-12)
        #expect(abs(step.shrinkVertical - 2225.0 / 2 / 588) < 1e-12)
    }

    @Test(arguments: [("fast", 0.1), ("balanced", 0.2), ("best", 1.0)])
    func `A WebP is scaled while it is decoded`(speed: String, scale: Double) throws {
        let plan = try Self.plan(
            Self.facts(.webp, 2000, 1000), #"{"transform":[{"op":"resize","width":200}],"decode":{"speed":"\#(speed)"}}"#)
        #expect(abs(plan.load.scale - scale) < 1e-9)
        #expect(plan.size == PictureSize(200, 100))
        let animated = try Self.plan(Self.facts(.webp, 2000, 1000, frames: 3), #"{"transform":[{"op":"resize","width":200}]}"#)
        #expect(animated.load.scale == 1)
        #expect(animated.load.frames == 3)
    }

    // MARK: Turning

    @Test(arguments: 1...8) func `Turning back undoes every orientation`(exif: Int) {
        let orientation = Orientation(exif: exif)
        #expect(orientation.then(orientation.inverse) == .upright)
        let size = PictureSize(40, 30)
        let window = PictureWindow(x: 3, y: 5, width: 7, height: 11)
        let turned = orientation.applied(to: window, in: size)
        #expect(orientation.inverse.applied(to: turned, in: orientation.applied(to: size)) == window)
    }

    @Test func `Orientations combine like turns of a real picture`() {
        for first in (1...8).map({ Orientation(exif: $0) }) {
            for second in (1...8).map({ Orientation(exif: $0) }) {
                let size = PictureSize(40, 30)
                let window = PictureWindow(x: 3, y: 5, width: 7, height: 11)
                let inTwoSteps = second.applied(to: first.applied(to: window, in: size), in: first.applied(to: size))
                #expect(first.then(second).applied(to: window, in: size) == inTwoSteps)
            }
        }
    }

    @Test func `A turned photo is resized as it is stored, and turned when it is small`() throws {
        let plan = try Self.plan(
            Self.facts(.jpeg, 4000, 3000, orientation: 6), #"{"transform":[{"op":"resize","width":300,"height":300,"fit":"cover","gravity":"top"}]}"#)
        // Upright it is 3000 × 4000: scaled to 300 × 400, the upper 300 kept. As stored, "upper" is left.
        #expect(plan.size == PictureSize(300, 300))
        #expect(plan.load.shrink == 8)
        #expect(plan.steps.last == .turn(Orientation(quarters: 1)))
        #expect(plan.steps.contains(.crop(PictureWindow(x: 0, y: 0, width: 300, height: 300))))
        guard case .resize(let step) = plan.steps[0] else { throw TestProblem() }
        #expect(step.to == PictureSize(400, 300))
    }

    @Test func `Turns that cancel each other cost nothing`() throws {
        let plan = try Self.plan(
            Self.facts(.png, 40, 30),
            #"{"transform":[{"op":"rotate","angle":90},{"op":"flip","horizontal":true},{"op":"flip","horizontal":true},{"op":"rotate","angle":270}]}"#)
        #expect(plan.steps == [.color])
        let off = try Self.plan(Self.facts(.jpeg, 40, 30, orientation: 6), #"{"transform":[{"op":"autorotate","enabled":false}]}"#)
        #expect(off.size == PictureSize(40, 30))
        let on = try Self.plan(Self.facts(.jpeg, 40, 30, orientation: 6), "{}")
        #expect(on.size == PictureSize(30, 40))
    }

    // MARK: Crops

    @Test(arguments: [
        (#"{"op":"crop","x":10,"y":20,"width":30,"height":40}"#, PictureWindow(x: 10, y: 20, width: 30, height: 40)),
        (#"{"op":"crop","x":90,"y":90,"width":30,"height":40}"#, PictureWindow(x: 90, y: 90, width: 10, height: 10)),
        (#"{"op":"crop","x":0.25,"y":0.5,"width":0.5,"height":0.25,"unit":"fraction"}"#, PictureWindow(x: 25, y: 50, width: 50, height: 25)),
        (#"{"op":"crop","width":30,"height":40,"gravity":"bottomRight"}"#, PictureWindow(x: 70, y: 60, width: 30, height: 40)),
        (#"{"op":"crop","width":300,"height":40,"gravity":"top"}"#, PictureWindow(x: 0, y: 0, width: 100, height: 40)),
    ])
    func `A crop is a window of the upright picture`(crop: String, window: PictureWindow) throws {
        let plan = try Self.plan(Self.facts(.png, 100, 100), #"{"transform":[\#(crop)]}"#)
        #expect(plan.steps.first == .crop(window))
        #expect(plan.size == window.size)
    }

    @Test(arguments: [(2, 101), (3, 100), (7, 100), (9, 101)]) func `neighboring crops by fractions cover each pixel once`(parts: Int, side: Int) throws {
        var (right, bottom) = (0, 0)
        for part in 0..<parts {
            let (start, length) = (Double(part) / Double(parts), 1 / Double(parts))
            let crop = #"{"op":"crop","x":\#(start),"y":\#(start),"width":\#(length),"height":\#(length),"unit":"fraction"}"#
            let plan = try Self.plan(Self.facts(.png, side, side + 1), #"{"transform":[\#(crop)]}"#)
            guard case .crop(let window) = plan.steps.first else {
                Issue.record("no crop: \(plan.steps)")
                return
            }
            #expect(window.x == right && window.y == bottom, "part \(part)")
            (right, bottom) = (window.x + window.width, window.y + window.height)
        }
        #expect(right == side && bottom == side + 1)
    }

    @Test func `A crop outside the picture is an error`() {
        let error = #expect(throws: PictureFailure.self) {
            try Self.plan(Self.facts(.png, 100, 100), #"{"transform":[{"op":"crop","x":100,"y":0,"width":5,"height":5}]}"#)
        }
        #expect(error?.reason == .transformFailed)
    }

    // MARK: Outputs and limits

    @Test func `Without an output format the source's own is kept if it can be written`() throws {
        #expect(try Self.plan(Self.facts(.webp), "{}").output.format == .webp)
        #expect(try Self.plan(Self.facts(.tiff), "{}").output.format == .tiff)
        var bitmap = Self.facts(.bmp)
        #expect(try Self.plan(bitmap, "{}").output.format == .jpeg)
        bitmap.hasAlpha = true
        #expect(try Self.plan(bitmap, "{}").output.format == .png)
    }

    @Test func `All frames or one are read, and too many are an error`() throws {
        let gif = Self.facts(.gif, 100, 100, frames: 300)
        #expect(try Self.plan(gif, #"{"output":{"format":"jpeg"}}"#).load.frames == 1)
        #expect(try Self.plan(gif, #"{"decode":{"frames":"first"}}"#).load.frames == 1)
        let error = #expect(throws: PictureFailure.self) { try Self.plan(gif, "{}") }
        #expect(error?.reason == .limitExceeded(which: "maxFrames", value: 300, limit: 256))
        #expect(try Self.plan(Self.facts(.gif, 100, 100, frames: 200), "{}").load.frames == 200)
        let sum = #expect(throws: PictureFailure.self) { try Self.plan(Self.facts(.gif, 1000, 1000, frames: 51), "{}") }
        #expect(sum?.reason == .limitExceeded(which: "maxPixels", value: 51_000_000, limit: 50_000_000))
    }

    @Test func `Unwanted frames count against no limit`() throws {
        let gif = Self.facts(.gif, 1000, 1000, frames: 400)
        for (pick, frames) in [("[0,399]", [0, 399]), ("[399,0,399]", [399, 0, 399])] {
            let plan = try Self.plan(gif, #"{"transform":[{"op":"frames","pick":\#(pick)}]}"#)
            #expect(plan.load.page == 0 && plan.load.frames == 400 && plan.frames == frames)
        }
        let every = (0..<51).map { "\($0 * 7)" }.joined(separator: ",")
        let sum = #expect(throws: PictureFailure.self) { try Self.plan(gif, #"{"transform":[{"op":"frames","pick":[\#(every)]}]}"#) }
        #expect(sum?.reason == .limitExceeded(which: "maxPixels", value: 51_000_000, limit: 50_000_000))
        // Four bytes a pixel of two frames.
        let small = try Self.plan(gif, #"{"decode":{"limitBytes":2000000},"transform":[{"op":"frames","pick":[0,399]}]}"#)
        #expect(small.size == PictureSize(500, 500))
        // libvips has the frames below each other, and accepts no higher picture.
        let far = Self.facts(.gif, 10, 1000, frames: 10_001)
        #expect(try Self.plan(far, #"{"transform":[{"op":"frames","pick":[1,10000]}]}"#).load.frames == 10_000)
        let error = #expect(throws: PictureFailure.self) { try Self.plan(far, #"{"transform":[{"op":"frames","pick":[0,10000]}]}"#) }
        #expect(error?.reason == .limitExceeded(which: "frameSpan", value: 10_001, limit: 10_000))
    }

    /// Two thousand million pixels are as much work in a few wide frames as in many narrow ones.
    @Test(arguments: [(1000, 1000, 2000), (8000, 100, 2500), (100, 8000, 2500), (7000, 7000, 40)])
    func `The pixels on the way to a frame have a limit`(
        width: Int, height: Int, most: Int
    ) throws {
        func plan(_ format: ImageFormat, _ request: String) throws -> PicturePlan {
            try Self.plan(Self.facts(format, width, height, frames: most + 1), request)
        }
        #expect(try plan(.webp, #"{"decode":{"page":\#(most - 1)},"output":{"format":"png"}}"#).load.page == most - 1)
        // Decoders begin with the first frame, wherever the wanted one is.
        for request in [#"{"decode":{"page":\#(most)},"output":{"format":"png"}}"#, #"{"transform":[{"op":"frames","pick":[\#(most)]}]}"#] {
            for format in [ImageFormat.gif, .webp] {
                let error = #expect(throws: PictureFailure.self) { try plan(format, request) }
                #expect(error?.reason == .limitExceeded(which: "frameSpan", value: most + 1, limit: most) && error?.phase == .decode)
            }
        }
        // Independent pages are found without the others.
        var pages = Self.facts(.tiff, width, height, frames: most + 1)
        pages.primaryPage = most
        #expect(try Self.plan(pages, #"{"output":{"format":"png"}}"#).load.page == most)
    }

    @Test func `Results are limited too`() {
        let big = #expect(throws: PictureFailure.self) {
            try Self.plan(Self.facts(.png, 100, 100), #"{"transform":[{"op":"resize","width":10000,"height":10000,"enlarge":true}]}"#)
        }
        #expect(big?.reason == .limitExceeded(which: "maxPixels", value: 100_000_000, limit: 50_000_000))
        let wide = #expect(throws: PictureFailure.self) {
            try Self.plan(
                Self.facts(.png, 100, 100), #"{"transform":[{"op":"resize","width":16384,"height":1,"fit":"fill","enlarge":true}],"output":{"format":"webp"}}"#)
        }
        #expect(wide?.reason == .limitExceeded(which: "webp side", value: 16384, limit: 16383))
    }

    @Test(
        arguments: [
            ("avif", "", 32_000_000), ("avif", #","subsampling":"4:4:4""#, 20_000_000), ("avif", #","bitDepth":10"#, 25_000_000),
            ("avif", #","bitDepth":10,"subsampling":"4:4:4""#, 16_000_000), ("avif", #","bitDepth":12"#, 16_000_000),
            ("avif", #","bitDepth":12,"subsampling":"4:4:4""#, 12_500_000), ("avif", #","metadata":"all""#, 25_000_000),
            ("avif", #","icc":"keep""#, 25_000_000), ("jxl", "", 16_000_000), ("heif", "", 50_000_000), ("png", "", 50_000_000),
        ])
    func `A result that its encoder has no memory for is refused before it is decoded`(format: String, options: String, most: Int) throws {
        let (request, above) = (#"{"output":{"format":"\#(format)"\#(options)}}"#, most / 5000 + 1)
        var (facts, tooLarge) = (Self.facts(.png, 5000, most / 5000), Self.facts(.png, 5000, above))
        // Transparency costs more where libheif writes the file.
        (facts.hasAlpha, tooLarge.hasAlpha) = (true, true)
        #expect(try Self.plan(facts, request).size.width == 5000)
        let error = #expect(throws: PictureFailure.self) { try Self.plan(tooLarge, request) }
        let name = most == 50_000_000 ? "maxPixels" : "\(format) maxPixels"
        #expect(error?.reason == .limitExceeded(which: name, value: 5000 * above, limit: most))
    }

    @Test(
        arguments: [
            (1000, 10, "attention", "maxSide", 1_638_400), (1000, 900, "entropy", "maxSide", 18204), (300, 1, "center", nil, 0),
            (6000, 1, "center", "scaledSide", 98_304_000), (1, 6000, "left", nil, 0), (4000, 4000, "attention", "maxPixels", 268_435_456),
        ] as [(Int, Int, String, String?, Int)])
    func `A picture is not enlarged without limit before it is cut`(width: Int, height: Int, gravity: String, limit: String?, value: Int) throws {
        let transform = #"{"op":"resize","width":1000,"height":16384,"fit":"cover","enlarge":true,"gravity":"\#(gravity)"}"#
        let request = #"{"transform":[\#(transform)]}"#
        guard let limit else { return #expect(try Self.plan(Self.facts(.png, width, height), request).size == PictureSize(1000, 16384)) }
        let error = #expect(throws: PictureFailure.self) { try Self.plan(Self.facts(.png, width, height), request) }
        guard case .limitExceeded(limit, value, _)? = error?.reason else { Issue.record("\(String(describing: error))"); return }
        #expect(error?.phase == .transform)
    }

    @Test(
        arguments: [
            (100, 100, 40000, nil), (100, 100, 39999, "99x99"), (100, 100, 40001, nil), (400, 100, 40000, "200x50"), (100, 400, 40000, "50x200"),
            (100, 100, 1, "1x1"),
            (1000, 10, 40, "31x1"),
        ] as [(Int, Int, Int, String?)])
    func `A limit of decoded bytes scales down and never up`(width: Int, height: Int, most: Int, expected: String?) throws {
        let size = PictureSize(width, height)
        #expect(size.scaled(toBytes: most)?.description == expected)
        let plan = try Self.plan(Self.facts(.png, width, height), #"{"decode":{"limitBytes":\#(most)}}"#)
        #expect(plan.size.description == expected ?? size.description)
    }

    @Test func `Operations apply to the picture that the limit has left`() throws {
        let plan = try Self.plan(Self.facts(.jpeg, 4000, 3000), #"{"decode":{"limitBytes":3000000},"transform":[{"op":"resize","width":100}]}"#)
        #expect(plan.size == PictureSize(100, 75) && plan.load.shrink > 1)
    }
}

struct TestProblem: Error {
}

import TintypeImages
import TestSupport
import Testing

@testable import Engine

/// The place of the pixels of a picture that its decoder has shrunk. A remainder at the edges is no reason to move it.
@Suite(.tags(.optimized), .timeLimit(.minutes(2)))
struct ShrinkOnLoadTests {
    /// Returns a ramp from dark to bright across, or down; or the other way.
    private static func ramp(_ length: Int, isDown: Bool, isFalling: Bool) throws -> [UInt8] {
        try VipsRuntime.start()
        let size = isDown ? PictureSize(64, length) : PictureSize(length, 64)
        let samples = (0..<size.width * size.height).map { index in
            let value = UInt8(first + (isDown ? index / size.width : index % size.width))
            return isFalling ? 250 - value : value
        }
        let gray = try VipsImage.of(samples, width: size.width, height: size.height, bands: 1)
        let image = try VipsOperation("copy").set("in", gray).set("interpretation", Int(VipsColors.gray.rawValue)).image()
        return try VipsOperation("jpegsave_buffer").set("in", image).set("Q", 100).bytes().copied()
    }

    private static let first = 20

    /// Returns by how many pixels of the result its content is off: all of it, and its worst third. Both ramps are used, because a result that
    /// is darker by half a level everywhere is not off.
    private static func shift(_ rising: VipsImage, _ falling: VipsImage, of length: Int, isDown: Bool) throws -> (all: Double, worst: Double) {
        let count = isDown ? rising.height : rising.width
        let step = Double(length) / Double(count)
        let shifts = try (4..<count - 4).map { place in
            let (x, y) = isDown ? (4, place) : (place, 4)
            let value = try (rising.pixel(x, y)[0] + 250 - falling.pixel(x, y)[0]) / 2
            return (value - Double(first) + 0.5) / step - Double(place) - 0.5
        }
        func mean(_ some: ArraySlice<Double>) -> Double { some.reduce(0, +) / Double(some.count) }
        let third = shifts.count / 3
        return (mean(shifts[...]), (0..<3).map { mean(shifts[$0 * third..<($0 + 1) * third]) }.max { abs($0) < abs($1) } ?? 0)
    }

    @Test(arguments: 160...168, [19, 30, 47]) func `A picture is in its place on both paths`(length: Int, count: Int) throws {
        for isDown in [false, true] {
            let sources = try [false, true].map { try Self.ramp(length, isDown: isDown, isFalling: $0) }
            let transform = #"{"op":"resize","\#(isDown ? "height" : "width")":\#(count),"\#(isDown ? "width" : "height")":20,"fit":"fill"}"#
            for format in [ImageFormat.png, .jpeg] {
                let rendition = try PlanarTests.rendition(transform, format, quality: 100)
                let images = try sources.map { try TestPictures.decoded(TestPictures.made($0, rendition, graphs: PlanarGraphs())) }
                let shift = try Self.shift(images[0], images[1], of: length, isDown: isDown)
                #expect(abs(shift.all) < 0.05 && abs(shift.worst) < 0.1, "\(format) \(isDown)")
            }
        }
    }

    /// Length, step, least.
    static let scales: [(Int, Double, Int)] = [
        (83, 1.034375, 80), (82, 1.034375, 80), (251, 1.25125, 200), (504, 1.679583, 300), (7, 1, 7), (90, 1.5, 60), (1363, 1.892361, 720),
    ]

    @Test(arguments: scales) func `A scale takes whole pixels to whole ones`(length: Int, step: Double, least: Int) {
        let scale = WholeScale(length, step, least: least)
        #expect(scale.from >= length && scale.to >= least && scale.to <= least + 64)
        #expect(abs(Double(scale.from) - step * Double(scale.to)) < 0.05)
        if step * Double(least) == Double(length) { #expect(scale.from == length && scale.to == least) }
    }

    /// Length, step, result; near simple fractions no slightly larger size comes to whole pixels.
    static let fractions: [(Int, Double, Int)] = [
        (682, 1365.0 / 341 / 2, 341), (683, 1365.0 / 341 / 2, 341), (2999, 5999.0 / 1500 / 2, 1500), (3000, 5999.0 / 1500 / 2, 1500),
    ]

    @Test(arguments: fractions, [false, true])
    func `If no size comes to whole pixels, nothing is off by more than a quarter of one`(scale: (Int, Double, Int), isDown: Bool) throws {
        try VipsRuntime.start()
        let (length, step, count) = scale
        let places = try VipsOperation("xyz").set("width", isDown ? 8 : length).set("height", isDown ? length : 8).image()
        let place = try VipsOperation("extract_band").set("in", places).set("band", isDown ? 1 : 0).image()
        let ramp = try VipsOperation("cast").set("in", place).set("format", Int(VipsBandFormat.float.rawValue)).image()
        var resize = ResizeStep(from: PictureSize(ramp.width, ramp.height), to: isDown ? PictureSize(8, count) : PictureSize(count, 8))
        if isDown { resize.shrinkVertical = step } else { resize.shrinkHorizontal = step }
        let made = try resize.scaled(ramp)
        #expect((made.width, made.height) == (resize.to.width, resize.to.height))
        for place in stride(from: 8, to: count - 8, by: 5) {
            let seen = try made.pixel(isDown ? 4 : place, isDown ? place : 4)[0]
            let meant = (Double(place) + 0.5) * step - 0.5
            #expect(abs(seen - meant) < 0.27, "\(place): \(seen) is not \(meant)")
        }
    }
}

import ImageHeads
import TintypeImages

/// A decoded gain map with its numbers. Belongs to the thread of its picture.
struct GainMap {
    let numbers: GainMapNumbers
    /// One band or three of 8 bits, in memory, as the file stores them.
    let image: VipsImage

    /// The most pixels in memory. A larger map is shrunk while it is decoded, because it lies beside a base picture that may be in memory too.
    static let mostPixels = 16 << 20
    /// The quality of a kept map. The encoders of cameras choose 85 to 95.
    private static let quality = 90
    /// VIPS_FOREIGN_SUBSAMPLE_OFF.
    private static let fullColor = 2

    /// Returns the plan for reading a map of this size.
    static func load(_ size: PictureSize) -> LoadPlan {
        var load = LoadPlan(format: .jpeg, page: 0, frames: 1, size: size)
        while load.shrink < 8, size.width / load.shrink * (size.height / load.shrink) > mostPixels { load.shrink *= 2 }
        return load
    }

    /// Returns the map's JPEG for a result that carries it.
    func file(_ plan: GainMapPlan) throws(VipsError) -> VipsBytes {
        let turned = try TurnStep.apply(plan.turn, to: image)
        let size = plan.size(ofTurned: turned.size)
        // Colors of one place stay together: a map of three bands has three gains.
        return try VipsOperation("jpegsave_buffer").set("in", Self.placed(turned, plan, to: size)).set("Q", Self.quality).set("strip", true)
            .set("optimize-coding", true).set("subsample-mode", Self.fullColor).bytes()
    }

    /// Returns the map with as many pixels as the result, with 16 bits.
    func spread(_ plan: GainMapPlan, to size: PictureSize) throws(VipsError) -> VipsImage {
        try Self.placed(TurnStep.apply(plan.turn, to: image.linear(257).cast(.uint16)).computed(), plan, to: size)
    }

    /// Returns the part of a turned map with a size of its own. Edges may lie between pixels: boxes of whole pixels are averaged first, and the rest is bilinear.
    private static func placed(_ map: VipsImage, _ plan: GainMapPlan, to size: PictureSize) throws(VipsError) -> VipsImage {
        let across = GainMapLine(start: plan.left, length: plan.width, samples: map.width, count: size.width)
        let down = GainMapLine(start: plan.top, length: plan.height, samples: map.height, count: size.height)
        let window = PictureWindow(x: across.kept.lowerBound, y: down.kept.lowerBound, width: across.kept.count, height: down.kept.count)
        var image = window.size == map.size ? map : try CropStep.apply(window, to: map)
        if across.box > 1 || down.box > 1 {
            image = try VipsOperation("shrink").set("in", image).set("hshrink", Double(across.box)).set("vshrink", Double(down.box)).set("ceil", true).image()
                .computed()
        }
        if (across.scale, down.scale, across.shift, down.shift) == (1, 1, 0, 0), (image.width, image.height) == (size.width, size.height) { return image }
        guard max(abs(across.shift), abs(down.shift)) < GainMapLine.mostShift else {
            throw VipsError(operation: "affine", text: "the part of the gain map is too small")
        }
        return try VipsOperation("affine").set("in", image).set("matrix", [across.scale, 0, 0, down.scale]).set("oarea", [0, 0, size.width, size.height])
            .set("odx", across.shift).set("ody", down.shift).set(interpolate: "bilinear").set("extend", 1).set("premultiplied", true).image()
    }
}

/// The samples of a map for the pixels of a result, in one direction. Pure.
struct GainMapLine: Hashable {
    /// The samples that are used.
    let kept: Range<Int>
    /// The kept samples that are averaged to one.
    let box: Int
    /// The result's pixels for one of those averages.
    let scale: Double
    /// The place in the result of the middle of the first average, in pixels from the middle of the first pixel.
    let shift: Double

    /// The bound of libvips' `affine`.
    static let mostShift = 1e7

    /// - Parameters:
    ///   - start, length: the part of the map, as fractions of its side.
    ///   - count: the pixels of the result.
    init(start: Double, length: Double, samples: Int, count: Int) {
        let (begin, step) = (start * Double(samples), length * Double(samples) / Double(count))
        box = max(1, Int(step + 1e-9))
        // One more average on each side, for the interpolation.
        let lower = min(max(0, Int(begin + 1e-9) - box), samples - 1)
        let end = Int((begin + length * Double(samples) - 1e-9).rounded(.up)) + box
        kept = lower..<max(lower + 1, min(samples, end))
        let exact = Double(box) / step
        let first = exact * (0.5 - (begin - Double(lower)) / Double(box)) - 0.5
        // Rounding errors of the fractions must not blur a map that stays as it is.
        scale = abs(exact - 1) < 1e-9 ? 1 : exact
        // One average is the same everywhere, and libvips bounds a shift.
        shift = kept.count <= box && abs(first) >= Self.mostShift ? 0 : abs(first - first.rounded()) < 1e-6 ? first.rounded() : first
    }
}

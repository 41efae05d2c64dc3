import CJPEG
import Glibc
import ImageHeads

/// The planes of libjpeg, for decoding and encoding.
enum JPEGPlanes {
    /// Returns how a picture's colors are stored; nil unless they are 8 bits of gray or YCbCr.
    static func sampling(of source: UnsafeRawBufferPointer) -> PlaneSampling? {
        var header = tintype_jpeg_header()
        let status = tintype_jpeg_read_header(source.baseAddress?.assumingMemoryBound(to: UInt8.self), source.count, &header)
        guard Int(status) == TINTYPE_JPEG_DONE else { return nil }
        let (h, v) = (header.horizontal, header.vertical)
        let all = [(h.0, v.0), (h.1, v.1), (h.2, v.2)].map { PlaneSampling.Factors(Int($0.0), Int($0.1)) }
        return PlaneSampling(size: PictureSize(Int(header.width), Int(header.height)), components: Array(all.prefix(Int(header.components))))
    }

    /// Decodes the windows of a plan's planes.
    static func decode(_ source: UnsafeRawBufferPointer, _ plan: PlanarPlan, watch: PlanarWatch) throws(PlaneFailure) -> [Plane] {
        var planes: [Plane] = []
        for part in plan.planes {
            guard let plane = Plane(part.window.size) else { throw .refused }
            planes.append(plane)
        }
        let raw = zip(plan.planes, planes).map { part, plane in
            tintype_jpeg_plane(
                data: plane.samples, stride: plane.stride, whole_width: Int32(part.whole.width), whole_height: Int32(part.whole.height),
                x: Int32(part.window.x), y: Int32(part.window.y), width: Int32(part.window.width), height: Int32(part.window.height))
        }
        // The same rules as in libvips: from `warning` on nothing is repaired, from `truncated` on the file must be whole.
        let parts = parts(of: source, plan).map { tintype_jpeg_part(start: $0.lowerBound, count: $0.count) }
        let status = watch.lent { context in
            tintype_jpeg_decode(
                source.baseAddress?.assumingMemoryBound(to: UInt8.self), parts, parts.count, Int32(plan.shrink), raw, Int32(raw.count),
                plan.failOn >= 3 ? 0 : 99, plan.failOn >= 1 ? 1 : 0, look, context)
        }
        try check(status)
        return planes
    }

    /// Returns the parts of the file that are read. Damage in the remainder is not found, so a request that refuses more than a cut file reads all.
    private static func parts(of source: UnsafeRawBufferPointer, _ plan: PlanarPlan) -> [Range<Int>] {
        (plan.failOn < 2 ? JPEGDetail.parts(source, averaged: plan.averaged) : nil) ?? [0..<source.count]
    }

    /// - Returns: memory of malloc, for the caller.
    static func encode(_ planes: [Plane], quality: Int, isProgressive: Bool, density: JPEGDensity, watch: PlanarWatch) throws(PlaneFailure)
        -> UnsafeMutableRawBufferPointer
    {
        let raw = planes.map { plane in
            var raw = tintype_jpeg_plane()
            (raw.data, raw.stride) = (plane.samples, plane.stride)
            (raw.whole_width, raw.whole_height) = (Int32(plane.size.width), Int32(plane.size.height))
            return raw
        }
        let said = tintype_jpeg_density(unit: Int32(density.unit.rawValue), across: Int32(density.across), down: Int32(density.down))
        var result: UnsafeMutablePointer<UInt8>?
        var count = 0
        let status = watch.lent { context in
            tintype_jpeg_encode(raw, Int32(raw.count), Int32(quality), isProgressive ? 1 : 0, said, look, context, &result, &count)
        }
        // The planes must live until here.
        withExtendedLifetime(planes) {}
        try check(status)
        return UnsafeMutableRawBufferPointer(start: result, count: count)
    }

    private static let look: tintype_jpeg_watch = { PlanarWatch.goesOn($0, $1) ? 1 : 0 }

    private static func check(_ status: Int32) throws(PlaneFailure) {
        switch Int(status) {
        case TINTYPE_JPEG_DONE: return
        case TINTYPE_JPEG_STOPPED: throw .stopped
        default: throw .refused
        }
    }
}

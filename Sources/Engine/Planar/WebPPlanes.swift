import CWebP
import Glibc
import ImageHeads
import TintypeImages

/// The planes of libwebp, for decoding and encoding.
enum WebPPlanes {
    /// Returns how a picture's colors are stored; nil unless the file holds one lossy picture without transparency.
    static func sampling(of source: UnsafeRawBufferPointer) -> PlaneSampling? {
        guard let coded = picture(source) else { return nil }
        var features = WebPBitstreamFeatures()
        // 1: lossy.
        guard WebPGetFeatures(coded.bytes, coded.count, &features) == VP8_STATUS_OK, features.format == 1, features.has_alpha == 0 else { return nil }
        return PlaneSampling(
            size: PictureSize(Int(features.width), Int(features.height)), components: [.init(2, 2), .init(1, 1), .init(1, 1)], shrinks: [],
            isFullRange: false, isScaledFreely: true)
    }

    /// Returns the coded picture without its file, because libvips shows it to libwebp like this. Otherwise a picture that is cut off would go on in
    /// the next chunk.
    private static func picture(_ source: UnsafeRawBufferPointer) -> (bytes: UnsafePointer<UInt8>, count: Int)? {
        guard let coded = WebPHeader.lossyPicture(ByteReader(bytes: source)),
            let bytes = UnsafeRawBufferPointer(rebasing: source[coded]).bindMemory(to: UInt8.self).baseAddress
        else { return nil }
        return (bytes, coded.count)
    }

    /// Decodes the windows of a plan's planes. libwebp reads the whole picture even if the window is small. So damage outside of it
    /// is refused, as by libvips.
    static func decode(_ source: UnsafeRawBufferPointer, _ plan: PlanarPlan, watch: PlanarWatch) throws(PlaneFailure) -> [Plane] {
        var config = WebPDecoderConfig()
        guard let coded = picture(source), plan.planes.count == 3, WebPInitDecoderConfig(&config) != 0 else { throw .refused }
        var whole: [Plane] = []
        for part in plan.planes {
            guard let plane = Plane(part.whole) else { throw .refused }
            whole.append(plane)
        }
        let size = whole[0].size
        config.options.use_scaling = plan.isScaled ? 1 : 0
        (config.options.scaled_width, config.options.scaled_height) = (Int32(size.width), Int32(size.height))
        (config.output.colorspace, config.output.is_external_memory) = (MODE_YUV, 1)
        config.output.u.YUVA = WebPYUVABuffer(
            y: whole[0].samples, u: whole[1].samples, v: whole[2].samples, a: nil, y_stride: Int32(whole[0].stride), u_stride: Int32(whole[1].stride),
            v_stride: Int32(whole[2].stride), a_stride: 0, y_size: whole[0].byteCount, u_size: whole[1].byteCount, v_size: whole[2].byteCount, a_size: 0)
        // The decoder keeps the address.
        let status = withUnsafeMutablePointer(to: &config) { decode(coded.bytes, coded.count, $0, watch) }
        withExtendedLifetime(whole) {}
        guard let status else { throw .stopped }
        guard status == VP8_STATUS_OK else { throw .refused }
        var planes: [Plane] = []
        for (plane, part) in zip(whole, plan.planes) {
            guard let plane = plane.part(part.window) else { throw .refused }
            planes.append(plane)
        }
        return planes
    }

    /// Shows libwebp more and more of the picture, in order to be able to stop.
    /// - Returns: nil if the watch stopped it.
    private static func decode(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ config: UnsafeMutablePointer<WebPDecoderConfig>, _ watch: PlanarWatch)
        -> VP8StatusCode?
    {
        guard let decoder = WebPIDecode(nil, 0, config) else { return VP8_STATUS_OUT_OF_MEMORY }
        defer { WebPIDelete(decoder) }
        var seen = 0
        var status = VP8_STATUS_SUSPENDED
        while status == VP8_STATUS_SUSPENDED, seen < count {
            guard watch.goesOn(Double(seen) / Double(count)) else { return nil }
            seen = min(seen + slice, count)
            status = WebPIUpdate(decoder, bytes, seen)
        }
        return status
    }

    /// The bytes between two looks at the watch: some ten milliseconds.
    private static let slice = 128 << 10

    /// - Parameter planes: planes in the range of a WebP; gray alone is enough.
    /// - Returns: memory of malloc, for the caller.
    static func encode(_ planes: [Plane], quality: Int, effort: Int, watch: PlanarWatch) throws(PlaneFailure) -> UnsafeMutableRawBufferPointer {
        let size = planes[0].size
        var colors = Array(planes.dropFirst())
        if colors.isEmpty {
            guard let gray = Plane(PictureSize((size.width + 1) / 2, (size.height + 1) / 2)) else { throw .refused }
            gray.samples.update(repeating: 128, count: gray.stride * gray.size.height)
            colors = [gray, gray]
        }
        var config = WebPConfig()
        var picture = WebPPicture()
        guard WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, Float(quality)) != 0, WebPPictureInit(&picture) != 0 else { throw .refused }
        config.method = Int32(min(max(effort, 0), 6))
        (picture.width, picture.height) = (Int32(size.width), Int32(size.height))
        (picture.y, picture.y_stride) = (planes[0].samples, Int32(planes[0].stride))
        (picture.u, picture.v, picture.uv_stride) = (colors[0].samples, colors[1].samples, Int32(colors[0].stride))
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        let isDone = watch.lent { context in
            withUnsafeMutablePointer(to: &writer) { writer in
                picture.writer = { WebPMemoryWrite($0, $1, $2) }
                picture.custom_ptr = UnsafeMutableRawPointer(writer)
                picture.progress_hook = { percent, picture in PlanarWatch.goesOn(picture?.pointee.user_data, Double(percent) / 100) ? 1 : 0 }
                picture.user_data = context
                return WebPEncode(&config, &picture) != 0
            }
        }
        let isStopped = picture.error_code == VP8_ENC_ERROR_USER_ABORT
        // The planes stay ours, and must live until here.
        WebPPictureFree(&picture)
        withExtendedLifetime((planes, colors)) {}
        guard isDone else {
            WebPMemoryWriterClear(&writer)
            throw isStopped ? .stopped : .refused
        }
        return UnsafeMutableRawBufferPointer(start: writer.mem, count: writer.size)
    }
}

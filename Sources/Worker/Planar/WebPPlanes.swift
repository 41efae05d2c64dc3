import CWebP
import Glibc

/// The encoding of planes by libwebp.
enum WebPPlanes {
    /// - Parameter planes: planes as a JPEG has them; their samples are changed.
    /// - Returns: memory of malloc, for the caller.
    static func encode(_ planes: [Plane], quality: Int, effort: Int, watch: PlanarWatch) throws(PlaneFailure) -> UnsafeMutableRawBufferPointer {
        let size = planes[0].size
        planes[0].replace(brightness)
        var colours = Array(planes.dropFirst())
        for plane in colours { plane.replace(colour) }
        if colours.isEmpty {
            guard let grey = Plane(PictureSize((size.width + 1) / 2, (size.height + 1) / 2)) else { throw .refused }
            grey.samples.update(repeating: 128, count: grey.stride * grey.size.height)
            colours = [grey, grey]
        }
        var config = WebPConfig()
        var picture = WebPPicture()
        guard WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, Float(quality)) != 0, WebPPictureInit(&picture) != 0 else { throw .refused }
        config.method = Int32(min(max(effort, 0), 6))
        (picture.width, picture.height) = (Int32(size.width), Int32(size.height))
        (picture.y, picture.y_stride) = (planes[0].samples, Int32(planes[0].stride))
        (picture.u, picture.v, picture.uv_stride) = (colours[0].samples, colours[1].samples, Int32(colours[0].stride))
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
        withExtendedLifetime((planes, colours)) {}
        guard isDone else {
            WebPMemoryWriterClear(&writer)
            throw isStopped ? .stopped : .refused
        }
        return UnsafeMutableRawBufferPointer(start: writer.mem, count: writer.size)
    }

    /// The brightness of a JPEG uses the whole byte, that of a WebP 16…235.
    private static let brightness = (0...255).map { UInt8((16 + Double($0) * 219 / 255).rounded()) }
    /// The color numbers of a WebP lie around 128, in 16…240.
    private static let colour = (0...255).map { UInt8((128 + (Double($0) - 128) * 224 / 255).rounded()) }
}

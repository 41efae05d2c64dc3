import Bitmaps
import CDav1d
import Glibc
import ImageHeads

/// A decoder of AV1 by dav1d. Belongs to one thread; the coded bytes must stay valid as long.
final class AV1Decoder {
    private var decoder: OpaquePointer?

    /// - Parameter most: the most pixels of a picture.
    init(most: Int) throws(PlaneFailure) {
        var settings = Dav1dSettings()
        dav1d_default_settings(&settings)
        // A pixel process has one core, and must not write on standard error.
        (settings.n_threads, settings.max_frame_delay, settings.all_layers, settings.frame_size_limit) = (1, 1, 0, UInt32(clamping: most))
        settings.logger.callback = nil
        guard dav1d_open(&decoder, &settings) == 0 else { throw .refused }
    }

    deinit { dav1d_close(&decoder) }

    /// Returns the picture of the next coded bytes. Decodes on this thread, and cannot be stopped meanwhile.
    /// - Returns: a picture that the caller has to let go.
    func picture(_ coded: UnsafeRawBufferPointer) throws(PlaneFailure) -> Dav1dPicture {
        var data = Dav1dData()
        guard dav1d_data_wrap(&data, coded.bindMemory(to: UInt8.self).baseAddress, coded.count, { _, _ in }, nil) == 0 else { throw .refused }
        defer { dav1d_data_unref(&data) }
        var picture = Dav1dPicture()
        while true {
            let sent = data.sz > 0 ? dav1d_send_data(decoder, &data) : 0
            guard sent == 0 || sent == -EAGAIN else { throw .refused }
            let got = dav1d_get_picture(decoder, &picture)
            if got == 0 { return picture }
            // The decoder wants more bytes, and there are no more.
            guard got == -EAGAIN, data.sz > 0 else { throw .refused }
        }
    }

    /// Decodes the next coded bytes, and lends their planes and what they say of their colors to `body`.
    /// - Returns: false if they cannot be decoded.
    func withPlanes(_ coded: UnsafeRawBufferPointer, _ body: (CodedPlanes, CodedColors) -> Bool) -> Bool {
        guard var picture = try? self.picture(coded) else { return false }
        defer { dav1d_picture_unref(&picture) }
        guard let planes = Self.planes(picture), let colors = AV1Picture.colors(picture) else { return false }
        return body(planes, colors)
    }

    private static func planes(_ picture: Dav1dPicture) -> CodedPlanes? {
        let (width, height, depth) = (Int(picture.p.w), Int(picture.p.h), Int(picture.p.bpc))
        let (isGray, isWhole) = (picture.p.layout == DAV1D_PIXEL_LAYOUT_I400, picture.p.layout == DAV1D_PIXEL_LAYOUT_I444)
        let isHalfHigh = picture.p.layout == DAV1D_PIXEL_LAYOUT_I420
        func plane(_ samples: UnsafeMutableRawPointer?, _ stride: Int, _ width: Int, _ height: Int) -> CodedPlanes.Plane? {
            CodedPlanes.Plane(UnsafeRawBufferPointer(start: samples, count: stride * height), stride: stride, width: width, height: height, depth: depth)
        }
        let (wide, high) = (isWhole ? width : (width + 1) / 2, isHalfHigh ? (height + 1) / 2 : height)
        let all =
            isGray
            ? [plane(picture.data.0, picture.stride.0, width, height)]
            : [
                plane(picture.data.0, picture.stride.0, width, height), plane(picture.data.1, picture.stride.1, wide, high),
                plane(picture.data.2, picture.stride.1, wide, high),
            ]
        let planes = all.compactMap { $0 }
        guard planes.count == all.count else { return nil }
        return CodedPlanes(width: width, height: height, depth: depth, isHalfWide: !isWhole, isHalfHigh: isHalfHigh, planes: planes)
    }
}

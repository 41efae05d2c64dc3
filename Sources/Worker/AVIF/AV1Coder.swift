import CAOM
import ImageHeads

/// The coding of one still picture by libaom, as AVIF files hold it.
enum AV1Coder {
    /// A coded picture and the facts that its file repeats.
    struct Coded: Sendable {
        /// A sequence header and a frame.
        let units: [UInt8]
        let profile: Int
        let level: Int
    }

    /// Why libaom made no picture: its own words.
    struct Failure: Error { let text: String }

    /// Codes on this thread, and cannot be stopped meanwhile.
    /// - Parameters:
    ///   - quality: 1…100; libaom has 64 steps.
    ///   - speed: 0…9, as `--cpu-used` of aomenc in its mode for still pictures.
    ///   - isColour: whether the planes are the colors of a picture; otherwise they are its transparency, and describe no colors.
    /// - Throws: `Failure`.
    static func code(_ planes: AV1Planes, quality: Int, speed: Int, isColour: Bool) throws(Failure) -> Coded {
        var settings = aom_codec_enc_cfg_t()
        guard aom_codec_enc_config_default(aom_codec_av1_cx(), &settings, UInt32(AOM_USAGE_ALL_INTRA)) == AOM_CODEC_OK else {
            throw Failure(text: "this libaom has no mode for still pictures")
        }
        let profile = planes.depth == 12 ? 2 : planes.isFullColour && !planes.isGrey ? 1 : 0
        (settings.g_w, settings.g_h) = (UInt32(planes.size.width), UInt32(planes.size.height))
        // A pixel process has one core.
        (settings.g_threads, settings.g_limit, settings.g_lag_in_frames) = (1, 1, 0)
        (settings.g_profile, settings.g_input_bit_depth) = (UInt32(profile), UInt32(planes.depth))
        settings.g_bit_depth = aom_bit_depth_t(UInt32(planes.depth))
        (settings.monochrome, settings.rc_end_usage) = (planes.isGrey ? 1 : 0, AOM_Q)
        var codec = aom_codec_ctx_t()
        guard tintype_aom_begin(&codec, &settings, planes.depth > 8 ? Int(AOM_CODEC_USE_HIGHBITDEPTH) : 0) == AOM_CODEC_OK else { throw failure(&codec) }
        defer { aom_codec_destroy(&codec) }
        var controls = [
            (AOME_SET_CPUUSED.rawValue, speed), (AOME_SET_CQ_LEVEL.rawValue, ((100 - quality) * 63 + 50) / 100),
            // The same likeness (SSIM) in 3 to 4 % fewer bytes.
            (AOME_SET_TUNING.rawValue, Int(AOM_TUNE_SSIM.rawValue)), (AV1E_SET_COLOR_RANGE.rawValue, Int(AOM_CR_FULL_RANGE.rawValue)),
        ]
        if isColour {
            controls += [
                (AV1E_SET_COLOR_PRIMARIES.rawValue, planes.colours.primaries),
                (AV1E_SET_TRANSFER_CHARACTERISTICS.rawValue, planes.colours.transfer), (AV1E_SET_MATRIX_COEFFICIENTS.rawValue, planes.colours.matrix),
            ]
        }
        for (control, value) in controls {
            guard tintype_aom_set(&codec, Int32(control), Int32(value)) == AOM_CODEC_OK else { throw failure(&codec) }
        }
        let units = try coded(planes, &codec)
        return Coded(units: units, profile: profile, level: level(units))
    }

    private static func coded(_ planes: AV1Planes, _ codec: inout aom_codec_ctx_t) throws(Failure) -> [UInt8] {
        var image = aom_image_t()
        let deep = planes.depth > 8
        let format = planes.isFullColour && !planes.isGrey ? deep ? AOM_IMG_FMT_I44416 : AOM_IMG_FMT_I444 : deep ? AOM_IMG_FMT_I42016 : AOM_IMG_FMT_I420
        let colour = planes.colourSize
        // libaom looks at planes of color also where it is told that there are none.
        let middle = [UInt8](repeating: 0, count: planes.isGrey ? colour.width * colour.height * planes.bytesPerSample : 0)
        let (bytes, stride) = (planes.bytesPerSample, Int32(planes.size.width * planes.bytesPerSample))
        var all: [UInt8] = []
        let result: aom_codec_err_t = planes.planes[0].withUnsafeBytes { brightness in
            (planes.isGrey ? middle : planes.planes[1]).withUnsafeBytes { blue in
                (planes.isGrey ? middle : planes.planes[2]).withUnsafeBytes { red in
                    func lent(_ plane: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
                        // libaom reads only.
                        UnsafeMutablePointer(mutating: plane.bindMemory(to: UInt8.self).baseAddress)
                    }
                    guard aom_img_wrap(&image, format, UInt32(planes.size.width), UInt32(planes.size.height), 1, lent(brightness)) != nil else {
                        return AOM_CODEC_INVALID_PARAM
                    }
                    image.planes = (lent(brightness), lent(blue), lent(red))
                    image.stride = (stride, Int32(colour.width * bytes), Int32(colour.width * bytes))
                    (image.monochrome, image.range, image.bit_depth) = (planes.isGrey ? 1 : 0, AOM_CR_FULL_RANGE, UInt32(planes.depth))
                    let result = aom_codec_encode(&codec, &image, 0, 1, 0)
                    if result != AOM_CODEC_OK { return result }
                    take(&codec, into: &all)
                    return AOM_CODEC_OK
                }
            }
        }
        guard result == AOM_CODEC_OK, aom_codec_encode(&codec, nil, 0, 1, 0) == AOM_CODEC_OK else { throw failure(&codec) }
        take(&codec, into: &all)
        // The mark of a new moment in time has no meaning in a file (AV1 Image File Format, §2.1).
        let units = all.starts(with: [0x12, 0x00]) ? Array(all.dropFirst(2)) : all
        guard !units.isEmpty else { throw Failure(text: "libaom has made no bytes") }
        return units
    }

    private static func take(_ codec: inout aom_codec_ctx_t, into all: inout [UInt8]) {
        var place: aom_codec_iter_t?
        while let packet = aom_codec_get_cx_data(&codec, &place) {
            guard packet.pointee.kind == AOM_CODEC_CX_FRAME_PKT else { continue }
            all += UnsafeRawBufferPointer(start: packet.pointee.data.frame.buf, count: packet.pointee.data.frame.sz)
        }
    }

    /// Returns the level in the reduced header that still pictures have (AV1 specification, §5.5.1); 31, "no level", for another header.
    private static func level(_ units: [UInt8]) -> Int {
        guard units.count > 4, units[0] >> 3 & 15 == 1, units[0] & 4 == 0, units[1] < 128, units[2] & 0x08 != 0 else { return 31 }
        return Int(units[2] & 7) << 2 | Int(units[3] >> 6)
    }

    private static func failure(_ codec: inout aom_codec_ctx_t) -> Failure {
        let detail = aom_codec_error_detail(&codec) ?? aom_codec_error(&codec)
        return Failure(text: detail.map { String(cString: $0) } ?? "libaom has failed")
    }
}

import CAOM
import ImageHeads

/// A coder of AV1 by libaom: of one still picture, or of the frames of an animation. Belongs to one thread.
final class AV1Coder {
    /// Coded pictures and the facts that their file repeats.
    struct Coded: Sendable {
        /// Each frame, with the header of the sequence before the first one.
        fileprivate(set) var frames: [[UInt8]] = []
        /// The frames that need no other one.
        fileprivate(set) var keys: [Int] = []
        let profile: Int
        fileprivate(set) var level = 31
        var bytes: Int { frames.reduce(0) { $0 + $1.count } }
    }

    /// Why libaom made no picture: its own words.
    struct Failure: Error { let text: String }

    private var codec = aom_codec_ctx_t()
    private var coded: Coded
    private var taken = 0

    /// - Parameters:
    ///   - planes: a picture with the size and layout of all.
    ///   - quality: 1…100; libaom has 64 steps.
    ///   - speed: 0…9, as `--cpu-used` of aomenc. For an animation libaom takes those above 6 as 6.
    ///   - isColor: whether the planes are the colors of a picture; otherwise they are its transparency, and describe no colors.
    ///   - isMoving: whether more frames follow.
    /// - Throws: `Failure`.
    init(_ planes: AV1Planes, quality: Int, speed: Int, isColor: Bool, isMoving: Bool) throws(Failure) {
        var settings = aom_codec_enc_cfg_t()
        let usage = UInt32(isMoving ? AOM_USAGE_GOOD_QUALITY : AOM_USAGE_ALL_INTRA)
        guard aom_codec_enc_config_default(aom_codec_av1_cx(), &settings, usage) == AOM_CODEC_OK else {
            throw Failure(text: "this libaom has no mode for such pictures")
        }
        let profile = planes.depth == 12 ? 2 : planes.isFullColor && !planes.isGray ? 1 : 0
        coded = Coded(profile: profile)
        (settings.g_w, settings.g_h) = (UInt32(planes.size.width), UInt32(planes.size.height))
        // A pixel process has one core.
        settings.g_threads = 1
        (settings.g_limit, settings.g_lag_in_frames) = isMoving ? (0, Self.mostAhead) : (1, 0)
        (settings.g_profile, settings.g_input_bit_depth) = (UInt32(profile), UInt32(planes.depth))
        settings.g_bit_depth = aom_bit_depth_t(UInt32(planes.depth))
        (settings.monochrome, settings.rc_end_usage) = (planes.isGray ? 1 : 0, AOM_Q)
        guard tintype_aom_begin(&codec, &settings, planes.depth > 8 ? Int(AOM_CODEC_USE_HIGHBITDEPTH) : 0) == AOM_CODEC_OK else { throw failure() }
        var controls = [
            (AOME_SET_CPUUSED.rawValue, speed), (AOME_SET_CQ_LEVEL.rawValue, ((100 - quality) * 63 + 50) / 100),
            // The same likeness (SSIM) in 3 to 4 % fewer bytes.
            (AOME_SET_TUNING.rawValue, Int(AOM_TUNE_SSIM.rawValue)), (AV1E_SET_COLOR_RANGE.rawValue, Int(AOM_CR_FULL_RANGE.rawValue)),
        ]
        if isColor {
            controls += [
                (AV1E_SET_COLOR_PRIMARIES.rawValue, planes.colors.primaries),
                (AV1E_SET_TRANSFER_CHARACTERISTICS.rawValue, planes.colors.transfer), (AV1E_SET_MATRIX_COEFFICIENTS.rawValue, planes.colors.matrix),
            ]
        }
        for (control, value) in controls {
            guard tintype_aom_set(&codec, Int32(control), Int32(value)) == AOM_CODEC_OK else { throw failure() }
        }
    }

    deinit { aom_codec_destroy(&codec) }

    /// The frames that libaom sees before it codes one. It keeps them in memory.
    private static let mostAhead: UInt32 = 10

    /// Codes one still picture on this thread, and cannot be stopped meanwhile.
    static func code(_ planes: AV1Planes, quality: Int, speed: Int, isColor: Bool) throws(Failure) -> Coded {
        let coder = try AV1Coder(planes, quality: quality, speed: speed, isColor: isColor, isMoving: false)
        try coder.add(planes)
        return try coder.finish { true }
    }

    /// Codes what is left.
    /// - Parameter goesOn: called between frames; false stops the coder.
    func finish(_ goesOn: () -> Bool) throws(Failure) -> Coded {
        var count = -1
        while count < coded.frames.count {
            guard goesOn() else { throw Failure(text: "it was stopped") }
            count = coded.frames.count
            guard aom_codec_encode(&codec, nil, 0, 1, 0) == AOM_CODEC_OK else { throw failure() }
            take()
        }
        guard coded.frames.count == taken, let first = coded.frames.first, !first.isEmpty else { throw Failure(text: "libaom has made no bytes") }
        coded.level = Self.level(first)
        return coded
    }

    /// Takes the next picture.
    func add(_ planes: AV1Planes) throws(Failure) {
        var image = aom_image_t()
        let deep = planes.depth > 8
        let format = planes.isFullColor && !planes.isGray ? deep ? AOM_IMG_FMT_I44416 : AOM_IMG_FMT_I444 : deep ? AOM_IMG_FMT_I42016 : AOM_IMG_FMT_I420
        let color = planes.colorSize
        // libaom looks at planes of color also where it is told that there are none.
        let middle = [UInt8](repeating: 0, count: planes.isGray ? color.width * color.height * planes.bytesPerSample : 0)
        let (bytes, stride) = (planes.bytesPerSample, Int32(planes.size.width * planes.bytesPerSample))
        let result: aom_codec_err_t = planes.planes[0].withUnsafeBytes { brightness in
            (planes.isGray ? middle : planes.planes[1]).withUnsafeBytes { blue in
                (planes.isGray ? middle : planes.planes[2]).withUnsafeBytes { red in
                    func lent(_ plane: UnsafeRawBufferPointer) -> UnsafeMutablePointer<UInt8>? {
                        // libaom reads only.
                        UnsafeMutablePointer(mutating: plane.bindMemory(to: UInt8.self).baseAddress)
                    }
                    guard aom_img_wrap(&image, format, UInt32(planes.size.width), UInt32(planes.size.height), 1, lent(brightness)) != nil else {
                        return AOM_CODEC_INVALID_PARAM
                    }
                    image.planes = (lent(brightness), lent(blue), lent(red))
                    image.stride = (stride, Int32(color.width * bytes), Int32(color.width * bytes))
                    (image.monochrome, image.range, image.bit_depth) = (planes.isGray ? 1 : 0, AOM_CR_FULL_RANGE, UInt32(planes.depth))
                    return aom_codec_encode(&codec, &image, aom_codec_pts_t(taken), 1, 0)
                }
            }
        }
        guard result == AOM_CODEC_OK else { throw failure() }
        taken += 1
        take()
    }

    private func take() {
        var place: aom_codec_iter_t?
        while let packet = aom_codec_get_cx_data(&codec, &place) {
            guard packet.pointee.kind == AOM_CODEC_CX_FRAME_PKT else { continue }
            let units = UnsafeRawBufferPointer(start: packet.pointee.data.frame.buf, count: packet.pointee.data.frame.sz)
            if packet.pointee.data.frame.flags & UInt32(AOM_FRAME_IS_KEY) != 0 { coded.keys.append(coded.frames.count) }
            // The mark of a new moment in time has no meaning in a file (AV1 Image File Format, §2.1).
            coded.frames.append(Array(units.starts(with: [0x12, 0x00]) ? units.dropFirst(2) : units[...]))
        }
    }

    /// Returns the level in the header of a sequence (AV1 specification, §5.5.1); 31, "no level", for an unusual one. Still pictures have a reduced header.
    private static func level(_ units: [UInt8]) -> Int {
        guard units.count > 5, units[0] >> 3 & 15 == 1, units[0] & 4 == 0, units[1] < 128 else { return 31 }
        if units[2] & 0x08 != 0 { return Int(units[2] & 7) << 2 | Int(units[3] >> 6) }
        // One operating point, without times.
        return units[2] & 0x07 == 0 && units[3] >> 4 == 0 ? Int(units[5] >> 3) : 31
    }

    private func failure() -> Failure {
        let detail = aom_codec_error_detail(&codec) ?? aom_codec_error(&codec)
        return Failure(text: detail.map { String(cString: $0) } ?? "libaom has failed")
    }
}

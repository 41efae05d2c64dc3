import TintypeImages

/// The tracks of an AVIF that moves: boxes of ISO/IEC 14496-12, as the AV1 Image File Format 1.1, §3, asks for. Pure.
struct AVIFTracks {
    /// Milliseconds of each frame.
    let delays: [Int]
    /// The number of plays; 0: endless.
    let plays: Int

    private static let unit = 1000
    /// The time that stands for "unlimited".
    private static let endless = 0xffff_ffff

    private var once: Int { delays.reduce(0, +) }
    private var whole: Int { plays == 0 ? Self.endless : min(Self.endless, plays * once) }

    /// Returns the box with the tracks.
    /// - Parameter start: the place of the coded frames in the file: those of the colors, and then those of the transparency.
    func box(_ planes: AV1Planes, _ color: AV1Coder.Coded, _ alpha: AV1Coder.Coded?, start: Int, profile: [UInt8]?) -> [UInt8] {
        // Speed and volume are 1, and the next track has the number 3.
        let head = AVIFFile.full("mvhd", Self.words([0, 0, Self.unit, whole, 0x10000, 0x100_0000, 0, 0] + Self.unmoved + [0, 0, 0, 0, 0, 0, 3]))
        var description = AVIFFile.configuration(color, planes.depth, isGray: planes.isGray, isHalf: planes.isGray || !planes.isFullColor)
        description += AVIFFile.coded(AVIFFile.sRGB)
        if let profile { description += AVIFFile.box("colr", AVIFFile.text("prof") + profile) }
        var tracks = track(1, planes.size, color, start, description)
        if let alpha {
            let description = AVIFFile.configuration(alpha, planes.depth, isGray: true, isHalf: true) + AVIFFile.full("auxi", AVIFFile.alphaName)
            tracks += track(2, planes.size, alpha, start + color.bytes, description)
        }
        return AVIFFile.box("moov", head + tracks)
    }

    /// The matrix that leaves a picture as it is.
    private static let unmoved = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]

    private static func words(_ numbers: [Int]) -> [UInt8] { numbers.flatMap { BigEndian.bytes($0) } }

    /// - Parameter number: 1 for the colors, and 2 for their transparency.
    private func track(_ number: Int, _ size: PictureSize, _ coded: AV1Coder.Coded, _ start: Int, _ description: [UInt8]) -> [UInt8] {
        // Readers take only a time of 64 bits for endless.
        let place = [0, 0, 0, 0, number, 0, plays == 0 ? Self.endless : 0, whole, 0, 0, 0, 0] + Self.unmoved + [size.width << 16, size.height << 16]
        var content = AVIFFile.full("tkhd", Self.words(place), version: 1, flags: 1)
        // One edit, which is played again until the track is over. A single play needs no repetition.
        content += AVIFFile.box("edts", AVIFFile.full("elst", Self.words([1, once, 0, 0x10000]), flags: plays == 1 ? 0 : 1))
        if number == 2 { content += AVIFFile.box("tref", AVIFFile.box("auxl", BigEndian.bytes(1))) }
        // The language is "und".
        var media = AVIFFile.full("mdhd", Self.words([0, 0, Self.unit, once, 0x55c4_0000]))
        media += AVIFFile.full("hdlr", BigEndian.bytes(0) + AVIFFile.text(number == 1 ? "pict" : "auxv") + BigEndian.bytes(0, 13))
        // All data are in this file.
        let data = AVIFFile.box("dinf", AVIFFile.full("dref", BigEndian.bytes(1) + AVIFFile.full("url ", [], flags: 1)))
        let all = AVIFFile.full("vmhd", BigEndian.bytes(0, 8), flags: 1) + data + AVIFFile.box("stbl", table(size, coded, start, description))
        return AVIFFile.box("trak", content + AVIFFile.box("mdia", media + AVIFFile.box("minf", all)))
    }

    private func table(_ size: PictureSize, _ coded: AV1Coder.Coded, _ start: Int, _ description: [UInt8]) -> [UInt8] {
        // 72 dots an inch, one frame in each sample, no name, and 24 bits.
        var entry = Self.words([0, 1, 0, 0, 0, 0, size.width << 16 | size.height, 0x48_0000, 0x48_0000, 0, 0x10000, 0, 0, 0, 0, 0, 0, 0, 24])
        entry += [0xff, 0xff]
        // Frames may refer to any number of others.
        entry += description + AVIFFile.full("ccst", [0x7c, 0, 0, 0])
        var runs: [(count: Int, delay: Int)] = []
        for delay in delays {
            if runs.last?.delay == delay { runs[runs.count - 1].count += 1 } else { runs.append((1, delay)) }
        }
        let count = coded.frames.count
        var table = AVIFFile.full("stsd", BigEndian.bytes(1) + AVIFFile.box("av01", entry))
        table += AVIFFile.full("stts", Self.words([runs.count] + runs.flatMap { [$0.count, $0.delay] }))
        table += AVIFFile.full("stsc", Self.words([1, 1, count, 1])) + AVIFFile.full("stsz", Self.words([0, count] + coded.frames.map(\.count)))
        table += AVIFFile.full("stco", Self.words([1, start])) + AVIFFile.full("stss", Self.words([coded.keys.count] + coded.keys.map { $0 + 1 }))
        return table
    }
}

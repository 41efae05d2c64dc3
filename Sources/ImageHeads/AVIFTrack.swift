import TintypeImages

/// One track of an AVIF that moves: the place and the time of each of its coded pictures.
struct AVIFTrack {
    let id: Int
    /// Whether the pictures are the transparency of another track, and the number of that one.
    let isMask: Bool
    let owner: Int?
    let isPremultiplied: Bool
    let width, height: Int
    let count: Int
    /// Empty if there are more than `PNGAnimation.mostFrames`.
    private(set) var samples: [Range<Int>] = []
    /// Milliseconds.
    private(set) var delays: [Int] = []
    let plays: Int
    let colors: CodedColors?
    let profile: Range<Int>?
    let bytesPerTwoPixels: Int

    private let reader: ByteReader

    /// - Returns: nil for a track that is broken, holds no AV1, or is turned or cropped.
    init?(_ reader: ByteReader, _ place: Range<Int>) {
        self.reader = reader
        let track = Self.boxes(reader, place)
        guard let head = track["tkhd"], let media = track["mdia"].map({ Self.boxes(reader, $0) }), let mediaHead = media["mdhd"], let kind = media["hdlr"],
            let table = media["minf"].flatMap({ Self.boxes(reader, $0)["stbl"] }).map({ Self.boxes(reader, $0) }),
            let number = reader.big(head.lowerBound + (reader.byte(head.lowerBound) == 0 ? 12 : 20), 4), Self.isUpright(reader, head),
            let scale = reader.big(mediaHead.lowerBound + (reader.byte(mediaHead.lowerBound) == 0 ? 12 : 20), 4), scale > 0,
            let sizes = table["stsz"], let said = reader.big(sizes.lowerBound + 8, 4),
            // The first description counts. Its fixed part has 78 bytes.
            let entries = table["stsd"], let entry = Self.boxes(reader, entries.dropFirst(8))["av01"], entry.count >= 78,
            let wide = reader.big(entry.lowerBound + 24, 2), let high = reader.big(entry.lowerBound + 26, 2)
        else { return nil }
        let description = Self.boxes(reader, entry.dropFirst(78))
        guard let layout = description["av1C"].flatMap({ reader.byte($0.lowerBound + 2) }),
            !["clap", "irot", "imir"].contains(where: { description[$0] != nil })
        else { return nil }
        (id, width, height, count) = (number, wide, high, said)
        isMask = reader.has("auxv", at: kind.lowerBound + 8)
        let references = track["tref"].map { Self.boxes(reader, $0) } ?? [:]
        (owner, isPremultiplied) = (references["auxl"].flatMap { reader.big($0.lowerBound, 4) }, references["prem"] != nil)
        // Gray, both sides halved, one side halved, or neither; 2 bytes for each number of more than 8 bits.
        let numbers = layout & 0x10 != 0 ? 2 : layout & 4 != 0 ? 3 : layout & 8 != 0 ? 4 : 6
        bytesPerTwoPixels = layout & 0x40 != 0 ? 2 * numbers : numbers
        (colors, profile) = Self.colors(reader, entry.dropFirst(78))
        plays = Self.plays(reader, head, track["edts"].flatMap { Self.boxes(reader, $0)["elst"] })
        guard count <= PNGAnimation.mostFrames else { return }
        guard let places = self.places(table, sizes), let times = self.times(table["stts"], scale) else { return nil }
        (samples, delays) = (places, times)
    }

    /// Returns the first box of each kind.
    private static func boxes(_ reader: ByteReader, _ place: Range<Int>) -> [String: Range<Int>] {
        var boxes: [String: Range<Int>] = [:]
        _ = reader.boxes(place.lowerBound, place.upperBound, most: 64) { kind, at, end in
            let name = String(decoding: BigEndian.bytes(kind), as: UTF8.self)
            if end <= place.upperBound, boxes[name] == nil { boxes[name] = at..<end }
        }
        return boxes
    }

    /// Whether the matrix of a track's header changes nothing.
    private static func isUpright(_ reader: ByteReader, _ head: Range<Int>) -> Bool {
        let at = head.lowerBound + (reader.byte(head.lowerBound) == 0 ? 40 : 52)
        return (0..<9).allSatisfy { reader.big(at + 4 * $0, 4) == [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000][$0] }
    }

    /// Returns the number of plays, which is that of the edit list's repetitions. As in browsers it is endless in a file without such a list.
    private static func plays(_ reader: ByteReader, _ head: Range<Int>, _ list: Range<Int>?) -> Int {
        guard let list, let version = reader.byte(list.lowerBound), let flags = reader.big(list.lowerBound + 1, 3) else { return 0 }
        guard flags & 1 == 1 else { return 1 }
        func duration(_ at: Int, isLong: Bool) -> Int? { isLong ? reader.big(at, 1) == 0 ? reader.big(at + 1, 7) : nil : reader.big(at, 4) }
        let isLong = reader.byte(head.lowerBound) == 1
        // All bits stand for an endless track.
        guard let whole = duration(head.lowerBound + (isLong ? 28 : 20), isLong: isLong), isLong || whole < 0xffff_ffff,
            let once = duration(list.lowerBound + 8, isLong: version == 1), once > 0
        else { return 0 }
        return min(65535, max(1, (whole + once - 1) / once))
    }

    private static func colors(_ reader: ByteReader, _ place: Range<Int>) -> (CodedColors?, Range<Int>?) {
        var (colors, profile): (CodedColors?, Range<Int>?) = (nil, nil)
        _ = reader.boxes(place.lowerBound, place.upperBound, most: 64) { kind, at, end in
            guard kind == ByteReader.code("colr"), end <= place.upperBound else { return }
            if colors == nil { colors = CodedColors(box: at, reader) }
            if profile == nil, reader.has("prof", at: at) || reader.has("rICC", at: at) { profile = at + 4..<max(at + 4, end) }
        }
        return (colors, profile)
    }

    // MARK: Tables

    /// Returns the number of a table's entries, if it has no more than there may be frames.
    private func entries(_ table: Range<Int>) -> Int? { reader.big(table.lowerBound + 4, 4).flatMap { $0 <= PNGAnimation.mostFrames ? $0 : nil } }

    private func places(_ table: [String: Range<Int>], _ sizes: Range<Int>) -> [Range<Int>]? {
        guard let runs = table["stsc"], let runCount = entries(runs), let chunks = table["stco"] ?? table["co64"], let chunkCount = entries(chunks),
            let size = reader.big(sizes.lowerBound + 4, 4)
        else { return nil }
        let isLong = table["stco"] == nil
        var (places, run): ([Range<Int>], Int) = ([], 0)
        for chunk in 0..<chunkCount where places.count < count {
            // A run of equal chunks begins at the one it names, counted from 1.
            while run + 1 < runCount, let next = reader.big(runs.lowerBound + 20 + 12 * run, 4), next <= chunk + 1 { run += 1 }
            let start = chunks.lowerBound + 8 + chunk * (isLong ? 8 : 4)
            guard runCount > 0, let number = reader.big(runs.lowerBound + 12 + 12 * run, 4), !isLong || reader.big(start, 1) == 0,
                var at = isLong ? reader.big(start + 1, 7) : reader.big(start, 4)
            else { return nil }
            for _ in 0..<min(number, count - places.count) {
                guard let length = size > 0 ? size : reader.big(sizes.lowerBound + 12 + 4 * places.count, 4) else { return nil }
                places.append(at..<at + length)
                at += length
            }
        }
        return places.count == count ? places : nil
    }

    private func times(_ table: Range<Int>?, _ scale: Int) -> [Int]? {
        guard let table, let runs = entries(table) else { return nil }
        var delays: [Int] = []
        for run in 0..<runs {
            let at = table.lowerBound + 8 + 8 * run
            guard let number = reader.big(at, 4), let ticks = reader.big(at + 4, 4) else { return nil }
            delays += repeatElement((ticks * 1000 + scale / 2) / scale, count: min(number, count - delays.count))
        }
        return delays
    }
}

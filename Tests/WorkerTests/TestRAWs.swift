/// RAW files for tests: JPEGs, and directories that refer to them as those of cameras do.
struct TestRAWs {
    let isLittle: Bool
    /// The bytes so far. The offset of the first directory is written last.
    private(set) var bytes: [UInt8]

    /// One tagged value: a number, several, or bytes.
    struct Tag {
        let number: Int
        let type: Int
        let count: Int
        let values: [Int]
        var raw: [UInt8]?

        static func short(_ number: Int, _ value: Int) -> Tag { Tag(number: number, type: 3, count: 1, values: [value]) }
        static func long(_ number: Int, _ values: Int...) -> Tag { Tag(number: number, type: 4, count: values.count, values: values) }
        static func text(_ number: Int, _ text: String) -> Tag {
            Tag(number: number, type: 2, count: text.utf8.count + 1, values: [], raw: Array(text.utf8) + [0])
        }
        static func bytes(_ number: Int, _ bytes: [UInt8]) -> Tag { Tag(number: number, type: 7, count: bytes.count, values: [], raw: bytes) }
    }

    /// - Parameter mark: the number after the byte order: 42 for TIFF.
    init(isLittle: Bool = true, mark: Int = 42, head: [UInt8] = []) {
        self.isLittle = isLittle
        bytes = Array((isLittle ? "II" : "MM").utf8)
        bytes += word(mark, 2) + word(0, 4) + head
    }

    func word(_ value: Int, _ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * (isLittle ? $0 : length - 1 - $0))) }
    }

    /// - Returns: the offset.
    mutating func add(_ blob: [UInt8]) -> Int {
        if bytes.count % 2 == 1 { bytes.append(0) }
        defer { bytes += blob }
        return bytes.count
    }

    /// - Parameter next: the offset of another directory; 0 for none.
    /// - Returns: the offset.
    mutating func directory(_ tags: [Tag], next: Int = 0) -> Int {
        var entries = word(tags.count, 2)
        for tag in tags.sorted(by: { $0.number < $1.number }) {
            var value = tag.raw ?? tag.values.flatMap { word($0, tag.type == 3 ? 2 : 4) }
            if value.count > 4 { value = word(add(value), 4) } else { value += [UInt8](repeating: 0, count: 4 - value.count) }
            entries += word(tag.number, 2) + word(tag.type, 2) + word(tag.count, 4) + value
        }
        return add(entries + word(next, 4))
    }

    /// Returns the file with this first directory.
    mutating func file(_ tags: [Tag], next: Int = 0) -> [UInt8] {
        let first = directory(tags, next: next)
        bytes.replaceSubrange(4..<8, with: word(first, 4))
        return bytes
    }

    // MARK: Cameras

    /// - Parameters:
    ///   - small: a thumbnail.
    ///   - large: the JPEG that represents the file.
    static func files(_ small: [UInt8], _ large: [UInt8], orientation: Int) -> [(name: String, bytes: [UInt8])] {
        let said: [Tag] = [.text(271, "Maker"), .text(272, "Model"), .short(274, orientation)]
        func sensor(_ raw: inout TestRAWs, _ photometric: Int = 32803) -> Int {
            // Sensor data: a lossless JPEG, which no decoder here knows.
            let at = raw.add([0xff, 0xd8, 0xff, 0xc3, 0, 17, 14, 0x20, 0, 0x20, 0, 1])
            return raw.directory([.long(256, 8192), .long(257, 8192), .short(259, 7), .short(262, photometric), .long(273, at), .long(279, 12)])
        }
        var files: [(String, [UInt8])] = []
        for isLittle in [true, false] {
            let order = isLittle ? "" : ", high bytes first"
            var dng = TestRAWs(isLittle: isLittle)
            let (own, strip) = (dng.add(small), dng.add(large))
            let shown = dng.directory([.long(254, 1), .short(259, 7), .short(262, 6), .long(273, strip), .long(279, large.count)])
            let seen = sensor(&dng)
            files.append(
                ("DNG" + order, dng.file(said + [.short(259, 7), .long(273, own), .long(279, small.count), .long(330, seen, shown), .long(50706, 1)])))
            var nef = TestRAWs(isLittle: isLittle)
            let picture = nef.add(large)
            let preview = nef.directory([.short(259, 6), .long(0x201, picture), .long(0x202, large.count)])
            let numbers = sensor(&nef)
            files.append(("NEF" + order, nef.file(said + [.short(259, 1), .short(262, 2), .long(330, preview, numbers)])))
        }
        var cr2 = TestRAWs(head: Array("CR\u{2}\0".utf8) + [0, 0, 0, 0])
        let (first, second) = (cr2.add(large), cr2.add(small))
        let thumbnail = cr2.directory([.long(0x201, second), .long(0x202, small.count)])
        files.append(("CR2", cr2.file(said + [.short(259, 6), .long(273, first), .long(279, large.count)], next: thumbnail)))
        var pef = TestRAWs(isLittle: false)
        let (one, two) = (pef.add(small), pef.add(large))
        let last = pef.directory([.long(0x201, two), .long(0x202, large.count)])
        let middle = pef.directory([.long(0x201, one), .long(0x202, small.count)], next: last)
        files.append(("PEF", pef.file(said + [.short(259, 65535), .short(262, 32803)], next: middle)))
        var arw = TestRAWs()
        let shot = arw.add(large)
        let numbers = sensor(&arw)
        files.append(("ARW", arw.file(said + [.short(259, 6), .long(0x201, shot), .long(0x202, large.count), .long(330, numbers)])))
        var rw2 = TestRAWs(mark: 0x55)
        files.append(("RW2", rw2.file(said + [.bytes(0x2e, large)])))
        var orf = TestRAWs(mark: 0x4f52)
        let notes = orf.notes(large)
        let camera = orf.directory([.bytes(0x927c, notes)])
        files.append(("ORF", orf.file(said + [.long(0x8769, camera)])))
        return files
    }

    /// The maker notes of Olympus with the JPEG. Offsets count from their beginning.
    private func notes(_ picture: [UInt8]) -> [UInt8] {
        // A header, a directory of one entry, another of two, and the JPEG.
        let (settings, start) = (12 + 2 + 12 + 4, 12 + 2 + 12 + 4 + 2 + 24 + 4)
        func entry(_ number: Int, _ value: Int) -> [UInt8] { word(number, 2) + word(4, 2) + word(1, 4) + word(value, 4) }
        let first = word(1, 2) + entry(0x2020, settings) + word(0, 4)
        return Array("OLYMPUS\0II\u{3}\0".utf8) + first + word(2, 2) + entry(0x101, start) + entry(0x102, picture.count) + word(0, 4) + picture
    }
}

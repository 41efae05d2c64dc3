package import TintypeImages

/// The `meta` box of an AVIF or HEIF file, for its first picture (ISO/IEC 23008-12). Each box is read once and none beyond its end, whatever the bytes
/// are. Unusual files, such as those with a list of thousands, are left to libheif.
package struct HEIFMeta {
    /// The size after rotation, and before a crop.
    package private(set) var width = 0
    package private(set) var height = 0
    /// The items that are pictures of their own, no tiles, thumbnails or masks, in the order in which libvips counts pages.
    private var pages: [Int] = []
    /// The number of these pictures.
    package var pictures: Int { pages.count }
    /// Whether the first picture is transparent.
    package var hasAlpha: Bool { primary.flatMap { mask(of: $0) } != nil }

    /// The place of the first picture's coded bytes, if they are in one piece.
    package private(set) var coded: Range<Int>?

    /// Whether the coded bytes of the first picture, or those of its transparency, are missing or not in one piece, as those of a grid.
    package private(set) var isHollow = true

    /// The place of the first picture's EXIF block, if it has exactly one, or that there is none. nil in unclear cases.
    package private(set) var exif: EXIFLocator?

    let reader: ByteReader
    /// The content of the box.
    let place: Range<Int>
    private var primary: Int?
    /// The place and kind of each property, and the properties of each item.
    private var properties: [(kind: Int, at: Int, end: Int)] = []
    private(set) var owned: [Int: [Association]] = [:]
    private var kinds: [Int: Int] = [:]
    private var shown: Set<Int> = []
    /// The items that are masks, thumbnails or the like, each with its main item; and grids, each with its cells.
    private var parts: [(kind: Int, item: Int, of: Int)] = []
    /// The items that hold transparency.
    private var masks: Set<Int> = []

    /// A property of an item.
    struct Association: Equatable {
        /// The number of the property, from 1; 0: none.
        let index: Int
        /// Whether a reader must know the property.
        let isEssential: Bool
    }

    /// The most boxes side by side, the most references, and the most properties of all items.
    static let most = 4096
    private var associated = 0

    /// - Returns: nil if the box is incomplete, or holds something that this code does not understand.
    package init?(_ reader: ByteReader) {
        self.reader = reader
        var found: (Int, Int)?
        // The boxes behind it may be cut off.
        _ = reader.boxes(0, reader.count, most: Self.most) { kind, at, end in if kind == Self.code("meta"), found == nil { found = (at, end) } }
        guard let found, found.1 <= reader.count, found.0 + 4 <= found.1 else { return nil }
        place = found.0..<found.1
        var boxes: [(kind: Int, at: Int, end: Int)] = []
        var places: (Int, Int)?
        guard walk(found.0 + 4, found.1, { boxes.append(($0, $1, $2)) }) else { return nil }
        for box in boxes {
            switch box.kind {
            case Self.code("pitm"): primary = reader.big(box.at + 4, reader.byte(box.at) == 0 ? 2 : 4)
            case Self.code("iinf"): guard items(box.at, box.end) else { return nil }
            case Self.code("iref"): guard references(box.at, box.end) else { return nil }
            case Self.code("iprp"): guard ownership(box.at, box.end) else { return nil }
            case Self.code("iloc"): places = (box.at, box.end)
            default: break
            }
        }
        guard let primary, summarize(primary) else { return nil }
        coded = places.flatMap { place(of: primary, $0.0, $0.1) }
        isHollow = coded == nil || mask(of: primary).map { mask in places.flatMap { place(of: mask, $0.0, $0.1) } == nil } ?? false
        let blocks = kinds.filter { $0.value == Self.code("Exif") }.map(\.key)
        exif = blocks.isEmpty ? .absent : places.flatMap { block(blocks, of: primary, $0.0, $0.1) }
    }

    private func block(_ blocks: [Int], of primary: Int, _ start: Int, _ end: Int) -> EXIFLocator? {
        let isPlain = blocks.count == 1 && parts.contains { $0.kind == Self.code("cdsc") && $0.item == blocks[0] && $0.of == primary }
        // Four bytes hold the offset of the block after them. The block's own start is found when it is read.
        guard isPlain, let place = place(of: blocks[0], start, end), place.count > 4 else { return nil }
        return .bytes(place.dropFirst(4))
    }

    static func code(_ text: StaticString) -> Int { ByteReader.code(text) }

    private func walk(_ start: Int, _ end: Int, _ visit: (Int, Int, Int) -> Void) -> Bool { reader.boxes(start, end, most: Self.most, visit) }

    private mutating func items(_ start: Int, _ end: Int) -> Bool {
        var entries: [(Int, Int)] = []
        guard walk(start + (reader.byte(start) == 0 ? 6 : 8), end, { if $0 == Self.code("infe") { entries.append(($1, $2)) } }) else { return false }
        for (at, _) in entries {
            guard let version = reader.byte(at), version >= 2, let flags = reader.big(at + 1, 3), let id = reader.big(at + 4, version == 2 ? 2 : 4),
                let kind = reader.big(at + (version == 2 ? 8 : 10), 4)
            else { return false }
            let isPicture = ["av01", "hvc1", "grid", "iovl", "iden"].contains { Self.code($0) == kind }
            if isPicture, flags & 1 == 0 { shown.insert(id) }
            kinds[id] = kind
        }
        return true
    }

    private mutating func references(_ start: Int, _ end: Int) -> Bool {
        let length = reader.byte(start) == 0 ? 2 : 4
        var lists: [(Int, Int, Int)] = []
        guard walk(start + 4, end, { lists.append(($0, $1, $2)) }) else { return false }
        for (kind, at, end) in lists {
            guard let item = reader.big(at, length), let count = reader.big(at + length, 2), parts.count + count <= Self.most,
                at + length + 2 + count * length <= end
            else { return false }
            for index in 0..<count {
                guard let other = reader.big(at + length + 2 + index * length, length) else { return false }
                parts.append((kind, item, other))
            }
        }
        return true
    }

    /// Returns an item's place by `iloc`: a single range of bytes of the file itself.
    private func place(of item: Int, _ start: Int, _ end: Int) -> Range<Int>? {
        guard let version = reader.byte(start), version <= 2, let sizes = reader.big(start + 4, 2) else { return nil }
        let (offset, length, base, index) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
        let identifier = version == 2 ? 4 : 2
        guard [offset, length, base, index].allSatisfy({ $0 == 0 || $0 == 4 }), let count = reader.big(start + 6, identifier), count <= Self.most else {
            return nil
        }
        func number(_ at: Int, _ size: Int) -> Int? { size == 0 ? 0 : reader.big(at, size) }
        var at = start + 6 + identifier
        for _ in 0..<count {
            guard let id = reader.big(at, identifier) else { return nil }
            at += identifier
            let method = version == 0 ? 0 : reader.big(at, 2).map { $0 & 15 }
            at += version == 0 ? 0 : 2
            guard let elsewhere = reader.big(at, 2), let from = number(at + 2, base), let extents = reader.big(at + 2 + base, 2) else { return nil }
            at += 4 + base
            if id == item {
                guard method == 0, elsewhere == 0, extents == 1, let shift = number(at + index, offset), let size = number(at + index + offset, length),
                    size > 0, from + shift + size <= reader.count
                else { return nil }
                return from + shift..<from + shift + size
            }
            at += extents * (index + offset + length)
            guard at <= end else { return nil }
        }
        return nil
    }

    private mutating func ownership(_ start: Int, _ end: Int) -> Bool {
        var boxes: [(Int, Int, Int)] = []
        guard walk(start, end, { boxes.append(($0, $1, $2)) }) else { return false }
        for (kind, at, end) in boxes {
            if kind == Self.code("ipco") {
                var all: [(kind: Int, at: Int, end: Int)] = []
                guard walk(at, end, { all.append(($0, $1, $2)) }) else { return false }
                properties = all
            } else if kind == Self.code("ipma") {
                guard associations(at, end) else { return false }
            }
        }
        return true
    }

    private mutating func associations(_ start: Int, _ end: Int) -> Bool {
        guard let version = reader.byte(start), let flags = reader.big(start + 1, 3), let count = reader.big(start + 4, 4), count <= Self.most else {
            return false
        }
        let (identifier, index) = (version == 0 ? 2 : 4, flags & 1 == 0 ? 1 : 2)
        var at = start + 8
        for _ in 0..<count {
            guard let item = reader.big(at, identifier), let number = reader.byte(at + identifier) else { return false }
            at += identifier + 1
            associated += number
            guard associated <= Self.most, at + number * index <= end else { return false }
            for _ in 0..<number {
                guard let value = reader.big(at, index) else { return false }
                let essential = index == 1 ? 0x80 : 0x8000
                owned[item, default: []].append(Association(index: value & (essential - 1), isEssential: value & essential != 0))
                at += index
            }
        }
        return true
    }

    /// Returns whether a picture has brightness only. libheif gives it three equal channels all the same.
    package func isGray(_ picture: Int) -> Bool {
        // The first tile speaks for all.
        let item = parts.first { $0.kind == Self.code("dimg") && $0.item == picture }?.of ?? picture
        // AV1 in ISOBMFF, 2.3.3: monochrome. ISO/IEC 14496-15, 8.3.3.1: chroma_format_idc.
        if let box = properties("av1C", of: item).first, box.end - box.at > 2 { return reader.byte(box.at + 2).map { $0 & 0x10 != 0 } ?? false }
        if let box = properties("hvcC", of: item).first, box.end - box.at > 16 { return reader.byte(box.at + 16).map { $0 & 3 == 0 } ?? false }
        return false
    }

    /// Whether any picture of the file has a thumbnail.
    package var hasThumbnails: Bool { parts.contains { $0.kind == Self.code("thmb") } }

    /// Whether the first picture has no properties except these.
    package func hasOnly(_ kinds: [StaticString]) -> Bool {
        guard let primary else { return false }
        return (owned[primary] ?? []).allSatisfy { association in kinds.contains { Self.code($0) == kind(association) } }
    }

    func kind(_ association: Association) -> Int? { property(association)?.kind }

    private func property(_ association: Association) -> (kind: Int, at: Int, end: Int)? {
        properties.indices.contains(association.index - 1) ? properties[association.index - 1] : nil
    }

    private func properties(_ kind: StaticString, of item: Int) -> [(kind: Int, at: Int, end: Int)] {
        (owned[item] ?? []).compactMap { property($0) }.filter { $0.kind == Self.code(kind) }
    }

    /// Returns the start of a property of the first picture that begins with these letters.
    package func property(_ kind: StaticString, beginning: StaticString = "") -> Int? {
        primary.flatMap { properties(kind, of: $0).map(\.at).first { reader.has(beginning, at: $0) } }
    }

    /// Returns the place of the first picture's first property of this kind.
    package func place(of kind: StaticString) -> Range<Int>? { primary.flatMap { properties(kind, of: $0).first }.map { $0.at..<$0.end } }

    /// Returns the item of a page, or of its thumbnail if it has one.
    package func picture(page: Int, isThumbnail: Bool = false) -> Int? {
        guard pages.indices.contains(page) else { return nil }
        return isThumbnail ? items("thmb", of: pages[page]).min() ?? pages[page] : pages[page]
    }

    /// Returns the item with the transparency of a picture.
    package func mask(of picture: Int) -> Int? { items("auxl", of: picture).first { masks.contains($0) } }

    /// Whether the colors of a picture are multiplied by its transparency (ISO/IEC 23000-22, §7.3.5.2).
    package func isPremultiplied(_ picture: Int) -> Bool {
        guard let mask = mask(of: picture) else { return false }
        return items("prem", of: mask).contains(picture)
    }

    /// The pictures by the item with their transparency.
    var masked: [Int: Int] {
        let all = parts.filter { $0.kind == Self.code("auxl") && masks.contains($0.item) }
        return Dictionary(all.map { ($0.item, $0.of) }) { first, _ in first }
    }

    /// The pictures of AV1 that are the cells of a grid.
    var cells: Set<Int> {
        Set(parts.filter { $0.kind == Self.code("dimg") && kinds[$0.item] == Self.code("grid") && kinds[$0.of] == Self.code("av01") }.map(\.of))
    }

    private func items(_ kind: StaticString, of item: Int) -> [Int] { parts.filter { $0.kind == Self.code(kind) && $0.of == item }.map(\.item) }

    private mutating func summarize(_ primary: Int) -> Bool {
        guard shown.contains(primary), let size = properties("ispe", of: primary).first?.at, let width = reader.big(size + 4, 4),
            let height = reader.big(size + 8, 4), max(width, height) <= HEIFHeader.largestSide
        else { return false }
        let isLying = properties("irot", of: primary).first.flatMap { reader.byte($0.at) }.map { $0 & 1 == 1 } ?? false
        (self.width, self.height) = isLying ? (height, width) : (width, height)
        masks = Set(owned.keys.filter { item in properties("auxC", of: item).contains { isTransparency($0.at, $0.end) } })
        let others = Set(parts.filter { $0.kind == Self.code("auxl") || $0.kind == Self.code("thmb") }.map(\.item))
        pages = shown.subtracting(others).sorted()
        return true
    }

    /// The names that libheif knows.
    private func isTransparency(_ at: Int, _ end: Int) -> Bool {
        ["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:avc:2015:auxid:1"].contains { (name: StaticString) in
            reader.has(name, at: at + 4) && at + 4 + name.utf8CodeUnitCount < end
        }
    }
}

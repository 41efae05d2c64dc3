import TintypeImages

/// The turns, mirrors and crops of a file's pictures (`irot`, `imir` and `clap`).
extension HEIFMeta {
    /// Whether a picture is transformed and its transparency is not, so that one does not fit the other.
    package func isTransformedAlone(_ picture: Int) -> Bool {
        mask(of: picture).map { transformations(of: $0).isEmpty && !transformations(of: picture).isEmpty } ?? false
    }

    /// Returns the changes after which libheif 1.15 transforms the pictures as other viewers do; none also if the file is too odd.
    ///
    /// - Transparency without transformations has those of its picture. libavif up to version 1.3 writes such files, and reads them so.
    /// - The cells of a grid of AV1 have none (AV1 Image File Format, "General constraints"). libavif 0.11 repeats those of the grid there.
    /// - They follow all other properties (ISO/IEC 23008-12, §9.3.1). libheif turns only a size that it has read before.
    package func settled() -> [(place: Range<Int>, instead: [UInt8])] {
        var lists = owned
        for cell in cells { lists[cell]?.removeAll(where: isTransformation) }
        let own = lists.mapValues { $0.filter(isTransformation) }
        for (mask, picture) in masked where own[mask]?.isEmpty ?? true {
            if let added = own[picture], added.count <= Self.mostTransformations { lists[mask, default: []] += added }
        }
        lists = lists.mapValues { list in list.filter { !isTransformation($0) } + list.filter(isTransformation) }
        guard lists != owned, lists.values.allSatisfy({ $0.count <= 255 }), lists.values.reduce(0, { $0 + $1.count }) <= Self.most,
            let box = box(with: lists)
        else { return [] }
        return changes(to: box)
    }

    /// Returns the changes to a new `meta` box. It stands at the end, and the old one becomes free space, so that all other bytes keep their places.
    /// - Returns: none if the old one is not in a box of the file.
    package func changes(to box: [UInt8]) -> [(place: Range<Int>, instead: [UInt8])] {
        var (start, end, type) = (0, 0, Int?.none)
        _ = reader.boxes(0, reader.count, most: Self.most) { _, at, stop in
            guard stop <= reader.count else { return }
            (start, end) = (end, stop)
            if at == place.lowerBound { type = start + 4 }
        }
        guard let type, end - start < 1 << 32 else { return [] }
        // Bytes behind the last box would hide the new one.
        var changes: [(place: Range<Int>, instead: [UInt8])] = [(type..<type + 4, Array("free".utf8)), (end..<reader.count, box)]
        // The last box may have no length, because it reaches to the end of the file.
        if reader.big(start, 4) == 0 { changes.append((start..<start + 4, BigEndian.bytes(end - start))) }
        return changes.sorted { $0.place.lowerBound < $1.place.lowerBound }
    }

    /// The most transformations that are added to one item. A file needs three.
    private static let mostTransformations = 16
    private static let transformations = Set((["irot", "imir", "clap"] as [StaticString]).map(code))

    private func isTransformation(_ association: Association) -> Bool { kind(association).map(Self.transformations.contains) ?? false }

    private func transformations(of item: Int) -> [Association] { (owned[item] ?? []).filter(isTransformation) }

    /// Returns the `meta` box with other properties of the items.
    private func box(with lists: [Int: [Association]]) -> [UInt8]? {
        let (all, version) = (boxes(place.dropFirst(4)), place.prefix(4))
        guard let properties = all.first(where: { $0.kind == Self.code("iprp") }), all.count(where: { $0.kind == properties.kind }) == 1 else { return nil }
        let kept = boxes(properties.place).filter { $0.kind != Self.code("ipma") }
        // Items of 32 bits, and properties of 16.
        var owned = [1, 0, 0, 1] + BigEndian.bytes(lists.count)
        for (item, list) in lists.sorted(by: { $0.key < $1.key }) {
            owned += BigEndian.bytes(item) + BigEndian.bytes(list.count, 1)
            for association in list { owned += BigEndian.bytes(association.index | (association.isEssential ? 0x8000 : 0), 2) }
        }
        let changed = kept.flatMap { Self.box($0.kind, bytes($0.place)) } + Self.box(Self.code("ipma"), owned)
        return Self.box(Self.code("meta"), bytes(version) + all.flatMap { Self.box($0.kind, $0.kind == properties.kind ? changed : bytes($0.place)) })
    }

    private func boxes(_ place: Range<Int>) -> [(kind: Int, place: Range<Int>)] {
        var boxes: [(Int, Range<Int>)] = []
        _ = reader.boxes(place.lowerBound, place.upperBound, most: Self.most) { kind, at, end in
            if at <= end, end <= place.upperBound { boxes.append((kind, at..<end)) }
        }
        return boxes
    }

    private func bytes(_ place: Range<Int>) -> [UInt8] { [UInt8](reader.bytes[place]) }

    private static func box(_ kind: Int, _ content: [UInt8]) -> [UInt8] { BigEndian.bytes(8 + content.count) + BigEndian.bytes(kind) + content }
}

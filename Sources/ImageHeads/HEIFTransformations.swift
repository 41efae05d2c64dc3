import TintypeImages

/// The turns, mirrors and crops of a file's pictures (`irot`, `imir` and `clap`).
extension HEIFMeta {
    /// Whether a picture is transformed and its transparency is not, so that one does not fit the other.
    package func isTransformedAlone(_ picture: Int) -> Bool {
        mask(of: picture).map { transformations(of: $0).isEmpty && !transformations(of: picture).isEmpty } ?? false
    }

    /// Returns the changes after which libheif 1.15 transforms the pictures as other viewers do; nil if there are none, or the file is too odd.
    ///
    /// - Transparency without transformations has those of its picture. libavif up to version 1.3 writes such files, and reads them so.
    /// - The cells of a grid of AV1 have none (AV1 Image File Format, "General constraints"). libavif 0.11 repeats those of the grid there.
    /// - They follow all other properties (ISO/IEC 23008-12, §9.3.1). libheif turns only a size that it has read before.
    package func settled() -> HEIFChanges? {
        var lists = owned
        for cell in cells { lists[cell]?.removeAll(where: isTransformation) }
        let own = lists.mapValues { $0.filter(isTransformation) }
        for (mask, picture) in masked where own[mask]?.isEmpty ?? true {
            if let added = own[picture], added.count <= Self.mostTransformations { lists[mask, default: []] += added }
        }
        lists = lists.mapValues { list in list.filter { !isTransformation($0) } + list.filter(isTransformation) }
        guard lists != owned, lists.values.allSatisfy({ $0.count <= 255 }), lists.values.reduce(0, { $0 + $1.count }) <= Self.most,
            let box = box(with: lists)
        else { return nil }
        return HEIFChanges(reader, place, box)
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
        return Self.box(
            Self.code("meta"), bytes(version) + all.flatMap { Self.box($0.kind, $0.kind == properties.kind ? changed : bytes($0.place)) })
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

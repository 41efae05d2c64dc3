@testable import ImageHeads
import Testing
import TintypeImages

@testable import Engine

/// AVIFs and HEIFs with other boxes than our encoders write.
enum TestHEIFs {
    typealias Association = HEIFMeta.Association

    static let turn = box("irot", [1]), turnBack = box("irot", [3]), halfTurn = box("irot", [2])
    /// The parts at the top and at the bottom change places.
    static let flip = box("imir", [0])
    /// The parts on the left and on the right change places.
    static let mirror = box("imir", [1])

    /// Returns a crop from the left upper corner.
    static func crop(_ width: Int, _ height: Int, of whole: PictureSize) -> [UInt8] {
        box("clap", [width, 1, height, 1, width - whole.width, 2, height - whole.height, 2].flatMap { BigEndian.bytes($0) })
    }

    static func size(_ width: Int, _ height: Int) -> [UInt8] { box("ispe", [0, 0, 0, 0] + BigEndian.bytes(width) + BigEndian.bytes(height)) }

    static func box(_ kind: String, _ content: [UInt8]) -> [UInt8] { BigEndian.bytes(8 + content.count) + Array(kind.utf8) + content }

    /// Returns a file with more properties, and with other references between its items.
    /// - Parameters:
    ///   - file: the first page is its first picture.
    ///   - references: the references from the first picture to its transparency, and back; nil: the present ones.
    ///   - primary: the item that is shown first; nil: the present one.
    ///   - owned: the properties of the first picture and of its transparency (of which some are also those of others), from those now and those new.
    static func changed(
        _ file: [UInt8], adding properties: [[UInt8]] = [], references: [(kind: String, isFromPicture: Bool)]? = nil, primary: Int? = nil,
        owned: (_ isMask: Bool, _ now: [Association], _ new: [Association]) -> [Association] = { _, now, _ in now }
    ) throws -> [UInt8] {
        try file.withUnsafeBytes { raw in
            let reader = ByteReader(bytes: raw)
            let meta = try #require(HEIFMeta(reader)), picture = try #require(meta.picture(page: 0)), mask = meta.mask(of: picture) ?? 0
            func boxes(_ place: Range<Int>) -> [(kind: Int, bytes: [UInt8], place: Range<Int>)] {
                var boxes: [(Int, [UInt8], Range<Int>)] = []
                _ = reader.boxes(place.lowerBound, place.upperBound, most: 99) { boxes.append(($0, [UInt8](raw[$1 - 8..<$2]), $1..<$2)) }
                return boxes
            }
            func has(_ kind: StaticString) -> ((Int, [UInt8], Range<Int>)) -> Bool { { $0.0 == ByteReader.code(kind) } }
            var children = boxes(meta.place.dropFirst(4))
            let inner = boxes(try #require(children.first(where: has("iprp"))).place)
            let list = try #require(inner.first(where: has("ipco")))
            let count = boxes(list.place).count
            let new = properties.indices.map { Association(index: count + 1 + $0, isEssential: true) }
            var lists: [UInt8] = []
            for (item, now) in meta.owned.sorted(by: { $0.key < $1.key }) {
                let all = [picture, mask].contains(item) ? owned(item == mask, now, new) : now
                lists += BigEndian.bytes(item, 2) + BigEndian.bytes(all.count, 1) + all.map { UInt8($0.index | ($0.isEssential ? 0x80 : 0)) }
            }
            let content =
                box("ipco", [UInt8](raw[list.place]) + properties.flatMap { $0 }) + box("ipma", [0, 0, 0, 0] + BigEndian.bytes(meta.owned.count) + lists)
            children.removeAll(where: has("iprp"))
            if let references {
                let present = boxes(try #require(children.first(where: has("iref"))).place.dropFirst(4))
                children.removeAll(where: has("iref"))
                let kept = present.filter { !has("auxl")($0) && !has("prem")($0) }.flatMap(\.bytes)
                let all =
                    kept
                    + references.flatMap { kind, isFromPicture in
                        box(
                            kind,
                            BigEndian.bytes(isFromPicture ? picture : mask, 2) + BigEndian.bytes(1, 2) + BigEndian.bytes(isFromPicture ? mask : picture, 2))
                    }
                children.append((0, box("iref", [0, 0, 0, 0] + all), 0..<0))
            }
            if let primary {
                children.removeAll(where: has("pitm"))
                children.append((0, box("pitm", [0, 0, 0, 0] + BigEndian.bytes(primary, 2)), 0..<0))
            }
            let changes = meta.changes(to: box("meta", [0, 0, 0, 0] + children.flatMap(\.bytes) + box("iprp", content)))
            try #require(!changes.isEmpty)
            return try #require(VipsBytes(copying: reader.bytes, changes)).copied()
        }
    }
}

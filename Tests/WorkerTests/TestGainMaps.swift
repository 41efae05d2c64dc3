@testable import ImageHeads
import TintypeImages

@testable import Engine

/// JPEGs with a gain map that tests make for themselves, without the writer of the project.
enum TestGainMaps {
    /// Two stops for the number 255, none for 0.
    static let plain = #"hdrgm:Version="1.0" hdrgm:GainMapMax="2" hdrgm:HDRCapacityMax="2""#

    static func packet(_ attributes: String, _ elements: String = "") -> String {
        #"<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" "#
            + #"xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" \#(attributes)>\#(elements)</rdf:Description></rdf:RDF></x:xmpmeta>"#
    }

    static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xff, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }

    /// Puts an XMP packet into a JPEG.
    static func said(_ packet: String, in jpeg: [UInt8]) -> [UInt8] {
        Array(jpeg.prefix(2)) + segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8)) + Array(jpeg.dropFirst(2))
    }

    /// The place of the index in a file: behind two markers, a length and a name.
    static let indexStart = 10

    /// Puts an index into the first JPEG and the others behind it.
    /// - Parameters:
    ///   - size: states another size of each.
    ///   - offset: states another place.
    static func file(
        _ base: [UInt8], _ others: [[UInt8]], isLittle: Bool = false, size stated: Int? = nil, offset told: Int? = nil
    ) -> [UInt8] {
        func number(_ value: Int, _ length: Int = 4) -> [UInt8] {
            (0..<length).map { UInt8(truncatingIfNeeded: value >> (8 * (isLittle ? $0 : length - 1 - $0))) }
        }
        func tag(_ name: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] { number(name, 2) + number(type, 2) + number(count) + value }
        let count = 1 + others.count
        let size = 4 + 4 + 50 + 16 * count
        var entries = number(0x30000) + number(base.count + size) + number(0) + number(0)
        // From the byte order to the end of the first picture.
        var offset = base.count + size - indexStart
        for other in others {
            entries += number(0) + number(stated ?? other.count) + number(told ?? offset) + number(0)
            offset += other.count
        }
        let block =
            Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8) + number(3, 2) + tag(0xb000, 7, 4, Array("0100".utf8))
            + tag(0xb001, 4, 1, number(count)) + tag(0xb002, 7, 16 * count, number(50)) + number(0) + entries
        return Array(base.prefix(2)) + segment(0xe2, Array("MPF\0".utf8) + block) + Array(base.dropFirst(2)) + others.joined()
    }

    /// Returns a gray picture of four flat quarters.
    static func steps(_ width: Int, _ height: Int, _ levels: [Double] = [0, 85, 170, 255]) throws -> VipsImage {
        try VipsRuntime.start()
        let parts = try levels.map { try VipsRuntime.solid(width: width / 2, height: height / 2, [$0], .gray) }
        return try VipsOperation("arrayjoin").set("in", parts).set("across", 2).image()
    }

    static func jpeg(_ image: VipsImage) throws -> [UInt8] { try TestPictures.encoded(image, .jpeg, OutputOptions(quality: 100)) }

    /// The four colors with a map of four steps at a quarter of each side.
    static func picture(_ width: Int = 400, _ height: Int = 200, _ attributes: String = plain) throws -> [UInt8] {
        try file(jpeg(TestPictures.quarters(width, height)), [said(packet(attributes), in: jpeg(steps(width / 4, height / 4)))])
    }

    /// Returns the map of a file with its numbers, as the project finds them.
    static func map(of file: [UInt8]) throws -> (image: VipsImage, numbers: GainMapNumbers)? {
        guard let place = file.withUnsafeBytes({ GainMapPlace(ByteReader(bytes: $0)) }) else { return nil }
        return (try TestPictures.decoded(Array(file[place.bytes])), place.numbers)
    }
}

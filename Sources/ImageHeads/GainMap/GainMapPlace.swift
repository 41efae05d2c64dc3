package import TintypeImages

/// The gain map in a JPEG (Google, Ultra HDR 1.1): a second JPEG behind the first one. The index of pictures names it, and it says itself how it is applied.
/// A value. Maps that only Apple's own names describe are not known here.
package struct GainMapPlace: Hashable {
    /// The bytes of the second JPEG.
    package let bytes: Range<Int>
    package let numbers: GainMapNumbers

    /// The most bytes that are searched for the numbers of one picture. Writers put them in front.
    private static let mostSearched = 1 << 20

    /// - Returns: nil if there is no gain map, or none that can be used.
    package init?(_ reader: ByteReader) {
        for place in MPFIndex(reader)?.others ?? [] {
            let beginning = ByteReader(bytes: UnsafeRawBufferPointer(rebasing: reader.bytes[place].prefix(Self.mostSearched)))
            guard let numbers = Self.numbers(beginning) else { continue }
            (bytes, self.numbers) = (place, numbers)
            return
        }
        return nil
    }

    /// Returns the numbers of XMP, which older readers know too; else those of ISO.
    private static func numbers(_ reader: ByteReader) -> GainMapNumbers? {
        var iso: GainMapNumbers?
        guard let segments = JPEGSegments(reader) else { return nil }
        for segment in segments {
            func content(behind name: StaticString) -> UnsafeRawBufferPointer? {
                guard segment.content.count >= name.utf8CodeUnitCount, reader.has(name, at: segment.content.lowerBound) else { return nil }
                return UnsafeRawBufferPointer(rebasing: reader.bytes[segment.content.dropFirst(name.utf8CodeUnitCount)])
            }
            if segment.marker == 0xe1, let packet = content(behind: GainMapNumbers.packet), let numbers = GainMapNumbers(xmp: packet) { return numbers }
            if segment.marker == 0xe2, iso == nil, let block = content(behind: GainMapNumbers.isoName) { iso = GainMapNumbers(iso: ByteReader(bytes: block)) }
        }
        return iso
    }
}

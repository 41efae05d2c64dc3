import TintypeImages

/// A new `meta` box for a file. It stands at the end, and the old one becomes free space, so that all other bytes keep their places.
package struct HEIFChanges {
    private let file: UnsafeRawBufferPointer
    private var patches: [(at: Int, bytes: [UInt8])]
    private let box: [UInt8]

    /// - Parameter old: the content of the old box.
    /// - Returns: nil if that is not in a box of the file.
    init?(_ reader: ByteReader, _ old: Range<Int>, _ box: [UInt8]) {
        var (start, end, type) = (0, 0, Int?.none)
        _ = reader.boxes(0, reader.count, most: HEIFMeta.most) { _, at, stop in
            guard stop <= reader.count else { return }
            (start, end) = (end, stop)
            if at == old.lowerBound { type = start + 4 }
        }
        guard let type, end - start < 1 << 32 else { return nil }
        // Bytes behind the last box would hide the new one.
        (file, self.box, patches) = (UnsafeRawBufferPointer(rebasing: reader.bytes[..<end]), box, [(type, Array("free".utf8))])
        // The last box may have no length, because it reaches to the end of the file.
        if reader.big(start, 4) == 0 { patches.append((start, BigEndian.bytes(end - start))) }
    }

    /// The bytes of the changed file.
    package var count: Int { file.count + box.count }

    /// Writes the changed file to memory of `count` bytes.
    package func write(to memory: UnsafeMutableRawBufferPointer) {
        memory.copyBytes(from: file)
        for (at, bytes) in patches + [(file.count, box)] { UnsafeMutableRawBufferPointer(rebasing: memory[at...]).copyBytes(from: bytes) }
    }
}

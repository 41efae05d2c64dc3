/// The pixel density of a JPEG in its JFIF header, which printing programs use. A value.
struct JPEGDensity: Hashable {
    enum Unit: UInt8 { case none, inch, centimeter }

    let unit: Unit
    let across: UInt16
    let down: UInt16

    /// - Parameter image: an image with the header of its source.
    init(_ image: VipsImage) {
        let (across, down) = image.pixelsPerMillimeter
        let unit: Unit? = ["in": .inch, "cm": .centimeter][image.densityUnit]
        guard let unit, across > 0, down > 0 else {
            (self.unit, self.across, self.down) = (.none, 1, 1)
            return
        }
        func count(_ millimeter: Double) -> UInt16 { UInt16(min(max(millimeter * (unit == .inch ? 25.4 : 10), 1), 65535).rounded()) }
        (self.unit, self.across, self.down) = (unit, count(across), count(down))
    }

    /// The header's segment, without a thumbnail.
    private var segment: [UInt8] {
        func big(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
        return [0xff, 0xe0, 0, 16] + Array("JFIF".utf8) + [0, 1, 1, unit.rawValue] + big(across) + big(down) + [0, 0]
    }

    /// Returns the file with this header. The file stays as it is if it has one, or if there is no memory for both.
    func put(into file: VipsBytes) -> VipsBytes {
        let isBare = file.withBytes { $0.count > 4 && $0[0] == 0xff && $0[1] == 0xd8 && !($0[2] == 0xff && $0[3] == 0xe0) }
        return isBare ? file.with(segment, at: 2) : file
    }
}

import CVips

extension VipsImage {
    /// Returns a picture of the numbers in `samples`, row by row, with the bands of a pixel beside each other.
    static func of(_ samples: [UInt8], width: Int, height: Int, bands: Int) throws(VipsError) -> VipsImage {
        try copy(samples.withUnsafeBytes { make($0, width, height, bands, VIPS_FORMAT_UCHAR) })
    }

    static func of(_ samples: [UInt16], width: Int, height: Int, bands: Int) throws(VipsError) -> VipsImage {
        try copy(samples.withUnsafeBytes { make($0, width, height, bands, VIPS_FORMAT_USHORT) })
    }

    /// Returns the bytes of the numbers, row by row, with the bands of a pixel beside each other. Numbers of 16 bits are in the machine's order.
    func samples() throws(VipsError) -> [UInt8] {
        var count = 0
        guard let memory = vips_image_write_to_memory(raw, &count) else { throw VipsError.take("memory") }
        defer { g_free(memory) }
        return [UInt8](UnsafeRawBufferPointer(start: memory, count: count))
    }

    /// Lends the numbers of an 8-bit picture in memory, row by row, with the bands of a pixel beside each other.
    func withSamples<R>(_ body: (UnsafeRawBufferPointer) -> R) throws(VipsError) -> R {
        guard let memory = vips_image_get_data(raw) else { throw VipsError.take("memory") }
        return body(UnsafeRawBufferPointer(start: memory, count: byteCount))
    }

    /// Returns a picture in memory with the header of this one. `fill` writes its numbers.
    /// - Returns: nil if `fill` returns false.
    func filled(_ fill: (UnsafeMutableRawBufferPointer) -> Bool) throws(VipsError) -> VipsImage? {
        guard let memory = vips_image_new_memory() else { throw VipsError.take("memory") }
        let picture = VipsImage(adopting: memory)
        var sources: [UnsafeMutablePointer<CVips.VipsImage>?] = [raw, nil]
        guard vips_image_pipeline_array(memory, VIPS_DEMAND_STYLE_ANY, &sources) == 0, vips_image_write_prepare(memory) == 0,
            let data = memory.pointee.data
        else { throw VipsError.take("memory") }
        // Pixels in memory can be read in any order.
        vips_image_remove(memory, "vips-sequential")
        return fill(UnsafeMutableRawBufferPointer(start: data, count: picture.byteCount)) ? picture : nil
    }

    /// Returns a matrix, for operations that take one.
    /// - Parameter scale: the divisor for the results of a convolution.
    static func matrix(_ rows: [[Double]], scale: Double = 1) throws(VipsError) -> VipsImage {
        let numbers = rows.flatMap { $0 }
        let raw = vips_image_new_matrix_from_array(Int32(rows.first?.count ?? 0), Int32(rows.count), numbers, Int32(numbers.count))
        if let raw { vips_image_set_double(raw, "scale", scale) }
        return try copy(raw)
    }

    private static func make(_ bytes: UnsafeRawBufferPointer, _ width: Int, _ height: Int, _ bands: Int, _ format: CVips.VipsBandFormat)
        -> UnsafeMutablePointer<CVips.VipsImage>?
    {
        vips_image_new_from_memory_copy(bytes.baseAddress, bytes.count, Int32(width), Int32(height), Int32(bands), format)
    }

    private static func copy(_ raw: UnsafeMutablePointer<CVips.VipsImage>?) throws(VipsError) -> VipsImage {
        guard let raw else { throw VipsError.take("memory") }
        return VipsImage(adopting: raw)
    }

    /// The offset that the last operation noted. After a cut its input begins here, and a text begins here in its layout.
    var offset: (x: Int, y: Int) { (Int(vips_image_get_xoffset(raw)), Int(vips_image_get_yoffset(raw))) }
}

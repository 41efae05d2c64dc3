import CVips

/// One call of a libvips operation, by its name, through GObject's properties, as libvips recommends to bindings.
///
/// Make it, `set` its arguments, then end it with `image()` or `bytes()`. Names and types of arguments are those of
/// libvips. An unknown argument is only a warning there, so `has` tells whether this version knows it.
package struct VipsOperation: ~Copyable {
    private let name: String
    private var raw: UnsafeMutablePointer<CVips.VipsOperation>

    /// - Throws: `VipsError` if this libvips has no such operation, or has blocked it.
    package init(_ name: String) throws(VipsError) {
        guard let raw = vips_operation_new(name) else { throw VipsError.take(name) }
        self.name = name
        self.raw = raw
    }

    deinit { tintype_vips_end(raw) }

    /// Whether this version of libvips knows the argument.
    package borrowing func has(_ argument: String) -> Bool { tintype_vips_has(raw, argument) != 0 }

    /// Returns the operation after a change.
    private consuming func after(_ change: (UnsafeMutablePointer<CVips.VipsOperation>) -> Void) -> VipsOperation {
        change(raw)
        return self
    }

    package consuming func set(_ argument: String, _ value: Int) -> VipsOperation { after { tintype_vips_set_int($0, argument, Int32(clamping: value)) } }
    package consuming func set(_ argument: String, _ value: Double) -> VipsOperation { after { tintype_vips_set_double($0, argument, value) } }
    package consuming func set(_ argument: String, _ value: Bool) -> VipsOperation { after { tintype_vips_set_bool($0, argument, value ? 1 : 0) } }
    package consuming func set(_ argument: String, _ value: String) -> VipsOperation { after { tintype_vips_set_string($0, argument, value) } }
    package consuming func set(_ argument: String, _ value: VipsImage) -> VipsOperation { after { tintype_vips_set_image($0, argument, value.raw) } }
    package consuming func set(_ argument: String, _ values: [Double]) -> VipsOperation {
        tintype_vips_set_doubles(raw, argument, values, Int32(values.count))
        return self
    }
    package consuming func set(_ argument: String, _ values: [Int]) -> VipsOperation {
        tintype_vips_set_ints(raw, argument, values.map { Int32(clamping: $0) }, Int32(values.count))
        return self
    }
    /// Sets the interpolation between pixels: `nearest`, `bilinear`, `bicubic`.
    package consuming func set(interpolate name: String) -> VipsOperation { after { tintype_vips_set_interpolate($0, name) } }
    package consuming func set(_ argument: String, _ images: [VipsImage]) -> VipsOperation {
        var pointers: [UnsafeMutablePointer<CVips.VipsImage>?] = images.map(\.raw)
        tintype_vips_set_images(raw, argument, &pointers, Int32(pointers.count))
        return self
    }
    /// Sets bytes to read from. They are not copied, so they must outlive every image made from them.
    package consuming func set(_ argument: String, _ bytes: UnsafeRawBufferPointer) -> VipsOperation {
        tintype_vips_set_buffer(raw, argument, bytes.baseAddress, bytes.count)
        return self
    }

    /// Sets bytes to read from, which stay as long as every image made from them.
    package consuming func set(_ argument: String, _ bytes: VipsBytes) -> VipsOperation { after { tintype_vips_set_area($0, argument, bytes.area) } }

    /// Runs the operation and keeps its outputs, and everything that they hold open.
    /// - Throws: `VipsError` with libvips' text.
    package mutating func run() throws(VipsError) {
        // Decoders leave remarks even when they succeed. Those are not about this call.
        vips_error_clear()
        var built: UnsafeMutablePointer<CVips.VipsOperation>? = raw
        let status = vips_cache_operation_buildp(&built)
        if let built { raw = built }
        guard status == 0 else { throw VipsError.take(name) }
    }

    /// Runs the operation and returns its image, which may still be a pipeline.
    /// - Throws: `VipsError` with libvips' text.
    package consuming func image(_ output: String = "out") throws(VipsError) -> VipsImage {
        try run()
        guard let image = tintype_vips_get_image(raw, output) else { throw VipsError.take(name) }
        return VipsImage(adopting: image)
    }

    /// Runs the operation once and returns several of its images, in the order of their names.
    consuming func images(_ outputs: [String]) throws(VipsError) -> [VipsImage] {
        try run()
        var images: [VipsImage] = []
        for output in outputs {
            guard let image = tintype_vips_get_image(raw, output) else { throw VipsError.take(name) }
            images.append(VipsImage(adopting: image))
        }
        return images
    }

    /// Runs the operation and returns the bytes that a saver wrote.
    /// - Throws: `VipsError` with libvips' text.
    package consuming func bytes(_ output: String = "buffer") throws(VipsError) -> VipsBytes {
        try run()
        guard let area = tintype_vips_get_area(raw, output) else { throw VipsError.take(name) }
        return VipsBytes(adopting: area)
    }

    /// Runs the operation and returns an array of its outputs.
    consuming func numbers(_ output: String) throws(VipsError) -> [Double] {
        try run()
        var count: Int32 = 0
        guard let array = tintype_vips_get_doubles(raw, output, &count) else { throw VipsError.take(name) }
        defer { g_free(array) }
        return Array(UnsafeBufferPointer(start: array, count: Int(count)))
    }

    /// Runs the operation and returns whole numbers, in the order of their names.
    consuming func ints(_ outputs: [String]) throws(VipsError) -> [Int] {
        try run()
        let raw = raw
        return outputs.map { Int(tintype_vips_get_int(raw, $0)) }
    }

    /// Whether this libvips has an operation of this name and does not block it.
    package static func exists(_ name: String) -> Bool {
        guard let raw = vips_operation_new(name) else {
            vips_error_clear()
            return false
        }
        tintype_vips_end(raw)
        return true
    }
}

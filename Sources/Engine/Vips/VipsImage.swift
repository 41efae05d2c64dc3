import CVips

/// One reference to a libvips image. Usually the image is a pipeline that computes pixels when something asks for them.
///
/// Belongs to the thread that works on the picture; it never crosses an `await`.
package final class VipsImage {
    let raw: UnsafeMutablePointer<CVips.VipsImage>

    /// Adopts one reference.
    init(adopting raw: UnsafeMutablePointer<CVips.VipsImage>) { self.raw = raw }

    deinit { g_object_unref(raw) }

    package var width: Int { Int(vips_image_get_width(raw)) }
    /// The height of all frames together if they lie below each other.
    package var height: Int { Int(vips_image_get_height(raw)) }
    package var bands: Int { Int(vips_image_get_bands(raw)) }
    package var hasAlpha: Bool { vips_image_hasalpha(raw) != 0 }
    package var format: VipsBandFormat { VipsBandFormat(rawValue: vips_image_get_format(raw).rawValue) ?? .other }
    package var colors: VipsColors { VipsColors(rawValue: vips_image_get_interpretation(raw).rawValue) ?? .other }
    /// Whether the pixels are packed Lab, as in TIFF, and not numbers of bands yet.
    package var isPackedLab: Bool { vips_image_get_coding(raw) == VIPS_CODING_LABQ }
    /// The number of frames or pages in the whole file, loaded or not.
    package var pages: Int { max(1, Int(vips_image_get_n_pages(raw))) }
    /// The height of one loaded frame.
    package var pageHeight: Int { max(1, Int(vips_image_get_page_height(raw))) }
    /// EXIF orientation, 1…8.
    package var orientation: Int { Int(vips_image_get_orientation(raw)) }
    var pixelsPerMillimeter: (across: Double, down: Double) { (vips_image_get_xres(raw), vips_image_get_yres(raw)) }
    /// The unit of the pixel density: `in` or `cm`; nil if the source has none, which libvips reports as one pixel per millimeter.
    var densityUnit: String? { text("resolution-unit").flatMap { $0 == "none" ? nil : $0 } }
    /// The pixels per meter, as savers write them; nil if the source has no density.
    var density: (across: Int, down: Int)? {
        guard densityUnit != nil else { return nil }
        func meter(_ millimeter: Double) -> Int { Int(min(max(millimeter * 1000, 0), Double(Int32.max)).rounded()) }
        let density = pixelsPerMillimeter
        return (meter(density.across), meter(density.down))
    }
    /// Whether the pixels are still read from a source, row after row.
    package var isStreamed: Bool { has("vips-sequential") }
    /// The bytes of all pixels when computed.
    package var byteCount: Int { width * height * bands * format.bytes }

    /// The names of all header fields.
    package var fields: [String] {
        guard let names = vips_image_get_fields(raw) else { return [] }
        defer { g_strfreev(names) }
        var all: [String] = []
        var at = names
        while let name = at.pointee {
            all.append(String(cString: name))
            at += 1
        }
        return all
    }

    package func has(_ name: String) -> Bool { vips_image_get_typeof(raw, name) != 0 }

    package func int(_ name: String) -> Int? {
        var value: Int32 = 0
        return has(name) && isRead(vips_image_get_int(raw, name, &value)) ? Int(value) : nil
    }

    /// Returns a text of the header.
    package func text(_ name: String) -> String? {
        var pointer: UnsafePointer<CChar>?
        guard has(name), isRead(vips_image_get_string(raw, name, &pointer)), let pointer else { return nil }
        return String(cString: pointer)
    }

    /// Returns a list of whole numbers in the header, such as the `delay` of each frame.
    package func ints(_ name: String) -> [Int]? {
        var pointer: UnsafeMutablePointer<Int32>?
        var count: Int32 = 0
        guard has(name), isRead(vips_image_get_array_int(raw, name, &pointer, &count)), let pointer else { return nil }
        return UnsafeBufferPointer(start: pointer, count: Int(count)).map(Int.init)
    }

    /// Returns a copy of binary metadata, such as `icc-profile-data`.
    package func bytes(_ name: String) -> [UInt8]? {
        var pointer: UnsafeRawPointer?
        var count = 0
        guard has(name), isRead(vips_image_get_blob(raw, name, &pointer, &count)), let pointer else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: pointer, count: count))
    }

    /// Whether a field was read; if not, its type is another one, and the error is dropped.
    private func isRead(_ status: Int32) -> Bool {
        if status != 0 { vips_error_clear() }
        return status == 0
    }

    /// Returns the same pixels with a separate header, changed by `change`.
    /// - Throws: `VipsError` if libvips cannot copy the header.
    package func withHeader(_ change: (VipsHeader) -> Void) throws(VipsError) -> VipsImage {
        let copy = try VipsOperation("copy").set("in", self).image()
        change(VipsHeader(copy))
        return copy
    }

    /// Computes every pixel now, into memory. They can then be read in any order.
    /// - Throws: `VipsError` if a step of the pipeline fails, or if `watcher` stopped it.
    package func computed(watcher: VipsWatcher? = nil) throws(VipsError) -> VipsImage {
        // The signal belongs to the computed image, so a copy of the pipeline gets its own.
        let target = watcher == nil ? self : try VipsOperation("copy").set("in", self).image()
        if let watcher { target.watch(watcher) }
        guard let memory = vips_image_copy_memory(target.raw) else { throw VipsError.take("compute") }
        return VipsImage(adopting: memory)
    }

    /// Calls `watcher` while this image's pixels are computed.
    func watch(_ watcher: VipsWatcher) {
        tintype_vips_on_eval(
            raw,
            { image, progress, context in
                guard let image, let progress, let context else { return }
                let watcher = Unmanaged<VipsWatcher>.fromOpaque(context).takeUnretainedValue()
                if !watcher.goOn(Double(progress.pointee.percent) / 100) { vips_image_set_kill(image, 1) }
            }, Unmanaged.passRetained(watcher).toOpaque(),
            { context, _ in if let context { Unmanaged<VipsWatcher>.fromOpaque(context).release() } })
    }

    /// Returns the value of every band at a point. For tests and single pixels, not for loops over pictures.
    package func pixel(_ x: Int, _ y: Int) throws(VipsError) -> [Double] {
        try VipsOperation("getpoint").set("in", self).set("x", x).set("y", y).numbers("out-array")
    }
}

/// A callback during the computation of pixels. libvips calls it often and on any thread, so it must be quick.
package final class VipsWatcher {
    let goOn: (_ fraction: Double) -> Bool
    /// - Parameter goOn: called with the progress, 0…1; false stops the computation with an error.
    package init(_ goOn: @escaping (_ fraction: Double) -> Bool) { self.goOn = goOn }
}

/// The header of an image that nobody else holds yet.
package struct VipsHeader {
    private let image: VipsImage
    fileprivate init(_ image: VipsImage) { self.image = image }

    package func set(_ name: String, _ value: Int) { vips_image_set_int(image.raw, name, Int32(clamping: value)) }
    package func set(_ name: String, _ values: [Int]) {
        let numbers = values.map { Int32(clamping: $0) }
        vips_image_set_array_int(image.raw, name, numbers, Int32(numbers.count))
    }
    package func set(_ name: String, _ text: String) { vips_image_set_string(image.raw, name, text) }
    package func set(_ name: String, _ bytes: [UInt8]) { vips_image_set_blob_copy(image.raw, name, bytes, bytes.count) }
    package func remove(_ name: String) { vips_image_remove(image.raw, name) }

    package func text(_ name: String) -> String? { image.text(name) }
    package func bytes(_ name: String) -> [UInt8]? { image.bytes(name) }

    /// Removes every field whose name `isUnwanted` selects.
    package func removeAll(where isUnwanted: (String) -> Bool) {
        for name in image.fields where isUnwanted(name) { vips_image_remove(image.raw, name) }
    }
}

/// The storage format of a band's value; raw values are libvips' own.
package enum VipsBandFormat: Int32 {
    case uint8 = 0, int8, uint16, int16, uint32, int32, float, complex, double, doubleComplex
    case other = -1
    /// The number for white, if nothing else is said. Fractions go from 0 to 1.
    var white: Double {
        switch self {
        case .uint8, .other: 255
        case .int8: 127
        case .uint16: 65535
        case .int16: 32767
        case .uint32: 4_294_967_295
        case .int32: 2_147_483_647
        case .float, .double, .complex, .doubleComplex: 1
        }
    }
    package var bytes: Int {
        switch self {
        case .uint8, .int8, .other: 1
        case .uint16, .int16: 2
        case .uint32, .int32, .float: 4
        case .complex, .double: 8
        case .doubleComplex: 16
        }
    }
}

/// The meaning of the bands; raw values are libvips' own.
package enum VipsColors: Int32 {
    case multiband = 0
    case gray = 1
    case xyz = 12
    case lab = 13
    case cmyk = 15
    case rgb = 17
    case labs = 21
    case sRGB = 22
    case rgb16 = 25
    case gray16 = 26
    case scRGB = 28
    case hsv = 29
    case other = 9999
}

import Bitmaps
import ImageHeads
import TintypeImages

extension PictureLoader {
    /// The pictures of an icon, which are read whole. So only the shown one is read for the header.
    var icon: IconHeader? { IconHeader(ByteReader(bytes: source), format) }

    /// Reads a format of `Bitmaps` into memory.
    func bitmap(_ plan: LoadPlan) throws(PictureFailure) -> VipsImage {
        do throws(VipsError) {
            if format == .xbm { return try text(plan) }
            return try fitting(format == .bmp ? bitmap(failOn: plan.failOn) : icon(plan))
        } catch { throw damage(error) }
    }

    /// Returns a picture of the header's size, without the pixels. The header does not tell whether all pixels are there.
    func blank() throws(PictureFailure) -> VipsImage {
        guard let header = ImageHeader.read(source, as: format) else { throw PictureFailure(.badImageData, .decode, "the header of the bitmap is broken") }
        let bands = format == .xbm ? 1 : header.hasAlpha == true ? 4 : 3
        do throws(VipsError) { return try Self.solid(header.width, header.height, bands) } catch {
            throw PictureFailure(.badImageData, .decode, error.description)
        }
    }

    private func bitmap(failOn: Int) throws(VipsError) -> VipsImage {
        let reader = ByteReader(bytes: source)
        guard let header = BMPHeader(reader), header.foreignKind == nil else { throw VipsError(operation: "bmp", text: "the header is broken") }
        let pixels = BMPPixels(reader, header)
        let image = try image(header.width, header.height, pixels.channels, failOn) { pixels.read(into: $0) == header.height }
        guard let profile = header.profile else { return image }
        return try image.withHeader { $0.set(ColorStep.profileField, [UInt8](source[profile])) }
    }

    private func text(_ plan: LoadPlan) throws(VipsError) -> VipsImage {
        guard let text = XBMText(source) else { throw VipsError(operation: "xbm", text: "the header is broken") }
        return try image(text.width, text.height, 1, plan.failOn) { XBMPixels(text).read(into: $0) }
    }

    private func icon(_ plan: LoadPlan) throws(VipsError) -> VipsImage {
        guard let icon, icon.entries.indices.contains(plan.page) else {
            throw VipsError(operation: format.rawValue, text: "there is no picture \(plan.page)")
        }
        let image = try picture(icon.entries[plan.page], failOn: plan.failOn)
        return try image.withHeader { header in
            header.set("n-pages", icon.entries.count)
            if let field = format.codec.primaryPage { header.set(field, icon.primary) }
        }
    }

    private func picture(_ entry: IconHeader.Entry, failOn: Int) throws(VipsError) -> VipsImage {
        let bytes = UnsafeRawBufferPointer(rebasing: source[entry.place])
        if entry.format == .png || entry.format == .jp2 {
            do throws(PictureFailure) {
                if entry.format == .png { try PNGChunkWalk.check(bytes) }
                return try PictureLoader(source: bytes, format: entry.format)
                    .open(LoadPlan(format: entry.format, page: 0, frames: 1, size: PictureSize(entry.width, entry.height), failOn: failOn))
            } catch { throw VipsError(operation: format.rawValue, text: error.message) }
        }
        if entry.format == .icns {
            let pixels = ICNSPixels(ByteReader(bytes: source), entry)
            return try image(entry.width, entry.height, 4, failOn, or: "the channels of a picture are broken") { pixels.read(into: $0) }
        }
        guard let pixels = ICOPixels(ByteReader(bytes: bytes)) else { throw VipsError(operation: "ico", text: "the header of a picture is broken") }
        return try image(pixels.width, pixels.height, 4, failOn, or: "the file ends before a picture's last row") { pixels.read(into: $0) }
    }

    /// Returns a picture that `fill` has filled.
    /// - Parameters:
    ///   - fault: the error, where damage is one, if `fill` says that pixels are missing.
    private func image(
        _ width: Int, _ height: Int, _ bands: Int, _ failOn: Int, or fault: String = "the file ends before its last row",
        _ fill: (UnsafeMutableRawBufferPointer) -> Bool
    ) throws(VipsError) -> VipsImage {
        var isWhole = false
        let image = try Self.solid(width, height, bands).filled { memory in
            isWhole = fill(memory)
            return true
        }
        guard let image else { throw VipsError(operation: "memory", text: "there is no memory for the picture") }
        if !isWhole, failOn > 0 { throw VipsError(operation: format.rawValue, text: fault) }
        return image
    }

    private static func solid(_ width: Int, _ height: Int, _ bands: Int) throws(VipsError) -> VipsImage {
        try VipsRuntime.solid(width: width, height: height, [Double](repeating: 0, count: bands), bands == 1 ? .gray : .sRGB)
    }
}

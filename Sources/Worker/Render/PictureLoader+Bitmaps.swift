import Bitmaps
import ImageHeads
import TintypeImages

extension PictureLoader {
    /// The page for reading the header. The pictures of an icon are read whole, so only the shown one is read.
    var firstPage: Int { format == .ico ? icon?.primary ?? 0 : 0 }

    private var icon: ICOHeader? { ICOHeader(ByteReader(bytes: source)) }

    /// Reads a format of `Bitmaps` into memory.
    func bitmap(_ plan: LoadPlan) throws(PictureFailure) -> VipsImage {
        do throws(VipsError) { return try fitting(format == .ico ? icon(plan) : bitmap(failOn: plan.failOn)) } catch {
            throw damage(error)
        }
    }

    /// Returns a picture of the header's size, without the pixels. The header does not tell whether all pixels are there.
    func blank() throws(PictureFailure) -> VipsImage {
        guard let header = BMPHeader(ByteReader(bytes: source)) else { throw PictureFailure(.badImageData, .decode, "the header of the bitmap is broken") }
        do throws(VipsError) {
            return try VipsRuntime.solid(width: header.width, height: header.height, [Double](repeating: 0, count: header.hasAlpha ? 4 : 3))
        } catch { throw PictureFailure(.badImageData, .decode, error.description) }
    }

    private func bitmap(failOn: Int) throws(VipsError) -> VipsImage {
        let reader = ByteReader(bytes: source)
        guard let header = BMPHeader(reader), header.foreignKind == nil else { throw VipsError(operation: "bmp", text: "the header is broken") }
        let pixels = BMPPixels(reader, header)
        var isWhole = false
        let image = try Self.image(header.width, header.height, bands: pixels.channels) { isWhole = pixels.read(into: $0) == header.height }
        if !isWhole, failOn > 0 { throw VipsError(operation: "bmp", text: "the file ends before its last row") }
        guard let profile = header.profile else { return image }
        return try image.withHeader { $0.set(ColourStep.profileField, [UInt8](source[profile])) }
    }

    private func icon(_ plan: LoadPlan) throws(VipsError) -> VipsImage {
        guard let icon, icon.entries.indices.contains(plan.page) else { throw VipsError(operation: "ico", text: "there is no picture \(plan.page)") }
        let image = try picture(icon.entries[plan.page], failOn: plan.failOn)
        return try image.withHeader { header in
            header.set("n-pages", icon.entries.count)
            if let field = format.codec.primaryPage { header.set(field, icon.primary) }
        }
    }

    private func picture(_ entry: ICOHeader.Entry, failOn: Int) throws(VipsError) -> VipsImage {
        let bytes = UnsafeRawBufferPointer(rebasing: source[entry.place])
        if entry.isPNG {
            do throws(PictureFailure) {
                try PNGChunkWalk.check(bytes)
                return try PictureLoader(source: bytes, format: .png)
                    .open(LoadPlan(format: .png, page: 0, frames: 1, size: PictureSize(entry.width, entry.height), failOn: failOn))
            } catch { throw VipsError(operation: "ico", text: error.message) }
        }
        guard let pixels = ICOPixels(ByteReader(bytes: bytes)) else { throw VipsError(operation: "ico", text: "the header of a picture is broken") }
        var isWhole = false
        let image = try Self.image(pixels.width, pixels.height, bands: 4) { isWhole = pixels.read(into: $0) }
        if !isWhole, failOn > 0 { throw VipsError(operation: "ico", text: "the file ends before a picture's last row") }
        return image
    }

    private static func image(_ width: Int, _ height: Int, bands: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) throws(VipsError) -> VipsImage {
        let image = try VipsRuntime.solid(width: width, height: height, [Double](repeating: 0, count: bands)).filled { memory in
            fill(memory)
            return true
        }
        guard let image else { throw VipsError(operation: "memory", text: "there is no memory for the picture") }
        return image
    }
}

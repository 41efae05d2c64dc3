package import Shared

/// The first look at downloaded bytes: what they are, and whether they claim more than is allowed. Pure; no decoder runs.
package struct ImageGuard: Sendable {
    /// Formats that may be opened; others are recognised and refused.
    package var enabled = Set(ImageFormat.decodable)
    package var limits = ImageLimits()

    package init(limits: ImageLimits = ImageLimits()) { self.limits = limits }

    /// - Returns: the format, for the typed loader.
    /// - Throws: `PictureFailure`: `badImageData` (empty, nothing recognised, broken before its size), `unsupportedFormat`
    ///   (recognised but not enabled), `limitExceeded`.
    package func check(_ bytes: UnsafeRawBufferPointer) throws(PictureFailure) -> ImageFormat {
        guard !bytes.isEmpty else { throw PictureFailure(.badImageData, .decode, "the file is empty") }
        guard bytes.count <= limits.maxBytes else { throw .limit("maxBytes", bytes.count, limits.maxBytes) }
        guard let kind = ImageSniff.of(bytes) else {
            throw PictureFailure(.badImageData, .decode, "the first bytes are those of no image format")
        }
        if case .other(let name) = kind, ["html", "xml"].contains(name) {
            throw PictureFailure(.badImageData, .decode, "the origin sent \(name == "html" ? "a web page" : "an XML text"), not an image")
        }
        guard case .image(let format) = kind, enabled.contains(format) else {
            let name = if case .image(let format) = kind { format.rawValue } else if case .other(let name) = kind { name } else { "" }
            throw PictureFailure(.unsupportedFormat, .decode, "\(name) is not opened here")
        }
        if format == .png { try PNGChunkWalk.check(bytes) }
        if let header = ImageHeader.read(bytes, as: format) {
            if let kind = header.foreignKind { throw PictureFailure(.unsupportedFormat, .decode, "\(kind) \(format.rawValue) is not opened here") }
            try limits.check(header)
        } else if ImageHeader.isReliable(format) {
            throw PictureFailure(.badImageData, .decode, "the \(format.rawValue) ends before it says its size")
        }
        return format
    }

    package func check(_ bytes: [UInt8]) throws(PictureFailure) -> ImageFormat {
        let result: Result<ImageFormat, PictureFailure> = bytes.withUnsafeBytes { raw in
            do throws(PictureFailure) { return .success(try check(raw)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

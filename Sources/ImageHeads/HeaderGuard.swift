package import TintypeImages

/// The header guard: the format of downloaded bytes, and a check that their header does not exceed the limits. Pure; no decoder runs.
package struct HeaderGuard: Sendable {
    /// The formats that may be opened; others are recognized and refused.
    package var enabled = Set(ImageFormat.decodable)
    package var limits = ImageLimits()

    package init(limits: ImageLimits = ImageLimits()) { self.limits = limits }

    /// Returns the guard for a request with these decode options.
    package func serving(_ options: DecodeOptions) -> HeaderGuard {
        var serving = self
        serving.limits.shrinks = options.limitBytes != nil
        return serving
    }

    /// - Returns: the format, for the typed loader.
    /// - Throws: `PictureFailure`: `badImageData` (empty, not recognized, broken before the size), `unsupportedFormat`
    ///   (recognized but not enabled), `limitExceeded`.
    package func check(_ bytes: UnsafeRawBufferPointer) throws(PictureFailure) -> ImageFormat {
        guard !bytes.isEmpty else { throw PictureFailure(.badImageData, .decode, "the file is empty") }
        guard bytes.count <= limits.maxBytes else { throw .limit("maxBytes", bytes.count, limits.maxBytes) }
        guard let kind = ImageSniff.of(bytes) else {
            throw PictureFailure(.badImageData, .decode, "the first bytes match no image format")
        }
        if case .other(let name) = kind, ["html", "xml"].contains(name) {
            throw PictureFailure(.badImageData, .decode, "the origin sent \(name == "html" ? "a web page" : "an XML text"), not an image")
        }
        switch kind {
        case .other(let name): throw Self.unopened(name)
        case .image(let first):
            let header = ImageHeader.read(bytes, as: first)
            let format = header?.format ?? first
            try check(format)
            if format == .png { try PNGChunkWalk.check(bytes) }
            if let header {
                try check(header)
            } else if format.head.isReliable {
                throw PictureFailure(.badImageData, .decode, "the \(format.name) is broken or ends before its size")
            }
            return format
        }
    }

    /// Checks a file of which only the header was read. The outcome is the same as for the whole file.
    /// - Throws: as the other method. A fault in the remainder of the file is not found.
    package func check(_ header: ImageHeader, in beginning: UnsafeRawBufferPointer) throws(PictureFailure) {
        try check(header.format)
        if header.format == .png { try PNGChunkWalk.check(beginning, isWhole: false) }
        try check(header)
    }

    private func check(_ format: ImageFormat) throws(PictureFailure) {
        guard enabled.contains(format) else { throw Self.unopened(format.rawValue) }
    }

    private func check(_ header: ImageHeader) throws(PictureFailure) {
        if let kind = header.foreignKind { throw Self.unopened("\(kind) \(header.format.rawValue)") }
        try limits.check(header)
    }

    private static func unopened(_ name: String) -> PictureFailure {
        let more = name == "gzip" ? ": for an .svgz, unpack it, or have the server send it with Content-Encoding: gzip" : ""
        return PictureFailure(.unsupportedFormat, .decode, "\(name) cannot be opened here" + more)
    }

    package func check(_ bytes: [UInt8]) throws(PictureFailure) -> ImageFormat {
        try bytes.withBytes { raw throws(PictureFailure) in try check(raw) }
    }
}

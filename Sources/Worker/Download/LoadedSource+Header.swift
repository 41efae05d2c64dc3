import ImageHeads
import TintypeCore
import TintypeImages

extension HeaderGuard {
    /// Checks a source of which perhaps only the header was read. The outcome equals that of the whole file.
    func format(of source: LoadedSource) throws(TintypeError) -> ImageFormat {
        guard let header = source.header else { return try format(of: source.bytes) }
        do throws(PictureFailure) {
            try source.bytes.withBytes { raw throws(PictureFailure) in try check(header, in: raw) }
        } catch { throw error.tintypeError }
        return header.format
    }
}

extension Requirement {
    /// Whether the header of a file satisfies the requirement. Facts that only a decoder knows are not checked.
    func isMet(by bytes: [UInt8]) -> Bool { Found(bytes).map { isMet(by: $0) } ?? true }
}

extension Requirement.Found {
    /// Reads the facts from the header of a file; nil if the header cannot be read.
    init?(_ bytes: [UInt8]) {
        guard case .image(let format)? = ImageSniff.of(bytes), let header = bytes.withUnsafeBytes({ ImageHeader.read($0, as: format) }) else { return nil }
        // Some formats state the size of the largest item only, and store the orientation elsewhere. Then no side is longer than the longer one stated.
        let side = max(header.width, header.height)
        let (width, height) = header.format.hasReliableHeader ? (header.width, header.height) : (side, side)
        self.init(format: header.format, width: width, height: height, frames: header.frames, hasAlpha: header.hasAlpha, orientation: header.orientation)
    }

    /// The facts that the decoder has found.
    init(_ info: SourceInfo) {
        self.init(format: info.format, width: info.width, height: info.height, frames: info.frames, hasAlpha: info.hasAlpha, orientation: info.orientation)
    }
}

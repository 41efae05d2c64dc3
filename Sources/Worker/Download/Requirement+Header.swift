import ImageHeads
import TintypeImages

extension Requirement {
    /// Whether nothing that the first look at a file shows speaks against it. What only its decoder knows is left to it.
    func isMet(by bytes: [UInt8]) -> Bool { Found(bytes).map { isMet(by: $0) } ?? true }
}

extension Requirement.Found {
    /// What the header of a file says; nil where it cannot be read.
    init?(_ bytes: [UInt8]) {
        guard case .image(let format)? = ImageSniff.of(bytes), let header = bytes.withUnsafeBytes({ ImageHeader.read($0, as: format) }) else { return nil }
        // Some say the size of the largest thing in the file, and how it is turned elsewhere: then no side is longer than its longer one.
        let side = max(header.width, header.height)
        let (width, height) = ImageHeader.isReliable(format) ? (header.width, header.height) : (side, side)
        self.init(
            format: format, width: width, height: height, frames: header.frames, hasAlpha: header.hasAlpha, orientation: header.orientation)
    }

    /// What its decoder has found.
    init(_ info: SourceInfo) {
        self.init(
            format: info.format, width: info.width, height: info.height, frames: info.frames, hasAlpha: info.hasAlpha, orientation: info.orientation)
    }
}

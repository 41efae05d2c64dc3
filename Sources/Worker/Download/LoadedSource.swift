package import ImageHeads
import TintypeCore
package import TintypeTransport
package import TintypeImages
package import TintypeQueue
import TintypeStores

/// A source as it lies in the worker's memory.
package struct LoadedSource: Sendable {
    package var info: SourceInfo
    package var bytes: [UInt8]
    /// What the server called it.
    package var contentType: String?
    package var timings: TransferTimings
    /// What came before the bytes; nil where no server has sent them.
    package var head: TransferHead?
    /// What its server has answered. Of what was kept the status alone is known.
    var answer: TransferHead? { head ?? info.status.map { TransferHead(status: $0, headers: [], url: info.finalURL, expectedBytes: nil) } }
    /// Whether it was asked for with credentials.
    package var hadCredentials = false
    /// Set when only the header of the picture was wanted, perhaps with its EXIF block, and was found.
    package var header: ImageHeader?
    package var origin = ResultOrigin.Place.remote
    /// Epoch seconds until which it may be used without asking, by what the origin says. A moment and not a span: what is made of it takes its
    /// time, and is fresh no longer for that.
    package var freshUntil = WallClock.now + Freshness.usual
    /// Epoch seconds when it came, or was last found unchanged.
    package var storedAt = WallClock.now
    /// Whether it is not for everybody: by who asked for it, or by what its origin says.
    package var isPrivate = false
    /// What of it was found out by asking for what was kept: nil when nothing was, or nobody asked.
    package var isUnchanged: Bool?
}

/// Collects the bytes of one download; for a probe it looks whether what is wanted is there yet.
@Loop final class SourceCollector {
    private(set) var bytes: [UInt8]
    private(set) var header: ImageHeader?
    private var digest: Digest? = Digest()
    private let extent: Source.Extent
    /// How many bytes there must be before the header is looked for again: each look begins anew.
    private var nextLook = 0

    /// - Parameter start: the beginning that is there already.
    init(_ extent: Source.Extent, start: [UInt8] = []) {
        self.extent = extent
        bytes = start
        if hasDigest { start.withUnsafeBytes { digest?.update($0) } }
    }

    /// A file that says nothing of EXIF in front is read to its end.
    private var hasDigest: Bool { extent != .header }

    /// The beginning counts no more: the whole comes anew.
    func startOver() {
        guard !bytes.isEmpty else { return }
        bytes = []
        digest = Digest()
    }

    /// Room for what is expected, as far as a server is believed before it has sent anything.
    func expect(_ count: Int64?) { bytes.reserveCapacity(max(bytes.count, Int(min(count ?? 0, 4 << 20)))) }

    /// - Returns: false when enough is known.
    func append(_ part: UnsafeRawBufferPointer) -> Bool {
        bytes.append(contentsOf: part)
        if hasDigest { digest?.update(part) }
        guard extent != .whole, bytes.count >= nextLook else { return true }
        nextLook = bytes.count * 2
        if case .image(let format)? = ImageSniff.of(bytes), !mayHoldFrames(format) {
            header = bytes.withUnsafeBytes { bytes in
                guard let found = ImageHeader.read(bytes, as: format), found.isComplete else { return nil }
                return extent == .header || EXIFPlace(bytes, format) != nil ? found : nil
            }
        }
        return header == nil
    }

    /// Whether frames are counted all along the file, so that the probe has to read all of it.
    private func mayHoldFrames(_ format: ImageFormat) -> Bool {
        switch format {
        case .gif: true
        // The extended form of WebP has a flag for animation.
        case .webp: bytes.count < 21 || bytes[12..<16].elementsEqual("VP8X".utf8) && bytes[20] & 2 != 0
        case .png: bytes.withUnsafeBytes { PNGHeader.mayMove(ByteReader(bytes: $0)) }
        case .jpeg, .avif, .tiff, .heif, .jxl, .svg, .pdf, .bmp, .ico, .jp2, .psd: false
        }
    }

    /// The SHA-256 of everything, in hexadecimal; nil for a probe, which has not seen everything. Once.
    func sha256() -> String? {
        guard hasDigest, header == nil, let digest = digest.take() else { return nil }
        return Digest.hex(digest.finish())
    }
}

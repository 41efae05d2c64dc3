package import ImageHeads
import TintypeCore
package import TintypeTransport
package import TintypeImages
package import TintypeQueue
import TintypeStores

/// A source in the worker's memory.
package struct LoadedSource: Sendable {
    package var info: SourceInfo
    package var bytes: [UInt8]
    /// The `Content-Type` of the server.
    package var contentType: String?
    package var timings: TransferTimings
    /// The head of the response; nil if no server has sent the bytes.
    package var head: TransferHead?
    /// The server's answer. For a cached source only the status is known.
    var answer: TransferHead? { head ?? info.status.map { TransferHead(status: $0, headers: [], url: info.finalURL, expectedBytes: nil) } }
    /// Whether the request had credentials.
    package var hadCredentials = false
    /// The header of the picture, perhaps with its EXIF block. Set if only that was wanted, and was found.
    package var header: ImageHeader?
    package var origin = ResultOrigin.Place.remote
    /// Epoch seconds until which the origin allows use without asking. A point in time and not a span: processing takes time, and the results
    /// are not fresh for longer because of that.
    package var freshUntil = WallClock.now + Freshness.usual
    /// Epoch seconds when the source came, or was last found unchanged.
    package var storedAt = WallClock.now
    /// The limits for caches in front of this service, by the request and by the origin.
    package var limits = CacheLimits()
    /// Whether the kept source was found unchanged. nil if none was kept or the origin was not asked.
    package var isUnchanged: Bool?
}

/// Collects the bytes of one download. For a probe it also checks whether the wanted part is already there.
@Loop final class SourceCollector {
    private(set) var bytes: [UInt8]
    private(set) var header: ImageHeader?
    private var digest: Digest? = Digest()
    private let extent: Source.Extent
    /// The bytes that must be there before the next look for the header. Each look starts from the beginning.
    private var nextLook = 0

    /// - Parameter start: a kept beginning.
    init(_ extent: Source.Extent, start: [UInt8] = []) {
        self.extent = extent
        bytes = start
        if hasDigest { start.withUnsafeBytes { digest?.update($0) } }
    }

    /// Whether the bytes are hashed. For EXIF they are, because a file without EXIF in front is read to its end.
    private var hasDigest: Bool { extent != .header }

    /// Drops the kept beginning, because the whole body comes again.
    func startOver() {
        guard !bytes.isEmpty else { return }
        bytes = []
        digest = Digest()
    }

    /// Reserves room for the expected bytes, at most 4 MiB: a server is not trusted before it has sent anything.
    func expect(_ count: Int64?) { bytes.reserveCapacity(max(bytes.count, Int(min(count ?? 0, 4 << 20)))) }

    /// - Returns: false once enough is known.
    func append(_ part: UnsafeRawBufferPointer) -> Bool {
        bytes.append(contentsOf: part)
        if hasDigest { digest?.update(part) }
        guard extent != .whole, bytes.count >= nextLook else { return true }
        nextLook = bytes.count * 2
        if case .image(let format)? = ImageSniff.of(bytes) {
            header = bytes.withUnsafeBytes { bytes in
                guard !format.mayHoldFrames(ByteReader(bytes: bytes)), let found = ImageHeader.read(bytes, as: format), found.isComplete else { return nil }
                return extent == .header || EXIFLocator(bytes, format) != nil ? found : nil
            }
        }
        return header == nil
    }

    /// Returns the SHA-256 of all bytes, in hexadecimal; nil for a probe that has not seen all bytes. Call once.
    func sha256() -> String? {
        guard hasDigest, header == nil, let digest = digest.take() else { return nil }
        return Digest.hex(digest.finish())
    }
}

import PNG
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeStores
import TintypeQueue

/// Finds the fallback for an image that could not be loaded (`Fallback`).
@Loop
final class FallbackProvider {
    private let memory: MemoryTier
    private let store: any ResultStore
    private let packers: BlockingPool
    private let actions: any ReceiptActions
    private let tracer: (any Tracer)?

    /// - Parameter packers: The threads that encode plain pictures. A large one takes as much time as a hundred answers of the loop.
    init(memory: MemoryTier, store: any ResultStore, packers: BlockingPool, actions: any ReceiptActions, tracer: (any Tracer)?) {
        (self.actions, self.tracer) = (actions, tracer)
        self.memory = memory
        self.store = store
        self.packers = packers
    }

    /// Seconds for which a plain picture is kept for its URL.
    nonisolated private static let kept = 3600.0
    nonisolated private static let from = ResultOrigin.Place.fallback.rawValue

    /// Returns whether a failure gets a fallback. Canceled requests and invalid requests get none. Neither do requests beyond a limit of their own client,
    /// because the work of a fallback does not count.
    nonisolated static func isCalledFor(_ outcome: Outcome) -> Bool {
        guard outcome.state == .failed, let error = outcome.error, error.ownLimitSeconds == nil else { return false }
        return ![.invalidURL, .invalidParams, .cancelled, .superseded, .unauthenticated].contains(error.name)
    }

    /// Returns the outcome with the fallback as its result and the failure in it; nil if no fallback is available.
    /// - Parameter trace: The place of the failed receipt in a trace.
    func find(_ fallback: Fallback, for failed: Outcome, receipt: String?, trace: TraceContext?) async -> Outcome? {
        guard let error = failed.error else { return nil }
        let span = tracer?.begin("fallback", .internal, for: trace)
        let place = span?.context ?? trace
        let found = await TraceContext.$current.withValue(place) { await result(fallback, place) }
        if var span {
            span["tintype.fallback"] = .string(Self.name(fallback))
            span["tintype.receipt"] = receipt.map { .string($0) }
            tracer?.end(span, failure: found == nil ? "there is no fallback" : nil)
        }
        guard var result = found else { return nil }
        (result.receipt, result.from, result.error) = (receipt, Self.from, error.json)
        return failed.replaced(by: result)
    }

    /// Returns the kind of a fallback, for spans.
    private static func name(_ fallback: Fallback) -> String {
        switch fallback {
        case .request: "request"
        case .key: "key"
        case .color: "color"
        }
    }

    private func result(_ fallback: Fallback, _ trace: TraceContext?) async -> ImageResult? {
        switch fallback {
        case .request(let request): return await actions.loadFallback(request, trace).result
        case .key(let key, let names):
            guard let image = await image(key) else { return nil }
            return Self.result(image, names)
        case .color(let color, let width, let height, let names):
            let key = Digest.sha256Hex("plain \(color.canonical) \(width)x\(height)".utf8, digits: 40)
            if let image = await image(key) { return Self.result(image, names) }
            guard let image = try? await packers.run({ Self.plain(color, width, height, key) }) else { return nil }
            // Without the stored picture its URL does not work, but the result is still valid.
            try? await store.put(image)
            memory.remember(image)
            return Self.result(image, names)
        }
    }

    private func image(_ key: String) async -> StoredImage? {
        if let image = memory.entry(key)?.image { return image }
        return try? await store.get(key)
    }

    nonisolated private static func plain(_ color: Color, _ width: Int, _ height: Int, _ key: String) -> StoredImage {
        let bytes = PlainPicture.png(color, width: width, height: height)
        var info = RenditionInfo(
            key: key, contentType: ImageFormat.png.contentType, bytes: bytes.count, sha256: Digest.sha256Hex(bytes), stored: [.results], isApplied: false)
        (info.format, info.width, info.height, info.frames, info.expiresAt) = (.png, width, height, 1, WallClock.now + kept)
        var source = SourceInfo(url: "", finalURL: "", status: nil, bytes: bytes.count)
        (source.format, source.width, source.height) = (.png, width, height)
        return StoredImage(
            key: key, contentType: info.contentType, info: info.json, source: source.json, bytes: bytes, storedAt: WallClock.now,
            expiresAt: WallClock.now + kept)
    }

    /// Returns an ImageResult with one finished image under each of these names.
    private static func result(_ image: StoredImage, _ names: [String]) -> ImageResult {
        let renditions = names.map { ImageResult.Rendition((["name": .string($0)] as JSONObject).merging(image.rendition.object)) }
        return ImageResult(renditions, source: image.source, from: from)
    }
}

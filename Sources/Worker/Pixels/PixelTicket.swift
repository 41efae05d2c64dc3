import TintypeCore
import TintypeTransport

/// One job on its way through the pool: waiting, in a process, perhaps in a second one. Lives on the loop.
@Loop
final class PixelTicket {
    let id: Int
    let job: PixelJob
    let done = OneShot<PixelHarvest>()
    private let onProgress: @Loop (PixelProgress) -> Void
    /// How many processes took it.
    private(set) var attempts = 0
    /// Whether its last process died over it.
    var hasCrashed = false
    /// Whether a process died over it by itself, rather than by somebody's SIGKILL.
    var hasBeenFatal = false
    private var firstTaken: ContinuousClock.Instant?

    init(id: Int, job: PixelJob, onProgress: @escaping @Loop (PixelProgress) -> Void) {
        (self.id, self.job, self.onProgress) = (id, job, onProgress)
    }

    /// Counts an attempt and says how long it may take: what is left of the deadline, but never nothing.
    func take() -> Duration {
        attempts += 1
        let now = ContinuousClock.now
        let first = firstTaken ?? now
        firstTaken = first
        return max(.milliseconds(500), job.deadline - (now - first))
    }

    /// Takes in a message of the process that works on it.
    /// - Parameter output: what the process was lent for a result.
    /// - Returns: whether it was the last one.
    func heard(_ message: JSON, _ output: OutputMemory?) -> Bool {
        if let progress = PixelWire.progress(message) {
            onProgress(progress)
            return false
        }
        guard let timings = message["done"] else { return false }
        if let failed = message["failed"] {
            done.complete(.failure(PixelWire.failure(failed)))
        } else if let source = message["source"].flatMap({ PixelWire.source($0) }) {
            done.complete(
                .success(
                    PixelHarvest(
                        source: source, picture: message["picture"] == nil ? nil : output, facts: message["picture"],
                        description: PixelWire.description(message["description"]),
                        hasSharedPixels: message["shared"]?.bool ?? false, timings: PixelWire.timings(timings))))
        } else {
            done.complete(.failure(TintypeError(.internalError, .decode, "the pixel process said nothing of the source")))
        }
        return true
    }

    func fail(_ error: TintypeError) { done.complete(.failure(error)) }
}

/// What a process handed back, the picture still in the memory that it was lent.
struct PixelHarvest: Sendable {
    let source: PixelSource
    let picture: OutputMemory?
    /// What it says of the picture.
    let facts: JSON?
    let description: JSONObject?
    let hasSharedPixels: Bool
    let timings: PixelTimings
}

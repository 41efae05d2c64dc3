import TintypeCore
import TintypeTransport

/// One job on its way through the pool: waiting, in a process, perhaps in a second one. Lives on the loop.
@Loop
final class PixelRequest {
    let id: Int
    let job: PixelJob
    let done = OneShot<PixelResponse>()
    private let onProgress: @Loop (PixelProgress) -> Void
    /// The number of processes that took the job.
    private(set) var attempts = 0
    /// Whether the last process died of the job.
    var hasCrashed = false
    /// Whether a process died of the job by itself, not by somebody's SIGKILL.
    var hasBeenFatal = false
    private var firstTaken: ContinuousClock.Instant?

    init(id: Int, job: PixelJob, onProgress: @escaping @Loop (PixelProgress) -> Void) {
        (self.id, self.job, self.onProgress) = (id, job, onProgress)
    }

    /// Counts an attempt and returns its time: the remainder of the deadline, but at least 500 ms.
    func take() -> Duration {
        attempts += 1
        let now = ContinuousClock.now
        let first = firstTaken ?? now
        firstTaken = first
        return max(.milliseconds(500), job.deadline - (now - first))
    }

    /// Handles a message of the process that works on the job.
    /// - Parameter output: the memory that the process borrowed for a result. A short result is copied at once, because the next picture overwrites it.
    /// - Returns: whether it was the last message.
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
                    PixelResponse(
                        result: PixelResult(
                            source: source, description: PixelWire.description(message["description"]), timings: PixelWire.timings(timings),
                            hasSharedPixels: message["shared"]?.bool ?? false),
                        picture: message["picture"].flatMap { Self.picture($0, output) }, facts: message["picture"])))
        } else {
            done.complete(.failure(TintypeError(.internalError, .decode, "the pixel process returned no facts about the source")))
        }
        return true
    }

    private static func picture(_ facts: JSON, _ output: OutputMemory?) -> PixelResponse.Picture? {
        guard let output else { return nil }
        let count = PixelWire.length(facts)
        return count < PixelPool.large ? (try? output.copied(count)).map { .bytes($0) } : .memory(output, count)
    }

    func fail(_ error: TintypeError) { done.complete(.failure(error)) }
}

/// The answer of a process.
struct PixelResponse: Sendable {
    enum Picture: Sendable {
        case bytes([UInt8])
        /// A long picture is still in the borrowed memory, which the process does not get again.
        case memory(OutputMemory, Int)
    }

    /// The result without its picture.
    let result: PixelResult
    let picture: Picture?
    /// The process's facts about the picture.
    let facts: JSON?
}

import Shared

/// One job on its way through the pool: waiting, in a process, perhaps in a second one. Lives on the loop.
@Loop
final class PixelTicket {
    let id: Int
    let job: PixelJob
    let memory: SealedMemory
    let done = OneShot<PixelHarvest>()
    private let onProgress: @Loop (PixelProgress) -> Void
    /// How many processes took it.
    private(set) var attempts = 0
    private var firstTaken: ContinuousClock.Instant?
    private var harvest = PixelHarvest()

    init(id: Int, job: PixelJob, memory: SealedMemory, onProgress: @escaping @Loop (PixelProgress) -> Void) {
        (self.id, self.job, self.memory, self.onProgress) = (id, job, memory, onProgress)
    }

    /// Counts an attempt and says how long it may take: what is left of the deadline, but never nothing.
    func take() -> Duration {
        attempts += 1
        let now = ContinuousClock.now
        let first = firstTaken ?? now
        firstTaken = first
        harvest = PixelHarvest()
        return max(.milliseconds(500), job.deadline - (now - first))
    }

    /// Takes in a message of the process that works on it.
    /// - Returns: whether it was the last one.
    func heard(_ message: JSON, _ memory: SealedMemory?) -> Bool {
        if let phase = message["progress"]?.string.flatMap({ Phase(rawValue: $0) }) {
            onProgress(PixelProgress(phase: phase, fraction: message["fraction"]?.double))
        } else if let source = message["source"] {
            harvest.source = PixelWire.source(source)
        } else if let index = message["rendition"]?.int {
            if let error = message["error"] {
                harvest.outputs[index] = .failure(TintypeError(json: error))
            } else if let memory, let format = message["format"]?.string.flatMap({ ImageFormat(rawValue: $0) }) {
                harvest.outputs[index] = .success(
                    PixelHarvest.Output(
                        memory: memory, format: format, width: message["width"]?.int ?? 0, height: message["height"]?.int ?? 0,
                        frames: message["frames"]?.int ?? 1))
            }
        } else if let timings = message["done"] {
            harvest.timings = PixelWire.timings(timings)
            if let failed = message["failed"] {
                done.complete(.failure(TintypeError(json: failed)))
            } else {
                done.complete(.success(harvest))
            }
            return true
        }
        return false
    }

    func fail(_ error: TintypeError) { done.complete(.failure(error)) }
}

/// What a process handed back, its pictures still in sealed memory.
struct PixelHarvest: Sendable {
    struct Output: Sendable {
        var memory: SealedMemory
        var format: ImageFormat
        var width: Int
        var height: Int
        var frames: Int
    }
    var source: PixelSource?
    /// By the rendition's index.
    var outputs: [Int: Result<Output, TintypeError>] = [:]
    var timings = PixelTimings()
}

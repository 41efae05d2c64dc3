import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores

/// Previews one source while it arrives. An idle pixel process gets the received bytes, and the receipts that asked get a `preview` event. One preview
/// at a time; previews without room are dropped. A fetch has a previewer only if a receipt wants previews. Lives on the loop.
@Loop final class Previewer {
    private let options: PreviewOptions
    private let lease: RunLease
    private let queue: Queue
    private let pixels: PixelPool
    private let results: SpilledResults
    private let limits: ImageLimits
    private let scope: TaskScope
    private let metrics: Metrics
    private var pace: PreviewPace
    private var making: Task<Void, Never>?
    /// The next look at what has arrived: a source that stalls reports no new bytes.
    private var nextLook: LoopTimer?
    /// Offers what has arrived of the source to `grew`.
    private let look: @Loop (Previewer) -> Void
    /// The scope whose source it is; nil: of none.
    var owner: String?
    private var isOver = false

    /// The longest time for one preview.
    private static let deadline = Duration.seconds(2)
    private static let quality = 70

    init(
        _ options: PreviewOptions, of lease: RunLease, queue: Queue, pixels: PixelPool, results: SpilledResults, limits: ImageLimits, scope: TaskScope,
        metrics: Metrics, look: @escaping @Loop (Previewer) -> Void
    ) {
        self.look = look
        (self.options, self.lease, self.queue, self.pixels, self.results) = (options, lease, queue, pixels, results)
        (self.limits, self.scope, self.metrics) = (limits, scope, metrics)
        pace = PreviewPace(options)
    }

    /// Marks that the source begins to arrive, perhaps again from another address.
    func begin() { pace.startOver() }

    /// Marks that more of the source is there.
    /// - Parameter expected: the length of the whole source, if known.
    func grew(_ bytes: [UInt8], expected: Int64?) {
        guard making == nil, !isOver else { return }
        let now = ContinuousClock.now
        guard let due = bytes.withUnsafeBytes({ pace.due($0, expected: expected, at: now) }) else { return }
        // The bytes are copied at once. A second reference to them would make the download copy them.
        guard pixels.hasRoomForPreview,
            let memory = try? bytes.withUnsafeBytes({ try JobSource(SealedMemory(UnsafeRawBufferPointer(rebasing: $0[..<due.bytes])), scope: owner) })
        else { return drop() }
        making = scope.run("preview \(lease.fetch)") { [self] in
            await show(memory, due)
            making = nil
            lookLater()
        }
    }

    /// Looks at what has arrived, now or when the next preview may be made.
    func lookLater() {
        guard !isOver else { return }
        guard let rest = pace.rest(at: .now) else { return }
        nextLook = LoopTimer(after: rest) { [weak self] in if let self { look(self) } }
    }

    /// Ends previews, because the source is complete or will not come. A preview under way is dropped too.
    func end() {
        isOver = true
        making?.cancel()
        nextLook?.cancel()
    }

    private func drop() {
        pace.dropped(at: .now)
        metrics.add(.previews, labels: "dropped")
        lookLater()
    }

    private func show(_ memory: JobSource, _ due: PreviewPace.Due) async {
        let began = ContinuousClock.now
        do throws(TintypeError) {
            let picture = try await pixels.run(job(memory, due)).output
            guard !isOver, let picture, let key = await results.hold(preview: picture.bytes), !isOver else { return drop() }
            let event = FetchEvent(
                type: .preview,
                body: [
                    "key": .string(key), "width": JSON(picture.width), "height": JSON(picture.height),
                    "fraction": due.fraction.map { JSON(($0 * 1000).rounded() / 1000) } ?? .null,
                ])
            // A failure of Redis is no reason to try again: the next preview shows more.
            _ = try? await queue.progress(lease, [event])
            pace.made(began, at: .now)
            metrics.add(.previews, labels: "sent")
        } catch {
            guard ![.overloaded, .cancelled, .shuttingDown].contains(error.name) else { return drop() }
            pace.failed()
            metrics.add(.previews, labels: "failed")
        }
    }

    private func job(_ memory: JobSource, _ due: PreviewPace.Due) -> PixelJob {
        var rendition = Rendition(
            operations: [AnyOperation(Resize(width: options.width, height: nil))], output: OutputOptions(format: .jpeg, quality: Self.quality))
        (rendition.decode.failOn, rendition.decode.frames, rendition.decode.speed) = (.none, .first, .fast)
        var job = PixelJob(source: memory, rendition: rendition, limits: limits, deadline: Self.deadline)
        (job.isPreview, job.blur) = (true, due.blur)
        return job
    }
}

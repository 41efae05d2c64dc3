import ImageHeads
import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue
import TintypeStores
package import Worker

extension WorkerFeature {
    /// Pictures that clients see while they arrive (`progressive`).
    package static let previews = WorkerFeature { abilities, parts in
        abilities.previews = { Previewer($0, parts) }
    }
}

/// Previews one source while it arrives. An idle pixel process gets the received bytes, and the receipts that asked get a `preview` event. One preview
/// at a time; previews without room are dropped. A fetch has a previewer only if a receipt wants previews. Lives on the loop.
@Loop final class Previewer: DownloadObserver {
    private let download: WatchedDownload
    private let parts: WorkerFeature.Parts
    private var pace: PreviewPace
    private var making: Task<Void, Never>?
    /// The next look at what has arrived: a source that stalls reports no new bytes.
    private var nextLook: LoopTimer?
    private var isOver = false

    /// The longest time for one preview.
    private static let deadline = Duration.seconds(2)
    private static let quality = 70

    init(_ download: WatchedDownload, _ parts: WorkerFeature.Parts) {
        (self.download, self.parts) = (download, parts)
        pace = PreviewPace(download.options)
    }

    func begin() { pace.startOver() }

    func grew(_ bytes: [UInt8], expected: Int64?) {
        guard making == nil, !isOver else { return }
        let now = ContinuousClock.now
        guard let due = bytes.withUnsafeBytes({ pace.due($0, expected: expected, at: now) }) else { return }
        // The bytes are copied at once. A second reference to them would make the download copy them.
        guard parts.pixels.hasRoomForPreview,
            let memory = try? bytes.withUnsafeBytes({ try JobSource(SealedMemory(UnsafeRawBufferPointer(rebasing: $0[..<due.bytes])), scope: download.owner) })
        else { return drop() }
        making = parts.context.scope.run("preview \(download.lease.fetch)") { [self] in
            await show(memory, due)
            making = nil
            lookLater()
        }
    }

    /// Looks at what has arrived, now or when the next preview may be made.
    private func lookLater() {
        guard !isOver, let rest = pace.rest(at: .now) else { return }
        nextLook = LoopTimer(after: rest) { [weak self] in if let self { download.look(self) } }
    }

    func end() {
        isOver = true
        making?.cancel()
        nextLook?.cancel()
    }

    private func drop() {
        pace.dropped(at: .now)
        parts.context.metrics.add(.previews, labels: "dropped")
        lookLater()
    }

    private func show(_ memory: JobSource, _ due: PreviewPace.Due) async {
        let began = ContinuousClock.now
        do throws(TintypeError) {
            let picture = try await parts.pixels.run(job(memory, due)).output
            guard !isOver, let picture, let key = await parts.spilled.hold(preview: picture.bytes), !isOver else { return drop() }
            let event = FetchEvent(
                type: .preview,
                body: [
                    "key": .string(key), "width": JSON(picture.width), "height": JSON(picture.height),
                    "fraction": due.fraction.map { JSON(($0 * 1000).rounded() / 1000) } ?? .null,
                ])
            // A failure of Redis is no reason to try again: the next preview shows more.
            _ = try? await download.queue.progress(download.lease, [event])
            pace.made(began, at: .now)
            parts.context.metrics.add(.previews, labels: "sent")
        } catch {
            guard ![.overloaded, .cancelled, .shuttingDown].contains(error.name) else { return drop() }
            pace.failed()
            parts.context.metrics.add(.previews, labels: "failed")
        }
    }

    private func job(_ memory: JobSource, _ due: PreviewPace.Due) -> PixelJob {
        var rendition = Rendition(
            operations: [AnyOperation(Resize(width: download.options.width, height: nil))], output: OutputOptions(format: .jpeg, quality: Self.quality))
        (rendition.decode.failOn, rendition.decode.frames, rendition.decode.speed) = (.none, .first, .fast)
        var job = PixelJob(source: memory, rendition: rendition, limits: parts.limits, deadline: Self.deadline)
        (job.isPreview, job.blur) = (true, due.blur)
        return job
    }
}

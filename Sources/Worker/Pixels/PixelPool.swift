import Glibc
import ImageHeads
package import TintypeCore
package import TintypeTransport
import TintypeImages

/// The pixel processes of a worker. The pool keeps them warm, gives each one picture at a time, and reports every outcome.
///
/// Pictures wait first in, first out. A picture that hangs is killed with its process at its deadline. A picture whose process dies is tried
/// again in a fresh process. Other pictures are not affected. Lives on the loop.
@Loop
package final class PixelPool {
    private let settings: PixelSettings
    private let logger: Logger
    private let metrics: Metrics
    /// Copies pictures that are so large that they would block the loop.
    private let blocking = BlockingPool(threads: 1, name: "pixels")
    private var processes: [PixelProcess] = []
    private var waiting: [PixelRequest] = []
    private var lastRequestID = 0
    private var isStopped = false
    private var failedStarts = 0
    private var failingSince = ContinuousClock.now
    private var restart: LoopTimer?
    private var stopped: OneShot<Void>?

    /// The number of processes that a picture may crash.
    private static let ownDeaths = 2
    /// The number of SIGKILLs for a picture. No decoder sends this signal itself: it comes from an operator, or from the kernel short of memory.
    private static let outsideDeaths = 4

    /// From this size on bytes are copied on another thread.
    static let large = 1 << 20

    /// Starts the processes. They are warm a moment later.
    package init(settings: PixelSettings, logger: Logger, metrics: Metrics) {
        (self.settings, self.logger, self.metrics) = (settings, logger, metrics)
        fill()
    }

    /// The number of warm processes without a picture.
    package var idle: Int { processes.count(where: \.isIdle) }
    /// The number of processes that work on a picture.
    package var busy: Int { processes.count(where: \.isBusy) }
    /// Whether a process is free for a preview: no picture waits, and another process is idle as well, unless there is only one.
    package var hasRoomForPreview: Bool { waiting.isEmpty && idle > (settings.processes > 1 ? 1 : 0) && !isStopped }
    /// The number of pictures that no process has taken yet.
    package var queued: Int { waiting.count }
    package var processIDs: [Int32] { processes.map(\.identifier) }
    /// The pictures that each process has made.
    var images: [Int32: Int] { Dictionary(uniqueKeysWithValues: processes.map { ($0.identifier, $0.images) }) }
    /// The processor time of all processes, of ended ones too, in seconds. The kernel is asked at each call; the time never falls.
    package var cpuSeconds: Double { (processes + leaving).reduce(endedSeconds) { $0 + $1.lookAtTime() } }
    /// The processor time of ended processes.
    private var endedSeconds = 0.0
    /// The processes' codecs: `{vips, decode: [format], encode: [format]}`; nil until the first process is warm.
    package private(set) var codecs: JSON?

    /// Runs a job in a process.
    /// - Parameter onProgress: called at most ten times a second.
    /// - Throws: `badImageData`, `unsupportedFormat`, `limitExceeded`, `transformFailed`, `encodeFailed`; `timeout` if the picture is too slow (never
    ///   retryable). `cancelled` if the task was canceled, `internal` if no process can be started, `shuttingDown`.
    package func run(_ job: PixelJob, onProgress: @escaping @Loop (PixelProgress) -> Void = { _ in }) async throws(TintypeError)
        -> PixelResult
    {
        guard !isStopped else { throw TintypeError(.shuttingDown, .decode, "this worker is stopping") }
        lastRequestID += 1
        let request = PixelRequest(id: lastRequestID, job: job, onProgress: onProgress)
        if job.isPreview {
            guard hasRoomForPreview, let process = idle(for: job.source) else { throw Self.noRoom }
            process.take(request)
            measure()
        } else {
            waiting.append(request)
            serve()
        }
        do {
            let response = try await request.done.wait()
            let result = try await collect(response, isWanted: job.makesPicture)
            if !job.isPreview { metrics.add(.pixelJobs, labels: "succeeded") }
            if result.hasSharedPixels { metrics.add(.pixelsShared) }
            return result
        } catch let error as TintypeError {
            if !job.isPreview { metrics.add(.pixelJobs, labels: request.hasCrashed ? "crashed" : error.name == .timeout ? "timeout" : "failed") }
            throw error
        } catch {
            withdraw(request)
            throw TintypeError(.cancelled, .decode, "no client waits for this picture any more", details: ["phase": "decode"])
        }
    }

    /// Ends all processes. Waiting and running pictures fail with `shuttingDown`.
    package func stop() async {
        isStopped = true
        restart = nil
        for request in waiting { request.fail(TintypeError(.shuttingDown, .decode, "this worker is stopping")) }
        waiting = []
        for process in processes {
            if case .busy(let request) = process.state { request.fail(TintypeError(.shuttingDown, .decode, "this worker is stopping")) }
            process.isIdle ? process.retire(.stopped) : process.end(.stopped)
        }
        if !processes.isEmpty || !leaving.isEmpty {
            let gone = stopped ?? OneShot<Void>()
            stopped = gone
            try? await gone.wait()
        }
        blocking.stop()
    }

    // MARK: Pictures

    private func serve() {
        while let request = waiting.first, let process = idle(for: request.job.source) {
            waiting.removeFirst()
            process.take(request)
        }
        if let request = waiting.first {
            interruptPreviews()
            makeWay(for: request.job.source)
        }
        measure()
    }

    /// Replaces an idle process that belongs to another scope, so that a new one can make a picture of this source.
    private func makeWay(for source: JobSource) {
        guard settings.keepsScopesApart, !processes.contains(where: { !$0.isBusy && $0.canMake(source) }), let other = processes.first(where: \.isIdle)
        else { return }
        replace(other)
    }

    /// Returns the idle process that may have kept the pixels of this source, or else one that keeps no needed pixels.
    private func idle(for source: JobSource) -> PixelProcess? {
        let idle = processes.filter { $0.isIdle && (!settings.keepsScopesApart || $0.canMake(source)) }
        return idle.first { $0.source === source } ?? idle.first { $0.source == nil } ?? idle.first
    }

    private static let noRoom = TintypeError(.overloaded, .decode, "no pixel process is free for a preview")

    /// Gives up as many previews as other jobs can use the processes of.
    private func interruptPreviews() {
        var wanted = waiting.count - processes.count(where: \.isDraining)
        for process in processes {
            guard wanted > 0 else { return }
            guard case .busy(let request) = process.state, request.job.isPreview else { continue }
            wanted -= 1
            process.abandon(request)
            request.fail(Self.noRoom)
        }
    }

    private func withdraw(_ request: PixelRequest) {
        waiting.removeAll { $0 === request }
        for process in processes { process.abandon(request) }
        measure()
    }

    /// Makes the bytes of a source ready for all jobs of it. Short ones are not copied yet.
    /// - Parameter scope: the scope whose source it is.
    /// - Throws: `internal` if there is no memory for it.
    package func source(_ bytes: [UInt8], of scope: String? = nil) async throws(TintypeError) -> JobSource {
        settings.hasWindows && SourceWindow.takes(bytes.count) ? JobSource(bytes, scope: scope) : JobSource(try await seal(bytes), scope: scope)
    }

    /// Puts bytes into memory of their own that processes can read, such as another picture of a job.
    /// - Throws: `internal` if there is no memory for it.
    package func seal(_ source: [UInt8]) async throws(TintypeError) -> SealedMemory {
        do {
            if source.count < Self.large { return try source.withUnsafeBytes { bytes in try SealedMemory(bytes) } }
            return try await blocking.run { try source.withUnsafeBytes { bytes in try SealedMemory(bytes) } }
        } catch {
            if let failure = error as? CallFailure { throw failure.error(.decode, for: "picture") }
            throw TintypeError(.internalError, .decode, "no memory for the picture: \(error)")
        }
    }

    /// Returns the bytes of a source again.
    /// - Throws: `internal` if they cannot be read.
    package func bytes(of source: JobSource) async throws(TintypeError) -> [UInt8] {
        switch source.place {
        case .own(let bytes): return bytes
        case .sealed(let memory):
            do {
                return memory.count < Self.large ? try memory.copied() : try await blocking.run { try memory.copied() }
            } catch {
                throw TintypeError(.internalError, .decode, "the picture cannot be read: \(error)")
            }
        }
    }

    private func collect(_ response: PixelResponse, isWanted: Bool) async throws(TintypeError) -> PixelResult {
        var result = response.result
        let timings = result.timings
        for (phase, seconds) in [("decode", timings.decode), ("transform", timings.transform), ("encode", timings.encode)] {
            metrics.observe(.pixelSeconds, seconds, labels: phase)
        }
        guard isWanted else { return result }
        guard let picture = response.picture, let facts = response.facts, let output = PixelWire.picture(try await copied(picture), facts) else {
            throw TintypeError(.internalError, .encode, "the pixel process returned no picture")
        }
        result.output = output
        return result
    }

    private func copied(_ picture: PixelResponse.Picture) async throws(TintypeError) -> [UInt8] {
        switch picture {
        case .bytes(let bytes): return bytes
        case .memory(let memory, let count):
            do {
                return try await blocking.run { try memory.copied(count) }
            } catch {
                throw TintypeError(.internalError, .encode, "the result cannot be read: \(error)")
            }
        }
    }

    // MARK: Processes

    /// Starts the missing processes.
    private func fill() {
        guard !isStopped, restart == nil else { return }
        while processes.count < settings.processes {
            do throws(CallFailure) {
                processes.append(
                    try PixelProcess(
                        settings, logger: logger, changed: { [weak self] in self?.rested($0) }, ended: { [weak self] in self?.ended($0, $1) }))
            } catch {
                logger.error("a pixel process cannot be started", ["error": error.description])
                startFailed()
                return
            }
        }
        measure()
    }

    /// Tries again later, with growing pauses. Waiting pictures fail only after a while: a process that somebody kills at its start does not mean
    /// that this machine cannot start one.
    private func startFailed() {
        failedStarts += 1
        if failedStarts == 1 { failingSince = .now }
        restart = LoopTimer(after: min(.seconds(5), .milliseconds(100) * (1 << min(failedStarts, 8)))) { [weak self] in
            self?.restart = nil
            self?.fill()
        }
        guard failedStarts >= 3, failingSince + settings.startPatience < .now, processes.isEmpty else { return }
        for request in waiting { request.fail(TintypeError(.internalError, .decode, "no pixel process can be started on this worker")) }
        waiting = []
    }

    private func rested(_ process: PixelProcess) {
        failedStarts = 0
        if codecs == nil {
            warnOfFonts(process.codecs)
            for feature in process.missingLimits { logger.notice("this system lacks a sandbox feature of pixel processes", ["feature": feature]) }
        }
        codecs = process.codecs
        if isStopped || process.images >= settings.maxImages || process.resident > settings.maxBytesRSS {
            replace(process)
        }
        serve()
    }

    /// Fills the place of an idle process at once. The process leaves by itself.
    private func replace(_ process: PixelProcess) {
        process.retire(isStopped ? .stopped : .retired)
        leaving.append(process)
        processes.removeAll { $0 === process }
        fill()
    }

    private func warnOfFonts(_ codecs: JSON) {
        let there = codecs["fonts"]?.array?.compactMap(\.string) ?? []
        let missing = settings.fonts.filter { !there.contains($0.lowercased()) }
        if !missing.isEmpty { logger.warning("fonts are not installed: text cannot be drawn with them", ["fonts": missing.joined(separator: ",")]) }
    }

    /// The retired processes that have not ended yet.
    private var leaving: [PixelProcess] = []

    private func ended(_ process: PixelProcess, _ end: PixelProcess.End) {
        processes.removeAll { $0 === process }
        leaving.removeAll { $0 === process }
        endedSeconds += end.cpuSeconds
        metrics.add(.pixelExits, labels: end.cause?.rawValue ?? "crashed")
        if let violation = end.violation {
            logger.error(
                "a pixel process broke a rule and was killed: its picture may have compromised it", ["process": end.process, "rule": violation.rawValue])
        }
        if let request = end.request, !request.done.isComplete { lost(request, end) }
        if processes.isEmpty, leaving.isEmpty, isStopped { stopped?.complete(.success(())) }
        guard !isStopped else { return }
        if end.wasReady {
            fill()
        } else {
            logger.error("a pixel process ended before it was ready", ["process": end.process, "how": end.how])
            startFailed()
        }
        serve()
    }

    private func lost(_ request: PixelRequest, _ end: PixelProcess.End) {
        if end.cause == .deadline {
            logger.warning("a picture was stopped with its process", ["process": end.process, "deadline": request.job.deadline.description])
            request.fail(
                TintypeError(
                    .timeout, end.phase, "the time for this picture (\(request.job.deadline)) is used up, and its process did not stop",
                    retryable: false, details: ["which": .string(end.phase.rawValue)]))
        } else if request.job.isPreview {
            request.fail(end.fault(after: request.attempts))
        } else if request.attempts < (end.isFromOutside ? Self.outsideDeaths : Self.ownDeaths), !isStopped {
            if !end.isFromOutside { request.hasBeenFatal = true }
            logger.warning("a pixel process died; its picture is tried once more", ["process": end.process, "how": end.how])
            waiting.insert(request, at: 0)
        } else if end.isOutOfMemory {
            // The picture is sound, and must not be blacklisted.
            request.hasCrashed = true
            request.fail(PictureFailure.memory(settings.memoryLimit, PictureFailure.Phase(rawValue: end.phase.rawValue) ?? .encode).tintypeError)
        } else {
            logger.warning("a picture's pixel processes died too often", ["process": end.process, "how": end.how, "times": request.attempts])
            request.hasCrashed = true
            request.fail(end.fault(after: request.attempts))
        }
    }

    private func measure() {
        metrics.set(.pixelProcesses, Double(idle), labels: "idle")
        metrics.set(.pixelProcesses, Double(busy), labels: "busy")
        metrics.set(.pixelWaiting, Double(waiting.count))
    }
}

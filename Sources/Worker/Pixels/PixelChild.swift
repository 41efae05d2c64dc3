import CLinux
import Engine
import Glibc
import ImageHeads
import TintypeCore
import TintypeImages

/// A pixel process: `tintype-worker --role pixel`. It has a socket to the worker and a phase record (`PhaseRecord`). Once warm it can open nothing else.
/// It has one thread for one picture at a time, and ends when the worker closes the socket.
package final class PixelChild {
    private let socket = PacketSocket(descriptor: 3, .process)
    private let phase = PhaseRecord()
    private let memory: ChildMemory
    /// The bytes that a picture may map beyond the process's own memory.
    private let memoryLimit: Int
    private let graphs: PlanarGraphs
    /// The formats of this build, as found by `CodecWarmUp`.
    private let codecs: JSON
    private let encoders: Set<ImageFormat>
    /// The formats that are decoded.
    private let formats: Set<ImageFormat>
    private let hasTestHooks: Bool
    /// The decoded pixels of the last source, by its number, while more renditions follow.
    private var kept: (source: Int, pixels: VipsImage?, planes: AV1Picture?)?
    /// The memory in which the worker shows short sources.
    private var window: ShownWindow?
    /// The other pictures for the next job.
    private var layers: [SealedMemory] = []
    /// The memory that the worker lends for results.
    private var output: OwnedDescriptor?
    /// The sandbox features that the system lacks.
    private var missingLimits: [String] = []

    /// Warms up, closes the sandbox, and serves until the worker is gone. Never returns.
    package static func run() -> Never {
        var missingLimits = Sandbox.early()
        keepFreedMemory()
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try VipsRuntime.start()
            let graphs = PlanarGraphs()
            let formats = words(of: "--formats", arguments).map { Set($0.compactMap { ImageFormat(rawValue: $0) }) } ?? Set(ImageFormat.decodable)
            VipsRuntime.unblock(formats.compactMap(\.blockedClass))
            let codecs = CodecWarmUp.run(graphs, fonts: words(of: "--fonts", arguments) ?? Text.usualFonts, formats: formats)
            // The warm-up has written to more pages than the process needs while it waits for pictures.
            malloc_trim(0)
            LibraryPages.unmap()
            let memoryLimit = value(of: "--memory", arguments).flatMap { Int($0) } ?? PixelSettings(processes: 1).memoryLimit
            let child = PixelChild(graphs, codecs: codecs, formats: formats, memoryLimit: memoryLimit, hasTestHooks: arguments.contains("--test-hooks"))
            missingLimits += try Sandbox.close(addressSpace: child.memory.mapped + memoryLimit, generatesCode: VipsRuntime.generatesCode)
            child.missingLimits = missingLimits
            child.serve()
        } catch {
            StandardStream.printError("pixel process: \(error)")
            exit(70)
        }
    }

    /// Keeps freed memory for the next picture. glibc would return it to the kernel. Each page then costs a fault when it is written again, which is a
    /// tenth of a large PNG's time. Other allocators have their own rules and ignore these options.
    private static func keepFreedMemory() {
        mallopt(M_MMAP_THRESHOLD, 32 << 20)
        mallopt(M_TRIM_THRESHOLD, 64 << 20)
    }

    private static func value(of flag: String, _ arguments: [String]) -> String? {
        arguments.firstIndex(of: flag).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
    }

    /// Returns the words of a list; nil without the flag.
    static func words(of flag: String, _ arguments: [String]) -> [String]? {
        value(of: flag, arguments)?.split(separator: ",").map { String($0) }
    }

    private init(_ graphs: PlanarGraphs, codecs: JSON, formats: Set<ImageFormat>, memoryLimit: Int, hasTestHooks: Bool) {
        (self.graphs, self.formats, self.memoryLimit) = (graphs, formats, memoryLimit)
        memory = ChildMemory()
        self.codecs = codecs
        encoders = Set(codecs["encode"]?.array?.compactMap { $0.string.flatMap { ImageFormat(rawValue: $0) } } ?? [])
        self.hasTestHooks = hasTestHooks
    }

    private func serve() -> Never {
        phase.watchAborts()
        guard socket.send(PixelWire.ready(codecs, missingLimits: missingLimits)) else { exit(71) }
        while true {
            switch socket.receive(waits: true) {
            case .packet(let message, let passed?) where message == PixelWire.output: output = passed
            case .packet(let message, let passed?) where message == PixelWire.window:
                guard let shown = try? ShownWindow(adopting: passed) else { exit(72) }
                window = shown
            case .packet(let message, let passed?):
                guard let memory = try? SealedMemory(adopting: passed) else { exit(72) }
                if message == PixelWire.layer {
                    layers.append(memory)
                    continue
                }
                work(message) { body throws(CallFailure) in try memory.withMapping(body) }
                layers = []
            case .packet(let message, nil):
                // Anything else is a cancellation that came after its picture was done.
                guard let count = PixelWire.shown(message) else { continue }
                guard let bytes = window?.bytes(count) else { exit(72) }
                work(message) { body in body(bytes) }
                layers = []
            case .nothing, .end, .violation: exit(0)
            }
        }
    }

    /// - Parameter withSource: calls its argument with the bytes of the source.
    private func work(
        _ message: JSON, _ withSource: (_ body: (UnsafeRawBufferPointer) -> PictureFailure?) throws(CallFailure) -> PictureFailure?
    ) {
        let source = PixelWire.number(message)
        let id = message["id"]?.int ?? 0
        let milliseconds = message["deadline"]?.double ?? 1000
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        Sandbox.limitProcessorTime(within: Int(milliseconds / 1000) + 3)
        let clock = PictureClock(
            deadline: deadline, isCancelled: { [socket] in Self.isCancelled(socket, id) },
            interval: .milliseconds(message["interval"]?.double ?? 100),
            onProgress: { [socket] phase, fraction in
                _ = socket.send(["id": JSON(id), "progress": .string(phase.rawValue), "fraction": JSON(fraction)])
            })
        clock.onPhase = { [phase] in phase.write($0) }
        clock.begin(.decode)
        // An abort is judged by errno: see `PhaseRecord.watchAborts`.
        errno = 0
        var outcome = Outcome()
        if kept?.source != source { kept = nil }
        do throws(CallFailure) {
            outcome.failure = try withSource { bytes in
                do throws(PictureFailure) {
                    try render(message, bytes, clock, &outcome)
                    return nil
                } catch { return error }
            }
        } catch {
            outcome.failure = PictureFailure(.badImageData, .decode, error.description)
        }
        kept = outcome.pixels == nil && outcome.planes == nil ? nil : (source, outcome.pixels, outcome.planes)
        if let problem = outcome.failure, isOutOfMemory || problem.speaksOfMemory {
            outcome.failure = .memory(memoryLimit, problem.phase)
        }
        outcome.answer["id"] = JSON(id)
        outcome.answer["rss"] = JSON(memory.resident)
        outcome.answer["done"] = PixelWire.timings(outcome.timings)
        if let failure = outcome.failure { outcome.answer["failed"] = failure.tintypeError.json }
        guard socket.send(.object(outcome.answer)) else { exit(0) }
    }

    /// The outcome of one picture. All of it goes back in one packet.
    private struct Outcome {
        var answer = JSONObject()
        var timings = PictureTimings()
        var failure: PictureFailure?
        /// The decoded pixels for the next job of the same source.
        var pixels: VipsImage?
        var planes: AV1Picture?
    }

    private func render(_ message: JSON, _ bytes: UnsafeRawBufferPointer, _ clock: PictureClock, _ outcome: inout Outcome) throws(PictureFailure) {
        var limits = PixelWire.limits(message["limits"])
        limits.shrinks = message["rendition"]?["decode"]?["limitBytes"] != nil
        if hasTestHooks { try TestHook.run(in: bytes, clock, socket.descriptor, output: output?.number ?? -1) }
        var guarding = HeaderGuard(limits: limits)
        guarding.enabled = formats
        let format = try guarding.check(bytes)
        // Only previews have a blur.
        guard message["blur"] != nil, let whole = Self.shown(bytes, format, width: Self.width(message)) else {
            return try make(message, bytes, format, limits, clock, &outcome)
        }
        try whole.withBytes { bytes throws(PictureFailure) in try make(message, bytes, format, limits, clock, &outcome) }
    }

    /// Makes a complete file from the received part of a format that no decoder shows before its end.
    private static func shown(_ bytes: UnsafeRawBufferPointer, _ format: ImageFormat, width: Int) -> [UInt8]? {
        format == .png ? InterlacedPNG.shown(bytes, width: width) ?? FirstFrame.file(of: bytes, format) : FirstFrame.file(of: bytes, format)
    }

    private static func width(_ message: JSON) -> Int {
        message["rendition"]?["transform"]?.array?.compactMap { $0["width"]?.int }.first ?? .max
    }

    private func make(
        _ message: JSON, _ bytes: UnsafeRawBufferPointer, _ format: ImageFormat, _ limits: ImageLimits, _ clock: PictureClock, _ outcome: inout Outcome
    ) throws(PictureFailure) {
        let run = try PictureRun(bytes, format: format, limits: limits, clock: clock, graphs: graphs, encoders: encoders)
        run.readsFirst = message["again"]?.bool ?? false
        run.formats = formats
        let isMoreToCome = message["more"]?.bool ?? false
        run.adoptDecoded(kept?.pixels, kept?.planes, isMoreToCome: isMoreToCome)
        outcome.answer["shared"] = .bool(kept != nil)
        defer {
            outcome.timings = run.timings
            if isMoreToCome { (outcome.pixels, outcome.planes) = (run.whole, run.planes) }
        }
        outcome.answer["source"] = PixelWire.source(run.facts, run.container)
        guard let json = message["rendition"] else { return }
        guard let rendition = try? Rendition(canonical: json) else {
            throw PictureFailure(.transformFailed, .transform, "the rendition cannot be read")
        }
        if rendition.mode == .probe {
            outcome.answer["description"] = .object(try run.describe(rendition))
            return
        }
        let picture = try withLayers(layers[...], []) { bytes throws(PictureFailure) in
            try run.render(rendition, blur: message["blur"]?.double ?? 0, layers: bytes)
        }
        outcome.answer["picture"] = PixelWire.picture(picture)
        guard let output else { throw PictureFailure(.encodeFailed, .encode, "there is no memory for the result") }
        do throws(CallFailure) {
            try picture.bytes.withBytes { bytes throws(CallFailure) in try OutputMemory.write(bytes, to: output.number) }
        } catch {
            throw PictureFailure(.encodeFailed, .encode, error.description)
        }
    }

    /// Maps the remaining layers after those that are mapped.
    private func withLayers(
        _ rest: ArraySlice<SealedMemory>, _ mapped: [UnsafeRawBufferPointer], _ body: ([UnsafeRawBufferPointer]) throws(PictureFailure) -> EncodedPicture
    ) throws(PictureFailure) -> EncodedPicture {
        guard let next = rest.first else { return try body(mapped) }
        let result: Result<EncodedPicture, PictureFailure>
        do throws(CallFailure) {
            result = try next.withMapping { bytes in
                do throws(PictureFailure) { return .success(try withLayers(rest.dropFirst(), mapped + [bytes], body)) } catch { return .failure(error) }
            }
        } catch {
            throw PictureFailure(.transformFailed, .transform, error.description)
        }
        return try result.get()
    }

    /// Checks between two computations whether the worker has canceled the picture. Ends the process if the worker is gone.
    private static func isCancelled(_ socket: PacketSocket, _ id: Int) -> Bool {
        switch socket.receive(waits: false) {
        case .packet(let message, _): message["cancel"]?.int == id
        case .end, .violation: exit(0)
        case .nothing: false
        }
    }

    /// Whether so little memory is left that a failure counts as one of memory.
    private var isOutOfMemory: Bool { memory.limit - memory.mapped < 16 << 20 }
}

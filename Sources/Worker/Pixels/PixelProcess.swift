import Glibc
import ImageHeads
import TintypeCore
import TintypeTransport

/// The worker's side of one pixel process: starts it, gives it one request at a time, and reaps it. Lives on the loop.
@Loop
final class PixelProcess {
    enum State {
        /// The process warms up.
        case starting
        case idle
        case busy(PixelRequest)
        /// The picture was given up. The process finishes it or is killed.
        case draining
        /// The process was told to end.
        case leaving
    }

    /// The reason why the worker ended a process; nil if the process ended by itself.
    enum Cause: String { case retired, deadline, killed, stopped, violation }

    /// A breach of the protocol. No process does this unless it was compromised, so it is killed.
    enum Violation: String {
        /// A packet that is no message of the protocol, or that carries a descriptor.
        case packet
        /// A message without a job, about another picture, or one of far too many.
        case message
        /// Endless text on standard error.
        case text
    }

    /// The end of a process: a signal, or an exit status.
    struct End {
        let process: Int32
        let cause: Cause?
        /// The rule that the process broke.
        let violation: Violation?
        let signal: Int32?
        let status: Int32
        /// The phase of its picture that had begun.
        let phase: Phase
        /// Whether the process ended because memory was missing. GLib then raises SIGTRAP, others abort.
        let isOutOfMemory: Bool
        /// The request in the process, if any.
        let request: PixelRequest?
        let wasReady: Bool
        /// The processor time that the process has used, in seconds.
        let cpuSeconds: Double
    }

    let identifier: Int32
    private(set) var state = State.starting
    /// The number of pictures so far.
    private(set) var images = 0
    /// The resident bytes after the last picture.
    private(set) var resident = 0
    /// The processor time that was seen last, in seconds.
    private var cpuSeconds = 0.0
    /// The last source, while somebody needs it: the process may have kept its pixels.
    private(set) weak var source: JobSource?
    /// The scope of its first picture; nil: none yet.
    private var owner: ExactText??
    /// The codecs that the process reported when it was ready.
    private(set) var codecs = JSON.null
    /// The sandbox features that the system lacks, with the reasons.
    private(set) var missingLimits: [String] = []

    private let socket: PacketSocket
    private var stream: ChildStream?
    /// The memory for short sources, once the first of them has come.
    private var window: SourceWindow?
    private var hasWindow = false
    /// The memory for results. The process has got it with its first picture, or with the one after a long result.
    private var output: OutputMemory?
    private var violation: Violation?
    /// The number of packets about the present picture.
    private var packets = 0
    private let exitDescriptor: Int32
    private let phase: PhaseRecord
    private var socketWatch: DescriptorWatch?
    private var exitWatch: DescriptorWatch?
    private var timer: LoopTimer?
    private var cause: Cause?
    private let changed: @Loop (PixelProcess) -> Void
    private let ended: @Loop (PixelProcess, End) -> Void
    private var isReady = false
    private let patience: Duration

    /// The longest time from the start until the process is warm.
    private static let warmUp = Duration.seconds(30)
    /// The longest time from the order to end until the end.
    private static let leaveTime = Duration.seconds(1)
    /// The longest time for a process to give up a picture.
    private static let drainTime = Duration.milliseconds(250)
    /// The most packets about one picture. Progress is reported at most ten times a second.
    private static let maxPackets = 4096

    /// - Parameters:
    ///   - changed: called when the process becomes idle.
    ///   - ended: called once, when the process has ended and is reaped.
    /// - Throws: `CallFailure`.
    init(
        _ settings: PixelSettings, logger: Logger, changed: @escaping @Loop (PixelProcess) -> Void, ended: @escaping @Loop (PixelProcess, End) -> Void
    ) throws(CallFailure) {
        let child = try ChildSpawn.start(settings)
        identifier = child.process
        socket = PacketSocket(descriptor: child.socket, .worker)
        (exitDescriptor, phase) = (child.exit, child.phase)
        (self.changed, self.ended, patience) = (changed, ended, settings.patience)
        socketWatch = DescriptorWatch(child.socket, .read) { [weak self] _ in self?.read() }
        exitWatch = DescriptorWatch(child.exit, .read) { [weak self] _ in self?.reap() }
        timer = LoopTimer(after: Self.warmUp) { [weak self] in self?.end(.deadline) }
        stream = ChildStream(child.errors, of: child.process, logger: logger) { [weak self] in self?.end(.text) }
    }

    /// Returns whether the process has made pictures of no other scope.
    func canMake(_ source: JobSource) -> Bool { owner.map { $0 == source.owner } ?? true }

    var isIdle: Bool { if case .idle = state { true } else { false } }
    var isDraining: Bool { if case .draining = state { true } else { false } }
    var isBusy: Bool { if case .busy = state { true } else { false } }

    /// Gives the process a request. Only when idle.
    func take(_ request: PixelRequest) {
        let deadline = request.take()
        if owner == nil { owner = .some(request.job.source.owner) }
        // The memory of a source that is not shown in the window.
        let memory: SealedMemory?
        do throws(CallFailure) {
            memory = try show(request.job.source)
        } catch {
            return request.fail(error.error(.decode, for: "picture"))
        }
        let message = PixelWire.job(request.id, request.job, deadline: deadline, isAgain: request.hasBeenFatal, isShown: memory == nil).bytes()
        guard message.count <= PacketSocket.longest else {
            return request.fail(PictureFailure.limit("rendition", message.count, PacketSocket.longest, .transform).tintypeError)
        }
        var newOutput: OutputMemory?
        if request.job.makesPicture, output == nil {
            do throws(CallFailure) {
                newOutput = try OutputMemory()
                output = newOutput
            } catch {
                return request.fail(error.error(.encode, for: "result"))
            }
        }
        state = .busy(request)
        source = request.job.source
        packets = 0
        stream?.begin()
        // A packet carries one memory. Those of other pictures and of the result go ahead of their job.
        guard memory != nil || hasWindow || window.map({ socket.send(PixelWire.window, descriptor: $0.descriptor) }) ?? false,
            request.job.layers.allSatisfy({ socket.send(PixelWire.layer, descriptor: $0.descriptor) }),
            newOutput.map({ socket.send(PixelWire.output, descriptor: $0.descriptor) }) ?? true,
            socket.send(message, descriptor: memory?.descriptor ?? -1)
        else {
            // The process has just died. Its end will be seen, and the request goes to another process.
            end(.killed)
            return
        }
        hasWindow = hasWindow || memory == nil
        timer = LoopTimer(after: deadline + patience) { [weak self] in self?.end(.deadline) }
    }

    /// Shows a source in the window.
    /// - Returns: the memory to send instead, for a source that has memory of its own.
    private func show(_ source: JobSource) throws(CallFailure) -> SealedMemory? {
        switch source.place {
        case .sealed(let memory): return memory
        case .own(let bytes):
            let shown: SourceWindow
            if let window { shown = window } else { shown = try SourceWindow() }
            window = shown
            try shown.show(bytes, number: source.number)
            return nil
        }
    }

    /// Gives up a request that nobody waits for. Asks the process to stop, and kills it if it does not.
    func abandon(_ request: PixelRequest) {
        guard case .busy(let current) = state, current === request else { return }
        state = .draining
        _ = socket.send(["cancel": JSON(request.id)])
        timer = LoopTimer(after: Self.drainTime) { [weak self] in self?.end(.killed) }
    }

    /// Closes the socket, so that the process ends by itself. Kills it if it does not.
    func retire(_ cause: Cause) {
        self.cause = cause
        state = .leaving
        timer = LoopTimer(after: Self.leaveTime) { [identifier] in kill(identifier, SIGKILL) }
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    /// Ends the process at once.
    func end(_ cause: Cause) {
        self.cause = self.cause ?? cause
        kill(identifier, SIGKILL)
    }

    /// Ends the process at once, because it broke a rule.
    private func end(_ violation: Violation) {
        guard cause == nil else { return }
        self.violation = violation
        end(.violation)
    }

    private func read() {
        // A few packets a turn, so that one process with many packets does not delay the others.
        for _ in 0..<16 {
            guard let socketWatch else { return }
            switch socket.receive(waits: false) {
            case .packet(let message, _): heard(message)
            case .nothing: return
            case .violation:
                socketWatch.update([])
                return end(.packet)
            case .end:
                // The other watch sees the end. This descriptor would stay readable until then.
                socketWatch.update([])
                if case .leaving = state {} else { kill(identifier, SIGKILL) }
                return
            }
        }
    }

    private func heard(_ message: JSON) {
        guard violation == nil else { return }
        packets += 1
        if packets > Self.maxPackets { return end(.message) }
        switch state {
        case .starting:
            guard let codecs = message["ready"] else { return end(.message) }
            self.codecs = PixelWire.codecs(codecs)
            missingLimits = PixelWire.missingLimits(message)
            isReady = true
            becomeIdle()
        case .busy(let request):
            guard message["id"]?.int == request.id else { return end(.message) }
            if request.heard(message, output) { finished(message) }
        case .draining:
            if message["done"] != nil { finished(message) }
        case .idle: end(.message)
        case .leaving: break
        }
    }

    private func finished(_ message: JSON) {
        images += 1
        // A long result is still being read, so the process does not get this memory again.
        let isLong = message["picture"].map { PixelWire.length($0) >= PixelPool.large } ?? false
        if isLong || output?.isKept == false { output = nil }
        resident = PixelWire.resident(message)
        becomeIdle()
    }

    private func becomeIdle() {
        timer = nil
        // A deadline that fired in the same turn has killed it already.
        guard cause == nil else { return }
        state = .idle
        changed(self)
    }

    private func reap() {
        guard exitWatch != nil else { return }
        var (status, usage) = (Int32(0), rusage())
        let found = wait4(identifier, &status, Int32(WNOHANG), &usage)
        guard found != 0 else { return }
        // Messages from before the end still count.
        if let socketWatch, cause == nil { drain(socketWatch) }
        for watch in [socketWatch, exitWatch] { watch?.cancel() }
        (socketWatch, exitWatch, timer) = (nil, nil, nil)
        close(socket.descriptor)
        close(exitDescriptor)
        stream?.close()
        (stream, output) = (nil, nil)
        let (begun, isOutOfMemory) = (phase.read(), phase.isOutOfMemory)
        close(phase.descriptor)
        let signal = status & 0x7f
        // The kernel counts the time as well, in case this worker does not look while the process runs on.
        if signal == SIGXCPU { cause = cause ?? .deadline }
        let request: PixelRequest? = if case .busy(let request) = state { request } else { nil }
        state = .leaving
        ended(
            self,
            End(
                process: identifier, cause: cause, violation: violation, signal: signal == 0 ? nil : signal, status: status >> 8 & 0xff,
                phase: Phase(rawValue: begun.rawValue) ?? .decode, isOutOfMemory: signal == SIGTRAP || signal == SIGABRT && isOutOfMemory, request: request,
                wasReady: isReady, cpuSeconds: max(cpuSeconds, usage.seconds)))
    }

    /// Reads the processor time so far, which never falls.
    func lookAtTime() -> Double {
        cpuSeconds = max(cpuSeconds, ProcessStatistics(of: identifier).cpuSeconds)
        return cpuSeconds
    }

    private func drain(_ watch: DescriptorWatch) {
        while case .packet(let message, _) = socket.receive(waits: false) {
            guard case .busy(let request) = state, message["id"]?.int == request.id else { continue }
            if request.heard(message, output) { state = .leaving }
        }
    }
}

extension rusage {
    /// User and system time.
    fileprivate var seconds: Double {
        Double(ru_utime.tv_sec + ru_stime.tv_sec) + Double(ru_utime.tv_usec + ru_stime.tv_usec) / 1e6
    }
}

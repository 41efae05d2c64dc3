import CEvent
import Glibc
import Synchronization
package import TintypeCore

/// One libevent loop on a thread of its own, as a Swift serial executor; `tasks` is the same thread as a task executor.
///
/// Any thread may hand work in (`enqueue`, `execute`). The work runs on the loop's thread in the order of its arrival. The thread sleeps in
/// `epoll_wait`. `event_active` wakes it, once for any number of entries, and without a system call if the caller is already on the loop. Timers are
/// never early, and at most a millisecond late when the loop is idle (CLOCK_MONOTONIC). After 32 callbacks the loop looks for new events, so that busy
/// tasks do not starve descriptors. For the same reason a turn takes entries of the queue for a few milliseconds only, and the next turn takes the others.
///
/// A process has one loop, `Loop.eventLoop`; tests make others. Those run until `stop`. Their thread never touches them after that.
// @unchecked: `base`, `wake` and `tasks` are set in init. libevent locks its own state. Only the loop's thread uses `taken`, `next` and `turns`.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
    /// An entry of the queue: a job of an actor, a job of a task that prefers this executor, or a plain call.
    enum Entry {
        case isolated(UnownedJob)
        case preferred(UnownedJob)
        case call(@Sendable () -> Void)
    }

    private struct Pending {
        var entries: [Entry] = []
        /// Whether `wake` is already active. It is cleared in the same critical section that takes the entries, so no wake-up is lost.
        var isAwake = false
    }

    /// libevent's base, for the folders that make events, listeners and streams on it.
    let base: OpaquePointer
    /// This thread as the executor of tasks. `Task(executorPreference: loop.tasks)` keeps non-isolated code here too.
    package private(set) var tasks: LoopTaskExecutor!
    private var wake: OpaquePointer!
    private let thread = Atomic<UInt>(0)
    private let pending = Locked(Pending())
    /// The entries that a turn has left to the next one, and the place of the first that has not run. Otherwise an empty array with room.
    private var taken: [Entry] = []
    private var next = 0
    /// The turns that took too long. Only for code on the loop.
    private(set) var turns = LoopTurns()

    /// Starts the thread. `top -H` and debuggers show at most 15 bytes of `name`.
    package init(name: String) {
        precondition(Self.processIsReady, "libevent has no threads")
        let configuration = event_config_new()
        // Not PRECISE_TIMER: that costs a timerfd_settime in each turn, for microseconds that no timer here needs.
        event_config_set_flag(configuration, Int32(EVENT_BASE_FLAG_NO_CACHE_TIME.rawValue))
        event_config_set_max_dispatch_interval(configuration, nil, 32, 0)
        defer { event_config_free(configuration) }
        guard let base = event_base_new_with_config(configuration) else { fatalError("libevent cannot make a loop: \(errno)") }
        self.base = base
        tasks = LoopTaskExecutor(self)
        let drain: event_callback_fn = { _, _, context in
            Unmanaged<EventLoop>.fromOpaque(context!).takeUnretainedValue().drain()
        }
        wake = event_new(base, -1, 0, drain, Unmanaged.passUnretained(self).toOpaque())
        startThread(name: name) { [self] in
            thread.store(UInt(pthread_self()), ordering: .relaxed)
            event_base_loop(self.base, EVLOOP_NO_EXIT_ON_EMPTY)
            thread.store(0, ordering: .relaxed)
        }
    }

    deinit {
        event_free(wake)
        event_base_free(base)
    }

    /// Makes calls into libevent safe from every thread, and turns writes to closed peers into errors. Runs once, before the first base.
    private static let processIsReady: Bool = {
        ignoreBrokenPipes()
        return evthread_use_pthreads() == 0
    }()

    /// Whether the caller runs on this loop's thread.
    package var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Ends the thread after its current work; for tests. Entries that come later never run.
    package func stop() {
        event_base_loopbreak(base)
    }

    /// Runs `body` on the loop soon, never at once, and in order with all other work. May be called from any thread.
    package func execute(_ body: @escaping @Sendable () -> Void) {
        append(.call(body))
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        append(.isolated(UnownedJob(job)))
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    package func checkIsolated() {
        precondition(isOnLoop, "not on the event loop's thread")
    }

    package func isIsolatingCurrentContext() -> Bool? { isOnLoop }

    func append(_ entry: Entry) {
        let mustWake = pending.withLock { pending in
            pending.entries.append(entry)
            defer { pending.isAwake = true }
            return !pending.isAwake
        }
        if mustWake { event_active(wake, 0, 0) }
    }

    /// Runs a callback of a C library as a turn.
    /// - Parameter type: the owner of the callback.
    @inline(__always)
    func turn(of type: Any.Type, _ body: () -> Void) {
        let isOutermost = turns.begin()
        body()
        if isOutermost { turns.end(type) }
    }

    /// Runs the entries that were there at the start, as many as fit into a turn. Entries that these add run at the next wake-up, after the descriptors
    /// have had their turn.
    private func drain() {
        let isOutermost = turns.begin()
        defer { if isOutermost { turns.end(nil) } }
        var entries = taken
        var place = next
        (taken, next) = ([], 0)
        let isRest = place > 0
        if !isRest {
            pending.withLock { pending in
                swap(&pending.entries, &entries)
                pending.isAwake = false
            }
        }
        let serial = asUnownedSerialExecutor()
        let preferred = tasks.asUnownedTaskExecutor()
        while place < entries.count {
            switch entries[place] {
            case .isolated(let job): job.runSynchronously(isolatedTo: serial, taskExecutor: preferred)
            case .preferred(let job): job.runSynchronously(on: preferred)
            case .call(let body): body()
            }
            place += 1
            guard place.isMultiple(of: LoopTurns.pace), place < entries.count, turns.isEnough else { continue }
            (taken, next) = (entries, place)
            event_active(wake, 0, 0)
            event_base_loopcontinue(base)
            return
        }
        entries.removeAll(keepingCapacity: entries.count < 4096)
        taken = entries
        // `pending` may have asked for a wake-up that the rest has used.
        if isRest { event_active(wake, 0, 0) }
    }
}

/// An event loop as the executor that tasks prefer. Their non-isolated code and default actors then run on the loop's thread too.
///
/// The loop owns it, and both live equally long.
package final class LoopTaskExecutor: TaskExecutor {
    private unowned let loop: EventLoop

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        loop.append(.preferred(UnownedJob(job)))
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
}

/// Messages of libevent and the sockets on it, as lines of the program's log. The process has one such log, since libevent's callback has no context.
package enum EventLog {
    private static let logger = Locked<Logger?>(nil)

    /// Sends lines to `logger` from now on. Without a logger libevent writes to standard error.
    package static func write(to logger: Logger) {
        self.logger.withLock { $0 = logger }
        event_set_log_callback { severity, text in
            let message = text.map { String(cString: $0) } ?? ""
            switch severity {
            case EVENT_LOG_DEBUG: EventLog.current?.debug("libevent", ["message": message])
            case EVENT_LOG_MSG: EventLog.current?.info("libevent", ["message": message])
            case EVENT_LOG_WARN: EventLog.current?.warning("libevent", ["message": message])
            default: EventLog.current?.error("libevent", ["message": message])
            }
        }
    }

    static func warning(_ message: String, _ fields: KeyValuePairs<String, Logger.Value>) { current?.warning(message, fields) }

    private static var current: Logger? { logger.withLock { $0 } }
}

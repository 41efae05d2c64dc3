import CEvent
import Glibc
import Synchronization

/// One libevent loop on a thread of its own, as a Swift serial executor; `tasks` is the same thread as a task executor.
///
/// Any thread may hand work in (`enqueue`, `execute`); everything handed in runs on the loop's thread, in the order in which it
/// came. The thread sleeps in `epoll_wait` and is woken by `event_active`, once for any number of entries, and without a
/// system call when the caller is on the loop already. Timers are never early, and late by a millisecond at most when the loop is idle (CLOCK_MONOTONIC). After 32 callbacks the
/// loop looks for new events, so that busy tasks do not starve descriptors.
///
/// A process has one, `Loop.eventLoop`; tests make others. Those run until `stop`, which keeps their thread from touching them again.
// @unchecked: `base`, `wake` and `tasks` are set in init and libevent locks its own (evthread_use_pthreads); `spare` is the loop thread's alone.
package final class EventLoop: SerialExecutor, @unchecked Sendable {
    /// What the queue holds: a job of an actor, a job of a task that prefers this executor, or a plain call.
    enum Entry {
        case isolated(UnownedJob)
        case preferred(UnownedJob)
        case call(@Sendable () -> Void)
    }

    private struct Pending {
        var entries: [Entry] = []
        /// Whether `wake` is active already; cleared in the same critical section that takes the entries, so no wake-up is lost.
        var isAwake = false
    }

    /// libevent's base, for the folders that make events, listeners and streams on it.
    let base: OpaquePointer
    /// This thread as the executor of tasks: `Task(executorPreference: loop.tasks)` keeps non-isolated code here too.
    package private(set) var tasks: LoopTaskExecutor!
    private var wake: OpaquePointer!
    private let thread = Atomic<UInt>(0)
    private let pending = Locked(Pending())
    private var spare: [Entry] = []

    /// Starts the thread. `name` is what `top -H` and a debugger show, at most 15 bytes of it.
    package init(name: String) {
        precondition(Self.processIsReady, "libevent has no threads")
        let configuration = event_config_new()
        // Not PRECISE_TIMER: it costs a timerfd_settime each turn, for microseconds that nobody here waits for.
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

    /// Makes every thread's calls into libevent safe, and its writes to peers that have gone errors; once, before the first base.
    private static let processIsReady: Bool = {
        ignoreBrokenPipes()
        return evthread_use_pthreads() == 0
    }()

    /// Whether the caller runs on this loop's thread.
    package var isOnLoop: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Ends the thread after what it is doing; for tests. Entries that come later never run.
    package func stop() {
        event_base_loopbreak(base)
    }

    /// Runs `body` on the loop soon: never at once, in order with everything else handed in. From any thread.
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

    /// Runs what was there at the start; what these add comes with the next wake-up, after the descriptors had their turn.
    private func drain() {
        var entries = spare
        spare = []
        pending.withLock { pending in
            swap(&pending.entries, &entries)
            pending.isAwake = false
        }
        let serial = asUnownedSerialExecutor()
        let preferred = tasks.asUnownedTaskExecutor()
        for entry in entries {
            switch entry {
            case .isolated(let job): job.runSynchronously(isolatedTo: serial, taskExecutor: preferred)
            case .preferred(let job): job.runSynchronously(on: preferred)
            case .call(let body): body()
            }
        }
        entries.removeAll(keepingCapacity: entries.count < 4096)
        spare = entries
    }
}

import CLinux
import Glibc
import TintypeImages

/// Starts a pixel process. The process gets its socket, a pipe for its output and its phase record, but no other descriptor, environment or signal mask.
enum ChildSpawn {
    struct Child {
        let process: Int32
        /// The worker's end, non-blocking.
        let socket: Int32
        /// Readable once the process has ended.
        let exit: Int32
        /// The end of the pipe that the process prints to; non-blocking.
        let errors: Int32
        let phase: PhaseRecord
    }

    /// The environment of the process: how the dynamic loader finds libraries and the allocator.
    private static let environment: [String] = {
        let names: [String] = ["LD_PRELOAD", "LD_LIBRARY_PATH"]
        // Swift would catch a crash and print a backtrace, with a program that the process may not start. The plain signal says more.
        return ["MALLOC_ARENA_MAX=2", "SWIFT_BACKTRACE=enable=no"] + names.compactMap { name in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    }()

    /// - Throws: `CallFailure` with the call that failed.
    static func start(_ settings: PixelSettings) throws(CallFailure) -> Child {
        let phase = try PhaseRecord(named: "tintype-phase")
        var (ends, pipes): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        let isPaired =
            socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 && pipe2(&pipes, O_CLOEXEC) == 0
        guard isPaired else {
            let number = errno
            for descriptor in ends + [phase.descriptor] where descriptor >= 0 { close(descriptor) }
            throw CallFailure(call: ends[0] < 0 ? "socketpair" : "pipe2", number: number)
        }
        defer { for descriptor in [ends[1], pipes[1]] { close(descriptor) } }
        var process: pid_t = 0
        let status = spawn(settings, ends[1], pipes[1], phase, &process)
        let exit = status == 0 ? tintype_pidfd_open(process) : -1
        let ours = [ends[0], pipes[0]]
        guard status == 0, exit >= 0, ours.allSatisfy({ fcntl($0, F_SETFL, O_NONBLOCK) == 0 }) else {
            let number = status == 0 ? errno : status
            for descriptor in ours + [phase.descriptor] { close(descriptor) }
            if status == 0 { abandon(process) }
            throw CallFailure(call: status == 0 ? "pidfd_open" : "posix_spawn \(settings.executable)", number: number)
        }
        return Child(process: process, socket: ends[0], exit: exit, errors: pipes[0], phase: phase)
    }

    private static func abandon(_ process: pid_t) {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    private static func spawn(_ settings: PixelSettings, _ socket: Int32, _ errors: Int32, _ phase: PhaseRecord, _ process: inout pid_t) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        posix_spawn_file_actions_adddup2(&actions, socket, 3)
        posix_spawn_file_actions_adddup2(&actions, phase.descriptor, PhaseRecord.place)
        posix_spawn_file_actions_addclosefrom_np(&actions, PhaseRecord.place + 1)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // A process group of its own, so that signals from a terminal reach only the worker.
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        var words = ["tintype-worker", "--role", "pixel", "--memory", "\(settings.memoryLimit)", "--fonts", settings.fonts.joined(separator: ",")]
        if settings.formats != Set(ImageFormat.decodable) { words += ["--formats", settings.formats.map(\.rawValue).sorted().joined(separator: ",")] }
        if settings.testHooks { words.append("--test-hooks") }
        var argv = words.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }
        return posix_spawn(&process, settings.executable, &actions, &attributes, &argv, &envp)
    }
}

import CLinux
import Glibc
import TintypeTransport
import TintypeImages

/// What a pixel process gives up once it is warm: new files, sockets, programs, and more memory than its share.
enum Confinement {
    /// Why the walls could not be built; the process must not work without them.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Takes a process that has one thread yet away from the rest of the machine: it dies with the worker that started it, leaves no core file, and has
    /// networks, IPC and users of its own. First thing in the process.
    /// - Returns: what the system does not give, with the reason: in many containers there are no namespaces, and in old kernels there is no Landlock.
    static func early() -> [String] {
        keepMemoryPrivate()
        var missing: [String] = []
        note(&missing, "namespaces", tintype_unshare_namespaces())
        // After what gives capabilities. One is needed once more, to leave the file system.
        note(&missing, "capabilities", tintype_drop_capabilities(1 << UInt32(CAP_SYS_CHROOT)))
        _ = tintype_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL))
        _ = tintype_prctl(PR_SET_NO_NEW_PRIVS, 1)
        note(&missing, "landlock", tintype_landlock_programs())
        return missing
    }

    /// - Parameters:
    ///   - addressSpace: the most the process may map, in bytes.
    ///   - generatesCode: whether libvips compiles loops at run time (Orc, before 8.15) and needs executable memory for them.
    /// - Returns: what the system does not give, with the reason.
    /// - Throws: `Failure`.
    static func close(addressSpace: Int, generatesCode: Bool) throws(Failure) -> [String] {
        var missing: [String] = []
        limit(__rlimit_resource_t(RLIMIT_AS.rawValue), addressSpace)
        // The pictures of an animation, those of other operations, and a few of its own.
        limit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), 64)
        // What it is lent for a result is outside its address space. Who writes more than that is told so, and does not die of it.
        limit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), OutputOptions.largestFile)
        signal(SIGXFSZ, SIG_IGN)
        note(&missing, "chroot", tintype_leave_files())
        note(&missing, "capabilities", tintype_drop_capabilities(0))
        note(&missing, "landlock", tintype_landlock_files())
        _ = tintype_prctl(PR_SET_DUMPABLE, 0)
        guard tintype_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 else { throw Failure(description: "no_new_privs: errno \(errno)") }
        try SystemCallFilter.load(generatesCode: generatesCode)
        return missing
    }

    private static func note(_ missing: inout [String], _ wall: String, _ number: Int32) {
        if number != 0 { missing.append("\(wall): \(String(cString: strerror(number)))") }
    }

    /// Ends the process by SIGXCPU when it has used more processor time from now on than all its threads together can in `seconds`.
    static func limitProcessorTime(within seconds: Int) {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        // What a process may use counts for all its threads, and AVIF's codecs have several.
        var limits = rlimit(rlim_cur: UInt(max(0, used.tv_sec + seconds * cores)), rlim_max: rlim_t.max)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limits)
    }

    /// Those that its threads may run on at once, and no more than the threads of one picture.
    private static let cores: Int = {
        var set = cpu_set_t()
        guard sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 else { return mostThreads }
        let count = withUnsafeBytes(of: set) { $0.reduce(0) { $0 + $1.nonzeroBitCount } }
        return min(max(1, count), mostThreads)
    }()
    private static let mostThreads = 16

    private static func limit(_ resource: __rlimit_resource_t, _ value: Int) {
        var limits = rlimit(rlim_cur: UInt(value), rlim_max: UInt(value))
        setrlimit(resource, &limits)
    }
}

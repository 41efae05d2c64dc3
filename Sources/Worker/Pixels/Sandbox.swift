import CLinux
import Glibc
import TintypeTransport
import TintypeImages

/// The sandbox of a warm pixel process: no new files, sockets or programs, and no more memory than its limit.
enum Sandbox {
    /// The reason why the sandbox could not be closed. The process must not work without it.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Isolates a process that still has one thread. The process dies with its worker, leaves no core file, and has namespaces of its own for networks,
    /// IPC and users. First call in the process.
    /// - Returns: the missing features with the reason. Many containers have no namespaces, and old kernels have no Landlock.
    static func early() -> [String] {
        keepMemoryPrivate()
        var missing: [String] = []
        note(&missing, "namespaces", tintype_unshare_namespaces())
        // After the namespaces, which give capabilities. One is kept to leave the file system.
        note(&missing, "capabilities", tintype_drop_capabilities(1 << UInt32(CAP_SYS_CHROOT)))
        _ = tintype_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL))
        _ = tintype_prctl(PR_SET_NO_NEW_PRIVS, 1)
        note(&missing, "landlock", tintype_landlock_programs())
        return missing
    }

    /// - Parameters:
    ///   - addressSpace: the most bytes that the process may map.
    ///   - generatesCode: whether libvips compiles loops at run time (Orc, before 8.15) and needs executable memory for them.
    /// - Returns: the missing features with the reason.
    /// - Throws: `Failure`.
    static func close(addressSpace: Int, generatesCode: Bool) throws(Failure) -> [String] {
        var missing: [String] = []
        limit(__rlimit_resource_t(RLIMIT_AS.rawValue), addressSpace)
        // For the pictures of an animation, those of other operations, and a few of its own.
        limit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), 64)
        // The memory for a result is outside of the address space. A larger write fails, and does not kill the process.
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

    private static func note(_ missing: inout [String], _ feature: String, _ number: Int32) {
        if number != 0 { missing.append("\(feature): \(String(cString: strerror(number)))") }
    }

    /// Ends the process by SIGXCPU once it has used more processor time than all its threads together can use in `seconds`.
    static func limitProcessorTime(within seconds: Int) {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        // The processor time of a process counts all its threads, and AVIF codecs have several.
        var limits = rlimit(rlim_cur: UInt(max(0, used.tv_sec + seconds * cores)), rlim_max: rlim_t.max)
        setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limits)
    }

    /// The number of cores that the process may use, at most the number of threads of one picture.
    private static let cores: Int = {
        var set = cpu_set_t()
        guard sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0 else { return maxThreads }
        let count = withUnsafeBytes(of: set) { $0.reduce(0) { $0 + $1.nonzeroBitCount } }
        return min(max(1, count), maxThreads)
    }()
    private static let maxThreads = 16

    private static func limit(_ resource: __rlimit_resource_t, _ value: Int) {
        var limits = rlimit(rlim_cur: UInt(value), rlim_max: UInt(value))
        setrlimit(resource, &limits)
    }
}

import CLinux
import Glibc

/// What a pixel process gives up once it is warm: new files, sockets, programs, and more memory than its share.
enum Confinement {
    /// Why the walls could not be built; the process must not work without them.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Dies with the worker that started it; leaves no core file. First thing in the process.
    static func early() {
        _ = tintype_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL))
        limit(__rlimit_resource_t(RLIMIT_CORE.rawValue), 0)
    }

    /// - Parameters:
    ///   - addressSpace: the most the process may map, in bytes.
    ///   - generatesCode: whether libvips compiles loops at run time (Orc, before 8.15) and needs executable memory for them.
    /// - Throws: `Failure`.
    static func close(addressSpace: Int, generatesCode: Bool) throws(Failure) {
        limit(__rlimit_resource_t(RLIMIT_AS.rawValue), addressSpace)
        // The pictures of an animation, those of other operations, and a few of its own.
        limit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), 64)
        _ = tintype_prctl(PR_SET_DUMPABLE, 0)
        guard tintype_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 else { throw Failure(description: "no_new_privs: errno \(errno)") }
        try filter(generatesCode: generatesCode)
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

    /// What a warm codec needs: memory, its own threads, its clock, and the descriptors it was given.
    private static let allowed = [
        "read", "write", "readv", "writev", "pread64", "pwrite64", "lseek", "close", "fcntl", "ftruncate", "fstat", "newfstatat",
        "statx", "recvmsg", "sendmsg", "poll", "ppoll", "memfd_create", "munmap", "mremap", "madvise", "brk", "futex",
        "set_robust_list", "rseq", "exit", "exit_group", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "gettid",
        "getpid", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "sched_yield",
        "sched_getaffinity", "sched_setaffinity", "sched_getattr", "sched_setattr", "getrandom", "getrusage", "setrlimit", "getrlimit",
        "prctl", "sysinfo", "uname", "getcpu", "membarrier", "restart_syscall", "set_mempolicy", "get_mempolicy",
    ]

    /// Nothing in a codec calls these: whoever does is an intruder, and the process ends.
    private static let deadly = [
        "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "bpf", "mount", "umount2", "pivot_root", "kexec_load",
        "init_module", "finit_module", "delete_module", "setuid", "setgid", "setreuid", "setresuid", "keyctl", "unshare", "setns",
    ]

    private static func filter(generatesCode: Bool) throws(Failure) {
        let refuse = UInt32(0x0005_0000) | UInt32(EPERM)
        let done = UInt32(0x0005_0000)
        let absent = UInt32(0x0005_0000) | UInt32(ENOSYS)
        let allow = UInt32(0x7fff_0000)
        let kill = UInt32(0x8000_0000)
        guard let context = seccomp_init(refuse) else { throw Failure(description: "seccomp_init") }
        defer { seccomp_release(context) }
        // Pictures are decoded by threads of libvips that are there already: a filter is the calling thread's alone unless it says so.
        let isForAll = seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1)
        guard isForAll == 0 else { throw Failure(description: "seccomp for all threads: \(isForAll)") }
        func rule(_ action: UInt32, _ name: String, _ conditions: [scmp_arg_cmp] = []) throws(Failure) {
            let call = seccomp_syscall_resolve_name(name)
            // A name this architecture or libseccomp does not know cannot be called by it either.
            guard call >= 0 else { return }
            let status = seccomp_rule_add_array(context, action, call, UInt32(conditions.count), conditions)
            guard status == 0 else { throw Failure(description: "seccomp rule \(name): \(status)") }
        }
        for name in allowed { try rule(allow, name) }
        for name in deadly { try rule(kill, name) }
        // cairo asks whether a font's file is there before it uses the one it holds open: it is told so, and nobody looks.
        for name in ["access", "faccessat", "faccessat2"] { try rule(done, name) }
        let thread = UInt64(CLONE_THREAD)
        try rule(allow, "clone", [scmp_arg_cmp(arg: 0, op: SCMP_CMP_MASKED_EQ, datum_a: thread, datum_b: thread)])
        // Its arguments are out of a filter's sight; glibc falls back to clone.
        try rule(absent, "clone3")
        try rule(allow, "prlimit64", [scmp_arg_cmp(arg: 0, op: SCMP_CMP_EQ, datum_a: 0, datum_b: 0)])
        try rule(allow, "tgkill", [scmp_arg_cmp(arg: 0, op: SCMP_CMP_EQ, datum_a: UInt64(getpid()), datum_b: 0)])
        for name in ["mmap", "mprotect"] {
            let code = UInt64(PROT_EXEC)
            let data = scmp_arg_cmp(arg: 2, op: SCMP_CMP_MASKED_EQ, datum_a: code, datum_b: 0)
            try rule(allow, name, generatesCode ? [] : [data])
        }
        let status = seccomp_load(context)
        guard status == 0 else { throw Failure(description: "seccomp_load: \(status)") }
    }
}

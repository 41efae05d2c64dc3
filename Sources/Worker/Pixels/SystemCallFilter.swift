import CLinux
import Glibc

/// The system calls that a warm pixel process may make, by name and, where a call can reach outside, by its arguments. All others fail with EPERM.
enum SystemCallFilter {
    /// What a warm codec needs: memory, its own threads, its clock, and the descriptors it was given. It makes no memory that others could hold.
    private static let allowed = [
        "read", "write", "readv", "writev", "pread64", "pwrite64", "lseek", "close", "fstat", "recvmsg", "sendmsg", "poll", "ppoll", "munmap", "mremap",
        "madvise", "brk", "futex",
        "set_robust_list", "rseq", "exit", "exit_group", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "gettid",
        "getpid", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "sched_yield",
        "getrandom", "getrusage", "setrlimit", "getrlimit", "sysinfo", "uname", "getcpu", "membarrier", "restart_syscall", "set_mempolicy", "get_mempolicy",
    ]

    /// Nothing in a codec calls these: whoever does is an intruder, and the process ends.
    private static let deadly = [
        "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "bpf", "mount", "umount2", "pivot_root", "kexec_load",
        "init_module", "finit_module", "delete_module", "setuid", "setgid", "setreuid", "setresuid", "keyctl", "unshare", "setns",
    ]

    /// What is asked of a descriptor. Not to whom its signals go, and not that there are any: the kernel would send them to the worker.
    private static let allowedOfDescriptors = [F_GETFD, F_SETFD, F_GETFL, F_GET_SEALS]

    /// - Parameter generatesCode: whether libvips compiles loops at run time.
    /// - Throws: `Confinement.Failure`.
    static func load(generatesCode: Bool) throws(Confinement.Failure) {
        let refuse = UInt32(0x0005_0000) | UInt32(EPERM)
        let done = UInt32(0x0005_0000)
        let absent = UInt32(0x0005_0000) | UInt32(ENOSYS)
        let allow = UInt32(0x7fff_0000)
        let kill = UInt32(0x8000_0000)
        guard let context = seccomp_init(refuse) else { throw Confinement.Failure(description: "seccomp_init") }
        defer { seccomp_release(context) }
        // Pictures are decoded by threads of libvips that are there already: a filter is the calling thread's alone unless it says so.
        let isForAll = seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1)
        guard isForAll == 0 else { throw Confinement.Failure(description: "seccomp for all threads: \(isForAll)") }
        func rule(_ action: UInt32, _ name: String, _ conditions: [scmp_arg_cmp] = []) throws(Confinement.Failure) {
            let call = seccomp_syscall_resolve_name(name)
            // A name this architecture or libseccomp does not know cannot be called by it either.
            guard call >= 0 else { return }
            let status = seccomp_rule_add_array(context, action, call, UInt32(conditions.count), conditions)
            guard status == 0 else { throw Confinement.Failure(description: "seccomp rule \(name): \(status)") }
        }
        for name in allowed { try rule(allow, name) }
        for name in deadly { try rule(kill, name) }
        // cairo asks whether a font's file is there before it uses the one it holds open: it is told so, and nobody looks.
        for name in ["access", "faccessat", "faccessat2"] { try rule(done, name) }
        // Which files there are is nobody's business; a flag that allows an empty path does not demand one. What is open is asked by fstat.
        let nothing = UInt32(0x0005_0000) | UInt32(ENOENT)
        for name in ["newfstatat", "statx"] { try rule(nothing, name) }
        let first: (Int32) -> scmp_arg_cmp = { scmp_arg_cmp(arg: 0, op: SCMP_CMP_EQ, datum_a: UInt64($0), datum_b: 0) }
        for command in allowedOfDescriptors { try rule(allow, "fcntl", [scmp_arg_cmp(arg: 1, op: SCMP_CMP_EQ, datum_a: UInt64(command), datum_b: 0)]) }
        try rule(
            allow, "fcntl",
            [
                scmp_arg_cmp(arg: 1, op: SCMP_CMP_EQ, datum_a: UInt64(F_SETFL), datum_b: 0),
                scmp_arg_cmp(arg: 2, op: SCMP_CMP_MASKED_EQ, datum_a: UInt64(O_ASYNC), datum_b: 0),
            ])
        // Only of the thread that asks.
        for name in ["sched_getaffinity", "sched_setaffinity", "sched_getattr", "sched_setattr"] { try rule(allow, name, [first(0)]) }
        for option in [PR_SET_NAME, PR_SET_VMA] { try rule(allow, "prctl", [first(option)]) }
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
        guard status == 0 else { throw Confinement.Failure(description: "seccomp_load: \(status)") }
    }
}

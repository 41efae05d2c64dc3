import CLinux
import Glibc

/// The system calls of a warm pixel process, by name and, if a call can reach outside, by its arguments. All others fail with EPERM.
enum SystemCallFilter {
    /// The calls of a warm codec: for memory, its own threads, its clock and the given descriptors. None creates memory that others could hold.
    private static let allowed = [
        "read", "write", "readv", "writev", "pread64", "pwrite64", "lseek", "close", "fstat", "recvmsg", "sendmsg", "poll", "ppoll", "munmap", "mremap",
        "madvise", "brk", "futex",
        "set_robust_list", "rseq", "exit", "exit_group", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "gettid",
        "getpid", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep", "gettimeofday", "sched_yield",
        "getrandom", "getrusage", "setrlimit", "getrlimit", "sysinfo", "uname", "getcpu", "membarrier", "restart_syscall", "set_mempolicy", "get_mempolicy",
    ]

    /// The calls that no codec makes. A process that makes one is compromised, and ends.
    private static let deadly = [
        "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "bpf", "mount", "umount2", "pivot_root", "kexec_load",
        "init_module", "finit_module", "delete_module", "setuid", "setgid", "setreuid", "setresuid", "keyctl", "unshare", "setns",
    ]

    /// The allowed requests about a descriptor. Its signals and their receiver are excluded: the kernel would send them to the worker.
    private static let allowedOfDescriptors = [F_GETFD, F_SETFD, F_GETFL, F_GET_SEALS]

    /// - Parameter generatesCode: whether libvips compiles loops at run time.
    /// - Throws: `Sandbox.Failure`.
    static func load(generatesCode: Bool) throws(Sandbox.Failure) {
        let refuse = UInt32(0x0005_0000) | UInt32(EPERM)
        let done = UInt32(0x0005_0000)
        let absent = UInt32(0x0005_0000) | UInt32(ENOSYS)
        let allow = UInt32(0x7fff_0000)
        let kill = UInt32(0x8000_0000)
        guard let context = seccomp_init(refuse) else { throw Sandbox.Failure(description: "seccomp_init") }
        defer { seccomp_release(context) }
        // libvips decodes in threads that exist already. Without this attribute a filter is only for the calling thread.
        let isForAll = seccomp_attr_set(context, SCMP_FLTATR_CTL_TSYNC, 1)
        guard isForAll == 0 else { throw Sandbox.Failure(description: "seccomp for all threads: \(isForAll)") }
        func rule(_ action: UInt32, _ name: String, _ conditions: [scmp_arg_cmp] = []) throws(Sandbox.Failure) {
            let call = seccomp_syscall_resolve_name(name)
            // A name that this architecture or libseccomp does not know cannot be called.
            guard call >= 0 else { return }
            let status = seccomp_rule_add_array(context, action, call, UInt32(conditions.count), conditions)
            guard status == 0 else { throw Sandbox.Failure(description: "seccomp rule \(name): \(status)") }
        }
        for name in allowed { try rule(allow, name) }
        for name in deadly { try rule(kill, name) }
        // cairo asks whether a font's file exists before it uses the one that it holds open. The filter answers yes without a look.
        for name in ["access", "faccessat", "faccessat2"] { try rule(done, name) }
        // The process must not learn which files exist; a flag that allows an empty path does not demand one. Open files are queried by fstat.
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
        // Only for the calling thread.
        for name in ["sched_getaffinity", "sched_setaffinity", "sched_getattr", "sched_setattr"] { try rule(allow, name, [first(0)]) }
        for option in [PR_SET_NAME, PR_SET_VMA] { try rule(allow, "prctl", [first(option)]) }
        let thread = UInt64(CLONE_THREAD)
        try rule(allow, "clone", [scmp_arg_cmp(arg: 0, op: SCMP_CMP_MASKED_EQ, datum_a: thread, datum_b: thread)])
        // A filter cannot see its arguments. glibc falls back to clone.
        try rule(absent, "clone3")
        try rule(allow, "prlimit64", [scmp_arg_cmp(arg: 0, op: SCMP_CMP_EQ, datum_a: 0, datum_b: 0)])
        try rule(allow, "tgkill", [scmp_arg_cmp(arg: 0, op: SCMP_CMP_EQ, datum_a: UInt64(getpid()), datum_b: 0)])
        for name in ["mmap", "mprotect"] {
            let code = UInt64(PROT_EXEC)
            let data = scmp_arg_cmp(arg: 2, op: SCMP_CMP_MASKED_EQ, datum_a: code, datum_b: 0)
            try rule(allow, name, generatesCode ? [] : [data])
        }
        let status = seccomp_load(context)
        guard status == 0 else { throw Sandbox.Failure(description: "seccomp_load: \(status)") }
    }
}

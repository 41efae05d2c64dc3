import Glibc

extension PixelProcess.End {
    /// `signal 11 (SIGSEGV)` or `exit status 70`, for errors and the log.
    var how: String {
        guard let signal else { return "exit status \(status)" }
        guard let name = Self.names[signal] else { return "signal \(signal)" }
        return "signal \(signal) (\(name))"
    }

    private static let names: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGABRT: "SIGABRT", SIGBUS: "SIGBUS",
        SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGSEGV: "SIGSEGV", SIGTERM: "SIGTERM", SIGXCPU: "SIGXCPU", SIGXFSZ: "SIGXFSZ",
        SIGSYS: "SIGSYS",
    ]
}

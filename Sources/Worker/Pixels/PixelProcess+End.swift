import Glibc
import TintypeCore

extension PixelProcess.End {
    /// The error of a picture whose processes died this number of times. Only a death during decoding blames the source. A death in a step or an encoder
    /// would happen with any other source, so no source is blacklisted for it.
    func fault(after times: Int) -> TintypeError {
        let often = times == 1 ? "died" : "died \(times) times, last"
        // A kill from outside is not the picture's fault, so the picture is tried again later.
        let name: ErrorName
        let who: String
        switch phase {
        case .transform: (name, who) = (.transformFailed, "what changes it")
        case .encode: (name, who) = (.encodeFailed, "its encoder")
        case .admission, .cache, .queue, .download, .decode, .store, .deliver: (name, who) = (.badImageData, "its decoder")
        }
        var details: JSONObject = ["cause": .string(how)]
        if !isFromOutside { details["crashed"] = true }
        return TintypeError(isFromOutside ? .workerLost : name, phase, "\(who) \(often) by \(how)", details: details)
    }

    /// Whether somebody else killed the process: an operator, or the kernel short of memory.
    var isFromOutside: Bool { signal == SIGKILL && violation == nil }

    /// The end as text for errors and the log: `signal 11 (SIGSEGV)`, `exit status 70` or `breaking a rule (descriptor)`.
    var how: String {
        if let violation { return "breaking a rule (\(violation.rawValue))" }
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

import CLinux
import Glibc
import ImageHeads
import TintypeImages

/// Attacks by a compromised pixel process, for tests: each does the worst that it can. Only with `--test-hooks`, called by `TestHook`.
enum HostileHook {
    /// - Parameters:
    ///   - socket: the socket to the worker.
    ///   - output: the memory that the worker has lent for the result.
    ///   - source: the source as it is mapped.
    /// - Returns: whether there is an attack of this name.
    /// - Throws: how a call was refused.
    static func run(_ name: String, _ socket: Int32, output: Int32, source: UnsafeRawBufferPointer) throws(PictureFailure) -> Bool {
        switch name {
        case "set owner": throw .refused("fcntl", tintype_set_owner(socket, getppid()))
        case "set signal": throw .refused("fcntl", tintype_set_signal(socket, SIGKILL))
        case "set async": throw .refused("fcntl", fcntl(socket, F_SETFL, O_ASYNC | O_NONBLOCK))
        case "copy descriptor": throw .refused("fcntl", fcntl(socket, F_DUPFD_CLOEXEC, 10))
        case "seal": throw .refused("fcntl", tintype_seal(output))
        case "set affinity": throw .refused("sched_setaffinity", tintype_set_affinity(getppid()))
        case "set scheduling": throw .refused("sched_setattr", tintype_set_scheduling(getppid()))
        case "outlive": throw .refused("prctl", tintype_prctl(PR_SET_PDEATHSIG, 0))
        case "dump": throw .refused("prctl", tintype_prctl(PR_SET_DUMPABLE, 1))
        case "stat": throw .refused("newfstatat", tintype_stat_path("/etc/passwd", 0))
        case "stat empty": throw .refused("newfstatat", tintype_stat_path("/etc/passwd", AT_EMPTY_PATH))
        case "statx": throw .refused("statx", tintype_statx_path("/etc/passwd", AT_EMPTY_PATH))
        case "memory": throw .refused("memfd_create", memfd_create("tintype-hook", 0))
        case "write source": throw .refused("mprotect", mprotect(UnsafeMutableRawPointer(mutating: source.baseAddress), source.count, PROT_READ | PROT_WRITE))
        case "grow": throw .refused("pwrite", grow(output))
        case "limits": throw .refused("setrlimit", raiseLimits())
        case "two descriptors": send(socket, #"{"id":1}"#, 2)
        case "a descriptor": send(socket, #"{"id":1}"#, 1)
        case "many descriptors": for _ in 0..<50 { send(socket, #"{"id":1}"#, 8) }
        case "empty with descriptor": send(socket, "", 1)
        case "no JSON with descriptor": send(socket, "no JSON", 1)
        case "no JSON": send(socket, "no JSON", 0)
        case "no object": send(socket, "[1]", 0)
        case "stranger": send(socket, #"{"id":99999,"progress":"decode"}"#, 0)
        case "flood": while true { send(socket, #"{"id":1,"progress":"decode","fraction":0.5}"#, 0) }
        case "endless text": endlessText()
        case "forged lines": forgedLines()
        case "huge numbers": hugeNumbers(socket)
        case "short tale": tell(socket, 5000)
        case "long tale": tell(socket, 5_000_000)
        case "endless tale": tell(socket, .max)
        default: return false
        }
        // The worker kills a process that breaks a rule.
        while true { pause() }
    }

    private static func send(_ socket: Int32, _ text: String, _ copies: Int32) {
        let bytes = Array(text.utf8)
        if copies == 0 { tintype_send_packet(socket, bytes, bytes.count, -1, 0) } else { tintype_send_copies(socket, bytes, bytes.count, 0, copies) }
    }

    /// Writes one byte beyond the largest result.
    private static func grow(_ output: Int32) -> Int32 {
        var byte: UInt8 = 1
        return pwrite(output, &byte, 1, OutputOptions.largestFile) < 0 ? -1 : 0
    }

    private static func raiseLimits() -> Int32 {
        var limits = rlimit(rlim_cur: rlim_t.max, rlim_max: rlim_t.max)
        return setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits)
    }

    private static func endlessText() -> Never {
        let text = Array(String(repeating: "A line of no use.\n", count: 1000).utf8)
        while true { _ = Glibc.write(2, text, text.count) }
    }

    /// Prints lines like those of the worker's log, with terminal control sequences, and crashes.
    private static func forgedLines() -> Never {
        let text = Array("\u{1b}[2J\ntime=1970 level=notice label=worker msg=forged\n".utf8)
        for _ in 0..<1000 { _ = Glibc.write(2, text, text.count) }
        abort()
    }

    /// Tells of a result that was never written.
    private static func tell(_ socket: Int32, _ length: Int) {
        let source = #"{"format":"png","width":1,"height":1,"frames":1,"orientation":1}"#
        send(socket, #"{"id":1,"source":\#(source),"picture":{"format":"png","width":1,"height":1,"frames":1,"bytes":\#(length)},"done":{}}"#, 0)
    }

    private static func hugeNumbers(_ socket: Int32) {
        let most = Int64.max
        send(
            socket,
            #"{"id":1,"rss":\#(most),"source":{"format":"png","width":\#(most),"height":-\#(most),"frames":\#(most),"orientation":\#(most)},"#
                + #""done":{"decode":1e308,"transform":-1e308,"encode":1e308},"fraction":1e308}"#, 0)
    }
}

import CLinux
import Engine
import Glibc
import ImageHeads

/// Misbehavior of a pixel process for tests: a picture whose file ends in `tintype-test-hook:NAME`. Only with `--test-hooks`.
enum TestHook {
    private static let mark = Array("tintype-test-hook:".utf8)

    /// - Parameters:
    ///   - socket: the socket to the worker.
    ///   - output: the memory that the worker has lent for the result.
    static func run(in bytes: UnsafeRawBufferPointer, _ clock: PictureClock, _ socket: Int32, output: Int32) throws(PictureFailure) {
        let tail = Array(bytes.suffix(64))
        guard let at = (0..<max(0, tail.count - mark.count)).first(where: { Array(tail[$0..<$0 + mark.count]) == mark }) else { return }
        let name = String(decoding: tail[(at + mark.count)...], as: UTF8.self)
        switch name {
        case _ where name.hasPrefix("starve "): starve(String(name.dropFirst(7)))
        case "hang": while true { sleep(1) }
        case "spin": while true { sched_yield() }
        case "burn": burn()
        case "crash": crash()
        case "crash in transform": crash(in: .transform, clock)
        case "crash in encode": crash(in: .encode, clock)
        case "abort": abort()
        case "eat": try eat()
        case "grasp": grasp()
        case "doze": while true { try clock.check(.transform, 0.5) }
        case "socket": throw .refused("socket", Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        case "open": throw .refused("open", open("/etc/passwd", O_RDONLY))
        case "create": throw .refused("open", open("/tmp/tintype-hook", O_WRONLY | O_CREAT, 0o600))
        case "fork": throw .refused("fork", tintype_fork())
        case "kill": throw .refused("kill", kill(getppid(), SIGUSR1))
        case "exec": throw .refused("exec", tintype_exec_true())
        case _ where try HostileHook.run(name, socket, output: output, source: bytes): break
        default: throw PictureFailure(.transformFailed, .transform, "no such test hook")
        }
    }

    private static func crash() { UnsafeMutablePointer<Int>(bitPattern: 64)?.pointee = 1 }

    /// Crashes at the start of this phase.
    private static func crash(in phase: PictureFailure.Phase, _ clock: PictureClock) {
        let previous = clock.onPhase
        clock.onPhase = { begun in
            previous?(begun)
            if begun == phase { crash() }
        }
    }

    /// Uses all cores, like an encoder with its own threads.
    private static func burn() -> Never {
        for _ in 1..<16 {
            var thread = pthread_t()
            pthread_create(&thread, nil, { _ in while true { sched_yield() } }, nil)
        }
        while true { sched_yield() }
    }

    /// Takes all address space down to the last page, and then the remainder of the heap with this function of C or C++.
    private static func starve(_ allocator: String) {
        guard let symbol = dlsym(nil, allocator) else { return }
        let allocate = unsafeBitCast(symbol, to: (@convention(c) (Int) -> UnsafeMutableRawPointer?).self)
        var size = 8 << 20
        while size >= Int(getpagesize()) {
            while mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED {}
            size /= 2
        }
        while allocate(64) != nil {}
    }

    /// Allocates one array that is larger than all memory.
    private static func grasp() {
        let array = [UInt64](repeating: 1, count: 1 << 40)
        withExtendedLifetime(array) {}
    }

    private static func eat() throws(PictureFailure) {
        var eaten = 0
        // Not by malloc: the optimizer would remove memory that nobody reads.
        while mmap(nil, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) != MAP_FAILED {
            eaten += 8
            if eaten > 4096 { break }
        }
        throw PictureFailure(.transformFailed, .transform, "\(eaten) MiB were let through")
    }
}

extension PictureFailure {
    /// How a call was refused, for tests.
    static func refused(_ call: String, _ result: Int32) -> PictureFailure {
        PictureFailure(.transformFailed, .transform, result < 0 ? "\(call): errno \(errno)" : "\(call) was let through")
    }
}

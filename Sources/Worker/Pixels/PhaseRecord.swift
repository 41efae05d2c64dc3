import Glibc
import ImageHeads
import TintypeCore

/// Where a pixel process notes which phase of its picture it has begun, and whether it aborts for want of memory, so that its end, whatever it is, can be
/// told from where it came: two bytes of memory that worker and process both hold. A packet for each phase would wake the worker three times for every picture.
///
/// The worker's side makes it and reads it once the process has ended; the process writes it. What a process that was taken over writes there is
/// believed: it could as well answer that a sound picture is bad.
struct PhaseRecord {
    let descriptor: Int32

    /// Where a process finds it.
    static let place: Int32 = 4

    private static let phases: [PictureFailure.Phase] = [.decode, .transform, .encode]

    /// The process's own.
    init() { descriptor = Self.place }

    /// A new one, which says decode.
    /// - Throws: `ChildSpawn.Failure` when there is no memory or no descriptor left.
    init(named name: String) throws(ChildSpawn.Failure) {
        let memory = memfd_create(name, UInt32(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        guard memory >= 0 else { throw ChildSpawn.Failure(call: "memfd_create", number: errno) }
        defer { close(memory) }
        // Its number must be none that a process gets its own descriptors under: they are put there one after the other.
        descriptor = fcntl(memory, F_DUPFD_CLOEXEC, Self.place + 1)
        guard descriptor >= 0 else { throw ChildSpawn.Failure(call: "fcntl", number: errno) }
        // Two bytes and no more, whoever writes.
        guard ftruncate(memory, 2) == 0, fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 else {
            let number = errno
            close(descriptor)
            throw ChildSpawn.Failure(call: "phase record", number: number)
        }
    }

    func write(_ phase: PictureFailure.Phase) {
        var byte = UInt8(Self.phases.firstIndex(of: phase) ?? 0)
        pwrite(descriptor, &byte, 1, 0)
    }

    /// From now on an abort for want of memory is noted. C++, Swift and GLib's lists abort when they get none; so does libc over a heap that is broken, and
    /// a library that does not understand itself. errno tells these apart: malloc has set it, nobody sets it on the way to the end, and who begins a picture
    /// clears it. Each thread has its own, and only that of the first is cleared: where one of a codec's threads has got over a want of memory and aborts later
    /// for another reason, this is taken for a want of memory too, and a source that may be bad is not blamed. The other mistake would be worse.
    /// Once, in the process; the handler calls nothing that a signal might have interrupted.
    func watchAborts() {
        signal(SIGABRT) { _ in
            guard errno == ENOMEM else { return }
            var yes: UInt8 = 1
            pwrite(PhaseRecord.place, &yes, 1, 1)
        }
    }

    /// Whether the process has aborted for want of memory.
    var isOutOfMemory: Bool {
        var byte: UInt8 = 0
        return pread(descriptor, &byte, 1, 1) == 1 && byte != 0
    }

    /// What was begun last.
    func read() -> PictureFailure.Phase {
        var byte: UInt8 = 0
        guard pread(descriptor, &byte, 1, 0) == 1, Self.phases.indices.contains(Int(byte)) else { return .decode }
        return Self.phases[Int(byte)]
    }
}

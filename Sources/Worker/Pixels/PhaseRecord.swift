import Glibc
import ImageHeads
import TintypeCore

/// The present phase of a pixel process, and whether the process aborts because memory is missing: two bytes that the worker and the process share. So the
/// worker knows the phase however the process ends. A packet for each phase would wake the worker three times for every picture.
///
/// The worker creates the record and reads it after the process has ended; the process writes it. A compromised process can write anything, and
/// the worker believes it: such a process could as well answer that a sound picture is bad.
struct PhaseRecord {
    let descriptor: Int32

    /// The descriptor's number in the process.
    static let place: Int32 = 4

    private static let phases: [PictureFailure.Phase] = [.decode, .transform, .encode]

    /// Opens the record in the process.
    init() { descriptor = Self.place }

    /// Creates a record that says decode.
    /// - Throws: `CallFailure` if no memory or no descriptor is left.
    init(named name: String) throws(CallFailure) {
        let memory = memfd_create(name, UInt32(MFD_CLOEXEC | MFD_ALLOW_SEALING))
        guard memory >= 0 else { throw CallFailure(call: "memfd_create", number: errno) }
        defer { close(memory) }
        // The number must be none of those that the process's own descriptors get, because they are set one after the other.
        descriptor = fcntl(memory, F_DUPFD_CLOEXEC, Self.place + 1)
        guard descriptor >= 0 else { throw CallFailure(call: "fcntl", number: errno) }
        // Always two bytes, whoever writes.
        guard ftruncate(memory, 2) == 0, fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 else {
            let number = errno
            close(descriptor)
            throw CallFailure(call: "phase record", number: number)
        }
    }

    func write(_ phase: PictureFailure.Phase) {
        var byte = UInt8(Self.phases.firstIndex(of: phase) ?? 0)
        pwrite(descriptor, &byte, 1, 0)
    }

    /// Notes from now on an abort because memory is missing. Call once, in the process; the handler calls nothing that a signal might have interrupted.
    ///
    /// C++, Swift and GLib's lists abort when an allocation fails. But libc also aborts over a broken heap, and a library over an internal error. `errno` tells
    /// the two apart: malloc sets it, nobody sets it on the way to the abort, and the start of a picture clears it.
    ///
    /// Each thread has its own `errno`, and only that of the first thread is cleared. If a codec's thread survives a failed allocation and aborts later
    /// for another reason, the abort counts as missing memory. A source that may be bad is then not blamed. The opposite mistake would be worse.
    func watchAborts() {
        signal(SIGABRT) { _ in
            guard errno == ENOMEM else { return }
            var yes: UInt8 = 1
            pwrite(PhaseRecord.place, &yes, 1, 1)
        }
    }

    /// Whether the process aborted because memory was missing.
    var isOutOfMemory: Bool {
        var byte: UInt8 = 0
        return pread(descriptor, &byte, 1, 1) == 1 && byte != 0
    }

    /// Returns the phase that began last.
    func read() -> PictureFailure.Phase {
        var byte: UInt8 = 0
        guard pread(descriptor, &byte, 1, 0) == 1, Self.phases.indices.contains(Int(byte)) else { return .decode }
        return Self.phases[Int(byte)]
    }
}

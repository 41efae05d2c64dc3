import Glibc
import Shared

/// Where a pixel process notes which phase of its picture it has begun, so that its end, whatever it is, can be told from where it came: a byte of
/// memory that worker and process both hold. A packet for each phase would wake the worker three times for every picture.
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
        // A byte and no more, whoever writes.
        guard ftruncate(memory, 1) == 0, fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 else {
            let number = errno
            close(descriptor)
            throw ChildSpawn.Failure(call: "phase record", number: number)
        }
    }

    func write(_ phase: PictureFailure.Phase) {
        var byte = UInt8(Self.phases.firstIndex(of: phase) ?? 0)
        pwrite(descriptor, &byte, 1, 0)
    }

    /// What was begun last.
    func read() -> PictureFailure.Phase {
        var byte: UInt8 = 0
        guard pread(descriptor, &byte, 1, 0) == 1, Self.phases.indices.contains(Int(byte)) else { return .decode }
        return Self.phases[Int(byte)]
    }
}

/// Why planes were not had.
enum PlaneFailure: Error {
    /// The file, or the memory, is not good enough.
    case refused
    /// Whoever watches had it stopped.
    case stopped
}

/// A closure that C code asks, between lines, whether to go on.
final class PlanarWatch {
    private let body: (Double) -> Bool
    /// - Parameter body: told how far the work is, 0…1.
    init(_ body: @escaping (Double) -> Bool) { self.body = body }

    func goesOn(_ fraction: Double) -> Bool { body(fraction) }

    /// Lends itself to C for as long as `work` runs.
    func lent<R>(_ work: (UnsafeMutableRawPointer) -> R) -> R {
        withExtendedLifetime(self) { work(Unmanaged.passUnretained(self).toOpaque()) }
    }

    /// What C code gives back.
    static func goesOn(_ context: UnsafeMutableRawPointer?, _ fraction: Double) -> Bool {
        guard let context else { return true }
        return Unmanaged<PlanarWatch>.fromOpaque(context).takeUnretainedValue().goesOn(fraction)
    }
}

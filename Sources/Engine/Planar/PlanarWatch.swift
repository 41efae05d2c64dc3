/// The reason why planes could not be made.
enum PlaneFailure: Error {
    /// The file is not suitable, or memory is missing.
    case refused
    /// The watch stopped the work.
    case stopped
}

/// A closure that C code calls between lines to learn whether to go on.
final class PlanarWatch {
    private let body: (Double) -> Bool
    /// - Parameter body: called with the progress, 0…1.
    init(_ body: @escaping (Double) -> Bool) { self.body = body }

    func goesOn(_ fraction: Double) -> Bool { body(fraction) }

    /// Lends this object to C while `work` runs.
    func lent<R>(_ work: (UnsafeMutableRawPointer) -> R) -> R {
        withExtendedLifetime(self) { work(Unmanaged.passUnretained(self).toOpaque()) }
    }

    /// Calls the closure behind the context that C code passes back.
    static func goesOn(_ context: UnsafeMutableRawPointer?, _ fraction: Double) -> Bool {
        guard let context else { return true }
        return Unmanaged<PlanarWatch>.fromOpaque(context).takeUnretainedValue().goesOn(fraction)
    }
}

/// Decides when the workers and the queues are read, one look at a time. A value.
///
/// A look may take longer than a second. One that becomes due meanwhile is not lost: workers are due at every third tick only, and slow queues would
/// fall on just these.
struct FleetLooks: Sendable {
    /// The subjects of a look.
    struct Look: Hashable, Sendable {
        let atWorkers, atQueues: Bool
    }

    private var areWorkersDue = false
    private var isLooking = false

    /// Returns the look that begins now; nil if nothing is due, or while another look goes on.
    mutating func begin(atWorkers: Bool, atQueues: Bool) -> Look? {
        areWorkersDue = areWorkersDue || atWorkers
        guard !isLooking, areWorkersDue || atQueues else { return nil }
        defer { (isLooking, areWorkersDue) = (true, false) }
        return Look(atWorkers: areWorkersDue, atQueues: atQueues)
    }

    mutating func end() { isLooking = false }
}

import Coordinator
/// How a request at the picture door ends, as metrics count it.
enum DoorOutcome: String, Sendable, CaseIterable, Hashable {
    /// The picture was there, and Redis was not asked.
    case hit
    /// The index of results in Redis had the picture.
    case kept
    /// A worker made the picture for this request, or for others with it.
    case made
    /// The client has the picture already: 304, and no byte was read.
    case unchanged
    /// A fallback was shown.
    case fallback
    /// The picture is being made, and the client comes back for it: 202.
    case accepted
    /// The URL is wrong, or the client may not have the picture.
    case refused
    /// The picture could not be made or read.
    case failed
    /// The client has gone before its answer.
    case gone

    /// - Parameter from: The place of origin, as a result names it.
    init(from: String) {
        self =
            switch from {
            case "memory": .hit
            case "results": .kept
            case "fallback": .fallback
            default: .made
            }
    }
}

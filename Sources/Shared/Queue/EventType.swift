/// The type of an event of a receipt (docs/protocol.md), or of a message from the scripts to a coordinator.
package enum EventType: Sendable, Hashable {
    case queued, started, response, progress, preview, cached, rendition, retrying
    /// It waits until it is to go on, and goes on.
    case paused, resumed
    /// The last event of a receipt.
    case succeeded, failed, cancelled
    /// A message without an event. It proves that the channel works.
    case ping
    /// `moved`: another coordinator now receives the events of a receipt. `given`: this coordinator receives them, since the client at the other one
    /// gave the receipt up.
    case moved, given
    /// A client has cancelled a group that this coordinator drives.
    case over
    /// A type from the scripts of another build. It is passed on unchanged.
    case other(String)

    /// All types that this build knows.
    package static let known: [EventType] = [
        .queued, .started, .response, .progress, .preview, .cached, .rendition, .retrying, .paused, .resumed, .succeeded, .failed, .cancelled, .ping, .moved,
        .given, .over,
    ]
    private static let byText = Dictionary(uniqueKeysWithValues: known.map { ($0.text, $0) })

    package init(_ text: String) { self = Self.byText[text] ?? .other(text) }

    /// The type as messages and events contain it.
    package var text: String {
        switch self {
        case .queued: "queued"
        case .started: "started"
        case .response: "response"
        case .progress: "progress"
        case .preview: "preview"
        case .cached: "cached"
        case .rendition: "rendition"
        case .retrying: "retrying"
        case .paused: "paused"
        case .resumed: "resumed"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .ping: "ping"
        case .moved: "moved"
        case .given: "given"
        case .over: "over"
        case .other(let text): text
        }
    }

    /// Whether an event of this type is the last of its receipt.
    package var isTerminal: Bool { self == .succeeded || self == .failed || self == .cancelled }
}

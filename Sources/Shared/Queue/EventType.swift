/// The type of an event of a receipt (PROTOCOL.md §5), or of a message between the scripts and a coordinator.
package enum EventType: Sendable, Hashable {
    case queued, started, response, progress, preview, cached, rendition, retrying
    /// The last event of a receipt.
    case succeeded, failed, cancelled
    /// A message that tells of no event: it proves the way whole.
    case ping
    /// A receipt has gone to another coordinator, or has come from one whose client has given it up.
    case moved, given
    /// Somebody has cancelled a group that the coordinator drives.
    case over
    /// A type that the scripts of another build have. It is handed on as it came.
    case other(String)

    /// All that this build knows.
    package static let known: [EventType] = [
        .queued, .started, .response, .progress, .preview, .cached, .rendition, .retrying, .succeeded, .failed, .cancelled, .ping, .moved, .given, .over,
    ]
    private static let byText = Dictionary(uniqueKeysWithValues: known.map { ($0.text, $0) })

    package init(_ text: String) { self = Self.byText[text] ?? .other(text) }

    /// As it stands in messages and events.
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

    /// Whether a receipt ends with it.
    package var isTerminal: Bool { self == .succeeded || self == .failed || self == .cancelled }
}

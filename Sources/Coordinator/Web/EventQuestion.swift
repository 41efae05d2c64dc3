import TintypeCore
import TintypeImages

/// The question of a request for a stream of events: which subject, and the last event that the client has. Pure.
struct EventQuestion: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        case receipt(String)
        case queue(String)
    }

    let subject: Subject
    /// nil: the client has no event yet.
    let lastEventID: String?

    /// The header in which a browser sends the id of the last event.
    static let header = "Last-Event-ID"

    private static let parameters = [
        ParameterDescription("receipt", ImageRequest.receiptType, "The receipt's id."),
        ParameterDescription("queue", ImageRequest.queueType, "The queue's name."),
        ParameterDescription("lastEventId", .string(maxLength: 256), "The id of the last event that the client has."),
    ]

    /// - Parameter header: `Last-Event-ID`. A client that has the parameter in its URL sends newer ids here.
    /// - Throws: `invalidParams` with the name of the parameter.
    init(_ query: [String: String], header: String?) throws(TintypeError) {
        let params = JSONObject(query.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        try ParameterDescription.validate(params, Self.parameters, at: "")
        switch (query["receipt"], query["queue"]) {
        case (let receipt?, nil): subject = .receipt(receipt)
        case (nil, let queue?): subject = .queue(queue)
        case (nil, nil): throw .invalidParams(path: "receipt", value: nil, expected: "either receipt or queue in the query")
        case (_?, let queue?): throw .invalidParams(path: "queue", value: .string(queue), expected: "either receipt or queue in the query")
        }
        let (name, given) = header.map { (Self.header, $0) } ?? ("lastEventId", query["lastEventId"] ?? "")
        lastEventID = given.isEmpty ? nil : given
        guard case .receipt = subject, let lastEventID else { return }
        guard Int(lastEventID).map({ $0 >= 0 && "\($0)" == lastEventID }) == true else {
            throw .invalidParams(path: name, value: .string(lastEventID), expected: "the id of an event of this stream, a number")
        }
    }
}

import Coordinator
import TintypeCore
import TintypeImages
import TintypeTransport

/// The question of a request for a stream of events: which subject, and the last event that the client has. Pure.
struct EventQuestion: Sendable, Hashable {
    enum Subject: Sendable, Hashable {
        case feed(Feed)
        /// The statistics of the fleet, each second.
        case statistics
    }

    /// A subject whose events go through Redis.
    enum Feed: Sendable, Hashable {
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
        ParameterDescription("stats", .choice(["1"]), "1: the statistics of all coordinators and workers, each second."),
        ParameterDescription("lastEventId", .string(maxLength: 256), "The id of the last event that the client has."),
    ]

    /// - Parameter header: `Last-Event-ID`. A client that has the parameter in its URL sends newer ids here.
    /// - Throws: `invalidParams` with the name of the parameter.
    init(_ query: [String: String], header: String?) throws(TintypeError) {
        let params = JSONObject(query.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        try ParameterDescription.validate(params, Self.parameters, at: "")
        let expected = "one of receipt, queue and stats in the query"
        switch (query["receipt"], query["queue"], query["stats"]) {
        case (let receipt?, nil, nil): subject = .feed(.receipt(receipt))
        case (nil, let queue?, nil): subject = .feed(.queue(queue))
        case (nil, nil, _?): subject = .statistics
        case (nil, nil, nil): throw .invalidParams(path: "receipt", value: nil, expected: expected)
        case (_, let queue?, _): throw .invalidParams(path: "queue", value: .string(queue), expected: expected)
        case (_?, nil, let stats?): throw .invalidParams(path: "stats", value: .string(stats), expected: expected)
        }
        let (name, given) = header.map { (Self.header, $0) } ?? ("lastEventId", query["lastEventId"] ?? "")
        lastEventID = given.isEmpty ? nil : given
        guard let lastEventID else { return }
        if case .feed(.queue) = subject { return }
        guard Int(lastEventID).map({ $0 >= 0 && "\($0)" == lastEventID }) == true else {
            throw .invalidParams(path: name, value: .string(lastEventID), expected: "the id of an event of this stream, a number")
        }
    }
}

/// The text of server-sent events (HTML living standard, section 9.2). Pure.
enum EventText {
    /// Sent while there is no event, so that proxies and clients do not give the connection up.
    static let keepAlive = Array(": keep-alive\n\n".utf8)

    /// Returns the first lines of a stream.
    /// - Parameter retry: The pause of a client before it connects again.
    static func opening(retry: Duration) -> [UInt8] { Array("retry: \(retry.components.seconds * 1000)\n\n".utf8) }

    /// Returns an event. No part of it has a line break.
    static func bytes(of event: StreamEvent) -> [UInt8] {
        let id = event.id.map { "id: \($0)\n" } ?? ""
        return Array("\(id)event: \(event.type)\ndata: \(event.data)\n\n".utf8)
    }
}

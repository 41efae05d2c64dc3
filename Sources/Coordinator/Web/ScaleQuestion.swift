import TintypeCore
import TintypeImages

/// The question of a request for `/scale`: which queue, and how its workers are counted. Pure.
struct ScaleQuestion: Sendable, Hashable {
    let queue: String
    /// The least and the most workers that may be answered.
    let bounds: ClosedRange<Int>
    /// The permits of one worker; nil for those of the live workers.
    let permits: Int?
    /// The age of the oldest fetch, in seconds, from which more workers are wanted than are there.
    let patience: Double

    /// The most permits of a worker.
    static let mostPermits = 4096
    private static let most = 10_000
    private static let parameters = [
        ParameterDescription("queue", ImageRequest.queueType, default: "default", "The queue's name."),
        ParameterDescription("min", .integer(0...most), default: 0, "The least number of workers to answer."),
        ParameterDescription("max", .integer(0...most), default: JSON(most), "The most."),
        ParameterDescription("permits", .integer(1...mostPermits), "The permits of one worker."),
        ParameterDescription("patience", .integer(0...3600), default: 5, "Seconds that the oldest fetch may wait before further workers are wanted."),
    ]

    /// - Throws: `invalidParams` with the name of the parameter.
    init(_ query: [String: String]) throws(TintypeError) {
        let numbers = query.filter { $0.key != "queue" }.mapValues { text in Int(text).map { JSON($0) } ?? .string(text) }
        let params = JSONObject(query.sorted { $0.key < $1.key }.map { ($0.key, numbers[$0.key] ?? .string($0.value)) })
        try ParameterDescription.validate(params, Self.parameters, at: "")
        let least = params["min"]?.int ?? 0
        let most = params["max"]?.int ?? Self.most
        guard least <= most else { throw .invalidParams(path: "max", value: JSON(most), expected: "a number of at least min, which is \(least)") }
        queue = query["queue"] ?? "default"
        bounds = least...most
        permits = params["permits"]?.int
        patience = params["patience"]?.double ?? WantedWorkers.usualPatience
    }
}

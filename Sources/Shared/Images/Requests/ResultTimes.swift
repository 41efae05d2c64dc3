package import TintypeCore

/// The `metrics` of an ImageResult: seconds by phase.
package enum ResultTimes {
    /// All members. `PhaseTimes` of the worker writes all but the first and the last, which the queue adds.
    package static let names = ["queued", "dns", "connect", "tls", "firstByte", "download", "decode", "transform", "encode", "store", "total"]

    /// The metrics of a result that existed already.
    package static let none = JSON.object(JSONObject(names.map { ($0, 0) }))
}

package import TintypeCore

/// The `metrics` of an ImageResult: where the time went, in seconds.
package enum ResultTimes {
    /// Every member. `PhaseTimes` of the worker writes all but the first and the last, which the queue adds.
    package static let names = ["queued", "dns", "connect", "tls", "firstByte", "download", "decode", "transform", "encode", "store", "total"]

    /// Of a result that was there already. `submit.lua` holds the same text.
    package static let none = JSON.object(JSONObject(names.map { ($0, 0) }))
}

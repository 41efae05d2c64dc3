import TintypeCore
import TintypeTransport
import TintypeImages
import TintypeQueue

/// An ImageResult made from entries of the memory tier, as text.
struct MemoryAnswer {
    private static let times = ResultTimes.none.bytes()

    let receipt: String
    let plan: AdmissionPlan
    let entries: [CachedRendition]

    /// Writes the ImageResult.
    @Loop
    func write(to writer: inout JSONWriter) {
        writer.raw("{\"receipt\":")
        writer.string(receipt)
        writer.raw(",\"from\":\"memory\",\"state\":\"succeeded\",\"notModified\":false,\"source\":")
        writer.raw(entries.first?.source ?? [])
        writer.raw(",\"renditions\":[")
        let stored = plan.terms.stored
        for (index, entry) in entries.enumerated() {
            writer.raw(index == 0 ? "{\"name\":" : ",{\"name\":")
            writer.string(plan.outputs[index].name)
            writer.raw(",")
            writer.raw(entry.members)
            writer.raw(",\"stored\":")
            writer.value(stored)
            writer.raw("}")
        }
        writer.raw("],\"description\":{},\"attempts\":0,\"worker\":null,\"metrics\":")
        writer.raw(Self.times)
        writer.raw(json: plan.meta)
        writer.raw("}")
    }

    /// Returns the terminal event of this result.
    @Loop
    func event() -> ReceiptEvent {
        var writer = JSONWriter(capacity: 1024)
        writer.raw("\"result\":")
        write(to: &writer)
        return ReceiptEvent(
            type: .succeeded, sequence: 1, at: WallClock.text(WallClock.now), body: String(decoding: writer.bytes, as: UTF8.self))
    }
}

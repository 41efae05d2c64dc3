import TintypeImages
import TintypeQueue

/// The use of a receipt's result on its way to clients.
package struct ResultUse: Sendable, Hashable {
    var terms = ReceiptTerms()
    /// Whether the result was made again although it existed. The memory tiers of other coordinators are outdated then.
    var isReload = false
    /// The seconds for which the memory tier keeps the result; nil: its own lifetime.
    var memoryLifetime: Double?
    /// Whether the request counts as shown activity.
    var isActivity = true
    /// The tags that the result gets.
    package var tags: Set<String> = []

    /// Whether the answer contains the bytes.
    var needsBytes: Bool { terms.delivery == .inline || terms.document != nil }
    var keepsInMemory: Bool { terms.tiers.contains(.memory) }
    /// Whether only the memory tier keeps the result.
    var keepsInMemoryAlone: Bool { keepsInMemory && !terms.tiers.contains(.results) }
}

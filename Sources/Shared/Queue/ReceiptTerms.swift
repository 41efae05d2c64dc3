package import TintypeCore
package import TintypeImages

/// How a request wants its end handed over: kept with the receipt, so that whichever coordinator is asked does as was said.
package struct ReceiptTerms: Sendable, Hashable {
    /// Lives on when its client leaves.
    package var isDetached = false
    package var delivery = ImageRequest.Delivery.reference
    /// Its client is told of the moments around the work, `image.hook`.
    package var hasHooks = false
    /// The result's bytes are JSON, which belongs into the result.
    package var isJSON = false
    /// What its client gets if it fails.
    package var fallback: Fallback?
    /// Whose it is (`ClientIdentity.key`), if no admin's; nil: within an admin's reach alone.
    package var owner: String?
    /// Its results are spared where the store has too much.
    package var isPinned = false
    /// The tiers that were asked to keep the results.
    package var tiers = Set(CacheTier.ofRenditions)

    package init(
        isDetached: Bool = false, delivery: ImageRequest.Delivery = .reference, hasHooks: Bool = false,
        isJSON: Bool = false, tiers: Set<CacheTier> = Set(CacheTier.ofRenditions)
    ) {
        self.isJSON = isJSON
        (self.isDetached, self.delivery, self.hasHooks, self.tiers) = (isDetached, delivery, hasHooks, tiers)
    }

    /// What `stored` says of each rendition: where it was asked to be kept.
    package var stored: JSON { .array(CacheTier.ofRenditions.filter(tiers.contains).map { .string($0.rawValue) }) }

    /// A letter for each thing that is not as usual: `d` detached, `i` inline, `n` not delivered, `h` hooks, `j` JSON, `p` pinned, `M` not in memory,
    /// `R` not in results, `s` the fallback has secrets and is forgotten with the end. Then the owner behind an `@`, and the fallback as JSON.
    package var letters: String {
        var letters = isDetached ? "d" : ""
        switch delivery {
        case .reference: break
        case .inline: letters += "i"
        case .none: letters += "n"
        }
        if hasHooks { letters += "h" }
        if isJSON { letters += "j" }
        if isPinned { letters += "p" }
        if !tiers.contains(.memory) { letters += "M" }
        if !tiers.contains(.results) { letters += "R" }
        if let fallback, fallback.hasSecrets { letters += "s" }
        if let owner { letters += "@\(owner)" }
        if let fallback { letters += fallback.json.text }
        return letters
    }

    /// Reads what `letters` has written.
    package init(letters text: String) {
        let head = text.prefix { $0 != "{" }
        if head.endIndex != text.endIndex { fallback = (try? JSON(parsing: String(text[head.endIndex...]))).flatMap { Fallback($0) } }
        let letters = head.prefix { $0 != "@" }
        if letters.endIndex != head.endIndex { owner = String(head[letters.endIndex...].dropFirst()) }
        isDetached = letters.contains("d")
        delivery = letters.contains("i") ? .inline : letters.contains("n") ? .none : .reference
        hasHooks = letters.contains("h")
        isJSON = letters.contains("j")
        isPinned = letters.contains("p")
        if letters.contains("M") { tiers.remove(.memory) }
        if letters.contains("R") { tiers.remove(.results) }
    }
}

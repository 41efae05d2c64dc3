package import TintypeCore
package import TintypeImages

/// The options of a request for the delivery of its end. They are kept with the receipt, so every coordinator handles it in the same way.
package struct ReceiptTerms: Sendable, Hashable {
    /// The receipt goes on when its client disconnects.
    package var isDetached = false
    package var delivery = ImageRequest.Delivery.reference
    /// Its client gets the hooks before and after the work, `image.hook`.
    package var hasHooks = false
    /// The bytes of the result are a document that becomes part of the result.
    package var document: DocumentKind?
    /// The result for the client if the request fails.
    package var fallback: Fallback?
    /// The owner of the receipt (`ClientIdentity.key`), unless an admin owns it; nil: only admins reach it.
    package var owner: String?
    /// The results stay when the store has too much.
    package var isPinned = false
    /// The tiers that were asked to keep the results.
    package var tiers = Set(CacheTier.ofRenditions)

    package init(
        isDetached: Bool = false, delivery: ImageRequest.Delivery = .reference, hasHooks: Bool = false,
        document: DocumentKind? = nil, tiers: Set<CacheTier> = Set(CacheTier.ofRenditions)
    ) {
        self.document = document
        (self.isDetached, self.delivery, self.hasHooks, self.tiers) = (isDetached, delivery, hasHooks, tiers)
    }

    /// The member `stored` of each rendition: the tiers that were asked to keep it.
    package var stored: JSON { .array(CacheTier.ofRenditions.filter(tiers.contains).map { .string($0.rawValue) }) }

    /// One letter for each option that is not the default, then the owner behind an `@`, then the fallback as JSON, `t` text, `x` XML.
    /// - `d`: detached
    /// - `i`: inline
    /// - `n`: not delivered
    /// - `h`: hooks
    /// - `j`: JSON
    /// - `p`: pinned
    /// - `M`: not in memory
    /// - `R`: not in results
    /// - `s`: the fallback has secrets and is forgotten with the end
    package var letters: String {
        var letters = isDetached ? "d" : ""
        switch delivery {
        case .reference: break
        case .inline: letters += "i"
        case .none: letters += "n"
        }
        if hasHooks { letters += "h" }
        switch document {
        case .json: letters += "j"
        case .text: letters += "t"
        case .xml: letters += "x"
        case nil: break
        }
        if isPinned { letters += "p" }
        if !tiers.contains(.memory) { letters += "M" }
        if !tiers.contains(.results) { letters += "R" }
        if let fallback, fallback.hasSecrets { letters += "s" }
        if let owner { letters += "@\(owner)" }
        if let fallback { letters += fallback.json.text }
        return letters
    }

    /// Reads the text of `letters`.
    package init(letters text: String) {
        let head = text.prefix { $0 != "{" }
        if head.endIndex != text.endIndex { fallback = (try? JSON(parsing: String(text[head.endIndex...]))).flatMap { Fallback($0) } }
        let letters = head.prefix { $0 != "@" }
        if letters.endIndex != head.endIndex { owner = String(head[letters.endIndex...].dropFirst()) }
        isDetached = letters.contains("d")
        delivery = letters.contains("i") ? .inline : letters.contains("n") ? .none : .reference
        hasHooks = letters.contains("h")
        document = letters.contains("j") ? .json : letters.contains("t") ? .text : letters.contains("x") ? .xml : nil
        isPinned = letters.contains("p")
        if letters.contains("M") { tiers.remove(.memory) }
        if letters.contains("R") { tiers.remove(.results) }
    }
}

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

    /// The words of options that are not the default.
    private enum Word: String {
        case detached
        case inline, undelivered
        case hooks
        case json, text, xml
        case pinned
        case notInMemory, notInResults
        /// The fallback has secrets and is forgotten with the end.
        case secret
    }

    private static let owner = "owner="

    /// The text for the scripts: words with a space behind each, among them `owner=` and the owner, then the fallback as JSON. `detached` comes first and
    /// `secret` last, because scripts look for them there.
    package var words: String {
        var words: [String] = []
        func add(_ word: Word, if isSet: Bool = true) { if isSet { words.append(word.rawValue) } }
        add(.detached, if: isDetached)
        switch delivery {
        case .reference: break
        case .inline: add(.inline)
        case .none: add(.undelivered)
        }
        add(.hooks, if: hasHooks)
        switch document {
        case .json: add(.json)
        case .text: add(.text)
        case .xml: add(.xml)
        case nil: break
        }
        add(.pinned, if: isPinned)
        add(.notInMemory, if: !tiers.contains(.memory))
        add(.notInResults, if: !tiers.contains(.results))
        if let owner { words.append(Self.owner + owner) }
        add(.secret, if: fallback?.hasSecrets == true)
        return words.map { $0 + " " }.joined() + (fallback?.json.text ?? "")
    }

    /// Reads the text of `words`.
    package init(words text: String) {
        let head = text.prefix { $0 != "{" }
        if head.endIndex != text.endIndex { fallback = (try? JSON(parsing: String(text[head.endIndex...]))).flatMap { Fallback($0) } }
        for word in head.split(separator: " ") {
            if word.hasPrefix(Self.owner) { owner = String(word.dropFirst(Self.owner.count)) }
            switch Word(rawValue: String(word)) {
            case .detached: isDetached = true
            case .inline: delivery = .inline
            case .undelivered: delivery = .none
            case .hooks: hasHooks = true
            case .json: document = .json
            case .text: document = .text
            case .xml: document = .xml
            case .pinned: isPinned = true
            case .notInMemory: tiers.remove(.memory)
            case .notInResults: tiers.remove(.results)
            case .secret, nil: break
            }
        }
    }
}

package import TintypeImages

/// From the raw target of a request to its plan: signature, presets and options, limits, expiry. A pure value. Holds secrets: never logged.
package struct PictureDoor: Sendable {
    package let signature: URLSignature
    package let policy: DoorPolicy

    package init(_ signature: URLSignature, _ policy: DoorPolicy = DoorPolicy()) { (self.signature, self.policy) = (signature, policy) }

    /// - Parameters:
    ///   - target: the raw target of the request line, in origin form.
    ///   - accept: the `Accept` header; nil for none.
    ///   - hints: the client's hints, which count only if the policy heeds them.
    ///   - now: seconds since 1970.
    /// - Throws: the first refusal. Nothing is read before the signature is checked.
    package func plan(_ target: [UInt8], accept: String? = nil, hints: ClientHints = .none, now: Int) throws(DoorRefusal) -> DoorPlan {
        let target = try PictureTarget(target)
        let isSigned = try signature.check(target)
        let url = try PictureURL(target, form: policy.allowsOnlyPresets ? .presetsOnly : .options)
        if !isSigned { try SourceRefusal.checkUnsigned(url, policy) }
        let options = try policy.presets.options(of: url, isSigned: isSigned)
        let accept = AcceptClass(accept, detecting: policy.detected)
        return try DoorPlanner(options, policy, accept: accept, hints: hints, isSigned: isSigned).plan(url.source, now: now)
    }
}

/// The operator's choices for picture URLs. A pure value.
package struct DoorPolicy: Sendable, Hashable {
    package var presets = PicturePresets.none
    /// Whether URLs may name presets only, and beside them `expires` and `cachebuster`.
    package var allowsOnlyPresets = false
    /// The URL of the picture that `watermark` lays over others; nil: none.
    package var watermark: String?
    /// The formats that the `Accept` header of a client may choose, where the URL names none.
    package var detected: Set<ImageFormat> = []
    /// Whether a picture that takes long to make is first shown in a format that is made quickly.
    package var isQuickFirst = false
    /// Whether hints of a client complete a URL without a size or a density.
    package var heedsHints = false

    /// The schemes beside http and https that URLs without a signature may name: `file` and `s3`.
    package var unsignedSources: Set<String> = []

    package init() {}
}

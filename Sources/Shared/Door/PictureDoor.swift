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

import TintypeCore

/// The sources that no picture URL may name, or none without a signature. Pure.
enum SourceRefusal {
    private static let options: Set<String> = ["watermark_url", "fallback_image_url"]

    /// - Parameter option: the option that names the source; nil for the picture itself.
    /// - Throws: `notAllowed` for an upload: a picture URL names no client, so nobody can tell whether the upload belongs to its maker.
    static func checkUpload(_ url: String?, option: String? = nil) throws(DoorRefusal) {
        guard let url, scheme(of: url) == "upload" else { return }
        throw DoorRefusal(
            .notAllowed, option: option, "an upload cannot be shown by a picture URL, which names no client; load the upload by image.load with its own token")
    }

    /// Checks the sources of a URL without a signature. Those of presets and of the policy are the operator's.
    /// - Throws: `notAllowed` for a file or an object of the operator's.
    static func checkUnsigned(_ url: PictureURL, _ policy: DoorPolicy) throws(DoorRefusal) {
        try check(url.source, policy)
        for option in url.options {
            guard let known = try? PictureOptionTable.option(named: option.name), options.contains(known.name) else { continue }
            var own = PictureOptions()
            try known.apply(option.arguments, to: &own)
            try check(own.watermarkURL ?? own.fallbackURL, policy, option: known.name)
        }
    }

    private static func check(_ url: String?, _ policy: DoorPolicy, option: String? = nil) throws(DoorRefusal) {
        guard let url, let scheme = scheme(of: url), ["file", "s3"].contains(scheme), !policy.unsignedSources.contains(scheme) else { return }
        throw DoorRefusal(
            .notAllowed, option: option, "\(scheme): sources need a signature here; sign the URL, or have the operator set --images-unsigned-sources \(scheme)")
    }

    /// Returns the scheme of a URL in lower case; nil without one. No reader of URLs here decodes a scheme or drops spaces. Those spellings count too, before
    /// any other program may read them.
    private static func scheme(of url: String) -> String? {
        let bytes = PercentText.decoded(url).utf8.drop { $0 <= 0x20 }
        return bytes.firstIndex(of: UInt8(ascii: ":")).map { Substring(bytes[..<$0]).lowercased() }
    }
}

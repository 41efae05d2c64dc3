package import TintypeCore
package import ImgproxyURLs
package import TintypeImages
package import TintypeSettings
package import TintypeTransport

/// The settings of the picture door of a coordinator.
package struct PictureDoorSettings: Sendable {
    /// The address of the picture door; nil: there is none.
    package var address: SocketAddress?
    /// A file of keys and salts for signatures.
    package var keys: String?
    /// Whether URLs without a signature are answered.
    package var isUnsigned = false
    /// The schemes beside http and https that URLs without a signature may name: `file` and `s3`.
    package var unsignedSources: [String] = []
    /// The limits of each address; nil: there are none.
    package var rate: PictureRate?
    /// A file of presets.
    package var presets: String?
    /// Whether URLs may name presets only.
    package var allowsOnlyPresets = false
    /// The formats that the `Accept` header of a client may choose.
    package var formats: [String] = []
    /// Whether clients wait for a picture that takes long to make. Otherwise it is first shown in a format that is made quickly.
    package var isBestFirst = false
    /// Whether hints of a client complete a URL without a size or a density.
    package var heedsHints = false
    /// The URL of the picture for the option `watermark`.
    package var watermark: String?
    /// The value of `Access-Control-Allow-Origin`; nil: the header is not sent.
    package var cors: String?
    /// Whether the header `Link` names the source of a picture.
    package var namesSource = false

    /// Reads the files, and returns the door that they describe; nil without an address.
    /// - Throws: `SettingError` for a mistake in a file, and for settings that miss each other.
    package func open() throws(SettingError) -> PictureDoor? {
        guard address != nil else {
            let isSet = [keys, presets, watermark, cors].contains { $0 != nil } || !formats.isEmpty || !unsignedSources.isEmpty
            guard !isSet, !isUnsigned, !allowsOnlyPresets, !isBestFirst, !heedsHints, !namesSource else {
                throw SettingError("the other settings of --images need it: name an address for pictures, such as --images 127.0.0.1:7414")
            }
            return nil
        }
        guard keys != nil || isUnsigned else {
            throw SettingError(
                "--images needs keys for signatures: name a file with --images-keys PATH (a line of `echo $(openssl rand -hex 32) $(openssl rand -hex 32)` "
                    + "is enough). Or use --images-unsigned: everybody may then ask for any picture")
        }
        guard isUnsigned || unsignedSources.isEmpty else {
            throw SettingError("--images-unsigned-sources needs --images-unsigned: signed URLs may name such sources anyway")
        }
        guard presets != nil || !allowsOnlyPresets else { throw SettingError("--images-presets-only needs presets: name a file with --images-presets PATH") }
        var policy = DoorPolicy()
        if let presets { policy.presets = try PicturePresets.read(presets) }
        policy.allowsOnlyPresets = allowsOnlyPresets
        policy.unsignedSources = Set(unsignedSources)
        policy.detected = Set(formats.compactMap { ImageFormat(rawValue: $0) })
        (policy.watermark, policy.heedsHints, policy.isQuickFirst) = (watermark, heedsHints, !isBestFirst)
        let pairs = try keys.map { path throws(SettingError) in try URLSignature.pairs(in: path) } ?? []
        return PictureDoor(URLSignature(pairs: pairs, unsigned: isUnsigned ? .named : .refused), policy)
    }

    /// - Parameter isOpen: Whether the operator allows addresses that other machines can reach.
    /// - Throws: `SettingError` if other machines could reach the door without a signature.
    package func checkExposure(isOpen: Bool) throws(SettingError) {
        guard let address, isUnsigned, !isOpen, !address.isLocal else { return }
        throw SettingError(
            "--images \(address) is open to other machines, and --images-unsigned needs no signature. Leave out --images-unsigned. Or use --open: everybody who "
                + "reaches the address may then ask for any picture")
    }

    static let settings: [Setting<PictureDoorSettings>] = [
        Setting(
            "images", optional: \.address, .address, defaultNote: "no such port",
            help: "An address for pictures by GET, under URLs in the form of imgproxy (picture-door.md). Needs --images-keys or --images-unsigned."),
        Setting(
            "images-keys", optional: \.keys, .file { path throws(SettingError) in _ = try URLSignature.pairs(in: path) },
            defaultNote: "no URL is signed",
            help: "A file of keys for the signatures of --images: a key and its salt in hexadecimal digits a line. The first pair signs, and all of them "
                + "pass. Read again at SIGHUP."),
        Setting(
            "images-unsigned", \.isUnsigned, .isOn,
            help: "Also answers URLs of --images whose signature is the word unsafe or _. Everybody may then ask for any picture."),
        Setting(
            "images-unsigned-sources", \.unsignedSources, .list(of: "file and s3", placeholder: "SCHEME,…", isSet: true) { ["file", "s3"].contains($0) },
            defaultNote: "none",
            help: "The schemes of sources that URLs of --images-unsigned may name too: file, for all below --file-root, and s3, for all of "
                + "--source-buckets. Signed URLs, presets and rules may name them anyway."),
        Setting(
            "images-rate", optional: \.rate, .pictureRate, defaultNote: "no limits",
            help:
                "The most requests and new pictures a second of one IPv4 address or one IPv6 /64, such as 100/20. 0 stands for any number. Those of ten seconds may come at once. Beyond that the answer is 429. For --images, and for /images without tokens; each coordinator "
                + "counts by itself. Behind a proxy, set --trusted-proxies too."),
        Setting(
            "images-presets", optional: \.presets, .file { path throws(SettingError) in _ = try PicturePresets.read(path) }, defaultNote: "none",
            help: "A file of presets for --images, a NAME=OPTION/OPTION a line; see picture-door.md. Read again at SIGHUP."),
        Setting(
            "images-presets-only", \.allowsOnlyPresets, .isOn,
            help: "URLs of --images may name presets only, and beside them expires and cachebuster."),
        Setting(
            "images-formats", \.formats,
            .list(of: "avif, webp and jxl", placeholder: "FORMAT,…", isSet: true) { ["avif", "webp", "jxl"].contains($0) },
            defaultNote: "none: the format of the source",
            help: "The formats that the Accept header of a client may choose, where a URL of --images names none."),
        Setting(
            "images-best-first", \.isBestFirst, .isOn,
            help:
                "Where Accept chooses AVIF or JPEG XL, the clients of --images wait for it. Otherwise the first answer is in a format that is made quickly, and "
                + "the better one is made behind it (picture-door.md)."),
        Setting(
            "images-client-hints", \.heedsHints, .isOn,
            help:
                "Sec-CH-Width, Sec-CH-DPR and Save-Data of a client complete a URL of --images without a size or dpr: widths in 16 steps, densities in halves."
        ),
        Setting(
            "images-watermark", optional: \.watermark, .url, defaultNote: "none",
            help: "The URL of the picture for the option watermark of --images."),
        Setting(
            "images-cors", optional: \.cors, .origin, defaultNote: "the header is not sent",
            help: "The origin whose pages may read the pixels of --images, such as https://example.org; * stands for all."),
        Setting(
            "images-canonical", \.namesSource, .isOn,
            help: "Answers of --images name the http or https source of a picture in the header Link, as its canonical URL for search engines."),
    ]
}

extension SettingType where Value == String {
    /// An origin of the web (RFC 6454 §6.2), or a star.
    fileprivate static var origin: SettingType {
        SettingType(
            placeholder: "ORIGIN",
            parse: { text throws(SettingError) in
                let rest = ["https://", "http://"].lazy.compactMap { text.hasPrefix($0) ? text.dropFirst($0.count) : nil }.first
                let isOrigin = rest.map { !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"/?#@,;\"".utf8.contains($0) } } ?? false
                guard text == "*" || isOrigin else { throw .expected("* or an origin such as https://example.org", got: text) }
                return text
            },
            text: { $0 })
    }

    /// The URL of a picture.
    fileprivate static var url: SettingType {
        SettingType(
            placeholder: "URL",
            parse: { text throws(SettingError) in
                do throws(TintypeError) {
                    _ = try ImageRequest(["url": .string(text)])
                } catch {
                    throw SettingError("expected the URL of a picture: \(error.message)")
                }
                return text
            },
            text: { $0 }, shown: { RedactedURL($0).description })
    }
}

extension MethodCatalog {
    /// URLs of the picture door.
    package static let pictureDoor: FeatureMethods = (pictureURLMethods, "pictures.get")

    private static let pictureURLMethods: [MethodDescription] = [
        MethodDescription(
            "pictures.url",
            "Makes the URL of a picture for the [picture door](picture-door.md) of this coordinator, signed with its first pair of keys. The path "
                + "is good there until the pair goes. Nothing is loaded. A picture that no such URL shows is refused with the operation or the member. "
                + "`signed` is false where the door has no keys.",
            [
                ParameterDescription("url", .string(maxLength: 8 << 20), required: true, "The URL of the source, as for `image.load`."),
                ParameterDescription("transform", OperationCatalog.parameter, default: [], "The operations, in order."),
                ParameterDescription("output", .object(OutputOptions.parameters), "How to encode the result."),
            ], role: .admin,
            result: "`{path, signed}`", errors: [.invalidURL, .denied, .forbidden],
            example: MethodExample(
                #"{"url":"https://example.org/signed.png","transform":[{"op":"resize","width":300}],"output":{"format":"webp"}}"#,
                #"{"path":"/lEd1G2PhAvsc4iJmilzj03exxXWR8MdJX0-DSZmhroI/rs:fit:300:0/kcr:0/aHR0cHM6Ly9leGFtcGxlLm9yZy9zaWduZWQucG5n.webp","signed":true}"#))
    ]
}

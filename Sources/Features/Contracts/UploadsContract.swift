import TintypeCore

/// The settings of uploads.
package struct UploadSettings: Sendable {
    /// The most bytes of one upload; 0 takes none.
    package var most = 64 << 20
    /// How long an upload is a source.
    package var lifetime = Duration.seconds(3600)

    static let settings: [Setting<UploadSettings>] = [
        Setting(
            "max-upload", \.most, .size(),
            help: "The most bytes of one PUT /uploads; 0 takes none. Twice as many may arrive at once, and as many again may be on their way to the "
                + "store; further uploads are answered 503. A Redis keeps at most 512 MB in one value."),
        Setting(
            "upload-ttl", \.lifetime, .duration(.seconds(1) ... .seconds(604_800)),
            help: "How long an upload is a source. It takes room in the store of --sources until then, and a folder that is full may drop it earlier."),
    ]
}

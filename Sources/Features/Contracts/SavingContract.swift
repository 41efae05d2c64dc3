import TintypeCore
package import TintypeStores

/// The settings of results that requests have saved.
package struct SavingSettings: Sendable {
    /// Where requests may have results saved.
    package var places: [PlaceAddress] = []

    static let settings: [Setting<SavingSettings>] = [
        Setting(
            "places", \.places, .places, defaultNote: "none",
            help:
                "Where `saveTo` of a request may have results saved, by names: NAME=file:///folder or NAME=s3://bucket/prefix[?endpoint=…&region=…], with the "
                + "credentials of the environment. Each worker of a queue needs the same.")
    ]
}

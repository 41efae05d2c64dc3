/// The version of everything built from this package: `--version`, `system.info`, the `User-Agent` of downloads.
package enum TintypeVersion {
    package static let current = "0.1.0"
}

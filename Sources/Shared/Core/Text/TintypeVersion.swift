/// The version of this package: for `--version`, `system.info` and the `User-Agent` of downloads.
package enum TintypeVersion {
    package static let current = "0.2.0"
}

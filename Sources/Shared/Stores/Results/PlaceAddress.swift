package import TintypeCore
import TintypeImages

/// A place that an operator lets results be saved in, as `--places` names it: `photos=file:///srv/photos`, `web=s3://bucket/prefix`. Pure.
package struct PlaceAddress: Sendable, Hashable {
    package enum Location: Sendable, Hashable {
        case folder(String)
        case bucket(S3Address)
    }

    package let name: String
    package let location: Location
    /// As it was written. Holds no secret: an endpoint with a password is refused.
    let text: String

    /// - Throws: what is wrong, without a secret.
    init(_ text: String) throws(SettingError) {
        let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard halves.count == 2, SaveTarget.isPlace(halves[0]) else { throw SettingError("expected NAME=file:///folder or NAME=s3://bucket/prefix") }
        (name, self.text) = (halves[0], text)
        switch try ResultsURL(halves[1]) {
        case .file(let folder, let limits) where limits == StoreLimits(): location = .folder(folder)
        case .s3(let address): location = .bucket(address)
        case .file, .redis: throw SettingError("\(halves[0]): expected file:///folder, without limits, or s3://bucket/prefix")
        }
    }
}

extension SettingType where Value == [PlaceAddress] {
    /// Places separated by commas, each under a name of its own.
    package static var places: SettingType {
        SettingType(
            placeholder: "NAME=URL,…",
            parse: { text throws(SettingError) in
                var places: [PlaceAddress] = []
                for word in text.split(separator: ",", omittingEmptySubsequences: false) {
                    let place = try PlaceAddress(String(word.trimmed))
                    guard !places.contains(where: { $0.name == place.name }) else { throw SettingError("\(place.name) is there twice") }
                    places.append(place)
                }
                return places
            },
            text: { $0.map(\.text).joined(separator: ",") })
    }
}

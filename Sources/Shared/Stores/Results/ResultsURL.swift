package import TintypeCore
import TintypeImages
package import TintypeTransport

/// The place for results that `--results` names.
package enum ResultsURL: Sendable, Hashable {
    /// `file:///folder[?maxBytes=10GiB&maxCount=1000000&maxAge=168h&ageBy=access&minFree=1GiB&maxPinned=1GiB]`
    case file(directory: String, StoreLimits)
    /// Any URL of a Redis.
    case redis(RedisURL)
    /// `s3://bucket/prefix[?endpoint=…&region=…]`
    case s3(S3Address)

    /// - Parameter tls: the files for a Redis of `rediss:` or `sentinels:`.
    /// - Throws: the fault in the URL, without its secrets.
    package init(_ text: String, tls: TLSClientFiles = TLSClientFiles()) throws(SettingError) {
        if text.hasPrefix("s3:") {
            self = .s3(try S3Address(text))
            return
        }
        guard text.hasPrefix("file:") else {
            do throws(RedisError) {
                self = .redis(try RedisURL(text, tls: tls))
                return
            } catch {
                throw SettingError("expected file:///folder, s3://bucket/prefix, \(RedisURL.kinds), got \"\(RedisURL.shown(text))\"")
            }
        }
        let parts = text.dropFirst("file:".count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].hasPrefix("///"), let directory = Self.folder(parts[0].dropFirst(2)), directory.count > 1 else {
            throw SettingError("expected an absolute folder such as file:///var/lib/tintype/results, got \"\(text)\"")
        }
        var limits = StoreLimits()
        for option in parts.dropFirst().joined().split(separator: "&") where !Self.take(option, &limits) {
            throw SettingError(
                "a file:// store takes maxBytes of at least 1MiB, maxCount, maxAge such as 168h, ageBy access or creation, minFree and maxPinned, not \"\(option)\""
            )
        }
        self = .file(directory: directory, limits)
    }

    /// Reads an option.
    /// - Returns: whether the option is known and its value valid.
    private static func take(_ option: Substring, _ limits: inout StoreLimits) -> Bool {
        let pair = option.split(separator: "=", maxSplits: 1).map(String.init)
        guard pair.count == 2 else { return false }
        func size(atLeast least: Int) -> Int? { ByteSize.parse(pair[1]).flatMap { $0 >= least ? $0 : nil } }
        func set<Value>(_ limit: WritableKeyPath<StoreLimits, Value?>, _ value: Value?) -> Bool {
            limits[keyPath: limit] = value
            return value != nil
        }
        switch pair[0] {
        case "maxBytes": return set(\.bytes, size(atLeast: 1 << 20))
        case "maxCount": return set(\.count, Int(pair[1]).flatMap { $0 > 0 ? $0 : nil })
        case "maxAge": return set(\.age, DurationText.parse(pair[1]).flatMap { $0 > .zero ? $0 / .seconds(1) : nil })
        case "minFree": return set(\.freeBytes, size(atLeast: 0))
        case "maxPinned": return set(\.pinnedBytes, size(atLeast: 0))
        case "ageBy":
            limits.ageBy = StoreLimits.Age(rawValue: pair[1]) ?? limits.ageBy
            return StoreLimits.Age(rawValue: pair[1]) != nil
        default: return false
        }
    }

    /// nil for text that is no path: a broken escape, a NUL, invalid UTF-8.
    private static func folder(_ text: Substring) -> String? {
        guard let bytes = PercentText.bytes(of: text.utf8), !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// The use of a store. Each place has one store for each use, and neither sees, counts or clears the content of the other.
package enum StoreNamespace: String, Sendable, CaseIterable {
    /// Finished renditions by rendition digest: the folder itself, `tintype:results:` in a Redis.
    case results
    /// Downloaded sources by source digest: the subfolder `sources`, `tintype:sources:` in a Redis.
    case sources

    /// The keys in a Redis.
    var space: RedisSpace { self == .results ? .results : .sources }
}

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

extension SettingType where Value == String {
    /// The URL of a result store, shown without its password.
    package static var resultsURL: SettingType {
        SettingType(
            placeholder: "URL",
            parse: { text throws(SettingError) in
                _ = try ResultsURL(text)
                return text
            },
            text: { $0 }, shown: { RedisURL.shown($0) })
    }
}

/// Where results are kept, as `--results` names it.
package enum ResultsURL: Sendable, Hashable {
    /// `file:///folder[?maxBytes=10GiB]`
    case file(directory: String, maxBytes: Int?)
    /// Any URL of a Redis.
    case redis(RedisEndpoint)

    /// - Throws: what is wrong with the URL, without its secrets.
    package init(_ text: String) throws(SettingMistake) {
        guard text.hasPrefix("file:") else {
            do throws(RedisError) {
                self = .redis(try RedisEndpoint(text))
                return
            } catch {
                throw SettingMistake("expected file:///folder, redis://host:port or unix:///socket, got \"\(RedactedURL(text))\"")
            }
        }
        let parts = text.dropFirst("file:".count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].hasPrefix("///"), let directory = Self.percentDecoded(parts[0].dropFirst(2)), directory.count > 1 else {
            throw SettingMistake("expected an absolute folder such as file:///var/lib/tintype/results, got \"\(text)\"")
        }
        var maxBytes: Int?
        for option in parts.dropFirst().joined().split(separator: "&") {
            let pair = option.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, pair[0] == "maxBytes", let bytes = ByteSize.parse(pair[1]), bytes >= 1 << 20 else {
                throw SettingMistake("a file:// store takes maxBytes of at least 1MiB, such as ?maxBytes=10GiB, not \"\(option)\"")
            }
            maxBytes = bytes
        }
        self = .file(directory: directory, maxBytes: maxBytes)
    }

    private static func percentDecoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") { bytes.append(byte); continue }
            guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), value != 0 else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

/// Opens the store a URL names.
package enum ResultStores {
    /// Called once at start. `name` is what Redis shows of the connection; `pool` does the file calls.
    /// - Throws: `storeFailed` when the URL is wrong or the folder cannot be used. A Redis out of reach is not an error
    ///   here: it is connected to in the background, and calls fail until it is there.
    @Loop package static func open(
        _ url: String, name: String, pool: BlockingPool, logger: Logger
    ) throws(TintypeError) -> any ResultStore {
        let place: ResultsURL
        do throws(SettingMistake) {
            place = try ResultsURL(url)
        } catch {
            throw .storeFailed("The URL of the result store is wrong.", cause: error.message, retryable: false)
        }
        switch place {
        case .file(let directory, let maxBytes):
            return try FileStore(directory: directory, maxBytes: maxBytes, pool: pool)
        case .redis(let endpoint):
            return RedisStore(RedisClient(endpoint, name: name, logger: logger))
        }
    }
}

import TintypeCore
import TintypeImages

/// Why each of a source's addresses has failed, and what is to be said of it. A pure value.
struct MirrorFailures {
    private var failures: [(error: TintypeError, url: String)] = []

    mutating func add(_ error: TintypeError, of address: SourceAddress) { failures.append((error, RedactedURL(address.url).description)) }

    /// The last failure that may pass, else the last; of those that may pass the one that may be tried again first. If there were several it says
    /// what each of them was.
    var error: TintypeError {
        guard let last = failures.last?.error else { return TintypeError(.internalError, .download, "the source has no address") }
        guard failures.count > 1 else { return last }
        let told = failures.map { failure -> JSON in
            var one: JSONObject = ["url": .string(failure.url), "name": .string(failure.error.name.rawValue)]
            one["status"] = failure.error.details["status"]
            return .object(one)
        }
        let passing = failures.map(\.error).filter(\.isRetryable).reversed()
        var error = (passing.min { $0.busyHost?.seconds ?? 0 < $1.busyHost?.seconds ?? 0 } ?? last).adding("mirrors", .array(told))
        let logged = failures.compactMap(\.error.logged)
        error.logged = logged.isEmpty ? nil : logged.joined(separator: "; ")
        return error
    }
}

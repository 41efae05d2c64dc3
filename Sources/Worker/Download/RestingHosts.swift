import TintypeCore
import TintypeImages

/// Hosts that have asked by Retry-After to be left alone, as this worker was told by them, or by the queue with a fetch that has such mirrors. The queue claims nothing of a host that is held, but of a source with
/// mirrors looks at one host alone: the others are passed over here, so that one that makes up for another does not have that one asked by each
/// request. A pure value.
struct RestingHosts {
    /// As long as a queue holds a host at the most.
    private static let longest = Duration.seconds(600)
    /// Beyond as many those are forgotten that are asked again soonest.
    static let most = 1000

    private var hosts: [String: (until: ContinuousClock.Instant, status: JSON?)] = [:]

    /// Takes note of a failure, if the host behind it asks for rest in it.
    mutating func note(_ error: TintypeError, at now: ContinuousClock.Instant) {
        guard let (host, seconds) = error.busyHost else { return }
        note(host, seconds, status: error.details["status"], at: now)
    }

    /// Takes note of what a host has told another worker: the queue holds it.
    /// - Parameter status: what it answered, where that is known.
    mutating func note(_ host: String, _ seconds: Double, status: JSON? = nil, at now: ContinuousClock.Instant) {
        hosts = hosts.filter { $0.value.until > now }
        if hosts[host] == nil, hosts.count >= Self.most, let first = hosts.min(by: { $0.value.until < $1.value.until }) { hosts[first.key] = nil }
        let until = now + min(.seconds(bounded: seconds), Self.longest)
        if until > hosts[host]?.until ?? now { hosts[host] = (until, status ?? hosts[host]?.status) }
    }

    /// What stands for asking this address: the host's own word, and how much of its time is left. nil: it may be asked.
    func refusal(of address: SourceAddress, at now: ContinuousClock.Instant) -> TintypeError? {
        guard address.kind == .http, let rest = hosts[address.host], rest.until > now else { return nil }
        var details: JSONObject = [
            "url": .string(RedactedURL(address.url).description), "host": .string(address.host), "retryAfter": JSON((rest.until - now) / .seconds(1)),
        ]
        details["status"] = rest.status
        return TintypeError(.httpStatus, .download, "the host has asked to be left alone, and is not asked again yet", retryable: true, details: details)
    }
}

extension TintypeError {
    /// The host that asks to be left alone, and for how many seconds. It is the one that has answered, as the transfer knew it when it asked: after
    /// redirects it may be another than that of the URL asked for. No text that is shown is read for it: whoever writes that could name another's.
    var busyHost: (host: String, seconds: Double)? {
        guard let seconds = details["retryAfter"]?.double, seconds > 0, let host = details["host"]?.string, !host.isEmpty else { return nil }
        return (host, seconds)
    }
}

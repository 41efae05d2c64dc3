import TintypeCore
import TintypeSettings

/// Where spans are sent, and which. Read from the environment variables of OpenTelemetry (`TraceVariable`). A pure value.
struct TraceSettings: Sendable {
    /// The URL that spans are posted to.
    var endpoint: String
    /// Headers of each post. Their values may be secrets.
    var headers: [(name: String, value: String)] = []
    /// A file with the authorities of the collector's certificate.
    var authorities: String?
    var timeout = Duration.seconds(10)
    var sampler = TraceSampler.standard
    /// The most spans that wait.
    var most = 2048
    /// The most spans of one post.
    var batch = 512
    /// The longest time that a span waits for others.
    var delay = Duration.seconds(5)
    /// The attributes of the process.
    var resource: [(key: String, value: String)] = []

    /// Reads the variables.
    /// - Parameters:
    ///   - service: The default of `service.name`.
    ///   - instance: The name of this process among those of the service.
    ///   - complaint: Called with a sentence for each value that is not followed. A wrong value never stops the program: these variables are often
    ///     set for many programs at once.
    /// - Returns: nil if no spans are made.
    init?(_ environment: [String: String], service: String, instance: String, complaint: (String) -> Void = { _ in }) {
        func value(_ name: TraceVariable, _ other: TraceVariable? = nil) -> (name: TraceVariable, text: String)? {
            if let text = environment[name.rawValue], !text.isEmpty { return (name, text) }
            return other.flatMap { value($0) }
        }
        func number(_ name: TraceVariable, _ other: TraceVariable? = nil, otherwise usual: Int) -> Int {
            guard let (name, text) = value(name, other) else { return usual }
            if let number = Int(text), (1...1_000_000).contains(number) { return number }
            complaint("\(name.rawValue): expected a whole number from 1 to 1000000, not \(text.prefix(40)); \(usual) is used")
            return usual
        }
        if value(.disabled)?.text.lowercased() == "true" { return nil }
        if let exporter = value(.exporter), !exporter.text.split(separator: ",").contains("otlp") {
            if exporter.text != "none" {
                complaint("\(exporter.name.rawValue): only otlp and none are known, not \(exporter.text.prefix(40)); no spans are sent")
            }
            return nil
        }
        guard let named = value(.tracesEndpoint, .endpoint) else { return nil }
        guard named.text.hasPrefix("http://") || named.text.hasPrefix("https://") else {
            complaint("\(named.name.rawValue): expected a URL of http or https; no spans are sent")
            return nil
        }
        if let wire = value(.tracesProtocol, .protocol), !["http/json", "http/protobuf"].contains(wire.text) {
            guard wire.text != "grpc" else {
                complaint("\(wire.name.rawValue): grpc is not spoken; set http/json, and name the collector's port of HTTP (4318); no spans are sent")
                return nil
            }
            complaint("\(wire.name.rawValue): only http/json is spoken, not \(wire.text.prefix(40)); it is used")
        }
        let base = named.text.hasSuffix("/") ? String(named.text.dropLast()) : named.text
        endpoint = named.name == .tracesEndpoint ? named.text : base + "/v1/traces"
        headers = value(.tracesHeaders, .headers).map { Self.pairs($0.text) } ?? []
        authorities = value(.tracesCertificate, .certificate)?.text
        timeout = .milliseconds(number(.tracesTimeout, .timeout, otherwise: 10_000))
        most = number(.queueSize, otherwise: 2048)
        batch = min(number(.batchSize, otherwise: 512), most)
        delay = .milliseconds(number(.delay, otherwise: 5000))
        if let name = value(.sampler) {
            if let sampler = TraceSampler(name.text, argument: value(.samplerArgument)?.text) {
                self.sampler = sampler
            } else {
                complaint("\(name.name.rawValue): no known sampler, or a ratio that is no number from 0 to 1; every trace is sent")
            }
        }
        resource = [("service.name", service), ("service.instance.id", instance), ("service.version", TintypeVersion.current)]
        var others = value(.resource).map { Self.pairs($0.text) } ?? []
        if let name = value(.serviceName)?.text { others.append(("service.name", name)) }
        for (key, text) in others {
            resource.removeAll { $0.key == key }
            resource.append((key, text))
        }
    }

    /// Reads `name=value,name=value`, percent-encoded (W3C Baggage, as OpenTelemetry uses it). Parts without a name are left out.
    static func pairs(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: ",").compactMap { part in
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { PercentText.decoded(String($0).trimmed) }
            return words.count == 2 && !words[0].isEmpty ? (words[0], words[1]) : nil
        }
    }
}

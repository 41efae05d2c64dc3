/// An environment variable of OpenTelemetry that this service follows. The names and their meaning are those of the specification
/// (Environment Variable Specification; OTLP Exporter Configuration), so that one deployment sets all its programs alike.
package enum TraceVariable: String, Sendable, CaseIterable {
    case tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
    case endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
    case tracesHeaders = "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
    case headers = "OTEL_EXPORTER_OTLP_HEADERS"
    case tracesProtocol = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
    case `protocol` = "OTEL_EXPORTER_OTLP_PROTOCOL"
    case tracesTimeout = "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"
    case timeout = "OTEL_EXPORTER_OTLP_TIMEOUT"
    case tracesCertificate = "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE"
    case certificate = "OTEL_EXPORTER_OTLP_CERTIFICATE"
    case exporter = "OTEL_TRACES_EXPORTER"
    case sampler = "OTEL_TRACES_SAMPLER"
    case samplerArgument = "OTEL_TRACES_SAMPLER_ARG"
    case queueSize = "OTEL_BSP_MAX_QUEUE_SIZE"
    case batchSize = "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"
    case delay = "OTEL_BSP_SCHEDULE_DELAY"
    case serviceName = "OTEL_SERVICE_NAME"
    case resource = "OTEL_RESOURCE_ATTRIBUTES"
    case disabled = "OTEL_SDK_DISABLED"

    /// The effect of the variable, for docs/traces.md.
    package var help: String {
        switch self {
        case .tracesEndpoint: "The whole URL that spans are posted to. Without this variable and the next one, no spans are made."
        case .endpoint: "The URL of the collector; `/v1/traces` is added."
        case .tracesHeaders, .headers: "Headers of each post, such as a token: `name=value,name=value`, percent-encoded. Their values are never logged."
        case .tracesProtocol, .protocol:
            "Spans are sent as JSON over HTTP, with `http/protobuf` too: the Collector of OpenTelemetry takes both at one port. With `grpc` no spans are made."
        case .tracesTimeout, .timeout: "The longest time of one post in ms; 10000."
        case .tracesCertificate, .certificate: "A file with the authorities of the collector's certificate, in PEM format."
        case .exporter: "`otlp`, or `none` for no spans."
        case .sampler:
            "`parentbased_always_on`, or one of `always_on`, `always_off`, `traceidratio`, `parentbased_always_off`, `parentbased_traceidratio`."
        case .samplerArgument: "The part of the traces that a sampler with `ratio` sends, 0 to 1; 1."
        case .queueSize: "The most spans that wait; 2048. Further ones are dropped and counted."
        case .batchSize: "The most spans of one post; 512."
        case .delay: "The longest time that a span waits for others in ms; 5000."
        case .serviceName: "`service.name`; `tintype-coordinator` or `tintype-worker`."
        case .resource: "Further attributes of the process: `name=value,name=value`, percent-encoded."
        case .disabled: "`true` for no spans."
        }
    }
}

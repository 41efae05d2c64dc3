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
}

package import TintypeCore
package import TintypeTransport

/// The owner of the tasks of a worker's runs, and the places where they report.
package struct WorkerContext: Sendable {
    let scope: TaskScope
    let logger: Logger
    let metrics: Metrics
    /// Sends the spans of runs; nil: there is no collector.
    var tracer: Tracer?
}

/// A page of `docs`, or a section of one, that is made from descriptions in the code. The raw value is its name for `tintype docs`.
package enum ReferencePage: String, Sendable, CaseIterable {
    case `protocol`, settings, metrics, traces, dashboard, fields, options

    package var summary: String {
        switch self {
        case .protocol: "every method, parameter, event and error"
        case .settings: "every setting of the three programs"
        case .metrics: "every metric, its labels and meaning"
        case .traces: "the environment variables of traces"
        case .dashboard: "the methods behind the dashboard"
        case .fields: "the fields of the records in Redis"
        case .options: "the options of imgproxy's URLs, and what becomes of them"
        }
    }

    /// The text in Markdown.
    package var text: String {
        switch self {
        case .protocol: ProtocolDocument.markdown()
        case .settings: OperationsDocument.settings()
        case .metrics: OperationsDocument.metrics()
        case .traces: OperationsDocument.traces()
        case .dashboard: ProtocolDocument.dashboard()
        case .fields: OperationsDocument.fields()
        case .options: OptionDocument.markdown()
        }
    }
}

import Glibc

/// Writes log lines to standard error, one `write(2)` each, so that lines of several processes never mix. `LogStream` drops lines that nobody reads.
///
/// A value: passed down from `main`, never a global. For any thread. Fields are evaluated only if the level
/// is on. Every value goes through `RedactedText`, so a URL cannot carry its password into a log even if the
/// caller forgot `RedactedURL`. A line within a trace has the ids of its context (`TraceContext.current`).
package struct Logger: Sendable {
    package typealias Value = any CustomStringConvertible & Sendable

    /// The part of the program that logs: `worker`, `coordinator`, `tintype`.
    package let label: String
    package let level: LogLevel
    package let format: LogFormat
    private let stream: LogStream
    private var context: [(key: String, value: String)] = []

    /// A logger for `label`; `descriptor` 2 is standard error.
    package init(label: String, level: LogLevel = .info, format: LogFormat = .logfmt, descriptor: Int32 = 2) {
        self.label = label
        self.level = level
        self.format = format
        stream = LogStream(descriptor)
    }

    /// Returns the logger with fields for every later line (a fetch id, a connection).
    package func with(_ fields: KeyValuePairs<String, Value>) -> Logger {
        var copy = self
        copy.context += fields.map { ($0.key, $0.value.description) }
        return copy
    }

    /// Logs details for developers of the program.
    package func debug(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> KeyValuePairs<String, Value> = [:]) {
        log(.debug, message(), fields())
    }

    /// Logs ordinary events.
    package func info(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> KeyValuePairs<String, Value> = [:]) {
        log(.info, message(), fields())
    }

    /// Logs rare and notable events: started, draining, connected again.
    package func notice(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> KeyValuePairs<String, Value> = [:]) {
        log(.notice, message(), fields())
    }

    /// Logs a fault outside that the program has handled.
    package func warning(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> KeyValuePairs<String, Value> = [:]) {
        log(.warning, message(), fields())
    }

    /// Logs a failure that an operator must look at.
    package func error(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> KeyValuePairs<String, Value> = [:]) {
        log(.error, message(), fields())
    }

    /// Writes one line at `level`, unless it is below the logger's own.
    package func log(
        _ level: LogLevel,
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> KeyValuePairs<String, Value> = [:]
    ) {
        guard level >= self.level else { return }
        var line = LogLine(format: format)
        line.add("time", Timestamp(seconds: WallClock.now).description)
        line.add("level", level.rawValue)
        line.add("label", label)
        line.add("msg", message())
        if let trace = TraceContext.current {
            line.add("trace_id", trace.trace.description)
            line.add("span_id", trace.span.description)
        }
        for field in context { line.add(field.key, field.value) }
        for field in fields() { line.add(field.key, field.value.description) }
        stream.write(line)
    }
}

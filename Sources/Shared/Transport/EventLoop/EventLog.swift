import CEvent
package import TintypeCore

/// Messages of libevent and the sockets on it, as lines of the program's log. The process has one such log, since libevent's callback has no context.
package enum EventLog {
    private static let logger = Locked<Logger?>(nil)

    /// Sends lines to `logger` from now on. Without a logger libevent writes to standard error.
    package static func write(to logger: Logger) {
        self.logger.withLock { $0 = logger }
        event_set_log_callback { severity, text in
            let message = text.map { String(cString: $0) } ?? ""
            switch severity {
            case EVENT_LOG_DEBUG: EventLog.current?.debug("libevent", ["message": message])
            case EVENT_LOG_MSG: EventLog.current?.info("libevent", ["message": message])
            case EVENT_LOG_WARN: EventLog.current?.warning("libevent", ["message": message])
            default: EventLog.current?.error("libevent", ["message": message])
            }
        }
    }

    static func warning(_ message: String, _ fields: KeyValuePairs<String, Logger.Value>) { current?.warning(message, fields) }

    private static var current: Logger? { logger.withLock { $0 } }
}

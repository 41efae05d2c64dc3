import Glibc

/// The `Date` line of answers (RFC 9110 §6.6.1), made at most once a second.
@Loop
enum AnswerDate {
    private static var second = 0
    private static var bytes: [UInt8] = []

    /// The line for the current second, with its end.
    static var line: [UInt8] {
        let now = time(nil)
        if now != second { (second, bytes) = (now, Array("Date: \(text(now))\r\n".utf8)) }
        return bytes
    }

    /// Returns an epoch second as HTTP writes dates.
    nonisolated static func text(_ second: Int) -> String {
        var (moment, parts) = (time_t(second), tm())
        gmtime_r(&moment, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (day, month) = (days[Int(parts.tm_wday)], months[Int(parts.tm_mon)])
        return "\(day), \(two(parts.tm_mday)) \(month) \(1900 + parts.tm_year) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}

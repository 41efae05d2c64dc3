import Glibc

/// The environment variables of this process.
package enum ProcessEnvironment {
    /// Returns all variables. If a name is given twice, the first value counts, as in `getenv`.
    package static func all() -> [String: String] {
        var result: [String: String] = [:]
        var entry = environ
        while let text = entry.pointee {
            let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, result[String(parts[0])] == nil { result[String(parts[0])] = String(parts[1]) }
            entry += 1
        }
        return result
    }
}

import Glibc

/// Finds flags whose values contain a password: every user of the machine can read a command line. Pure.
package enum PasswordArguments {
    /// Returns the flags without their values. An argument without a flag is called "an argument".
    package static func flags(in arguments: [String]) -> [String] {
        var found: [String] = []
        var flag = "an argument"
        for argument in arguments {
            var value = Substring(argument)
            if argument.hasPrefix("--") {
                flag = String(argument.prefix { $0 != "=" })
                value = argument.firstIndex(of: "=").map { argument[argument.index(after: $0)...] } ?? ""
            }
            if holdsPassword(value) { found.append(flag) }
            if !argument.hasPrefix("--") { flag = "an argument" }
        }
        return found
    }

    /// Whether a text has the form `scheme://user:password@host`, or `password=` in the query of a socket's URL.
    private static func holdsPassword(_ text: Substring) -> Bool {
        guard let slashes = text.firstRange(of: "://") else { return false }
        let rest = text[slashes.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":"), authority.index(after: colon) < at { return true }
        guard let mark = rest.firstIndex(of: "?") else { return false }
        return rest[rest.index(after: mark)...].split(separator: "&").contains { $0.hasPrefix("password=") && $0 != "password=" }
    }

    /// Logs which flags contain a password, and where to put passwords instead.
    package static func warn(_ arguments: [String], _ logger: Logger) {
        let found = flags(in: arguments)
        guard !found.isEmpty else { return }
        logger.warning(
            "a password on the command line is visible in ps; use the environment, --config or --redis-password-file", ["flags": found.joined(separator: ",")]
        )
    }
}

/// Names of secrets: parameters that sign a URL, and headers with credentials. Pure.
package enum SecretNames {
    /// Words of names: `X-Amz-Signature` has three.
    static let words: Set<String> = [
        "signature", "sig", "sign", "token", "credential", "credentials", "secret", "password", "passwd", "pwd", "hmac", "auth", "authorization",
        "authenticate", "authentication", "apikey", "accesskey", "accesskeyid", "awsaccesskeyid", "jwt", "session", "sessionid", "cookie", "cookie2", "csrf",
        "xsrf", "hdnts", "hdnea", "hdntl",
    ]
    /// Pairs of words with a meaning together.
    static let pairs: Set<String> = ["api-key", "access-key", "auth-key", "private-key", "pair-id"]

    /// Endings of names that are written as one word: `accesstoken`, `clientsecret`.
    static let endings = ["token", "secret", "signature", "password", "apikey"]

    /// Whether a value with this name should not be shown.
    package static func holds(_ name: String) -> Bool { isSign(name.lowercased()) || isSign(apart(name)) }

    private static func isSign(_ name: String) -> Bool {
        let parts = name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        return parts.contains { part in words.contains(part) || endings.contains { part.hasSuffix($0) } }
            || zip(parts, parts.dropFirst()).contains { pairs.contains("\($0)-\($1)") }
    }

    /// `authKey` as `auth-key`.
    private static func apart(_ name: String) -> String {
        var (text, wasLower) = ("", false)
        for letter in name {
            if wasLower, letter.isUppercase { text.append("-") }
            text += letter.lowercased()
            wasLower = letter.isLowercase
        }
        return text
    }
}

/// Names by which secrets are known: parameters that a URL is signed by, headers that carry credentials. Pure.
package enum SecretNames {
    /// Words of names: `X-Amz-Signature` has three.
    static let words: Set<String> = [
        "signature", "sig", "sign", "token", "credential", "credentials", "secret", "password", "passwd", "pwd", "hmac", "auth", "authorization",
        "authenticate", "authentication", "apikey", "accesskey", "accesskeyid", "awsaccesskeyid", "jwt", "session", "sessionid", "cookie", "cookie2", "csrf",
        "xsrf", "hdnts", "hdnea", "hdntl",
    ]
    /// Two words that mean something together.
    static let pairs: Set<String> = ["api-key", "access-key", "auth-key", "private-key", "pair-id"]

    /// What the last of words that are written as one says: `accesstoken`, `clientsecret`.
    static let endings = ["token", "secret", "signature", "password", "apikey"]

    /// Whether what has this name is better not shown.
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

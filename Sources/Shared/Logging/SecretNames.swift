/// Names by which secrets are known: parameters that a URL is signed by, headers that carry credentials. Pure.
enum SecretNames {
    /// Words of names: `X-Amz-Signature` has three.
    static let words: Set<String> = [
        "signature", "sig", "sign", "token", "credential", "credentials", "secret", "password", "passwd", "pwd", "hmac", "auth", "authorization",
        "authenticate", "authentication", "apikey", "accesskey", "accesskeyid", "awsaccesskeyid", "jwt", "session", "sessionid", "cookie", "cookie2", "csrf",
        "xsrf", "hdnts", "hdnea", "hdntl",
    ]
    /// Two words that mean something together.
    static let pairs: Set<String> = ["api-key", "access-key", "auth-key", "private-key", "pair-id"]

    /// Whether what has this name is better not shown.
    static func holds(_ name: String) -> Bool {
        let parts = name.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
        return parts.contains(where: words.contains) || zip(parts, parts.dropFirst()).contains { pairs.contains("\($0)-\($1)") }
    }
}

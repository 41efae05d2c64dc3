import TintypeCore

/// The password check of `/basic/USER/PASSWORD` and `/digest/USER/PASSWORD`. Pure.
struct Challenge: Equatable {
    private let isDigest: Bool
    private let user: String
    private let password: String
    private static let nonce = "b7c1f0a2d3"

    init?(_ path: String) {
        let words = path.split(separator: "/")
        guard words.count == 3, ["basic", "digest"].contains(words[0]) else { return nil }
        (isDigest, user, password) = (words[0] == "digest", String(words[1]), String(words[2]))
    }

    /// The header for a client that does not know the password.
    var header: String {
        isDigest
            ? #"WWW-Authenticate: Digest realm="origin", qop="auth", algorithm=SHA-256, nonce="\#(Self.nonce)""#
            : #"WWW-Authenticate: Basic realm="origin""#
    }

    func admits(_ request: OriginRequest) -> Bool {
        guard let given = request.header("authorization") else { return false }
        if !isDigest { return given == "Basic " + Base64.text(of: Array("\(user):\(password)".utf8)) }
        var words: [String: String] = [:]
        for pair in given.dropFirst("Digest ".count).split(separator: ",") {
            let halves = pair.split(separator: "=", maxSplits: 1)
            guard halves.count == 2 else { return false }
            words[halves[0].filter { $0 != " " }] = halves[1].filter { $0 != "\"" && $0 != " " }
        }
        func hash(_ text: String) -> String { Digest.sha256Hex(Array(text.utf8)) }
        let (one, two) = (hash("\(user):origin:\(password)"), hash("\(request.method):\(request.target)"))
        let expected = hash("\(one):\(Self.nonce):\(words["nc"] ?? ""):\(words["cnonce"] ?? ""):auth:\(two)")
        return words["username"] == user && words["nonce"] == Self.nonce && words["response"] == expected
    }
}

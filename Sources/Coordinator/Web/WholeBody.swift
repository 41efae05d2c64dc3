import TintypeCore
import TintypeTransport

/// Refuses two kinds of bodies that are not the bytes to keep: a part of them (RFC 9110 §14.5), and an encoded form of them. The latter would be
/// served, or decoded, without its encoding.
enum WholeBody {
    /// Returns the refusal of a request; nil if its body is what it seems.
    /// - Parameters:
    ///   - whole: what is expected in place of a part.
    ///   - plain: what is expected in place of an encoded body.
    @Loop static func refusal(_ exchange: HTTPExchange, _ whole: String, _ plain: String) -> WebAnswer? {
        if let range = exchange.header("Content-Range") {
            return .failure(400, .invalidParams(path: "Content-Range", value: .string(range), expected: whole))
        }
        if let encoding = exchange.list("Content-Encoding"), encoding.lowercased() != "identity" {
            return .failure(415, .invalidParams(path: "Content-Encoding", value: .string(encoding), expected: plain))
        }
        return nil
    }
}

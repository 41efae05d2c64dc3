/// The token of a client, or a function that returns the current one before each connection.
///
/// Its text is in no description.
public struct Token: Sendable, ExpressibleByStringLiteral, CustomStringConvertible, CustomReflectable {
    private let current: @Sendable () async throws -> String

    public init(_ text: String) {
        current = { text }
    }

    public init(stringLiteral text: String) {
        self.init(text)
    }

    /// - Parameter current: Returns the current token. It is asked before each connection, and before each request over HTTP.
    public init(_ current: @escaping @Sendable () async throws -> String) {
        self.current = current
    }

    public var description: String { "Token(hidden)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    func text() async -> Result<String, Failure> {
        do {
            return .success(try await current())
        } catch {
            return .failure(.refused(.local(.unauthenticated, "the function of the token has failed: \(error)")))
        }
    }
}

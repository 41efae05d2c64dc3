/// The languages with a client library whose types are made from the descriptions.
package enum ClientLanguage: String, Sendable, CaseIterable {
    case python, typescript, swift

    /// The source text of the types, methods and errors in this language.
    package var text: String {
        switch self {
        case .python: PythonClient(.make()).text()
        case .typescript: TypeScriptClient(.make()).text()
        case .swift: SwiftClient(.make()).text()
        }
    }

    /// The file that has the text, from the root of the repository.
    package var file: String {
        switch self {
        case .python: "clients/python/src/tintype/_generated.py"
        case .typescript: "clients/typescript/src/generated.ts"
        case .swift: "clients/swift/Sources/TintypeClient/Generated/Generated.swift"
        }
    }
}

import TintypeCore
import TintypeTransport
package import Worker

extension WorkerFeature {
    /// Bodies as text and as XML (`as`).
    package static let textBodies = WorkerFeature { abilities, _ in abilities.bodies = TextReader() }
}

/// Reads a body by its charset, as UTF-8 from then on. A pure value.
struct TextReader: BodyReader {
    /// The most levels of elements.
    static let maxLevels = 256

    func text(of bytes: [UInt8], isXML: Bool, type: String?, mostBytes: Int) throws(TintypeError) -> [UInt8] {
        let (charset, mark) = try charset(of: bytes, isXML, type)
        let text = try utf8(bytes.dropFirst(mark), charset, mark, mostBytes)
        if isXML, let fault = XMLCheck.fault(of: text, maxLevels: Self.maxLevels) {
            throw Self.failure("the body is not the XML asked for: \(fault)", charset.name, cause: fault)
        }
        return text
    }

    private func charset(of bytes: [UInt8], _ isXML: Bool, _ type: String?) throws(TintypeError) -> (Charset, mark: Int) {
        // A mark says more than a header (RFC 7303 §3), and that more than the document.
        if let (charset, length) = Charset.marked(bytes) { return (charset, length) }
        guard let label = Charset.label(in: type) ?? (isXML ? Charset.label(inXML: bytes) : nil) else { return (.utf8, 0) }
        guard let charset = Charset(label: label) else {
            throw Self.failure("the body is in a charset that is not read here: \(label)", label, cause: "unknown charset")
        }
        return (charset, 0)
    }

    private func utf8(_ bytes: ArraySlice<UInt8>, _ charset: Charset, _ mark: Int, _ mostBytes: Int) throws(TintypeError) -> [UInt8] {
        guard let codec = charset.codec else {
            guard bytes.count <= mostBytes else { throw TransferFailure.tooLong(Int64(bytes.count), limit: Int64(mostBytes)) }
            guard String(validating: bytes, as: UTF8.self) != nil else {
                throw Self.failure("the body is not \(charset.name)", charset.name, cause: "invalid bytes")
            }
            return Array(bytes)
        }
        do throws(CharsetConversion.Failure) {
            return try CharsetConversion(codec: codec, mostBytes: mostBytes).utf8(bytes)
        } catch {
            switch error {
            case .unknown: throw Self.failure("this worker has no tables for \(charset.name)", charset.name, cause: "unknown charset")
            case .tooLong: throw TransferFailure.tooLong(Int64(mostBytes) + 1, limit: Int64(mostBytes))
            case .invalid(let offset):
                throw Self.failure("the body is not \(charset.name): byte \(offset + mark) has no meaning in it", charset.name, cause: "invalid bytes")
            }
        }
    }

    private static func failure(_ message: String, _ charset: String, cause: String) -> TintypeError {
        TintypeError(.textInvalid, .decode, message, details: ["charset": .string(charset), "cause": .string(cause)])
    }
}

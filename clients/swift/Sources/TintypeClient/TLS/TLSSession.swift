/// One TLS connection, between bytes of the socket and bytes of the application. It does no I/O itself.
///
/// - Note: `@unchecked Sendable`: owned first by the thread that makes the connection, then by the stream, which uses it behind its lock.
final class TLSSession: @unchecked Sendable {
    private let library: OpenSSL
    private let context: TLSContext
    private let session: OpaquePointer
    /// Both belong to the session.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    /// Room for one record.
    private let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 16 << 10)

    /// - Parameter host: The name or the address that the certificate has to have.
    init(_ context: TLSContext, host: String) throws(TintypeError) {
        let library = context.library
        library.clearErrors()
        guard let session = library.new(context.context), let incoming = library.bioNew(library.memoryBIO()), let outgoing = library.bioNew(library.memoryBIO())
        else { throw .local(.tls, "OpenSSL: \(library.latestError())") }
        (self.library, self.context, self.session, self.incoming, self.outgoing) = (library, context, session, incoming, outgoing)
        library.setBIO(session, incoming, outgoing)
        let name = context.serverName ?? host
        if library.parametersSet1Address(library.get0Parameters(session), name) != 1 {
            library.clearErrors()
            // A name for TLS is no address (RFC 6066, section 3). SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name.
            var text = Array(name.utf8CString)
            _ = library.control(session, 55, 0, &text)
            guard library.set1Host(session, name) == 1 else { throw .local(.tls, "\"\(name)\" is no name of a host") }
        }
    }

    deinit {
        library.free(session)
        room.deallocate()
    }

    enum Handshake {
        case done
        /// More bytes are needed.
        case waits
        case failed(TintypeError)
    }

    /// Goes on with the handshake.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that the socket has received.
    ///   - answers: Gets the bytes to send.
    func shakeHands(_ bytes: UnsafeBufferPointer<UInt8>, answers: inout [UInt8]) -> Handshake {
        library.clearErrors()
        take(bytes)
        let result = library.connect(session)
        give(into: &answers)
        if result == 1 { return .done }
        if library.getError(session, result) == Self.wantsRead { return .waits }
        let verdict = library.getVerifyResult(session)
        if verdict != 0, let text = library.verifyText(verdict) {
            return .failed(.local(.tls, "certificate verify failed: \(String(cString: text)); name its authority by the options for TLS"))
        }
        return .failed(.local(.tls, "the TLS handshake failed: \(library.latestError())"))
    }

    /// Encrypts bytes of the application.
    ///
    /// - Returns: Why the connection is over, if it is.
    func encrypt(_ bytes: [UInt8], into out: inout [UInt8]) -> String? {
        library.clearErrors()
        defer { give(into: &out) }
        return bytes.withUnsafeBytes { raw in
            var start = 0
            // Memory takes all, in records of at most 16 KiB.
            while start < raw.count {
                let count = library.write(session, raw.baseAddress! + start, Int32(min(raw.count - start, 1 << 20)))
                if count <= 0 { return "TLS: \(library.latestError())" }
                start += Int(count)
            }
            return nil
        }
    }

    /// Decrypts bytes of the socket.
    ///
    /// - Returns: Why the connection is over, if it is.
    @discardableResult
    func decrypt(_ bytes: UnsafeBufferPointer<UInt8>, into plain: inout [UInt8], answers: inout [UInt8]) -> String? {
        library.clearErrors()
        take(bytes)
        defer { give(into: &answers) }
        while true {
            let count = library.read(session, room.baseAddress, Int32(room.count))
            if count > 0 {
                plain.append(contentsOf: room[..<Int(count)])
                continue
            }
            switch library.getError(session, count) {
            case Self.wantsRead: return nil
            case Self.hasEnded: return "the coordinator closed the connection"
            default: return "TLS: \(library.latestError())"
            }
        }
    }

    /// SSL_ERROR_WANT_READ.
    private static let wantsRead: Int32 = 2
    /// SSL_ERROR_ZERO_RETURN.
    private static let hasEnded: Int32 = 6

    private func take(_ bytes: UnsafeBufferPointer<UInt8>) {
        if !bytes.isEmpty { _ = library.bioWrite(incoming, bytes.baseAddress, Int32(bytes.count)) }
    }

    private func give(into out: inout [UInt8]) {
        while true {
            let count = library.bioRead(outgoing, room.baseAddress, Int32(room.count))
            if count <= 0 { return }
            out.append(contentsOf: room[..<Int(count)])
        }
    }
}

/// How `tls://` and `https://` are checked. All files are in PEM.
///
/// OpenSSL 3 of the system is loaded when the first such connection is made.
public struct TLSOptions: Sendable, Hashable {
    /// The authorities that vouch for the coordinator. Default: those of the system.
    public var authorityFile: String?
    /// The certificate of this client, with the chain behind it; needs `keyFile`.
    public var certificateFile: String?
    /// The private key of `certificateFile`.
    public var keyFile: String?
    /// The name in the certificate of the coordinator. Default: the host of the address.
    public var serverName: String?

    public init(authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil, serverName: String? = nil) {
        (self.authorityFile, self.certificateFile, self.keyFile, self.serverName) = (authorityFile, certificateFile, keyFile, serverName)
    }
}

/// The errors of URLSession by their numbers, so that a test on Linux reads them too.
enum SystemFault {
    /// Whether TLS has refused the server or the client: another try ends alike.
    ///
    /// From -1200, `secureConnectionFailed`, to -1206, `clientCertificateRequired`; also -1022, a plain address that the app's policy forbids.
    static func isRefusal(_ code: Int) -> Bool {
        (-1206 ... -1200).contains(code) || code == -1022
    }
}

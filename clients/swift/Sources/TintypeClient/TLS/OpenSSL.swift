#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The functions of OpenSSL 3 that are used here. The library is not linked, so programs without TLS run where there is none.
///
/// Each type is that of the function in the headers of OpenSSL 3.0. Each function may be called from any thread, each object by one at a time.
struct OpenSSL: Sendable {
    typealias Object = OpaquePointer
    typealias Text = UnsafePointer<CChar>

    let tlsClientMethod: @convention(c) () -> Object?
    let contextNew: @convention(c) (Object?) -> Object?
    let contextFree: @convention(c) (Object?) -> Void
    let contextControl: @convention(c) (Object?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    let contextSetVerify: @convention(c) (Object?, Int32, UnsafeRawPointer?) -> Void
    let contextSetDefaultVerifyPaths: @convention(c) (Object?) -> Int32
    let contextLoadVerifyLocations: @convention(c) (Object?, Text?, Text?) -> Int32
    let contextUseCertificateChainFile: @convention(c) (Object?, Text?) -> Int32
    let contextUsePrivateKeyFile: @convention(c) (Object?, Text?, Int32) -> Int32
    let new: @convention(c) (Object?) -> Object?
    let free: @convention(c) (Object?) -> Void
    let control: @convention(c) (Object?, Int32, Int, UnsafeMutableRawPointer?) -> Int
    let set1Host: @convention(c) (Object?, Text?) -> Int32
    let get0Parameters: @convention(c) (Object?) -> Object?
    let parametersSet1Address: @convention(c) (Object?, Text?) -> Int32
    let setBIO: @convention(c) (Object?, Object?, Object?) -> Void
    let connect: @convention(c) (Object?) -> Int32
    let read: @convention(c) (Object?, UnsafeMutableRawPointer?, Int32) -> Int32
    let write: @convention(c) (Object?, UnsafeRawPointer?, Int32) -> Int32
    let getError: @convention(c) (Object?, Int32) -> Int32
    let getVerifyResult: @convention(c) (Object?) -> Int
    let memoryBIO: @convention(c) () -> Object?
    let bioNew: @convention(c) (Object?) -> Object?
    let bioRead: @convention(c) (Object?, UnsafeMutableRawPointer?, Int32) -> Int32
    let bioWrite: @convention(c) (Object?, UnsafeRawPointer?, Int32) -> Int32
    let verifyText: @convention(c) (Int) -> Text?
    let clearErrors: @convention(c) () -> Void
    let nextError: @convention(c) () -> UInt
    let errorText: @convention(c) (UInt, UnsafeMutablePointer<CChar>?, Int) -> Void

    /// The library, if this system has it. It stays loaded.
    static let loaded: OpenSSL? = OpenSSL()

    private init?() {
        #if canImport(Darwin)
            return nil
        #else
            guard let library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL) else { return nil }
            func find<Function>(_ name: String) throws(Missing) -> Function {
                guard let symbol = dlsym(library, name) else { throw Missing() }
                return unsafeBitCast(symbol, to: Function.self)
            }
            do {
                tlsClientMethod = try find("TLS_client_method")
                contextNew = try find("SSL_CTX_new")
                contextFree = try find("SSL_CTX_free")
                contextControl = try find("SSL_CTX_ctrl")
                contextSetVerify = try find("SSL_CTX_set_verify")
                contextSetDefaultVerifyPaths = try find("SSL_CTX_set_default_verify_paths")
                contextLoadVerifyLocations = try find("SSL_CTX_load_verify_locations")
                contextUseCertificateChainFile = try find("SSL_CTX_use_certificate_chain_file")
                contextUsePrivateKeyFile = try find("SSL_CTX_use_PrivateKey_file")
                new = try find("SSL_new")
                free = try find("SSL_free")
                control = try find("SSL_ctrl")
                set1Host = try find("SSL_set1_host")
                get0Parameters = try find("SSL_get0_param")
                parametersSet1Address = try find("X509_VERIFY_PARAM_set1_ip_asc")
                setBIO = try find("SSL_set_bio")
                connect = try find("SSL_connect")
                read = try find("SSL_read")
                write = try find("SSL_write")
                getError = try find("SSL_get_error")
                getVerifyResult = try find("SSL_get_verify_result")
                memoryBIO = try find("BIO_s_mem")
                bioNew = try find("BIO_new")
                bioRead = try find("BIO_read")
                bioWrite = try find("BIO_write")
                verifyText = try find("X509_verify_cert_error_string")
                clearErrors = try find("ERR_clear_error")
                nextError = try find("ERR_get_error")
                errorText = try find("ERR_error_string_n")
            } catch {
                return nil
            }
        #endif
    }

    private struct Missing: Error {}

    /// The words for the latest error of this thread.
    func latestError() -> String {
        var text = [CChar](repeating: 0, count: 256)
        let number = nextError()
        if number == 0 { return "no reason given" }
        errorText(number, &text, text.count)
        return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }
}

/// The four lines that `tintype up` shows to a person at a terminal. Programs read the line `ready …` instead.
struct UpBanner {
    let text: String

    /// - Parameters:
    ///   - line: The coordinator's line, `ready rpc=HOST:PORT http=HOST:PORT pid=N`.
    ///   - isSecure: Whether the ports speak TLS.
    init(_ line: String, workers: Int, folder: String, isSecure: Bool = false) {
        let places = UpDeployment.places(line)
        let rpc = (isSecure ? "tls://" : "") + (places["rpc"] ?? "")
        let option = rpc == "127.0.0.1:7411" ? "" : "--coordinator \(rpc) "
        text = """
            Tintype is up: a coordinator and \(workers == 1 ? "one worker" : "\(workers) workers"), data in \(folder)
              JSON-RPC at \(rpc), pictures and health at \(isSecure ? "https" : "http")://\(places["http"] ?? "")
              Try: tintype load \(option)https://example.org/photo.jpg --resize 400x300 -o photo.webp
              Stop: Ctrl-C. Log: --log-level info.
            """
    }
}

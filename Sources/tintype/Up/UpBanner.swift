import TintypeTransport
import TintypeSettings

/// The four lines that `tintype up` shows to a person at a terminal. Programs read the line `ready …` instead.
struct UpBanner {
    let text: String

    /// - Parameter line: The coordinator's line, `ready rpc=HOST:PORT http=HOST:PORT pid=N`.
    @Loop init(_ line: String, deployment: UpDeployment) {
        self.init(line, workers: deployment.settings.workers, folder: deployment.folder.path, isSecure: deployment.isSecure)
    }

    /// - Parameter isSecure: Whether the ports speak TLS.
    init(_ line: String, workers: Int, folder: String, isSecure: Bool = false) {
        var places: [Substring: Substring] = [:]
        for word in line.split(separator: " ") {
            let pair = word.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { places[pair[0]] = pair[1] }
        }
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

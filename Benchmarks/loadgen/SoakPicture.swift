import TintypeCore
import ImgproxyURLs

/// A picture that a browser of a soak asks for at the picture door.
struct SoakPicture {
    /// - `fresh`, `slow` and `left` have a source of their own; `shared` and `known` have one that many ask for.
    /// - `known` shows the entity tag of the picture, if the account has one.
    /// - The browser of `left` goes away while it waits.
    enum Kind: String { case fresh, shared, known, slow, left, flaky, missing, forged }

    let number: Int
    let kind: Kind

    init(_ number: Int) {
        self.number = number
        kind =
            switch number % 20 {
            case 2: .missing
            case 4, 14: .slow
            case 6: .flaky
            case 8, 18: .known
            case 9: .forged
            case 11, 16: .left
            case 0, 5, 10, 13: .shared
            default: .fresh
            }
    }

    /// The width in the URL. Each height is a whole number, too.
    var width: Int { 12 * (1 + number / 20 % 8) }

    /// The height that belongs to the width: the sources have 96 × 64 pixels, and 400 × 300 after a status.
    var height: Int { kind == .flaky ? width * 3 / 4 : width * 2 / 3 }

    /// Pictures with one look are the same bytes.
    var look: String { "\(width)×\(height)" }

    /// Returns the path with its signature.
    func path(_ signature: URLSignature, _ origin: String, _ run: String) -> String {
        let source =
            switch kind {
            case .fresh: "picture.png?size=96x64&n=\(run)-p\(number)"
            case .shared, .known, .forged: "picture.png?size=96x64&n=\(run)-p-shared-\(number / 200)"
            case .slow, .left: "slow/picture.png?size=96x64&rate=40000&n=\(run)-p\(number)"
            case .flaky: "status/503?times=1&n=\(run)-p\(number)"
            case .missing: "status/404?n=\(run)-p\(number)"
            }
        let path = PictureURL.text(of: "\(origin)/\(source)", options: ["w:\(width)"], fileExtension: "png", isPlain: false)
        let signed = signature.signing(path)
        return kind == .forged ? signed.replacing("/w:", with: "/w:1") : signed
    }

    /// Returns whether the status is one of those that may come. Any picture may be late, or come while the service has no time for it.
    func mayHave(_ status: Int) -> Bool {
        switch (kind, status) {
        case (_, 503), (_, 504): true
        case (.missing, _): status == 404
        case (.forged, _): status == 403
        case (.flaky, 502), (.known, 304), (_, 200): true
        default: false
        }
    }
}

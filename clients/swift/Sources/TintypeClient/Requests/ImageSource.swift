#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The place of a picture: a URL, its text, or several mirrors of one picture.
public protocol ImageSource {
    var sourceURLs: [String] { get }
}

extension String: ImageSource {
    public var sourceURLs: [String] { [self] }
}

extension URL: ImageSource {
    public var sourceURLs: [String] { [absoluteString] }
}

/// Mirrors: the next one is tried after a failed download.
extension Array: ImageSource where Element: ImageSource {
    public var sourceURLs: [String] { flatMap(\.sourceURLs) }
}

extension ImageRequest {
    init(source: some ImageSource, _ transform: [ImageTransform], _ output: ImageOutput?) {
        let urls = source.sourceURLs
        self.init(transform: transform.isEmpty ? nil : ImageTransform(joining: transform), output: output)
        if urls.count == 1 { url = urls[0] } else { self.urls = urls }
    }

    /// Whether a request that is made twice could do something twice. No memory answers such a request, so that a receipt costs nothing more.
    var hasEffects: Bool {
        let policy = cache?.policy
        let asksTwice = policy != nil && policy != .default && policy != .only
        return asksTwice || (cache?.ttl ?? 0) < 0 || cache?.pin == true || slot != nil || saveTo != nil || callback != nil || (fetch?.method ?? .get) != .get
    }
}

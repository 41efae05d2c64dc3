#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ImageRequest {
    /// A request with transforms after the URL: `ImageRequest(url, .resize(320, 320, fit: .cover), as: .webp(quality: 80))`.
    public init(_ url: String, _ transform: ImageTransform, _ more: ImageTransform..., as output: ImageOutput? = nil) {
        self.init(url, transform: ImageTransform(joining: [transform] + more), output: output)
    }

    /// A request whose transform is made by a closure with conditions and loops.
    public init(_ url: String, as output: ImageOutput? = nil, @TransformBuilder transform: () -> ImageTransform) {
        self.init(url, transform: transform(), output: output)
    }

    /// A request with transforms after the URL.
    public init(_ url: URL, _ transform: ImageTransform..., as output: ImageOutput? = nil) {
        self.init(url.absoluteString, transform: transform.isEmpty ? nil : ImageTransform(joining: transform), output: output)
    }

    /// A request whose transform is made by a closure with conditions and loops.
    public init(_ url: URL, as output: ImageOutput? = nil, @TransformBuilder transform: () -> ImageTransform) {
        self.init(url.absoluteString, transform: transform(), output: output)
    }

    /// The request with one rendition more. A request has either renditions, or a transform and an output of its own.
    /// - Parameter name: The name that finds the rendition in the result.
    /// - Parameter transform: The operations, in order.
    /// - Parameter output: The format and its options. Default: the format of the source.
    public func rendition(_ name: String, _ transform: ImageTransform..., as output: ImageOutput? = nil) -> ImageRequest {
        var request = self
        let rendition = Rendition(name, transform: transform.isEmpty ? nil : ImageTransform(joining: transform), output: output)
        request.renditions = (renditions ?? []) + [rendition]
        return request
    }

    /// The request with a change of any of its members.
    public func with(_ change: (inout ImageRequest) -> Void) -> ImageRequest {
        var request = self
        change(&request)
        return request
    }
}

extension Rendition {
    /// A rendition with transforms after its name: `Rendition("thumb", .resize(200, 200, fit: .cover), as: .jpeg)`.
    public init(_ name: String, _ transform: ImageTransform, _ more: ImageTransform..., as output: ImageOutput? = nil) {
        self.init(name, transform: ImageTransform(joining: [transform] + more), output: output)
    }
}

extension ImageRequest.Auth {
    /// HTTP Basic.
    public static func basic(user: String, password: String) -> ImageRequest.Auth { .basic([user, password]) }
    /// HTTP Digest.
    public static func digest(user: String, password: String) -> ImageRequest.Auth { .digest([user, password]) }
}

extension ImageOutput.Quality {
    /// A quality from 1 to 100.
    public init(_ quality: Int) { self = .integer(quality) }
}

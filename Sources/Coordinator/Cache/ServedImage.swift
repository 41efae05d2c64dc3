import TintypeCore
package import TintypeTransport
package import TintypeImages

/// An image as HTTP serves it: its tag and its headers. Kept with the image in memory, or with its open file.
///
/// The header lines are made at most once a second, since the time for which it is fresh counts down.
package final class ServedImage {
    /// Tells an image from any other one, also after the image has gone. A weak reference would slow down each use of the image.
    package final class Mark {}

    package let mark = Mark()
    /// Without its bytes if they are in a file.
    package let image: StoredImage
    package let tag: String
    /// The number of its bytes.
    package let count: Int
    package let limits: CacheLimits
    /// Seconds since 1970; nil if nothing limits the time for which it is fresh.
    package let end: Double?
    private let metadata: [(String, String)]

    /// The lines that were made last, and the moment that they are for.
    private var second = -1.0
    private var isGuarded = false
    private var unchanged = HeaderLines()
    private var whole = HeaderLines()

    /// - Parameter count: the number of its bytes, if they are in a file.
    init(_ image: StoredImage, count: Int? = nil) {
        self.count = count ?? image.bytes.count
        let info = image.rendition
        (self.image, tag, limits) = (image, Self.tag(of: image), info.limits)
        // A store keeps an image longer than it is fresh, at least for clients that were just told of it.
        end = [image.expiresAt, info.expiresAt].compactMap { $0 }.min()
        metadata = info.metadata?.headers ?? []
    }

    /// The headers of every picture. A picture of a stranger may be an SVG with scripts, which must not run under our name.
    package static let safety = [("X-Content-Type-Options", "nosniff"), ("Content-Security-Policy", "default-src 'none'; sandbox")]

    package static func tag(of image: StoredImage) -> String { EntityTag.text(sha256: image.rendition.sha256 ?? image.key) }

    /// Returns the headers that every answer with the image has. A 304 has them too: the client may have other metadata with the same bytes.
    /// - Parameters:
    ///   - mayBeKept: Whether caches may keep the answer.
    ///   - isGuarded: Whether clients need a token. A shared cache would give the image to other clients.
    ///   - now: Seconds since 1970.
    private func headers(mayBeKept: Bool = true, isGuarded: Bool, at now: Double) -> [(String, String)] {
        let age = Int(max(0, min(86_400, (end ?? now + 3600) - now)))
        let control = (isGuarded || limits.isPrivate ? "private, " : "public, ") + (age > 0 ? "max-age=\(age)" : "no-cache")
        return [
            ("ETag", tag), ("Cache-Control", mayBeKept && !limits.isUnkept ? control : "no-store"), ("Accept-Ranges", "bytes"),
        ] + Self.safety + metadata
    }

    /// Returns the lines of `headers`, and the type of the bytes if `hasType`.
    package func lines(hasType: Bool, mayBeKept: Bool = true, isGuarded: Bool, at now: Double) -> HeaderLines {
        guard mayBeKept else {
            return HeaderLines(headers(mayBeKept: false, isGuarded: isGuarded, at: now) + (hasType ? [("Content-Type", image.contentType)] : []))
        }
        let current = now.rounded(.down)
        if second != current || self.isGuarded != isGuarded {
            (second, self.isGuarded) = (current, isGuarded)
            unchanged = HeaderLines(headers(isGuarded: isGuarded, at: now))
            whole = unchanged
            whole.add("Content-Type", image.contentType)
        }
        return hasType ? whole : unchanged
    }
}

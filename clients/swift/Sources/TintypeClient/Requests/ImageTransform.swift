/// Operations on a picture, in the order in which they apply.
///
/// A leading dot begins one, and further dots append to it:
/// ```swift
/// let transform: ImageTransform = .resize(320, 320, fit: .cover).blur(preset: .light)
/// ```
/// A list of transforms is a transform too: `[.resize(320), .sharpen()]`.
public struct ImageTransform: Sendable, Hashable {
    public var operations: [ImageOperation]

    public init(_ operations: [ImageOperation]) {
        self.operations = operations
    }

    init(_ operation: ImageOperation) {
        operations = [operation]
    }

    /// This transform, and then one operation more.
    public func appending(_ operation: ImageOperation) -> ImageTransform {
        ImageTransform(operations + [operation])
    }

    /// The transforms one after another.
    public init(joining transforms: [ImageTransform]) {
        // Most lists have one transform, which is taken as it is.
        self = transforms.count == 1 ? transforms[0] : ImageTransform(transforms.flatMap(\.operations))
    }
}

extension ImageTransform: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: ImageTransform...) {
        self.init(joining: elements)
    }
}

extension ImageTransform: ProtocolValue {
    public init(json: JSON) throws(AnswerFault) {
        operations = try [ImageOperation](json: json)
    }

    public func json(withSecrets: Bool) -> JSON { operations.json(withSecrets: withSecrets) }
}

/// Makes a transform of a closure with conditions and loops.
///
/// ```swift
/// ImageRequest(url) {
///     .resize(1600, fit: .inside)
///     if isPrivate { .pixelate(size: 24) }
/// }
/// ```
/// Lines that follow each other are one chain for the compiler, so that their order is that of the chain.
@resultBuilder
public enum TransformBuilder {
    public static func buildExpression(_ transform: ImageTransform) -> ImageTransform { transform }
    public static func buildBlock(_ transforms: ImageTransform...) -> ImageTransform { ImageTransform(joining: transforms) }
    public static func buildOptional(_ transform: ImageTransform?) -> ImageTransform { transform ?? [] }
    public static func buildEither(first transform: ImageTransform) -> ImageTransform { transform }
    public static func buildEither(second transform: ImageTransform) -> ImageTransform { transform }
    public static func buildArray(_ transforms: [ImageTransform]) -> ImageTransform { ImageTransform(joining: transforms) }
    public static func buildLimitedAvailability(_ transform: ImageTransform) -> ImageTransform { transform }
}

extension ImageTransform {
    /// The transform of a closure.
    public init(@TransformBuilder _ transform: () -> ImageTransform) {
        self = transform()
    }
}

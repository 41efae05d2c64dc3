package import TintypeImages

extension MethodCatalog {
    /// The features of this build that have methods. Where two have the same predecessor, the later one stands first.
    package static let features: [FeatureMethods] = [
        groups,
        purges,
        activity,
        validation,
        history,
        pictureDoor,
    ]

    /// All methods of this build.
    package static let methods = methods(with: features)

    /// The description of a method.
    package static func method(_ name: String) -> MethodDescription? { methods.first { $0.name == name } }
}

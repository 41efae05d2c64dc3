/// All methods of this build. A coordinator refuses to start if a method has no handler, or a handler no description.
package enum MethodCatalogue {
    package static let methods: [MethodDescription] =
        imageMethods + receiptMethods + groupMethods + queueMethods + cacheMethods + blacklistMethods + eventMethods + systemMethods + dashboardMethods

    /// The description of a method.
    package static func method(_ name: String) -> MethodDescription? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: methods.map { ($0.name, $0) })
}

import TintypeCore

/// All options of imgproxy 4, in the order in which documents show them.
package enum PictureOptionTable {
    package static let all =
        PictureOption.sizes + PictureOption.looks + PictureOption.outputs + PictureOption.terms + PictureOption.proLooks + PictureOption.proOutputs
        + PictureOption.unread

    /// Options of our own, for presets only.
    package static let own = PictureOption.work

    private static let byName: [String: PictureOption] = Dictionary(
        (all + own).flatMap { option in ([option.name] + option.aliases).map { ($0, option) } }, uniquingKeysWith: { first, _ in first })

    /// Returns the option with a name or an alias.
    /// - Throws: `unknownOption`.
    static func option(named name: String) throws(DoorRefusal) -> PictureOption {
        guard let option = byName[name] else {
            let hint = NearestName.hint(String(name.prefix(40)), among: byName.keys.sorted())
            throw DoorRefusal(.unknownOption, option: String(name.prefix(40)), "there is no option \(DoorRefusal.shown(name))\(hint)")
        }
        return option
    }
}

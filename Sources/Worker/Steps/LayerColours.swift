/// Another picture's colours in the numbers of the one that it is laid on, where that keeps a space of its own.
enum LayerColours {
    /// - Parameters:
    ///   - layer: in its own colours, with the profile that says which; without one in those of sRGB.
    ///   - profile: of the picture that it is laid on.
    /// - Returns: the same where both are of one space, and where the profile is of no use: then numbers are all there is.
    static func moved(_ layer: VipsImage, to profile: [UInt8]) throws(VipsError) -> VipsImage {
        let own = ColourStep.profile(of: layer)
        if own == profile { return layer }
        let bands = try ColourBands(layer, asRGB: true)
        do throws(VipsError) {
            let tagged = try bands.colours.withHeader { header in
                if let own { header.set(ColourStep.profileField, own) } else { header.remove(ColourStep.profileField) }
            }
            // Through Lab, for libvips takes a profile that is no file only from the picture itself.
            var seen = try VipsOperation("icc_import").set("in", tagged).set("embedded", own != nil).set("input-profile", "srgb").set(
                "intent", ColourStep.intent(own)
            ).image()
            seen = try seen.withHeader { $0.set(ColourStep.profileField, profile) }
            let colours = try VipsOperation("icc_export").set("in", seen).set("intent", ColourStep.intent(profile)).set("depth", bands.isDeep ? 16 : 8).image()
            return try bands.joined(colours)
        } catch {
            return layer
        }
    }
}

/// The conversion of another picture's colors to the color space of the main picture, if that keeps a color space of its own.
enum LayerColours {
    /// - Parameters:
    ///   - layer: a picture in its own colors, with a profile; without one in sRGB.
    ///   - profile: the profile of the picture that it is laid on.
    /// - Returns: the layer itself if both have the same color space, or if the profile is unusable.
    static func moved(_ layer: VipsImage, to profile: [UInt8]) throws(VipsError) -> VipsImage {
        let own = ColourStep.profile(of: layer)
        if own == profile { return layer }
        let bands = try ColourBands(layer, asRGB: true)
        do throws(VipsError) {
            let tagged = try bands.colours.withHeader { header in
                if let own { header.set(ColourStep.profileField, own) } else { header.remove(ColourStep.profileField) }
            }
            // Through Lab, because libvips accepts a profile in memory only from the picture itself.
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

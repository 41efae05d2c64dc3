import TintypeImages

extension Duotone: PictureFilter {
    func leavesAlpha(of hasAlpha: Bool) -> Bool { hasAlpha }

    func apply(to image: VipsImage) throws(VipsError) -> VipsImage {
        let bands = try ColourBands(image, asRGB: amount < 1)
        let grey = try bands.whole(Grayscale.luma(of: bands))
        let ends = [(shadow.red, highlight.red), (shadow.green, highlight.green), (shadow.blue, highlight.blue)]
        let colours = try ToneCurve.apply(to: grey, isDeep: bands.isDeep, channels: 3) { channel, value in
            let (dark, light) = (Double(ends[channel].0) / 255, Double(ends[channel].1) / 255)
            return dark + (light - dark) * value
        }
        return try bands.joined(amount < 1 ? bands.mixed(with: colours, share: amount) : colours)
    }
}

import TintypeImages

/// An operation that changes pixels and not the size: a `PictureFilter` by itself, a `LayerFilter` by another picture. One file each.
protocol Filter {
    /// Whether it reads many lines at once, so that the pixels must be in memory. Default: false.
    static var needsMemory: Bool { get }
    /// Whether it matters which corner is which; else it may be done before the picture is turned upright. Default: false.
    static var dependsOnPlace: Bool { get }
    /// Whether something may show through what it leaves. No default: an answer that is wrong loses transparency, or keeps a channel for nothing.
    /// - Parameter hasAlpha: whether something may show through what it gets.
    func leavesAlpha(of hasAlpha: Bool) -> Bool
}

extension Filter {
    static var needsMemory: Bool { false }
    static var dependsOnPlace: Bool { false }
}

/// A filter that needs nothing but the picture.
protocol PictureFilter: Filter {
    func apply(to image: VipsImage) throws(VipsError) -> VipsImage
}

extension AnyOperation {
    /// The filter that carries it out, if it needs no other picture.
    var filter: (any PictureFilter)? { layers.isEmpty ? base as? any PictureFilter : nil }

    /// The filter that carries it out, if it needs another picture.
    var layerFilter: (any LayerFilter)? { layers.isEmpty ? nil : base as? any LayerFilter }
}

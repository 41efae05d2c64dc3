import TintypeImages

/// An operation that changes pixels but not the size. A `PictureFilter` needs only the picture, a `LayerFilter` another picture too. One file each.
protocol Filter {
    /// Whether the filter reads many lines at once, so that the pixels must be in memory. Default: false.
    static var needsMemory: Bool { get }
    /// Whether the filter depends on the orientation; otherwise it may run before the picture is turned upright. Default: false.
    static var dependsOnPlace: Bool { get }
    /// Whether the result may be transparent. There is no default, because a wrong answer loses transparency or keeps a useless channel.
    /// - Parameter hasAlpha: whether the input may be transparent.
    func leavesAlpha(of hasAlpha: Bool) -> Bool
}

extension Filter {
    static var needsMemory: Bool { false }
    static var dependsOnPlace: Bool { false }
}

/// A filter that needs only the picture.
protocol PictureFilter: Filter {
    func apply(to image: VipsImage) throws(VipsError) -> VipsImage
}

extension AnyOperation {
    /// The filter of the operation, if it needs no other picture.
    var filter: (any PictureFilter)? { layers.isEmpty ? base as? any PictureFilter : nil }

    /// The filter of the operation, if it needs another picture.
    var layerFilter: (any LayerFilter)? { layers.isEmpty ? nil : base as? any LayerFilter }
}

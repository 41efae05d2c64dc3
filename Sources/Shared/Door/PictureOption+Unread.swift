extension PictureOption {
    /// Options of imgproxy Pro without anything like them here.
    static let unread: [PictureOption] = [
        PictureOption(unread: "objects_position", ["obj_pos", "op"], because: noObjects),
        PictureOption(unread: "unsharp_masking", ["ush"], because: "`sharpen` has another kernel, and no weight and divider"),
        PictureOption(unread: "blur_areas", ["ba"], because: "`blur.mask` is a picture, and the areas would be a drawing, which not every worker decodes"),
        PictureOption(unread: "progressive_blur", ["pbl"], because: "the mask of `blur` mixes, and does not change the sigma from place to place"),
        PictureOption(unread: "blur_detections", ["bd"], because: noObjects), PictureOption(unread: "draw_detections", ["dd"], because: noObjects),
        // Its short name in imgproxy's page, co, is that of contrast.
        PictureOption(unread: "crop_objects", because: noObjects),
        PictureOption(unread: "gradient", ["gr"], because: "no operation stretches a layer of colors over the picture"),
        PictureOption(unread: "watermark_size", ["wms"], because: "`composite.scale` is a part of the picture, and no number of pixels"),
        PictureOption(unread: "watermark_shadow", ["wmsh"], because: "`composite` and `text` have no shadow"),
        PictureOption(unread: "style", ["st"], because: "a drawing is decoded as it came"),
        PictureOption(unread: "dpi", because: "the pixel density of a file cannot be set"),
        PictureOption(unread: "color_profile", ["cp", "icc"], because: "a file has the profile of its source, or sRGB without a profile"),
        PictureOption(unread: "pages", ["pgs"], because: "one page is decoded"),
        PictureOption(unread: "video_thumbnail_second", ["vts"], because: noVideo),
        PictureOption(unread: "video_thumbnail_keyframes", ["vtk"], because: noVideo),
        PictureOption(unread: "video_thumbnail_tile", ["vtt"], because: noVideo),
        PictureOption(unread: "video_thumbnail_animation", ["vta"], because: noVideo),
        PictureOption(unread: "hashsum", ["hs"], because: "a request cannot name the hash of its source"),
    ]

    private static let noObjects = "objects are not detected"
    private static let noVideo = "videos are not read"
}

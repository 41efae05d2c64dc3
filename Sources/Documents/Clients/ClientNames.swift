/// The names that client libraries have for what the protocol leaves without a name.
enum ClientNames {
    /// Objects by the member that they are the value of.
    static let objects = [
        "fetch": "Fetch", "cache": "Cache", "decode": "Decode", "output": "Output", "renditions": "Rendition", "request": "Request",
    ]

    /// Objects by their members, with a comma between.
    static let shapes = [
        "x,y": "Point", "place,offsetX,offsetY": "Offsets", "gapX,gapY": "Tiles", "interval,fraction": "ProgressPace",
        "mode,interval,width": "PreviewPace", "x,y,width,height": "SampleRect", "width,height": "Scale", "basic": "BasicAuth", "digest": "DigestAuth",
        "bearer": "BearerAuth", "connect,idle,total": "Timeouts", "max,sameHost": "Redirects", "pinnedPublicKeys,allowInvalid": "TLS",
        "attempts,base,max,on": "Retry", "width,color,join": "CornerBorder", "jpeg,webp,avif,heif,jxl": "Qualities", "points,rects": "Samples",
        "url": "FallbackURL", "key": "FallbackKey", "color,width,height": "FallbackColor", "url,secret": "Callback", "place,name,replace": "SaveTo",
        "animated,alpha,minWidth,minHeight": "Require",
    ]

    /// Choices by their member, where its name with a capital is none for a single value.
    static let choices = [
        "describe": "Trait", "corners": "Corner", "read": "Tier", "write": "Tier", "keep": "SourceFormat", "method": "HTTPMethod",
        "policy": "CachePolicy", "as": "Kind",
    ]

    /// The members that stand first and need no name, by record.
    static let leading = ["Request": ["url", "transform", "output"], "Output": ["format"], "Rendition": ["name", "transform", "output"]]

    static func capital(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }
}

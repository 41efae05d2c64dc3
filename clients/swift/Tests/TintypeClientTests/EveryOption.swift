/// Requests that have every operation and every option. A test compares their names with docs/protocol.md.
enum EveryOption {
    static let operations = #"""
        [
            {"op": "resize", "width": 1, "height": 2, "minWidth": 3, "minHeight": 4, "dpr": 1.5, "density": 2.5, "scale": 0.5, "fit": "coverDown",
                "gravity": "entropy",
                "enlarge": true, "background": "#fff", "kernel": "mitchell", "linear": false},
            {"op": "resize", "scale": {"width": 0.5, "height": 2.5}, "gravity": {"x": 0.25, "y": 0.75}, "fit": "none"},
            {"op": "crop", "x": 0.5, "y": 1.5, "width": 10.5, "height": 20.5, "unit": "fraction",
                "gravity": {"place": "topRight", "offsetX": -0.5, "offsetY": 4.5}},
            {"op": "trim", "threshold": 10.5, "color": "red", "margin": 3, "symmetric": "both"},
            {"op": "extend", "top": 1, "right": 2, "bottom": 3, "left": -4, "color": "blue"},
            {"op": "inset", "top": 1, "right": 2, "bottom": 3, "left": -4, "color": "blue"},
            {"op": "pad", "width": 10, "height": 20, "aspect": 1.5, "gravity": "left", "color": "white"},
            {"op": "rotate", "angle": 90.5, "expand": false, "background": "black"},
            {"op": "flip", "horizontal": true, "vertical": false},
            {"op": "roundCorners", "radius": 8.5, "corners": ["topLeft", "bottomRight"], "border": {"width": 2.5, "color": "gold", "join": "bevel"}},
            {"op": "border", "width": 2.5, "color": "gold"},
            {"op": "mask", "shape": "ellipse", "url": "https://example.org/mask.png"},
            {"op": "composite", "url": "https://example.org/mark.png", "gravity": "bottomRight", "x": 1, "y": -1, "blend": "colorDodge", "opacity": 0.5,
                "tile": {"gapX": 2.5, "gapY": 0.5}, "scale": 0.25},
            {"op": "text", "text": "a\nb", "font": "serif", "size": 20.5, "bold": true, "italic": true, "color": "navy", "gravity": {"x": 0.5, "y": 0.5},
                "x": 3, "y": 4, "opacity": 0.5, "width": 0.75, "align": "right", "valign": "ink", "spacing": 5, "background": "white", "padding": 6,
                "angle": 7.5, "tile": true},
            {"op": "background", "color": "white"},
            {"op": "blur", "sigma": 2.5, "radius": 3.5, "saturation": 1.5, "tint": "red", "blend": "screen", "mask": "https://example.org/m.png",
                "preset": "extraLight"},
            {"op": "sharpen", "sigma": 1.5, "amount": 0.5},
            {"op": "pixelate", "size": 12},
            {"op": "modulate", "brightness": 1.5, "contrast": 0.5, "saturation": 0.25, "hue": 90.5, "gamma": 2.2},
            {"op": "grayscale"},
            {"op": "sepia", "amount": 0.5},
            {"op": "invert"},
            {"op": "tint", "color": "red", "blend": "sourceIn"},
            {"op": "duotone", "shadow": "black", "highlight": "white", "amount": 0.5},
            {"op": "frames", "pick": [0, 2, 2], "first": 3, "reverse": true, "speed": 1.5},
            {"op": "animate", "urls": ["https://example.org/2.png"], "columns": 2, "rows": 3, "count": 5, "delay": [40, 80], "loop": 0, "fit": "fill",
                "background": "white"},
            {"op": "autorotate", "enabled": false}
        ]
        """#

    static let output = #"""
        {"format": "auto", "accept": ["image/webp", "jpeg"], "keep": ["jp2", "raw"], "quality": "auto",
            "qualities": {"jpeg": 1, "webp": 2, "avif": 3, "heif": 4, "jxl": 5}, "likeness": 0.95, "lossless": true, "effort": 6, "progressive": true,
            "palette": true, "animated": true, "subsampling": "4:4:4", "bitDepth": 10, "thumbnail": 160, "maxBytes": 1000, "metadata": "copyright",
            "icc": "keep", "gainMap": "apply", "hdr": "toneMap", "background": "white"}
        """#

    static let fetch = #"""
        {"method": "POST", "headers": {"Accept": "image/*"}, "params": {"a": 1, "b": [true, "x"]}, "body": {"form": {"a": {"b": 1}}}, "base": "shop",
            "cdn": true, "auth": {"basic": ["user", "hidden"]}, "cookies": "jar", "timeouts": {"connect": 1.5, "idle": 2.5, "total": 3.5},
            "maxBytes": 1000, "redirects": {"max": 3, "sameHost": true}, "tls": {"pinnedPublicKeys": ["sha256//AA="], "allowInvalid": false},
            "acceptableStatus": ["200-299"], "acceptableTypes": ["image/*"], "jsonShape": {"id": "integer"}, "decrypt": "base64",
            "retry": {"attempts": 4, "base": 0.25, "max": 9.5, "on": ["dns", "500-599"]}, "resume": false}
        """#

    static let cache = #"""
        {"policy": "default", "read": ["memory"], "write": ["results", "sources"], "ttl": 60.5, "staleIfError": 1.5, "staleWhileRevalidate": 2.5,
            "await": false, "pin": true, "version": 3, "scope": "user-1", "key": "mine", "tags": ["shop"]}
        """#

    static let decode = #"""
        {"frames": "first", "page": 2, "failOn": "none", "speed": "best", "limitBytes": 1000, "maxPixels": 2000, "maxFramePixels": 3000, "thumbnail": true}
        """#

    static let request = #"""
        {"url": "https://example.org/a.jpg", "urls": ["https://example.org/b.jpg"], "receipt": "r-1", "queue": "default", "priority": "high", "order": "lifo",
            "deadline": 10.5, "progress": {"interval": 0.5, "fraction": 0.25}, "hooks": true, "detached": true, "durable": false, "activity": false,
            "callback": {"url": "https://example.com/done", "secret": "hidden"}, "slot": "cell-1", "blacklist": "retry", "tag": "t",
            "userInfo": {"n": [1, null, {"a": 2.5}]}, "describe": ["blurhash", "hdr"],
            "samples": {"points": [[1, 2]], "rects": [{"x": 1, "y": 2, "width": 3, "height": 4}]}, "fetch": \#(fetch), "cache": \#(cache),
            "decode": \#(decode), "fallback": {"color": "red", "width": 3, "height": 4},
            "renditions": [{"name": "one", "transform": \#(operations), "output": \#(output)}, {}], "transform": [{"op": "invert"}],
            "output": {"quality": 80, "accept": "image/webp"},
            "require": {"animated": false, "alpha": true, "minWidth": 10, "minHeight": 20}, "metadata": {"artist": "a"},
            "saveTo": {"place": "photos", "name": "{stem}", "replace": "keep"}, "as": "xml", "deliver": "none",
            "progressive": {"mode": "blur", "interval": 0.5, "width": 64}}
        """#

    /// The other alternatives, each a member of a request.
    static let alternatives = [
        #"{"priority": 3, "progress": true, "progressive": false, "fallback": {"key": "k"}, "saveTo": {"place": "p", "replace": true}}"#,
        #"{"fallback": {"url": "https://example.org/f.png"}, "fetch": {"auth": {"bearer": "hidden"}, "body": "text", "method": "GET"}}"#,
        #"{"fetch": {"auth": {"digest": ["user", "hidden"]}, "body": [1, 2]}, "transform": [{"op": "animate", "urls": ["u"], "delay": 40}]}"#,
    ]
}

// The types, methods and errors of Tintype, made from the descriptions that validate requests.
// `tintype docs clients --language swift` writes this file: change the descriptions, not the file.
// swift-format-ignore-file

// MARK: - Errors

/// The name of an error.
public enum ErrorName: Word {
    /// The message is not JSON, or nested deeper than 64 levels.
    case parseError
    /// The message is JSON but no request, or longer than the limit.
    case invalidRequest
    /// No such method.
    case methodNotFound
    /// A parameter is wrong: `path`, `value` and `expected`. Texts are not repeated, but for misspelled words.
    case invalidParams
    /// A fault of the service; its log has the details.
    case `internal`
    /// The URL cannot be parsed, or is relative.
    case invalidURL
    /// The scheme, address or host is refused by the operator's policy.
    case denied
    /// The source failed before and is blacklisted: `cause`, `since`, `until`.
    case blacklisted
    /// The origin's status is not acceptable: `status`, `host` (which answered), `headers` (without cookies, challenges and secrets, at most 8 KiB), `body`
    /// (an excerpt).
    case httpStatus
    /// The origin's content type is not acceptable.
    case contentType
    /// The body is not JSON, or has another shape.
    case jsonInvalid
    /// The host's name cannot be resolved.
    case dns
    /// No connection to the origin.
    case connect
    /// The TLS handshake or the certificate failed.
    case tls
    /// Too slow: `which` is connect, idle, total, rate, decode….
    case timeout
    /// The connection broke before the end of the body.
    case connectionLost
    /// The origin refused the credentials.
    case authFailed
    /// More redirects than allowed.
    case tooManyRedirects
    /// The bytes are no picture, are broken, or do not meet `require`: `required`, `found`.
    case badImageData
    /// A known format that this build does not support.
    case unsupportedFormat
    /// A limit was exceeded: `limit`, and if known `value` and `allowed`.
    case limitExceeded
    /// An operation failed on this picture.
    case transformFailed
    /// The result could not be encoded.
    case encodeFailed
    /// The body could not be decrypted.
    case decryptFailed
    /// The result could not be stored.
    case storeFailed
    /// The body is not the text or XML asked for, or in a charset that is not read here: `charset`, `cause`.
    case textInvalid
    /// Not in the cache, and the origin must not be asked: `reason`.
    case cacheMiss
    /// The request was cancelled: `reason`, `phase`.
    case cancelled
    /// A newer request has the same supersede key (`slot`).
    case superseded
    /// Not finished within the request's deadline.
    case deadlineExceeded
    /// The workers of the fetch died, as often as allowed.
    case workerLost
    /// The queue, Redis or another room is full: `retryAfter` seconds.
    /// With `limit`, a limit of the client is used up: `perSecond`, `running` or `queued` of its name (`client`), or `wrongTokens` of its address.
    /// `allowed` is the value of that limit, and HTTP answers 429.
    case overloaded
    /// The token is missing or wrong.
    case unauthenticated
    /// The operator does not allow the request.
    case forbidden
    /// This coordinator is stopping: connect again.
    case shuttingDown
    /// Redis cannot be reached, cannot write, or has keys of another schema: `retryAfter` seconds.
    case unavailable
    /// No such receipt, or no longer kept.
    case unknownReceipt
    /// No such group, or no longer kept.
    case unknownGroup
    /// No such queue: `queue.configure` creates one.
    case unknownQueue
    /// A word that this version does not know.
    case other(String)

    public static let allCases: [ErrorName] = [
        .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internal, .invalidURL, .denied, .blacklisted, .httpStatus, .contentType,
        .jsonInvalid, .dns, .connect, .tls, .timeout, .connectionLost, .authFailed, .tooManyRedirects, .badImageData, .unsupportedFormat, .limitExceeded,
        .transformFailed, .encodeFailed, .decryptFailed, .storeFailed, .textInvalid, .cacheMiss, .cancelled, .superseded, .deadlineExceeded, .workerLost,
        .overloaded, .unauthenticated, .forbidden, .shuttingDown, .unavailable, .unknownReceipt, .unknownGroup, .unknownQueue
    ]
    public var rawValue: String {
        switch self {
        case .parseError: "parseError"; case .invalidRequest: "invalidRequest"; case .methodNotFound: "methodNotFound";
        case .invalidParams: "invalidParams"; case .internal: "internal"; case .invalidURL: "invalidURL"; case .denied: "denied";
        case .blacklisted: "blacklisted"; case .httpStatus: "httpStatus"; case .contentType: "contentType"; case .jsonInvalid: "jsonInvalid";
        case .dns: "dns"; case .connect: "connect"; case .tls: "tls"; case .timeout: "timeout"; case .connectionLost: "connectionLost";
        case .authFailed: "authFailed"; case .tooManyRedirects: "tooManyRedirects"; case .badImageData: "badImageData";
        case .unsupportedFormat: "unsupportedFormat"; case .limitExceeded: "limitExceeded"; case .transformFailed: "transformFailed";
        case .encodeFailed: "encodeFailed"; case .decryptFailed: "decryptFailed"; case .storeFailed: "storeFailed"; case .textInvalid: "textInvalid";
        case .cacheMiss: "cacheMiss"; case .cancelled: "cancelled"; case .superseded: "superseded"; case .deadlineExceeded: "deadlineExceeded";
        case .workerLost: "workerLost"; case .overloaded: "overloaded"; case .unauthenticated: "unauthenticated"; case .forbidden: "forbidden";
        case .shuttingDown: "shuttingDown"; case .unavailable: "unavailable"; case .unknownReceipt: "unknownReceipt"; case .unknownGroup: "unknownGroup";
        case .unknownQueue: "unknownQueue"
        case .other(let word): word
        }
    }

    /// The code of JSON-RPC; nil for a name that this version does not know.
    public var code: Int? { Self.facts[self]?.code }
    /// Whether the same request may succeed soon, unless the error itself says otherwise.
    public var isRetryable: Bool { Self.facts[self]?.isRetryable == true }

    /// The name with a code; nil for an unknown one.
    public init?(code: Int) {
        guard let name = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = name
    }

    private static let facts: [ErrorName: (code: Int, isRetryable: Bool)] = [
        .parseError: (-32700, false), .invalidRequest: (-32600, false), .methodNotFound: (-32601, false), .invalidParams: (-32602, false),
        .internal: (-32603, true), .invalidURL: (1001, false), .denied: (1002, false), .blacklisted: (1003, false), .httpStatus: (1010, false),
        .contentType: (1011, false), .jsonInvalid: (1012, false), .dns: (1013, true), .connect: (1014, true), .tls: (1015, false), .timeout: (1016, true),
        .connectionLost: (1017, true), .authFailed: (1018, false), .tooManyRedirects: (1019, false), .badImageData: (1020, false),
        .unsupportedFormat: (1021, false), .limitExceeded: (1022, false), .transformFailed: (1023, false), .encodeFailed: (1024, false),
        .decryptFailed: (1025, false), .storeFailed: (1026, true), .textInvalid: (1027, false), .cacheMiss: (1030, false), .cancelled: (1040, false),
        .superseded: (1041, false), .deadlineExceeded: (1042, true), .workerLost: (1043, true), .overloaded: (1050, true), .unauthenticated: (1051, false),
        .forbidden: (1052, false), .shuttingDown: (1053, true), .unavailable: (1054, true), .unknownReceipt: (1060, false), .unknownGroup: (1061, false),
        .unknownQueue: (1062, false)
    ]
}

/// The phase of a request in which something happened.
public enum Phase: Word {
    case admission, cache, queue, download, decode, transform, encode, store, deliver
    /// A word that this version does not know.
    case other(String)

    public static let allCases: [Phase] = [.admission, .cache, .queue, .download, .decode, .transform, .encode, .store, .deliver]
    public var rawValue: String {
        switch self {
        case .admission: "admission"; case .cache: "cache"; case .queue: "queue"; case .download: "download"; case .decode: "decode";
        case .transform: "transform"; case .encode: "encode"; case .store: "store"; case .deliver: "deliver"
        case .other(let word): word
        }
    }
}

// MARK: - Operations

/// One step that changes pixels. Make it with the functions of ``ImageTransform``.
public indirect enum ImageOperation: ProtocolValue {
    /// Changes the size.
    case resize(Resize)
    /// Cuts a rectangle out, by x and y or by a gravity.
    case crop(Crop)
    /// Cuts off edges of one color: that of the top left corner, unless one is named.
    case trim(Trim)
    /// Adds pixels of a color at each edge.
    case extend(Extend)
    /// Takes pixels away at each edge.
    case inset(Inset)
    /// Puts the picture on a canvas of at least this size, or of this shape.
    case pad(Pad)
    /// Turns the picture clockwise around its middle.
    case rotate(Rotate)
    /// Mirrors the picture.
    case flip(Flip)
    /// Rounds corners; the outside becomes transparent.
    case roundCorners(RoundCorners)
    /// Draws a line along the edges, inside the picture.
    case border(Border)
    /// Keeps a shape in the middle of the picture, or the shape that another picture gives.
    case mask(Mask)
    /// Lays another picture over this one.
    case composite(Composite)
    /// Draws text over the picture.
    case text(Text)
    /// Puts the picture on a color, which replaces transparency.
    case background(Background)
    /// Blurs by the sigma of a Gaussian or the radius of three box blurs (as YYWebImage).
    case blur(Blur)
    /// Sharpens the lightness, edges twice as much as flat areas.
    case sharpen(Sharpen)
    /// Replaces the picture by squares, each with the average color of its part, from the top left corner.
    case pixelate(Pixelate)
    /// Changes brightness, contrast, saturation, hue and gamma, in this order, as the CSS filters of these names.
    case modulate(Modulate)
    /// Makes the picture gray: saturation 0, with the weights 0.2126, 0.7152 and 0.0722 of red, green and blue.
    case grayscale(Grayscale)
    /// Gives the brown of old photographs, as the CSS filter of this name.
    case sepia(Sepia)
    /// Replaces every color by its opposite, as in a negative.
    case invert(Invert)
    /// Colors the picture. sourceIn: one color in the picture's shape.
    case tint(Tint)
    /// Maps dark to one opaque color and light to another.
    case duotone(Duotone)
    /// Chooses frames of an animated picture: the picked ones, or the first ones.
    case frames(Frames)
    /// Makes an animation of this picture and others, or of the frames in this picture (a sprite sheet).
    case animate(Animate)
    /// Turns the picture upright by its EXIF orientation, before any other operation.
    case autorotate(Autorotate)
    /// An operation that this version does not know.
    case other(JSON)

    public init(json: JSON) throws(AnswerFault) {
        let name = json["op"]?.stringValue
        self = switch name {
        case "resize": .resize(try Resize(json: json))
        case "crop": .crop(try Crop(json: json))
        case "trim": .trim(try Trim(json: json))
        case "extend": .extend(try Extend(json: json))
        case "inset": .inset(try Inset(json: json))
        case "pad": .pad(try Pad(json: json))
        case "rotate": .rotate(try Rotate(json: json))
        case "flip": .flip(try Flip(json: json))
        case "roundCorners": .roundCorners(try RoundCorners(json: json))
        case "border": .border(try Border(json: json))
        case "mask": .mask(try Mask(json: json))
        case "composite": .composite(try Composite(json: json))
        case "text": .text(try Text(json: json))
        case "background": .background(try Background(json: json))
        case "blur": .blur(try Blur(json: json))
        case "sharpen": .sharpen(try Sharpen(json: json))
        case "pixelate": .pixelate(try Pixelate(json: json))
        case "modulate": .modulate(try Modulate(json: json))
        case "grayscale": .grayscale(try Grayscale(json: json))
        case "sepia": .sepia(try Sepia(json: json))
        case "invert": .invert(try Invert(json: json))
        case "tint": .tint(try Tint(json: json))
        case "duotone": .duotone(try Duotone(json: json))
        case "frames": .frames(try Frames(json: json))
        case "animate": .animate(try Animate(json: json))
        case "autorotate": .autorotate(try Autorotate(json: json))
        default: .other(json)
        }
    }

    public func json(withSecrets: Bool) -> JSON {
        switch self {
        case .resize(let operation): operation.json(withSecrets: withSecrets)
        case .crop(let operation): operation.json(withSecrets: withSecrets)
        case .trim(let operation): operation.json(withSecrets: withSecrets)
        case .extend(let operation): operation.json(withSecrets: withSecrets)
        case .inset(let operation): operation.json(withSecrets: withSecrets)
        case .pad(let operation): operation.json(withSecrets: withSecrets)
        case .rotate(let operation): operation.json(withSecrets: withSecrets)
        case .flip(let operation): operation.json(withSecrets: withSecrets)
        case .roundCorners(let operation): operation.json(withSecrets: withSecrets)
        case .border(let operation): operation.json(withSecrets: withSecrets)
        case .mask(let operation): operation.json(withSecrets: withSecrets)
        case .composite(let operation): operation.json(withSecrets: withSecrets)
        case .text(let operation): operation.json(withSecrets: withSecrets)
        case .background(let operation): operation.json(withSecrets: withSecrets)
        case .blur(let operation): operation.json(withSecrets: withSecrets)
        case .sharpen(let operation): operation.json(withSecrets: withSecrets)
        case .pixelate(let operation): operation.json(withSecrets: withSecrets)
        case .modulate(let operation): operation.json(withSecrets: withSecrets)
        case .grayscale(let operation): operation.json(withSecrets: withSecrets)
        case .sepia(let operation): operation.json(withSecrets: withSecrets)
        case .invert(let operation): operation.json(withSecrets: withSecrets)
        case .tint(let operation): operation.json(withSecrets: withSecrets)
        case .duotone(let operation): operation.json(withSecrets: withSecrets)
        case .frames(let operation): operation.json(withSecrets: withSecrets)
        case .animate(let operation): operation.json(withSecrets: withSecrets)
        case .autorotate(let operation): operation.json(withSecrets: withSecrets)
        case .other(let json): json
        }
    }
}

extension ImageOperation {
    /// Changes the size. With one side given, the other follows. Never enlarges without `enlarge`. A side or a scale is given.
    public struct Resize: Record {
        /// The width of the box in pixels. 1 to 16384.
        public var width: Int?
        /// The height of the box in pixels. 1 to 16384.
        public var height: Int?
        /// The least width of the scaled picture in pixels. A given width or height then cuts, except with outside. 1 to 16384.
        public var minWidth: Int?
        /// The least height of the scaled picture. 1 to 16384.
        public var minHeight: Int?
        /// Device pixels for each pixel of width, height, minWidth and minHeight. 0.1 to 8. Default: `1`.
        public var dpr: Double?
        /// The factor on the box, or without a box on the picture's own size. Default: `1`.
        public var scale: ScaleFactor?
        /// As `dpr`, by imgproxy's arithmetic. 0.01 to 100.
        public var density: Double?
        /// How the picture gets the size.
        /// `inside`: as large as fits into the box.
        /// `outside`: as small as covers the box.
        /// `contain`: inside, on a canvas of the box's size.
        /// `cover`: fills the box; the overlap is cut off.
        /// `coverDown`: as cover, but a picture smaller than the box is cut to the box's shape.
        /// `auto`: cover if the picture and the box both stand or both lie, else inside.
        /// `fill`: stretched to the box.
        /// `none`: not scaled, but cut and put on a canvas.
        /// Default: `"inside"`.
        public var fit: Fit?
        /// The part to keep, or the place on the canvas. `attention` and `entropy` find a part to keep. Default: `"center"`.
        public var gravity: Gravity?
        /// Whether a smaller picture is enlarged. Default: `false`.
        public var enlarge: Bool?
        /// The color behind the picture; for resize, on the free canvas of contain and none. Formats without alpha show it on white. Default: `"transparent"`.
        public var background: String?
        /// The weights of pixels when a picture becomes smaller. Enlarging is bicubic, except with nearest and linear. Default: `"lanczos3"`.
        public var kernel: Kernel?
        /// Averages light instead of encoded values: slower, but right for fine bright detail. Default: `false`.
        public var linear: Bool?

        /// Members that are nil are left to the service.
        public init(
            _ width: Int? = nil, _ height: Int? = nil, minWidth: Int? = nil, minHeight: Int? = nil, dpr: Double? = nil,
            scale: ScaleFactor? = nil, density: Double? = nil, fit: Fit? = nil, gravity: Gravity? = nil,
            enlarge: Bool? = nil, background: String? = nil, kernel: Kernel? = nil, linear: Bool? = nil
        ) {
            self.width = width; self.height = height; self.minWidth = minWidth; self.minHeight = minHeight; self.dpr = dpr; self.scale = scale;
            self.density = density; self.fit = fit; self.gravity = gravity; self.enlarge = enlarge; self.background = background; self.kernel = kernel;
            self.linear = linear
        }
    }

    /// Cuts a rectangle out, by x and y or by a gravity. Parts of the rectangle outside the picture are left out.
    public struct Crop: Record {
        /// The left edge. 0 to 16384.
        public var x: Double?
        /// The upper edge. 0 to 16384.
        public var y: Double?
        /// How wide; the whole width without it. One of width and height is required. 0 to 16384.
        public var width: Double?
        /// How high; the whole height without it. 0 to 16384.
        public var height: Double?
        /// The unit of the rectangle: pixels, or fractions from 0 to 1. Default: `"px"`.
        public var unit: Unit?
        /// The place of the rectangle without x and y. Default: `"center"`.
        public var gravity: Gravity?

        /// Members that are nil are left to the service.
        public init(
            x: Double? = nil, y: Double? = nil, width: Double? = nil, height: Double? = nil, unit: Unit? = nil,
            gravity: Gravity? = nil
        ) {
            self.x = x; self.y = y; self.width = width; self.height = height; self.unit = unit; self.gravity = gravity
        }
    }

    /// Cuts off edges of one color: that of the top left corner, unless one is named.
    /// A transparent corner cuts off transparent edges. A picture of one color stays as it is. An animation loses the edge that all its frames share.
    /// In a source with lossy compression (JPEG, AVIF, HEIF, most WebP), details one pixel thin count as noise.
    public struct Trim: Record {
        /// How far a color may differ from that of the edge, of 255. 0 to 255. Default: `10`.
        public var threshold: Double?
        /// The color of the operation; for trim the color to cut off, by default that of the top left corner.
        public var color: String?
        /// The pixels to leave around the kept part, where the picture has some. 0 to 16384. Default: `0`.
        public var margin: Int?
        /// Where opposite edges both lose as much as the smaller one: left and right (horizontal), top and bottom (vertical), or both. Default: `"none"`.
        public var symmetric: Symmetric?

        /// Members that are nil are left to the service.
        public init(threshold: Double? = nil, color: String? = nil, margin: Int? = nil, symmetric: Symmetric? = nil) {
            self.threshold = threshold; self.color = color; self.margin = margin; self.symmetric = symmetric
        }
    }

    /// Adds pixels of a color at each edge. Negative numbers take pixels away, as inset does.
    public struct Extend: Record {
        /// The pixels at this edge. -16384 to 16384. Default: `0`.
        public var top: Int?
        /// The pixels at this edge. -16384 to 16384. Default: `0`.
        public var right: Int?
        /// The pixels at this edge. -16384 to 16384. Default: `0`.
        public var bottom: Int?
        /// The pixels at this edge. -16384 to 16384. Default: `0`.
        public var left: Int?
        /// The color of added pixels. Default: `"transparent"`.
        public var color: String?

        /// Members that are nil are left to the service.
        public init(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) {
            self.top = top; self.right = right; self.bottom = bottom; self.left = left; self.color = color
        }
    }

    /// Takes pixels away at each edge. Negative numbers add pixels of a color, as extend does.
    public struct Inset: Record {
        /// The pixels at this edge. -16384 to 16384. Default: `0`.
        public var top: Int?
        /// The pixels at this edge. -16384 to 16384. Default: `0`.
        public var right: Int?
        /// The pixels at this edge. -16384 to 16384. Default: `0`.
        public var bottom: Int?
        /// The pixels at this edge. -16384 to 16384. Default: `0`.
        public var left: Int?
        /// The color of added pixels. Default: `"transparent"`.
        public var color: String?

        /// Members that are nil are left to the service.
        public init(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) {
            self.top = top; self.right = right; self.bottom = bottom; self.left = left; self.color = color
        }
    }

    /// Puts the picture on a canvas of at least this size, or of this shape. The picture is neither cut nor scaled.
    public struct Pad: Record {
        /// The smallest width of the canvas. 1 to 16384.
        public var width: Int?
        /// The smallest height of the canvas. 1 to 16384.
        public var height: Int?
        /// The width of the canvas divided by its height: 1 is square. The canvas grows on one side. 0.01 to 100.
        public var aspect: Double?
        /// The place of the picture on the canvas, with or without offsets. The picture stays inside. Default: `"center"`.
        public var gravity: EdgeGravity?
        /// The color of the canvas. Default: `"transparent"`.
        public var color: String?

        /// Members that are nil are left to the service.
        public init(_ width: Int? = nil, _ height: Int? = nil, aspect: Double? = nil, gravity: EdgeGravity? = nil, color: String? = nil) {
            self.width = width; self.height = height; self.aspect = aspect; self.gravity = gravity; self.color = color
        }
    }

    /// Turns the picture clockwise around its middle.
    public struct Rotate: Record {
        /// Degrees clockwise; negative numbers turn the other way. -3600 to 3600.
        public var angle: Double
        /// true: the canvas grows to contain the whole picture. false: the canvas keeps its size; the corners are lost. Default: `true`.
        public var expand: Bool?
        /// The color beside the turned picture. Default: `"transparent"`.
        public var background: String?

        /// Members that are nil are left to the service.
        public init(_ angle: Double, expand: Bool? = nil, background: String? = nil) {
            self.angle = angle; self.expand = expand; self.background = background
        }
    }

    /// Mirrors the picture.
    public struct Flip: Record {
        /// Swaps left and right. Default: `false`.
        public var horizontal: Bool?
        /// Swaps top and bottom. Default: `false`.
        public var vertical: Bool?

        /// Members that are nil are left to the service.
        public init(horizontal: Bool? = nil, vertical: Bool? = nil) {
            self.horizontal = horizontal; self.vertical = vertical
        }
    }

    /// Rounds corners; the outside becomes transparent. A border runs along the inside of the edge.
    public struct RoundCorners: Record {
        /// The radius in pixels; for corners, at most half of the shorter side counts. 0 to 8192.
        public var radius: Double
        /// Which ones. Default: `["topLeft","topRight","bottomRight","bottomLeft"]`.
        public var corners: [Corner]?
        /// The line along the edge, inside the picture.
        @Boxed public var border: CornerBorder?

        /// Members that are nil are left to the service.
        public init(_ radius: Double, corners: [Corner]? = nil, border: CornerBorder? = nil) {
            self.radius = radius; self.corners = corners; self.border = border
        }
    }

    /// Draws a line along the edges, inside the picture.
    public struct Border: Record {
        /// The width of the line in pixels; less than half of the shorter side. 0 to 8192.
        public var width: Double
        /// The color of the line. Default: `"black"`.
        public var color: String?

        /// Members that are nil are left to the service.
        public init(_ width: Double, color: String? = nil) {
            self.width = width; self.color = color
        }
    }

    /// Keeps a shape in the middle of the picture, or the shape that another picture gives. Everything else becomes transparent; the size stays.
    public struct Mask: Record {
        /// The shape to keep. circle: as large as fits; ellipse: touches all four edges.
        public var shape: Shape?
        /// The URL of another picture; for a mask, stretched over this one. Its transparency, or else its brightness, gives the shape.
        public var url: String?

        /// Members that are nil are left to the service.
        public init(shape: Shape? = nil, url: String? = nil) {
            self.shape = shape; self.url = url
        }
    }

    /// Lays another picture over this one. The size stays; parts outside are cut off.
    public struct Composite: Record {
        /// The URL of the other picture, as for a source.
        public var url: String
        /// The place of the overlay: one of nine places, or a point in fractions for its middle. Default: `"center"`.
        public var gravity: OverlayGravity?
        /// Pixels between the left edges, instead of gravity. -16384 to 16384.
        public var x: Int?
        /// Pixels between the upper edges, instead of gravity. -16384 to 16384.
        public var y: Int?
        /// How the colors mix with those of the picture. Default: `"normal"`.
        public var blend: Blend?
        /// 0 is invisible, 1 opaque. 0 to 1. Default: `1`.
        public var opacity: Double?
        /// Whether to repeat over the whole picture. Default: `false`.
        public var tile: Tiling?
        /// The part of the picture's width and height to fit into. Default: its own size. 0.01 to 1.
        public var scale: Double?

        /// Members that are nil are left to the service.
        public init(
            _ url: String, gravity: OverlayGravity? = nil, x: Int? = nil, y: Int? = nil, blend: Blend? = nil,
            opacity: Double? = nil, tile: Tiling? = nil, scale: Double? = nil
        ) {
            self.url = url; self.gravity = gravity; self.x = x; self.y = y; self.blend = blend; self.opacity = opacity; self.tile = tile; self.scale = scale
        }
    }

    /// Draws text over the picture. The size stays; parts outside are cut off. The text is plain, never markup.
    public struct Text: Record {
        /// The text to draw.
        public var text: String
        /// The font family: one that `formats.list` names, in any case. Missing letters come from the other fonts. Default: `"sans"`.
        public var font: String?
        /// The size of an em, in pixels. 4 to 1000. Default: `32`.
        public var size: Double?
        /// Bold letters. Default: `false`.
        public var bold: Bool?
        /// Italic letters. Default: `false`.
        public var italic: Bool?
        /// The color of the letters. Emoji have colors of their own. Default: `"black"`.
        public var color: String?
        /// The place: one of nine, or a point in fractions for the middle. Default: center; with x or y, topLeft.
        public var gravity: OverlayGravity?
        /// Pixels inwards from the edge; from a middle or a point, to the right. -16384 to 16384. Default: `0`.
        public var x: Int?
        /// The same, down. -16384 to 16384. Default: `0`.
        public var y: Int?
        /// The opacity of the text and its background. 0 to 1. Default: `1`.
        public var opacity: Double?
        /// The width at which lines break: up to 1 a part of the picture's width, above that pixels. Default: lines do not break. 0.01 to 16384.
        public var width: Double?
        /// The alignment of lines; mirrored for text from right to left. Default: `"left"`.
        public var align: Align?
        /// The height that is placed: `line`, of the font's lines, as in CSS; `ink`, of the letters. Default: `"line"`.
        public var valign: Valign?
        /// The pixels between lines, beside those of the font. 0 to 1000. Default: `0`.
        public var spacing: Int?
        /// The color of a box behind the text. Default: none.
        public var background: String?
        /// The pixels by which the background is larger on each side. 0 to 1000. Default: `0`.
        public var padding: Int?
        /// Degrees by which text and background turn clockwise. -3600 to 3600. Default: `0`.
        public var angle: Double?
        /// Whether to repeat the text over the whole picture, `padding` apart. Default: `false`.
        public var tile: Tiling?

        /// Members that are nil are left to the service.
        public init(
            _ text: String, font: String? = nil, size: Double? = nil, bold: Bool? = nil, italic: Bool? = nil, color: String? = nil,
            gravity: OverlayGravity? = nil, x: Int? = nil, y: Int? = nil, opacity: Double? = nil, width: Double? = nil,
            align: Align? = nil, valign: Valign? = nil, spacing: Int? = nil, background: String? = nil, padding: Int? = nil,
            angle: Double? = nil, tile: Tiling? = nil
        ) {
            self.text = text; self.font = font; self.size = size; self.bold = bold; self.italic = italic; self.color = color; self.gravity = gravity;
            self.x = x; self.y = y; self.opacity = opacity; self.width = width; self.align = align; self.valign = valign; self.spacing = spacing;
            self.background = background; self.padding = padding; self.angle = angle; self.tile = tile
        }
    }

    /// Puts the picture on a color, which replaces transparency. The command line calls this operation `--flatten`.
    public struct Background: Record {
        /// The color behind the picture. Default: `"white"`.
        public var color: String?

        /// Members that are nil are left to the service.
        public init(color: String? = nil) {
            self.color = color
        }
    }

    /// Blurs by the sigma of a Gaussian or the radius of three box blurs (as YYWebImage). Then changes the saturation, then lays a color over it.
    public struct Blur: Record {
        /// The sigma of the Gaussian, in pixels. 0.3 to 250.
        public var sigma: Double?
        /// The radius in pixels, instead of sigma. Box sides are floor((radius · 3√(2π)/4 + 0.5) / 2), made odd. 0 to 250.
        public var radius: Double?
        /// The saturation: 0 is gray, 1 unchanged, 2 twice as colorful. Default for blur: 1, or that of the preset. -1 to 10.
        public var saturation: Double?
        /// The color laid over the result, as strong as its alpha. Default: none, or that of the preset.
        public var tint: String?
        /// How the tint mixes with the picture. Default: `"normal"`.
        public var blend: Blend?
        /// The URL of another picture, stretched over this one. Its transparency, or else its brightness, limits the blur.
        public var mask: String?
        /// A ready-made look.
        /// `soft`: radius 60 under white 0.84 at 0.36.
        /// `light`: 60, 1 at 0.3.
        /// `extraLight`: 40, 0.97 at 0.82.
        /// `dark`: 40, 0.11 at 0.73.
        /// Saturation 1.8.
        public var preset: Preset?

        /// Members that are nil are left to the service.
        public init(
            sigma: Double? = nil, radius: Double? = nil, saturation: Double? = nil, tint: String? = nil, blend: Blend? = nil,
            mask: String? = nil, preset: Preset? = nil
        ) {
            self.sigma = sigma; self.radius = radius; self.saturation = saturation; self.tint = tint; self.blend = blend; self.mask = mask; self.preset = preset
        }
    }

    /// Sharpens the lightness, edges twice as much as flat areas.
    public struct Sharpen: Record {
        /// The width of an edge, in pixels. 0.3 to 10. Default: `1`.
        public var sigma: Double?
        /// The strength; 0 does nothing. For sharpen, the lightness, of 100, gains at most 10 and loses at most 20. 0 to 10. Default: `1`.
        public var amount: Double?

        /// Members that are nil are left to the service.
        public init(sigma: Double? = nil, amount: Double? = nil) {
            self.sigma = sigma; self.amount = amount
        }
    }

    /// Replaces the picture by squares, each with the average color of its part, from the top left corner.
    public struct Pixelate: Record {
        /// The side of a square in pixels. 1 to 16384. Default: `10`.
        public var size: Int?

        /// Members that are nil are left to the service.
        public init(size: Int? = nil) {
            self.size = size
        }
    }

    /// Changes brightness, contrast, saturation, hue and gamma, in this order, as the CSS filters of these names.
    public struct Modulate: Record {
        /// The factor of all colors: 0 is black. 0 to 10. Default: `1`.
        public var brightness: Double?
        /// The factor of the distance from middle gray: 0 is gray. 0 to 10. Default: `1`.
        public var contrast: Double?
        /// The saturation: 0 is gray, 2 twice as colorful. -1 to 10. Default: `1`.
        public var saturation: Double?
        /// Degrees by which colors turn on the color circle. -3600 to 3600. Default: `0`.
        public var hue: Double?
        /// The gamma: above 1 dark parts become lighter, below 1 darker. 0.1 to 10. Default: `1`.
        public var gamma: Double?

        /// Members that are nil are left to the service.
        public init(brightness: Double? = nil, contrast: Double? = nil, saturation: Double? = nil, hue: Double? = nil, gamma: Double? = nil) {
            self.brightness = brightness; self.contrast = contrast; self.saturation = saturation; self.hue = hue; self.gamma = gamma
        }
    }

    /// Makes the picture gray: saturation 0, with the weights 0.2126, 0.7152 and 0.0722 of red, green and blue.
    public struct Grayscale: Record {
        public init() {}
    }

    /// Gives the brown of old photographs, as the CSS filter of this name.
    public struct Sepia: Record {
        /// 0 does nothing, 1 is full. 0 to 1. Default: `1`.
        public var amount: Double?

        /// Members that are nil are left to the service.
        public init(amount: Double? = nil) {
            self.amount = amount
        }
    }

    /// Replaces every color by its opposite, as in a negative. Transparency stays.
    public struct Invert: Record {
        public init() {}
    }

    /// Colors the picture. sourceIn: one color in the picture's shape. Other blends: the color mixed with the picture.
    public struct Tint: Record {
        /// The color; its alpha is the strength.
        public var color: String
        /// How the color mixes with the picture. Default: `"sourceIn"`.
        public var blend: TintBlend?

        /// Members that are nil are left to the service.
        public init(_ color: String, blend: TintBlend? = nil) {
            self.color = color; self.blend = blend
        }
    }

    /// Maps dark to one opaque color and light to another.
    public struct Duotone: Record {
        /// The color for black. Default: `"black"`.
        public var shadow: String?
        /// The color for white. Default: `"white"`.
        public var highlight: String?
        /// 0 does nothing, 1 is full. 0 to 1. Default: `1`.
        public var amount: Double?

        /// Members that are nil are left to the service.
        public init(shadow: String? = nil, highlight: String? = nil, amount: Double? = nil) {
            self.shadow = shadow; self.highlight = highlight; self.amount = amount
        }
    }

    /// Chooses frames of an animated picture: the picked ones, or the first ones.
    /// Then reverses them, then changes their pace. A format that cannot move gets the first remaining frame.
    /// All frames up to the last wanted one may have 2,000 million pixels.
    public struct Frames: Record {
        /// The numbers of the frames, from 0, in this order. A frame may come twice.
        public var pick: [Int]?
        /// The number of frames to keep, from the first one. 1 to 65535.
        public var first: Int?
        /// Whether to reverse the order. Default: `false`.
        public var reverse: Bool?
        /// The speed: 2 is twice as fast. A frame lasts at least 0.02 s and at most what the format can say. 0.01 to 100. Default: `1`.
        public var speed: Double?

        /// Members that are nil are left to the service.
        public init(pick: [Int]? = nil, first: Int? = nil, reverse: Bool? = nil, speed: Double? = nil) {
            self.pick = pick; self.first = first; self.reverse = reverse; self.speed = speed
        }
    }

    /// Makes an animation of this picture and others, or of the frames in this picture (a sprite sheet).
    /// Later operations change each frame, earlier ones only this picture.
    /// A format that cannot move gets the first frame; without a named format, the result is WebP.
    public struct Animate: Record {
        /// The URLs of the frames after this picture, as for a source. Each picture gets this picture's size; an animation gives its first frame.
        public var urls: [String]?
        /// The columns of frames in this picture, instead of urls. Default: 1 with rows. 1 to 256.
        public var columns: Int?
        /// The rows of frames in this picture, instead of urls. Default: 1 with columns. 1 to 256.
        public var rows: Int?
        /// The number of frames in the sheet, row by row from the upper left one. Default: all. 1 to 65536.
        public var count: Int?
        /// Milliseconds for a frame: one number, or one for each frame. GIF counts in hundredths of a second. Default: `100`.
        public var delay: Delay?
        /// How often the animation plays; 0: for ever. 0 to 65535. Default: `0`.
        public var loop: Int?
        /// How another picture gets the size. contain: whole, on a background; cover: cut; fill: stretched. Default: `"contain"`.
        public var fit: AnimationFit?
        /// The color where contain leaves the frame free. Default: `"transparent"`.
        public var background: String?

        /// Members that are nil are left to the service.
        public init(
            urls: [String]? = nil, columns: Int? = nil, rows: Int? = nil, count: Int? = nil, delay: Delay? = nil, loop: Int? = nil,
            fit: AnimationFit? = nil, background: String? = nil
        ) {
            self.urls = urls; self.columns = columns; self.rows = rows; self.count = count; self.delay = delay; self.loop = loop; self.fit = fit;
            self.background = background
        }
    }

    /// Turns the picture upright by its EXIF orientation, before any other operation. On by default; name the operation only to switch it off.
    public struct Autorotate: Record {
        /// false: the pixels stay as they are stored.
        /// HEIF and AVIF have a turn of their own in place of EXIF; their decoder always applies it. Default: `true`.
        public var enabled: Bool?

        /// Members that are nil are left to the service.
        public init(enabled: Bool? = nil) {
            self.enabled = enabled
        }
    }
}

extension ImageTransform {
    /// Changes the size. With one side given, the other follows. Never enlarges without `enlarge`. A side or a scale is given.
    ///
    /// - Parameter width: The width of the box in pixels. 1 to 16384.
    /// - Parameter height: The height of the box in pixels. 1 to 16384.
    /// - Parameter minWidth: The least width of the scaled picture in pixels. A given width or height then cuts, except with outside. 1 to 16384.
    /// - Parameter minHeight: The least height of the scaled picture. 1 to 16384.
    /// - Parameter dpr: Device pixels for each pixel of width, height, minWidth and minHeight. 0.1 to 8. Default: `1`.
    /// - Parameter scale: The factor on the box, or without a box on the picture's own size. Default: `1`.
    /// - Parameter density: As `dpr`, by imgproxy's arithmetic. 0.01 to 100.
    /// - Parameter fit: How the picture gets the size.
    ///   `inside`: as large as fits into the box.
    ///   `outside`: as small as covers the box.
    ///   `contain`: inside, on a canvas of the box's size.
    ///   `cover`: fills the box; the overlap is cut off.
    ///   `coverDown`: as cover, but a picture smaller than the box is cut to the box's shape.
    ///   `auto`: cover if the picture and the box both stand or both lie, else inside.
    ///   `fill`: stretched to the box.
    ///   `none`: not scaled, but cut and put on a canvas.
    ///   Default: `"inside"`.
    /// - Parameter gravity: The part to keep, or the place on the canvas. `attention` and `entropy` find a part to keep. Default: `"center"`.
    /// - Parameter enlarge: Whether a smaller picture is enlarged. Default: `false`.
    /// - Parameter background: The color behind the picture; for resize, on the free canvas of contain and none.
    ///   Formats without alpha show it on white. Default: `"transparent"`.
    /// - Parameter kernel: The weights of pixels when a picture becomes smaller.
    ///   Enlarging is bicubic, except with nearest and linear. Default: `"lanczos3"`.
    /// - Parameter linear: Averages light instead of encoded values: slower, but right for fine bright detail. Default: `false`.
    public static func resize(
        _ width: Int? = nil, _ height: Int? = nil, minWidth: Int? = nil, minHeight: Int? = nil, dpr: Double? = nil,
        scale: ImageOperation.ScaleFactor? = nil, density: Double? = nil, fit: ImageOperation.Fit? = nil, gravity: ImageOperation.Gravity? = nil,
        enlarge: Bool? = nil, background: String? = nil, kernel: ImageOperation.Kernel? = nil, linear: Bool? = nil
    ) -> ImageTransform {
        ImageTransform(.resize(ImageOperation.Resize(
            width, height, minWidth: minWidth, minHeight: minHeight, dpr: dpr, scale: scale, density: density, fit: fit, gravity: gravity, enlarge: enlarge,
            background: background, kernel: kernel, linear: linear
        )))
    }

    /// Appends the operation that the static function of the same name makes.
    public func resize(
        _ width: Int? = nil, _ height: Int? = nil, minWidth: Int? = nil, minHeight: Int? = nil, dpr: Double? = nil,
        scale: ImageOperation.ScaleFactor? = nil, density: Double? = nil, fit: ImageOperation.Fit? = nil, gravity: ImageOperation.Gravity? = nil,
        enlarge: Bool? = nil, background: String? = nil, kernel: ImageOperation.Kernel? = nil, linear: Bool? = nil
    ) -> ImageTransform {
        appending(.resize(ImageOperation.Resize(
            width, height, minWidth: minWidth, minHeight: minHeight, dpr: dpr, scale: scale, density: density, fit: fit, gravity: gravity, enlarge: enlarge,
            background: background, kernel: kernel, linear: linear
        )))
    }

    /// Cuts a rectangle out, by x and y or by a gravity. Parts of the rectangle outside the picture are left out.
    ///
    /// - Parameter x: The left edge. 0 to 16384.
    /// - Parameter y: The upper edge. 0 to 16384.
    /// - Parameter width: How wide; the whole width without it. One of width and height is required. 0 to 16384.
    /// - Parameter height: How high; the whole height without it. 0 to 16384.
    /// - Parameter unit: The unit of the rectangle: pixels, or fractions from 0 to 1. Default: `"px"`.
    /// - Parameter gravity: The place of the rectangle without x and y. Default: `"center"`.
    public static func crop(
        x: Double? = nil, y: Double? = nil, width: Double? = nil, height: Double? = nil, unit: ImageOperation.Unit? = nil,
        gravity: ImageOperation.Gravity? = nil
    ) -> ImageTransform {
        ImageTransform(.crop(ImageOperation.Crop(x: x, y: y, width: width, height: height, unit: unit, gravity: gravity)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func crop(
        x: Double? = nil, y: Double? = nil, width: Double? = nil, height: Double? = nil, unit: ImageOperation.Unit? = nil,
        gravity: ImageOperation.Gravity? = nil
    ) -> ImageTransform {
        appending(.crop(ImageOperation.Crop(x: x, y: y, width: width, height: height, unit: unit, gravity: gravity)))
    }

    /// Cuts off edges of one color: that of the top left corner, unless one is named.
    /// A transparent corner cuts off transparent edges. A picture of one color stays as it is. An animation loses the edge that all its frames share.
    /// In a source with lossy compression (JPEG, AVIF, HEIF, most WebP), details one pixel thin count as noise.
    ///
    /// - Parameter threshold: How far a color may differ from that of the edge, of 255. 0 to 255. Default: `10`.
    /// - Parameter color: The color of the operation; for trim the color to cut off, by default that of the top left corner.
    /// - Parameter margin: The pixels to leave around the kept part, where the picture has some. 0 to 16384. Default: `0`.
    /// - Parameter symmetric: Where opposite edges both lose as much as the smaller one: left and right (horizontal), top and bottom (vertical), or both.
    ///   Default: `"none"`.
    public static func trim(
        threshold: Double? = nil, color: String? = nil, margin: Int? = nil, symmetric: ImageOperation.Symmetric? = nil
    ) -> ImageTransform {
        ImageTransform(.trim(ImageOperation.Trim(threshold: threshold, color: color, margin: margin, symmetric: symmetric)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func trim(threshold: Double? = nil, color: String? = nil, margin: Int? = nil, symmetric: ImageOperation.Symmetric? = nil) -> ImageTransform {
        appending(.trim(ImageOperation.Trim(threshold: threshold, color: color, margin: margin, symmetric: symmetric)))
    }

    /// Adds pixels of a color at each edge. Negative numbers take pixels away, as inset does.
    ///
    /// - Parameter top: The pixels at this edge. -16384 to 16384. Default: `0`.
    /// - Parameter right: The pixels at this edge. -16384 to 16384. Default: `0`.
    /// - Parameter bottom: The pixels at this edge. -16384 to 16384. Default: `0`.
    /// - Parameter left: The pixels at this edge. -16384 to 16384. Default: `0`.
    /// - Parameter color: The color of added pixels. Default: `"transparent"`.
    public static func extend(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) -> ImageTransform {
        ImageTransform(.extend(ImageOperation.Extend(top: top, right: right, bottom: bottom, left: left, color: color)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func extend(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) -> ImageTransform {
        appending(.extend(ImageOperation.Extend(top: top, right: right, bottom: bottom, left: left, color: color)))
    }

    /// Takes pixels away at each edge. Negative numbers add pixels of a color, as extend does.
    ///
    /// - Parameter top: The pixels at this edge. -16384 to 16384. Default: `0`.
    /// - Parameter right: The pixels at this edge. -16384 to 16384. Default: `0`.
    /// - Parameter bottom: The pixels at this edge. -16384 to 16384. Default: `0`.
    /// - Parameter left: The pixels at this edge. -16384 to 16384. Default: `0`.
    /// - Parameter color: The color of added pixels. Default: `"transparent"`.
    public static func inset(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) -> ImageTransform {
        ImageTransform(.inset(ImageOperation.Inset(top: top, right: right, bottom: bottom, left: left, color: color)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func inset(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) -> ImageTransform {
        appending(.inset(ImageOperation.Inset(top: top, right: right, bottom: bottom, left: left, color: color)))
    }

    /// Puts the picture on a canvas of at least this size, or of this shape. The picture is neither cut nor scaled.
    ///
    /// - Parameter width: The smallest width of the canvas. 1 to 16384.
    /// - Parameter height: The smallest height of the canvas. 1 to 16384.
    /// - Parameter aspect: The width of the canvas divided by its height: 1 is square. The canvas grows on one side. 0.01 to 100.
    /// - Parameter gravity: The place of the picture on the canvas, with or without offsets. The picture stays inside. Default: `"center"`.
    /// - Parameter color: The color of the canvas. Default: `"transparent"`.
    public static func pad(
        _ width: Int? = nil, _ height: Int? = nil, aspect: Double? = nil, gravity: ImageOperation.EdgeGravity? = nil, color: String? = nil
    ) -> ImageTransform {
        ImageTransform(.pad(ImageOperation.Pad(width, height, aspect: aspect, gravity: gravity, color: color)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func pad(
        _ width: Int? = nil, _ height: Int? = nil, aspect: Double? = nil, gravity: ImageOperation.EdgeGravity? = nil, color: String? = nil
    ) -> ImageTransform {
        appending(.pad(ImageOperation.Pad(width, height, aspect: aspect, gravity: gravity, color: color)))
    }

    /// Turns the picture clockwise around its middle.
    ///
    /// - Parameter angle: Degrees clockwise; negative numbers turn the other way. -3600 to 3600.
    /// - Parameter expand: true: the canvas grows to contain the whole picture. false: the canvas keeps its size; the corners are lost. Default: `true`.
    /// - Parameter background: The color beside the turned picture. Default: `"transparent"`.
    public static func rotate(_ angle: Double, expand: Bool? = nil, background: String? = nil) -> ImageTransform {
        ImageTransform(.rotate(ImageOperation.Rotate(angle, expand: expand, background: background)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func rotate(_ angle: Double, expand: Bool? = nil, background: String? = nil) -> ImageTransform {
        appending(.rotate(ImageOperation.Rotate(angle, expand: expand, background: background)))
    }

    /// Mirrors the picture.
    ///
    /// - Parameter horizontal: Swaps left and right. Default: `false`.
    /// - Parameter vertical: Swaps top and bottom. Default: `false`.
    public static func flip(horizontal: Bool? = nil, vertical: Bool? = nil) -> ImageTransform {
        ImageTransform(.flip(ImageOperation.Flip(horizontal: horizontal, vertical: vertical)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func flip(horizontal: Bool? = nil, vertical: Bool? = nil) -> ImageTransform {
        appending(.flip(ImageOperation.Flip(horizontal: horizontal, vertical: vertical)))
    }

    /// Rounds corners; the outside becomes transparent. A border runs along the inside of the edge.
    ///
    /// - Parameter radius: The radius in pixels; for corners, at most half of the shorter side counts. 0 to 8192.
    /// - Parameter corners: Which ones. Default: `["topLeft","topRight","bottomRight","bottomLeft"]`.
    /// - Parameter border: The line along the edge, inside the picture.
    public static func roundCorners(
        _ radius: Double, corners: [ImageOperation.Corner]? = nil, border: ImageOperation.CornerBorder? = nil
    ) -> ImageTransform {
        ImageTransform(.roundCorners(ImageOperation.RoundCorners(radius, corners: corners, border: border)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func roundCorners(_ radius: Double, corners: [ImageOperation.Corner]? = nil, border: ImageOperation.CornerBorder? = nil) -> ImageTransform {
        appending(.roundCorners(ImageOperation.RoundCorners(radius, corners: corners, border: border)))
    }

    /// Draws a line along the edges, inside the picture.
    ///
    /// - Parameter width: The width of the line in pixels; less than half of the shorter side. 0 to 8192.
    /// - Parameter color: The color of the line. Default: `"black"`.
    public static func border(_ width: Double, color: String? = nil) -> ImageTransform {
        ImageTransform(.border(ImageOperation.Border(width, color: color)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func border(_ width: Double, color: String? = nil) -> ImageTransform {
        appending(.border(ImageOperation.Border(width, color: color)))
    }

    /// Keeps a shape in the middle of the picture, or the shape that another picture gives. Everything else becomes transparent; the size stays.
    ///
    /// - Parameter shape: The shape to keep. circle: as large as fits; ellipse: touches all four edges.
    /// - Parameter url: The URL of another picture; for a mask, stretched over this one. Its transparency, or else its brightness, gives the shape.
    public static func mask(shape: ImageOperation.Shape? = nil, url: String? = nil) -> ImageTransform {
        ImageTransform(.mask(ImageOperation.Mask(shape: shape, url: url)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func mask(shape: ImageOperation.Shape? = nil, url: String? = nil) -> ImageTransform {
        appending(.mask(ImageOperation.Mask(shape: shape, url: url)))
    }

    /// Lays another picture over this one. The size stays; parts outside are cut off.
    ///
    /// - Parameter url: The URL of the other picture, as for a source.
    /// - Parameter gravity: The place of the overlay: one of nine places, or a point in fractions for its middle. Default: `"center"`.
    /// - Parameter x: Pixels between the left edges, instead of gravity. -16384 to 16384.
    /// - Parameter y: Pixels between the upper edges, instead of gravity. -16384 to 16384.
    /// - Parameter blend: How the colors mix with those of the picture. Default: `"normal"`.
    /// - Parameter opacity: 0 is invisible, 1 opaque. 0 to 1. Default: `1`.
    /// - Parameter tile: Whether to repeat over the whole picture. Default: `false`.
    /// - Parameter scale: The part of the picture's width and height to fit into. Default: its own size. 0.01 to 1.
    public static func composite(
        _ url: String, gravity: ImageOperation.OverlayGravity? = nil, x: Int? = nil, y: Int? = nil, blend: ImageOperation.Blend? = nil,
        opacity: Double? = nil, tile: ImageOperation.Tiling? = nil, scale: Double? = nil
    ) -> ImageTransform {
        ImageTransform(.composite(ImageOperation.Composite(url, gravity: gravity, x: x, y: y, blend: blend, opacity: opacity, tile: tile, scale: scale)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func composite(
        _ url: String, gravity: ImageOperation.OverlayGravity? = nil, x: Int? = nil, y: Int? = nil, blend: ImageOperation.Blend? = nil,
        opacity: Double? = nil, tile: ImageOperation.Tiling? = nil, scale: Double? = nil
    ) -> ImageTransform {
        appending(.composite(ImageOperation.Composite(url, gravity: gravity, x: x, y: y, blend: blend, opacity: opacity, tile: tile, scale: scale)))
    }

    /// Draws text over the picture. The size stays; parts outside are cut off. The text is plain, never markup.
    ///
    /// - Parameter text: The text to draw.
    /// - Parameter font: The font family: one that `formats.list` names, in any case. Missing letters come from the other fonts. Default: `"sans"`.
    /// - Parameter size: The size of an em, in pixels. 4 to 1000. Default: `32`.
    /// - Parameter bold: Bold letters. Default: `false`.
    /// - Parameter italic: Italic letters. Default: `false`.
    /// - Parameter color: The color of the letters. Emoji have colors of their own. Default: `"black"`.
    /// - Parameter gravity: The place: one of nine, or a point in fractions for the middle. Default: center; with x or y, topLeft.
    /// - Parameter x: Pixels inwards from the edge; from a middle or a point, to the right. -16384 to 16384. Default: `0`.
    /// - Parameter y: The same, down. -16384 to 16384. Default: `0`.
    /// - Parameter opacity: The opacity of the text and its background. 0 to 1. Default: `1`.
    /// - Parameter width: The width at which lines break: up to 1 a part of the picture's width, above that pixels.
    ///   Default: lines do not break. 0.01 to 16384.
    /// - Parameter align: The alignment of lines; mirrored for text from right to left. Default: `"left"`.
    /// - Parameter valign: The height that is placed: `line`, of the font's lines, as in CSS; `ink`, of the letters. Default: `"line"`.
    /// - Parameter spacing: The pixels between lines, beside those of the font. 0 to 1000. Default: `0`.
    /// - Parameter background: The color of a box behind the text. Default: none.
    /// - Parameter padding: The pixels by which the background is larger on each side. 0 to 1000. Default: `0`.
    /// - Parameter angle: Degrees by which text and background turn clockwise. -3600 to 3600. Default: `0`.
    /// - Parameter tile: Whether to repeat the text over the whole picture, `padding` apart. Default: `false`.
    public static func text(
        _ text: String, font: String? = nil, size: Double? = nil, bold: Bool? = nil, italic: Bool? = nil, color: String? = nil,
        gravity: ImageOperation.OverlayGravity? = nil, x: Int? = nil, y: Int? = nil, opacity: Double? = nil, width: Double? = nil,
        align: ImageOperation.Align? = nil, valign: ImageOperation.Valign? = nil, spacing: Int? = nil, background: String? = nil, padding: Int? = nil,
        angle: Double? = nil, tile: ImageOperation.Tiling? = nil
    ) -> ImageTransform {
        ImageTransform(.text(ImageOperation.Text(
            text, font: font, size: size, bold: bold, italic: italic, color: color, gravity: gravity, x: x, y: y, opacity: opacity, width: width,
            align: align, valign: valign, spacing: spacing, background: background, padding: padding, angle: angle, tile: tile
        )))
    }

    /// Appends the operation that the static function of the same name makes.
    public func text(
        _ text: String, font: String? = nil, size: Double? = nil, bold: Bool? = nil, italic: Bool? = nil, color: String? = nil,
        gravity: ImageOperation.OverlayGravity? = nil, x: Int? = nil, y: Int? = nil, opacity: Double? = nil, width: Double? = nil,
        align: ImageOperation.Align? = nil, valign: ImageOperation.Valign? = nil, spacing: Int? = nil, background: String? = nil, padding: Int? = nil,
        angle: Double? = nil, tile: ImageOperation.Tiling? = nil
    ) -> ImageTransform {
        appending(.text(ImageOperation.Text(
            text, font: font, size: size, bold: bold, italic: italic, color: color, gravity: gravity, x: x, y: y, opacity: opacity, width: width,
            align: align, valign: valign, spacing: spacing, background: background, padding: padding, angle: angle, tile: tile
        )))
    }

    /// Puts the picture on a color, which replaces transparency. The command line calls this operation `--flatten`.
    ///
    /// - Parameter color: The color behind the picture. Default: `"white"`.
    public static func background(color: String? = nil) -> ImageTransform {
        ImageTransform(.background(ImageOperation.Background(color: color)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func background(color: String? = nil) -> ImageTransform {
        appending(.background(ImageOperation.Background(color: color)))
    }

    /// Blurs by the sigma of a Gaussian or the radius of three box blurs (as YYWebImage). Then changes the saturation, then lays a color over it.
    ///
    /// - Parameter sigma: The sigma of the Gaussian, in pixels. 0.3 to 250.
    /// - Parameter radius: The radius in pixels, instead of sigma. Box sides are floor((radius · 3√(2π)/4 + 0.5) / 2), made odd. 0 to 250.
    /// - Parameter saturation: The saturation: 0 is gray, 1 unchanged, 2 twice as colorful. Default for blur: 1, or that of the preset. -1 to 10.
    /// - Parameter tint: The color laid over the result, as strong as its alpha. Default: none, or that of the preset.
    /// - Parameter blend: How the tint mixes with the picture. Default: `"normal"`.
    /// - Parameter mask: The URL of another picture, stretched over this one. Its transparency, or else its brightness, limits the blur.
    /// - Parameter preset: A ready-made look.
    ///   `soft`: radius 60 under white 0.84 at 0.36.
    ///   `light`: 60, 1 at 0.3.
    ///   `extraLight`: 40, 0.97 at 0.82.
    ///   `dark`: 40, 0.11 at 0.73.
    ///   Saturation 1.8.
    public static func blur(
        sigma: Double? = nil, radius: Double? = nil, saturation: Double? = nil, tint: String? = nil, blend: ImageOperation.Blend? = nil,
        mask: String? = nil, preset: ImageOperation.Preset? = nil
    ) -> ImageTransform {
        ImageTransform(.blur(ImageOperation.Blur(
            sigma: sigma, radius: radius, saturation: saturation, tint: tint, blend: blend, mask: mask, preset: preset
        )))
    }

    /// Appends the operation that the static function of the same name makes.
    public func blur(
        sigma: Double? = nil, radius: Double? = nil, saturation: Double? = nil, tint: String? = nil, blend: ImageOperation.Blend? = nil,
        mask: String? = nil, preset: ImageOperation.Preset? = nil
    ) -> ImageTransform {
        appending(.blur(ImageOperation.Blur(sigma: sigma, radius: radius, saturation: saturation, tint: tint, blend: blend, mask: mask, preset: preset)))
    }

    /// Sharpens the lightness, edges twice as much as flat areas.
    ///
    /// - Parameter sigma: The width of an edge, in pixels. 0.3 to 10. Default: `1`.
    /// - Parameter amount: The strength; 0 does nothing.
    ///   For sharpen, the lightness, of 100, gains at most 10 and loses at most 20. 0 to 10. Default: `1`.
    public static func sharpen(sigma: Double? = nil, amount: Double? = nil) -> ImageTransform {
        ImageTransform(.sharpen(ImageOperation.Sharpen(sigma: sigma, amount: amount)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func sharpen(sigma: Double? = nil, amount: Double? = nil) -> ImageTransform {
        appending(.sharpen(ImageOperation.Sharpen(sigma: sigma, amount: amount)))
    }

    /// Replaces the picture by squares, each with the average color of its part, from the top left corner.
    ///
    /// - Parameter size: The side of a square in pixels. 1 to 16384. Default: `10`.
    public static func pixelate(size: Int? = nil) -> ImageTransform {
        ImageTransform(.pixelate(ImageOperation.Pixelate(size: size)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func pixelate(size: Int? = nil) -> ImageTransform {
        appending(.pixelate(ImageOperation.Pixelate(size: size)))
    }

    /// Changes brightness, contrast, saturation, hue and gamma, in this order, as the CSS filters of these names.
    ///
    /// - Parameter brightness: The factor of all colors: 0 is black. 0 to 10. Default: `1`.
    /// - Parameter contrast: The factor of the distance from middle gray: 0 is gray. 0 to 10. Default: `1`.
    /// - Parameter saturation: The saturation: 0 is gray, 2 twice as colorful. -1 to 10. Default: `1`.
    /// - Parameter hue: Degrees by which colors turn on the color circle. -3600 to 3600. Default: `0`.
    /// - Parameter gamma: The gamma: above 1 dark parts become lighter, below 1 darker. 0.1 to 10. Default: `1`.
    public static func modulate(
        brightness: Double? = nil, contrast: Double? = nil, saturation: Double? = nil, hue: Double? = nil, gamma: Double? = nil
    ) -> ImageTransform {
        ImageTransform(.modulate(ImageOperation.Modulate(brightness: brightness, contrast: contrast, saturation: saturation, hue: hue, gamma: gamma)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func modulate(
        brightness: Double? = nil, contrast: Double? = nil, saturation: Double? = nil, hue: Double? = nil, gamma: Double? = nil
    ) -> ImageTransform {
        appending(.modulate(ImageOperation.Modulate(brightness: brightness, contrast: contrast, saturation: saturation, hue: hue, gamma: gamma)))
    }

    /// Makes the picture gray: saturation 0, with the weights 0.2126, 0.7152 and 0.0722 of red, green and blue.
    public static func grayscale() -> ImageTransform {
        ImageTransform(.grayscale(ImageOperation.Grayscale()))
    }

    /// Appends the operation that the static function of the same name makes.
    public func grayscale() -> ImageTransform {
        appending(.grayscale(ImageOperation.Grayscale()))
    }

    /// Gives the brown of old photographs, as the CSS filter of this name.
    ///
    /// - Parameter amount: 0 does nothing, 1 is full. 0 to 1. Default: `1`.
    public static func sepia(amount: Double? = nil) -> ImageTransform {
        ImageTransform(.sepia(ImageOperation.Sepia(amount: amount)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func sepia(amount: Double? = nil) -> ImageTransform {
        appending(.sepia(ImageOperation.Sepia(amount: amount)))
    }

    /// Replaces every color by its opposite, as in a negative. Transparency stays.
    public static func invert() -> ImageTransform {
        ImageTransform(.invert(ImageOperation.Invert()))
    }

    /// Appends the operation that the static function of the same name makes.
    public func invert() -> ImageTransform {
        appending(.invert(ImageOperation.Invert()))
    }

    /// Colors the picture. sourceIn: one color in the picture's shape. Other blends: the color mixed with the picture.
    ///
    /// - Parameter color: The color; its alpha is the strength.
    /// - Parameter blend: How the color mixes with the picture. Default: `"sourceIn"`.
    public static func tint(_ color: String, blend: ImageOperation.TintBlend? = nil) -> ImageTransform {
        ImageTransform(.tint(ImageOperation.Tint(color, blend: blend)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func tint(_ color: String, blend: ImageOperation.TintBlend? = nil) -> ImageTransform {
        appending(.tint(ImageOperation.Tint(color, blend: blend)))
    }

    /// Maps dark to one opaque color and light to another.
    ///
    /// - Parameter shadow: The color for black. Default: `"black"`.
    /// - Parameter highlight: The color for white. Default: `"white"`.
    /// - Parameter amount: 0 does nothing, 1 is full. 0 to 1. Default: `1`.
    public static func duotone(shadow: String? = nil, highlight: String? = nil, amount: Double? = nil) -> ImageTransform {
        ImageTransform(.duotone(ImageOperation.Duotone(shadow: shadow, highlight: highlight, amount: amount)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func duotone(shadow: String? = nil, highlight: String? = nil, amount: Double? = nil) -> ImageTransform {
        appending(.duotone(ImageOperation.Duotone(shadow: shadow, highlight: highlight, amount: amount)))
    }

    /// Chooses frames of an animated picture: the picked ones, or the first ones.
    /// Then reverses them, then changes their pace. A format that cannot move gets the first remaining frame.
    /// All frames up to the last wanted one may have 2,000 million pixels.
    ///
    /// - Parameter pick: The numbers of the frames, from 0, in this order. A frame may come twice.
    /// - Parameter first: The number of frames to keep, from the first one. 1 to 65535.
    /// - Parameter reverse: Whether to reverse the order. Default: `false`.
    /// - Parameter speed: The speed: 2 is twice as fast. A frame lasts at least 0.02 s and at most what the format can say. 0.01 to 100. Default: `1`.
    public static func frames(pick: [Int]? = nil, first: Int? = nil, reverse: Bool? = nil, speed: Double? = nil) -> ImageTransform {
        ImageTransform(.frames(ImageOperation.Frames(pick: pick, first: first, reverse: reverse, speed: speed)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func frames(pick: [Int]? = nil, first: Int? = nil, reverse: Bool? = nil, speed: Double? = nil) -> ImageTransform {
        appending(.frames(ImageOperation.Frames(pick: pick, first: first, reverse: reverse, speed: speed)))
    }

    /// Makes an animation of this picture and others, or of the frames in this picture (a sprite sheet).
    /// Later operations change each frame, earlier ones only this picture.
    /// A format that cannot move gets the first frame; without a named format, the result is WebP.
    ///
    /// - Parameter urls: The URLs of the frames after this picture, as for a source.
    ///   Each picture gets this picture's size; an animation gives its first frame.
    /// - Parameter columns: The columns of frames in this picture, instead of urls. Default: 1 with rows. 1 to 256.
    /// - Parameter rows: The rows of frames in this picture, instead of urls. Default: 1 with columns. 1 to 256.
    /// - Parameter count: The number of frames in the sheet, row by row from the upper left one. Default: all. 1 to 65536.
    /// - Parameter delay: Milliseconds for a frame: one number, or one for each frame. GIF counts in hundredths of a second. Default: `100`.
    /// - Parameter loop: How often the animation plays; 0: for ever. 0 to 65535. Default: `0`.
    /// - Parameter fit: How another picture gets the size. contain: whole, on a background; cover: cut; fill: stretched. Default: `"contain"`.
    /// - Parameter background: The color where contain leaves the frame free. Default: `"transparent"`.
    public static func animate(
        urls: [String]? = nil, columns: Int? = nil, rows: Int? = nil, count: Int? = nil, delay: ImageOperation.Delay? = nil, loop: Int? = nil,
        fit: ImageOperation.AnimationFit? = nil, background: String? = nil
    ) -> ImageTransform {
        ImageTransform(.animate(ImageOperation.Animate(
            urls: urls, columns: columns, rows: rows, count: count, delay: delay, loop: loop, fit: fit, background: background
        )))
    }

    /// Appends the operation that the static function of the same name makes.
    public func animate(
        urls: [String]? = nil, columns: Int? = nil, rows: Int? = nil, count: Int? = nil, delay: ImageOperation.Delay? = nil, loop: Int? = nil,
        fit: ImageOperation.AnimationFit? = nil, background: String? = nil
    ) -> ImageTransform {
        appending(.animate(ImageOperation.Animate(
            urls: urls, columns: columns, rows: rows, count: count, delay: delay, loop: loop, fit: fit, background: background
        )))
    }

    /// Turns the picture upright by its EXIF orientation, before any other operation. On by default; name the operation only to switch it off.
    ///
    /// - Parameter enabled: false: the pixels stay as they are stored.
    ///   HEIF and AVIF have a turn of their own in place of EXIF; their decoder always applies it. Default: `true`.
    public static func autorotate(enabled: Bool? = nil) -> ImageTransform {
        ImageTransform(.autorotate(ImageOperation.Autorotate(enabled: enabled)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func autorotate(enabled: Bool? = nil) -> ImageTransform {
        appending(.autorotate(ImageOperation.Autorotate(enabled: enabled)))
    }
}

// MARK: - Options

/// Describes an image and how to load it.
public struct ImageRequest: Record {
    /// The URL of the source: http, https, data, `color:COLOR,WIDTHxHEIGHT`, file with the operator's --file-root, `s3://bucket/key` with the workers'
    /// --source-buckets, or `upload:ID` (PUT /uploads).
    /// An http or https URL has at most 16384 bytes of ASCII, parameters included; escape others, as %C3%A9. Either url or urls is required.
    public var url: String?
    /// Mirrors of one source, instead of url: the next one is tried after a failed download.
    /// If the first host is throttled, the first mirror on another host goes first. All options hold for all mirrors.
    public var urls: [String]?
    /// Your own id for the request.
    /// A repeated request with the same id is idempotent. Another request with an id in use fails with invalidParams, whose `path` is receipt.
    public var receipt: String?
    /// The queue of the request, which must exist. Default: `"default"`.
    public var queue: String?
    /// The order in the queue among the fetches of one client: higher goes first. Permits are shared between clients before priorities count. Default: `0`.
    public var priority: Priority?
    /// The order within a priority. Default: the order of the queue.
    public var order: Order?
    /// Seconds from acceptance to the result, queueing included. At most the operator's --max-deadline, 600 by default. 0.001 to 86400. Default: `30`.
    public var deadline: Double?
    /// Whether progress events come, and how often: after `interval` seconds (default 0.25, at least 0.02) or a step of `fraction` (default 0.05).
    /// Default: `false`.
    public var progress: ProgressReports?
    /// Whether this connection gets `image.hook`, see Hooks. Default: `false`.
    public var hooks: Bool?
    /// true: the request goes on for 24 hours without its client. Default: `false`.
    public var detached: Bool?
    /// See Durable. Default: as the operator says.
    public var durable: Bool?
    /// false: the request does not count in `activity.get`. Default: `true`.
    public var activity: Bool?
    /// Posts the terminal event to a URL of yours, see Callbacks.
    @Boxed public var callback: Callback?
    /// The supersede key: a newer request with the same key in the queue cancels the older one.
    public var slot: String?
    /// The treatment of a blacklisted source.
    /// `on`: refused.
    /// `off`: downloaded, and the blacklist does not change.
    /// `retry`: downloaded, and a success removes the entry.
    /// Default: `"on"`.
    public var blacklist: Blacklist?
    /// A text that every event repeats.
    public var tag: String?
    /// An object that every event repeats. At most 16384 bytes of JSON; an integer above 64 bits becomes a float.
    public var userInfo: JSONObject?
    /// The properties of the source in the result's `description`, measured upright and on the first frame.
    /// `blurhash` has 4 × 3 or 3 × 4 components, `thumbhash` is base64, `phash` is 64 bits in hexadecimal. `palette` has up to six `{color, share}`.
    /// `exif` has camera, exposure and time, never the place. `animation` is null for a still picture, else `{loop, delays}`.
    /// `loop` is the number of plays, 0 for endless; `delays` has the milliseconds of the first 512 frames, as viewers show them.
    /// `gainMap` says whether `output.gainMap` finds a map.
    /// `hdr`: `pq`, `hlg` or null.
    public var describe: [Trait]?
    /// The pixels of the upright picture, in its own size, whose colors are in the result's `description.colors`: `{points, rects}`.
    /// A color is `#rrggbb`, `#rrggbbaa` if transparent, or null outside the picture. Rectangles come row by row.
    @Boxed public var samples: Samples?
    /// How to download the source.
    @Boxed public var fetch: Fetch?
    /// Which caches to read and write.
    @Boxed public var cache: Cache?
    /// How to decode the source.
    @Boxed public var decode: Decode?
    /// The replacement for an image that cannot be loaded.
    /// The request then succeeds with `from` fallback and the cause as `error`. Not for invalid URLs and cancelled requests.
    /// Callbacks and subscribers in Redis get the failure.
    public var fallback: Fallback?
    /// The outputs of one download. Default: one named "default".
    public var renditions: [Rendition]?
    /// The operations of the only rendition. Instead of `renditions`.
    public var transform: ImageTransform?
    /// The encoding of the only rendition. Instead of `renditions`.
    @Boxed public var output: ImageOutput?
    /// The properties that a source must have, for pictures only.
    /// A cached source without them counts as missing. A download without them fails with badImageData, which has `required` and `found`.
    @Boxed public var require: Require?
    /// Texts to keep with the results.
    /// They come back as `metadata` and as HTTP headers `Tintype-Meta-…`. Names of a–z 0–9 -, at most 1024 bytes of JSON. An existing result keeps its own.
    public var metadata: [String: String]?
    /// Saves each result as a file in a place of the operator, whole or not at all, before the request ends.
    /// `saved` of each rendition names the file. No cache of results answers such a request. With tokens it needs the role `put`.
    @Boxed public var saveTo: SaveTo?
    /// The kind of result.
    /// `image`: a picture.
    /// `bytes`: the undecoded source.
    /// `json`: the source as the result's `json`; it must be JSON of at most 58 levels, and only line breaks change.
    /// `text`: the body as the result's `text`, decoded by the charset of its Content-Type, else as UTF-8.
    /// `xml`: the same; it must be well-formed XML of at most 256 levels.
    /// XML with declarations of its own is refused. A byte order mark overrides the header, and the header overrides the declaration of XML.
    /// Default: `"image"`.
    public var kind: Kind?
    /// How the bytes come.
    /// `reference`: a key and a URL.
    /// `inline`: base64 in the result, up to 8 MiB.
    /// `none`: no bytes.
    /// Default: `"reference"`.
    public var deliver: Delivery?
    /// Whether `preview` events come, see Previews.
    /// `mode`: plain (default), or blur, which shrinks as more arrives (not for baseline jpeg).
    /// `interval`: at least 0.05 to 3600 seconds between two, default 0.2.
    /// `width`: 16 to 1280 pixels, default 320.
    /// A shared download uses the options of its first request. Default: `false`.
    public var progressive: Previews?

    /// Members that are nil are left to the service.
    public init(
        _ url: String? = nil, transform: ImageTransform? = nil, output: ImageOutput? = nil, urls: [String]? = nil, receipt: String? = nil,
        queue: String? = nil, priority: Priority? = nil, order: Order? = nil, deadline: Double? = nil,
        progress: ProgressReports? = nil, hooks: Bool? = nil, detached: Bool? = nil, durable: Bool? = nil, activity: Bool? = nil,
        callback: Callback? = nil, slot: String? = nil, blacklist: Blacklist? = nil, tag: String? = nil,
        userInfo: JSONObject? = nil, describe: [Trait]? = nil, samples: Samples? = nil, fetch: Fetch? = nil,
        cache: Cache? = nil, decode: Decode? = nil, fallback: Fallback? = nil, renditions: [Rendition]? = nil,
        require: Require? = nil, metadata: [String: String]? = nil, saveTo: SaveTo? = nil, kind: Kind? = nil,
        deliver: Delivery? = nil, progressive: Previews? = nil
    ) {
        self.url = url; self.urls = urls; self.receipt = receipt; self.queue = queue; self.priority = priority; self.order = order;
        self.deadline = deadline; self.progress = progress; self.hooks = hooks; self.detached = detached; self.durable = durable; self.activity = activity;
        self.callback = callback; self.slot = slot; self.blacklist = blacklist; self.tag = tag; self.userInfo = userInfo; self.describe = describe;
        self.samples = samples; self.fetch = fetch; self.cache = cache; self.decode = decode; self.fallback = fallback; self.renditions = renditions;
        self.transform = transform; self.output = output; self.require = require; self.metadata = metadata; self.saveTo = saveTo; self.kind = kind;
        self.deliver = deliver; self.progressive = progressive
    }
}

/// A member of `renditions`: one output of a request.
public struct Rendition: Record {
    /// The name of the rendition in the result, unique in the request. Default: `"default"`.
    public var name: String?
    /// The operations, in order. Default: `[]`.
    public var transform: ImageTransform?
    /// How to encode the result.
    @Boxed public var output: ImageOutput?

    /// Members that are nil are left to the service.
    public init(_ name: String? = nil, transform: ImageTransform? = nil, output: ImageOutput? = nil) {
        self.name = name; self.transform = transform; self.output = output
    }
}

/// `output` of a request or of a rendition: how to encode the result.
public struct ImageOutput: Record {
    /// The format of the result.
    /// `original`: the source's format if it can be encoded, else png with alpha or lossless, and jpeg otherwise.
    /// `auto`: the best format of `accept`; the default with `accept`.
    /// A format without an encoder (see `formats.list`) fails with unsupportedFormat. Default: `"original"`.
    public var format: ImageFormat?
    /// The formats for auto: an Accept header, or a list of media types or formats.
    /// Animated: webp, else gif (png first for a png source).
    /// Still: avif, else webp, else jxl (if neither is named), else png (with alpha or from a lossless source), else jpeg.
    /// A star, or nothing known, means jpeg, png and gif.
    public var accept: Accept?
    /// The formats of sources that are delivered as they came, without operations, unless `format` names another one. Default: `[]`.
    public var keep: [SourceFormat]?
    /// The quality of the encoder.
    /// Default: jpeg 80, webp 80, avif 50, heif 50, jxl 75; png with palette 100.
    /// `auto`: the lowest of five tried that keeps `likeness`, named in the result.
    /// It is for still jpeg, webp, avif; others have the default.
    public var quality: Quality?
    /// The quality by the format that the result gets, where `quality` is not given.
    @Boxed public var qualities: Qualities?
    /// For quality auto: the least likeness (SSIM of brightness) of the file to the picture before it is encoded; 1 means equal.
    /// If none is enough, the quality is 100. 0.8 to 0.999. Default: `0.98`.
    public var likeness: Double?
    /// Encodes webp, avif, heif and jxl without loss; unsupportedFormat if the build cannot.
    /// Without a named format, jpeg is not chosen, and gif only for a gif source. Default: `false`.
    public var lossless: Bool?
    /// The effort of the encoder, from 0 (fastest) to 9 (smallest). Default: png 6, webp 4, avif 3, gif 4, heif 3, jxl 4. 0 to 9.
    public var effort: Int?
    /// Makes jpeg progressive and png interlaced. Default: `false`.
    public var progressive: Bool?
    /// Limits png to 256 colors, dithered. `quality` says how close the colors must be. Default: `false`.
    public var palette: Bool?
    /// Keeps the animation in a png or avif; false: only the first frame.
    /// Such a source stays animated. An animated png has 8 bits and ignores palette and progressive.
    /// An animated avif ignores metadata and cannot be lossless. Default: `false`.
    public var animated: Bool?
    /// The chroma subsampling of jpeg, avif and heif. 4:4:4 keeps the color of every pixel. Default: `"4:2:0"`.
    public var subsampling: Subsampling?
    /// For avif: the bits of each number, 8, 10 or 12. 9 counts as 10, and 11 as 12.
    /// A build before libvips 8.15 cannot write 10 bits without loss, or with metadata or a color profile (unsupportedFormat).
    /// With more than 8 bits, a source of 16 bits keeps its finer steps. 8 to 12. Default: `8`.
    public var bitDepth: Int?
    /// For jpeg: the longer side of a thumbnail in the file's EXIF, in pixels. The thumbnail is never larger than the picture. 16 to 320.
    public var thumbnail: Int?
    /// The most bytes of the file.
    /// The highest quality up to `quality` that fits is used, and named in the result; limitExceeded if none fits.
    /// Formats without a quality are only checked. At least 1.
    public var maxBytes: Int?
    /// The metadata to keep.
    /// `copyright`: Copyright and Artist of EXIF.
    /// `all`: EXIF, XMP and IPTC, the place of the photo too.
    /// For jpeg, png, webp, avif and heif. jpeg, png and tiff always keep the pixel density. Default: `"none"`.
    public var metadata: Metadata?
    /// The color space.
    /// `srgb`: colors become sRGB, without a profile.
    /// `keep`: RGB stays in the source's space, with its profile; gray with a profile of its own is converted.
    /// Colors of operations then mean that space, and other pictures are converted to it. Not for gif and jxl. Default: `"srgb"`.
    public var icc: ColorSpace?
    /// The gain map of an Ultra HDR jpeg.
    /// `drop`: the result is the SDR picture.
    /// `keep`, for jpeg: the map follows crops, sizes and turns by quarters, and other XMP gives way to its own.
    /// `apply`, for png without palette: the HDR picture of 16 bits in BT.2020 and PQ, with SDR white at 203 cd/m².
    /// Layers, text, round corners, free angles and canvases end in SDR, as does a broken map. Default: `"drop"`.
    public var gainMap: GainMap?
    /// Still pictures in PQ or HLG.
    /// `keep`: avif (10 bits) and png without palette keep curve and primaries.
    /// It refuses operations with colors. Default: `"toneMap"`.
    public var hdr: HDR?
    /// The color behind the picture if the format has no alpha. Its own alpha shows white. Default: `"white"`.
    public var background: String?

    /// Members that are nil are left to the service.
    public init(
        _ format: ImageFormat? = nil, accept: Accept? = nil, keep: [SourceFormat]? = nil, quality: Quality? = nil,
        qualities: Qualities? = nil, likeness: Double? = nil, lossless: Bool? = nil, effort: Int? = nil, progressive: Bool? = nil,
        palette: Bool? = nil, animated: Bool? = nil, subsampling: Subsampling? = nil, bitDepth: Int? = nil, thumbnail: Int? = nil,
        maxBytes: Int? = nil, metadata: Metadata? = nil, icc: ColorSpace? = nil, gainMap: GainMap? = nil,
        hdr: HDR? = nil, background: String? = nil
    ) {
        self.format = format; self.accept = accept; self.keep = keep; self.quality = quality; self.qualities = qualities; self.likeness = likeness;
        self.lossless = lossless; self.effort = effort; self.progressive = progressive; self.palette = palette; self.animated = animated;
        self.subsampling = subsampling; self.bitDepth = bitDepth; self.thumbnail = thumbnail; self.maxBytes = maxBytes; self.metadata = metadata;
        self.icc = icc; self.gainMap = gainMap; self.hdr = hdr; self.background = background
    }
}

extension ImageRequest {
    /// The URL of the source: http, https, data, `color:COLOR,WIDTHxHEIGHT`, file with the operator's --file-root, `s3://bucket/key` with the workers'
    /// --source-buckets, or `upload:ID` (PUT /uploads).
    /// An http or https URL has at most 16384 bytes of ASCII, parameters included; escape others, as %C3%A9. Either url or urls is required.
    public func url(_ url: String?) -> ImageRequest { with { $0.url = url } }
    /// Mirrors of one source, instead of url: the next one is tried after a failed download.
    /// If the first host is throttled, the first mirror on another host goes first. All options hold for all mirrors.
    public func urls(_ urls: [String]?) -> ImageRequest { with { $0.urls = urls } }
    /// Your own id for the request.
    /// A repeated request with the same id is idempotent. Another request with an id in use fails with invalidParams, whose `path` is receipt.
    public func receipt(_ receipt: String?) -> ImageRequest { with { $0.receipt = receipt } }
    /// The queue of the request, which must exist. Default: `"default"`.
    public func queue(_ queue: String?) -> ImageRequest { with { $0.queue = queue } }
    /// The order in the queue among the fetches of one client: higher goes first. Permits are shared between clients before priorities count. Default: `0`.
    public func priority(_ priority: ImageRequest.Priority?) -> ImageRequest { with { $0.priority = priority } }
    /// The order within a priority. Default: the order of the queue.
    public func order(_ order: ImageRequest.Order?) -> ImageRequest { with { $0.order = order } }
    /// Seconds from acceptance to the result, queueing included. At most the operator's --max-deadline, 600 by default. 0.001 to 86400. Default: `30`.
    public func deadline(_ deadline: Double?) -> ImageRequest { with { $0.deadline = deadline } }
    /// Whether progress events come, and how often: after `interval` seconds (default 0.25, at least 0.02) or a step of `fraction` (default 0.05).
    /// Default: `false`.
    public func progress(_ progress: ImageRequest.ProgressReports?) -> ImageRequest { with { $0.progress = progress } }
    /// Whether this connection gets `image.hook`, see Hooks. Default: `false`.
    public func hooks(_ hooks: Bool?) -> ImageRequest { with { $0.hooks = hooks } }
    /// true: the request goes on for 24 hours without its client. Default: `false`.
    public func detached(_ detached: Bool?) -> ImageRequest { with { $0.detached = detached } }
    /// See Durable. Default: as the operator says.
    public func durable(_ durable: Bool?) -> ImageRequest { with { $0.durable = durable } }
    /// false: the request does not count in `activity.get`. Default: `true`.
    public func activity(_ activity: Bool?) -> ImageRequest { with { $0.activity = activity } }
    /// Posts the terminal event to a URL of yours, see Callbacks.
    public func callback(_ callback: ImageRequest.Callback?) -> ImageRequest { with { $0.callback = callback } }
    /// The supersede key: a newer request with the same key in the queue cancels the older one.
    public func slot(_ slot: String?) -> ImageRequest { with { $0.slot = slot } }
    /// The treatment of a blacklisted source.
    /// `on`: refused.
    /// `off`: downloaded, and the blacklist does not change.
    /// `retry`: downloaded, and a success removes the entry.
    /// Default: `"on"`.
    public func blacklist(_ blacklist: ImageRequest.Blacklist?) -> ImageRequest { with { $0.blacklist = blacklist } }
    /// A text that every event repeats.
    public func tag(_ tag: String?) -> ImageRequest { with { $0.tag = tag } }
    /// An object that every event repeats. At most 16384 bytes of JSON; an integer above 64 bits becomes a float.
    public func userInfo(_ userInfo: JSONObject?) -> ImageRequest { with { $0.userInfo = userInfo } }
    /// The properties of the source in the result's `description`, measured upright and on the first frame.
    /// `blurhash` has 4 × 3 or 3 × 4 components, `thumbhash` is base64, `phash` is 64 bits in hexadecimal. `palette` has up to six `{color, share}`.
    /// `exif` has camera, exposure and time, never the place. `animation` is null for a still picture, else `{loop, delays}`.
    /// `loop` is the number of plays, 0 for endless; `delays` has the milliseconds of the first 512 frames, as viewers show them.
    /// `gainMap` says whether `output.gainMap` finds a map.
    /// `hdr`: `pq`, `hlg` or null.
    public func describe(_ describe: [ImageRequest.Trait]?) -> ImageRequest { with { $0.describe = describe } }
    /// The pixels of the upright picture, in its own size, whose colors are in the result's `description.colors`: `{points, rects}`.
    /// A color is `#rrggbb`, `#rrggbbaa` if transparent, or null outside the picture. Rectangles come row by row.
    public func samples(_ samples: ImageRequest.Samples?) -> ImageRequest { with { $0.samples = samples } }
    /// How to download the source.
    public func fetch(_ fetch: ImageRequest.Fetch?) -> ImageRequest { with { $0.fetch = fetch } }
    /// Which caches to read and write.
    public func cache(_ cache: ImageRequest.Cache?) -> ImageRequest { with { $0.cache = cache } }
    /// How to decode the source.
    public func decode(_ decode: ImageRequest.Decode?) -> ImageRequest { with { $0.decode = decode } }
    /// The replacement for an image that cannot be loaded.
    /// The request then succeeds with `from` fallback and the cause as `error`. Not for invalid URLs and cancelled requests.
    /// Callbacks and subscribers in Redis get the failure.
    public func fallback(_ fallback: ImageRequest.Fallback?) -> ImageRequest { with { $0.fallback = fallback } }
    /// The outputs of one download. Default: one named "default".
    public func renditions(_ renditions: [Rendition]?) -> ImageRequest { with { $0.renditions = renditions } }
    /// The operations of the only rendition. Instead of `renditions`.
    public func transform(_ transform: ImageTransform?) -> ImageRequest { with { $0.transform = transform } }
    /// The encoding of the only rendition. Instead of `renditions`.
    public func output(_ output: ImageOutput?) -> ImageRequest { with { $0.output = output } }
    /// The properties that a source must have, for pictures only.
    /// A cached source without them counts as missing. A download without them fails with badImageData, which has `required` and `found`.
    public func require(_ require: ImageRequest.Require?) -> ImageRequest { with { $0.require = require } }
    /// Texts to keep with the results.
    /// They come back as `metadata` and as HTTP headers `Tintype-Meta-…`. Names of a–z 0–9 -, at most 1024 bytes of JSON. An existing result keeps its own.
    public func metadata(_ metadata: [String: String]?) -> ImageRequest { with { $0.metadata = metadata } }
    /// Saves each result as a file in a place of the operator, whole or not at all, before the request ends.
    /// `saved` of each rendition names the file. No cache of results answers such a request. With tokens it needs the role `put`.
    public func saveTo(_ saveTo: ImageRequest.SaveTo?) -> ImageRequest { with { $0.saveTo = saveTo } }
    /// The kind of result.
    /// `image`: a picture.
    /// `bytes`: the undecoded source.
    /// `json`: the source as the result's `json`; it must be JSON of at most 58 levels, and only line breaks change.
    /// `text`: the body as the result's `text`, decoded by the charset of its Content-Type, else as UTF-8.
    /// `xml`: the same; it must be well-formed XML of at most 256 levels.
    /// XML with declarations of its own is refused. A byte order mark overrides the header, and the header overrides the declaration of XML.
    /// Default: `"image"`.
    public func kind(_ kind: ImageRequest.Kind?) -> ImageRequest { with { $0.kind = kind } }
    /// How the bytes come.
    /// `reference`: a key and a URL.
    /// `inline`: base64 in the result, up to 8 MiB.
    /// `none`: no bytes.
    /// Default: `"reference"`.
    public func deliver(_ deliver: ImageRequest.Delivery?) -> ImageRequest { with { $0.deliver = deliver } }
    /// Whether `preview` events come, see Previews.
    /// `mode`: plain (default), or blur, which shrinks as more arrives (not for baseline jpeg).
    /// `interval`: at least 0.05 to 3600 seconds between two, default 0.2.
    /// `width`: 16 to 1280 pixels, default 320.
    /// A shared download uses the options of its first request. Default: `false`.
    public func progressive(_ progressive: ImageRequest.Previews?) -> ImageRequest { with { $0.progressive = progressive } }
}

extension ImageOperation {
    /// A value of `border`.
    public struct CornerBorder: Record {
        /// The width of the line in pixels; less than half of the shorter side. 0 to 8192.
        public var width: Double
        /// The color of the line. Default: `"black"`.
        public var color: String?
        /// How the lines meet in a corner without rounding. Default: `"miter"`.
        public var join: Join?

        /// Members that are nil are left to the service.
        public init(width: Double, color: String? = nil, join: Join? = nil) {
            self.width = width; self.color = color; self.join = join
        }
    }
}

extension ImageRequest {
    /// A value of `timeouts`.
    public struct Timeouts: Record {
        /// Seconds until the connection is open. 0.001 to 86400. Default: `10`.
        public var connect: Double?
        /// Seconds without a byte. 0.001 to 86400. Default: `15`.
        public var idle: Double?
        /// Seconds for the whole download. The deadline of the request, 30 by default, may end the download before. 0.001 to 86400. Default: `60`.
        public var total: Double?

        /// Members that are nil are left to the service.
        public init(connect: Double? = nil, idle: Double? = nil, total: Double? = nil) {
            self.connect = connect; self.idle = idle; self.total = total
        }
    }

    /// A value of `redirects`.
    public struct Redirects: Record {
        /// The most redirects to follow. 0 to 50. Default: `5`.
        public var max: Int?
        /// true: a redirect to another host is denied. Default: `false`.
        public var sameHost: Bool?

        /// Members that are nil are left to the service.
        public init(max: Int? = nil, sameHost: Bool? = nil) {
            self.max = max; self.sameHost = sameHost
        }
    }

    /// A value of `tls`.
    public struct TLS: Record {
        /// Public keys of which the certificate chain must have one, as curl takes them (SHA-256 of the DER). Every URL must then be https. Default: `[]`.
        public var pinnedPublicKeys: [String]?
        /// true: accepts any certificate. Forbidden unless --allow-invalid-tls. Default: `false`.
        public var allowInvalid: Bool?

        /// Members that are nil are left to the service.
        public init(pinnedPublicKeys: [String]? = nil, allowInvalid: Bool? = nil) {
            self.pinnedPublicKeys = pinnedPublicKeys; self.allowInvalid = allowInvalid
        }
    }

    /// A value of `retry`.
    public struct Retry: Record {
        /// The most runs, the first one included. 1 to 20. Default: `3`.
        public var attempts: Int?
        /// Seconds before the first repetition. Doubles each time, with jitter. 0 to 3600. Default: `0.5`.
        public var base: Double?
        /// The most seconds between two runs. 0 to 86400. Default: `30`.
        public var max: Double?
        /// The failures to retry; a failure in the list is not blacklisted.
        /// Default: dns, connect, timeout, connectionLost, httpStatus. Requests with different lists share no download.
        public var on: [String]?

        /// Members that are nil are left to the service.
        public init(attempts: Int? = nil, base: Double? = nil, max: Double? = nil, on: [String]? = nil) {
            self.attempts = attempts; self.base = base; self.max = max; self.on = on
        }
    }

    /// `fetch` of a request: how to download the source.
    public struct Fetch: Record {
        /// The HTTP method. A transient failure repeats any method, see `retry`. Default: `"GET"`.
        public var method: HTTPMethod?
        /// Request headers, part of the source's key.
        /// At most 64.
        /// Refused are headers that frame the message or concern one connection (connection, content-length, expect, host, http2-settings, keep-alive,
        /// proxy-connection, range, te, trailer, transfer-encoding, upgrade), headers that servers inside a network trust (cf-connecting-ip, fastly-client-ip,
        /// forwarded, metadata, metadata-flavor, proxy-*, true-client-ip, via, x-aliyun-ecs-metadata-token, x-aws-ec2-metadata-*, x-client-ip,
        /// x-cluster-client-ip, x-forwarded-*, x-google-metadata-request, x-http-method, x-http-method-override, x-metadata-token, x-method-override,
        /// x-original-host, x-original-uri, x-original-url, x-real-ip, x-rewrite-url) and names with _.
        /// A rule may set the latter two kinds.
        public var headers: [String: String]?
        /// Parameters, percent-encoded.
        /// An array gives one parameter for each value.
        /// POST, PUT and PATCH without a body send them as application/x-www-form-urlencoded; otherwise the query of each URL gets them. At most 256 in all.
        public var params: JSONObject?
        /// The request's body, for a method that takes one: a text, `{"base64": "…"}`, `{"form": {…}}`, `{"multipart": [{name, value or base64, filename,
        /// type}, …]}`, `{"json": …}`, or JSON itself.
        /// In a form, an object gives `a[b]=1` and an array `a[]=1`. Content-Type follows the kind, unless a header says otherwise.
        public var body: JSON?
        /// The name of one of the operator's base URLs. A relative url is resolved against it, see rules.md.
        public var base: String?
        /// true: downloads from the CDN that the operator has set for the URL's host. Default: `false`.
        public var cdn: Bool?
        /// Credentials, sent only to the URL's own host: `{basic: [user, password]}`, `{digest: [user, password]}` or `{bearer: token}`.
        /// If the origin refuses them, the request fails with authFailed.
        public var auth: Auth?
        /// The name of a cookie jar that all workers share. Its matching cookies are sent, and cookies from servers are kept there. Default: no cookies.
        public var cookies: String?
        /// The timeouts of the download, each at most the operator's --max-timeout, 120 by default.
        /// A shared download uses the longest ones of the requests that came before it began.
        @Boxed public var timeouts: Timeouts?
        /// The most bytes of the body, declared or counted, after decompression. 1 to 1099511627776. Default: `67108864`.
        public var maxBytes: Int?
        /// How redirects are followed. Never from https to http. Credentials and your headers never go to another host, port or scheme.
        @Boxed public var redirects: Redirects?
        /// How to check the server's certificate.
        @Boxed public var tls: TLS?
        /// The statuses whose body is accepted. 204 and 205 have no body: 0 bytes with `as: bytes`, otherwise no picture. Default: `["200-299"]`.
        public var acceptableStatus: [String]?
        /// The content types that are accepted. Default: any. A response without one is accepted.
        public var acceptableTypes: [String]?
        /// The required shape of the JSON body.
        /// It is a type's name, an object of shapes (all keys required), or an array with one shape for its elements.
        /// Types are string, number, integer, boolean, object, array, null and any; a null fits any type.
        public var jsonShape: JSON?
        /// How to decrypt the body; the operator gives keys to the workers (--decryption-keys).
        public var decrypt: String?
        /// How to repeat a download after transient failures.
        /// A shared download uses the largest values of its requests, but a request that joins never waits longer than its own values allow.
        @Boxed public var retry: Retry?
        /// Whether a broken download is resumed, by any worker. Only if the server can tell that the source has not changed. Default: `true`.
        public var resume: Bool?

        /// Members that are nil are left to the service.
        public init(
            method: HTTPMethod? = nil, headers: [String: String]? = nil, params: JSONObject? = nil, body: JSON? = nil, base: String? = nil,
            cdn: Bool? = nil, auth: Auth? = nil, cookies: String? = nil, timeouts: Timeouts? = nil, maxBytes: Int? = nil,
            redirects: Redirects? = nil, tls: TLS? = nil, acceptableStatus: [String]? = nil, acceptableTypes: [String]? = nil,
            jsonShape: JSON? = nil, decrypt: String? = nil, retry: Retry? = nil, resume: Bool? = nil
        ) {
            self.method = method; self.headers = headers; self.params = params; self.body = body; self.base = base; self.cdn = cdn; self.auth = auth;
            self.cookies = cookies; self.timeouts = timeouts; self.maxBytes = maxBytes; self.redirects = redirects; self.tls = tls;
            self.acceptableStatus = acceptableStatus; self.acceptableTypes = acceptableTypes; self.jsonShape = jsonShape; self.decrypt = decrypt;
            self.retry = retry; self.resume = resume
        }
    }

    /// `cache` of a request: which caches to read and write.
    public struct Cache: Record {
        /// Which answers are accepted.
        /// `default`: a fresh entry is served, a stale one revalidated.
        /// `reload`: no cache is read.
        /// `only`: the origin is never asked.
        /// `revalidate`: the origin is always asked.
        /// `refresh`: the cached result comes at once as a `cached` event, then the origin is asked.
        /// Default: `"default"`.
        public var policy: CachePolicy?
        /// The tiers to read. Default: `["memory","results","sources"]`.
        public var read: [CacheTier]?
        /// The tiers to write. Default: `["memory","results","sources"]`.
        public var write: [CacheTier]?
        /// Seconds for which source and results are fresh, in place of what the origin says.
        /// Negative: not kept. Default: as the origin says, or one hour. -1 to 31536000.
        public var ttl: Double?
        /// Seconds for which a stale source may be served if its origin cannot be reached or answers 500, 502, 503 or 504. 0: never.
        /// Default: the origin's stale-if-error. Only with policy default; must-revalidate, s-maxage and no-cache forbid it. 0 to 31536000.
        public var staleIfError: Double?
        /// Seconds for which a stale source may be served while the origin is asked in the background.
        /// Default: the origin's stale-while-revalidate. 0 to 31536000.
        public var staleWhileRevalidate: Double?
        /// true: the request ends after the result is stored. false: it may end before; the result's URL may then answer 404 for a moment. Default: `true`.
        public var `await`: Bool?
        /// Whether to pin the results, so that a full store keeps them until they expire. Default: `false`.
        public var pin: Bool?
        /// Your version of the content. Entries of other versions are not used: raise it after a change. 0 to 2147483647. Default: `0`.
        public var version: Int?
        /// The owner of the request, such as a user's id: part of all keys. A response marked `private` is kept only with a scope.
        public var scope: String?
        /// Your own key for the result, with exactly one rendition. Every request with this key gets the same result.
        public var key: String?
        /// Names for `cache.purge`. A result has the tags of all requests that got it.
        public var tags: [String]?

        /// Members that are nil are left to the service.
        public init(
            policy: CachePolicy? = nil, read: [CacheTier]? = nil, write: [CacheTier]? = nil, ttl: Double? = nil, staleIfError: Double? = nil,
            staleWhileRevalidate: Double? = nil, await: Bool? = nil, pin: Bool? = nil, version: Int? = nil, scope: String? = nil, key: String? = nil,
            tags: [String]? = nil
        ) {
            self.policy = policy; self.read = read; self.write = write; self.ttl = ttl; self.staleIfError = staleIfError;
            self.staleWhileRevalidate = staleWhileRevalidate; self.await = `await`; self.pin = pin; self.version = version; self.scope = scope; self.key = key;
            self.tags = tags
        }
    }

    /// `decode` of a request: how to decode the source.
    public struct Decode: Record {
        /// Which frames of an animation to decode. Default: `"all"`.
        public var frames: Frames?
        /// The page of a TIFF, HEIF or icon.
        /// For an animation: the frame, with frames "first" or for an output that cannot move.
        /// Page 0 is the page that viewers show first; the other pages of a HEIF or icon follow in order. 0 to 65535. Default: `0`.
        public var page: Int?
        /// The least damage that refuses a picture: an early end, wrong data (`error`), or whatever a decoder warns of. Default: `"truncated"`.
        public var failOn: FailOn?
        /// How much the codec may shrink the picture while decoding. fast: as much as possible; best: not at all. Default: `"balanced"`.
        public var speed: Speed?
        /// The most decoded bytes: width × height × 4 of all frames.
        /// A larger picture is first scaled down to fit, to at least one pixel a side.
        /// A baseline JPEG may then exceed the worker's limits of pixels and sides: it is scaled down while it is read. At least 1.
        public var limitBytes: Int?
        /// The most pixels of the source: width × height of all wanted frames. A larger picture fails with limitExceeded. At least 1.
        public var maxPixels: Int?
        /// The most pixels of each frame of an animation, in place of maxPixels. At least 1.
        public var maxFramePixels: Int?
        /// Takes the thumbnail in a jpeg, heif or avif as the picture, if it has one, also for maxPixels and describe. Default: `false`.
        public var thumbnail: Bool?

        /// Members that are nil are left to the service.
        public init(
            frames: Frames? = nil, page: Int? = nil, failOn: FailOn? = nil, speed: Speed? = nil, limitBytes: Int? = nil,
            maxPixels: Int? = nil, maxFramePixels: Int? = nil, thumbnail: Bool? = nil
        ) {
            self.frames = frames; self.page = page; self.failOn = failOn; self.speed = speed; self.limitBytes = limitBytes; self.maxPixels = maxPixels;
            self.maxFramePixels = maxFramePixels; self.thumbnail = thumbnail
        }
    }
}

extension ImageOutput {
    /// A value of `qualities`.
    public struct Qualities: Record {
        /// The quality in this format. 1 to 100.
        public var jpeg: Int?
        /// The quality in this format. 1 to 100.
        public var webp: Int?
        /// The quality in this format. 1 to 100.
        public var avif: Int?
        /// The quality in this format. 1 to 100.
        public var heif: Int?
        /// The quality in this format. 1 to 100.
        public var jxl: Int?

        /// Members that are nil are left to the service.
        public init(jpeg: Int? = nil, webp: Int? = nil, avif: Int? = nil, heif: Int? = nil, jxl: Int? = nil) {
            self.jpeg = jpeg; self.webp = webp; self.avif = avif; self.heif = heif; self.jxl = jxl
        }
    }
}

extension ImageRequest {
    /// A value of `callback`.
    public struct Callback: Record {
        /// Where to post it. Only public addresses, unless the operator allows others; rules may deny more.
        public var url: String
        /// Signs the callback, see Callbacks.
        public var secret: String?

        /// Members that are nil are left to the service.
        public init(url: String, secret: String? = nil) {
            self.url = url; self.secret = secret
        }
    }

    /// A value of `rects`.
    public struct SampleRect: Record {
        /// Pixels from the left edge. 0 to 1000000.
        public var x: Int
        /// Pixels from the upper edge. 0 to 1000000.
        public var y: Int
        /// The width in pixels. 1 to 256.
        public var width: Int
        /// The height in pixels. 1 to 256.
        public var height: Int

        /// Members that are nil are left to the service.
        public init(x: Int, y: Int, width: Int, height: Int) {
            self.x = x; self.y = y; self.width = width; self.height = height
        }
    }

    /// A value of `samples`.
    public struct Samples: Record {
        /// Single pixels: `[x, y]` from the upper left corner.
        public var points: [[Int]]?
        /// Rectangles of at most 256 pixels together.
        public var rects: [SampleRect]?

        /// Members that are nil are left to the service.
        public init(points: [[Int]]? = nil, rects: [SampleRect]? = nil) {
            self.points = points; self.rects = rects
        }
    }

    /// A value of `require`.
    public struct Require: Record {
        /// true: several frames that move; false: none.
        public var animated: Bool?
        /// true: the format says that the picture may be transparent; false: it does not.
        public var alpha: Bool?
        /// The smallest width of the upright source, in pixels. 1 to 1000000.
        public var minWidth: Int?
        /// The smallest height of the upright source, in pixels. 1 to 1000000.
        public var minHeight: Int?

        /// Members that are nil are left to the service.
        public init(animated: Bool? = nil, alpha: Bool? = nil, minWidth: Int? = nil, minHeight: Int? = nil) {
            self.animated = animated; self.alpha = alpha; self.minWidth = minWidth; self.minHeight = minHeight
        }
    }

    /// A value of `saveTo`.
    public struct SaveTo: Record {
        /// A folder or bucket that the operator has named (--places of workers).
        public var place: String
        /// The name there, with these tokens: `{rendition}` `{receipt}` `{stem}` `{host}` `{sha256}` `{extension}` `{width}` `{height}`.
        /// `{stem}` is the name of the URL's file without its ending. `{receipt}` is the id that you gave. Several renditions need `{rendition}`.
        /// Other letters become underscores. Default: `"{stem}.{extension}"`.
        public var name: String?
        /// The treatment of an existing file.
        /// `true`: it is replaced.
        /// `keep`: it stays, and the result says so.
        /// `false`: `storeFailed`, unless the bytes are the same.
        /// Default: `false`.
        public var replace: Replacement?

        /// Members that are nil are left to the service.
        public init(place: String, name: String? = nil, replace: Replacement? = nil) {
            self.place = place; self.name = name; self.replace = replace
        }
    }
}

// MARK: - Results

/// A source after its download.
public struct SourceInfo: Record {
    /// The requested URL, without user and password.
    public let url: String
    /// The URL after redirects, without user and password.
    public let finalURL: String
    /// The length of the body.
    public let bytes: Int
    /// The status of the origin's response.
    public private(set) var status: Int?
    /// The format of the stored picture.
    public private(set) var format: SourceFormat?
    /// The width of the stored picture in pixels.
    public private(set) var width: Int?
    /// The height of the stored picture in pixels.
    public private(set) var height: Int?
    /// The number of frames.
    public private(set) var frames: Int?
    /// Whether the picture may be transparent.
    public private(set) var hasAlpha: Bool?
    /// 2 or 3 when the file's name in the URL ends in `@2x` or `@3x`.
    public private(set) var scale: Int?
    /// The orientation of EXIF, 1 to 8.
    public private(set) var orientation: Int?
    /// The ETag of the origin's response.
    public private(set) var etag: String?
    /// The Last-Modified of the origin's response.
    public private(set) var lastModified: String?
    /// Until when the source is fresh, in epoch seconds.
    public private(set) var expiresAt: Double?
    /// The hash of the body in hexadecimal.
    public private(set) var sha256: String?
}

/// The file that a result was saved as.
public struct SavedFile: Record {
    /// The place of the operator.
    public let place: String
    /// The name of the file there.
    public let name: String
    /// The length of the file.
    public private(set) var bytes: Int?
    /// Whether the file existed and stayed.
    public private(set) var kept: Bool?
}

/// One finished rendition.
public struct RenditionInfo: Record {
    /// The name of the rendition in the request.
    public private(set) var name: String?
    /// The result's key.
    public let key: String
    /// The path of the HTTP port that serves the result.
    public let url: String
    /// The media type of the result.
    public let contentType: String
    /// The length of the result.
    public let bytes: Int
    /// The format of the result.
    public private(set) var format: ImageFormat?
    /// The width in pixels.
    public private(set) var width: Int?
    /// The height in pixels.
    public private(set) var height: Int?
    /// The number of frames.
    public private(set) var frames: Int?
    /// The encoder's quality, for lossy formats.
    public private(set) var quality: Int?
    /// The hash of the result in hexadecimal.
    public private(set) var sha256: String?
    /// The tiers that keep the result.
    public private(set) var stored: [CacheTier]?
    /// Until when the result is fresh, in epoch seconds.
    public private(set) var expiresAt: Double?
    /// When its sources were last downloaded or revalidated, in epoch seconds.
    public private(set) var storedAt: Double?
    /// The `cache.version` of the request, unless 0.
    public private(set) var version: Int?
    /// True when shared caches must not keep the result.
    public private(set) var isPrivate: Bool?
    /// True when no cache in front may keep the result.
    public private(set) var noStore: Bool?
    /// The most seconds for which caches in front may show the stale result while they ask for a new one.
    public private(set) var staleWhileRevalidate: Double?
    /// The most seconds for which caches in front may show the stale result while the service fails.
    public private(set) var staleIfError: Double?
    /// True when a worker checked the bytes as JSON; `text` or `xml` for these.
    public private(set) var validated: JSON?
    /// True for a picture that the service made or a client put.
    public private(set) var applied: Bool?
    /// The file of `saveTo`.
    @Boxed public private(set) var saved: SavedFile?
    /// The metadata of its request.
    public private(set) var metadata: [String: String]?
    /// The bytes, with `deliver: inline`.
    public private(set) var data: [UInt8]?
}

/// Seconds spent in the steps of a request.
public struct Timings: Record {
    /// In the queue.
    public private(set) var queued: Double?
    /// Resolving the name of the host.
    public private(set) var dns: Double?
    /// Connecting.
    public private(set) var connect: Double?
    /// In the TLS handshake.
    public private(set) var tls: Double?
    /// Until the first byte of the answer.
    public private(set) var firstByte: Double?
    /// Downloading.
    public private(set) var download: Double?
    /// Decoding.
    public private(set) var decode: Double?
    /// In operations.
    public private(set) var transform: Double?
    /// Encoding.
    public private(set) var encode: Double?
    /// Storing.
    public private(set) var store: Double?
    /// From the request to its end.
    public private(set) var total: Double?
}

/// Why a run failed.
public struct Cause: Record {
    /// The name of the error.
    public let name: ErrorName
    /// The status of the origin's response.
    public private(set) var status: Int?
}

/// The result of a request.
public struct ImageResult: Record {
    /// The receipt's id; none from `cache.get`.
    public private(set) var receipt: String?
    /// Where the result came from: `remote` (the origin), `sources`, `results`, `memory` or `fallback`.
    public let from: Origin
    /// Always `succeeded`.
    public private(set) var state: String?
    /// The source.
    public let source: SourceInfo
    /// The renditions, in the order of the request.
    public let renditions: [RenditionInfo]
    /// True when the origin was asked and the source had not changed.
    public private(set) var notModified: Bool?
    /// Whether the source had changed, after `cache.policy` revalidate or refresh.
    public private(set) var updated: Bool?
    /// The answers to `describe` and `samples`.
    @Boxed public private(set) var traits: ImageTraits?
    /// The number of runs, without released ones.
    public private(set) var attempts: Int?
    /// Why runs failed.
    public private(set) var causes: [Cause]?
    /// The id of the worker.
    public private(set) var worker: String?
    /// True when its source was purged meanwhile, so that nothing keeps it.
    public private(set) var purged: Bool?
    /// The time of each step.
    @Boxed public private(set) var metrics: Timings?
    /// Why a fallback is there, as an error object of JSON-RPC.
    public private(set) var error: TintypeError?
    /// The document of a request with `as: json`.
    public private(set) var document: JSON?
    /// The text of a request with `as: text` or `as: xml`.
    public private(set) var text: String?
    /// The `tag` of the request.
    public private(set) var tag: String?
    /// The `userInfo` of the request.
    public private(set) var userInfo: JSONObject?
}

/// The limits of a queue.
public struct QueueLimits: Record {
    /// The most running fetches.
    public let maxConcurrent: Int
    /// The most running fetches of one host.
    public let maxConcurrentPerHost: Int
    /// `maxConcurrentPerHost` for single hosts.
    public let hostLimits: [String: Int]
    /// Limits of hosts that come from rules.
    public let ruleLimits: [String: Int]
    /// Milliseconds between two fetches of a host, from rules.
    public let rulePaces: [String: Double]
    /// The most waiting fetches.
    public private(set) var maxQueued: Int?
}

/// The state of a queue.
public struct QueueInfo: Record {
    /// The queue's name.
    public let name: String
    /// The order of requests that name none: `fifo` or `lifo`.
    public let order: ImageRequest.Order
    /// Whether nothing new is claimed.
    public let paused: Bool
    /// The limits.
    public let limits: QueueLimits
    /// The number of waiting fetches.
    public let queued: Int
    /// The number of fetches that wait for their next run.
    public let delayed: Int
    /// The number of running fetches.
    public let running: Int
    /// The number of dead letters.
    public let dead: Int
    /// The age of the oldest waiting fetch.
    public private(set) var oldestQueuedSeconds: Double?
    /// Throttled hosts, at most 100, and until when, in epoch seconds.
    public let heldHosts: [String: Double]
    /// The live workers.
    public let workers: Int
    /// The number of shards, if several.
    public private(set) var shards: Int?
}

/// A color of a picture.
public struct ColorShare: Record {
    /// The color, such as #a0c0ff.
    public let color: String
    /// Its part of the pixels, 0 to 1.
    public let share: Double
}

/// The times of an animation.
public struct AnimationTimes: Record {
    /// How often it runs; 0 for ever.
    public let loop: Int
    /// The milliseconds of each frame.
    public let delays: [Int]
}

/// The properties of a picture: the answers to `describe` and `samples`. Those that were not asked for are nil.
public struct ImageTraits: Record {
    /// A BlurHash.
    public private(set) var blurhash: String?
    /// The bytes of a ThumbHash.
    public private(set) var thumbhash: [UInt8]?
    /// The most frequent color.
    public private(set) var dominantColor: String?
    /// The mean of all pixels.
    public private(set) var averageColor: String?
    /// The most frequent colors.
    public private(set) var palette: [ColorShare]?
    /// A perceptual hash in hexadecimal.
    public private(set) var phash: String?
    /// The EXIF data.
    public private(set) var exif: JSONObject?
    /// The frames of an animation.
    @Boxed public private(set) var animation: AnimationTimes?
    /// Whether an Ultra HDR picture has a gain map.
    public private(set) var gainMap: Bool?
    /// The curve of an HDR picture: pq or hlg.
    public private(set) var hdr: String?
    /// The colors at the `samples`, by rendition if there are several.
    public private(set) var colors: JSON?
}

/// The state of a receipt, and its end.
public struct ReceiptInfo: Record {
    /// The receipt's id.
    public let receipt: String
    /// Where the request is.
    public let state: ReceiptState
    /// The number of fetches ahead.
    public private(set) var position: Int?
    /// Whether a replica of Redis has the request.
    public private(set) var durable: Bool?
    /// How far the run is, with the members of a progress event.
    public private(set) var progress: JSON?
    /// The number of runs.
    public private(set) var attempts: Int?
    /// The id of the worker.
    public private(set) var worker: String?
    /// The result, after success.
    @Boxed public private(set) var result: ImageResult?
    /// Why it failed.
    public private(set) var error: TintypeError?
}

/// Whether something was cancelled.
public struct Cancellation: Record {
    /// The receipt's id, in the answer for many.
    public private(set) var receipt: String?
    /// Whether it was still under way, or cancelled before.
    public let cancelled: Bool
    /// `finished` or `unknown`.
    public private(set) var reason: Reason?
}

/// The answer for one receipt, or for many.
public struct Cancellations: Record {
    /// Whether the one receipt was still under way, or cancelled before.
    public private(set) var cancelled: Bool?
    /// `finished` or `unknown`.
    public private(set) var reason: Cancellation.Reason?
    /// Each of many, in their order.
    public private(set) var results: [Cancellation]?
}

/// A source, without a result.
public struct ProbeResult: Record {
    /// The source.
    public let source: SourceInfo
    /// The answers to `describe` and `samples`.
    public let traits: ImageTraits
}

/// A group that was started.
public struct StartedGroup: Record {
    /// The group's id.
    public let group: String
    /// Whether a replica of Redis has the group.
    public private(set) var durable: Bool?
}

/// One item of a group, as far as the item has come.
public struct GroupEntry: Record {
    /// Its place among the requests, from 0.
    public let index: Int
    /// Where the item is.
    public let state: ReceiptState
    /// Its receipt.
    public private(set) var receipt: String?
    /// Its result.
    @Boxed public private(set) var result: ImageResult?
    /// Why it failed.
    public private(set) var error: TintypeError?
}

/// The item whose failure ended a group.
public struct FailedItem: Record {
    /// Its place among the requests, from 0.
    public let index: Int
    /// Why it failed.
    public let error: TintypeError
}

/// The state of a group, and its results so far.
public struct GroupInfo: Record {
    /// The group's id.
    public let group: String
    /// `prefetch`, `batch` or `chain`.
    public let kind: Kind
    /// Where the group is.
    public let state: State
    /// The number of items that have ended.
    public let finished: Int
    /// The number of items.
    public let total: Int
    /// The failed and cancelled items of a prefetch.
    public private(set) var skipped: Int?
    /// The number of results by their `from`.
    public private(set) var origins: [String: Int]?
    /// The items.
    public private(set) var results: [GroupEntry]?
    /// The item that ended the group.
    @Boxed public private(set) var failed: FailedItem?
    /// Why the group was cancelled.
    public private(set) var reason: String?
    /// The first item that is left out: `from` of the next call.
    public private(set) var next: Int?
}

/// A fetch that has failed for good.
public struct DeadLetterInfo: Record {
    /// Its id.
    public let id: String
    /// The URL of its source.
    public let url: String
    /// Why it failed.
    public let error: TintypeError
    /// The number of runs.
    public let attempts: Int
    /// When it failed, in epoch seconds.
    public let at: Double
    /// Whether `dead.retry` can queue it again.
    public let retryable: Bool
}

/// Some dead letters, newest first.
public struct DeadLetterPage: Record {
    /// The entries.
    public let items: [DeadLetterInfo]
    /// Where the next page begins.
    public private(set) var cursor: String?
}

/// A source that is not asked for the time being.
public struct BlacklistEntry: Record {
    /// Its id.
    public let id: String
    /// The queue's name.
    public let queue: String
    /// The URL of the source.
    public let url: String
    /// The error that put it there.
    public let cause: ErrorName
    /// The status of the origin's answer.
    public private(set) var status: Int?
    /// The requests that are refused: `all` of the queue, or only `pictures`.
    public let refuses: Refusal
    /// Since when, in epoch seconds.
    public let since: Double
    /// Until when, in epoch seconds.
    public let until: Double
}

/// Some entries of the blacklist.
public struct BlacklistPage: Record {
    /// The entries.
    public let items: [BlacklistEntry]
    /// Where the next page begins.
    public private(set) var cursor: String?
}

/// The pixel processes of a worker.
public struct PixelProcesses: Record {
    /// How many live.
    public let processes: Int
    /// How many have work.
    public let busy: Int
    /// The number of runs that wait for one.
    public let waiting: Int
}

/// A worker with a recent heartbeat.
public struct WorkerInfo: Record {
    /// Its id.
    public let id: String
    /// The name of its machine.
    public let host: String
    /// The most runs at once.
    public let slots: Int
    /// The number of runs.
    public let running: Int
    /// Its memory.
    public private(set) var rssBytes: Int?
    /// Its pixel processes.
    @Boxed public private(set) var pixels: PixelProcesses?
    /// The seconds since its last heartbeat.
    public private(set) var seenSeconds: Double?
    /// `starting`, `running`, `quiet`, `draining`, `stopped` or `lost`.
    public let state: State
    /// Queues that it serves and that do not exist.
    public private(set) var missingQueues: [String]?
}

/// Whether a worker claims.
public struct QuietWorker: Record {
    /// The worker's id.
    public let worker: String
    /// Whether it claims nothing new.
    public let quiet: Bool
}

/// The files that were removed.
public struct Removal: Record {
    /// How many.
    public let removed: Int
    /// Their length.
    public let bytes: Int
}

/// An image that was stored.
public struct PutResult: Record {
    /// Its key.
    public let key: String
    /// Its length.
    public let bytes: Int
}

/// The numbers of what a purge hit.
public struct PurgeResult: Record {
    /// The number of results.
    public let results: Int
    /// The number of sources that were removed at once.
    public let sources: Int
    /// The number of fetches.
    public let fetches: Int
}

/// The size of a tier.
public struct TierInfo: Record {
    /// The number of entries.
    public let count: Int
    /// Their length.
    public let bytes: Int
    /// The most bytes; none without a limit.
    public private(set) var capacity: Int?
}

/// An operation that all workers have.
public struct OperationInfo: Record {
    /// Its name.
    public let name: String
    /// Its meaning.
    public let summary: String
    /// Its parameters.
    public let parameters: [JSON]
}

/// The formats, fonts and operations of all workers.
public struct FormatsInfo: Record {
    /// The formats that are read.
    public let decode: [String]
    /// The formats that are written.
    public let encode: [String]
    /// The formats that are written without loss.
    public let lossless: [String]
    /// The fonts for texts.
    public let fonts: [String]
    /// The operations.
    public let operations: [OperationInfo]
}

/// Whether something is under way.
public struct ActivityInfo: Record {
    /// Whether an indicator should turn.
    public let active: Bool
    /// The requests of this connection.
    public let running: Int
    /// The requests of all coordinators.
    public let fleet: Int
}

/// The Redis of a coordinator.
public struct RedisInfo: Record {
    /// Its address, without a password.
    public let address: String
    /// Whether it can be reached.
    public let connected: Bool
    /// Since when, in seconds.
    public private(set) var connectedSeconds: Double?
}

/// A coordinator.
public struct SystemInfo: Record {
    /// The version of Tintype; only for an admin.
    public private(set) var version: String?
    /// The versions of its interfaces; only for an admin.
    public private(set) var versions: [String: String]?
    /// The coordinator's id.
    public let coordinator: String
    /// The number of coordinators.
    public let coordinators: Int
    /// The seconds since its start.
    public let uptime: Double
    /// The address of the JSON-RPC port; only for an admin.
    public private(set) var rpc: String?
    /// The address of the HTTP port; its host only for an admin.
    public let http: String
    /// The limits by their names.
    public let limits: JSONObject
    /// Its Redis; only for an admin.
    @Boxed public private(set) var redis: RedisInfo?
    /// The rights of the token.
    public let identity: JSONObject
    /// `serving` or `draining`.
    public let state: String
}

/// Whether the records in Redis agree with each other.
public struct Validity: Record {
    /// Whether they do.
    public let ok: Bool
    /// A sentence for each broken invariant, at most 1,000.
    public let violations: [String]
}

// MARK: - Events

/// Something that happened to a receipt.
public enum ImageEvent: ProtocolValue {
    /// The request waits in the queue.
    case queued(Queued)
    /// A worker has begun a run.
    case started(Started)
    /// The origin has answered.
    case response(Response)
    /// How far the work is.
    case progress(Progress)
    /// A picture of a source that is still arriving.
    case preview(Preview)
    /// The cached result of `cache.policy` refresh; the origin is asked next.
    case cached(Cached)
    /// One rendition is finished.
    case rendition(Rendered)
    /// A run failed, and another one follows.
    case retrying(Retrying)
    /// The receipt was paused.
    case paused(Paused)
    /// The receipt goes on.
    case resumed(Resumed)
    /// The end: there is a result.
    case succeeded(Succeeded)
    /// The end: there is none.
    case failed(Failed)
    /// The end: the receipt was cancelled.
    case cancelled(Cancelled)
    /// The connection was lost here, and the receipt was taken up again: events from between are not known.
    case gap(Gap)
    /// An event that this version does not know.
    case other(JSON)

    public init(json: JSON) throws(AnswerFault) {
        self = switch json["type"]?.stringValue {
        case "queued": .queued(try Queued(json: json))
        case "started": .started(try Started(json: json))
        case "response": .response(try Response(json: json))
        case "progress": .progress(try Progress(json: json))
        case "preview": .preview(try Preview(json: json))
        case "cached": .cached(try Cached(json: json))
        case "rendition": .rendition(try Rendered(json: json))
        case "retrying": .retrying(try Retrying(json: json))
        case "paused": .paused(try Paused(json: json))
        case "resumed": .resumed(try Resumed(json: json))
        case "succeeded": .succeeded(try Succeeded(json: json))
        case "failed": .failed(try Failed(json: json))
        case "cancelled": .cancelled(try Cancelled(json: json))
        case "gap": .gap(try Gap(json: json))
        default: .other(json)
        }
    }

    public func json(withSecrets: Bool) -> JSON {
        switch self {
        case .gap(let gap): gap.json(withSecrets: withSecrets)
        case .other(let json): json
        default: part?.json(withSecrets: withSecrets) ?? .null
        }
    }

    /// The members of all events; nil for a gap and for an event that this version does not know.
    public var facts: Facts? { part?.facts }

    private var part: (any Part)? {
        switch self {
        case .queued(let event): event
        case .started(let event): event
        case .response(let event): event
        case .progress(let event): event
        case .preview(let event): event
        case .cached(let event): event
        case .rendition(let event): event
        case .retrying(let event): event
        case .paused(let event): event
        case .resumed(let event): event
        case .succeeded(let event): event
        case .failed(let event): event
        case .cancelled(let event): event
        case .gap, .other: nil
        }
    }

    /// Whether it is the last event of its receipt.
    public var isTerminal: Bool {
        switch self {
        case .succeeded, .failed, .cancelled: true
        case .queued, .started, .response, .progress, .preview, .cached, .rendition, .retrying, .paused, .resumed, .gap, .other: false
        }
    }
}

extension ImageEvent {
    /// The members of all events.
    public struct Facts: Record {
        /// The receipt's id.
        public let receipt: String
        /// The number among the events that this connection got for the receipt.
        public let seq: Int
        /// When, in epoch seconds.
        public let at: Double
        /// The queue's name.
        public let queue: String
        /// The place of the request in the trace of its client, by W3C Trace Context.
        public private(set) var traceparent: String?
        /// The `tag` of the request.
        public private(set) var tag: String?
        /// The `userInfo` of the request.
        public private(set) var userInfo: JSONObject?
        /// The group of the receipt.
        public private(set) var group: String?
        /// The JSON-RPC id of the `image.load`.
        public private(set) var requestId: JSON?
    }
}

extension ImageEvent {
    /// The members of one type of event.
    public protocol Part: Record {
        /// The members of all events.
        var facts: Facts { get }
    }
}

extension ImageEvent.Part {
    public var beside: (any Record)? { facts }
    /// The receipt's id.
    public var receipt: String { facts.receipt }
    /// The number among the events that this connection got for the receipt.
    public var seq: Int { facts.seq }
    /// When, in epoch seconds.
    public var at: Double { facts.at }
    /// The queue's name.
    public var queue: String { facts.queue }
    /// The place of the request in the trace of its client, by W3C Trace Context.
    public var traceparent: String? { facts.traceparent }
    /// The `tag` of the request.
    public var tag: String? { facts.tag }
    /// The `userInfo` of the request.
    public var userInfo: JSONObject? { facts.userInfo }
    /// The group of the receipt.
    public var group: String? { facts.group }
    /// The JSON-RPC id of the `image.load`.
    public var requestId: JSON? { facts.requestId }
}

extension ImageEvent {
    /// The request waits in the queue.
    public struct Queued: Part {
        public let facts: Facts
        /// The number of fetches ahead; none when the fetch waits for its next run.
        public private(set) var position: Int?
    }

    /// A worker has begun a run.
    public struct Started: Part {
        public let facts: Facts
        /// The id of the worker.
        public private(set) var worker: String?
        /// The number of the run, from 1.
        public let attempt: Int
    }

    /// The origin has answered.
    public struct Response: Part {
        public let facts: Facts
        /// The status.
        public private(set) var status: Int?
        /// The headers.
        public private(set) var headers: [String: String]?
        /// The length of the body; none when the origin gives no length.
        public private(set) var expectedBytes: Int?
    }

    /// How far the work is.
    public struct Progress: Part {
        public let facts: Facts
        /// `upload`, `download`, `decode`, `transform`, `encode` or `store`.
        public let phase: Stage
        /// From 0 to 1; none when unknown.
        public private(set) var fraction: Double?
        /// The bytes of the source that have come.
        public private(set) var receivedBytes: Int?
        /// The length of the source; none when the origin gives no length.
        public private(set) var expectedBytes: Int?
        /// The byte at which an earlier download broke off.
        public private(set) var resumedFrom: Int?
        /// The bytes of the request body that were sent.
        public private(set) var sentBytes: Int?
        /// The length of the request body.
        public private(set) var totalBytes: Int?
    }

    /// A picture of a source that is still arriving.
    public struct Preview: Part {
        public let facts: Facts
        /// The name of the first rendition.
        public private(set) var rendition: String?
        /// A JPEG, upright and scaled.
        public private(set) var data: [UInt8]?
        /// The key that keeps the JPEG for ten seconds, in place of data.
        public private(set) var key: String?
        /// The width in pixels.
        public let width: Int
        /// The height in pixels.
        public let height: Int
        /// The part of the source that it shows; none when unknown.
        public private(set) var fraction: Double?
    }

    /// The cached result of `cache.policy` refresh; the origin is asked next.
    public struct Cached: Part {
        public let facts: Facts
        /// The cached result.
        public let result: ImageResult
    }

    /// One rendition is finished.
    public struct Rendered: Part {
        public let facts: Facts
        /// One finished rendition.
        public let rendition: RenditionInfo
    }

    /// A run failed, and another one follows.
    public struct Retrying: Part {
        public let facts: Facts
        /// The number of the run that failed.
        public private(set) var attempt: Int?
        /// Seconds until the next run.
        public private(set) var delay: Double?
        /// The error, as an error object of JSON-RPC.
        public private(set) var error: TintypeError?
    }

    /// The receipt was paused.
    public struct Paused: Part {
        public let facts: Facts
    }

    /// The receipt goes on.
    public struct Resumed: Part {
        public let facts: Facts
    }

    /// The end: there is a result.
    public struct Succeeded: Part {
        public let facts: Facts
        /// The result.
        public let result: ImageResult
    }

    /// The end: there is none.
    public struct Failed: Part {
        public let facts: Facts
        /// The error, as an error object of JSON-RPC.
        public let error: TintypeError
    }

    /// The end: the receipt was cancelled.
    public struct Cancelled: Part {
        public let facts: Facts
        /// Why.
        public private(set) var reason: String?
        /// The phase in which the work stopped.
        public private(set) var phase: Phase?
    }
}

// MARK: - Choices

extension ImageOperation {
    /// The place before the offsets count.
    public enum Place: Word {
        case center, top, topRight, right, bottomRight, bottom, bottomLeft, left, topLeft
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Place] = [.center, .top, .topRight, .right, .bottomRight, .bottom, .bottomLeft, .left, .topLeft]
        public var rawValue: String {
            switch self {
            case .center: "center"; case .top: "top"; case .topRight: "topRight"; case .right: "right"; case .bottomRight: "bottomRight";
            case .bottom: "bottom"; case .bottomLeft: "bottomLeft"; case .left: "left"; case .topLeft: "topLeft"
            case .other(let word): word
            }
        }
    }

    /// How the colors mix with those of the picture.
    public enum Blend: Word {
        case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight, softLight, difference, exclusion, plusLighter, plusDarker,
            hue, saturation, color, luminosity
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Blend] = [
            .normal, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn, .hardLight, .softLight, .difference, .exclusion, .plusLighter,
            .plusDarker, .hue, .saturation, .color, .luminosity
        ]
        public var rawValue: String {
            switch self {
            case .normal: "normal"; case .multiply: "multiply"; case .screen: "screen"; case .overlay: "overlay"; case .darken: "darken";
            case .lighten: "lighten"; case .colorDodge: "colorDodge"; case .colorBurn: "colorBurn"; case .hardLight: "hardLight"; case .softLight: "softLight";
            case .difference: "difference"; case .exclusion: "exclusion"; case .plusLighter: "plusLighter"; case .plusDarker: "plusDarker"; case .hue: "hue";
            case .saturation: "saturation"; case .color: "color"; case .luminosity: "luminosity"
            case .other(let word): word
            }
        }
    }

    /// How the picture gets the size.
    /// `inside`: as large as fits into the box.
    /// `outside`: as small as covers the box.
    /// `contain`: inside, on a canvas of the box's size.
    /// `cover`: fills the box; the overlap is cut off.
    /// `coverDown`: as cover, but a picture smaller than the box is cut to the box's shape.
    /// `auto`: cover if the picture and the box both stand or both lie, else inside.
    /// `fill`: stretched to the box.
    /// `none`: not scaled, but cut and put on a canvas.
    public enum Fit: Word {
        case contain, cover, coverDown, auto, fill, inside, outside, nothing
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Fit] = [.contain, .cover, .coverDown, .auto, .fill, .inside, .outside, .nothing]
        public var rawValue: String {
            switch self {
            case .contain: "contain"; case .cover: "cover"; case .coverDown: "coverDown"; case .auto: "auto"; case .fill: "fill"; case .inside: "inside";
            case .outside: "outside"; case .nothing: "none"
            case .other(let word): word
            }
        }
    }

    /// The weights of pixels when a picture becomes smaller. Enlarging is bicubic, except with nearest and linear.
    public enum Kernel: Word {
        case nearest, linear, cubic, mitchell, lanczos2, lanczos3
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Kernel] = [.nearest, .linear, .cubic, .mitchell, .lanczos2, .lanczos3]
        public var rawValue: String {
            switch self {
            case .nearest: "nearest"; case .linear: "linear"; case .cubic: "cubic"; case .mitchell: "mitchell"; case .lanczos2: "lanczos2";
            case .lanczos3: "lanczos3"
            case .other(let word): word
            }
        }
    }

    /// Where opposite edges both lose as much as the smaller one: left and right (horizontal), top and bottom (vertical), or both.
    public enum Symmetric: Word {
        case nothing, horizontal, vertical, both
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Symmetric] = [.nothing, .horizontal, .vertical, .both]
        public var rawValue: String {
            switch self {
            case .nothing: "none"; case .horizontal: "horizontal"; case .vertical: "vertical"; case .both: "both"
            case .other(let word): word
            }
        }
    }

    /// Which ones.
    public enum Corner: Word {
        case topLeft, topRight, bottomRight, bottomLeft
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Corner] = [.topLeft, .topRight, .bottomRight, .bottomLeft]
        public var rawValue: String {
            switch self {
            case .topLeft: "topLeft"; case .topRight: "topRight"; case .bottomRight: "bottomRight"; case .bottomLeft: "bottomLeft"
            case .other(let word): word
            }
        }
    }

    /// A ready-made look.
    /// `soft`: radius 60 under white 0.84 at 0.36.
    /// `light`: 60, 1 at 0.3.
    /// `extraLight`: 40, 0.97 at 0.82.
    /// `dark`: 40, 0.11 at 0.73.
    /// Saturation 1.8.
    public enum Preset: Word {
        case soft, light, extraLight, dark
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Preset] = [.soft, .light, .extraLight, .dark]
        public var rawValue: String {
            switch self {
            case .soft: "soft"; case .light: "light"; case .extraLight: "extraLight"; case .dark: "dark"
            case .other(let word): word
            }
        }
    }
}

extension ImageRequest {
    /// The HTTP method. A transient failure repeats any method, see `retry`.
    public enum HTTPMethod: Word {
        case get, head, post, put, patch, delete
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete]
        public var rawValue: String {
            switch self {
            case .get: "GET"; case .head: "HEAD"; case .post: "POST"; case .put: "PUT"; case .patch: "PATCH"; case .delete: "DELETE"
            case .other(let word): word
            }
        }
    }

    /// Which answers are accepted.
    /// `default`: a fresh entry is served, a stale one revalidated.
    /// `reload`: no cache is read.
    /// `only`: the origin is never asked.
    /// `revalidate`: the origin is always asked.
    /// `refresh`: the cached result comes at once as a `cached` event, then the origin is asked.
    public enum CachePolicy: Word {
        case `default`, reload, only, revalidate, refresh
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [CachePolicy] = [.default, .reload, .only, .revalidate, .refresh]
        public var rawValue: String {
            switch self {
            case .default: "default"; case .reload: "reload"; case .only: "only"; case .revalidate: "revalidate"; case .refresh: "refresh"
            case .other(let word): word
            }
        }
    }
}

/// The tiers to read.
public enum CacheTier: Word {
    case memory, results, sources
    /// A word that this version does not know.
    case other(String)

    public static let allCases: [CacheTier] = [.memory, .results, .sources]
    public var rawValue: String {
        switch self {
        case .memory: "memory"; case .results: "results"; case .sources: "sources"
        case .other(let word): word
        }
    }
}

extension ImageRequest {
    /// The least damage that refuses a picture: an early end, wrong data (`error`), or whatever a decoder warns of.
    public enum FailOn: Word {
        case nothing, truncated, error, warning
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [FailOn] = [.nothing, .truncated, .error, .warning]
        public var rawValue: String {
            switch self {
            case .nothing: "none"; case .truncated: "truncated"; case .error: "error"; case .warning: "warning"
            case .other(let word): word
            }
        }
    }
}

/// The format of the result.
/// `original`: the source's format if it can be encoded, else png with alpha or lossless, and jpeg otherwise.
/// `auto`: the best format of `accept`; the default with `accept`.
/// A format without an encoder (see `formats.list`) fails with unsupportedFormat.
public enum ImageFormat: Word {
    case auto, original, jpeg, png, webp, avif, gif, tiff, heif, jxl
    /// A word that this version does not know.
    case other(String)

    public static let allCases: [ImageFormat] = [.auto, .original, .jpeg, .png, .webp, .avif, .gif, .tiff, .heif, .jxl]
    public var rawValue: String {
        switch self {
        case .auto: "auto"; case .original: "original"; case .jpeg: "jpeg"; case .png: "png"; case .webp: "webp"; case .avif: "avif"; case .gif: "gif";
        case .tiff: "tiff"; case .heif: "heif"; case .jxl: "jxl"
        case .other(let word): word
        }
    }
}

/// The formats of sources that are delivered as they came, without operations, unless `format` names another one.
public enum SourceFormat: Word {
    case jpeg, png, webp, avif, gif, tiff, heif, jxl, bmp, ico, icns, xbm, jp2, raw
    /// A word that this version does not know.
    case other(String)

    public static let allCases: [SourceFormat] = [.jpeg, .png, .webp, .avif, .gif, .tiff, .heif, .jxl, .bmp, .ico, .icns, .xbm, .jp2, .raw]
    public var rawValue: String {
        switch self {
        case .jpeg: "jpeg"; case .png: "png"; case .webp: "webp"; case .avif: "avif"; case .gif: "gif"; case .tiff: "tiff"; case .heif: "heif";
        case .jxl: "jxl"; case .bmp: "bmp"; case .ico: "ico"; case .icns: "icns"; case .xbm: "xbm"; case .jp2: "jp2"; case .raw: "raw"
        case .other(let word): word
        }
    }
}

extension ImageRequest {
    /// The properties of the source in the result's `description`, measured upright and on the first frame.
    /// `blurhash` has 4 × 3 or 3 × 4 components, `thumbhash` is base64, `phash` is 64 bits in hexadecimal. `palette` has up to six `{color, share}`.
    /// `exif` has camera, exposure and time, never the place. `animation` is null for a still picture, else `{loop, delays}`.
    /// `loop` is the number of plays, 0 for endless; `delays` has the milliseconds of the first 512 frames, as viewers show them.
    /// `gainMap` says whether `output.gainMap` finds a map.
    /// `hdr`: `pq`, `hlg` or null.
    public enum Trait: Word {
        case blurhash, thumbhash, dominantColor, palette, averageColor, phash, exif, animation, gainMap, hdr
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Trait] = [.blurhash, .thumbhash, .dominantColor, .palette, .averageColor, .phash, .exif, .animation, .gainMap, .hdr]
        public var rawValue: String {
            switch self {
            case .blurhash: "blurhash"; case .thumbhash: "thumbhash"; case .dominantColor: "dominantColor"; case .palette: "palette";
            case .averageColor: "averageColor"; case .phash: "phash"; case .exif: "exif"; case .animation: "animation"; case .gainMap: "gainMap";
            case .hdr: "hdr"
            case .other(let word): word
            }
        }
    }

    /// The kind of result.
    /// `image`: a picture.
    /// `bytes`: the undecoded source.
    /// `json`: the source as the result's `json`; it must be JSON of at most 58 levels, and only line breaks change.
    /// `text`: the body as the result's `text`, decoded by the charset of its Content-Type, else as UTF-8.
    /// `xml`: the same; it must be well-formed XML of at most 256 levels.
    /// XML with declarations of its own is refused. A byte order mark overrides the header, and the header overrides the declaration of XML.
    public enum Kind: Word {
        case image, bytes, json, text, xml
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Kind] = [.image, .bytes, .json, .text, .xml]
        public var rawValue: String {
            switch self {
            case .image: "image"; case .bytes: "bytes"; case .json: "json"; case .text: "text"; case .xml: "xml"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
    /// The unit of the rectangle: pixels, or fractions from 0 to 1.
    public enum Unit: Word {
        case px, fraction
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Unit] = [.px, .fraction]
        public var rawValue: String {
            switch self {
            case .px: "px"; case .fraction: "fraction"
            case .other(let word): word
            }
        }
    }

    /// How the lines meet in a corner without rounding.
    public enum Join: Word {
        case miter, round, bevel
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Join] = [.miter, .round, .bevel]
        public var rawValue: String {
            switch self {
            case .miter: "miter"; case .round: "round"; case .bevel: "bevel"
            case .other(let word): word
            }
        }
    }

    /// The shape to keep. circle: as large as fits; ellipse: touches all four edges.
    public enum Shape: Word {
        case circle, ellipse
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Shape] = [.circle, .ellipse]
        public var rawValue: String {
            switch self {
            case .circle: "circle"; case .ellipse: "ellipse"
            case .other(let word): word
            }
        }
    }

    /// The alignment of lines; mirrored for text from right to left.
    public enum Align: Word {
        case left, center, right
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Align] = [.left, .center, .right]
        public var rawValue: String {
            switch self {
            case .left: "left"; case .center: "center"; case .right: "right"
            case .other(let word): word
            }
        }
    }

    /// The height that is placed: `line`, of the font's lines, as in CSS; `ink`, of the letters.
    public enum Valign: Word {
        case line, ink
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Valign] = [.line, .ink]
        public var rawValue: String {
            switch self {
            case .line: "line"; case .ink: "ink"
            case .other(let word): word
            }
        }
    }

    /// How the color mixes with the picture.
    public enum TintBlend: Word {
        case normal, multiply, screen, overlay, darken, lighten, colorDodge, colorBurn, hardLight, softLight, difference, exclusion, plusLighter, plusDarker,
            hue, saturation, color, luminosity, sourceIn
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [TintBlend] = [
            .normal, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn, .hardLight, .softLight, .difference, .exclusion, .plusLighter,
            .plusDarker, .hue, .saturation, .color, .luminosity, .sourceIn
        ]
        public var rawValue: String {
            switch self {
            case .normal: "normal"; case .multiply: "multiply"; case .screen: "screen"; case .overlay: "overlay"; case .darken: "darken";
            case .lighten: "lighten"; case .colorDodge: "colorDodge"; case .colorBurn: "colorBurn"; case .hardLight: "hardLight"; case .softLight: "softLight";
            case .difference: "difference"; case .exclusion: "exclusion"; case .plusLighter: "plusLighter"; case .plusDarker: "plusDarker"; case .hue: "hue";
            case .saturation: "saturation"; case .color: "color"; case .luminosity: "luminosity"; case .sourceIn: "sourceIn"
            case .other(let word): word
            }
        }
    }

    /// How another picture gets the size. contain: whole, on a background; cover: cut; fill: stretched.
    public enum AnimationFit: Word {
        case contain, cover, fill
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [AnimationFit] = [.contain, .cover, .fill]
        public var rawValue: String {
            switch self {
            case .contain: "contain"; case .cover: "cover"; case .fill: "fill"
            case .other(let word): word
            }
        }
    }
}

extension ImageRequest {
    /// Which frames of an animation to decode.
    public enum Frames: Word {
        case all, first
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Frames] = [.all, .first]
        public var rawValue: String {
            switch self {
            case .all: "all"; case .first: "first"
            case .other(let word): word
            }
        }
    }

    /// How much the codec may shrink the picture while decoding. fast: as much as possible; best: not at all.
    public enum Speed: Word {
        case fast, balanced, best
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Speed] = [.fast, .balanced, .best]
        public var rawValue: String {
            switch self {
            case .fast: "fast"; case .balanced: "balanced"; case .best: "best"
            case .other(let word): word
            }
        }
    }
}

extension ImageOutput {
    /// The chroma subsampling of jpeg, avif and heif. 4:4:4 keeps the color of every pixel.
    public enum Subsampling: Word {
        case chroma420, chroma444
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Subsampling] = [.chroma420, .chroma444]
        public var rawValue: String {
            switch self {
            case .chroma420: "4:2:0"; case .chroma444: "4:4:4"
            case .other(let word): word
            }
        }
    }

    /// The metadata to keep.
    /// `copyright`: Copyright and Artist of EXIF.
    /// `all`: EXIF, XMP and IPTC, the place of the photo too.
    /// For jpeg, png, webp, avif and heif. jpeg, png and tiff always keep the pixel density.
    public enum Metadata: Word {
        case nothing, copyright, all
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Metadata] = [.nothing, .copyright, .all]
        public var rawValue: String {
            switch self {
            case .nothing: "none"; case .copyright: "copyright"; case .all: "all"
            case .other(let word): word
            }
        }
    }

    /// The color space.
    /// `srgb`: colors become sRGB, without a profile.
    /// `keep`: RGB stays in the source's space, with its profile; gray with a profile of its own is converted.
    /// Colors of operations then mean that space, and other pictures are converted to it. Not for gif and jxl.
    public enum ColorSpace: Word {
        case srgb, keep
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [ColorSpace] = [.srgb, .keep]
        public var rawValue: String {
            switch self {
            case .srgb: "srgb"; case .keep: "keep"
            case .other(let word): word
            }
        }
    }

    /// The gain map of an Ultra HDR jpeg.
    /// `drop`: the result is the SDR picture.
    /// `keep`, for jpeg: the map follows crops, sizes and turns by quarters, and other XMP gives way to its own.
    /// `apply`, for png without palette: the HDR picture of 16 bits in BT.2020 and PQ, with SDR white at 203 cd/m².
    /// Layers, text, round corners, free angles and canvases end in SDR, as does a broken map.
    public enum GainMap: Word {
        case drop, keep, apply
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [GainMap] = [.drop, .keep, .apply]
        public var rawValue: String {
            switch self {
            case .drop: "drop"; case .keep: "keep"; case .apply: "apply"
            case .other(let word): word
            }
        }
    }

    /// Still pictures in PQ or HLG.
    /// `keep`: avif (10 bits) and png without palette keep curve and primaries.
    /// It refuses operations with colors.
    public enum HDR: Word {
        case toneMap, keep
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [HDR] = [.toneMap, .keep]
        public var rawValue: String {
            switch self {
            case .toneMap: "toneMap"; case .keep: "keep"
            case .other(let word): word
            }
        }
    }
}

extension ImageRequest {
    /// plain: the picture as it is; blur: a blur that shrinks as more arrives, for progressive JPEG and interlaced PNG.
    public enum PreviewStyle: Word {
        case plain, blur
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [PreviewStyle] = [.plain, .blur]
        public var rawValue: String {
            switch self {
            case .plain: "plain"; case .blur: "blur"
            case .other(let word): word
            }
        }
    }

    /// The order within a priority. Default: the order of the queue.
    public enum Order: Word {
        case fifo, lifo
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Order] = [.fifo, .lifo]
        public var rawValue: String {
            switch self {
            case .fifo: "fifo"; case .lifo: "lifo"
            case .other(let word): word
            }
        }
    }

    /// The treatment of a blacklisted source.
    /// `on`: refused.
    /// `off`: downloaded, and the blacklist does not change.
    /// `retry`: downloaded, and a success removes the entry.
    public enum Blacklist: Word {
        case on, off, retry
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Blacklist] = [.on, .off, .retry]
        public var rawValue: String {
            switch self {
            case .on: "on"; case .off: "off"; case .retry: "retry"
            case .other(let word): word
            }
        }
    }

    /// How the bytes come.
    /// `reference`: a key and a URL.
    /// `inline`: base64 in the result, up to 8 MiB.
    /// `none`: no bytes.
    public enum Delivery: Word {
        case reference, inline, nothing
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Delivery] = [.reference, .inline, .nothing]
        public var rawValue: String {
            switch self {
            case .reference: "reference"; case .inline: "inline"; case .nothing: "none"
            case .other(let word): word
            }
        }
    }
}

/// How the group treats a failed item.
public enum BatchMode: Word {
    case failFast, settleAll
    /// A word that this version does not know.
    case other(String)

    public static let allCases: [BatchMode] = [.failFast, .settleAll]
    public var rawValue: String {
        switch self {
        case .failFast: "failFast"; case .settleAll: "settleAll"
        case .other(let word): word
        }
    }
}

extension BlacklistEntry {
    /// A word of `refuses`.
    public enum Refusal: Word {
        case all, pictures
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Refusal] = [.all, .pictures]
        public var rawValue: String {
            switch self {
            case .all: "all"; case .pictures: "pictures"
            case .other(let word): word
            }
        }
    }
}

extension Cancellation {
    /// A word of `reason`.
    public enum Reason: Word {
        case finished, unknown
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Reason] = [.finished, .unknown]
        public var rawValue: String {
            switch self {
            case .finished: "finished"; case .unknown: "unknown"
            case .other(let word): word
            }
        }
    }
}

extension GroupInfo {
    /// A word of `kind`.
    public enum Kind: Word {
        case prefetch, batch, chain
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Kind] = [.prefetch, .batch, .chain]
        public var rawValue: String {
            switch self {
            case .prefetch: "prefetch"; case .batch: "batch"; case .chain: "chain"
            case .other(let word): word
            }
        }
    }

    /// A word of `state`.
    public enum State: Word {
        case running, succeeded, failed, cancelled
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [State] = [.running, .succeeded, .failed, .cancelled]
        public var rawValue: String {
            switch self {
            case .running: "running"; case .succeeded: "succeeded"; case .failed: "failed"; case .cancelled: "cancelled"
            case .other(let word): word
            }
        }
    }
}

extension ImageResult {
    /// A word of `from`.
    public enum Origin: Word {
        case remote, sources, results, memory, fallback
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Origin] = [.remote, .sources, .results, .memory, .fallback]
        public var rawValue: String {
            switch self {
            case .remote: "remote"; case .sources: "sources"; case .results: "results"; case .memory: "memory"; case .fallback: "fallback"
            case .other(let word): word
            }
        }
    }
}

extension ImageEvent {
    /// A word of `phase`.
    public enum Stage: Word {
        case upload, download, decode, transform, encode, store
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Stage] = [.upload, .download, .decode, .transform, .encode, .store]
        public var rawValue: String {
            switch self {
            case .upload: "upload"; case .download: "download"; case .decode: "decode"; case .transform: "transform"; case .encode: "encode";
            case .store: "store"
            case .other(let word): word
            }
        }
    }
}

/// A word of `state`.
public enum ReceiptState: Word {
    case queued, delayed, running, paused, succeeded, failed, cancelled
    /// A word that this version does not know.
    case other(String)

    public static let allCases: [ReceiptState] = [.queued, .delayed, .running, .paused, .succeeded, .failed, .cancelled]
    public var rawValue: String {
        switch self {
        case .queued: "queued"; case .delayed: "delayed"; case .running: "running"; case .paused: "paused"; case .succeeded: "succeeded";
        case .failed: "failed"; case .cancelled: "cancelled"
        case .other(let word): word
        }
    }
}

extension WorkerInfo {
    /// A word of `state`.
    public enum State: Word {
        case starting, running, quiet, draining, stopped, lost
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [State] = [.starting, .running, .quiet, .draining, .stopped, .lost]
        public var rawValue: String {
            switch self {
            case .starting: "starting"; case .running: "running"; case .quiet: "quiet"; case .draining: "draining"; case .stopped: "stopped"; case .lost: "lost"
            case .other(let word): word
            }
        }
    }
}

/// A word of `role`.
public enum AccessRole: Word {
    case load, put, admin
    /// A word that this version does not know.
    case other(String)

    public static let allCases: [AccessRole] = [.load, .put, .admin]
    public var rawValue: String {
        switch self {
        case .load: "load"; case .put: "put"; case .admin: "admin"
        case .other(let word): word
        }
    }
}

extension ImageOperation {
    /// The factor on the box, or without a box on the picture's own size.
    public enum ScaleFactor: Alternatives, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
        case number(Double)
        /// `width`: The factor of the width. 0.01 to 100.
        /// `height`: The factor of the height. 0.01 to 100.
        case factors(width: Double, height: Double)
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .integer, .number: self = .number(try Double(json: json))
            case .object:
                var members = try MemberReader(json)
                if json["width"] != nil, json["height"] != nil {
                    self = .factors(width: try members.require("width"), height: try members.require("height"))
                } else {
                    self = .other(json)
                }
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .number(let value): value.json(withSecrets: withSecrets)
            case .factors(let width, let height):
                JSON(["width": width, "height": height], withSecrets: withSecrets)
            case .other(let json): json
            }
        }

        public init(floatLiteral value: Double) { self = .number(value) }

        public init(integerLiteral value: Int) { self = .number(Double(value)) }
    }

    /// The part to keep, or the place on the canvas. `attention` and `entropy` find a part to keep.
    public enum Gravity: Alternatives {
        case center, top, topRight, right, bottomRight, bottom, bottomLeft, left, topLeft, attention, entropy
        /// `x`: The place from the left edge, as a fraction. 0 to 1.
        /// `y`: The place from the upper edge, as a fraction. 0 to 1.
        case point(x: Double, y: Double)
        /// `place`: The place before the offsets count.
        /// `offsetX`: The distance from the left or right edge of the place, or to the right from the middle.
        /// Below 1 a part of the whole width, otherwise pixels. -16384 to 16384. Default: `0`.
        /// `offsetY`: The distance from the upper or lower edge of the place, or down from the middle.
        /// Below 1 a part of the whole height, otherwise pixels. -16384 to 16384. Default: `0`.
        case offsets(Place, offsetX: Double? = nil, offsetY: Double? = nil)
        /// A value that this version does not know.
        case other(JSON)

        public static let words: KeyValuePairs<String, Gravity> = [
            "center": .center, "top": .top, "topRight": .topRight, "right": .right, "bottomRight": .bottomRight, "bottom": .bottom, "bottomLeft": .bottomLeft,
            "left": .left, "topLeft": .topLeft, "attention": .attention, "entropy": .entropy
        ]

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .object:
                var members = try MemberReader(json)
                if json["x"] != nil, json["y"] != nil {
                    self = .point(x: try members.require("x"), y: try members.require("y"))
                } else if json["place"] != nil {
                    self = .offsets(try members.require("place"), offsetX: try members.read("offsetX"), offsetY: try members.read("offsetY"))
                } else {
                    self = .other(json)
                }
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .point(let x, let y):
                JSON(["x": x, "y": y], withSecrets: withSecrets)
            case .offsets(let place, let offsetX, let offsetY):
                JSON(["place": place, "offsetX": offsetX, "offsetY": offsetY], withSecrets: withSecrets)
            case .other(let json): json
            default: word
            }
        }
    }

    /// The place of the picture on the canvas, with or without offsets. The picture stays inside.
    public enum EdgeGravity: Alternatives {
        case center, top, topRight, right, bottomRight, bottom, bottomLeft, left, topLeft
        /// `place`: The place before the offsets count.
        /// `offsetX`: The distance from the left or right edge of the place, or to the right from the middle.
        /// Below 1 a part of the whole width, otherwise pixels. -16384 to 16384. Default: `0`.
        /// `offsetY`: The distance from the upper or lower edge of the place, or down from the middle.
        /// Below 1 a part of the whole height, otherwise pixels. -16384 to 16384. Default: `0`.
        case offsets(Place, offsetX: Double? = nil, offsetY: Double? = nil)
        /// A value that this version does not know.
        case other(JSON)

        public static let words: KeyValuePairs<String, EdgeGravity> = [
            "center": .center, "top": .top, "topRight": .topRight, "right": .right, "bottomRight": .bottomRight, "bottom": .bottom, "bottomLeft": .bottomLeft,
            "left": .left, "topLeft": .topLeft
        ]

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .object:
                var members = try MemberReader(json)
                if json["place"] != nil {
                    self = .offsets(try members.require("place"), offsetX: try members.read("offsetX"), offsetY: try members.read("offsetY"))
                } else {
                    self = .other(json)
                }
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .offsets(let place, let offsetX, let offsetY):
                JSON(["place": place, "offsetX": offsetX, "offsetY": offsetY], withSecrets: withSecrets)
            case .other(let json): json
            default: word
            }
        }
    }

    /// The place of the overlay: one of nine places, or a point in fractions for its middle.
    public enum OverlayGravity: Alternatives {
        case center, top, topRight, right, bottomRight, bottom, bottomLeft, left, topLeft
        /// `x`: The place from the left edge, as a fraction. 0 to 1.
        /// `y`: The place from the upper edge, as a fraction. 0 to 1.
        case point(x: Double, y: Double)
        /// `place`: The place before the offsets count.
        /// `offsetX`: The distance from the left or right edge of the place, or to the right from the middle.
        /// Below 1 a part of the whole width, otherwise pixels. -16384 to 16384. Default: `0`.
        /// `offsetY`: The distance from the upper or lower edge of the place, or down from the middle.
        /// Below 1 a part of the whole height, otherwise pixels. -16384 to 16384. Default: `0`.
        case offsets(Place, offsetX: Double? = nil, offsetY: Double? = nil)
        /// A value that this version does not know.
        case other(JSON)

        public static let words: KeyValuePairs<String, OverlayGravity> = [
            "center": .center, "top": .top, "topRight": .topRight, "right": .right, "bottomRight": .bottomRight, "bottom": .bottom, "bottomLeft": .bottomLeft,
            "left": .left, "topLeft": .topLeft
        ]

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .object:
                var members = try MemberReader(json)
                if json["x"] != nil, json["y"] != nil {
                    self = .point(x: try members.require("x"), y: try members.require("y"))
                } else if json["place"] != nil {
                    self = .offsets(try members.require("place"), offsetX: try members.read("offsetX"), offsetY: try members.read("offsetY"))
                } else {
                    self = .other(json)
                }
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .point(let x, let y):
                JSON(["x": x, "y": y], withSecrets: withSecrets)
            case .offsets(let place, let offsetX, let offsetY):
                JSON(["place": place, "offsetX": offsetX, "offsetY": offsetY], withSecrets: withSecrets)
            case .other(let json): json
            default: word
            }
        }
    }

    /// Whether to repeat over the whole picture.
    public enum Tiling: Alternatives, ExpressibleByBooleanLiteral {
        case boolean(Bool)
        /// `gapX`: The gap between two columns. 0 to 16384.
        /// Default: `0`.
        /// `gapY`: The gap between two rows. 0 to 16384.
        /// Default: `0`.
        case gaps(gapX: Double? = nil, gapY: Double? = nil)
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .bool: self = .boolean(try Bool(json: json))
            case .object:
                var members = try MemberReader(json)
                self = .gaps(gapX: try members.read("gapX"), gapY: try members.read("gapY"))
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .boolean(let value): value.json(withSecrets: withSecrets)
            case .gaps(let gapX, let gapY):
                JSON(["gapX": gapX, "gapY": gapY], withSecrets: withSecrets)
            case .other(let json): json
            }
        }

        public init(booleanLiteral value: Bool) { self = .boolean(value) }
    }

    /// Milliseconds for a frame: one number, or one for each frame. GIF counts in hundredths of a second.
    public enum Delay: Alternatives, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral {
        case integer(Int)
        case list([Int])
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .integer, .number: self = .integer(try Int(json: json))
            case .array: self = .list(try [Int](json: json))
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .integer(let value): value.json(withSecrets: withSecrets)
            case .list(let value): value.json(withSecrets: withSecrets)
            case .other(let json): json
            }
        }

        public init(integerLiteral value: Int) { self = .integer(value) }

        public init(arrayLiteral elements: Int...) { self = .list(elements) }
    }
}

extension ImageRequest {
    /// Credentials, sent only to the URL's own host: `{basic: [user, password]}`, `{digest: [user, password]}` or `{bearer: token}`.
    /// If the origin refuses them, the request fails with authFailed.
    public enum Auth: Alternatives {
        /// `basic`: User and password.
        case basic([String])
        /// `digest`: User and password.
        case digest([String])
        /// `bearer`: A token.
        case bearer(String)
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .object:
                var members = try MemberReader(json)
                if json["basic"] != nil {
                    self = .basic(try members.require("basic"))
                } else if json["digest"] != nil {
                    self = .digest(try members.require("digest"))
                } else if json["bearer"] != nil {
                    self = .bearer(try members.require("bearer"))
                } else {
                    self = .other(json)
                }
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .basic(let basic):
                JSON(["basic": basic], withSecrets: withSecrets, areSecret: true)
            case .digest(let digest):
                JSON(["digest": digest], withSecrets: withSecrets, areSecret: true)
            case .bearer(let bearer):
                JSON(["bearer": bearer], withSecrets: withSecrets, areSecret: true)
            case .other(let json): json
            }
        }
    }
}

extension ImageOutput {
    /// The formats for auto: an Accept header, or a list of media types or formats.
    /// Animated: webp, else gif (png first for a png source).
    /// Still: avif, else webp, else jxl (if neither is named), else png (with alpha or from a lossless source), else jpeg.
    /// A star, or nothing known, means jpeg, png and gif.
    public enum Accept: Alternatives, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
        case text(String)
        case list([String])
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .string: self = .text(try String(json: json))
            case .array: self = .list(try [String](json: json))
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .text(let value): value.json(withSecrets: withSecrets)
            case .list(let value): value.json(withSecrets: withSecrets)
            case .other(let json): json
            }
        }

        public init(stringLiteral value: String) { self = .text(value) }

        public init(arrayLiteral elements: String...) { self = .list(elements) }
    }

    /// The quality of the encoder.
    /// Default: jpeg 80, webp 80, avif 50, heif 50, jxl 75; png with palette 100.
    /// `auto`: the lowest of five tried that keeps `likeness`, named in the result.
    /// It is for still jpeg, webp, avif; others have the default.
    public enum Quality: Alternatives, ExpressibleByIntegerLiteral {
        case auto
        case integer(Int)
        /// A value that this version does not know.
        case other(JSON)

        public static let words: KeyValuePairs<String, Quality> = ["auto": .auto]

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .integer, .number: self = .integer(try Int(json: json))
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .integer(let value): value.json(withSecrets: withSecrets)
            case .other(let json): json
            default: word
            }
        }

        public init(integerLiteral value: Int) { self = .integer(value) }
    }
}

extension ImageRequest {
    /// The treatment of an existing file.
    /// `true`: it is replaced.
    /// `keep`: it stays, and the result says so.
    /// `false`: `storeFailed`, unless the bytes are the same.
    public enum Replacement: Alternatives, ExpressibleByBooleanLiteral {
        case keep
        case boolean(Bool)
        /// A value that this version does not know.
        case other(JSON)

        public static let words: KeyValuePairs<String, Replacement> = ["keep": .keep]

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .bool: self = .boolean(try Bool(json: json))
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .boolean(let value): value.json(withSecrets: withSecrets)
            case .other(let json): json
            default: word
            }
        }

        public init(booleanLiteral value: Bool) { self = .boolean(value) }
    }

    /// The order in the queue among the fetches of one client: higher goes first. Permits are shared between clients before priorities count.
    public enum Priority: Alternatives, ExpressibleByIntegerLiteral {
        case low, normal, high
        case integer(Int)
        /// A value that this version does not know.
        case other(JSON)

        public static let words: KeyValuePairs<String, Priority> = ["low": .low, "normal": .normal, "high": .high]

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .integer, .number: self = .integer(try Int(json: json))
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .integer(let value): value.json(withSecrets: withSecrets)
            case .other(let json): json
            default: word
            }
        }

        public init(integerLiteral value: Int) { self = .integer(value) }
    }

    /// Whether progress events come, and how often: after `interval` seconds (default 0.25, at least 0.02) or a step of `fraction` (default 0.05).
    public enum ProgressReports: Alternatives, ExpressibleByBooleanLiteral {
        case boolean(Bool)
        /// `interval`: The most seconds between two events; values below 0.02 count as 0.02. 0 to 3600.
        /// Default: `0.25`.
        /// `fraction`: The largest step of the body between two events.
        /// A named step allows up to fifty events a second. 0 to 1. Default: `0.05`.
        case pace(interval: Double? = nil, fraction: Double? = nil)
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .bool: self = .boolean(try Bool(json: json))
            case .object:
                var members = try MemberReader(json)
                self = .pace(interval: try members.read("interval"), fraction: try members.read("fraction"))
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .boolean(let value): value.json(withSecrets: withSecrets)
            case .pace(let interval, let fraction):
                JSON(["interval": interval, "fraction": fraction], withSecrets: withSecrets)
            case .other(let json): json
            }
        }

        public init(booleanLiteral value: Bool) { self = .boolean(value) }
    }

    /// The replacement for an image that cannot be loaded.
    /// The request then succeeds with `from` fallback and the cause as `error`. Not for invalid URLs and cancelled requests.
    /// Callbacks and subscribers in Redis get the failure.
    public enum Fallback: Alternatives {
        /// `url`: Another source, with the same renditions, within 10 seconds.
        case url(String)
        /// `key`: The key of a finished image, returned unchanged.
        /// A token with a scope finds its own keys only in that scope.
        case key(String)
        /// `color`: The color of a plain PNG.
        /// `width`: The width in pixels. 1 to 8192.
        /// `height`: The height in pixels. 1 to 8192.
        case color(String, width: Int, height: Int)
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .object:
                var members = try MemberReader(json)
                if json["url"] != nil {
                    self = .url(try members.require("url"))
                } else if json["key"] != nil {
                    self = .key(try members.require("key"))
                } else if json["color"] != nil, json["width"] != nil, json["height"] != nil {
                    self = .color(try members.require("color"), width: try members.require("width"), height: try members.require("height"))
                } else {
                    self = .other(json)
                }
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .url(let url):
                JSON(["url": url], withSecrets: withSecrets)
            case .key(let key):
                JSON(["key": key], withSecrets: withSecrets)
            case .color(let color, let width, let height):
                JSON(["color": color, "width": width, "height": height], withSecrets: withSecrets)
            case .other(let json): json
            }
        }
    }

    /// Whether `preview` events come, see Previews.
    /// `mode`: plain (default), or blur, which shrinks as more arrives (not for baseline jpeg).
    /// `interval`: at least 0.05 to 3600 seconds between two, default 0.2.
    /// `width`: 16 to 1280 pixels, default 320.
    /// A shared download uses the options of its first request.
    public enum Previews: Alternatives, ExpressibleByBooleanLiteral {
        case boolean(Bool)
        /// `mode`: plain: the picture as it is; blur: a blur that shrinks as more arrives, for progressive JPEG and interlaced PNG.
        /// Default: `"plain"`.
        /// `interval`: The fewest seconds between two previews. 0.05 to 3600.
        /// Default: `0.2`.
        /// `width`: The width in pixels; a narrower picture is not enlarged. 16 to 1280.
        /// Default: `320`.
        case pace(mode: PreviewStyle? = nil, interval: Double? = nil, width: Int? = nil)
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .bool: self = .boolean(try Bool(json: json))
            case .object:
                var members = try MemberReader(json)
                self = .pace(mode: try members.read("mode"), interval: try members.read("interval"), width: try members.read("width"))
            default: self = .of(word: json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .boolean(let value): value.json(withSecrets: withSecrets)
            case .pace(let mode, let interval, let width):
                JSON(["mode": mode, "interval": interval, "width": width], withSecrets: withSecrets)
            case .other(let json): json
            }
        }

        public init(booleanLiteral value: Bool) { self = .boolean(value) }
    }
}

// MARK: - JSON

extension ImageOperation.Resize {
    public static var tag: Members { ["op": "resize"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            members.read("width"), members.read("height"), minWidth: members.read("minWidth"), minHeight: members.read("minHeight"),
            dpr: members.read("dpr"), scale: members.read("scale"), density: members.read("density"), fit: members.read("fit"),
            gravity: members.read("gravity"), enlarge: members.read("enlarge"), background: members.read("background"), kernel: members.read("kernel"),
            linear: members.read("linear")
        )
    }
    public var members: Members { [
        "width": width, "height": height, "minWidth": minWidth, "minHeight": minHeight, "dpr": dpr, "scale": scale, "density": density, "fit": fit,
        "gravity": gravity, "enlarge": enlarge, "background": background, "kernel": kernel, "linear": linear
    ] }
}

extension ImageOperation.Crop {
    public static var tag: Members { ["op": "crop"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            x: members.read("x"), y: members.read("y"), width: members.read("width"), height: members.read("height"), unit: members.read("unit"),
            gravity: members.read("gravity")
        )
    }
    public var members: Members { ["x": x, "y": y, "width": width, "height": height, "unit": unit, "gravity": gravity] }
}

extension ImageOperation.Trim {
    public static var tag: Members { ["op": "trim"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            threshold: members.read("threshold"), color: members.read("color"), margin: members.read("margin"), symmetric: members.read("symmetric")
        )
    }
    public var members: Members { ["threshold": threshold, "color": color, "margin": margin, "symmetric": symmetric] }
}

extension ImageOperation.Extend {
    public static var tag: Members { ["op": "extend"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            top: members.read("top"), right: members.read("right"), bottom: members.read("bottom"), left: members.read("left"), color: members.read("color")
        )
    }
    public var members: Members { ["top": top, "right": right, "bottom": bottom, "left": left, "color": color] }
}

extension ImageOperation.Inset {
    public static var tag: Members { ["op": "inset"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            top: members.read("top"), right: members.read("right"), bottom: members.read("bottom"), left: members.read("left"), color: members.read("color")
        )
    }
    public var members: Members { ["top": top, "right": right, "bottom": bottom, "left": left, "color": color] }
}

extension ImageOperation.Pad {
    public static var tag: Members { ["op": "pad"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            members.read("width"), members.read("height"), aspect: members.read("aspect"), gravity: members.read("gravity"), color: members.read("color")
        )
    }
    public var members: Members { ["width": width, "height": height, "aspect": aspect, "gravity": gravity, "color": color] }
}

extension ImageOperation.Rotate {
    public static var tag: Members { ["op": "rotate"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(members.require("angle"), expand: members.read("expand"), background: members.read("background"))
    }
    public var members: Members { ["angle": angle, "expand": expand, "background": background] }
}

extension ImageOperation.Flip {
    public static var tag: Members { ["op": "flip"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(horizontal: members.read("horizontal"), vertical: members.read("vertical")) }
    public var members: Members { ["horizontal": horizontal, "vertical": vertical] }
}

extension ImageOperation.RoundCorners {
    public static var tag: Members { ["op": "roundCorners"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(members.require("radius"), corners: members.read("corners"), border: members.read("border"))
    }
    public var members: Members { ["radius": radius, "corners": corners, "border": border] }
}

extension ImageOperation.Border {
    public static var tag: Members { ["op": "border"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(members.require("width"), color: members.read("color")) }
    public var members: Members { ["width": width, "color": color] }
}

extension ImageOperation.Mask {
    public static var tag: Members { ["op": "mask"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(shape: members.read("shape"), url: members.read("url")) }
    public var members: Members { ["shape": shape, "url": url] }
}

extension ImageOperation.Composite {
    public static var tag: Members { ["op": "composite"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            members.require("url"), gravity: members.read("gravity"), x: members.read("x"), y: members.read("y"), blend: members.read("blend"),
            opacity: members.read("opacity"), tile: members.read("tile"), scale: members.read("scale")
        )
    }
    public var members: Members { ["url": url, "gravity": gravity, "x": x, "y": y, "blend": blend, "opacity": opacity, "tile": tile, "scale": scale] }
}

extension ImageOperation.Text {
    public static var tag: Members { ["op": "text"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            members.require("text"), font: members.read("font"), size: members.read("size"), bold: members.read("bold"), italic: members.read("italic"),
            color: members.read("color"), gravity: members.read("gravity"), x: members.read("x"), y: members.read("y"), opacity: members.read("opacity"),
            width: members.read("width"), align: members.read("align"), valign: members.read("valign"), spacing: members.read("spacing"),
            background: members.read("background"), padding: members.read("padding"), angle: members.read("angle"), tile: members.read("tile")
        )
    }
    public var members: Members { [
        "text": text, "font": font, "size": size, "bold": bold, "italic": italic, "color": color, "gravity": gravity, "x": x, "y": y, "opacity": opacity,
        "width": width, "align": align, "valign": valign, "spacing": spacing, "background": background, "padding": padding, "angle": angle, "tile": tile
    ] }
}

extension ImageOperation.Background {
    public static var tag: Members { ["op": "background"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(color: members.read("color")) }
    public var members: Members { ["color": color] }
}

extension ImageOperation.Blur {
    public static var tag: Members { ["op": "blur"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            sigma: members.read("sigma"), radius: members.read("radius"), saturation: members.read("saturation"), tint: members.read("tint"),
            blend: members.read("blend"), mask: members.read("mask"), preset: members.read("preset")
        )
    }
    public var members: Members { [
        "sigma": sigma, "radius": radius, "saturation": saturation, "tint": tint, "blend": blend, "mask": mask, "preset": preset
    ] }
}

extension ImageOperation.Sharpen {
    public static var tag: Members { ["op": "sharpen"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(sigma: members.read("sigma"), amount: members.read("amount")) }
    public var members: Members { ["sigma": sigma, "amount": amount] }
}

extension ImageOperation.Pixelate {
    public static var tag: Members { ["op": "pixelate"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(size: members.read("size")) }
    public var members: Members { ["size": size] }
}

extension ImageOperation.Modulate {
    public static var tag: Members { ["op": "modulate"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            brightness: members.read("brightness"), contrast: members.read("contrast"), saturation: members.read("saturation"), hue: members.read("hue"),
            gamma: members.read("gamma")
        )
    }
    public var members: Members { ["brightness": brightness, "contrast": contrast, "saturation": saturation, "hue": hue, "gamma": gamma] }
}

extension ImageOperation.Grayscale {
    public static var tag: Members { ["op": "grayscale"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { self.init() }
    public var members: Members { [:] }
}

extension ImageOperation.Sepia {
    public static var tag: Members { ["op": "sepia"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(amount: members.read("amount")) }
    public var members: Members { ["amount": amount] }
}

extension ImageOperation.Invert {
    public static var tag: Members { ["op": "invert"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { self.init() }
    public var members: Members { [:] }
}

extension ImageOperation.Tint {
    public static var tag: Members { ["op": "tint"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(members.require("color"), blend: members.read("blend")) }
    public var members: Members { ["color": color, "blend": blend] }
}

extension ImageOperation.Duotone {
    public static var tag: Members { ["op": "duotone"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(shadow: members.read("shadow"), highlight: members.read("highlight"), amount: members.read("amount"))
    }
    public var members: Members { ["shadow": shadow, "highlight": highlight, "amount": amount] }
}

extension ImageOperation.Frames {
    public static var tag: Members { ["op": "frames"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(pick: members.read("pick"), first: members.read("first"), reverse: members.read("reverse"), speed: members.read("speed"))
    }
    public var members: Members { ["pick": pick, "first": first, "reverse": reverse, "speed": speed] }
}

extension ImageOperation.Animate {
    public static var tag: Members { ["op": "animate"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            urls: members.read("urls"), columns: members.read("columns"), rows: members.read("rows"), count: members.read("count"),
            delay: members.read("delay"), loop: members.read("loop"), fit: members.read("fit"), background: members.read("background")
        )
    }
    public var members: Members { [
        "urls": urls, "columns": columns, "rows": rows, "count": count, "delay": delay, "loop": loop, "fit": fit, "background": background
    ] }
}

extension ImageOperation.Autorotate {
    public static var tag: Members { ["op": "autorotate"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(enabled: members.read("enabled")) }
    public var members: Members { ["enabled": enabled] }
}

extension ImageOperation.CornerBorder {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(width: members.require("width"), color: members.read("color"), join: members.read("join"))
    }
    public var members: Members { ["width": width, "color": color, "join": join] }
}

extension ImageRequest.Timeouts {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(connect: members.read("connect"), idle: members.read("idle"), total: members.read("total"))
    }
    public var members: Members { ["connect": connect, "idle": idle, "total": total] }
}

extension ImageRequest.Redirects {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(max: members.read("max"), sameHost: members.read("sameHost")) }
    public var members: Members { ["max": max, "sameHost": sameHost] }
}

extension ImageRequest.TLS {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(pinnedPublicKeys: members.read("pinnedPublicKeys"), allowInvalid: members.read("allowInvalid"))
    }
    public var members: Members { ["pinnedPublicKeys": pinnedPublicKeys, "allowInvalid": allowInvalid] }
}

extension ImageRequest.Retry {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(attempts: members.read("attempts"), base: members.read("base"), max: members.read("max"), on: members.read("on"))
    }
    public var members: Members { ["attempts": attempts, "base": base, "max": max, "on": on] }
}

extension ImageRequest.Fetch {
    public static let secrets: Set = ["headers", "params", "body", "auth"]
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            method: members.read("method"), headers: members.read("headers"), params: members.read("params"), body: members.read("body"),
            base: members.read("base"), cdn: members.read("cdn"), auth: members.read("auth"), cookies: members.read("cookies"),
            timeouts: members.read("timeouts"), maxBytes: members.read("maxBytes"), redirects: members.read("redirects"), tls: members.read("tls"),
            acceptableStatus: members.read("acceptableStatus"), acceptableTypes: members.read("acceptableTypes"), jsonShape: members.read("jsonShape"),
            decrypt: members.read("decrypt"), retry: members.read("retry"), resume: members.read("resume")
        )
    }
    public var members: Members { [
        "method": method, "headers": headers, "params": params, "body": body, "base": base, "cdn": cdn, "auth": auth, "cookies": cookies,
        "timeouts": timeouts, "maxBytes": maxBytes, "redirects": redirects, "tls": tls, "acceptableStatus": acceptableStatus,
        "acceptableTypes": acceptableTypes, "jsonShape": jsonShape, "decrypt": decrypt, "retry": retry, "resume": resume
    ] }
}

extension ImageRequest.Cache {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            policy: members.read("policy"), read: members.read("read"), write: members.read("write"), ttl: members.read("ttl"),
            staleIfError: members.read("staleIfError"), staleWhileRevalidate: members.read("staleWhileRevalidate"), await: members.read("await"),
            pin: members.read("pin"), version: members.read("version"), scope: members.read("scope"), key: members.read("key"), tags: members.read("tags")
        )
    }
    public var members: Members { [
        "policy": policy, "read": read, "write": write, "ttl": ttl, "staleIfError": staleIfError, "staleWhileRevalidate": staleWhileRevalidate,
        "await": `await`, "pin": pin, "version": version, "scope": scope, "key": key, "tags": tags
    ] }
}

extension ImageRequest.Decode {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            frames: members.read("frames"), page: members.read("page"), failOn: members.read("failOn"), speed: members.read("speed"),
            limitBytes: members.read("limitBytes"), maxPixels: members.read("maxPixels"), maxFramePixels: members.read("maxFramePixels"),
            thumbnail: members.read("thumbnail")
        )
    }
    public var members: Members { [
        "frames": frames, "page": page, "failOn": failOn, "speed": speed, "limitBytes": limitBytes, "maxPixels": maxPixels,
        "maxFramePixels": maxFramePixels, "thumbnail": thumbnail
    ] }
}

extension ImageOutput.Qualities {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            jpeg: members.read("jpeg"), webp: members.read("webp"), avif: members.read("avif"), heif: members.read("heif"), jxl: members.read("jxl")
        )
    }
    public var members: Members { ["jpeg": jpeg, "webp": webp, "avif": avif, "heif": heif, "jxl": jxl] }
}

extension ImageOutput {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            members.read("format"), accept: members.read("accept"), keep: members.read("keep"), quality: members.read("quality"),
            qualities: members.read("qualities"), likeness: members.read("likeness"), lossless: members.read("lossless"), effort: members.read("effort"),
            progressive: members.read("progressive"), palette: members.read("palette"), animated: members.read("animated"),
            subsampling: members.read("subsampling"), bitDepth: members.read("bitDepth"), thumbnail: members.read("thumbnail"),
            maxBytes: members.read("maxBytes"), metadata: members.read("metadata"), icc: members.read("icc"), gainMap: members.read("gainMap"),
            hdr: members.read("hdr"), background: members.read("background")
        )
    }
    public var members: Members { [
        "format": format, "accept": accept, "keep": keep, "quality": quality, "qualities": qualities, "likeness": likeness, "lossless": lossless,
        "effort": effort, "progressive": progressive, "palette": palette, "animated": animated, "subsampling": subsampling, "bitDepth": bitDepth,
        "thumbnail": thumbnail, "maxBytes": maxBytes, "metadata": metadata, "icc": icc, "gainMap": gainMap, "hdr": hdr, "background": background
    ] }
}

extension Rendition {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(members.read("name"), transform: members.read("transform"), output: members.read("output"))
    }
    public var members: Members { ["name": name, "transform": transform, "output": output] }
}

extension ImageRequest.Callback {
    public static let secrets: Set = ["url", "secret"]
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(url: members.require("url"), secret: members.read("secret")) }
    public var members: Members { ["url": url, "secret": secret] }
}

extension ImageRequest.SampleRect {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(x: members.require("x"), y: members.require("y"), width: members.require("width"), height: members.require("height"))
    }
    public var members: Members { ["x": x, "y": y, "width": width, "height": height] }
}

extension ImageRequest.Samples {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(points: members.read("points"), rects: members.read("rects")) }
    public var members: Members { ["points": points, "rects": rects] }
}

extension ImageRequest.Require {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            animated: members.read("animated"), alpha: members.read("alpha"), minWidth: members.read("minWidth"), minHeight: members.read("minHeight")
        )
    }
    public var members: Members { ["animated": animated, "alpha": alpha, "minWidth": minWidth, "minHeight": minHeight] }
}

extension ImageRequest.SaveTo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(place: members.require("place"), name: members.read("name"), replace: members.read("replace"))
    }
    public var members: Members { ["place": place, "name": name, "replace": replace] }
}

extension ImageRequest {
    public static let secrets: Set = ["callback"]
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            members.read("url"), transform: members.read("transform"), output: members.read("output"), urls: members.read("urls"),
            receipt: members.read("receipt"), queue: members.read("queue"), priority: members.read("priority"), order: members.read("order"),
            deadline: members.read("deadline"), progress: members.read("progress"), hooks: members.read("hooks"), detached: members.read("detached"),
            durable: members.read("durable"), activity: members.read("activity"), callback: members.read("callback"), slot: members.read("slot"),
            blacklist: members.read("blacklist"), tag: members.read("tag"), userInfo: members.read("userInfo"), describe: members.read("describe"),
            samples: members.read("samples"), fetch: members.read("fetch"), cache: members.read("cache"), decode: members.read("decode"),
            fallback: members.read("fallback"), renditions: members.read("renditions"), require: members.read("require"),
            metadata: members.read("metadata"), saveTo: members.read("saveTo"), kind: members.read("as"), deliver: members.read("deliver"),
            progressive: members.read("progressive")
        )
    }
    public var members: Members { [
        "url": url, "urls": urls, "receipt": receipt, "queue": queue, "priority": priority, "order": order, "deadline": deadline, "progress": progress,
        "hooks": hooks, "detached": detached, "durable": durable, "activity": activity, "callback": callback, "slot": slot, "blacklist": blacklist,
        "tag": tag, "userInfo": userInfo, "describe": describe, "samples": samples, "fetch": fetch, "cache": cache, "decode": decode, "fallback": fallback,
        "renditions": renditions, "transform": transform, "output": output, "require": require, "metadata": metadata, "saveTo": saveTo, "as": kind,
        "deliver": deliver, "progressive": progressive
    ] }
}

extension SourceInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            url: members.require("url"), finalURL: members.require("finalURL"), bytes: members.require("bytes"), status: members.read("status"),
            format: members.read("format"), width: members.read("width"), height: members.read("height"), frames: members.read("frames"),
            hasAlpha: members.read("hasAlpha"), scale: members.read("scale"), orientation: members.read("orientation"), etag: members.read("etag"),
            lastModified: members.read("lastModified"), expiresAt: members.read("expiresAt"), sha256: members.read("sha256")
        )
    }
    public var members: Members { [
        "url": url, "finalURL": finalURL, "bytes": bytes, "status": status, "format": format, "width": width, "height": height, "frames": frames,
        "hasAlpha": hasAlpha, "scale": scale, "orientation": orientation, "etag": etag, "lastModified": lastModified, "expiresAt": expiresAt,
        "sha256": sha256
    ] }
}

extension SavedFile {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(place: members.require("place"), name: members.require("name"), bytes: members.read("bytes"), kept: members.read("kept"))
    }
    public var members: Members { ["place": place, "name": name, "bytes": bytes, "kept": kept] }
}

extension RenditionInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            name: members.read("name"), key: members.require("key"), url: members.require("url"), contentType: members.require("contentType"),
            bytes: members.require("bytes"), format: members.read("format"), width: members.read("width"), height: members.read("height"),
            frames: members.read("frames"), quality: members.read("quality"), sha256: members.read("sha256"), stored: members.read("stored"),
            expiresAt: members.read("expiresAt"), storedAt: members.read("storedAt"), version: members.read("version"), isPrivate: members.read("private"),
            noStore: members.read("noStore"), staleWhileRevalidate: members.read("staleWhileRevalidate"), staleIfError: members.read("staleIfError"),
            validated: members.read("validated"), applied: members.read("applied"), saved: members.read("saved"), metadata: members.read("metadata"),
            data: members.read("data")
        )
    }
    public var members: Members { [
        "name": name, "key": key, "url": url, "contentType": contentType, "bytes": bytes, "format": format, "width": width, "height": height,
        "frames": frames, "quality": quality, "sha256": sha256, "stored": stored, "expiresAt": expiresAt, "storedAt": storedAt, "version": version,
        "private": isPrivate, "noStore": noStore, "staleWhileRevalidate": staleWhileRevalidate, "staleIfError": staleIfError, "validated": validated,
        "applied": applied, "saved": saved, "metadata": metadata, "data": data
    ] }
}

extension Timings {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            queued: members.read("queued"), dns: members.read("dns"), connect: members.read("connect"), tls: members.read("tls"),
            firstByte: members.read("firstByte"), download: members.read("download"), decode: members.read("decode"), transform: members.read("transform"),
            encode: members.read("encode"), store: members.read("store"), total: members.read("total")
        )
    }
    public var members: Members { [
        "queued": queued, "dns": dns, "connect": connect, "tls": tls, "firstByte": firstByte, "download": download, "decode": decode,
        "transform": transform, "encode": encode, "store": store, "total": total
    ] }
}

extension Cause {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(name: members.require("name"), status: members.read("status")) }
    public var members: Members { ["name": name, "status": status] }
}

extension ImageResult {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            receipt: members.read("receipt"), from: members.require("from"), state: members.read("state"), source: members.require("source"),
            renditions: members.require("renditions"), notModified: members.read("notModified"), updated: members.read("updated"),
            traits: members.read("description"), attempts: members.read("attempts"), causes: members.read("causes"), worker: members.read("worker"),
            purged: members.read("purged"), metrics: members.read("metrics"), error: members.read("error"), document: members.read("json"),
            text: members.read("text"), tag: members.read("tag"), userInfo: members.read("userInfo")
        )
    }
    public var members: Members { [
        "receipt": receipt, "from": from, "state": state, "source": source, "renditions": renditions, "notModified": notModified, "updated": updated,
        "description": traits, "attempts": attempts, "causes": causes, "worker": worker, "purged": purged, "metrics": metrics, "error": error,
        "json": document, "text": text, "tag": tag, "userInfo": userInfo
    ] }
}

extension QueueLimits {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            maxConcurrent: members.require("maxConcurrent"), maxConcurrentPerHost: members.require("maxConcurrentPerHost"),
            hostLimits: members.require("hostLimits"), ruleLimits: members.require("ruleLimits"), rulePaces: members.require("rulePaces"),
            maxQueued: members.read("maxQueued")
        )
    }
    public var members: Members { [
        "maxConcurrent": maxConcurrent, "maxConcurrentPerHost": maxConcurrentPerHost, "hostLimits": hostLimits, "ruleLimits": ruleLimits,
        "rulePaces": rulePaces, "maxQueued": maxQueued
    ] }
}

extension QueueInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            name: members.require("name"), order: members.require("order"), paused: members.require("paused"), limits: members.require("limits"),
            queued: members.require("queued"), delayed: members.require("delayed"), running: members.require("running"), dead: members.require("dead"),
            oldestQueuedSeconds: members.read("oldestQueuedSeconds"), heldHosts: members.require("heldHosts"), workers: members.require("workers"),
            shards: members.read("shards")
        )
    }
    public var members: Members { [
        "name": name, "order": order, "paused": paused, "limits": limits, "queued": queued, "delayed": delayed, "running": running, "dead": dead,
        "oldestQueuedSeconds": oldestQueuedSeconds, "heldHosts": heldHosts, "workers": workers, "shards": shards
    ] }
}

extension ColorShare {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(color: members.require("color"), share: members.require("share")) }
    public var members: Members { ["color": color, "share": share] }
}

extension AnimationTimes {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(loop: members.require("loop"), delays: members.require("delays")) }
    public var members: Members { ["loop": loop, "delays": delays] }
}

extension ImageTraits {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            blurhash: members.read("blurhash"), thumbhash: members.read("thumbhash"), dominantColor: members.read("dominantColor"),
            averageColor: members.read("averageColor"), palette: members.read("palette"), phash: members.read("phash"), exif: members.read("exif"),
            animation: members.read("animation"), gainMap: members.read("gainMap"), hdr: members.read("hdr"), colors: members.read("colors")
        )
    }
    public var members: Members { [
        "blurhash": blurhash, "thumbhash": thumbhash, "dominantColor": dominantColor, "averageColor": averageColor, "palette": palette, "phash": phash,
        "exif": exif, "animation": animation, "gainMap": gainMap, "hdr": hdr, "colors": colors
    ] }
}

extension ReceiptInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            receipt: members.require("receipt"), state: members.require("state"), position: members.read("position"), durable: members.read("durable"),
            progress: members.read("progress"), attempts: members.read("attempts"), worker: members.read("worker"), result: members.read("result"),
            error: members.read("error")
        )
    }
    public var members: Members { [
        "receipt": receipt, "state": state, "position": position, "durable": durable, "progress": progress, "attempts": attempts, "worker": worker,
        "result": result, "error": error
    ] }
}

extension Cancellation {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(receipt: members.read("receipt"), cancelled: members.require("cancelled"), reason: members.read("reason"))
    }
    public var members: Members { ["receipt": receipt, "cancelled": cancelled, "reason": reason] }
}

extension Cancellations {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(cancelled: members.read("cancelled"), reason: members.read("reason"), results: members.read("results"))
    }
    public var members: Members { ["cancelled": cancelled, "reason": reason, "results": results] }
}

extension ProbeResult {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(source: members.require("source"), traits: members.require("description")) }
    public var members: Members { ["source": source, "description": traits] }
}

extension StartedGroup {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(group: members.require("group"), durable: members.read("durable")) }
    public var members: Members { ["group": group, "durable": durable] }
}

extension GroupEntry {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            index: members.require("index"), state: members.require("state"), receipt: members.read("receipt"), result: members.read("result"),
            error: members.read("error")
        )
    }
    public var members: Members { ["index": index, "state": state, "receipt": receipt, "result": result, "error": error] }
}

extension FailedItem {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(index: members.require("index"), error: members.require("error")) }
    public var members: Members { ["index": index, "error": error] }
}

extension GroupInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            group: members.require("group"), kind: members.require("kind"), state: members.require("state"), finished: members.require("finished"),
            total: members.require("total"), skipped: members.read("skipped"), origins: members.read("origins"), results: members.read("results"),
            failed: members.read("failed"), reason: members.read("reason"), next: members.read("next")
        )
    }
    public var members: Members { [
        "group": group, "kind": kind, "state": state, "finished": finished, "total": total, "skipped": skipped, "origins": origins, "results": results,
        "failed": failed, "reason": reason, "next": next
    ] }
}

extension DeadLetterInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            id: members.require("id"), url: members.require("url"), error: members.require("error"), attempts: members.require("attempts"),
            at: members.require("at"), retryable: members.require("retryable")
        )
    }
    public var members: Members { ["id": id, "url": url, "error": error, "attempts": attempts, "at": at, "retryable": retryable] }
}

extension DeadLetterPage {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(items: members.require("items"), cursor: members.read("cursor")) }
    public var members: Members { ["items": items, "cursor": cursor] }
}

extension BlacklistEntry {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            id: members.require("id"), queue: members.require("queue"), url: members.require("url"), cause: members.require("cause"),
            status: members.read("status"), refuses: members.require("refuses"), since: members.require("since"), until: members.require("until")
        )
    }
    public var members: Members { [
        "id": id, "queue": queue, "url": url, "cause": cause, "status": status, "refuses": refuses, "since": since, "until": until
    ] }
}

extension BlacklistPage {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(items: members.require("items"), cursor: members.read("cursor")) }
    public var members: Members { ["items": items, "cursor": cursor] }
}

extension PixelProcesses {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(processes: members.require("processes"), busy: members.require("busy"), waiting: members.require("waiting"))
    }
    public var members: Members { ["processes": processes, "busy": busy, "waiting": waiting] }
}

extension WorkerInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            id: members.require("id"), host: members.require("host"), slots: members.require("slots"), running: members.require("running"),
            rssBytes: members.read("rssBytes"), pixels: members.read("pixels"), seenSeconds: members.read("seenSeconds"), state: members.require("state"),
            missingQueues: members.read("missingQueues")
        )
    }
    public var members: Members { [
        "id": id, "host": host, "slots": slots, "running": running, "rssBytes": rssBytes, "pixels": pixels, "seenSeconds": seenSeconds, "state": state,
        "missingQueues": missingQueues
    ] }
}

extension QuietWorker {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(worker: members.require("worker"), quiet: members.require("quiet")) }
    public var members: Members { ["worker": worker, "quiet": quiet] }
}

extension Removal {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(removed: members.require("removed"), bytes: members.require("bytes")) }
    public var members: Members { ["removed": removed, "bytes": bytes] }
}

extension PutResult {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(key: members.require("key"), bytes: members.require("bytes")) }
    public var members: Members { ["key": key, "bytes": bytes] }
}

extension PurgeResult {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(results: members.require("results"), sources: members.require("sources"), fetches: members.require("fetches"))
    }
    public var members: Members { ["results": results, "sources": sources, "fetches": fetches] }
}

extension TierInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(count: members.require("count"), bytes: members.require("bytes"), capacity: members.read("capacity"))
    }
    public var members: Members { ["count": count, "bytes": bytes, "capacity": capacity] }
}

extension OperationInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(name: members.require("name"), summary: members.require("summary"), parameters: members.require("parameters"))
    }
    public var members: Members { ["name": name, "summary": summary, "parameters": parameters] }
}

extension FormatsInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            decode: members.require("decode"), encode: members.require("encode"), lossless: members.require("lossless"), fonts: members.require("fonts"),
            operations: members.require("operations")
        )
    }
    public var members: Members { ["decode": decode, "encode": encode, "lossless": lossless, "fonts": fonts, "operations": operations] }
}

extension ActivityInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(active: members.require("active"), running: members.require("running"), fleet: members.require("fleet"))
    }
    public var members: Members { ["active": active, "running": running, "fleet": fleet] }
}

extension RedisInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(address: members.require("address"), connected: members.require("connected"), connectedSeconds: members.read("connectedSeconds"))
    }
    public var members: Members { ["address": address, "connected": connected, "connectedSeconds": connectedSeconds] }
}

extension SystemInfo {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            version: members.read("version"), versions: members.read("versions"), coordinator: members.require("coordinator"),
            coordinators: members.require("coordinators"), uptime: members.require("uptime"), rpc: members.read("rpc"), http: members.require("http"),
            limits: members.require("limits"), redis: members.read("redis"), identity: members.require("identity"), state: members.require("state")
        )
    }
    public var members: Members { [
        "version": version, "versions": versions, "coordinator": coordinator, "coordinators": coordinators, "uptime": uptime, "rpc": rpc, "http": http,
        "limits": limits, "redis": redis, "identity": identity, "state": state
    ] }
}

extension Validity {
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(ok: members.require("ok"), violations: members.require("violations")) }
    public var members: Members { ["ok": ok, "violations": violations] }
}

extension ImageEvent.Facts {
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            receipt: members.require("receipt"), seq: members.require("seq"), at: members.require("at"), queue: members.require("queue"),
            traceparent: members.read("traceparent"), tag: members.read("tag"), userInfo: members.read("userInfo"), group: members.read("group"),
            requestId: members.read("requestId")
        )
    }
    public var members: Members { [
        "receipt": receipt, "seq": seq, "at": at, "queue": queue, "traceparent": traceparent, "tag": tag, "userInfo": userInfo, "group": group,
        "requestId": requestId
    ] }
}

extension ImageEvent.Queued {
    public static var tag: Members { ["type": "queued"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(facts: ImageEvent.Facts(&members), position: members.read("position")) }
    public var members: Members { ["position": position] }
}

extension ImageEvent.Started {
    public static var tag: Members { ["type": "started"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(facts: ImageEvent.Facts(&members), worker: members.read("worker"), attempt: members.require("attempt"))
    }
    public var members: Members { ["worker": worker, "attempt": attempt] }
}

extension ImageEvent.Response {
    public static var tag: Members { ["type": "response"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            facts: ImageEvent.Facts(&members), status: members.read("status"), headers: members.read("headers"),
            expectedBytes: members.read("expectedBytes")
        )
    }
    public var members: Members { ["status": status, "headers": headers, "expectedBytes": expectedBytes] }
}

extension ImageEvent.Progress {
    public static var tag: Members { ["type": "progress"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            facts: ImageEvent.Facts(&members), phase: members.require("phase"), fraction: members.read("fraction"),
            receivedBytes: members.read("receivedBytes"), expectedBytes: members.read("expectedBytes"), resumedFrom: members.read("resumedFrom"),
            sentBytes: members.read("sentBytes"), totalBytes: members.read("totalBytes")
        )
    }
    public var members: Members { [
        "phase": phase, "fraction": fraction, "receivedBytes": receivedBytes, "expectedBytes": expectedBytes, "resumedFrom": resumedFrom,
        "sentBytes": sentBytes, "totalBytes": totalBytes
    ] }
}

extension ImageEvent.Preview {
    public static var tag: Members { ["type": "preview"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(
            facts: ImageEvent.Facts(&members), rendition: members.read("rendition"), data: members.read("data"), key: members.read("key"),
            width: members.require("width"), height: members.require("height"), fraction: members.read("fraction")
        )
    }
    public var members: Members { ["rendition": rendition, "data": data, "key": key, "width": width, "height": height, "fraction": fraction] }
}

extension ImageEvent.Cached {
    public static var tag: Members { ["type": "cached"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(facts: ImageEvent.Facts(&members), result: members.require("result")) }
    public var members: Members { ["result": result] }
}

extension ImageEvent.Rendered {
    public static var tag: Members { ["type": "rendition"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(facts: ImageEvent.Facts(&members), rendition: RenditionInfo(&members)) }
    public var members: Members { rendition.members }
}

extension ImageEvent.Retrying {
    public static var tag: Members { ["type": "retrying"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(facts: ImageEvent.Facts(&members), attempt: members.read("attempt"), delay: members.read("delay"), error: members.read("error"))
    }
    public var members: Members { ["attempt": attempt, "delay": delay, "error": error] }
}

extension ImageEvent.Paused {
    public static var tag: Members { ["type": "paused"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(facts: ImageEvent.Facts(&members)) }
    public var members: Members { [:] }
}

extension ImageEvent.Resumed {
    public static var tag: Members { ["type": "resumed"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(facts: ImageEvent.Facts(&members)) }
    public var members: Members { [:] }
}

extension ImageEvent.Succeeded {
    public static var tag: Members { ["type": "succeeded"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(facts: ImageEvent.Facts(&members), result: members.require("result")) }
    public var members: Members { ["result": result] }
}

extension ImageEvent.Failed {
    public static var tag: Members { ["type": "failed"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) { try self.init(facts: ImageEvent.Facts(&members), error: members.require("error")) }
    public var members: Members { ["error": error] }
}

extension ImageEvent.Cancelled {
    public static var tag: Members { ["type": "cancelled"] }
    public init(_ members: inout MemberReader) throws(AnswerFault) {
        try self.init(facts: ImageEvent.Facts(&members), reason: members.read("reason"), phase: members.read("phase"))
    }
    public var members: Members { ["reason": reason, "phase": phase] }
}

// MARK: - Methods

/// Every method of the service, with its parameters and its result.
public struct ServiceMethods: Sendable {
    private let caller: any MethodCaller

    /// - Parameter caller: the connection that carries the calls.
    public init(_ caller: any MethodCaller) { self.caller = caller }

    /// Loads an image and answers when the image is there. With `progress`, events arrive before the answer.
    ///
    /// - Returns: The result of a request.
    /// - Throws: ``TintypeError``.
    public func imageLoad(_ request: ImageRequest) async throws(TintypeError) -> ImageResult {
        return try await caller.call("image.load", request: request)
    }

    /// Queues an image and answers at once; the end comes as a terminal `image.event`.
    ///
    /// - Returns: The state of a receipt, and its end.
    /// - Throws: ``TintypeError``.
    public func imageSubmit(_ request: ImageRequest) async throws(TintypeError) -> ReceiptInfo {
        return try await caller.call("image.submit", request: request)
    }

    /// Describes a source. Reads no more of the body than the description needs.
    ///
    /// - Returns: A source, without a result.
    /// - Throws: ``TintypeError``.
    public func imageProbe(_ request: ImageRequest) async throws(TintypeError) -> ProbeResult {
        return try await caller.call("image.probe", request: request)
    }

    /// Shows what `image.load` would do, and whether the client, a rule or a default decides. Sends and queues nothing, and shows no secret.
    ///
    /// - Returns: `{urls: [{url, rules?, inKeys?, access?: {value, by}}], headers: [{name, by}], omittedHeaders: [{name, by}], ttl?: {min?, max?, by},
    ///   response?: {by}, tlsProfile?: {value, by}, options: [{name, value?, by}], source, renditions: [{name, key}], queue, priority}`.
    ///   `url` is the URL as requested, `rules` apply to it, and `inKeys` stands for it in keys.
    ///   `by` is request, default, or the place of a rule in its file.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func requestExplain(_ request: ImageRequest) async throws(TintypeError) -> JSON {
        return try await caller.call("request.explain", request: request)
    }

    /// Lists the formats that all workers decode, encode, and encode without loss, the fonts, and the operations with their parameters.
    ///
    /// - Returns: The formats, fonts and operations of all workers.
    /// - Throws: ``TintypeError``.
    public func formatsList() async throws(TintypeError) -> FormatsInfo {
        return try await caller.call("formats.list")
    }

    /// Shows the state of a receipt. This connection gets the end from now on, and owns the receipt if its clients have gone.
    ///
    /// - Parameter receipt: The receipt's id.
    /// - Parameter wait: Seconds to wait for the end. 0 to 3600. Default: `0`.
    /// - Returns: The state of a receipt, and its end.
    /// - Throws: ``TintypeError``.
    public func receiptGet(receipt: String, wait: Double? = nil) async throws(TintypeError) -> ReceiptInfo {
        return try await caller.call("receipt.get", ["receipt": receipt, "wait": wait])
    }

    /// Cancels a receipt. The fetch goes on while other receipts want it. A repeated call is harmless.
    ///
    /// - Parameter receipt: One receipt's id.
    /// - Parameter receipts: Several ids, instead of `receipt`.
    /// - Returns: The answer for one receipt, or for many.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func receiptCancel(receipt: String? = nil, receipts: [String]? = nil) async throws(TintypeError) -> Cancellations {
        return try await caller.call("receipt.cancel", ["receipt": receipt, "receipts": receipts])
    }

    /// Pauses a receipt until it is resumed.
    /// Its download stops if no other receipt wants it, and the bytes are kept as of a broken download.
    /// A shared download continues, and the paused receipt gets no progress. A paused receipt holds no place in its queue, and its deadline goes on.
    /// A source that is loaded already is made, and the receipt ends. A repeated call is harmless.
    ///
    /// - Parameter receipt: The receipt's id.
    /// - Returns: Where the request is.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func receiptPause(receipt: String) async throws(TintypeError) -> ReceiptState {
        return try await caller.call("receipt.pause", ["receipt": receipt], member: "state")
    }

    /// Resumes a paused receipt at its old place. A repeated call is harmless.
    ///
    /// - Parameter receipt: The receipt's id.
    /// - Returns: Where the request is.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func receiptResume(receipt: String) async throws(TintypeError) -> ReceiptState {
        return try await caller.call("receipt.resume", ["receipt": receipt], member: "state")
    }

    /// Changes the priority of a receipt. Its fetch gets the highest priority among its live receipts.
    ///
    /// - Parameter receipt: The receipt's id.
    /// - Parameter priority: The new priority.
    /// - Returns: The priority of its fetch.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func receiptSetPriority(receipt: String, priority: ImageRequest.Priority) async throws(TintypeError) -> Int {
        return try await caller.call("receipt.setPriority", ["receipt": receipt, "priority": priority], member: "priority")
    }

    /// Loads images into the caches.
    /// A failed item does not stop the group. The group ends with `{finished, skipped, errors: [{index, error}]}`.
    /// `skipped` counts failed and cancelled items. `errors` has at most 4 MiB; from the item `next` on, `group.get` has the others.
    ///
    /// - Parameter urls: The URLs to load. Either `urls` or `items`.
    /// - Parameter items: ImageRequests to load.
    /// - Parameter concurrency: How many items run at once. 1 to 1000. Default: `3`.
    /// - Parameter priority: The priority of items that name none. Default: `"low"`.
    /// - Parameter durable: See Durable.
    /// - Parameter hooks: Whether this connection gets `group.hook`. Default: `false`.
    /// - Returns: A group that was started.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func prefetchStart(
        urls: [String]? = nil, items: [ImageRequest]? = nil, concurrency: Int? = nil, priority: ImageRequest.Priority? = nil, durable: Bool? = nil,
        hooks: Bool? = nil
    ) async throws(TintypeError) -> StartedGroup {
        return try await caller.call("prefetch.start", [
            "urls": urls, "items": items, "concurrency": concurrency, "priority": priority, "durable": durable, "hooks": hooks
        ])
    }

    /// Loads many images as one group, with results in the order of the items.
    /// With failFast, the first failure cancels the other items and fails the group.
    /// With settleAll, the group succeeds when all items have ended, failed ones too.
    ///
    /// - Parameter items: ImageRequests to load.
    /// - Parameter mode: How the group treats a failed item. Default: `"failFast"`.
    /// - Parameter concurrency: How many items run at once. 1 to 1000. Default: `64`.
    /// - Parameter durable: See Durable.
    /// - Parameter hooks: Whether this connection gets `group.hook`. Default: `false`.
    /// - Returns: A group that was started.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func batchStart(
        items: [ImageRequest], mode: BatchMode? = nil, concurrency: Int? = nil, durable: Bool? = nil, hooks: Bool? = nil
    ) async throws(TintypeError) -> StartedGroup {
        return try await caller.call("batch.start", ["items": items, "mode": mode, "concurrency": concurrency, "durable": durable, "hooks": hooks])
    }

    /// Loads images one after the other: a step starts after the step before has succeeded.
    /// In any text of a step, `${steps[n].source.finalURL}` stands for that member of the ImageResult of step n, counted from 0.
    /// A text that is only a reference becomes the value itself, with its type. Members that `group.get` leaves out cannot be referenced.
    /// A step fails if a reference does not resolve, or makes it larger than 4 MiB or deeper than 64 levels.
    ///
    /// - Parameter steps: ImageRequests, in order.
    /// - Parameter durable: See Durable.
    /// - Parameter hooks: Whether this connection gets `group.hook`. Default: `false`.
    /// - Returns: A group that was started.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func chainStart(steps: [ImageRequest], durable: Bool? = nil, hooks: Bool? = nil) async throws(TintypeError) -> StartedGroup {
        return try await caller.call("chain.start", ["steps": steps, "durable": durable, "hooks": hooks])
    }

    /// Adds steps to a chain that has not ended.
    ///
    /// - Parameter group: The group's id.
    /// - Parameter steps: ImageRequests with references.
    /// - Parameter durable: See Durable.
    /// - Returns: A group that was started.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func chainAppend(group: String, steps: [ImageRequest], durable: Bool? = nil) async throws(TintypeError) -> StartedGroup {
        return try await caller.call("chain.append", ["group": group, "steps": steps, "durable": durable])
    }

    /// Shows the state of a group and the results so far, for 24 hours after its end.
    /// `origins` counts results by their `from`. One answer has about 4 MiB of items and 8 MiB of inline data.
    /// If that, or `limit`, leaves items out, `next` is the `from` of the next call. `receipt.get` of an item has the members left out here.
    /// Errors come without `headers` and `body`.
    /// Results come without a `json` or `text` of more than 64 KiB, and without any of these or `userInfo` beyond 8 MiB in all.
    ///
    /// - Parameter group: The group's id.
    /// - Parameter wait: Seconds to wait for the end. 0 to 3600. Default: `0`.
    /// - Parameter from: The first item in the answer. 0 to 10000. Default: `0`.
    /// - Parameter limit: The most items in the answer. 1 to 10000.
    /// - Returns: The state of a group, and its results so far.
    /// - Throws: ``TintypeError``.
    public func groupGet(group: String, wait: Double? = nil, from: Int? = nil, limit: Int? = nil) async throws(TintypeError) -> GroupInfo {
        return try await caller.call("group.get", ["group": group, "wait": wait, "from": from, "limit": limit])
    }

    /// Ends a group as cancelled and cancels its receipts. Fetches that other receipts want go on. A repeated call answers the same.
    ///
    /// - Parameter group: The group's id.
    /// - Returns: Whether something was cancelled.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func groupCancel(group: String) async throws(TintypeError) -> Cancellation {
        return try await caller.call("group.cancel", ["group": group])
    }

    /// Shows all queues.
    ///
    /// - Returns: A list. Each: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func queueList() async throws(TintypeError) -> [QueueInfo] {
        return try await caller.call("queue.list")
    }

    /// Shows one queue.
    ///
    /// - Parameter queue: The queue's name.
    /// - Returns: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func queueGet(queue: String) async throws(TintypeError) -> QueueInfo {
        return try await caller.call("queue.get", ["queue": queue])
    }

    /// Changes a queue, or creates it.
    /// Takes effect at the next claim, everywhere. There are at most 1,000 queues.
    /// At the limit, old ones without content, settings and workers are removed: configured over an hour ago, and not used for 49 hours or never.
    ///
    /// - Parameter queue: The queue's name.
    /// - Parameter order: The order of requests that name none, waiting ones too.
    /// - Parameter maxConcurrent: The most running fetches. Default: 64. 1 to 100000.
    /// - Parameter maxConcurrentPerHost: The most running fetches of one host.
    ///   Default: 6. A fetch counts for its first URL whose host is not throttled, not for later mirrors and redirects. 1 to 100000.
    /// - Parameter hostLimits: `maxConcurrentPerHost` for single hosts, without port. Replaces the whole map and wins over limits of rules.
    /// - Parameter maxQueued: The most waiting fetches; further ones are `overloaded`. Default: --max-queued. 1 to 10000000.
    /// - Parameter shards: The number of its shards, given once. Default: 1. 1 to 64.
    /// - Returns: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func queueConfigure(
        queue: String, order: ImageRequest.Order? = nil, maxConcurrent: Int? = nil, maxConcurrentPerHost: Int? = nil, hostLimits: [String: Int]? = nil,
        maxQueued: Int? = nil, shards: Int? = nil
    ) async throws(TintypeError) -> QueueInfo {
        return try await caller.call("queue.configure", [
            "queue": queue, "order": order, "maxConcurrent": maxConcurrent, "maxConcurrentPerHost": maxConcurrentPerHost, "hostLimits": hostLimits,
            "maxQueued": maxQueued, "shards": shards
        ])
    }

    /// Pauses a queue: no new claims; running fetches go on.
    ///
    /// - Parameter queue: The queue's name.
    /// - Returns: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func queuePause(queue: String) async throws(TintypeError) -> QueueInfo {
        return try await caller.call("queue.pause", ["queue": queue])
    }

    /// Ends the pause of a queue.
    ///
    /// - Parameter queue: The queue's name.
    /// - Returns: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func queueResume(queue: String) async throws(TintypeError) -> QueueInfo {
        return try await caller.call("queue.resume", ["queue": queue])
    }

    /// Cancels every receipt of a queue and stops running fetches.
    ///
    /// - Parameter queue: The queue's name.
    /// - Returns: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func queueCancelAll(queue: String) async throws(TintypeError) -> QueueInfo {
        return try await caller.call("queue.cancelAll", ["queue": queue])
    }

    /// Lists the dead letters of a queue, newest first: fetches without attempts left, and fetches that killed two workers. Kept for a week.
    ///
    /// - Parameter queue: The queue's name.
    /// - Parameter limit: The most entries in one answer. 1 to 1000. Default: `100`.
    /// - Parameter cursor: Where the answer before has stopped.
    /// - Returns: Some dead letters, newest first.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func deadList(queue: String, limit: Int? = nil, cursor: String? = nil) async throws(TintypeError) -> DeadLetterPage {
        return try await caller.call("dead.list", ["queue": queue, "limit": limit, "cursor": cursor])
    }

    /// Queues dead letters again, each under the receipt `retry-ID`, and removes them from the list.
    /// Those that are not `retryable` stay: only their URL is kept.
    /// Their fetch had more than 64 KiB, credentials, a body, a signed URL, or a header other than Accept, Accept-Language and User-Agent.
    ///
    /// - Parameter queue: The queue's name.
    /// - Parameter ids: Ids of dead letters.
    /// - Returns: How many.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func deadRetry(queue: String, ids: [String]) async throws(TintypeError) -> Int {
        return try await caller.call("dead.retry", ["queue": queue, "ids": ids], member: "retried")
    }

    /// Removes dead letters.
    ///
    /// - Parameter queue: The queue's name.
    /// - Parameter ids: Ids of dead letters.
    /// - Returns: How many.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func deadRemove(queue: String, ids: [String]) async throws(TintypeError) -> Int {
        return try await caller.call("dead.remove", ["queue": queue, "ids": ids], member: "removed")
    }

    /// Lists the workers with a recent heartbeat. `missingQueues` names queues that a worker serves and that do not exist.
    ///
    /// - Returns: A list. Each: A worker with a recent heartbeat.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func workersList() async throws(TintypeError) -> [WorkerInfo] {
        return try await caller.call("workers.list")
    }

    /// Makes a worker claim nothing new; its running fetches go on.
    ///
    /// - Parameter worker: The id of the worker, from `workers.list`.
    /// - Parameter quiet: false: the worker claims again. Default: `true`.
    /// - Returns: Whether a worker claims.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func workersQuiet(worker: String, quiet: Bool? = nil) async throws(TintypeError) -> QuietWorker {
        return try await caller.call("workers.quiet", ["worker": worker, "quiet": quiet])
    }

    /// Lists the tiers that have an image, or all renditions of a request; the tier sources, if it has the source.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Parameter tier: One tier. Default: all tiers.
    /// - Returns: The tiers that have all of it.
    /// - Throws: ``TintypeError``.
    public func cacheContains(key: String? = nil, request: ImageRequest? = nil, tier: CacheTier? = nil) async throws(TintypeError) -> [CacheTier] {
        return try await caller.call("cache.contains", ["key": key, "request": request, "tier": tier], member: "tiers")
    }

    /// Reads an image from the cache; never makes or fetches one. A miss gives its `reason`.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Parameter tier: One tier. Default: memory, then results.
    /// - Returns: The result of a request.
    /// - Throws: ``TintypeError``.
    public func cacheGet(key: String? = nil, request: ImageRequest? = nil, tier: CacheTier? = nil) async throws(TintypeError) -> ImageResult {
        return try await caller.call("cache.get", ["key": key, "request": request, "tier": tier])
    }

    /// Stores your bytes as the one rendition of a request, as if the service had made them.
    /// The picture's header gives format, size and frames. The tier sources refuses a request with `fetch.decrypt`.
    /// For more than 8 MiB, use `PUT /images/{key}` with `tier`, `ttl` and `queue` in the query, and metadata in headers `Tintype-Meta-…`.
    ///
    /// - Parameter data: The bytes in base64.
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Parameter tier: One tier. Default: memory and results.
    /// - Parameter ttl: Seconds to keep the bytes. Default: one hour; 0 or negative: not kept. -1 to 31536000.
    /// - Returns: An image that was stored.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cachePut(
        data: String, key: String? = nil, request: ImageRequest? = nil, tier: CacheTier? = nil, ttl: Double? = nil
    ) async throws(TintypeError) -> PutResult {
        return try await caller.call("cache.put", ["data": data, "key": key, "request": request, "tier": tier, "ttl": ttl])
    }

    /// Replaces the metadata of stored results; without `metadata`, removes it. Stops at the first missing rendition; those before are changed.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Returns: How many.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cacheSetMetadata(key: String? = nil, request: ImageRequest? = nil) async throws(TintypeError) -> Int {
        return try await caller.call("cache.setMetadata", ["key": key, "request": request], member: "changed")
    }

    /// Removes an image, or all renditions of a request and its source, from the tiers and the memory of all coordinators.
    /// Results of other requests for the same URL stay until they expire.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Parameter tier: One tier. Default: all tiers.
    /// - Returns: The files that were removed.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cacheRemove(key: String? = nil, request: ImageRequest? = nil, tier: CacheTier? = nil) async throws(TintypeError) -> Removal {
        return try await caller.call("cache.remove", ["key": key, "request": request, "tier": tier])
    }

    /// Removes everything from a URL, from URLs with a prefix, or with a tag, in all queues and stores.
    /// Give exactly one. Nothing keeps the results of runs under way. A token with a scope purges only its own tags.
    ///
    /// - Parameter url: A source's URL, without signature.
    /// - Parameter prefix: The beginning of URLs, the slash behind the host included. No character is special.
    /// - Parameter tag: A tag of `cache.tags`.
    /// - Parameter scope: The scope of `tag`.
    /// - Returns: The numbers of what a purge hit.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cachePurge(url: String? = nil, prefix: String? = nil, tag: String? = nil, scope: String? = nil) async throws(TintypeError) -> PurgeResult {
        return try await caller.call("cache.purge", ["url": url, "prefix": prefix, "tag": tag, "scope": scope])
    }

    /// Pins results: until they expire, a folder store does not remove them for its limits.
    /// It keeps at most maxPinned bytes of them (in its URL), the most recently read first. Other stores remove none early.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Returns: How many the store has.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cachePin(key: String? = nil, request: ImageRequest? = nil) async throws(TintypeError) -> Int {
        return try await caller.call("cache.pin", ["key": key, "request": request], member: "pinned")
    }

    /// Unpins results.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Returns: How many the store has.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cacheUnpin(key: String? = nil, request: ImageRequest? = nil) async throws(TintypeError) -> Int {
        return try await caller.call("cache.unpin", ["key": key, "request": request], member: "unpinned")
    }

    /// Removes expired entries and entries above the limits, as each tier does by itself.
    ///
    /// - Parameter tier: One tier. Default: all tiers.
    /// - Returns: The files that were removed.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func cacheTrim(tier: CacheTier? = nil) async throws(TintypeError) -> Removal {
        return try await caller.call("cache.trim", ["tier": tier])
    }

    /// Empties one tier or all, and the memory of all coordinators.
    ///
    /// - Parameter tier: One tier. Default: all tiers.
    /// - Returns: The files that were removed.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func cacheClear(tier: CacheTier? = nil) async throws(TintypeError) -> Removal {
        return try await caller.call("cache.clear", ["tier": tier])
    }

    /// Shows each tier's size. Results kept only for their URL do not count; in a bucket they do until `cache.trim`.
    ///
    /// - Parameter tier: One tier. Default: all tiers.
    /// - Parameter maxAge: Seconds for which an earlier count will do. 0 to 86400. Default: `0`.
    /// - Returns: By name: The size of a tier.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func cacheStats(tier: CacheTier? = nil, maxAge: Double? = nil) async throws(TintypeError) -> [String: TierInfo] {
        return try await caller.call("cache.stats", ["tier": tier, "maxAge": maxAge])
    }

    /// Lists the blacklisted sources, those with the latest `until` first.
    ///
    /// - Parameter queue: One queue. Default: all queues.
    /// - Parameter limit: The most entries in one answer. 1 to 1000. Default: `100`.
    /// - Parameter cursor: Where the answer before has stopped.
    /// - Returns: Some entries of the blacklist.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func blacklistList(queue: String? = nil, limit: Int? = nil, cursor: String? = nil) async throws(TintypeError) -> BlacklistPage {
        return try await caller.call("blacklist.list", ["queue": queue, "limit": limit, "cursor": cursor])
    }

    /// Removes sources from the blacklist, by id or by ImageRequest. Only `url`, `urls`, `fetch`, `cache.scope` and `queue` of the request count.
    ///
    /// - Parameter id: The id of an entry.
    /// - Parameter ids: Several ids, instead of `id`.
    /// - Returns: How many.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func blacklistRemove(_ request: ImageRequest? = nil, id: String? = nil, ids: [String]? = nil) async throws(TintypeError) -> Int {
        return try await caller.call("blacklist.remove", request: request, ["id": id, "ids": ids], member: "removed")
    }

    /// Empties the blacklist.
    ///
    /// - Parameter queue: One queue. Default: all queues.
    /// - Returns: How many.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func blacklistClear(queue: String? = nil) async throws(TintypeError) -> Int {
        return try await caller.call("blacklist.clear", ["queue": queue], member: "removed")
    }

    /// Sends events of other clients to this connection: `image.event`, `group.event`, `workers.changed` and `activity.changed`.
    ///
    /// - Parameter receipts: All events of these receipts.
    /// - Parameter groups: All events of these groups.
    /// - Parameter queue: The terminal events of this queue's receipts.
    /// - Parameter workers: Whether to report workers whose state changes. Default: `false`.
    /// - Parameter activity: Whether to report changes of `active`, see `activity.get`. Default: `false`.
    /// - Returns: The subscription's id.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func eventsSubscribe(
        receipts: [String]? = nil, groups: [String]? = nil, queue: String? = nil, workers: Bool? = nil, activity: Bool? = nil
    ) async throws(TintypeError) -> String {
        return try await caller.call("events.subscribe", [
            "receipts": receipts, "groups": groups, "queue": queue, "workers": workers, "activity": activity
        ], member: "subscription")
    }

    /// Ends a subscription of this connection.
    ///
    /// - Parameter subscription: The id from `events.subscribe`.
    /// - Returns: Whether there was such a subscription.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func eventsUnsubscribe(subscription: String) async throws(TintypeError) -> Bool {
        return try await caller.call("events.unsubscribe", ["subscription": subscription], member: "removed")
    }

    /// Shows whether this coordinator has work, for an activity indicator.
    /// `running` counts accepted receipts that have not ended and still have a client, and work from `activity.begin`.
    /// Answers from a cache, requests with `activity: false` and the contents of paused queues (noticed after at most 2 s) do not count.
    /// `fleet` is this number for all coordinators, up to 4 s old for the others; a stopped one counts until its lease ends.
    /// By default, `active` becomes true 1 s after the first work, if there is work then, and false 0.17 s after the last.
    /// `activity.changed` reports each change once.
    ///
    /// - Returns: Whether something is under way.
    /// - Throws: ``TintypeError``.
    public func activityGet() async throws(TintypeError) -> ActivityInfo {
        return try await caller.call("activity.get")
    }

    /// Counts the client's own work as work of this coordinator, until `activity.end` or the end of the connection: at most 100 at once.
    ///
    /// - Returns: The id for `activity.end`.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func activityBegin() async throws(TintypeError) -> String {
        return try await caller.call("activity.begin", member: "activity")
    }

    /// Ends work that this connection began with `activity.begin`.
    ///
    /// - Parameter activity: The id from `activity.begin`.
    /// - Returns: Whether there was such work.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func activityEnd(activity: String) async throws(TintypeError) -> Bool {
        return try await caller.call("activity.end", ["activity": activity], member: "ended")
    }

    /// Answers at once, without asking Redis.
    ///
    /// - Returns: `"pong"`.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func systemPing() async throws(TintypeError) -> JSON {
        return try await caller.call("system.ping")
    }

    /// Shows uptime and limits of this coordinator, and the client that asks.
    /// `coordinators` is the number of live ones. Only an admin sees `version`, `versions`, `rpc`, `redis` and the host of `http`.
    /// `identity` has the `name`, `role`, `scope` and `queues` of the client's token or certificate.
    /// For a name with limits it also has `limits`, and in `left` how much of them is left here: `burst`, `running`, `queued` and `uploads` in bytes.
    ///
    /// - Returns: A coordinator.
    /// - Throws: ``TintypeError``.
    public func systemInfo() async throws(TintypeError) -> SystemInfo {
        return try await caller.call("system.info")
    }

    /// Checks every invariant of every queue in Redis, page by page, so that other work goes on.
    /// One check runs at a time; clients that ask meanwhile get its answer.
    ///
    /// - Returns: Whether the records in Redis agree with each other.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func systemValidate() async throws(TintypeError) -> Validity {
        return try await caller.call("system.validate")
    }

    /// Authenticates this connection with a token. Where the operator requires tokens, other methods fail before this call.
    ///
    /// - Parameter token: The token.
    /// - Returns: The rights of the token.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func sessionAuthenticate(token: String) async throws(TintypeError) -> AccessRole {
        return try await caller.call("session.authenticate", ["token": token], member: "role")
    }

    /// Describes this interface.
    ///
    /// - Returns: an OpenRPC 1.3 document.
    /// - Throws: ``TintypeError``.
    public func rpcDiscover() async throws(TintypeError) -> JSON {
        return try await caller.call("rpc.discover")
    }

    /// Shows what all coordinators and workers did.
    /// A point is a second of the last 15 minutes, or 15 seconds or a minute of the last day.
    /// The `time` of a point is the whole second before its end, in seconds since 1970.
    /// Its `seconds` is the covered time; it differs from `step` after a change of the clock or a pause of the coordinator.
    /// Its `counts` and `errors` are by name; errors of 0 are left out.
    /// Its `phases` have `count`, `sum`, `p50`, `p95` and `p99` in seconds, by the histograms of all processes together.
    /// Their `buckets` are that histogram: the place of the first bucket that is not 0, then the counts from there on.
    /// The `bounds` are the upper ends of all buckets; a time above the last one is in `count` alone.
    /// Histograms of several points add up, and quantiles do not.
    /// The `formats` have `bytes` of results, and the bytes `ofSources` from which these were made.
    /// Numbers may have fractions: totals come every 3 s, and are spread. A coordinator knows nothing from before its start.
    /// A process tells nothing of its first seconds, before its first heartbeat.
    ///
    /// - Parameter step: The seconds of a point: 1, 15 or 60. 1 to 60. Default: `1`.
    /// - Parameter since: Only points that end after this time. The `time` of a known point may leave out a second. 0 to 9999999999. Default: `0`.
    /// - Returns: `{step, bounds, points: [{time, seconds, counts, phases, errors, formats}]}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func statsSeries(step: Int? = nil, since: Int? = nil) async throws(TintypeError) -> JSON {
        return try await caller.call("stats.series", ["step": step, "since": since])
    }

    /// Lists the fetches that run, with their last known phase. Progress is there if a client wants progress. URLs have no parts that may be secret.
    ///
    /// - Parameter queue: One queue. Default: all queues.
    /// - Parameter limit: The most fetches. 1 to 1000. Default: `100`.
    /// - Returns: `{items: [{fetch, queue, url, host, worker, attempt, phase, startedSeconds, receivedBytes?, expectedBytes?, fraction?}]}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func runsList(queue: String? = nil, limit: Int? = nil) async throws(TintypeError) -> JSON {
        return try await caller.call("runs.list", ["queue": queue, "limit": limit])
    }

    /// Lists the hosts with running fetches, those that are held until a time, and those with failures that `failures.list` knows. The busiest come first.
    ///
    /// - Parameter queue: One queue. Default: all queues.
    /// - Parameter limit: The most hosts. 1 to 1000. Default: `100`.
    /// - Returns: `{items: [{host, queue, running, limit, heldUntil?, failed}]}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func hostsList(queue: String? = nil, limit: Int? = nil) async throws(TintypeError) -> JSON {
        return try await caller.call("hosts.list", ["queue": queue, "limit": limit])
    }

    /// Lists the latest 1,000 results, the newest first.
    /// The coordinator begins to listen with the first call, and stops two minutes after the last one.
    /// Some are left out where more than 20 results come in a second.
    /// The page's own requests have the `tag` `dashboard`, and are left out here and in `failures.list`.
    /// With `tag` it lists all results with this tag of `cache.tags` that the index of any queue still has, those that may stay longest first.
    /// These have no `receipt`, `from` and `timings`.
    /// No index is by host, so `host` only chooses among these results: a page may be empty and have a `cursor` all the same.
    ///
    /// - Parameter limit: The most results. Those of one receipt come together, even above it. 1 to 400. Default: `50`.
    /// - Parameter host: Only results of sources at this host.
    /// - Parameter after: The receipt of a result: only older ones. Not with `tag`.
    /// - Parameter tag: Only results with this tag.
    /// - Parameter scope: The scope of `tag`.
    /// - Parameter cursor: Where the answer before has stopped.
    /// - Returns: `{items: [{receipt?, queue, url, host, finishedAt, from?, sourceBytes, key, format, width, height, bytes, blurhash?, thumbhash?,
    ///   color?, timings?}], cursor?}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func picturesList(
        limit: Int? = nil, host: String? = nil, after: String? = nil, tag: String? = nil, scope: String? = nil, cursor: String? = nil
    ) async throws(TintypeError) -> JSON {
        return try await caller.call("pictures.list", ["limit": limit, "host": host, "after": after, "tag": tag, "scope": scope, "cursor": cursor])
    }

    /// Shows the operations that made a result in a cache, in their canonical form.
    /// URLs have no parts that may be secret. With more than 2048 bytes, only their names are there.
    /// Null: the bytes came as they are, or an earlier version has made them.
    ///
    /// - Parameter key: The key of a result.
    /// - Returns: `{key, operations}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func picturesGet(key: String) async throws(TintypeError) -> JSON {
        return try await caller.call("pictures.get", ["key": key])
    }

    /// Makes the URL of a picture for the picture door of this coordinator, signed with its first pair of keys.
    /// The path is good there until the pair goes. Nothing is loaded. A picture that no such URL shows is refused with the operation or the member.
    /// `signed` is false where the door has no keys.
    ///
    /// - Parameter url: The URL of the source, as for `image.load`.
    /// - Parameter transform: The operations, in order. Default: `[]`.
    /// - Parameter output: How to encode the result.
    /// - Returns: `{path, signed}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func picturesUrl(url: String, transform: ImageTransform? = nil, output: ImageOutput? = nil) async throws(TintypeError) -> JSON {
        return try await caller.call("pictures.url", ["url": url, "transform": transform, "output": output])
    }

    /// Lists the latest failures by error, status and host, the latest first.
    /// The coordinator listens as for `pictures.list`. The `sample` is the last of them. If no decoder could read the source, `received` shows what came.
    /// A download whose type is refused ends at its head, before any byte.
    /// Its `start` has the first 64 bytes in hexadecimal digits, and its `format` is what they look like. No bytes of a source with credentials are there.
    /// The `crashes` are the latest 10 pictures that killed a pixel process, with their digests. Clients find `received` in the data of the error too.
    ///
    /// - Parameter limit: The most groups. 1 to 200. Default: `50`.
    /// - Returns: `{items: [{error, status?, host, queue, count, lastAt, sample: {receipt, url, message, status?, received?: {start?, format?, sha256?}},
    ///   crashes?: [{sha256, url, at}]}]}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func failuresList(limit: Int? = nil) async throws(TintypeError) -> JSON {
        return try await caller.call("failures.list", ["limit": limit])
    }

    /// Asks again for the sources of one group of `failures.list`.
    /// Its dead letters are queued as by `dead.retry`, the latest first.
    /// Its other sources leave the blacklist, so that the next request for them asks their origin: Redis keeps no fetch of them.
    /// At most 2,000 entries of the blacklist of each queue are looked at.
    ///
    /// - Parameter error: The name of the error.
    /// - Parameter host: The host.
    /// - Parameter status: The HTTP status. Default: any, or none. 100 to 599.
    /// - Parameter queue: One queue. Default: all queues.
    /// - Parameter limit: The most sources. 1 to 1000. Default: `100`.
    /// - Returns: `{retried, pardoned}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func failuresRetry(error: String, host: String, status: Int? = nil, queue: String? = nil, limit: Int? = nil) async throws(TintypeError) -> JSON {
        return try await caller.call("failures.retry", ["error": error, "host": host, "status": status, "queue": queue, "limit": limit])
    }
}

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
    /// A parameter is wrong: `path`, `value` and `expected`.
    /// Texts are not repeated, but for misspelled words.
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
    .parseError,
    .invalidRequest,
    .methodNotFound,
    .invalidParams,
    .internal,
    .invalidURL,
    .denied,
    .blacklisted,
    .httpStatus,
    .contentType,
    .jsonInvalid,
    .dns,
    .connect,
    .tls,
    .timeout,
    .connectionLost,
    .authFailed,
    .tooManyRedirects,
    .badImageData,
    .unsupportedFormat,
    .limitExceeded,
    .transformFailed,
    .encodeFailed,
    .decryptFailed,
    .storeFailed,
    .textInvalid,
    .cacheMiss,
    .cancelled,
    .superseded,
    .deadlineExceeded,
    .workerLost,
    .overloaded,
    .unauthenticated,
    .forbidden,
    .shuttingDown,
    .unavailable,
    .unknownReceipt,
    .unknownGroup,
    .unknownQueue
]

    public var rawValue: String {
        switch self {
        case .parseError: "parseError"
        case .invalidRequest: "invalidRequest"
        case .methodNotFound: "methodNotFound"
        case .invalidParams: "invalidParams"
        case .internal: "internal"
        case .invalidURL: "invalidURL"
        case .denied: "denied"
        case .blacklisted: "blacklisted"
        case .httpStatus: "httpStatus"
        case .contentType: "contentType"
        case .jsonInvalid: "jsonInvalid"
        case .dns: "dns"
        case .connect: "connect"
        case .tls: "tls"
        case .timeout: "timeout"
        case .connectionLost: "connectionLost"
        case .authFailed: "authFailed"
        case .tooManyRedirects: "tooManyRedirects"
        case .badImageData: "badImageData"
        case .unsupportedFormat: "unsupportedFormat"
        case .limitExceeded: "limitExceeded"
        case .transformFailed: "transformFailed"
        case .encodeFailed: "encodeFailed"
        case .decryptFailed: "decryptFailed"
        case .storeFailed: "storeFailed"
        case .textInvalid: "textInvalid"
        case .cacheMiss: "cacheMiss"
        case .cancelled: "cancelled"
        case .superseded: "superseded"
        case .deadlineExceeded: "deadlineExceeded"
        case .workerLost: "workerLost"
        case .overloaded: "overloaded"
        case .unauthenticated: "unauthenticated"
        case .forbidden: "forbidden"
        case .shuttingDown: "shuttingDown"
        case .unavailable: "unavailable"
        case .unknownReceipt: "unknownReceipt"
        case .unknownGroup: "unknownGroup"
        case .unknownQueue: "unknownQueue"
        case .other(let word): word
        }
    }

    /// The code of JSON-RPC; nil for a name that this version does not know.
    public var code: Int? { facts.code }
    /// Whether the same request may succeed soon, unless the error itself says otherwise.
    public var isRetryable: Bool { facts.isRetryable }

    /// The name with a code; nil for an unknown one.
    public init?(code: Int) {
        guard let name = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = name
    }

    private var facts: (code: Int?, isRetryable: Bool) {
        switch self {
        case .parseError: (-32700, false)
        case .invalidRequest: (-32600, false)
        case .methodNotFound: (-32601, false)
        case .invalidParams: (-32602, false)
        case .internal: (-32603, true)
        case .invalidURL: (1001, false)
        case .denied: (1002, false)
        case .blacklisted: (1003, false)
        case .httpStatus: (1010, false)
        case .contentType: (1011, false)
        case .jsonInvalid: (1012, false)
        case .dns: (1013, true)
        case .connect: (1014, true)
        case .tls: (1015, false)
        case .timeout: (1016, true)
        case .connectionLost: (1017, true)
        case .authFailed: (1018, false)
        case .tooManyRedirects: (1019, false)
        case .badImageData: (1020, false)
        case .unsupportedFormat: (1021, false)
        case .limitExceeded: (1022, false)
        case .transformFailed: (1023, false)
        case .encodeFailed: (1024, false)
        case .decryptFailed: (1025, false)
        case .storeFailed: (1026, true)
        case .textInvalid: (1027, false)
        case .cacheMiss: (1030, false)
        case .cancelled: (1040, false)
        case .superseded: (1041, false)
        case .deadlineExceeded: (1042, true)
        case .workerLost: (1043, true)
        case .overloaded: (1050, true)
        case .unauthenticated: (1051, false)
        case .forbidden: (1052, false)
        case .shuttingDown: (1053, true)
        case .unavailable: (1054, true)
        case .unknownReceipt: (1060, false)
        case .unknownGroup: (1061, false)
        case .unknownQueue: (1062, false)
        case .other: (nil, false)
        }
    }
}

/// The phase of a request in which something happened.
public enum Phase: Word {
    case admission, cache, queue, download, decode, transform, encode, store, deliver
    /// A word that this version does not know.
    case other(String)

    public static let allCases: [Phase] = [.admission, .cache, .queue, .download, .decode, .transform, .encode, .store, .deliver]

    public var rawValue: String {
        switch self {
        case .admission: "admission"
        case .cache: "cache"
        case .queue: "queue"
        case .download: "download"
        case .decode: "decode"
        case .transform: "transform"
        case .encode: "encode"
        case .store: "store"
        case .deliver: "deliver"
        case .other(let word): word
        }
    }
}

// MARK: - Operations

/// One step that changes pixels.
/// Make it with the functions of ``ImageTransform``.
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
    /// Changes the size.
    /// With one side given, the other follows.
    /// Never enlarges without `enlarge`.
    /// A side or a scale is given.
    public struct Resize: Record {
        /// The width of the box in pixels. 1 to 16384.
        public var width: Int?
        /// The height of the box in pixels. 1 to 16384.
        public var height: Int?
        /// The least width of the scaled picture in pixels.
        /// A given width or height then cuts, except with outside. 1 to 16384.
        public var minWidth: Int?
        /// The least height of the scaled picture. 1 to 16384.
        public var minHeight: Int?
        /// Device pixels for each pixel of width, height, minWidth and minHeight. 0.1 to 8.
        /// Default: `1`.
        public var dpr: Double?
        /// The factor on the box, or without a box on the picture's own size.
        /// Default: `1`.
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
        /// The part to keep, or the place on the canvas.
        /// `attention` and `entropy` find a part to keep.
        /// Default: `"center"`.
        public var gravity: Gravity?
        /// Whether a smaller picture is enlarged.
        /// Default: `false`.
        public var enlarge: Bool?
        /// The color behind the picture; for resize, on the free canvas of contain and none.
        /// Formats without alpha show it on white.
        /// Default: `"transparent"`.
        public var background: String?
        /// The weights of pixels when a picture becomes smaller.
        /// Enlarging is bicubic, except with nearest and linear.
        /// Default: `"lanczos3"`.
        public var kernel: Kernel?
        /// Averages light instead of encoded values: slower, but right for fine bright detail.
        /// Default: `false`.
        public var linear: Bool?

        /// Members that are nil are left to the service.
        public init(
            _ width: Int? = nil,
            _ height: Int? = nil,
            minWidth: Int? = nil,
            minHeight: Int? = nil,
            dpr: Double? = nil,
            scale: ScaleFactor? = nil,
            density: Double? = nil,
            fit: Fit? = nil,
            gravity: Gravity? = nil,
            enlarge: Bool? = nil,
            background: String? = nil,
            kernel: Kernel? = nil,
            linear: Bool? = nil
        ) {
            self.width = width
            self.height = height
            self.minWidth = minWidth
            self.minHeight = minHeight
            self.dpr = dpr
            self.scale = scale
            self.density = density
            self.fit = fit
            self.gravity = gravity
            self.enlarge = enlarge
            self.background = background
            self.kernel = kernel
            self.linear = linear
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            width = try members.read("width")
            height = try members.read("height")
            minWidth = try members.read("minWidth")
            minHeight = try members.read("minHeight")
            dpr = try members.read("dpr")
            scale = try members.read("scale")
            density = try members.read("density")
            fit = try members.read("fit")
            gravity = try members.read("gravity")
            enlarge = try members.read("enlarge")
            background = try members.read("background")
            kernel = try members.read("kernel")
            linear = try members.read("linear")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "resize")
            members.add("width", width)
            members.add("height", height)
            members.add("minWidth", minWidth)
            members.add("minHeight", minHeight)
            members.add("dpr", dpr)
            members.add("scale", scale)
            members.add("density", density)
            members.add("fit", fit)
            members.add("gravity", gravity)
            members.add("enlarge", enlarge)
            members.add("background", background)
            members.add("kernel", kernel)
            members.add("linear", linear)
        }
    }
}

extension ImageOperation {
    /// Cuts a rectangle out, by x and y or by a gravity.
    /// Parts of the rectangle outside the picture are left out.
    public struct Crop: Record {
        /// The left edge. 0 to 16384.
        public var x: Double?
        /// The upper edge. 0 to 16384.
        public var y: Double?
        /// How wide; the whole width without it.
        /// One of width and height is required. 0 to 16384.
        public var width: Double?
        /// How high; the whole height without it. 0 to 16384.
        public var height: Double?
        /// The unit of the rectangle: pixels, or fractions from 0 to 1.
        /// Default: `"px"`.
        public var unit: Unit?
        /// The place of the rectangle without x and y.
        /// Default: `"center"`.
        public var gravity: Gravity?

        /// Members that are nil are left to the service.
        public init(
            x: Double? = nil,
            y: Double? = nil,
            width: Double? = nil,
            height: Double? = nil,
            unit: Unit? = nil,
            gravity: Gravity? = nil
        ) {
            self.x = x
            self.y = y
            self.width = width
            self.height = height
            self.unit = unit
            self.gravity = gravity
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            x = try members.read("x")
            y = try members.read("y")
            width = try members.read("width")
            height = try members.read("height")
            unit = try members.read("unit")
            gravity = try members.read("gravity")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "crop")
            members.add("x", x)
            members.add("y", y)
            members.add("width", width)
            members.add("height", height)
            members.add("unit", unit)
            members.add("gravity", gravity)
        }
    }
}

extension ImageOperation {
    /// Cuts off edges of one color: that of the top left corner, unless one is named.
    /// A transparent corner cuts off transparent edges.
    /// A picture of one color stays as it is.
    /// An animation loses the edge that all its frames share.
    /// In a source with lossy compression (JPEG, AVIF, HEIF, most WebP), details one pixel thin count as noise.
    public struct Trim: Record {
        /// How far a color may differ from that of the edge, of 255. 0 to 255.
        /// Default: `10`.
        public var threshold: Double?
        /// The color of the operation; for trim the color to cut off, by default that of the top left corner.
        public var color: String?
        /// The pixels to leave around the kept part, where the picture has some. 0 to 16384.
        /// Default: `0`.
        public var margin: Int?
        /// Where opposite edges both lose as much as the smaller one: left and right (horizontal), top and bottom (vertical), or both.
        /// Default: `"none"`.
        public var symmetric: Symmetric?

        /// Members that are nil are left to the service.
        public init(threshold: Double? = nil, color: String? = nil, margin: Int? = nil, symmetric: Symmetric? = nil) {
            self.threshold = threshold
            self.color = color
            self.margin = margin
            self.symmetric = symmetric
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            threshold = try members.read("threshold")
            color = try members.read("color")
            margin = try members.read("margin")
            symmetric = try members.read("symmetric")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "trim")
            members.add("threshold", threshold)
            members.add("color", color)
            members.add("margin", margin)
            members.add("symmetric", symmetric)
        }
    }
}

extension ImageOperation {
    /// Adds pixels of a color at each edge.
    /// Negative numbers take pixels away, as inset does.
    public struct Extend: Record {
        /// The pixels at this edge. -16384 to 16384.
        /// Default: `0`.
        public var top: Int?
        /// The pixels at this edge. -16384 to 16384.
        /// Default: `0`.
        public var right: Int?
        /// The pixels at this edge. -16384 to 16384.
        /// Default: `0`.
        public var bottom: Int?
        /// The pixels at this edge. -16384 to 16384.
        /// Default: `0`.
        public var left: Int?
        /// The color of added pixels.
        /// Default: `"transparent"`.
        public var color: String?

        /// Members that are nil are left to the service.
        public init(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) {
            self.top = top
            self.right = right
            self.bottom = bottom
            self.left = left
            self.color = color
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            top = try members.read("top")
            right = try members.read("right")
            bottom = try members.read("bottom")
            left = try members.read("left")
            color = try members.read("color")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "extend")
            members.add("top", top)
            members.add("right", right)
            members.add("bottom", bottom)
            members.add("left", left)
            members.add("color", color)
        }
    }
}

extension ImageOperation {
    /// Takes pixels away at each edge.
    /// Negative numbers add pixels of a color, as extend does.
    public struct Inset: Record {
        /// The pixels at this edge. -16384 to 16384.
        /// Default: `0`.
        public var top: Int?
        /// The pixels at this edge. -16384 to 16384.
        /// Default: `0`.
        public var right: Int?
        /// The pixels at this edge. -16384 to 16384.
        /// Default: `0`.
        public var bottom: Int?
        /// The pixels at this edge. -16384 to 16384.
        /// Default: `0`.
        public var left: Int?
        /// The color of added pixels.
        /// Default: `"transparent"`.
        public var color: String?

        /// Members that are nil are left to the service.
        public init(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) {
            self.top = top
            self.right = right
            self.bottom = bottom
            self.left = left
            self.color = color
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            top = try members.read("top")
            right = try members.read("right")
            bottom = try members.read("bottom")
            left = try members.read("left")
            color = try members.read("color")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "inset")
            members.add("top", top)
            members.add("right", right)
            members.add("bottom", bottom)
            members.add("left", left)
            members.add("color", color)
        }
    }
}

extension ImageOperation {
    /// Puts the picture on a canvas of at least this size, or of this shape.
    /// The picture is neither cut nor scaled.
    public struct Pad: Record {
        /// The smallest width of the canvas. 1 to 16384.
        public var width: Int?
        /// The smallest height of the canvas. 1 to 16384.
        public var height: Int?
        /// The width of the canvas divided by its height: 1 is square.
        /// The canvas grows on one side. 0.01 to 100.
        public var aspect: Double?
        /// The place of the picture on the canvas, with or without offsets.
        /// The picture stays inside.
        /// Default: `"center"`.
        public var gravity: EdgeGravity?
        /// The color of the canvas.
        /// Default: `"transparent"`.
        public var color: String?

        /// Members that are nil are left to the service.
        public init(_ width: Int? = nil, _ height: Int? = nil, aspect: Double? = nil, gravity: EdgeGravity? = nil, color: String? = nil) {
            self.width = width
            self.height = height
            self.aspect = aspect
            self.gravity = gravity
            self.color = color
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            width = try members.read("width")
            height = try members.read("height")
            aspect = try members.read("aspect")
            gravity = try members.read("gravity")
            color = try members.read("color")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "pad")
            members.add("width", width)
            members.add("height", height)
            members.add("aspect", aspect)
            members.add("gravity", gravity)
            members.add("color", color)
        }
    }
}

extension ImageOperation {
    /// Turns the picture clockwise around its middle.
    public struct Rotate: Record {
        /// Degrees clockwise; negative numbers turn the other way. -3600 to 3600.
        public var angle: Double
        /// true: the canvas grows to contain the whole picture. false: the canvas keeps its size; the corners are lost.
        /// Default: `true`.
        public var expand: Bool?
        /// The color beside the turned picture.
        /// Default: `"transparent"`.
        public var background: String?

        /// Members that are nil are left to the service.
        public init(_ angle: Double, expand: Bool? = nil, background: String? = nil) {
            self.angle = angle
            self.expand = expand
            self.background = background
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            angle = try members.require("angle")
            expand = try members.read("expand")
            background = try members.read("background")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "rotate")
            members.add("angle", angle)
            members.add("expand", expand)
            members.add("background", background)
        }
    }
}

extension ImageOperation {
    /// Mirrors the picture.
    public struct Flip: Record {
        /// Swaps left and right.
        /// Default: `false`.
        public var horizontal: Bool?
        /// Swaps top and bottom.
        /// Default: `false`.
        public var vertical: Bool?

        /// Members that are nil are left to the service.
        public init(horizontal: Bool? = nil, vertical: Bool? = nil) {
            self.horizontal = horizontal
            self.vertical = vertical
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            horizontal = try members.read("horizontal")
            vertical = try members.read("vertical")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "flip")
            members.add("horizontal", horizontal)
            members.add("vertical", vertical)
        }
    }
}

extension ImageOperation {
    /// Rounds corners; the outside becomes transparent.
    /// A border runs along the inside of the edge.
    public struct RoundCorners: Record {
        /// The radius in pixels; for corners, at most half of the shorter side counts. 0 to 8192.
        public var radius: Double
        /// Which ones.
        /// Default: `["topLeft","topRight","bottomRight","bottomLeft"]`.
        public var corners: [Corner]?
        /// The line along the edge, inside the picture.
        @Boxed public var border: CornerBorder?

        /// Members that are nil are left to the service.
        public init(_ radius: Double, corners: [Corner]? = nil, border: CornerBorder? = nil) {
            self.radius = radius
            self.corners = corners
            self.border = border
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            radius = try members.require("radius")
            corners = try members.read("corners")
            border = try members.read("border")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "roundCorners")
            members.add("radius", radius)
            members.add("corners", corners)
            members.add("border", border)
        }
    }
}

extension ImageOperation {
    /// Draws a line along the edges, inside the picture.
    public struct Border: Record {
        /// The width of the line in pixels; less than half of the shorter side. 0 to 8192.
        public var width: Double
        /// The color of the line.
        /// Default: `"black"`.
        public var color: String?

        /// Members that are nil are left to the service.
        public init(_ width: Double, color: String? = nil) {
            self.width = width
            self.color = color
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            width = try members.require("width")
            color = try members.read("color")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "border")
            members.add("width", width)
            members.add("color", color)
        }
    }
}

extension ImageOperation {
    /// Keeps a shape in the middle of the picture, or the shape that another picture gives.
    /// Everything else becomes transparent; the size stays.
    public struct Mask: Record {
        /// The shape to keep. circle: as large as fits; ellipse: touches all four edges.
        public var shape: Shape?
        /// The URL of another picture; for a mask, stretched over this one.
        /// Its transparency, or else its brightness, gives the shape.
        public var url: String?

        /// Members that are nil are left to the service.
        public init(shape: Shape? = nil, url: String? = nil) {
            self.shape = shape
            self.url = url
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            shape = try members.read("shape")
            url = try members.read("url")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "mask")
            members.add("shape", shape)
            members.add("url", url)
        }
    }
}

extension ImageOperation {
    /// Lays another picture over this one.
    /// The size stays; parts outside are cut off.
    public struct Composite: Record {
        /// The URL of the other picture, as for a source.
        public var url: String
        /// The place of the overlay: one of nine places, or a point in fractions for its middle.
        /// Default: `"center"`.
        public var gravity: OverlayGravity?
        /// Pixels between the left edges, instead of gravity. -16384 to 16384.
        public var x: Int?
        /// Pixels between the upper edges, instead of gravity. -16384 to 16384.
        public var y: Int?
        /// How the colors mix with those of the picture.
        /// Default: `"normal"`.
        public var blend: Blend?
        /// 0 is invisible, 1 opaque. 0 to 1.
        /// Default: `1`.
        public var opacity: Double?
        /// Whether to repeat over the whole picture.
        /// Default: `false`.
        public var tile: Tiling?
        /// The part of the picture's width and height to fit into.
        /// Default: its own size. 0.01 to 1.
        public var scale: Double?

        /// Members that are nil are left to the service.
        public init(
            _ url: String,
            gravity: OverlayGravity? = nil,
            x: Int? = nil,
            y: Int? = nil,
            blend: Blend? = nil,
            opacity: Double? = nil,
            tile: Tiling? = nil,
            scale: Double? = nil
        ) {
            self.url = url
            self.gravity = gravity
            self.x = x
            self.y = y
            self.blend = blend
            self.opacity = opacity
            self.tile = tile
            self.scale = scale
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            url = try members.require("url")
            gravity = try members.read("gravity")
            x = try members.read("x")
            y = try members.read("y")
            blend = try members.read("blend")
            opacity = try members.read("opacity")
            tile = try members.read("tile")
            scale = try members.read("scale")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "composite")
            members.add("url", url)
            members.add("gravity", gravity)
            members.add("x", x)
            members.add("y", y)
            members.add("blend", blend)
            members.add("opacity", opacity)
            members.add("tile", tile)
            members.add("scale", scale)
        }
    }
}

extension ImageOperation {
    /// Draws text over the picture.
    /// The size stays; parts outside are cut off.
    /// The text is plain, never markup.
    public struct Text: Record {
        /// The text to draw.
        public var text: String
        /// The font family: one that `formats.list` names, in any case.
        /// Missing letters come from the other fonts.
        /// Default: `"sans"`.
        public var font: String?
        /// The size of an em, in pixels. 4 to 1000.
        /// Default: `32`.
        public var size: Double?
        /// Bold letters.
        /// Default: `false`.
        public var bold: Bool?
        /// Italic letters.
        /// Default: `false`.
        public var italic: Bool?
        /// The color of the letters.
        /// Emoji have colors of their own.
        /// Default: `"black"`.
        public var color: String?
        /// The place: one of nine, or a point in fractions for the middle.
        /// Default: center; with x or y, topLeft.
        public var gravity: OverlayGravity?
        /// Pixels inwards from the edge; from a middle or a point, to the right. -16384 to 16384.
        /// Default: `0`.
        public var x: Int?
        /// The same, down. -16384 to 16384.
        /// Default: `0`.
        public var y: Int?
        /// The opacity of the text and its background. 0 to 1.
        /// Default: `1`.
        public var opacity: Double?
        /// The width at which lines break: up to 1 a part of the picture's width, above that pixels.
        /// Default: lines do not break. 0.01 to 16384.
        public var width: Double?
        /// The alignment of lines; mirrored for text from right to left.
        /// Default: `"left"`.
        public var align: Align?
        /// The height that is placed: `line`, of the font's lines, as in CSS; `ink`, of the letters.
        /// Default: `"line"`.
        public var valign: Valign?
        /// The pixels between lines, beside those of the font. 0 to 1000.
        /// Default: `0`.
        public var spacing: Int?
        /// The color of a box behind the text.
        /// Default: none.
        public var background: String?
        /// The pixels by which the background is larger on each side. 0 to 1000.
        /// Default: `0`.
        public var padding: Int?
        /// Degrees by which text and background turn clockwise. -3600 to 3600.
        /// Default: `0`.
        public var angle: Double?
        /// Whether to repeat the text over the whole picture, `padding` apart.
        /// Default: `false`.
        public var tile: Tiling?

        /// Members that are nil are left to the service.
        public init(
            _ text: String,
            font: String? = nil,
            size: Double? = nil,
            bold: Bool? = nil,
            italic: Bool? = nil,
            color: String? = nil,
            gravity: OverlayGravity? = nil,
            x: Int? = nil,
            y: Int? = nil,
            opacity: Double? = nil,
            width: Double? = nil,
            align: Align? = nil,
            valign: Valign? = nil,
            spacing: Int? = nil,
            background: String? = nil,
            padding: Int? = nil,
            angle: Double? = nil,
            tile: Tiling? = nil
        ) {
            self.text = text
            self.font = font
            self.size = size
            self.bold = bold
            self.italic = italic
            self.color = color
            self.gravity = gravity
            self.x = x
            self.y = y
            self.opacity = opacity
            self.width = width
            self.align = align
            self.valign = valign
            self.spacing = spacing
            self.background = background
            self.padding = padding
            self.angle = angle
            self.tile = tile
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            text = try members.require("text")
            font = try members.read("font")
            size = try members.read("size")
            bold = try members.read("bold")
            italic = try members.read("italic")
            color = try members.read("color")
            gravity = try members.read("gravity")
            x = try members.read("x")
            y = try members.read("y")
            opacity = try members.read("opacity")
            width = try members.read("width")
            align = try members.read("align")
            valign = try members.read("valign")
            spacing = try members.read("spacing")
            background = try members.read("background")
            padding = try members.read("padding")
            angle = try members.read("angle")
            tile = try members.read("tile")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "text")
            members.add("text", text)
            members.add("font", font)
            members.add("size", size)
            members.add("bold", bold)
            members.add("italic", italic)
            members.add("color", color)
            members.add("gravity", gravity)
            members.add("x", x)
            members.add("y", y)
            members.add("opacity", opacity)
            members.add("width", width)
            members.add("align", align)
            members.add("valign", valign)
            members.add("spacing", spacing)
            members.add("background", background)
            members.add("padding", padding)
            members.add("angle", angle)
            members.add("tile", tile)
        }
    }
}

extension ImageOperation {
    /// Puts the picture on a color, which replaces transparency.
    /// The command line calls this operation `--flatten`.
    public struct Background: Record {
        /// The color behind the picture.
        /// Default: `"white"`.
        public var color: String?

        /// Members that are nil are left to the service.
        public init(color: String? = nil) {
            self.color = color
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            color = try members.read("color")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "background")
            members.add("color", color)
        }
    }
}

extension ImageOperation {
    /// Blurs by the sigma of a Gaussian or the radius of three box blurs (as YYWebImage).
    /// Then changes the saturation, then lays a color over it.
    public struct Blur: Record {
        /// The sigma of the Gaussian, in pixels. 0.3 to 250.
        public var sigma: Double?
        /// The radius in pixels, instead of sigma.
        /// Box sides are floor((radius · 3√(2π)/4 + 0.5) / 2), made odd. 0 to 250.
        public var radius: Double?
        /// The saturation: 0 is gray, 1 unchanged, 2 twice as colorful.
        /// Default for blur: 1, or that of the preset. -1 to 10.
        public var saturation: Double?
        /// The color laid over the result, as strong as its alpha.
        /// Default: none, or that of the preset.
        public var tint: String?
        /// How the tint mixes with the picture.
        /// Default: `"normal"`.
        public var blend: Blend?
        /// The URL of another picture, stretched over this one.
        /// Its transparency, or else its brightness, limits the blur.
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
            sigma: Double? = nil,
            radius: Double? = nil,
            saturation: Double? = nil,
            tint: String? = nil,
            blend: Blend? = nil,
            mask: String? = nil,
            preset: Preset? = nil
        ) {
            self.sigma = sigma
            self.radius = radius
            self.saturation = saturation
            self.tint = tint
            self.blend = blend
            self.mask = mask
            self.preset = preset
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            sigma = try members.read("sigma")
            radius = try members.read("radius")
            saturation = try members.read("saturation")
            tint = try members.read("tint")
            blend = try members.read("blend")
            mask = try members.read("mask")
            preset = try members.read("preset")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "blur")
            members.add("sigma", sigma)
            members.add("radius", radius)
            members.add("saturation", saturation)
            members.add("tint", tint)
            members.add("blend", blend)
            members.add("mask", mask)
            members.add("preset", preset)
        }
    }
}

extension ImageOperation {
    /// Sharpens the lightness, edges twice as much as flat areas.
    public struct Sharpen: Record {
        /// The width of an edge, in pixels. 0.3 to 10.
        /// Default: `1`.
        public var sigma: Double?
        /// The strength; 0 does nothing.
        /// For sharpen, the lightness, of 100, gains at most 10 and loses at most 20. 0 to 10.
        /// Default: `1`.
        public var amount: Double?

        /// Members that are nil are left to the service.
        public init(sigma: Double? = nil, amount: Double? = nil) {
            self.sigma = sigma
            self.amount = amount
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            sigma = try members.read("sigma")
            amount = try members.read("amount")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "sharpen")
            members.add("sigma", sigma)
            members.add("amount", amount)
        }
    }
}

extension ImageOperation {
    /// Replaces the picture by squares, each with the average color of its part, from the top left corner.
    public struct Pixelate: Record {
        /// The side of a square in pixels. 1 to 16384.
        /// Default: `10`.
        public var size: Int?

        /// Members that are nil are left to the service.
        public init(size: Int? = nil) {
            self.size = size
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            size = try members.read("size")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "pixelate")
            members.add("size", size)
        }
    }
}

extension ImageOperation {
    /// Changes brightness, contrast, saturation, hue and gamma, in this order, as the CSS filters of these names.
    public struct Modulate: Record {
        /// The factor of all colors: 0 is black. 0 to 10.
        /// Default: `1`.
        public var brightness: Double?
        /// The factor of the distance from middle gray: 0 is gray. 0 to 10.
        /// Default: `1`.
        public var contrast: Double?
        /// The saturation: 0 is gray, 2 twice as colorful. -1 to 10.
        /// Default: `1`.
        public var saturation: Double?
        /// Degrees by which colors turn on the color circle. -3600 to 3600.
        /// Default: `0`.
        public var hue: Double?
        /// The gamma: above 1 dark parts become lighter, below 1 darker. 0.1 to 10.
        /// Default: `1`.
        public var gamma: Double?

        /// Members that are nil are left to the service.
        public init(brightness: Double? = nil, contrast: Double? = nil, saturation: Double? = nil, hue: Double? = nil, gamma: Double? = nil) {
            self.brightness = brightness
            self.contrast = contrast
            self.saturation = saturation
            self.hue = hue
            self.gamma = gamma
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            brightness = try members.read("brightness")
            contrast = try members.read("contrast")
            saturation = try members.read("saturation")
            hue = try members.read("hue")
            gamma = try members.read("gamma")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "modulate")
            members.add("brightness", brightness)
            members.add("contrast", contrast)
            members.add("saturation", saturation)
            members.add("hue", hue)
            members.add("gamma", gamma)
        }
    }
}

extension ImageOperation {
    /// Makes the picture gray: saturation 0, with the weights 0.2126, 0.7152 and 0.0722 of red, green and blue.
    public struct Grayscale: Record {
        public init() {}

        public init(json: JSON) throws(AnswerFault) {
            _ = try JSONObject(json: json)
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "grayscale")
        }
    }
}

extension ImageOperation {
    /// Gives the brown of old photographs, as the CSS filter of this name.
    public struct Sepia: Record {
        /// 0 does nothing, 1 is full. 0 to 1.
        /// Default: `1`.
        public var amount: Double?

        /// Members that are nil are left to the service.
        public init(amount: Double? = nil) {
            self.amount = amount
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            amount = try members.read("amount")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "sepia")
            members.add("amount", amount)
        }
    }
}

extension ImageOperation {
    /// Replaces every color by its opposite, as in a negative.
    /// Transparency stays.
    public struct Invert: Record {
        public init() {}

        public init(json: JSON) throws(AnswerFault) {
            _ = try JSONObject(json: json)
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "invert")
        }
    }
}

extension ImageOperation {
    /// Colors the picture. sourceIn: one color in the picture's shape.
    /// Other blends: the color mixed with the picture.
    public struct Tint: Record {
        /// The color; its alpha is the strength.
        public var color: String
        /// How the color mixes with the picture.
        /// Default: `"sourceIn"`.
        public var blend: TintBlend?

        /// Members that are nil are left to the service.
        public init(_ color: String, blend: TintBlend? = nil) {
            self.color = color
            self.blend = blend
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            color = try members.require("color")
            blend = try members.read("blend")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "tint")
            members.add("color", color)
            members.add("blend", blend)
        }
    }
}

extension ImageOperation {
    /// Maps dark to one opaque color and light to another.
    public struct Duotone: Record {
        /// The color for black.
        /// Default: `"black"`.
        public var shadow: String?
        /// The color for white.
        /// Default: `"white"`.
        public var highlight: String?
        /// 0 does nothing, 1 is full. 0 to 1.
        /// Default: `1`.
        public var amount: Double?

        /// Members that are nil are left to the service.
        public init(shadow: String? = nil, highlight: String? = nil, amount: Double? = nil) {
            self.shadow = shadow
            self.highlight = highlight
            self.amount = amount
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            shadow = try members.read("shadow")
            highlight = try members.read("highlight")
            amount = try members.read("amount")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "duotone")
            members.add("shadow", shadow)
            members.add("highlight", highlight)
            members.add("amount", amount)
        }
    }
}

extension ImageOperation {
    /// Chooses frames of an animated picture: the picked ones, or the first ones.
    /// Then reverses them, then changes their pace.
    /// A format that cannot move gets the first remaining frame.
    /// All frames up to the last wanted one may have 2,000 million pixels.
    public struct Frames: Record {
        /// The numbers of the frames, from 0, in this order.
        /// A frame may come twice.
        public var pick: [Int]?
        /// The number of frames to keep, from the first one. 1 to 65535.
        public var first: Int?
        /// Whether to reverse the order.
        /// Default: `false`.
        public var reverse: Bool?
        /// The speed: 2 is twice as fast.
        /// A frame lasts at least 0.02 s and at most what the format can say. 0.01 to 100.
        /// Default: `1`.
        public var speed: Double?

        /// Members that are nil are left to the service.
        public init(pick: [Int]? = nil, first: Int? = nil, reverse: Bool? = nil, speed: Double? = nil) {
            self.pick = pick
            self.first = first
            self.reverse = reverse
            self.speed = speed
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            pick = try members.read("pick")
            first = try members.read("first")
            reverse = try members.read("reverse")
            speed = try members.read("speed")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "frames")
            members.add("pick", pick)
            members.add("first", first)
            members.add("reverse", reverse)
            members.add("speed", speed)
        }
    }
}

extension ImageOperation {
    /// Makes an animation of this picture and others, or of the frames in this picture (a sprite sheet).
    /// Later operations change each frame, earlier ones only this picture.
    /// A format that cannot move gets the first frame; without a named format, the result is WebP.
    public struct Animate: Record {
        /// The URLs of the frames after this picture, as for a source.
        /// Each picture gets this picture's size; an animation gives its first frame.
        public var urls: [String]?
        /// The columns of frames in this picture, instead of urls.
        /// Default: 1 with rows. 1 to 256.
        public var columns: Int?
        /// The rows of frames in this picture, instead of urls.
        /// Default: 1 with columns. 1 to 256.
        public var rows: Int?
        /// The number of frames in the sheet, row by row from the upper left one.
        /// Default: all. 1 to 65536.
        public var count: Int?
        /// Milliseconds for a frame: one number, or one for each frame.
        /// GIF counts in hundredths of a second.
        /// Default: `100`.
        public var delay: Delay?
        /// How often the animation plays; 0: for ever. 0 to 65535.
        /// Default: `0`.
        public var loop: Int?
        /// How another picture gets the size. contain: whole, on a background; cover: cut; fill: stretched.
        /// Default: `"contain"`.
        public var fit: AnimationFit?
        /// The color where contain leaves the frame free.
        /// Default: `"transparent"`.
        public var background: String?

        /// Members that are nil are left to the service.
        public init(
            urls: [String]? = nil,
            columns: Int? = nil,
            rows: Int? = nil,
            count: Int? = nil,
            delay: Delay? = nil,
            loop: Int? = nil,
            fit: AnimationFit? = nil,
            background: String? = nil
        ) {
            self.urls = urls
            self.columns = columns
            self.rows = rows
            self.count = count
            self.delay = delay
            self.loop = loop
            self.fit = fit
            self.background = background
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            urls = try members.read("urls")
            columns = try members.read("columns")
            rows = try members.read("rows")
            count = try members.read("count")
            delay = try members.read("delay")
            loop = try members.read("loop")
            fit = try members.read("fit")
            background = try members.read("background")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "animate")
            members.add("urls", urls)
            members.add("columns", columns)
            members.add("rows", rows)
            members.add("count", count)
            members.add("delay", delay)
            members.add("loop", loop)
            members.add("fit", fit)
            members.add("background", background)
        }
    }
}

extension ImageOperation {
    /// Turns the picture upright by its EXIF orientation, before any other operation.
    /// On by default; name the operation only to switch it off.
    public struct Autorotate: Record {
        /// false: the pixels stay as they are stored.
        /// HEIF and AVIF have a turn of their own in place of EXIF; their decoder always applies it.
        /// Default: `true`.
        public var enabled: Bool?

        /// Members that are nil are left to the service.
        public init(enabled: Bool? = nil) {
            self.enabled = enabled
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            enabled = try members.read("enabled")
        }

        public func write(to members: inout MemberWriter) {
            members.add("op", "autorotate")
            members.add("enabled", enabled)
        }
    }
}

extension ImageTransform {
    /// Changes the size.
    /// With one side given, the other follows.
    /// Never enlarges without `enlarge`.
    /// A side or a scale is given.
    ///
    /// - Parameter width: The width of the box in pixels. 1 to 16384.
    /// - Parameter height: The height of the box in pixels. 1 to 16384.
    /// - Parameter minWidth: The least width of the scaled picture in pixels.
    ///   A given width or height then cuts, except with outside. 1 to 16384.
    /// - Parameter minHeight: The least height of the scaled picture. 1 to 16384.
    /// - Parameter dpr: Device pixels for each pixel of width, height, minWidth and minHeight. 0.1 to 8.
    ///   Default: `1`.
    /// - Parameter scale: The factor on the box, or without a box on the picture's own size.
    ///   Default: `1`.
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
    /// - Parameter gravity: The part to keep, or the place on the canvas.
    ///   `attention` and `entropy` find a part to keep.
    ///   Default: `"center"`.
    /// - Parameter enlarge: Whether a smaller picture is enlarged.
    ///   Default: `false`.
    /// - Parameter background: The color behind the picture; for resize, on the free canvas of contain and none.
    ///   Formats without alpha show it on white.
    ///   Default: `"transparent"`.
    /// - Parameter kernel: The weights of pixels when a picture becomes smaller.
    ///   Enlarging is bicubic, except with nearest and linear.
    ///   Default: `"lanczos3"`.
    /// - Parameter linear: Averages light instead of encoded values: slower, but right for fine bright detail.
    ///   Default: `false`.
    public static func resize(
        _ width: Int? = nil,
        _ height: Int? = nil,
        minWidth: Int? = nil,
        minHeight: Int? = nil,
        dpr: Double? = nil,
        scale: ImageOperation.ScaleFactor? = nil,
        density: Double? = nil,
        fit: ImageOperation.Fit? = nil,
        gravity: ImageOperation.Gravity? = nil,
        enlarge: Bool? = nil,
        background: String? = nil,
        kernel: ImageOperation.Kernel? = nil,
        linear: Bool? = nil
    ) -> ImageTransform {
        ImageTransform(.resize(ImageOperation.Resize(
            width,
            height,
            minWidth: minWidth,
            minHeight: minHeight,
            dpr: dpr,
            scale: scale,
            density: density,
            fit: fit,
            gravity: gravity,
            enlarge: enlarge,
            background: background,
            kernel: kernel,
            linear: linear
        )))
    }

    /// Appends the operation that the static function of the same name makes.
    public func resize(
        _ width: Int? = nil,
        _ height: Int? = nil,
        minWidth: Int? = nil,
        minHeight: Int? = nil,
        dpr: Double? = nil,
        scale: ImageOperation.ScaleFactor? = nil,
        density: Double? = nil,
        fit: ImageOperation.Fit? = nil,
        gravity: ImageOperation.Gravity? = nil,
        enlarge: Bool? = nil,
        background: String? = nil,
        kernel: ImageOperation.Kernel? = nil,
        linear: Bool? = nil
    ) -> ImageTransform {
        appending(.resize(ImageOperation.Resize(
            width,
            height,
            minWidth: minWidth,
            minHeight: minHeight,
            dpr: dpr,
            scale: scale,
            density: density,
            fit: fit,
            gravity: gravity,
            enlarge: enlarge,
            background: background,
            kernel: kernel,
            linear: linear
        )))
    }

    /// Cuts a rectangle out, by x and y or by a gravity.
    /// Parts of the rectangle outside the picture are left out.
    ///
    /// - Parameter x: The left edge. 0 to 16384.
    /// - Parameter y: The upper edge. 0 to 16384.
    /// - Parameter width: How wide; the whole width without it.
    ///   One of width and height is required. 0 to 16384.
    /// - Parameter height: How high; the whole height without it. 0 to 16384.
    /// - Parameter unit: The unit of the rectangle: pixels, or fractions from 0 to 1.
    ///   Default: `"px"`.
    /// - Parameter gravity: The place of the rectangle without x and y.
    ///   Default: `"center"`.
    public static func crop(
        x: Double? = nil,
        y: Double? = nil,
        width: Double? = nil,
        height: Double? = nil,
        unit: ImageOperation.Unit? = nil,
        gravity: ImageOperation.Gravity? = nil
    ) -> ImageTransform {
        ImageTransform(.crop(ImageOperation.Crop(x: x, y: y, width: width, height: height, unit: unit, gravity: gravity)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func crop(
        x: Double? = nil,
        y: Double? = nil,
        width: Double? = nil,
        height: Double? = nil,
        unit: ImageOperation.Unit? = nil,
        gravity: ImageOperation.Gravity? = nil
    ) -> ImageTransform {
        appending(.crop(ImageOperation.Crop(x: x, y: y, width: width, height: height, unit: unit, gravity: gravity)))
    }

    /// Cuts off edges of one color: that of the top left corner, unless one is named.
    /// A transparent corner cuts off transparent edges.
    /// A picture of one color stays as it is.
    /// An animation loses the edge that all its frames share.
    /// In a source with lossy compression (JPEG, AVIF, HEIF, most WebP), details one pixel thin count as noise.
    ///
    /// - Parameter threshold: How far a color may differ from that of the edge, of 255. 0 to 255.
    ///   Default: `10`.
    /// - Parameter color: The color of the operation; for trim the color to cut off, by default that of the top left corner.
    /// - Parameter margin: The pixels to leave around the kept part, where the picture has some. 0 to 16384.
    ///   Default: `0`.
    /// - Parameter symmetric: Where opposite edges both lose as much as the smaller one: left and right (horizontal), top and bottom (vertical), or both.
    ///   Default: `"none"`.
    public static func trim(threshold: Double? = nil, color: String? = nil, margin: Int? = nil, symmetric: ImageOperation.Symmetric? = nil) -> ImageTransform {
        ImageTransform(.trim(ImageOperation.Trim(threshold: threshold, color: color, margin: margin, symmetric: symmetric)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func trim(threshold: Double? = nil, color: String? = nil, margin: Int? = nil, symmetric: ImageOperation.Symmetric? = nil) -> ImageTransform {
        appending(.trim(ImageOperation.Trim(threshold: threshold, color: color, margin: margin, symmetric: symmetric)))
    }

    /// Adds pixels of a color at each edge.
    /// Negative numbers take pixels away, as inset does.
    ///
    /// - Parameter top: The pixels at this edge. -16384 to 16384.
    ///   Default: `0`.
    /// - Parameter right: The pixels at this edge. -16384 to 16384.
    ///   Default: `0`.
    /// - Parameter bottom: The pixels at this edge. -16384 to 16384.
    ///   Default: `0`.
    /// - Parameter left: The pixels at this edge. -16384 to 16384.
    ///   Default: `0`.
    /// - Parameter color: The color of added pixels.
    ///   Default: `"transparent"`.
    public static func extend(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) -> ImageTransform {
        ImageTransform(.extend(ImageOperation.Extend(top: top, right: right, bottom: bottom, left: left, color: color)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func extend(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) -> ImageTransform {
        appending(.extend(ImageOperation.Extend(top: top, right: right, bottom: bottom, left: left, color: color)))
    }

    /// Takes pixels away at each edge.
    /// Negative numbers add pixels of a color, as extend does.
    ///
    /// - Parameter top: The pixels at this edge. -16384 to 16384.
    ///   Default: `0`.
    /// - Parameter right: The pixels at this edge. -16384 to 16384.
    ///   Default: `0`.
    /// - Parameter bottom: The pixels at this edge. -16384 to 16384.
    ///   Default: `0`.
    /// - Parameter left: The pixels at this edge. -16384 to 16384.
    ///   Default: `0`.
    /// - Parameter color: The color of added pixels.
    ///   Default: `"transparent"`.
    public static func inset(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) -> ImageTransform {
        ImageTransform(.inset(ImageOperation.Inset(top: top, right: right, bottom: bottom, left: left, color: color)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func inset(top: Int? = nil, right: Int? = nil, bottom: Int? = nil, left: Int? = nil, color: String? = nil) -> ImageTransform {
        appending(.inset(ImageOperation.Inset(top: top, right: right, bottom: bottom, left: left, color: color)))
    }

    /// Puts the picture on a canvas of at least this size, or of this shape.
    /// The picture is neither cut nor scaled.
    ///
    /// - Parameter width: The smallest width of the canvas. 1 to 16384.
    /// - Parameter height: The smallest height of the canvas. 1 to 16384.
    /// - Parameter aspect: The width of the canvas divided by its height: 1 is square.
    ///   The canvas grows on one side. 0.01 to 100.
    /// - Parameter gravity: The place of the picture on the canvas, with or without offsets.
    ///   The picture stays inside.
    ///   Default: `"center"`.
    /// - Parameter color: The color of the canvas.
    ///   Default: `"transparent"`.
    public static func pad(
        _ width: Int? = nil,
        _ height: Int? = nil,
        aspect: Double? = nil,
        gravity: ImageOperation.EdgeGravity? = nil,
        color: String? = nil
    ) -> ImageTransform {
        ImageTransform(.pad(ImageOperation.Pad(width, height, aspect: aspect, gravity: gravity, color: color)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func pad(
        _ width: Int? = nil,
        _ height: Int? = nil,
        aspect: Double? = nil,
        gravity: ImageOperation.EdgeGravity? = nil,
        color: String? = nil
    ) -> ImageTransform {
        appending(.pad(ImageOperation.Pad(width, height, aspect: aspect, gravity: gravity, color: color)))
    }

    /// Turns the picture clockwise around its middle.
    ///
    /// - Parameter angle: Degrees clockwise; negative numbers turn the other way. -3600 to 3600.
    /// - Parameter expand: true: the canvas grows to contain the whole picture. false: the canvas keeps its size; the corners are lost.
    ///   Default: `true`.
    /// - Parameter background: The color beside the turned picture.
    ///   Default: `"transparent"`.
    public static func rotate(_ angle: Double, expand: Bool? = nil, background: String? = nil) -> ImageTransform {
        ImageTransform(.rotate(ImageOperation.Rotate(angle, expand: expand, background: background)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func rotate(_ angle: Double, expand: Bool? = nil, background: String? = nil) -> ImageTransform {
        appending(.rotate(ImageOperation.Rotate(angle, expand: expand, background: background)))
    }

    /// Mirrors the picture.
    ///
    /// - Parameter horizontal: Swaps left and right.
    ///   Default: `false`.
    /// - Parameter vertical: Swaps top and bottom.
    ///   Default: `false`.
    public static func flip(horizontal: Bool? = nil, vertical: Bool? = nil) -> ImageTransform {
        ImageTransform(.flip(ImageOperation.Flip(horizontal: horizontal, vertical: vertical)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func flip(horizontal: Bool? = nil, vertical: Bool? = nil) -> ImageTransform {
        appending(.flip(ImageOperation.Flip(horizontal: horizontal, vertical: vertical)))
    }

    /// Rounds corners; the outside becomes transparent.
    /// A border runs along the inside of the edge.
    ///
    /// - Parameter radius: The radius in pixels; for corners, at most half of the shorter side counts. 0 to 8192.
    /// - Parameter corners: Which ones.
    ///   Default: `["topLeft","topRight","bottomRight","bottomLeft"]`.
    /// - Parameter border: The line along the edge, inside the picture.
    public static func roundCorners(_ radius: Double, corners: [ImageOperation.Corner]? = nil, border: ImageOperation.CornerBorder? = nil) -> ImageTransform {
        ImageTransform(.roundCorners(ImageOperation.RoundCorners(radius, corners: corners, border: border)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func roundCorners(_ radius: Double, corners: [ImageOperation.Corner]? = nil, border: ImageOperation.CornerBorder? = nil) -> ImageTransform {
        appending(.roundCorners(ImageOperation.RoundCorners(radius, corners: corners, border: border)))
    }

    /// Draws a line along the edges, inside the picture.
    ///
    /// - Parameter width: The width of the line in pixels; less than half of the shorter side. 0 to 8192.
    /// - Parameter color: The color of the line.
    ///   Default: `"black"`.
    public static func border(_ width: Double, color: String? = nil) -> ImageTransform {
        ImageTransform(.border(ImageOperation.Border(width, color: color)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func border(_ width: Double, color: String? = nil) -> ImageTransform {
        appending(.border(ImageOperation.Border(width, color: color)))
    }

    /// Keeps a shape in the middle of the picture, or the shape that another picture gives.
    /// Everything else becomes transparent; the size stays.
    ///
    /// - Parameter shape: The shape to keep. circle: as large as fits; ellipse: touches all four edges.
    /// - Parameter url: The URL of another picture; for a mask, stretched over this one.
    ///   Its transparency, or else its brightness, gives the shape.
    public static func mask(shape: ImageOperation.Shape? = nil, url: String? = nil) -> ImageTransform {
        ImageTransform(.mask(ImageOperation.Mask(shape: shape, url: url)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func mask(shape: ImageOperation.Shape? = nil, url: String? = nil) -> ImageTransform {
        appending(.mask(ImageOperation.Mask(shape: shape, url: url)))
    }

    /// Lays another picture over this one.
    /// The size stays; parts outside are cut off.
    ///
    /// - Parameter url: The URL of the other picture, as for a source.
    /// - Parameter gravity: The place of the overlay: one of nine places, or a point in fractions for its middle.
    ///   Default: `"center"`.
    /// - Parameter x: Pixels between the left edges, instead of gravity. -16384 to 16384.
    /// - Parameter y: Pixels between the upper edges, instead of gravity. -16384 to 16384.
    /// - Parameter blend: How the colors mix with those of the picture.
    ///   Default: `"normal"`.
    /// - Parameter opacity: 0 is invisible, 1 opaque. 0 to 1.
    ///   Default: `1`.
    /// - Parameter tile: Whether to repeat over the whole picture.
    ///   Default: `false`.
    /// - Parameter scale: The part of the picture's width and height to fit into.
    ///   Default: its own size. 0.01 to 1.
    public static func composite(
        _ url: String,
        gravity: ImageOperation.OverlayGravity? = nil,
        x: Int? = nil,
        y: Int? = nil,
        blend: ImageOperation.Blend? = nil,
        opacity: Double? = nil,
        tile: ImageOperation.Tiling? = nil,
        scale: Double? = nil
    ) -> ImageTransform {
        ImageTransform(.composite(ImageOperation.Composite(url, gravity: gravity, x: x, y: y, blend: blend, opacity: opacity, tile: tile, scale: scale)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func composite(
        _ url: String,
        gravity: ImageOperation.OverlayGravity? = nil,
        x: Int? = nil,
        y: Int? = nil,
        blend: ImageOperation.Blend? = nil,
        opacity: Double? = nil,
        tile: ImageOperation.Tiling? = nil,
        scale: Double? = nil
    ) -> ImageTransform {
        appending(.composite(ImageOperation.Composite(url, gravity: gravity, x: x, y: y, blend: blend, opacity: opacity, tile: tile, scale: scale)))
    }

    /// Draws text over the picture.
    /// The size stays; parts outside are cut off.
    /// The text is plain, never markup.
    ///
    /// - Parameter text: The text to draw.
    /// - Parameter font: The font family: one that `formats.list` names, in any case.
    ///   Missing letters come from the other fonts.
    ///   Default: `"sans"`.
    /// - Parameter size: The size of an em, in pixels. 4 to 1000.
    ///   Default: `32`.
    /// - Parameter bold: Bold letters.
    ///   Default: `false`.
    /// - Parameter italic: Italic letters.
    ///   Default: `false`.
    /// - Parameter color: The color of the letters.
    ///   Emoji have colors of their own.
    ///   Default: `"black"`.
    /// - Parameter gravity: The place: one of nine, or a point in fractions for the middle.
    ///   Default: center; with x or y, topLeft.
    /// - Parameter x: Pixels inwards from the edge; from a middle or a point, to the right. -16384 to 16384.
    ///   Default: `0`.
    /// - Parameter y: The same, down. -16384 to 16384.
    ///   Default: `0`.
    /// - Parameter opacity: The opacity of the text and its background. 0 to 1.
    ///   Default: `1`.
    /// - Parameter width: The width at which lines break: up to 1 a part of the picture's width, above that pixels.
    ///   Default: lines do not break. 0.01 to 16384.
    /// - Parameter align: The alignment of lines; mirrored for text from right to left.
    ///   Default: `"left"`.
    /// - Parameter valign: The height that is placed: `line`, of the font's lines, as in CSS; `ink`, of the letters.
    ///   Default: `"line"`.
    /// - Parameter spacing: The pixels between lines, beside those of the font. 0 to 1000.
    ///   Default: `0`.
    /// - Parameter background: The color of a box behind the text.
    ///   Default: none.
    /// - Parameter padding: The pixels by which the background is larger on each side. 0 to 1000.
    ///   Default: `0`.
    /// - Parameter angle: Degrees by which text and background turn clockwise. -3600 to 3600.
    ///   Default: `0`.
    /// - Parameter tile: Whether to repeat the text over the whole picture, `padding` apart.
    ///   Default: `false`.
    public static func text(
        _ text: String,
        font: String? = nil,
        size: Double? = nil,
        bold: Bool? = nil,
        italic: Bool? = nil,
        color: String? = nil,
        gravity: ImageOperation.OverlayGravity? = nil,
        x: Int? = nil,
        y: Int? = nil,
        opacity: Double? = nil,
        width: Double? = nil,
        align: ImageOperation.Align? = nil,
        valign: ImageOperation.Valign? = nil,
        spacing: Int? = nil,
        background: String? = nil,
        padding: Int? = nil,
        angle: Double? = nil,
        tile: ImageOperation.Tiling? = nil
    ) -> ImageTransform {
        ImageTransform(.text(ImageOperation.Text(
            text,
            font: font,
            size: size,
            bold: bold,
            italic: italic,
            color: color,
            gravity: gravity,
            x: x,
            y: y,
            opacity: opacity,
            width: width,
            align: align,
            valign: valign,
            spacing: spacing,
            background: background,
            padding: padding,
            angle: angle,
            tile: tile
        )))
    }

    /// Appends the operation that the static function of the same name makes.
    public func text(
        _ text: String,
        font: String? = nil,
        size: Double? = nil,
        bold: Bool? = nil,
        italic: Bool? = nil,
        color: String? = nil,
        gravity: ImageOperation.OverlayGravity? = nil,
        x: Int? = nil,
        y: Int? = nil,
        opacity: Double? = nil,
        width: Double? = nil,
        align: ImageOperation.Align? = nil,
        valign: ImageOperation.Valign? = nil,
        spacing: Int? = nil,
        background: String? = nil,
        padding: Int? = nil,
        angle: Double? = nil,
        tile: ImageOperation.Tiling? = nil
    ) -> ImageTransform {
        appending(.text(ImageOperation.Text(
            text,
            font: font,
            size: size,
            bold: bold,
            italic: italic,
            color: color,
            gravity: gravity,
            x: x,
            y: y,
            opacity: opacity,
            width: width,
            align: align,
            valign: valign,
            spacing: spacing,
            background: background,
            padding: padding,
            angle: angle,
            tile: tile
        )))
    }

    /// Puts the picture on a color, which replaces transparency.
    /// The command line calls this operation `--flatten`.
    ///
    /// - Parameter color: The color behind the picture.
    ///   Default: `"white"`.
    public static func background(color: String? = nil) -> ImageTransform {
        ImageTransform(.background(ImageOperation.Background(color: color)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func background(color: String? = nil) -> ImageTransform {
        appending(.background(ImageOperation.Background(color: color)))
    }

    /// Blurs by the sigma of a Gaussian or the radius of three box blurs (as YYWebImage).
    /// Then changes the saturation, then lays a color over it.
    ///
    /// - Parameter sigma: The sigma of the Gaussian, in pixels. 0.3 to 250.
    /// - Parameter radius: The radius in pixels, instead of sigma.
    ///   Box sides are floor((radius · 3√(2π)/4 + 0.5) / 2), made odd. 0 to 250.
    /// - Parameter saturation: The saturation: 0 is gray, 1 unchanged, 2 twice as colorful.
    ///   Default for blur: 1, or that of the preset. -1 to 10.
    /// - Parameter tint: The color laid over the result, as strong as its alpha.
    ///   Default: none, or that of the preset.
    /// - Parameter blend: How the tint mixes with the picture.
    ///   Default: `"normal"`.
    /// - Parameter mask: The URL of another picture, stretched over this one.
    ///   Its transparency, or else its brightness, limits the blur.
    /// - Parameter preset: A ready-made look.
    ///   `soft`: radius 60 under white 0.84 at 0.36.
    ///   `light`: 60, 1 at 0.3.
    ///   `extraLight`: 40, 0.97 at 0.82.
    ///   `dark`: 40, 0.11 at 0.73.
    ///   Saturation 1.8.
    public static func blur(
        sigma: Double? = nil,
        radius: Double? = nil,
        saturation: Double? = nil,
        tint: String? = nil,
        blend: ImageOperation.Blend? = nil,
        mask: String? = nil,
        preset: ImageOperation.Preset? = nil
    ) -> ImageTransform {
        ImageTransform(.blur(ImageOperation.Blur(sigma: sigma, radius: radius, saturation: saturation, tint: tint, blend: blend, mask: mask, preset: preset)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func blur(
        sigma: Double? = nil,
        radius: Double? = nil,
        saturation: Double? = nil,
        tint: String? = nil,
        blend: ImageOperation.Blend? = nil,
        mask: String? = nil,
        preset: ImageOperation.Preset? = nil
    ) -> ImageTransform {
        appending(.blur(ImageOperation.Blur(sigma: sigma, radius: radius, saturation: saturation, tint: tint, blend: blend, mask: mask, preset: preset)))
    }

    /// Sharpens the lightness, edges twice as much as flat areas.
    ///
    /// - Parameter sigma: The width of an edge, in pixels. 0.3 to 10.
    ///   Default: `1`.
    /// - Parameter amount: The strength; 0 does nothing.
    ///   For sharpen, the lightness, of 100, gains at most 10 and loses at most 20. 0 to 10.
    ///   Default: `1`.
    public static func sharpen(sigma: Double? = nil, amount: Double? = nil) -> ImageTransform {
        ImageTransform(.sharpen(ImageOperation.Sharpen(sigma: sigma, amount: amount)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func sharpen(sigma: Double? = nil, amount: Double? = nil) -> ImageTransform {
        appending(.sharpen(ImageOperation.Sharpen(sigma: sigma, amount: amount)))
    }

    /// Replaces the picture by squares, each with the average color of its part, from the top left corner.
    ///
    /// - Parameter size: The side of a square in pixels. 1 to 16384.
    ///   Default: `10`.
    public static func pixelate(size: Int? = nil) -> ImageTransform {
        ImageTransform(.pixelate(ImageOperation.Pixelate(size: size)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func pixelate(size: Int? = nil) -> ImageTransform {
        appending(.pixelate(ImageOperation.Pixelate(size: size)))
    }

    /// Changes brightness, contrast, saturation, hue and gamma, in this order, as the CSS filters of these names.
    ///
    /// - Parameter brightness: The factor of all colors: 0 is black. 0 to 10.
    ///   Default: `1`.
    /// - Parameter contrast: The factor of the distance from middle gray: 0 is gray. 0 to 10.
    ///   Default: `1`.
    /// - Parameter saturation: The saturation: 0 is gray, 2 twice as colorful. -1 to 10.
    ///   Default: `1`.
    /// - Parameter hue: Degrees by which colors turn on the color circle. -3600 to 3600.
    ///   Default: `0`.
    /// - Parameter gamma: The gamma: above 1 dark parts become lighter, below 1 darker. 0.1 to 10.
    ///   Default: `1`.
    public static func modulate(
        brightness: Double? = nil,
        contrast: Double? = nil,
        saturation: Double? = nil,
        hue: Double? = nil,
        gamma: Double? = nil
    ) -> ImageTransform {
        ImageTransform(.modulate(ImageOperation.Modulate(brightness: brightness, contrast: contrast, saturation: saturation, hue: hue, gamma: gamma)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func modulate(
        brightness: Double? = nil,
        contrast: Double? = nil,
        saturation: Double? = nil,
        hue: Double? = nil,
        gamma: Double? = nil
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
    /// - Parameter amount: 0 does nothing, 1 is full. 0 to 1.
    ///   Default: `1`.
    public static func sepia(amount: Double? = nil) -> ImageTransform {
        ImageTransform(.sepia(ImageOperation.Sepia(amount: amount)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func sepia(amount: Double? = nil) -> ImageTransform {
        appending(.sepia(ImageOperation.Sepia(amount: amount)))
    }

    /// Replaces every color by its opposite, as in a negative.
    /// Transparency stays.
    public static func invert() -> ImageTransform {
        ImageTransform(.invert(ImageOperation.Invert()))
    }

    /// Appends the operation that the static function of the same name makes.
    public func invert() -> ImageTransform {
        appending(.invert(ImageOperation.Invert()))
    }

    /// Colors the picture. sourceIn: one color in the picture's shape.
    /// Other blends: the color mixed with the picture.
    ///
    /// - Parameter color: The color; its alpha is the strength.
    /// - Parameter blend: How the color mixes with the picture.
    ///   Default: `"sourceIn"`.
    public static func tint(_ color: String, blend: ImageOperation.TintBlend? = nil) -> ImageTransform {
        ImageTransform(.tint(ImageOperation.Tint(color, blend: blend)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func tint(_ color: String, blend: ImageOperation.TintBlend? = nil) -> ImageTransform {
        appending(.tint(ImageOperation.Tint(color, blend: blend)))
    }

    /// Maps dark to one opaque color and light to another.
    ///
    /// - Parameter shadow: The color for black.
    ///   Default: `"black"`.
    /// - Parameter highlight: The color for white.
    ///   Default: `"white"`.
    /// - Parameter amount: 0 does nothing, 1 is full. 0 to 1.
    ///   Default: `1`.
    public static func duotone(shadow: String? = nil, highlight: String? = nil, amount: Double? = nil) -> ImageTransform {
        ImageTransform(.duotone(ImageOperation.Duotone(shadow: shadow, highlight: highlight, amount: amount)))
    }

    /// Appends the operation that the static function of the same name makes.
    public func duotone(shadow: String? = nil, highlight: String? = nil, amount: Double? = nil) -> ImageTransform {
        appending(.duotone(ImageOperation.Duotone(shadow: shadow, highlight: highlight, amount: amount)))
    }

    /// Chooses frames of an animated picture: the picked ones, or the first ones.
    /// Then reverses them, then changes their pace.
    /// A format that cannot move gets the first remaining frame.
    /// All frames up to the last wanted one may have 2,000 million pixels.
    ///
    /// - Parameter pick: The numbers of the frames, from 0, in this order.
    ///   A frame may come twice.
    /// - Parameter first: The number of frames to keep, from the first one. 1 to 65535.
    /// - Parameter reverse: Whether to reverse the order.
    ///   Default: `false`.
    /// - Parameter speed: The speed: 2 is twice as fast.
    ///   A frame lasts at least 0.02 s and at most what the format can say. 0.01 to 100.
    ///   Default: `1`.
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
    /// - Parameter columns: The columns of frames in this picture, instead of urls.
    ///   Default: 1 with rows. 1 to 256.
    /// - Parameter rows: The rows of frames in this picture, instead of urls.
    ///   Default: 1 with columns. 1 to 256.
    /// - Parameter count: The number of frames in the sheet, row by row from the upper left one.
    ///   Default: all. 1 to 65536.
    /// - Parameter delay: Milliseconds for a frame: one number, or one for each frame.
    ///   GIF counts in hundredths of a second.
    ///   Default: `100`.
    /// - Parameter loop: How often the animation plays; 0: for ever. 0 to 65535.
    ///   Default: `0`.
    /// - Parameter fit: How another picture gets the size. contain: whole, on a background; cover: cut; fill: stretched.
    ///   Default: `"contain"`.
    /// - Parameter background: The color where contain leaves the frame free.
    ///   Default: `"transparent"`.
    public static func animate(
        urls: [String]? = nil,
        columns: Int? = nil,
        rows: Int? = nil,
        count: Int? = nil,
        delay: ImageOperation.Delay? = nil,
        loop: Int? = nil,
        fit: ImageOperation.AnimationFit? = nil,
        background: String? = nil
    ) -> ImageTransform {
        ImageTransform(.animate(ImageOperation.Animate(
            urls: urls,
            columns: columns,
            rows: rows,
            count: count,
            delay: delay,
            loop: loop,
            fit: fit,
            background: background
        )))
    }

    /// Appends the operation that the static function of the same name makes.
    public func animate(
        urls: [String]? = nil,
        columns: Int? = nil,
        rows: Int? = nil,
        count: Int? = nil,
        delay: ImageOperation.Delay? = nil,
        loop: Int? = nil,
        fit: ImageOperation.AnimationFit? = nil,
        background: String? = nil
    ) -> ImageTransform {
        appending(.animate(ImageOperation.Animate(
            urls: urls,
            columns: columns,
            rows: rows,
            count: count,
            delay: delay,
            loop: loop,
            fit: fit,
            background: background
        )))
    }

    /// Turns the picture upright by its EXIF orientation, before any other operation.
    /// On by default; name the operation only to switch it off.
    ///
    /// - Parameter enabled: false: the pixels stay as they are stored.
    ///   HEIF and AVIF have a turn of their own in place of EXIF; their decoder always applies it.
    ///   Default: `true`.
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
    /// An http or https URL has at most 16384 bytes of ASCII, parameters included; escape others, as %C3%A9.
    /// Either url or urls is required.
    public var url: String?
    /// Mirrors of one source, instead of url: the next one is tried after a failed download.
    /// If the first host is throttled, the first mirror on another host goes first.
    /// All options hold for all mirrors.
    public var urls: [String]?
    /// Your own id for the request.
    /// A repeated request with the same id is idempotent.
    /// Another request with an id in use fails with invalidParams, whose `path` is receipt.
    public var receipt: String?
    /// The queue of the request, which must exist.
    /// Default: `"default"`.
    public var queue: String?
    /// The order in the queue among the fetches of one client: higher goes first.
    /// Permits are shared between clients before priorities count.
    /// Default: `0`.
    public var priority: Priority?
    /// The order within a priority.
    /// Default: the order of the queue.
    public var order: Order?
    /// Seconds from acceptance to the result, queueing included.
    /// At most the operator's --max-deadline, 600 by default. 0.001 to 86400.
    /// Default: `30`.
    public var deadline: Double?
    /// Whether progress events come, and how often: after `interval` seconds (default 0.25, at least 0.02) or a step of `fraction` (default 0.05).
    /// Default: `false`.
    public var progress: ProgressReports?
    /// Whether this connection gets `image.hook`, see Hooks.
    /// Default: `false`.
    public var hooks: Bool?
    /// true: the request goes on for 24 hours without its client.
    /// Default: `false`.
    public var detached: Bool?
    /// See Durable.
    /// Default: as the operator says.
    public var durable: Bool?
    /// false: the request does not count in `activity.get`.
    /// Default: `true`.
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
    /// An object that every event repeats.
    /// At most 16384 bytes of JSON; an integer above 64 bits becomes a float.
    public var userInfo: JSONObject?
    /// The properties of the source in the result's `description`, measured upright and on the first frame.
    /// `blurhash` has 4 × 3 or 3 × 4 components, `thumbhash` is base64, `phash` is 64 bits in hexadecimal.
    /// `palette` has up to six `{color, share}`.
    /// `exif` has camera, exposure and time, never the place.
    /// `animation` is null for a still picture, else `{loop, delays}`.
    /// `loop` is the number of plays, 0 for endless; `delays` has the milliseconds of the first 512 frames, as viewers show them.
    /// `gainMap` says whether `output.gainMap` finds a map.
    /// `hdr`: `pq`, `hlg` or null.
    public var describe: [Trait]?
    /// The pixels of the upright picture, in its own size, whose colors are in the result's `description.colors`: `{points, rects}`.
    /// A color is `#rrggbb`, `#rrggbbaa` if transparent, or null outside the picture.
    /// Rectangles come row by row.
    @Boxed public var samples: Samples?
    /// How to download the source.
    @Boxed public var fetch: Fetch?
    /// Which caches to read and write.
    @Boxed public var cache: Cache?
    /// How to decode the source.
    @Boxed public var decode: Decode?
    /// The replacement for an image that cannot be loaded.
    /// The request then succeeds with `from` fallback and the cause as `error`.
    /// Not for invalid URLs and cancelled requests.
    /// Callbacks and subscribers in Redis get the failure.
    public var fallback: Fallback?
    /// The outputs of one download.
    /// Default: one named "default".
    public var renditions: [Rendition]?
    /// The operations of the only rendition.
    /// Instead of `renditions`.
    public var transform: ImageTransform?
    /// The encoding of the only rendition.
    /// Instead of `renditions`.
    @Boxed public var output: ImageOutput?
    /// The properties that a source must have, for pictures only.
    /// A cached source without them counts as missing.
    /// A download without them fails with badImageData, which has `required` and `found`.
    @Boxed public var require: Require?
    /// Texts to keep with the results.
    /// They come back as `metadata` and as HTTP headers `Tintype-Meta-…`.
    /// Names of a–z 0–9 -, at most 1024 bytes of JSON.
    /// An existing result keeps its own.
    public var metadata: [String: String]?
    /// Saves each result as a file in a place of the operator, whole or not at all, before the request ends.
    /// `saved` of each rendition names the file.
    /// No cache of results answers such a request.
    /// With tokens it needs the role `put`.
    @Boxed public var saveTo: SaveTo?
    /// The kind of result.
    /// `image`: a picture.
    /// `bytes`: the undecoded source.
    /// `json`: the source as the result's `json`; it must be JSON of at most 58 levels, and only line breaks change.
    /// `text`: the body as the result's `text`, decoded by the charset of its Content-Type, else as UTF-8.
    /// `xml`: the same; it must be well-formed XML of at most 256 levels.
    /// XML with declarations of its own is refused.
    /// A byte order mark overrides the header, and the header overrides the declaration of XML.
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
    /// A shared download uses the options of its first request.
    /// Default: `false`.
    public var progressive: Previews?

    /// Members that are nil are left to the service.
    public init(
        _ url: String? = nil,
        transform: ImageTransform? = nil,
        output: ImageOutput? = nil,
        urls: [String]? = nil,
        receipt: String? = nil,
        queue: String? = nil,
        priority: Priority? = nil,
        order: Order? = nil,
        deadline: Double? = nil,
        progress: ProgressReports? = nil,
        hooks: Bool? = nil,
        detached: Bool? = nil,
        durable: Bool? = nil,
        activity: Bool? = nil,
        callback: Callback? = nil,
        slot: String? = nil,
        blacklist: Blacklist? = nil,
        tag: String? = nil,
        userInfo: JSONObject? = nil,
        describe: [Trait]? = nil,
        samples: Samples? = nil,
        fetch: Fetch? = nil,
        cache: Cache? = nil,
        decode: Decode? = nil,
        fallback: Fallback? = nil,
        renditions: [Rendition]? = nil,
        require: Require? = nil,
        metadata: [String: String]? = nil,
        saveTo: SaveTo? = nil,
        kind: Kind? = nil,
        deliver: Delivery? = nil,
        progressive: Previews? = nil
    ) {
        self.url = url
        self.urls = urls
        self.receipt = receipt
        self.queue = queue
        self.priority = priority
        self.order = order
        self.deadline = deadline
        self.progress = progress
        self.hooks = hooks
        self.detached = detached
        self.durable = durable
        self.activity = activity
        self.callback = callback
        self.slot = slot
        self.blacklist = blacklist
        self.tag = tag
        self.userInfo = userInfo
        self.describe = describe
        self.samples = samples
        self.fetch = fetch
        self.cache = cache
        self.decode = decode
        self.fallback = fallback
        self.renditions = renditions
        self.transform = transform
        self.output = output
        self.require = require
        self.metadata = metadata
        self.saveTo = saveTo
        self.kind = kind
        self.deliver = deliver
        self.progressive = progressive
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        url = try members.read("url")
        urls = try members.read("urls")
        receipt = try members.read("receipt")
        queue = try members.read("queue")
        priority = try members.read("priority")
        order = try members.read("order")
        deadline = try members.read("deadline")
        progress = try members.read("progress")
        hooks = try members.read("hooks")
        detached = try members.read("detached")
        durable = try members.read("durable")
        activity = try members.read("activity")
        callback = try members.read("callback")
        slot = try members.read("slot")
        blacklist = try members.read("blacklist")
        tag = try members.read("tag")
        userInfo = try members.read("userInfo")
        describe = try members.read("describe")
        samples = try members.read("samples")
        fetch = try members.read("fetch")
        cache = try members.read("cache")
        decode = try members.read("decode")
        fallback = try members.read("fallback")
        renditions = try members.read("renditions")
        transform = try members.read("transform")
        output = try members.read("output")
        require = try members.read("require")
        metadata = try members.read("metadata")
        saveTo = try members.read("saveTo")
        kind = try members.read("as")
        deliver = try members.read("deliver")
        progressive = try members.read("progressive")
    }

    public func write(to members: inout MemberWriter) {
        members.add("url", url)
        members.add("urls", urls)
        members.add("receipt", receipt)
        members.add("queue", queue)
        members.add("priority", priority)
        members.add("order", order)
        members.add("deadline", deadline)
        members.add("progress", progress)
        members.add("hooks", hooks)
        members.add("detached", detached)
        members.add("durable", durable)
        members.add("activity", activity)
        members.add("callback", callback, isSecret: true)
        members.add("slot", slot)
        members.add("blacklist", blacklist)
        members.add("tag", tag)
        members.add("userInfo", userInfo)
        members.add("describe", describe)
        members.add("samples", samples)
        members.add("fetch", fetch)
        members.add("cache", cache)
        members.add("decode", decode)
        members.add("fallback", fallback)
        members.add("renditions", renditions)
        members.add("transform", transform)
        members.add("output", output)
        members.add("require", require)
        members.add("metadata", metadata)
        members.add("saveTo", saveTo)
        members.add("as", kind)
        members.add("deliver", deliver)
        members.add("progressive", progressive)
    }
}

/// A member of `renditions`: one output of a request.
public struct Rendition: Record {
    /// The name of the rendition in the result, unique in the request.
    /// Default: `"default"`.
    public var name: String?
    /// The operations, in order.
    /// Default: `[]`.
    public var transform: ImageTransform?
    /// How to encode the result.
    @Boxed public var output: ImageOutput?

    /// Members that are nil are left to the service.
    public init(_ name: String? = nil, transform: ImageTransform? = nil, output: ImageOutput? = nil) {
        self.name = name
        self.transform = transform
        self.output = output
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        name = try members.read("name")
        transform = try members.read("transform")
        output = try members.read("output")
    }

    public func write(to members: inout MemberWriter) {
        members.add("name", name)
        members.add("transform", transform)
        members.add("output", output)
    }
}

/// `output` of a request or of a rendition: how to encode the result.
public struct ImageOutput: Record {
    /// The format of the result.
    /// `original`: the source's format if it can be encoded, else png with alpha or lossless, and jpeg otherwise.
    /// `auto`: the best format of `accept`; the default with `accept`.
    /// A format without an encoder (see `formats.list`) fails with unsupportedFormat.
    /// Default: `"original"`.
    public var format: ImageFormat?
    /// The formats for auto: an Accept header, or a list of media types or formats.
    /// Animated: webp, else gif (png first for a png source).
    /// Still: avif, else webp, else jxl (if neither is named), else png (with alpha or from a lossless source), else jpeg.
    /// A star, or nothing known, means jpeg, png and gif.
    public var accept: Accept?
    /// The formats of sources that are delivered as they came, without operations, unless `format` names another one.
    /// Default: `[]`.
    public var keep: [SourceFormat]?
    /// The quality of the encoder.
    /// Default: jpeg 80, webp 80, avif 50, heif 50, jxl 75; png with palette 100.
    /// `auto`: the lowest of five tried that keeps `likeness`, named in the result.
    /// It is for still jpeg, webp, avif; others have the default.
    public var quality: Quality?
    /// The quality by the format that the result gets, where `quality` is not given.
    @Boxed public var qualities: Qualities?
    /// For quality auto: the least likeness (SSIM of brightness) of the file to the picture before it is encoded; 1 means equal.
    /// If none is enough, the quality is 100. 0.8 to 0.999.
    /// Default: `0.98`.
    public var likeness: Double?
    /// Encodes webp, avif, heif and jxl without loss; unsupportedFormat if the build cannot.
    /// Without a named format, jpeg is not chosen, and gif only for a gif source.
    /// Default: `false`.
    public var lossless: Bool?
    /// The effort of the encoder, from 0 (fastest) to 9 (smallest).
    /// Default: png 6, webp 4, avif 3, gif 4, heif 3, jxl 4. 0 to 9.
    public var effort: Int?
    /// Makes jpeg progressive and png interlaced.
    /// Default: `false`.
    public var progressive: Bool?
    /// Limits png to 256 colors, dithered.
    /// `quality` says how close the colors must be.
    /// Default: `false`.
    public var palette: Bool?
    /// Keeps the animation in a png or avif; false: only the first frame.
    /// Such a source stays animated.
    /// An animated png has 8 bits and ignores palette and progressive.
    /// An animated avif ignores metadata and cannot be lossless.
    /// Default: `false`.
    public var animated: Bool?
    /// The chroma subsampling of jpeg, avif and heif. 4:4:4 keeps the color of every pixel.
    /// Default: `"4:2:0"`.
    public var subsampling: Subsampling?
    /// For avif: the bits of each number, 8, 10 or 12. 9 counts as 10, and 11 as 12.
    /// A build before libvips 8.15 cannot write 10 bits without loss, or with metadata or a color profile (unsupportedFormat).
    /// With more than 8 bits, a source of 16 bits keeps its finer steps. 8 to 12.
    /// Default: `8`.
    public var bitDepth: Int?
    /// For jpeg: the longer side of a thumbnail in the file's EXIF, in pixels.
    /// The thumbnail is never larger than the picture. 16 to 320.
    public var thumbnail: Int?
    /// The most bytes of the file.
    /// The highest quality up to `quality` that fits is used, and named in the result; limitExceeded if none fits.
    /// Formats without a quality are only checked.
    /// At least 1.
    public var maxBytes: Int?
    /// The metadata to keep.
    /// `copyright`: Copyright and Artist of EXIF.
    /// `all`: EXIF, XMP and IPTC, the place of the photo too.
    /// For jpeg, png, webp, avif and heif. jpeg, png and tiff always keep the pixel density.
    /// Default: `"none"`.
    public var metadata: Metadata?
    /// The color space.
    /// `srgb`: colors become sRGB, without a profile.
    /// `keep`: RGB stays in the source's space, with its profile; gray with a profile of its own is converted.
    /// Colors of operations then mean that space, and other pictures are converted to it.
    /// Not for gif and jxl.
    /// Default: `"srgb"`.
    public var icc: ColorSpace?
    /// The gain map of an Ultra HDR jpeg.
    /// `drop`: the result is the SDR picture.
    /// `keep`, for jpeg: the map follows crops, sizes and turns by quarters, and other XMP gives way to its own.
    /// `apply`, for png without palette: the HDR picture of 16 bits in BT.2020 and PQ, with SDR white at 203 cd/m².
    /// Layers, text, round corners, free angles and canvases end in SDR, as does a broken map.
    /// Default: `"drop"`.
    public var gainMap: GainMap?
    /// Still pictures in PQ or HLG.
    /// `keep`: avif (10 bits) and png without palette keep curve and primaries.
    /// It refuses operations with colors.
    /// Default: `"toneMap"`.
    public var hdr: HDR?
    /// The color behind the picture if the format has no alpha.
    /// Its own alpha shows white.
    /// Default: `"white"`.
    public var background: String?

    /// Members that are nil are left to the service.
    public init(
        _ format: ImageFormat? = nil,
        accept: Accept? = nil,
        keep: [SourceFormat]? = nil,
        quality: Quality? = nil,
        qualities: Qualities? = nil,
        likeness: Double? = nil,
        lossless: Bool? = nil,
        effort: Int? = nil,
        progressive: Bool? = nil,
        palette: Bool? = nil,
        animated: Bool? = nil,
        subsampling: Subsampling? = nil,
        bitDepth: Int? = nil,
        thumbnail: Int? = nil,
        maxBytes: Int? = nil,
        metadata: Metadata? = nil,
        icc: ColorSpace? = nil,
        gainMap: GainMap? = nil,
        hdr: HDR? = nil,
        background: String? = nil
    ) {
        self.format = format
        self.accept = accept
        self.keep = keep
        self.quality = quality
        self.qualities = qualities
        self.likeness = likeness
        self.lossless = lossless
        self.effort = effort
        self.progressive = progressive
        self.palette = palette
        self.animated = animated
        self.subsampling = subsampling
        self.bitDepth = bitDepth
        self.thumbnail = thumbnail
        self.maxBytes = maxBytes
        self.metadata = metadata
        self.icc = icc
        self.gainMap = gainMap
        self.hdr = hdr
        self.background = background
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        format = try members.read("format")
        accept = try members.read("accept")
        keep = try members.read("keep")
        quality = try members.read("quality")
        qualities = try members.read("qualities")
        likeness = try members.read("likeness")
        lossless = try members.read("lossless")
        effort = try members.read("effort")
        progressive = try members.read("progressive")
        palette = try members.read("palette")
        animated = try members.read("animated")
        subsampling = try members.read("subsampling")
        bitDepth = try members.read("bitDepth")
        thumbnail = try members.read("thumbnail")
        maxBytes = try members.read("maxBytes")
        metadata = try members.read("metadata")
        icc = try members.read("icc")
        gainMap = try members.read("gainMap")
        hdr = try members.read("hdr")
        background = try members.read("background")
    }

    public func write(to members: inout MemberWriter) {
        members.add("format", format)
        members.add("accept", accept)
        members.add("keep", keep)
        members.add("quality", quality)
        members.add("qualities", qualities)
        members.add("likeness", likeness)
        members.add("lossless", lossless)
        members.add("effort", effort)
        members.add("progressive", progressive)
        members.add("palette", palette)
        members.add("animated", animated)
        members.add("subsampling", subsampling)
        members.add("bitDepth", bitDepth)
        members.add("thumbnail", thumbnail)
        members.add("maxBytes", maxBytes)
        members.add("metadata", metadata)
        members.add("icc", icc)
        members.add("gainMap", gainMap)
        members.add("hdr", hdr)
        members.add("background", background)
    }
}

extension ImageRequest {
    /// The URL of the source: http, https, data, `color:COLOR,WIDTHxHEIGHT`, file with the operator's --file-root, `s3://bucket/key` with the workers'
    /// --source-buckets, or `upload:ID` (PUT /uploads).
    /// An http or https URL has at most 16384 bytes of ASCII, parameters included; escape others, as %C3%A9.
    /// Either url or urls is required.
    public func url(_ url: String?) -> ImageRequest {
        var request = self
        request.url = url
        return request
    }

    /// Mirrors of one source, instead of url: the next one is tried after a failed download.
    /// If the first host is throttled, the first mirror on another host goes first.
    /// All options hold for all mirrors.
    public func urls(_ urls: [String]?) -> ImageRequest {
        var request = self
        request.urls = urls
        return request
    }

    /// Your own id for the request.
    /// A repeated request with the same id is idempotent.
    /// Another request with an id in use fails with invalidParams, whose `path` is receipt.
    public func receipt(_ receipt: String?) -> ImageRequest {
        var request = self
        request.receipt = receipt
        return request
    }

    /// The queue of the request, which must exist.
    /// Default: `"default"`.
    public func queue(_ queue: String?) -> ImageRequest {
        var request = self
        request.queue = queue
        return request
    }

    /// The order in the queue among the fetches of one client: higher goes first.
    /// Permits are shared between clients before priorities count.
    /// Default: `0`.
    public func priority(_ priority: ImageRequest.Priority?) -> ImageRequest {
        var request = self
        request.priority = priority
        return request
    }

    /// The order within a priority.
    /// Default: the order of the queue.
    public func order(_ order: ImageRequest.Order?) -> ImageRequest {
        var request = self
        request.order = order
        return request
    }

    /// Seconds from acceptance to the result, queueing included.
    /// At most the operator's --max-deadline, 600 by default. 0.001 to 86400.
    /// Default: `30`.
    public func deadline(_ deadline: Double?) -> ImageRequest {
        var request = self
        request.deadline = deadline
        return request
    }

    /// Whether progress events come, and how often: after `interval` seconds (default 0.25, at least 0.02) or a step of `fraction` (default 0.05).
    /// Default: `false`.
    public func progress(_ progress: ImageRequest.ProgressReports?) -> ImageRequest {
        var request = self
        request.progress = progress
        return request
    }

    /// Whether this connection gets `image.hook`, see Hooks.
    /// Default: `false`.
    public func hooks(_ hooks: Bool?) -> ImageRequest {
        var request = self
        request.hooks = hooks
        return request
    }

    /// true: the request goes on for 24 hours without its client.
    /// Default: `false`.
    public func detached(_ detached: Bool?) -> ImageRequest {
        var request = self
        request.detached = detached
        return request
    }

    /// See Durable.
    /// Default: as the operator says.
    public func durable(_ durable: Bool?) -> ImageRequest {
        var request = self
        request.durable = durable
        return request
    }

    /// false: the request does not count in `activity.get`.
    /// Default: `true`.
    public func activity(_ activity: Bool?) -> ImageRequest {
        var request = self
        request.activity = activity
        return request
    }

    /// Posts the terminal event to a URL of yours, see Callbacks.
    public func callback(_ callback: ImageRequest.Callback?) -> ImageRequest {
        var request = self
        request.callback = callback
        return request
    }

    /// The supersede key: a newer request with the same key in the queue cancels the older one.
    public func slot(_ slot: String?) -> ImageRequest {
        var request = self
        request.slot = slot
        return request
    }

    /// The treatment of a blacklisted source.
    /// `on`: refused.
    /// `off`: downloaded, and the blacklist does not change.
    /// `retry`: downloaded, and a success removes the entry.
    /// Default: `"on"`.
    public func blacklist(_ blacklist: ImageRequest.Blacklist?) -> ImageRequest {
        var request = self
        request.blacklist = blacklist
        return request
    }

    /// A text that every event repeats.
    public func tag(_ tag: String?) -> ImageRequest {
        var request = self
        request.tag = tag
        return request
    }

    /// An object that every event repeats.
    /// At most 16384 bytes of JSON; an integer above 64 bits becomes a float.
    public func userInfo(_ userInfo: JSONObject?) -> ImageRequest {
        var request = self
        request.userInfo = userInfo
        return request
    }

    /// The properties of the source in the result's `description`, measured upright and on the first frame.
    /// `blurhash` has 4 × 3 or 3 × 4 components, `thumbhash` is base64, `phash` is 64 bits in hexadecimal.
    /// `palette` has up to six `{color, share}`.
    /// `exif` has camera, exposure and time, never the place.
    /// `animation` is null for a still picture, else `{loop, delays}`.
    /// `loop` is the number of plays, 0 for endless; `delays` has the milliseconds of the first 512 frames, as viewers show them.
    /// `gainMap` says whether `output.gainMap` finds a map.
    /// `hdr`: `pq`, `hlg` or null.
    public func describe(_ describe: [ImageRequest.Trait]?) -> ImageRequest {
        var request = self
        request.describe = describe
        return request
    }

    /// The pixels of the upright picture, in its own size, whose colors are in the result's `description.colors`: `{points, rects}`.
    /// A color is `#rrggbb`, `#rrggbbaa` if transparent, or null outside the picture.
    /// Rectangles come row by row.
    public func samples(_ samples: ImageRequest.Samples?) -> ImageRequest {
        var request = self
        request.samples = samples
        return request
    }

    /// How to download the source.
    public func fetch(_ fetch: ImageRequest.Fetch?) -> ImageRequest {
        var request = self
        request.fetch = fetch
        return request
    }

    /// Which caches to read and write.
    public func cache(_ cache: ImageRequest.Cache?) -> ImageRequest {
        var request = self
        request.cache = cache
        return request
    }

    /// How to decode the source.
    public func decode(_ decode: ImageRequest.Decode?) -> ImageRequest {
        var request = self
        request.decode = decode
        return request
    }

    /// The replacement for an image that cannot be loaded.
    /// The request then succeeds with `from` fallback and the cause as `error`.
    /// Not for invalid URLs and cancelled requests.
    /// Callbacks and subscribers in Redis get the failure.
    public func fallback(_ fallback: ImageRequest.Fallback?) -> ImageRequest {
        var request = self
        request.fallback = fallback
        return request
    }

    /// The outputs of one download.
    /// Default: one named "default".
    public func renditions(_ renditions: [Rendition]?) -> ImageRequest {
        var request = self
        request.renditions = renditions
        return request
    }

    /// The operations of the only rendition.
    /// Instead of `renditions`.
    public func transform(_ transform: ImageTransform?) -> ImageRequest {
        var request = self
        request.transform = transform
        return request
    }

    /// The encoding of the only rendition.
    /// Instead of `renditions`.
    public func output(_ output: ImageOutput?) -> ImageRequest {
        var request = self
        request.output = output
        return request
    }

    /// The properties that a source must have, for pictures only.
    /// A cached source without them counts as missing.
    /// A download without them fails with badImageData, which has `required` and `found`.
    public func require(_ require: ImageRequest.Require?) -> ImageRequest {
        var request = self
        request.require = require
        return request
    }

    /// Texts to keep with the results.
    /// They come back as `metadata` and as HTTP headers `Tintype-Meta-…`.
    /// Names of a–z 0–9 -, at most 1024 bytes of JSON.
    /// An existing result keeps its own.
    public func metadata(_ metadata: [String: String]?) -> ImageRequest {
        var request = self
        request.metadata = metadata
        return request
    }

    /// Saves each result as a file in a place of the operator, whole or not at all, before the request ends.
    /// `saved` of each rendition names the file.
    /// No cache of results answers such a request.
    /// With tokens it needs the role `put`.
    public func saveTo(_ saveTo: ImageRequest.SaveTo?) -> ImageRequest {
        var request = self
        request.saveTo = saveTo
        return request
    }

    /// The kind of result.
    /// `image`: a picture.
    /// `bytes`: the undecoded source.
    /// `json`: the source as the result's `json`; it must be JSON of at most 58 levels, and only line breaks change.
    /// `text`: the body as the result's `text`, decoded by the charset of its Content-Type, else as UTF-8.
    /// `xml`: the same; it must be well-formed XML of at most 256 levels.
    /// XML with declarations of its own is refused.
    /// A byte order mark overrides the header, and the header overrides the declaration of XML.
    /// Default: `"image"`.
    public func kind(_ kind: ImageRequest.Kind?) -> ImageRequest {
        var request = self
        request.kind = kind
        return request
    }

    /// How the bytes come.
    /// `reference`: a key and a URL.
    /// `inline`: base64 in the result, up to 8 MiB.
    /// `none`: no bytes.
    /// Default: `"reference"`.
    public func deliver(_ deliver: ImageRequest.Delivery?) -> ImageRequest {
        var request = self
        request.deliver = deliver
        return request
    }

    /// Whether `preview` events come, see Previews.
    /// `mode`: plain (default), or blur, which shrinks as more arrives (not for baseline jpeg).
    /// `interval`: at least 0.05 to 3600 seconds between two, default 0.2.
    /// `width`: 16 to 1280 pixels, default 320.
    /// A shared download uses the options of its first request.
    /// Default: `false`.
    public func progressive(_ progressive: ImageRequest.Previews?) -> ImageRequest {
        var request = self
        request.progressive = progressive
        return request
    }
}

extension ImageOperation {
    /// A value of `border`.
    public struct CornerBorder: Record {
        /// The width of the line in pixels; less than half of the shorter side. 0 to 8192.
        public var width: Double
        /// The color of the line.
        /// Default: `"black"`.
        public var color: String?
        /// How the lines meet in a corner without rounding.
        /// Default: `"miter"`.
        public var join: Join?

        /// Members that are nil are left to the service.
        public init(width: Double, color: String? = nil, join: Join? = nil) {
            self.width = width
            self.color = color
            self.join = join
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            width = try members.require("width")
            color = try members.read("color")
            join = try members.read("join")
        }

        public func write(to members: inout MemberWriter) {
            members.add("width", width)
            members.add("color", color)
            members.add("join", join)
        }
    }
}

extension ImageRequest {
    /// A value of `timeouts`.
    public struct Timeouts: Record {
        /// Seconds until the connection is open. 0.001 to 86400.
        /// Default: `10`.
        public var connect: Double?
        /// Seconds without a byte. 0.001 to 86400.
        /// Default: `15`.
        public var idle: Double?
        /// Seconds for the whole download.
        /// The deadline of the request, 30 by default, may end the download before. 0.001 to 86400.
        /// Default: `60`.
        public var total: Double?

        /// Members that are nil are left to the service.
        public init(connect: Double? = nil, idle: Double? = nil, total: Double? = nil) {
            self.connect = connect
            self.idle = idle
            self.total = total
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            connect = try members.read("connect")
            idle = try members.read("idle")
            total = try members.read("total")
        }

        public func write(to members: inout MemberWriter) {
            members.add("connect", connect)
            members.add("idle", idle)
            members.add("total", total)
        }
    }
}

extension ImageRequest {
    /// A value of `redirects`.
    public struct Redirects: Record {
        /// The most redirects to follow. 0 to 50.
        /// Default: `5`.
        public var max: Int?
        /// true: a redirect to another host is denied.
        /// Default: `false`.
        public var sameHost: Bool?

        /// Members that are nil are left to the service.
        public init(max: Int? = nil, sameHost: Bool? = nil) {
            self.max = max
            self.sameHost = sameHost
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            max = try members.read("max")
            sameHost = try members.read("sameHost")
        }

        public func write(to members: inout MemberWriter) {
            members.add("max", max)
            members.add("sameHost", sameHost)
        }
    }
}

extension ImageRequest {
    /// A value of `tls`.
    public struct TLS: Record {
        /// Public keys of which the certificate chain must have one, as curl takes them (SHA-256 of the DER).
        /// Every URL must then be https.
        /// Default: `[]`.
        public var pinnedPublicKeys: [String]?
        /// true: accepts any certificate.
        /// Forbidden unless --allow-invalid-tls.
        /// Default: `false`.
        public var allowInvalid: Bool?

        /// Members that are nil are left to the service.
        public init(pinnedPublicKeys: [String]? = nil, allowInvalid: Bool? = nil) {
            self.pinnedPublicKeys = pinnedPublicKeys
            self.allowInvalid = allowInvalid
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            pinnedPublicKeys = try members.read("pinnedPublicKeys")
            allowInvalid = try members.read("allowInvalid")
        }

        public func write(to members: inout MemberWriter) {
            members.add("pinnedPublicKeys", pinnedPublicKeys)
            members.add("allowInvalid", allowInvalid)
        }
    }
}

extension ImageRequest {
    /// A value of `retry`.
    public struct Retry: Record {
        /// The most runs, the first one included. 1 to 20.
        /// Default: `3`.
        public var attempts: Int?
        /// Seconds before the first repetition.
        /// Doubles each time, with jitter. 0 to 3600.
        /// Default: `0.5`.
        public var base: Double?
        /// The most seconds between two runs. 0 to 86400.
        /// Default: `30`.
        public var max: Double?
        /// The failures to retry; a failure in the list is not blacklisted.
        /// Default: dns, connect, timeout, connectionLost, httpStatus.
        /// Requests with different lists share no download.
        public var on: [String]?

        /// Members that are nil are left to the service.
        public init(attempts: Int? = nil, base: Double? = nil, max: Double? = nil, on: [String]? = nil) {
            self.attempts = attempts
            self.base = base
            self.max = max
            self.on = on
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            attempts = try members.read("attempts")
            base = try members.read("base")
            max = try members.read("max")
            on = try members.read("on")
        }

        public func write(to members: inout MemberWriter) {
            members.add("attempts", attempts)
            members.add("base", base)
            members.add("max", max)
            members.add("on", on)
        }
    }
}

extension ImageRequest {
    /// `fetch` of a request: how to download the source.
    public struct Fetch: Record {
        /// The HTTP method.
        /// A transient failure repeats any method, see `retry`.
        /// Default: `"GET"`.
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
        /// POST, PUT and PATCH without a body send them as application/x-www-form-urlencoded; otherwise the query of each URL gets them.
        /// At most 256 in all.
        public var params: JSONObject?
        /// The request's body, for a method that takes one: a text, `{"base64": "…"}`, `{"form": {…}}`, `{"multipart": [{name, value or base64, filename,
        /// type}, …]}`, `{"json": …}`, or JSON itself.
        /// In a form, an object gives `a[b]=1` and an array `a[]=1`.
        /// Content-Type follows the kind, unless a header says otherwise.
        public var body: JSON?
        /// The name of one of the operator's base URLs.
        /// A relative url is resolved against it, see rules.md.
        public var base: String?
        /// true: downloads from the CDN that the operator has set for the URL's host.
        /// Default: `false`.
        public var cdn: Bool?
        /// Credentials, sent only to the URL's own host: `{basic: [user, password]}`, `{digest: [user, password]}` or `{bearer: token}`.
        /// If the origin refuses them, the request fails with authFailed.
        public var auth: Auth?
        /// The name of a cookie jar that all workers share.
        /// Its matching cookies are sent, and cookies from servers are kept there.
        /// Default: no cookies.
        public var cookies: String?
        /// The timeouts of the download, each at most the operator's --max-timeout, 120 by default.
        /// A shared download uses the longest ones of the requests that came before it began.
        @Boxed public var timeouts: Timeouts?
        /// The most bytes of the body, declared or counted, after decompression. 1 to 1099511627776.
        /// Default: `67108864`.
        public var maxBytes: Int?
        /// How redirects are followed.
        /// Never from https to http.
        /// Credentials and your headers never go to another host, port or scheme.
        @Boxed public var redirects: Redirects?
        /// How to check the server's certificate.
        @Boxed public var tls: TLS?
        /// The statuses whose body is accepted. 204 and 205 have no body: 0 bytes with `as: bytes`, otherwise no picture.
        /// Default: `["200-299"]`.
        public var acceptableStatus: [String]?
        /// The content types that are accepted.
        /// Default: any.
        /// A response without one is accepted.
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
        /// Whether a broken download is resumed, by any worker.
        /// Only if the server can tell that the source has not changed.
        /// Default: `true`.
        public var resume: Bool?

        /// Members that are nil are left to the service.
        public init(
            method: HTTPMethod? = nil,
            headers: [String: String]? = nil,
            params: JSONObject? = nil,
            body: JSON? = nil,
            base: String? = nil,
            cdn: Bool? = nil,
            auth: Auth? = nil,
            cookies: String? = nil,
            timeouts: Timeouts? = nil,
            maxBytes: Int? = nil,
            redirects: Redirects? = nil,
            tls: TLS? = nil,
            acceptableStatus: [String]? = nil,
            acceptableTypes: [String]? = nil,
            jsonShape: JSON? = nil,
            decrypt: String? = nil,
            retry: Retry? = nil,
            resume: Bool? = nil
        ) {
            self.method = method
            self.headers = headers
            self.params = params
            self.body = body
            self.base = base
            self.cdn = cdn
            self.auth = auth
            self.cookies = cookies
            self.timeouts = timeouts
            self.maxBytes = maxBytes
            self.redirects = redirects
            self.tls = tls
            self.acceptableStatus = acceptableStatus
            self.acceptableTypes = acceptableTypes
            self.jsonShape = jsonShape
            self.decrypt = decrypt
            self.retry = retry
            self.resume = resume
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            method = try members.read("method")
            headers = try members.read("headers")
            params = try members.read("params")
            body = try members.read("body")
            base = try members.read("base")
            cdn = try members.read("cdn")
            auth = try members.read("auth")
            cookies = try members.read("cookies")
            timeouts = try members.read("timeouts")
            maxBytes = try members.read("maxBytes")
            redirects = try members.read("redirects")
            tls = try members.read("tls")
            acceptableStatus = try members.read("acceptableStatus")
            acceptableTypes = try members.read("acceptableTypes")
            jsonShape = try members.read("jsonShape")
            decrypt = try members.read("decrypt")
            retry = try members.read("retry")
            resume = try members.read("resume")
        }

        public func write(to members: inout MemberWriter) {
            members.add("method", method)
            members.add("headers", headers, isSecret: true)
            members.add("params", params, isSecret: true)
            members.add("body", body, isSecret: true)
            members.add("base", base)
            members.add("cdn", cdn)
            members.add("auth", auth, isSecret: true)
            members.add("cookies", cookies)
            members.add("timeouts", timeouts)
            members.add("maxBytes", maxBytes)
            members.add("redirects", redirects)
            members.add("tls", tls)
            members.add("acceptableStatus", acceptableStatus)
            members.add("acceptableTypes", acceptableTypes)
            members.add("jsonShape", jsonShape)
            members.add("decrypt", decrypt)
            members.add("retry", retry)
            members.add("resume", resume)
        }
    }
}

extension ImageRequest {
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
        /// The tiers to read.
        /// Default: `["memory","results","sources"]`.
        public var read: [CacheTier]?
        /// The tiers to write.
        /// Default: `["memory","results","sources"]`.
        public var write: [CacheTier]?
        /// Seconds for which source and results are fresh, in place of what the origin says.
        /// Negative: not kept.
        /// Default: as the origin says, or one hour. -1 to 31536000.
        public var ttl: Double?
        /// Seconds for which a stale source may be served if its origin cannot be reached or answers 500, 502, 503 or 504. 0: never.
        /// Default: the origin's stale-if-error.
        /// Only with policy default; must-revalidate, s-maxage and no-cache forbid it. 0 to 31536000.
        public var staleIfError: Double?
        /// Seconds for which a stale source may be served while the origin is asked in the background.
        /// Default: the origin's stale-while-revalidate. 0 to 31536000.
        public var staleWhileRevalidate: Double?
        /// true: the request ends after the result is stored. false: it may end before; the result's URL may then answer 404 for a moment.
        /// Default: `true`.
        public var `await`: Bool?
        /// Whether to pin the results, so that a full store keeps them until they expire.
        /// Default: `false`.
        public var pin: Bool?
        /// Your version of the content.
        /// Entries of other versions are not used: raise it after a change. 0 to 2147483647.
        /// Default: `0`.
        public var version: Int?
        /// The owner of the request, such as a user's id: part of all keys.
        /// A response marked `private` is kept only with a scope.
        public var scope: String?
        /// Your own key for the result, with exactly one rendition.
        /// Every request with this key gets the same result.
        public var key: String?
        /// Names for `cache.purge`.
        /// A result has the tags of all requests that got it.
        public var tags: [String]?

        /// Members that are nil are left to the service.
        public init(
            policy: CachePolicy? = nil,
            read: [CacheTier]? = nil,
            write: [CacheTier]? = nil,
            ttl: Double? = nil,
            staleIfError: Double? = nil,
            staleWhileRevalidate: Double? = nil,
            await: Bool? = nil,
            pin: Bool? = nil,
            version: Int? = nil,
            scope: String? = nil,
            key: String? = nil,
            tags: [String]? = nil
        ) {
            self.policy = policy
            self.read = read
            self.write = write
            self.ttl = ttl
            self.staleIfError = staleIfError
            self.staleWhileRevalidate = staleWhileRevalidate
            self.await = `await`
            self.pin = pin
            self.version = version
            self.scope = scope
            self.key = key
            self.tags = tags
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            policy = try members.read("policy")
            read = try members.read("read")
            write = try members.read("write")
            ttl = try members.read("ttl")
            staleIfError = try members.read("staleIfError")
            staleWhileRevalidate = try members.read("staleWhileRevalidate")
            `await` = try members.read("await")
            pin = try members.read("pin")
            version = try members.read("version")
            scope = try members.read("scope")
            key = try members.read("key")
            tags = try members.read("tags")
        }

        public func write(to members: inout MemberWriter) {
            members.add("policy", policy)
            members.add("read", read)
            members.add("write", write)
            members.add("ttl", ttl)
            members.add("staleIfError", staleIfError)
            members.add("staleWhileRevalidate", staleWhileRevalidate)
            members.add("await", `await`)
            members.add("pin", pin)
            members.add("version", version)
            members.add("scope", scope)
            members.add("key", key)
            members.add("tags", tags)
        }
    }
}

extension ImageRequest {
    /// `decode` of a request: how to decode the source.
    public struct Decode: Record {
        /// Which frames of an animation to decode.
        /// Default: `"all"`.
        public var frames: Frames?
        /// The page of a TIFF, HEIF or icon.
        /// For an animation: the frame, with frames "first" or for an output that cannot move.
        /// Page 0 is the page that viewers show first; the other pages of a HEIF or icon follow in order. 0 to 65535.
        /// Default: `0`.
        public var page: Int?
        /// The least damage that refuses a picture: an early end, wrong data (`error`), or whatever a decoder warns of.
        /// Default: `"truncated"`.
        public var failOn: FailOn?
        /// How much the codec may shrink the picture while decoding. fast: as much as possible; best: not at all.
        /// Default: `"balanced"`.
        public var speed: Speed?
        /// The most decoded bytes: width × height × 4 of all frames.
        /// A larger picture is first scaled down to fit, to at least one pixel a side.
        /// A baseline JPEG may then exceed the worker's limits of pixels and sides: it is scaled down while it is read.
        /// At least 1.
        public var limitBytes: Int?
        /// The most pixels of the source: width × height of all wanted frames.
        /// A larger picture fails with limitExceeded.
        /// At least 1.
        public var maxPixels: Int?
        /// The most pixels of each frame of an animation, in place of maxPixels.
        /// At least 1.
        public var maxFramePixels: Int?
        /// Takes the thumbnail in a jpeg, heif or avif as the picture, if it has one, also for maxPixels and describe.
        /// Default: `false`.
        public var thumbnail: Bool?

        /// Members that are nil are left to the service.
        public init(
            frames: Frames? = nil,
            page: Int? = nil,
            failOn: FailOn? = nil,
            speed: Speed? = nil,
            limitBytes: Int? = nil,
            maxPixels: Int? = nil,
            maxFramePixels: Int? = nil,
            thumbnail: Bool? = nil
        ) {
            self.frames = frames
            self.page = page
            self.failOn = failOn
            self.speed = speed
            self.limitBytes = limitBytes
            self.maxPixels = maxPixels
            self.maxFramePixels = maxFramePixels
            self.thumbnail = thumbnail
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            frames = try members.read("frames")
            page = try members.read("page")
            failOn = try members.read("failOn")
            speed = try members.read("speed")
            limitBytes = try members.read("limitBytes")
            maxPixels = try members.read("maxPixels")
            maxFramePixels = try members.read("maxFramePixels")
            thumbnail = try members.read("thumbnail")
        }

        public func write(to members: inout MemberWriter) {
            members.add("frames", frames)
            members.add("page", page)
            members.add("failOn", failOn)
            members.add("speed", speed)
            members.add("limitBytes", limitBytes)
            members.add("maxPixels", maxPixels)
            members.add("maxFramePixels", maxFramePixels)
            members.add("thumbnail", thumbnail)
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
            self.jpeg = jpeg
            self.webp = webp
            self.avif = avif
            self.heif = heif
            self.jxl = jxl
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            jpeg = try members.read("jpeg")
            webp = try members.read("webp")
            avif = try members.read("avif")
            heif = try members.read("heif")
            jxl = try members.read("jxl")
        }

        public func write(to members: inout MemberWriter) {
            members.add("jpeg", jpeg)
            members.add("webp", webp)
            members.add("avif", avif)
            members.add("heif", heif)
            members.add("jxl", jxl)
        }
    }
}

extension ImageRequest {
    /// A value of `callback`.
    public struct Callback: Record {
        /// Where to post it.
        /// Only public addresses, unless the operator allows others; rules may deny more.
        public var url: String
        /// Signs the callback, see Callbacks.
        public var secret: String?

        /// Members that are nil are left to the service.
        public init(url: String, secret: String? = nil) {
            self.url = url
            self.secret = secret
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            url = try members.require("url")
            secret = try members.read("secret")
        }

        public func write(to members: inout MemberWriter) {
            members.add("url", url, isSecret: true)
            members.add("secret", secret, isSecret: true)
        }
    }
}

extension ImageRequest {
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
            self.x = x
            self.y = y
            self.width = width
            self.height = height
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            x = try members.require("x")
            y = try members.require("y")
            width = try members.require("width")
            height = try members.require("height")
        }

        public func write(to members: inout MemberWriter) {
            members.add("x", x)
            members.add("y", y)
            members.add("width", width)
            members.add("height", height)
        }
    }
}

extension ImageRequest {
    /// A value of `samples`.
    public struct Samples: Record {
        /// Single pixels: `[x, y]` from the upper left corner.
        public var points: [[Int]]?
        /// Rectangles of at most 256 pixels together.
        public var rects: [SampleRect]?

        /// Members that are nil are left to the service.
        public init(points: [[Int]]? = nil, rects: [SampleRect]? = nil) {
            self.points = points
            self.rects = rects
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            points = try members.read("points")
            rects = try members.read("rects")
        }

        public func write(to members: inout MemberWriter) {
            members.add("points", points)
            members.add("rects", rects)
        }
    }
}

extension ImageRequest {
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
            self.animated = animated
            self.alpha = alpha
            self.minWidth = minWidth
            self.minHeight = minHeight
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            animated = try members.read("animated")
            alpha = try members.read("alpha")
            minWidth = try members.read("minWidth")
            minHeight = try members.read("minHeight")
        }

        public func write(to members: inout MemberWriter) {
            members.add("animated", animated)
            members.add("alpha", alpha)
            members.add("minWidth", minWidth)
            members.add("minHeight", minHeight)
        }
    }
}

extension ImageRequest {
    /// A value of `saveTo`.
    public struct SaveTo: Record {
        /// A folder or bucket that the operator has named (--places of workers).
        public var place: String
        /// The name there, with these tokens: `{rendition}` `{receipt}` `{stem}` `{host}` `{sha256}` `{extension}` `{width}` `{height}`.
        /// `{stem}` is the name of the URL's file without its ending.
        /// `{receipt}` is the id that you gave.
        /// Several renditions need `{rendition}`.
        /// Other letters become underscores.
        /// Default: `"{stem}.{extension}"`.
        public var name: String?
        /// The treatment of an existing file.
        /// `true`: it is replaced.
        /// `keep`: it stays, and the result says so.
        /// `false`: `storeFailed`, unless the bytes are the same.
        /// Default: `false`.
        public var replace: Replacement?

        /// Members that are nil are left to the service.
        public init(place: String, name: String? = nil, replace: Replacement? = nil) {
            self.place = place
            self.name = name
            self.replace = replace
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            place = try members.require("place")
            name = try members.read("name")
            replace = try members.read("replace")
        }

        public func write(to members: inout MemberWriter) {
            members.add("place", place)
            members.add("name", name)
            members.add("replace", replace)
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
    public let status: Int?
    /// The format of the stored picture.
    public let format: SourceFormat?
    /// The width of the stored picture in pixels.
    public let width: Int?
    /// The height of the stored picture in pixels.
    public let height: Int?
    /// The number of frames.
    public let frames: Int?
    /// Whether the picture may be transparent.
    public let hasAlpha: Bool?
    /// 2 or 3 when the file's name in the URL ends in `@2x` or `@3x`.
    public let scale: Int?
    /// The orientation of EXIF, 1 to 8.
    public let orientation: Int?
    /// The ETag of the origin's response.
    public let etag: String?
    /// The Last-Modified of the origin's response.
    public let lastModified: String?
    /// Until when the source is fresh, in epoch seconds.
    public let expiresAt: Double?
    /// The hash of the body in hexadecimal.
    public let sha256: String?

    public init(
        url: String,
        finalURL: String,
        bytes: Int,
        status: Int? = nil,
        format: SourceFormat? = nil,
        width: Int? = nil,
        height: Int? = nil,
        frames: Int? = nil,
        hasAlpha: Bool? = nil,
        scale: Int? = nil,
        orientation: Int? = nil,
        etag: String? = nil,
        lastModified: String? = nil,
        expiresAt: Double? = nil,
        sha256: String? = nil
    ) {
        self.url = url
        self.finalURL = finalURL
        self.bytes = bytes
        self.status = status
        self.format = format
        self.width = width
        self.height = height
        self.frames = frames
        self.hasAlpha = hasAlpha
        self.scale = scale
        self.orientation = orientation
        self.etag = etag
        self.lastModified = lastModified
        self.expiresAt = expiresAt
        self.sha256 = sha256
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        url = try members.require("url")
        finalURL = try members.require("finalURL")
        bytes = try members.require("bytes")
        status = try members.read("status")
        format = try members.read("format")
        width = try members.read("width")
        height = try members.read("height")
        frames = try members.read("frames")
        hasAlpha = try members.read("hasAlpha")
        scale = try members.read("scale")
        orientation = try members.read("orientation")
        etag = try members.read("etag")
        lastModified = try members.read("lastModified")
        expiresAt = try members.read("expiresAt")
        sha256 = try members.read("sha256")
    }

    public func write(to members: inout MemberWriter) {
        members.add("url", url)
        members.add("finalURL", finalURL)
        members.add("bytes", bytes)
        members.add("status", status)
        members.add("format", format)
        members.add("width", width)
        members.add("height", height)
        members.add("frames", frames)
        members.add("hasAlpha", hasAlpha)
        members.add("scale", scale)
        members.add("orientation", orientation)
        members.add("etag", etag)
        members.add("lastModified", lastModified)
        members.add("expiresAt", expiresAt)
        members.add("sha256", sha256)
    }
}

/// The file that a result was saved as.
public struct SavedFile: Record {
    /// The place of the operator.
    public let place: String
    /// The name of the file there.
    public let name: String
    /// The length of the file.
    public let bytes: Int?
    /// Whether the file existed and stayed.
    public let kept: Bool?

    public init(place: String, name: String, bytes: Int? = nil, kept: Bool? = nil) {
        self.place = place
        self.name = name
        self.bytes = bytes
        self.kept = kept
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        place = try members.require("place")
        name = try members.require("name")
        bytes = try members.read("bytes")
        kept = try members.read("kept")
    }

    public func write(to members: inout MemberWriter) {
        members.add("place", place)
        members.add("name", name)
        members.add("bytes", bytes)
        members.add("kept", kept)
    }
}

/// One finished rendition.
public struct RenditionInfo: Record {
    /// The name of the rendition in the request.
    public let name: String?
    /// The result's key.
    public let key: String
    /// The path of the HTTP port that serves the result.
    public let url: String
    /// The media type of the result.
    public let contentType: String
    /// The length of the result.
    public let bytes: Int
    /// The format of the result.
    public let format: ImageFormat?
    /// The width in pixels.
    public let width: Int?
    /// The height in pixels.
    public let height: Int?
    /// The number of frames.
    public let frames: Int?
    /// The encoder's quality, for lossy formats.
    public let quality: Int?
    /// The hash of the result in hexadecimal.
    public let sha256: String?
    /// The tiers that keep the result.
    public let stored: [CacheTier]?
    /// Until when the result is fresh, in epoch seconds.
    public let expiresAt: Double?
    /// When its sources were last downloaded or revalidated, in epoch seconds.
    public let storedAt: Double?
    /// The `cache.version` of the request, unless 0.
    public let version: Int?
    /// True when shared caches must not keep the result.
    public let isPrivate: Bool?
    /// True when no cache in front may keep the result.
    public let noStore: Bool?
    /// The most seconds for which caches in front may show the stale result while they ask for a new one.
    public let staleWhileRevalidate: Double?
    /// The most seconds for which caches in front may show the stale result while the service fails.
    public let staleIfError: Double?
    /// True when a worker checked the bytes as JSON; `text` or `xml` for these.
    public let validated: JSON?
    /// True for a picture that the service made or a client put.
    public let applied: Bool?
    /// The file of `saveTo`.
    @Boxed public private(set) var saved: SavedFile?
    /// The metadata of its request.
    public let metadata: [String: String]?
    /// The bytes, with `deliver: inline`.
    public let data: [UInt8]?

    public init(
        name: String? = nil,
        key: String,
        url: String,
        contentType: String,
        bytes: Int,
        format: ImageFormat? = nil,
        width: Int? = nil,
        height: Int? = nil,
        frames: Int? = nil,
        quality: Int? = nil,
        sha256: String? = nil,
        stored: [CacheTier]? = nil,
        expiresAt: Double? = nil,
        storedAt: Double? = nil,
        version: Int? = nil,
        isPrivate: Bool? = nil,
        noStore: Bool? = nil,
        staleWhileRevalidate: Double? = nil,
        staleIfError: Double? = nil,
        validated: JSON? = nil,
        applied: Bool? = nil,
        saved: SavedFile? = nil,
        metadata: [String: String]? = nil,
        data: [UInt8]? = nil
    ) {
        self.name = name
        self.key = key
        self.url = url
        self.contentType = contentType
        self.bytes = bytes
        self.format = format
        self.width = width
        self.height = height
        self.frames = frames
        self.quality = quality
        self.sha256 = sha256
        self.stored = stored
        self.expiresAt = expiresAt
        self.storedAt = storedAt
        self.version = version
        self.isPrivate = isPrivate
        self.noStore = noStore
        self.staleWhileRevalidate = staleWhileRevalidate
        self.staleIfError = staleIfError
        self.validated = validated
        self.applied = applied
        self.saved = saved
        self.metadata = metadata
        self.data = data
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        name = try members.read("name")
        key = try members.require("key")
        url = try members.require("url")
        contentType = try members.require("contentType")
        bytes = try members.require("bytes")
        format = try members.read("format")
        width = try members.read("width")
        height = try members.read("height")
        frames = try members.read("frames")
        quality = try members.read("quality")
        sha256 = try members.read("sha256")
        stored = try members.read("stored")
        expiresAt = try members.read("expiresAt")
        storedAt = try members.read("storedAt")
        version = try members.read("version")
        isPrivate = try members.read("private")
        noStore = try members.read("noStore")
        staleWhileRevalidate = try members.read("staleWhileRevalidate")
        staleIfError = try members.read("staleIfError")
        validated = try members.read("validated")
        applied = try members.read("applied")
        saved = try members.read("saved")
        metadata = try members.read("metadata")
        data = try members.readBytes("data")
    }

    public func write(to members: inout MemberWriter) {
        members.add("name", name)
        members.add("key", key)
        members.add("url", url)
        members.add("contentType", contentType)
        members.add("bytes", bytes)
        members.add("format", format)
        members.add("width", width)
        members.add("height", height)
        members.add("frames", frames)
        members.add("quality", quality)
        members.add("sha256", sha256)
        members.add("stored", stored)
        members.add("expiresAt", expiresAt)
        members.add("storedAt", storedAt)
        members.add("version", version)
        members.add("private", isPrivate)
        members.add("noStore", noStore)
        members.add("staleWhileRevalidate", staleWhileRevalidate)
        members.add("staleIfError", staleIfError)
        members.add("validated", validated)
        members.add("applied", applied)
        members.add("saved", saved)
        members.add("metadata", metadata)
        members.add("data", bytes: data)
    }
}

/// Seconds spent in the steps of a request.
public struct Timings: Record {
    /// In the queue.
    public let queued: Double?
    /// Resolving the name of the host.
    public let dns: Double?
    /// Connecting.
    public let connect: Double?
    /// In the TLS handshake.
    public let tls: Double?
    /// Until the first byte of the answer.
    public let firstByte: Double?
    /// Downloading.
    public let download: Double?
    /// Decoding.
    public let decode: Double?
    /// In operations.
    public let transform: Double?
    /// Encoding.
    public let encode: Double?
    /// Storing.
    public let store: Double?
    /// From the request to its end.
    public let total: Double?

    public init(
        queued: Double? = nil,
        dns: Double? = nil,
        connect: Double? = nil,
        tls: Double? = nil,
        firstByte: Double? = nil,
        download: Double? = nil,
        decode: Double? = nil,
        transform: Double? = nil,
        encode: Double? = nil,
        store: Double? = nil,
        total: Double? = nil
    ) {
        self.queued = queued
        self.dns = dns
        self.connect = connect
        self.tls = tls
        self.firstByte = firstByte
        self.download = download
        self.decode = decode
        self.transform = transform
        self.encode = encode
        self.store = store
        self.total = total
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        queued = try members.read("queued")
        dns = try members.read("dns")
        connect = try members.read("connect")
        tls = try members.read("tls")
        firstByte = try members.read("firstByte")
        download = try members.read("download")
        decode = try members.read("decode")
        transform = try members.read("transform")
        encode = try members.read("encode")
        store = try members.read("store")
        total = try members.read("total")
    }

    public func write(to members: inout MemberWriter) {
        members.add("queued", queued)
        members.add("dns", dns)
        members.add("connect", connect)
        members.add("tls", tls)
        members.add("firstByte", firstByte)
        members.add("download", download)
        members.add("decode", decode)
        members.add("transform", transform)
        members.add("encode", encode)
        members.add("store", store)
        members.add("total", total)
    }
}

/// Why a run failed.
public struct Cause: Record {
    /// The name of the error.
    public let name: ErrorName
    /// The status of the origin's response.
    public let status: Int?

    public init(name: ErrorName, status: Int? = nil) {
        self.name = name
        self.status = status
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        name = try members.require("name")
        status = try members.read("status")
    }

    public func write(to members: inout MemberWriter) {
        members.add("name", name)
        members.add("status", status)
    }
}

/// The result of a request.
public struct ImageResult: Record {
    /// The receipt's id; none from `cache.get`.
    public let receipt: String?
    /// Where the result came from: `remote` (the origin), `sources`, `results`, `memory` or `fallback`.
    public let from: Origin
    /// Always `succeeded`.
    public let state: String?
    /// The source.
    public let source: SourceInfo
    /// The renditions, in the order of the request.
    public let renditions: [RenditionInfo]
    /// True when the origin was asked and the source had not changed.
    public let notModified: Bool?
    /// Whether the source had changed, after `cache.policy` revalidate or refresh.
    public let updated: Bool?
    /// The answers to `describe` and `samples`.
    @Boxed public private(set) var traits: ImageTraits?
    /// The number of runs, without released ones.
    public let attempts: Int?
    /// Why runs failed.
    public let causes: [Cause]?
    /// The id of the worker.
    public let worker: String?
    /// True when its source was purged meanwhile, so that nothing keeps it.
    public let purged: Bool?
    /// The time of each step.
    @Boxed public private(set) var metrics: Timings?
    /// Why a fallback is there, as an error object of JSON-RPC.
    public let error: TintypeError?
    /// The document of a request with `as: json`.
    public let document: JSON?
    /// The text of a request with `as: text` or `as: xml`.
    public let text: String?
    /// The `tag` of the request.
    public let tag: String?
    /// The `userInfo` of the request.
    public let userInfo: JSONObject?

    public init(
        receipt: String? = nil,
        from: Origin,
        state: String? = nil,
        source: SourceInfo,
        renditions: [RenditionInfo],
        notModified: Bool? = nil,
        updated: Bool? = nil,
        traits: ImageTraits? = nil,
        attempts: Int? = nil,
        causes: [Cause]? = nil,
        worker: String? = nil,
        purged: Bool? = nil,
        metrics: Timings? = nil,
        error: TintypeError? = nil,
        document: JSON? = nil,
        text: String? = nil,
        tag: String? = nil,
        userInfo: JSONObject? = nil
    ) {
        self.receipt = receipt
        self.from = from
        self.state = state
        self.source = source
        self.renditions = renditions
        self.notModified = notModified
        self.updated = updated
        self.traits = traits
        self.attempts = attempts
        self.causes = causes
        self.worker = worker
        self.purged = purged
        self.metrics = metrics
        self.error = error
        self.document = document
        self.text = text
        self.tag = tag
        self.userInfo = userInfo
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        receipt = try members.read("receipt")
        from = try members.require("from")
        state = try members.read("state")
        source = try members.require("source")
        renditions = try members.require("renditions")
        notModified = try members.read("notModified")
        updated = try members.read("updated")
        traits = try members.read("description")
        attempts = try members.read("attempts")
        causes = try members.read("causes")
        worker = try members.read("worker")
        purged = try members.read("purged")
        metrics = try members.read("metrics")
        error = try members.read("error")
        document = try members.read("json")
        text = try members.read("text")
        tag = try members.read("tag")
        userInfo = try members.read("userInfo")
    }

    public func write(to members: inout MemberWriter) {
        members.add("receipt", receipt)
        members.add("from", from)
        members.add("state", state)
        members.add("source", source)
        members.add("renditions", renditions)
        members.add("notModified", notModified)
        members.add("updated", updated)
        members.add("description", traits)
        members.add("attempts", attempts)
        members.add("causes", causes)
        members.add("worker", worker)
        members.add("purged", purged)
        members.add("metrics", metrics)
        members.add("error", error)
        members.add("json", document)
        members.add("text", text)
        members.add("tag", tag)
        members.add("userInfo", userInfo)
    }
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
    public let maxQueued: Int?

    public init(
        maxConcurrent: Int,
        maxConcurrentPerHost: Int,
        hostLimits: [String: Int],
        ruleLimits: [String: Int],
        rulePaces: [String: Double],
        maxQueued: Int? = nil
    ) {
        self.maxConcurrent = maxConcurrent
        self.maxConcurrentPerHost = maxConcurrentPerHost
        self.hostLimits = hostLimits
        self.ruleLimits = ruleLimits
        self.rulePaces = rulePaces
        self.maxQueued = maxQueued
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        maxConcurrent = try members.require("maxConcurrent")
        maxConcurrentPerHost = try members.require("maxConcurrentPerHost")
        hostLimits = try members.require("hostLimits")
        ruleLimits = try members.require("ruleLimits")
        rulePaces = try members.require("rulePaces")
        maxQueued = try members.read("maxQueued")
    }

    public func write(to members: inout MemberWriter) {
        members.add("maxConcurrent", maxConcurrent)
        members.add("maxConcurrentPerHost", maxConcurrentPerHost)
        members.add("hostLimits", hostLimits)
        members.add("ruleLimits", ruleLimits)
        members.add("rulePaces", rulePaces)
        members.add("maxQueued", maxQueued)
    }
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
    public let oldestQueuedSeconds: Double?
    /// Throttled hosts, at most 100, and until when, in epoch seconds.
    public let heldHosts: [String: Double]
    /// The live workers.
    public let workers: Int
    /// The number of shards, if several.
    public let shards: Int?

    public init(
        name: String,
        order: ImageRequest.Order,
        paused: Bool,
        limits: QueueLimits,
        queued: Int,
        delayed: Int,
        running: Int,
        dead: Int,
        oldestQueuedSeconds: Double? = nil,
        heldHosts: [String: Double],
        workers: Int,
        shards: Int? = nil
    ) {
        self.name = name
        self.order = order
        self.paused = paused
        self.limits = limits
        self.queued = queued
        self.delayed = delayed
        self.running = running
        self.dead = dead
        self.oldestQueuedSeconds = oldestQueuedSeconds
        self.heldHosts = heldHosts
        self.workers = workers
        self.shards = shards
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        name = try members.require("name")
        order = try members.require("order")
        paused = try members.require("paused")
        limits = try members.require("limits")
        queued = try members.require("queued")
        delayed = try members.require("delayed")
        running = try members.require("running")
        dead = try members.require("dead")
        oldestQueuedSeconds = try members.read("oldestQueuedSeconds")
        heldHosts = try members.require("heldHosts")
        workers = try members.require("workers")
        shards = try members.read("shards")
    }

    public func write(to members: inout MemberWriter) {
        members.add("name", name)
        members.add("order", order)
        members.add("paused", paused)
        members.add("limits", limits)
        members.add("queued", queued)
        members.add("delayed", delayed)
        members.add("running", running)
        members.add("dead", dead)
        members.add("oldestQueuedSeconds", oldestQueuedSeconds)
        members.add("heldHosts", heldHosts)
        members.add("workers", workers)
        members.add("shards", shards)
    }
}

/// A color of a picture.
public struct ColorShare: Record {
    /// The color, such as #a0c0ff.
    public let color: String
    /// Its part of the pixels, 0 to 1.
    public let share: Double

    public init(color: String, share: Double) {
        self.color = color
        self.share = share
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        color = try members.require("color")
        share = try members.require("share")
    }

    public func write(to members: inout MemberWriter) {
        members.add("color", color)
        members.add("share", share)
    }
}

/// The times of an animation.
public struct AnimationTimes: Record {
    /// How often it runs; 0 for ever.
    public let loop: Int
    /// The milliseconds of each frame.
    public let delays: [Int]

    public init(loop: Int, delays: [Int]) {
        self.loop = loop
        self.delays = delays
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        loop = try members.require("loop")
        delays = try members.require("delays")
    }

    public func write(to members: inout MemberWriter) {
        members.add("loop", loop)
        members.add("delays", delays)
    }
}

/// The properties of a picture: the answers to `describe` and `samples`.
/// Those that were not asked for are nil.
public struct ImageTraits: Record {
    /// A BlurHash.
    public let blurhash: String?
    /// The bytes of a ThumbHash.
    public let thumbhash: [UInt8]?
    /// The most frequent color.
    public let dominantColor: String?
    /// The mean of all pixels.
    public let averageColor: String?
    /// The most frequent colors.
    public let palette: [ColorShare]?
    /// A perceptual hash in hexadecimal.
    public let phash: String?
    /// The EXIF data.
    public let exif: JSONObject?
    /// The frames of an animation.
    @Boxed public private(set) var animation: AnimationTimes?
    /// Whether an Ultra HDR picture has a gain map.
    public let gainMap: Bool?
    /// The curve of an HDR picture: pq or hlg.
    public let hdr: String?
    /// The colors at the `samples`, by rendition if there are several.
    public let colors: JSON?

    public init(
        blurhash: String? = nil,
        thumbhash: [UInt8]? = nil,
        dominantColor: String? = nil,
        averageColor: String? = nil,
        palette: [ColorShare]? = nil,
        phash: String? = nil,
        exif: JSONObject? = nil,
        animation: AnimationTimes? = nil,
        gainMap: Bool? = nil,
        hdr: String? = nil,
        colors: JSON? = nil
    ) {
        self.blurhash = blurhash
        self.thumbhash = thumbhash
        self.dominantColor = dominantColor
        self.averageColor = averageColor
        self.palette = palette
        self.phash = phash
        self.exif = exif
        self.animation = animation
        self.gainMap = gainMap
        self.hdr = hdr
        self.colors = colors
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        blurhash = try members.read("blurhash")
        thumbhash = try members.readBytes("thumbhash")
        dominantColor = try members.read("dominantColor")
        averageColor = try members.read("averageColor")
        palette = try members.read("palette")
        phash = try members.read("phash")
        exif = try members.read("exif")
        animation = try members.read("animation")
        gainMap = try members.read("gainMap")
        hdr = try members.read("hdr")
        colors = try members.read("colors")
    }

    public func write(to members: inout MemberWriter) {
        members.add("blurhash", blurhash)
        members.add("thumbhash", bytes: thumbhash)
        members.add("dominantColor", dominantColor)
        members.add("averageColor", averageColor)
        members.add("palette", palette)
        members.add("phash", phash)
        members.add("exif", exif)
        members.add("animation", animation)
        members.add("gainMap", gainMap)
        members.add("hdr", hdr)
        members.add("colors", colors)
    }
}

/// The state of a receipt, and its end.
public struct ReceiptInfo: Record {
    /// The receipt's id.
    public let receipt: String
    /// Where the request is.
    public let state: ReceiptState
    /// The number of fetches ahead.
    public let position: Int?
    /// Whether a replica of Redis has the request.
    public let durable: Bool?
    /// How far the run is, with the members of a progress event.
    public let progress: JSON?
    /// The number of runs.
    public let attempts: Int?
    /// The id of the worker.
    public let worker: String?
    /// The result, after success.
    @Boxed public private(set) var result: ImageResult?
    /// Why it failed.
    public let error: TintypeError?

    public init(
        receipt: String,
        state: ReceiptState,
        position: Int? = nil,
        durable: Bool? = nil,
        progress: JSON? = nil,
        attempts: Int? = nil,
        worker: String? = nil,
        result: ImageResult? = nil,
        error: TintypeError? = nil
    ) {
        self.receipt = receipt
        self.state = state
        self.position = position
        self.durable = durable
        self.progress = progress
        self.attempts = attempts
        self.worker = worker
        self.result = result
        self.error = error
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        receipt = try members.require("receipt")
        state = try members.require("state")
        position = try members.read("position")
        durable = try members.read("durable")
        progress = try members.read("progress")
        attempts = try members.read("attempts")
        worker = try members.read("worker")
        result = try members.read("result")
        error = try members.read("error")
    }

    public func write(to members: inout MemberWriter) {
        members.add("receipt", receipt)
        members.add("state", state)
        members.add("position", position)
        members.add("durable", durable)
        members.add("progress", progress)
        members.add("attempts", attempts)
        members.add("worker", worker)
        members.add("result", result)
        members.add("error", error)
    }
}

/// Whether something was cancelled.
public struct Cancellation: Record {
    /// The receipt's id, in the answer for many.
    public let receipt: String?
    /// Whether it was still under way, or cancelled before.
    public let cancelled: Bool
    /// `finished` or `unknown`.
    public let reason: Reason?

    public init(receipt: String? = nil, cancelled: Bool, reason: Reason? = nil) {
        self.receipt = receipt
        self.cancelled = cancelled
        self.reason = reason
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        receipt = try members.read("receipt")
        cancelled = try members.require("cancelled")
        reason = try members.read("reason")
    }

    public func write(to members: inout MemberWriter) {
        members.add("receipt", receipt)
        members.add("cancelled", cancelled)
        members.add("reason", reason)
    }
}

/// The answer for one receipt, or for many.
public struct Cancellations: Record {
    /// Whether the one receipt was still under way, or cancelled before.
    public let cancelled: Bool?
    /// `finished` or `unknown`.
    public let reason: Cancellation.Reason?
    /// Each of many, in their order.
    public let results: [Cancellation]?

    public init(cancelled: Bool? = nil, reason: Cancellation.Reason? = nil, results: [Cancellation]? = nil) {
        self.cancelled = cancelled
        self.reason = reason
        self.results = results
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        cancelled = try members.read("cancelled")
        reason = try members.read("reason")
        results = try members.read("results")
    }

    public func write(to members: inout MemberWriter) {
        members.add("cancelled", cancelled)
        members.add("reason", reason)
        members.add("results", results)
    }
}

/// A source, without a result.
public struct ProbeResult: Record {
    /// The source.
    public let source: SourceInfo
    /// The answers to `describe` and `samples`.
    public let traits: ImageTraits

    public init(source: SourceInfo, traits: ImageTraits) {
        self.source = source
        self.traits = traits
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        source = try members.require("source")
        traits = try members.require("description")
    }

    public func write(to members: inout MemberWriter) {
        members.add("source", source)
        members.add("description", traits)
    }
}

/// A group that was started.
public struct StartedGroup: Record {
    /// The group's id.
    public let group: String
    /// Whether a replica of Redis has the group.
    public let durable: Bool?

    public init(group: String, durable: Bool? = nil) {
        self.group = group
        self.durable = durable
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        group = try members.require("group")
        durable = try members.read("durable")
    }

    public func write(to members: inout MemberWriter) {
        members.add("group", group)
        members.add("durable", durable)
    }
}

/// One item of a group, as far as the item has come.
public struct GroupEntry: Record {
    /// Its place among the requests, from 0.
    public let index: Int
    /// Where the item is.
    public let state: ReceiptState
    /// Its receipt.
    public let receipt: String?
    /// Its result.
    @Boxed public private(set) var result: ImageResult?
    /// Why it failed.
    public let error: TintypeError?

    public init(index: Int, state: ReceiptState, receipt: String? = nil, result: ImageResult? = nil, error: TintypeError? = nil) {
        self.index = index
        self.state = state
        self.receipt = receipt
        self.result = result
        self.error = error
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        index = try members.require("index")
        state = try members.require("state")
        receipt = try members.read("receipt")
        result = try members.read("result")
        error = try members.read("error")
    }

    public func write(to members: inout MemberWriter) {
        members.add("index", index)
        members.add("state", state)
        members.add("receipt", receipt)
        members.add("result", result)
        members.add("error", error)
    }
}

/// The item whose failure ended a group.
public struct FailedItem: Record {
    /// Its place among the requests, from 0.
    public let index: Int
    /// Why it failed.
    public let error: TintypeError

    public init(index: Int, error: TintypeError) {
        self.index = index
        self.error = error
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        index = try members.require("index")
        error = try members.require("error")
    }

    public func write(to members: inout MemberWriter) {
        members.add("index", index)
        members.add("error", error)
    }
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
    public let skipped: Int?
    /// The number of results by their `from`.
    public let origins: [String: Int]?
    /// The items.
    public let results: [GroupEntry]?
    /// The item that ended the group.
    @Boxed public private(set) var failed: FailedItem?
    /// Why the group was cancelled.
    public let reason: String?
    /// The first item that is left out: `from` of the next call.
    public let next: Int?

    public init(
        group: String,
        kind: Kind,
        state: State,
        finished: Int,
        total: Int,
        skipped: Int? = nil,
        origins: [String: Int]? = nil,
        results: [GroupEntry]? = nil,
        failed: FailedItem? = nil,
        reason: String? = nil,
        next: Int? = nil
    ) {
        self.group = group
        self.kind = kind
        self.state = state
        self.finished = finished
        self.total = total
        self.skipped = skipped
        self.origins = origins
        self.results = results
        self.failed = failed
        self.reason = reason
        self.next = next
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        group = try members.require("group")
        kind = try members.require("kind")
        state = try members.require("state")
        finished = try members.require("finished")
        total = try members.require("total")
        skipped = try members.read("skipped")
        origins = try members.read("origins")
        results = try members.read("results")
        failed = try members.read("failed")
        reason = try members.read("reason")
        next = try members.read("next")
    }

    public func write(to members: inout MemberWriter) {
        members.add("group", group)
        members.add("kind", kind)
        members.add("state", state)
        members.add("finished", finished)
        members.add("total", total)
        members.add("skipped", skipped)
        members.add("origins", origins)
        members.add("results", results)
        members.add("failed", failed)
        members.add("reason", reason)
        members.add("next", next)
    }
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

    public init(id: String, url: String, error: TintypeError, attempts: Int, at: Double, retryable: Bool) {
        self.id = id
        self.url = url
        self.error = error
        self.attempts = attempts
        self.at = at
        self.retryable = retryable
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        id = try members.require("id")
        url = try members.require("url")
        error = try members.require("error")
        attempts = try members.require("attempts")
        at = try members.require("at")
        retryable = try members.require("retryable")
    }

    public func write(to members: inout MemberWriter) {
        members.add("id", id)
        members.add("url", url)
        members.add("error", error)
        members.add("attempts", attempts)
        members.add("at", at)
        members.add("retryable", retryable)
    }
}

/// Some dead letters, newest first.
public struct DeadLetterPage: Record {
    /// The entries.
    public let items: [DeadLetterInfo]
    /// Where the next page begins.
    public let cursor: String?

    public init(items: [DeadLetterInfo], cursor: String? = nil) {
        self.items = items
        self.cursor = cursor
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        items = try members.require("items")
        cursor = try members.read("cursor")
    }

    public func write(to members: inout MemberWriter) {
        members.add("items", items)
        members.add("cursor", cursor)
    }
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
    public let status: Int?
    /// The requests that are refused: `all` of the queue, or only `pictures`.
    public let refuses: Refusal
    /// Since when, in epoch seconds.
    public let since: Double
    /// Until when, in epoch seconds.
    public let until: Double

    public init(id: String, queue: String, url: String, cause: ErrorName, status: Int? = nil, refuses: Refusal, since: Double, until: Double) {
        self.id = id
        self.queue = queue
        self.url = url
        self.cause = cause
        self.status = status
        self.refuses = refuses
        self.since = since
        self.until = until
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        id = try members.require("id")
        queue = try members.require("queue")
        url = try members.require("url")
        cause = try members.require("cause")
        status = try members.read("status")
        refuses = try members.require("refuses")
        since = try members.require("since")
        until = try members.require("until")
    }

    public func write(to members: inout MemberWriter) {
        members.add("id", id)
        members.add("queue", queue)
        members.add("url", url)
        members.add("cause", cause)
        members.add("status", status)
        members.add("refuses", refuses)
        members.add("since", since)
        members.add("until", until)
    }
}

/// Some entries of the blacklist.
public struct BlacklistPage: Record {
    /// The entries.
    public let items: [BlacklistEntry]
    /// Where the next page begins.
    public let cursor: String?

    public init(items: [BlacklistEntry], cursor: String? = nil) {
        self.items = items
        self.cursor = cursor
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        items = try members.require("items")
        cursor = try members.read("cursor")
    }

    public func write(to members: inout MemberWriter) {
        members.add("items", items)
        members.add("cursor", cursor)
    }
}

/// The pixel processes of a worker.
public struct PixelProcesses: Record {
    /// How many live.
    public let processes: Int
    /// How many have work.
    public let busy: Int
    /// The number of runs that wait for one.
    public let waiting: Int

    public init(processes: Int, busy: Int, waiting: Int) {
        self.processes = processes
        self.busy = busy
        self.waiting = waiting
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        processes = try members.require("processes")
        busy = try members.require("busy")
        waiting = try members.require("waiting")
    }

    public func write(to members: inout MemberWriter) {
        members.add("processes", processes)
        members.add("busy", busy)
        members.add("waiting", waiting)
    }
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
    public let rssBytes: Int?
    /// Its pixel processes.
    @Boxed public private(set) var pixels: PixelProcesses?
    /// The seconds since its last heartbeat.
    public let seenSeconds: Double?
    /// `starting`, `running`, `quiet`, `draining`, `stopped` or `lost`.
    public let state: State
    /// Queues that it serves and that do not exist.
    public let missingQueues: [String]?

    public init(
        id: String,
        host: String,
        slots: Int,
        running: Int,
        rssBytes: Int? = nil,
        pixels: PixelProcesses? = nil,
        seenSeconds: Double? = nil,
        state: State,
        missingQueues: [String]? = nil
    ) {
        self.id = id
        self.host = host
        self.slots = slots
        self.running = running
        self.rssBytes = rssBytes
        self.pixels = pixels
        self.seenSeconds = seenSeconds
        self.state = state
        self.missingQueues = missingQueues
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        id = try members.require("id")
        host = try members.require("host")
        slots = try members.require("slots")
        running = try members.require("running")
        rssBytes = try members.read("rssBytes")
        pixels = try members.read("pixels")
        seenSeconds = try members.read("seenSeconds")
        state = try members.require("state")
        missingQueues = try members.read("missingQueues")
    }

    public func write(to members: inout MemberWriter) {
        members.add("id", id)
        members.add("host", host)
        members.add("slots", slots)
        members.add("running", running)
        members.add("rssBytes", rssBytes)
        members.add("pixels", pixels)
        members.add("seenSeconds", seenSeconds)
        members.add("state", state)
        members.add("missingQueues", missingQueues)
    }
}

/// Whether a worker claims.
public struct QuietWorker: Record {
    /// The worker's id.
    public let worker: String
    /// Whether it claims nothing new.
    public let quiet: Bool

    public init(worker: String, quiet: Bool) {
        self.worker = worker
        self.quiet = quiet
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        worker = try members.require("worker")
        quiet = try members.require("quiet")
    }

    public func write(to members: inout MemberWriter) {
        members.add("worker", worker)
        members.add("quiet", quiet)
    }
}

/// The files that were removed.
public struct Removal: Record {
    /// How many.
    public let removed: Int
    /// Their length.
    public let bytes: Int

    public init(removed: Int, bytes: Int) {
        self.removed = removed
        self.bytes = bytes
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        removed = try members.require("removed")
        bytes = try members.require("bytes")
    }

    public func write(to members: inout MemberWriter) {
        members.add("removed", removed)
        members.add("bytes", bytes)
    }
}

/// An image that was stored.
public struct PutResult: Record {
    /// Its key.
    public let key: String
    /// Its length.
    public let bytes: Int

    public init(key: String, bytes: Int) {
        self.key = key
        self.bytes = bytes
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        key = try members.require("key")
        bytes = try members.require("bytes")
    }

    public func write(to members: inout MemberWriter) {
        members.add("key", key)
        members.add("bytes", bytes)
    }
}

/// The numbers of what a purge hit.
public struct PurgeResult: Record {
    /// The number of results.
    public let results: Int
    /// The number of sources that were removed at once.
    public let sources: Int
    /// The number of fetches.
    public let fetches: Int

    public init(results: Int, sources: Int, fetches: Int) {
        self.results = results
        self.sources = sources
        self.fetches = fetches
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        results = try members.require("results")
        sources = try members.require("sources")
        fetches = try members.require("fetches")
    }

    public func write(to members: inout MemberWriter) {
        members.add("results", results)
        members.add("sources", sources)
        members.add("fetches", fetches)
    }
}

/// The size of a tier.
public struct TierInfo: Record {
    /// The number of entries.
    public let count: Int
    /// Their length.
    public let bytes: Int
    /// The most bytes; none without a limit.
    public let capacity: Int?

    public init(count: Int, bytes: Int, capacity: Int? = nil) {
        self.count = count
        self.bytes = bytes
        self.capacity = capacity
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        count = try members.require("count")
        bytes = try members.require("bytes")
        capacity = try members.read("capacity")
    }

    public func write(to members: inout MemberWriter) {
        members.add("count", count)
        members.add("bytes", bytes)
        members.add("capacity", capacity)
    }
}

/// An operation that all workers have.
public struct OperationInfo: Record {
    /// Its name.
    public let name: String
    /// Its meaning.
    public let summary: String
    /// Its parameters.
    public let parameters: [JSON]

    public init(name: String, summary: String, parameters: [JSON]) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        name = try members.require("name")
        summary = try members.require("summary")
        parameters = try members.require("parameters")
    }

    public func write(to members: inout MemberWriter) {
        members.add("name", name)
        members.add("summary", summary)
        members.add("parameters", parameters)
    }
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

    public init(decode: [String], encode: [String], lossless: [String], fonts: [String], operations: [OperationInfo]) {
        self.decode = decode
        self.encode = encode
        self.lossless = lossless
        self.fonts = fonts
        self.operations = operations
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        decode = try members.require("decode")
        encode = try members.require("encode")
        lossless = try members.require("lossless")
        fonts = try members.require("fonts")
        operations = try members.require("operations")
    }

    public func write(to members: inout MemberWriter) {
        members.add("decode", decode)
        members.add("encode", encode)
        members.add("lossless", lossless)
        members.add("fonts", fonts)
        members.add("operations", operations)
    }
}

/// Whether something is under way.
public struct ActivityInfo: Record {
    /// Whether an indicator should turn.
    public let active: Bool
    /// The requests of this connection.
    public let running: Int
    /// The requests of all coordinators.
    public let fleet: Int

    public init(active: Bool, running: Int, fleet: Int) {
        self.active = active
        self.running = running
        self.fleet = fleet
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        active = try members.require("active")
        running = try members.require("running")
        fleet = try members.require("fleet")
    }

    public func write(to members: inout MemberWriter) {
        members.add("active", active)
        members.add("running", running)
        members.add("fleet", fleet)
    }
}

/// The Redis of a coordinator.
public struct RedisInfo: Record {
    /// Its address, without a password.
    public let address: String
    /// Whether it can be reached.
    public let connected: Bool
    /// Since when, in seconds.
    public let connectedSeconds: Double?

    public init(address: String, connected: Bool, connectedSeconds: Double? = nil) {
        self.address = address
        self.connected = connected
        self.connectedSeconds = connectedSeconds
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        address = try members.require("address")
        connected = try members.require("connected")
        connectedSeconds = try members.read("connectedSeconds")
    }

    public func write(to members: inout MemberWriter) {
        members.add("address", address)
        members.add("connected", connected)
        members.add("connectedSeconds", connectedSeconds)
    }
}

/// A coordinator.
public struct SystemInfo: Record {
    /// The version of Tintype; only for an admin.
    public let version: String?
    /// The versions of its interfaces; only for an admin.
    public let versions: [String: String]?
    /// The coordinator's id.
    public let coordinator: String
    /// The number of coordinators.
    public let coordinators: Int
    /// The seconds since its start.
    public let uptime: Double
    /// The address of the JSON-RPC port; only for an admin.
    public let rpc: String?
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

    public init(
        version: String? = nil,
        versions: [String: String]? = nil,
        coordinator: String,
        coordinators: Int,
        uptime: Double,
        rpc: String? = nil,
        http: String,
        limits: JSONObject,
        redis: RedisInfo? = nil,
        identity: JSONObject,
        state: String
    ) {
        self.version = version
        self.versions = versions
        self.coordinator = coordinator
        self.coordinators = coordinators
        self.uptime = uptime
        self.rpc = rpc
        self.http = http
        self.limits = limits
        self.redis = redis
        self.identity = identity
        self.state = state
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        version = try members.read("version")
        versions = try members.read("versions")
        coordinator = try members.require("coordinator")
        coordinators = try members.require("coordinators")
        uptime = try members.require("uptime")
        rpc = try members.read("rpc")
        http = try members.require("http")
        limits = try members.require("limits")
        redis = try members.read("redis")
        identity = try members.require("identity")
        state = try members.require("state")
    }

    public func write(to members: inout MemberWriter) {
        members.add("version", version)
        members.add("versions", versions)
        members.add("coordinator", coordinator)
        members.add("coordinators", coordinators)
        members.add("uptime", uptime)
        members.add("rpc", rpc)
        members.add("http", http)
        members.add("limits", limits)
        members.add("redis", redis)
        members.add("identity", identity)
        members.add("state", state)
    }
}

/// Whether the records in Redis agree with each other.
public struct Validity: Record {
    /// Whether they do.
    public let ok: Bool
    /// A sentence for each broken invariant, at most 1,000.
    public let violations: [String]

    public init(ok: Bool, violations: [String]) {
        self.ok = ok
        self.violations = violations
    }

    public init(json: JSON) throws(AnswerFault) {
        var members = try MemberReader(json)
        ok = try members.require("ok")
        violations = try members.require("violations")
    }

    public func write(to members: inout MemberWriter) {
        members.add("ok", ok)
        members.add("violations", violations)
    }
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
        case .queued(let event): event.json(withSecrets: withSecrets)
        case .started(let event): event.json(withSecrets: withSecrets)
        case .response(let event): event.json(withSecrets: withSecrets)
        case .progress(let event): event.json(withSecrets: withSecrets)
        case .preview(let event): event.json(withSecrets: withSecrets)
        case .cached(let event): event.json(withSecrets: withSecrets)
        case .rendition(let event): event.json(withSecrets: withSecrets)
        case .retrying(let event): event.json(withSecrets: withSecrets)
        case .paused(let event): event.json(withSecrets: withSecrets)
        case .resumed(let event): event.json(withSecrets: withSecrets)
        case .succeeded(let event): event.json(withSecrets: withSecrets)
        case .failed(let event): event.json(withSecrets: withSecrets)
        case .cancelled(let event): event.json(withSecrets: withSecrets)
        case .gap(let gap): gap.json(withSecrets: withSecrets)
        case .other(let json): json
        }
    }

    /// The members of all events; nil for a gap and for an event that this version does not know.
    public var facts: Facts? {
        switch self {
        case .queued(let event): event.facts
        case .started(let event): event.facts
        case .response(let event): event.facts
        case .progress(let event): event.facts
        case .preview(let event): event.facts
        case .cached(let event): event.facts
        case .rendition(let event): event.facts
        case .retrying(let event): event.facts
        case .paused(let event): event.facts
        case .resumed(let event): event.facts
        case .succeeded(let event): event.facts
        case .failed(let event): event.facts
        case .cancelled(let event): event.facts
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
        public let traceparent: String?
        /// The `tag` of the request.
        public let tag: String?
        /// The `userInfo` of the request.
        public let userInfo: JSONObject?
        /// The group of the receipt.
        public let group: String?
        /// The JSON-RPC id of the `image.load`.
        public let requestId: JSON?

        public init(
            receipt: String,
            seq: Int,
            at: Double,
            queue: String,
            traceparent: String? = nil,
            tag: String? = nil,
            userInfo: JSONObject? = nil,
            group: String? = nil,
            requestId: JSON? = nil
        ) {
            self.receipt = receipt
            self.seq = seq
            self.at = at
            self.queue = queue
            self.traceparent = traceparent
            self.tag = tag
            self.userInfo = userInfo
            self.group = group
            self.requestId = requestId
        }

        public init(json: JSON) throws(AnswerFault) {
            var members = try MemberReader(json)
            receipt = try members.require("receipt")
            seq = try members.require("seq")
            at = try members.require("at")
            queue = try members.require("queue")
            traceparent = try members.read("traceparent")
            tag = try members.read("tag")
            userInfo = try members.read("userInfo")
            group = try members.read("group")
            requestId = try members.read("requestId")
        }

        public func write(to members: inout MemberWriter) {
            members.add("receipt", receipt)
            members.add("seq", seq)
            members.add("at", at)
            members.add("queue", queue)
            members.add("traceparent", traceparent)
            members.add("tag", tag)
            members.add("userInfo", userInfo)
            members.add("group", group)
            members.add("requestId", requestId)
        }
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
        public let position: Int?

        public init(facts: Facts, position: Int? = nil) {
            self.facts = facts
            self.position = position
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
            var members = try MemberReader(json)
            position = try members.read("position")
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "queued")
            members.add(membersOf: facts)
            members.add("position", position)
        }
    }
}

extension ImageEvent {
    /// A worker has begun a run.
    public struct Started: Part {
        public let facts: Facts
        /// The id of the worker.
        public let worker: String?
        /// The number of the run, from 1.
        public let attempt: Int

        public init(facts: Facts, worker: String? = nil, attempt: Int) {
            self.facts = facts
            self.worker = worker
            self.attempt = attempt
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
            var members = try MemberReader(json)
            worker = try members.read("worker")
            attempt = try members.require("attempt")
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "started")
            members.add(membersOf: facts)
            members.add("worker", worker)
            members.add("attempt", attempt)
        }
    }
}

extension ImageEvent {
    /// The origin has answered.
    public struct Response: Part {
        public let facts: Facts
        /// The status.
        public let status: Int?
        /// The headers.
        public let headers: [String: String]?
        /// The length of the body; none when the origin gives no length.
        public let expectedBytes: Int?

        public init(facts: Facts, status: Int? = nil, headers: [String: String]? = nil, expectedBytes: Int? = nil) {
            self.facts = facts
            self.status = status
            self.headers = headers
            self.expectedBytes = expectedBytes
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
            var members = try MemberReader(json)
            status = try members.read("status")
            headers = try members.read("headers")
            expectedBytes = try members.read("expectedBytes")
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "response")
            members.add(membersOf: facts)
            members.add("status", status)
            members.add("headers", headers)
            members.add("expectedBytes", expectedBytes)
        }
    }
}

extension ImageEvent {
    /// How far the work is.
    public struct Progress: Part {
        public let facts: Facts
        /// `upload`, `download`, `decode`, `transform`, `encode` or `store`.
        public let phase: Stage
        /// From 0 to 1; none when unknown.
        public let fraction: Double?
        /// The bytes of the source that have come.
        public let receivedBytes: Int?
        /// The length of the source; none when the origin gives no length.
        public let expectedBytes: Int?
        /// The byte at which an earlier download broke off.
        public let resumedFrom: Int?
        /// The bytes of the request body that were sent.
        public let sentBytes: Int?
        /// The length of the request body.
        public let totalBytes: Int?

        public init(
            facts: Facts,
            phase: Stage,
            fraction: Double? = nil,
            receivedBytes: Int? = nil,
            expectedBytes: Int? = nil,
            resumedFrom: Int? = nil,
            sentBytes: Int? = nil,
            totalBytes: Int? = nil
        ) {
            self.facts = facts
            self.phase = phase
            self.fraction = fraction
            self.receivedBytes = receivedBytes
            self.expectedBytes = expectedBytes
            self.resumedFrom = resumedFrom
            self.sentBytes = sentBytes
            self.totalBytes = totalBytes
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
            var members = try MemberReader(json)
            phase = try members.require("phase")
            fraction = try members.read("fraction")
            receivedBytes = try members.read("receivedBytes")
            expectedBytes = try members.read("expectedBytes")
            resumedFrom = try members.read("resumedFrom")
            sentBytes = try members.read("sentBytes")
            totalBytes = try members.read("totalBytes")
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "progress")
            members.add(membersOf: facts)
            members.add("phase", phase)
            members.add("fraction", fraction)
            members.add("receivedBytes", receivedBytes)
            members.add("expectedBytes", expectedBytes)
            members.add("resumedFrom", resumedFrom)
            members.add("sentBytes", sentBytes)
            members.add("totalBytes", totalBytes)
        }
    }
}

extension ImageEvent {
    /// A picture of a source that is still arriving.
    public struct Preview: Part {
        public let facts: Facts
        /// The name of the first rendition.
        public let rendition: String?
        /// A JPEG, upright and scaled.
        public let data: [UInt8]?
        /// The key that keeps the JPEG for ten seconds, in place of data.
        public let key: String?
        /// The width in pixels.
        public let width: Int
        /// The height in pixels.
        public let height: Int
        /// The part of the source that it shows; none when unknown.
        public let fraction: Double?

        public init(facts: Facts, rendition: String? = nil, data: [UInt8]? = nil, key: String? = nil, width: Int, height: Int, fraction: Double? = nil) {
            self.facts = facts
            self.rendition = rendition
            self.data = data
            self.key = key
            self.width = width
            self.height = height
            self.fraction = fraction
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
            var members = try MemberReader(json)
            rendition = try members.read("rendition")
            data = try members.readBytes("data")
            key = try members.read("key")
            width = try members.require("width")
            height = try members.require("height")
            fraction = try members.read("fraction")
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "preview")
            members.add(membersOf: facts)
            members.add("rendition", rendition)
            members.add("data", bytes: data)
            members.add("key", key)
            members.add("width", width)
            members.add("height", height)
            members.add("fraction", fraction)
        }
    }
}

extension ImageEvent {
    /// The cached result of `cache.policy` refresh; the origin is asked next.
    public struct Cached: Part {
        public let facts: Facts
        /// The cached result.
        public let result: ImageResult

        public init(facts: Facts, result: ImageResult) {
            self.facts = facts
            self.result = result
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
            var members = try MemberReader(json)
            result = try members.require("result")
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "cached")
            members.add(membersOf: facts)
            members.add("result", result)
        }
    }
}

extension ImageEvent {
    /// One rendition is finished.
    public struct Rendered: Part {
        public let facts: Facts
        /// One finished rendition.
        public let rendition: RenditionInfo

        public init(facts: Facts, rendition: RenditionInfo) {
            self.facts = facts
            self.rendition = rendition
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
            rendition = try RenditionInfo(json: json)
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "rendition")
            members.add(membersOf: facts)
            members.add(membersOf: rendition)
        }
    }
}

extension ImageEvent {
    /// A run failed, and another one follows.
    public struct Retrying: Part {
        public let facts: Facts
        /// The number of the run that failed.
        public let attempt: Int?
        /// Seconds until the next run.
        public let delay: Double?
        /// The error, as an error object of JSON-RPC.
        public let error: TintypeError?

        public init(facts: Facts, attempt: Int? = nil, delay: Double? = nil, error: TintypeError? = nil) {
            self.facts = facts
            self.attempt = attempt
            self.delay = delay
            self.error = error
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
            var members = try MemberReader(json)
            attempt = try members.read("attempt")
            delay = try members.read("delay")
            error = try members.read("error")
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "retrying")
            members.add(membersOf: facts)
            members.add("attempt", attempt)
            members.add("delay", delay)
            members.add("error", error)
        }
    }
}

extension ImageEvent {
    /// The receipt was paused.
    public struct Paused: Part {
        public let facts: Facts

        public init(facts: Facts) {
            self.facts = facts
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "paused")
            members.add(membersOf: facts)
        }
    }
}

extension ImageEvent {
    /// The receipt goes on.
    public struct Resumed: Part {
        public let facts: Facts

        public init(facts: Facts) {
            self.facts = facts
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "resumed")
            members.add(membersOf: facts)
        }
    }
}

extension ImageEvent {
    /// The end: there is a result.
    public struct Succeeded: Part {
        public let facts: Facts
        /// The result.
        public let result: ImageResult

        public init(facts: Facts, result: ImageResult) {
            self.facts = facts
            self.result = result
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
            var members = try MemberReader(json)
            result = try members.require("result")
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "succeeded")
            members.add(membersOf: facts)
            members.add("result", result)
        }
    }
}

extension ImageEvent {
    /// The end: there is none.
    public struct Failed: Part {
        public let facts: Facts
        /// The error, as an error object of JSON-RPC.
        public let error: TintypeError

        public init(facts: Facts, error: TintypeError) {
            self.facts = facts
            self.error = error
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
            var members = try MemberReader(json)
            error = try members.require("error")
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "failed")
            members.add(membersOf: facts)
            members.add("error", error)
        }
    }
}

extension ImageEvent {
    /// The end: the receipt was cancelled.
    public struct Cancelled: Part {
        public let facts: Facts
        /// Why.
        public let reason: String?
        /// The phase in which the work stopped.
        public let phase: Phase?

        public init(facts: Facts, reason: String? = nil, phase: Phase? = nil) {
            self.facts = facts
            self.reason = reason
            self.phase = phase
        }

        public init(json: JSON) throws(AnswerFault) {
            facts = try Facts(json: json)
            var members = try MemberReader(json)
            reason = try members.read("reason")
            phase = try members.read("phase")
        }

        public func write(to members: inout MemberWriter) {
            members.add("type", "cancelled")
            members.add(membersOf: facts)
            members.add("reason", reason)
            members.add("phase", phase)
        }
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
            case .center: "center"
            case .top: "top"
            case .topRight: "topRight"
            case .right: "right"
            case .bottomRight: "bottomRight"
            case .bottom: "bottom"
            case .bottomLeft: "bottomLeft"
            case .left: "left"
            case .topLeft: "topLeft"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
    /// How the colors mix with those of the picture.
    public enum Blend: Word {
        case 
        normal,
        multiply,
        screen,
        overlay,
        darken,
        lighten,
        colorDodge,
        colorBurn,
        hardLight,
        softLight,
        difference,
        exclusion,
        plusLighter,
        plusDarker,
        hue,
        saturation,
        color,
        luminosity

        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Blend] = [
        .normal,
        .multiply,
        .screen,
        .overlay,
        .darken,
        .lighten,
        .colorDodge,
        .colorBurn,
        .hardLight,
        .softLight,
        .difference,
        .exclusion,
        .plusLighter,
        .plusDarker,
        .hue,
        .saturation,
        .color,
        .luminosity
    ]

        public var rawValue: String {
            switch self {
            case .normal: "normal"
            case .multiply: "multiply"
            case .screen: "screen"
            case .overlay: "overlay"
            case .darken: "darken"
            case .lighten: "lighten"
            case .colorDodge: "colorDodge"
            case .colorBurn: "colorBurn"
            case .hardLight: "hardLight"
            case .softLight: "softLight"
            case .difference: "difference"
            case .exclusion: "exclusion"
            case .plusLighter: "plusLighter"
            case .plusDarker: "plusDarker"
            case .hue: "hue"
            case .saturation: "saturation"
            case .color: "color"
            case .luminosity: "luminosity"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
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
            case .contain: "contain"
            case .cover: "cover"
            case .coverDown: "coverDown"
            case .auto: "auto"
            case .fill: "fill"
            case .inside: "inside"
            case .outside: "outside"
            case .nothing: "none"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
    /// The weights of pixels when a picture becomes smaller.
    /// Enlarging is bicubic, except with nearest and linear.
    public enum Kernel: Word {
        case nearest, linear, cubic, mitchell, lanczos2, lanczos3
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Kernel] = [.nearest, .linear, .cubic, .mitchell, .lanczos2, .lanczos3]

        public var rawValue: String {
            switch self {
            case .nearest: "nearest"
            case .linear: "linear"
            case .cubic: "cubic"
            case .mitchell: "mitchell"
            case .lanczos2: "lanczos2"
            case .lanczos3: "lanczos3"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
    /// Where opposite edges both lose as much as the smaller one: left and right (horizontal), top and bottom (vertical), or both.
    public enum Symmetric: Word {
        case nothing, horizontal, vertical, both
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Symmetric] = [.nothing, .horizontal, .vertical, .both]

        public var rawValue: String {
            switch self {
            case .nothing: "none"
            case .horizontal: "horizontal"
            case .vertical: "vertical"
            case .both: "both"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
    /// Which ones.
    public enum Corner: Word {
        case topLeft, topRight, bottomRight, bottomLeft
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Corner] = [.topLeft, .topRight, .bottomRight, .bottomLeft]

        public var rawValue: String {
            switch self {
            case .topLeft: "topLeft"
            case .topRight: "topRight"
            case .bottomRight: "bottomRight"
            case .bottomLeft: "bottomLeft"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
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
            case .soft: "soft"
            case .light: "light"
            case .extraLight: "extraLight"
            case .dark: "dark"
            case .other(let word): word
            }
        }
    }
}

extension ImageRequest {
    /// The HTTP method.
    /// A transient failure repeats any method, see `retry`.
    public enum HTTPMethod: Word {
        case get, head, post, put, patch, delete
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete]

        public var rawValue: String {
            switch self {
            case .get: "GET"
            case .head: "HEAD"
            case .post: "POST"
            case .put: "PUT"
            case .patch: "PATCH"
            case .delete: "DELETE"
            case .other(let word): word
            }
        }
    }
}

extension ImageRequest {
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
            case .default: "default"
            case .reload: "reload"
            case .only: "only"
            case .revalidate: "revalidate"
            case .refresh: "refresh"
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
        case .memory: "memory"
        case .results: "results"
        case .sources: "sources"
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
            case .nothing: "none"
            case .truncated: "truncated"
            case .error: "error"
            case .warning: "warning"
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
        case .auto: "auto"
        case .original: "original"
        case .jpeg: "jpeg"
        case .png: "png"
        case .webp: "webp"
        case .avif: "avif"
        case .gif: "gif"
        case .tiff: "tiff"
        case .heif: "heif"
        case .jxl: "jxl"
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
        case .jpeg: "jpeg"
        case .png: "png"
        case .webp: "webp"
        case .avif: "avif"
        case .gif: "gif"
        case .tiff: "tiff"
        case .heif: "heif"
        case .jxl: "jxl"
        case .bmp: "bmp"
        case .ico: "ico"
        case .icns: "icns"
        case .xbm: "xbm"
        case .jp2: "jp2"
        case .raw: "raw"
        case .other(let word): word
        }
    }
}

extension ImageRequest {
    /// The properties of the source in the result's `description`, measured upright and on the first frame.
    /// `blurhash` has 4 × 3 or 3 × 4 components, `thumbhash` is base64, `phash` is 64 bits in hexadecimal.
    /// `palette` has up to six `{color, share}`.
    /// `exif` has camera, exposure and time, never the place.
    /// `animation` is null for a still picture, else `{loop, delays}`.
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
            case .blurhash: "blurhash"
            case .thumbhash: "thumbhash"
            case .dominantColor: "dominantColor"
            case .palette: "palette"
            case .averageColor: "averageColor"
            case .phash: "phash"
            case .exif: "exif"
            case .animation: "animation"
            case .gainMap: "gainMap"
            case .hdr: "hdr"
            case .other(let word): word
            }
        }
    }
}

extension ImageRequest {
    /// The kind of result.
    /// `image`: a picture.
    /// `bytes`: the undecoded source.
    /// `json`: the source as the result's `json`; it must be JSON of at most 58 levels, and only line breaks change.
    /// `text`: the body as the result's `text`, decoded by the charset of its Content-Type, else as UTF-8.
    /// `xml`: the same; it must be well-formed XML of at most 256 levels.
    /// XML with declarations of its own is refused.
    /// A byte order mark overrides the header, and the header overrides the declaration of XML.
    public enum Kind: Word {
        case image, bytes, json, text, xml
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Kind] = [.image, .bytes, .json, .text, .xml]

        public var rawValue: String {
            switch self {
            case .image: "image"
            case .bytes: "bytes"
            case .json: "json"
            case .text: "text"
            case .xml: "xml"
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
            case .px: "px"
            case .fraction: "fraction"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
    /// How the lines meet in a corner without rounding.
    public enum Join: Word {
        case miter, round, bevel
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Join] = [.miter, .round, .bevel]

        public var rawValue: String {
            switch self {
            case .miter: "miter"
            case .round: "round"
            case .bevel: "bevel"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
    /// The shape to keep. circle: as large as fits; ellipse: touches all four edges.
    public enum Shape: Word {
        case circle, ellipse
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Shape] = [.circle, .ellipse]

        public var rawValue: String {
            switch self {
            case .circle: "circle"
            case .ellipse: "ellipse"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
    /// The alignment of lines; mirrored for text from right to left.
    public enum Align: Word {
        case left, center, right
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Align] = [.left, .center, .right]

        public var rawValue: String {
            switch self {
            case .left: "left"
            case .center: "center"
            case .right: "right"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
    /// The height that is placed: `line`, of the font's lines, as in CSS; `ink`, of the letters.
    public enum Valign: Word {
        case line, ink
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Valign] = [.line, .ink]

        public var rawValue: String {
            switch self {
            case .line: "line"
            case .ink: "ink"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
    /// How the color mixes with the picture.
    public enum TintBlend: Word {
        case 
        normal,
        multiply,
        screen,
        overlay,
        darken,
        lighten,
        colorDodge,
        colorBurn,
        hardLight,
        softLight,
        difference,
        exclusion,
        plusLighter,
        plusDarker,
        hue,
        saturation,
        color,
        luminosity,
        sourceIn

        /// A word that this version does not know.
        case other(String)

        public static let allCases: [TintBlend] = [
        .normal,
        .multiply,
        .screen,
        .overlay,
        .darken,
        .lighten,
        .colorDodge,
        .colorBurn,
        .hardLight,
        .softLight,
        .difference,
        .exclusion,
        .plusLighter,
        .plusDarker,
        .hue,
        .saturation,
        .color,
        .luminosity,
        .sourceIn
    ]

        public var rawValue: String {
            switch self {
            case .normal: "normal"
            case .multiply: "multiply"
            case .screen: "screen"
            case .overlay: "overlay"
            case .darken: "darken"
            case .lighten: "lighten"
            case .colorDodge: "colorDodge"
            case .colorBurn: "colorBurn"
            case .hardLight: "hardLight"
            case .softLight: "softLight"
            case .difference: "difference"
            case .exclusion: "exclusion"
            case .plusLighter: "plusLighter"
            case .plusDarker: "plusDarker"
            case .hue: "hue"
            case .saturation: "saturation"
            case .color: "color"
            case .luminosity: "luminosity"
            case .sourceIn: "sourceIn"
            case .other(let word): word
            }
        }
    }
}

extension ImageOperation {
    /// How another picture gets the size. contain: whole, on a background; cover: cut; fill: stretched.
    public enum AnimationFit: Word {
        case contain, cover, fill
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [AnimationFit] = [.contain, .cover, .fill]

        public var rawValue: String {
            switch self {
            case .contain: "contain"
            case .cover: "cover"
            case .fill: "fill"
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
            case .all: "all"
            case .first: "first"
            case .other(let word): word
            }
        }
    }
}

extension ImageRequest {
    /// How much the codec may shrink the picture while decoding. fast: as much as possible; best: not at all.
    public enum Speed: Word {
        case fast, balanced, best
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Speed] = [.fast, .balanced, .best]

        public var rawValue: String {
            switch self {
            case .fast: "fast"
            case .balanced: "balanced"
            case .best: "best"
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
            case .chroma420: "4:2:0"
            case .chroma444: "4:4:4"
            case .other(let word): word
            }
        }
    }
}

extension ImageOutput {
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
            case .nothing: "none"
            case .copyright: "copyright"
            case .all: "all"
            case .other(let word): word
            }
        }
    }
}

extension ImageOutput {
    /// The color space.
    /// `srgb`: colors become sRGB, without a profile.
    /// `keep`: RGB stays in the source's space, with its profile; gray with a profile of its own is converted.
    /// Colors of operations then mean that space, and other pictures are converted to it.
    /// Not for gif and jxl.
    public enum ColorSpace: Word {
        case srgb, keep
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [ColorSpace] = [.srgb, .keep]

        public var rawValue: String {
            switch self {
            case .srgb: "srgb"
            case .keep: "keep"
            case .other(let word): word
            }
        }
    }
}

extension ImageOutput {
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
            case .drop: "drop"
            case .keep: "keep"
            case .apply: "apply"
            case .other(let word): word
            }
        }
    }
}

extension ImageOutput {
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
            case .toneMap: "toneMap"
            case .keep: "keep"
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
            case .plain: "plain"
            case .blur: "blur"
            case .other(let word): word
            }
        }
    }
}

extension ImageRequest {
    /// The order within a priority.
    /// Default: the order of the queue.
    public enum Order: Word {
        case fifo, lifo
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [Order] = [.fifo, .lifo]

        public var rawValue: String {
            switch self {
            case .fifo: "fifo"
            case .lifo: "lifo"
            case .other(let word): word
            }
        }
    }
}

extension ImageRequest {
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
            case .on: "on"
            case .off: "off"
            case .retry: "retry"
            case .other(let word): word
            }
        }
    }
}

extension ImageRequest {
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
            case .reference: "reference"
            case .inline: "inline"
            case .nothing: "none"
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
        case .failFast: "failFast"
        case .settleAll: "settleAll"
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
            case .all: "all"
            case .pictures: "pictures"
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
            case .finished: "finished"
            case .unknown: "unknown"
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
            case .prefetch: "prefetch"
            case .batch: "batch"
            case .chain: "chain"
            case .other(let word): word
            }
        }
    }
}

extension GroupInfo {
    /// A word of `state`.
    public enum State: Word {
        case running, succeeded, failed, cancelled
        /// A word that this version does not know.
        case other(String)

        public static let allCases: [State] = [.running, .succeeded, .failed, .cancelled]

        public var rawValue: String {
            switch self {
            case .running: "running"
            case .succeeded: "succeeded"
            case .failed: "failed"
            case .cancelled: "cancelled"
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
            case .remote: "remote"
            case .sources: "sources"
            case .results: "results"
            case .memory: "memory"
            case .fallback: "fallback"
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
            case .upload: "upload"
            case .download: "download"
            case .decode: "decode"
            case .transform: "transform"
            case .encode: "encode"
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
        case .queued: "queued"
        case .delayed: "delayed"
        case .running: "running"
        case .paused: "paused"
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
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
            case .starting: "starting"
            case .running: "running"
            case .quiet: "quiet"
            case .draining: "draining"
            case .stopped: "stopped"
            case .lost: "lost"
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
        case .load: "load"
        case .put: "put"
        case .admin: "admin"
        case .other(let word): word
        }
    }
}

extension ImageOperation {
    /// The factor on the box, or without a box on the picture's own size.
    public enum ScaleFactor: ProtocolValue, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
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
            case .null, .bool, .string, .array: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .number(let value): return value.json(withSecrets: withSecrets)
            case .factors(let width, let height):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("width", width)
                members.add("height", height)
                return .object(members.object)
            case .other(let json): return json
            }
        }

        public init(floatLiteral value: Double) { self = .number(value) }

        public init(integerLiteral value: Int) { self = .number(Double(value)) }
    }
}

extension ImageOperation {
    /// The part to keep, or the place on the canvas.
    /// `attention` and `entropy` find a part to keep.
    public enum Gravity: ProtocolValue {
        case center
        case top
        case topRight
        case right
        case bottomRight
        case bottom
        case bottomLeft
        case left
        case topLeft
        case attention
        case entropy
        /// `x`: The place from the left edge, as a fraction. 0 to 1.
        /// `y`: The place from the upper edge, as a fraction. 0 to 1.
        case point(x: Double, y: Double)
        /// `place`: The place before the offsets count.
        /// `offsetX`: The distance from the left or right edge of the place, or to the right from the middle.
        /// Below 1 a part of the whole width, otherwise pixels. -16384 to 16384.
        /// Default: `0`.
        /// `offsetY`: The distance from the upper or lower edge of the place, or down from the middle.
        /// Below 1 a part of the whole height, otherwise pixels. -16384 to 16384.
        /// Default: `0`.
        case offsets(Place, offsetX: Double? = nil, offsetY: Double? = nil)
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .string(let word):
                self = switch word {
                case "center": .center
                case "top": .top
                case "topRight": .topRight
                case "right": .right
                case "bottomRight": .bottomRight
                case "bottom": .bottom
                case "bottomLeft": .bottomLeft
                case "left": .left
                case "topLeft": .topLeft
                case "attention": .attention
                case "entropy": .entropy
                default: .other(json)
                }
            case .object:
                var members = try MemberReader(json)
                if json["x"] != nil, json["y"] != nil {
                    self = .point(x: try members.require("x"), y: try members.require("y"))
                } else if json["place"] != nil {
                    self = .offsets(try members.require("place"), offsetX: try members.read("offsetX"), offsetY: try members.read("offsetY"))
                } else {
                    self = .other(json)
                }
            case .null, .bool, .integer, .number, .array: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .center: return "center"
            case .top: return "top"
            case .topRight: return "topRight"
            case .right: return "right"
            case .bottomRight: return "bottomRight"
            case .bottom: return "bottom"
            case .bottomLeft: return "bottomLeft"
            case .left: return "left"
            case .topLeft: return "topLeft"
            case .attention: return "attention"
            case .entropy: return "entropy"
            case .point(let x, let y):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("x", x)
                members.add("y", y)
                return .object(members.object)
            case .offsets(let place, let offsetX, let offsetY):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("place", place)
                members.add("offsetX", offsetX)
                members.add("offsetY", offsetY)
                return .object(members.object)
            case .other(let json): return json
            }
        }
    }
}

extension ImageOperation {
    /// The place of the picture on the canvas, with or without offsets.
    /// The picture stays inside.
    public enum EdgeGravity: ProtocolValue {
        case center
        case top
        case topRight
        case right
        case bottomRight
        case bottom
        case bottomLeft
        case left
        case topLeft
        /// `place`: The place before the offsets count.
        /// `offsetX`: The distance from the left or right edge of the place, or to the right from the middle.
        /// Below 1 a part of the whole width, otherwise pixels. -16384 to 16384.
        /// Default: `0`.
        /// `offsetY`: The distance from the upper or lower edge of the place, or down from the middle.
        /// Below 1 a part of the whole height, otherwise pixels. -16384 to 16384.
        /// Default: `0`.
        case offsets(Place, offsetX: Double? = nil, offsetY: Double? = nil)
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .string(let word):
                self = switch word {
                case "center": .center
                case "top": .top
                case "topRight": .topRight
                case "right": .right
                case "bottomRight": .bottomRight
                case "bottom": .bottom
                case "bottomLeft": .bottomLeft
                case "left": .left
                case "topLeft": .topLeft
                default: .other(json)
                }
            case .object:
                var members = try MemberReader(json)
                if json["place"] != nil {
                    self = .offsets(try members.require("place"), offsetX: try members.read("offsetX"), offsetY: try members.read("offsetY"))
                } else {
                    self = .other(json)
                }
            case .null, .bool, .integer, .number, .array: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .center: return "center"
            case .top: return "top"
            case .topRight: return "topRight"
            case .right: return "right"
            case .bottomRight: return "bottomRight"
            case .bottom: return "bottom"
            case .bottomLeft: return "bottomLeft"
            case .left: return "left"
            case .topLeft: return "topLeft"
            case .offsets(let place, let offsetX, let offsetY):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("place", place)
                members.add("offsetX", offsetX)
                members.add("offsetY", offsetY)
                return .object(members.object)
            case .other(let json): return json
            }
        }
    }
}

extension ImageOperation {
    /// The place of the overlay: one of nine places, or a point in fractions for its middle.
    public enum OverlayGravity: ProtocolValue {
        case center
        case top
        case topRight
        case right
        case bottomRight
        case bottom
        case bottomLeft
        case left
        case topLeft
        /// `x`: The place from the left edge, as a fraction. 0 to 1.
        /// `y`: The place from the upper edge, as a fraction. 0 to 1.
        case point(x: Double, y: Double)
        /// `place`: The place before the offsets count.
        /// `offsetX`: The distance from the left or right edge of the place, or to the right from the middle.
        /// Below 1 a part of the whole width, otherwise pixels. -16384 to 16384.
        /// Default: `0`.
        /// `offsetY`: The distance from the upper or lower edge of the place, or down from the middle.
        /// Below 1 a part of the whole height, otherwise pixels. -16384 to 16384.
        /// Default: `0`.
        case offsets(Place, offsetX: Double? = nil, offsetY: Double? = nil)
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .string(let word):
                self = switch word {
                case "center": .center
                case "top": .top
                case "topRight": .topRight
                case "right": .right
                case "bottomRight": .bottomRight
                case "bottom": .bottom
                case "bottomLeft": .bottomLeft
                case "left": .left
                case "topLeft": .topLeft
                default: .other(json)
                }
            case .object:
                var members = try MemberReader(json)
                if json["x"] != nil, json["y"] != nil {
                    self = .point(x: try members.require("x"), y: try members.require("y"))
                } else if json["place"] != nil {
                    self = .offsets(try members.require("place"), offsetX: try members.read("offsetX"), offsetY: try members.read("offsetY"))
                } else {
                    self = .other(json)
                }
            case .null, .bool, .integer, .number, .array: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .center: return "center"
            case .top: return "top"
            case .topRight: return "topRight"
            case .right: return "right"
            case .bottomRight: return "bottomRight"
            case .bottom: return "bottom"
            case .bottomLeft: return "bottomLeft"
            case .left: return "left"
            case .topLeft: return "topLeft"
            case .point(let x, let y):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("x", x)
                members.add("y", y)
                return .object(members.object)
            case .offsets(let place, let offsetX, let offsetY):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("place", place)
                members.add("offsetX", offsetX)
                members.add("offsetY", offsetY)
                return .object(members.object)
            case .other(let json): return json
            }
        }
    }
}

extension ImageOperation {
    /// Whether to repeat over the whole picture.
    public enum Tiling: ProtocolValue, ExpressibleByBooleanLiteral {
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
            case .null, .integer, .number, .string, .array: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .boolean(let value): return value.json(withSecrets: withSecrets)
            case .gaps(let gapX, let gapY):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("gapX", gapX)
                members.add("gapY", gapY)
                return .object(members.object)
            case .other(let json): return json
            }
        }

        public init(booleanLiteral value: Bool) { self = .boolean(value) }
    }
}

extension ImageOperation {
    /// Milliseconds for a frame: one number, or one for each frame.
    /// GIF counts in hundredths of a second.
    public enum Delay: ProtocolValue, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral {
        case integer(Int)
        case list([Int])
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .integer, .number: self = .integer(try Int(json: json))
            case .array: self = .list(try [Int](json: json))
            case .null, .bool, .string, .object: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .integer(let value): return value.json(withSecrets: withSecrets)
            case .list(let value): return value.json(withSecrets: withSecrets)
            case .other(let json): return json
            }
        }

        public init(integerLiteral value: Int) { self = .integer(value) }

        public init(arrayLiteral elements: Int...) { self = .list(elements) }
    }
}

extension ImageRequest {
    /// Credentials, sent only to the URL's own host: `{basic: [user, password]}`, `{digest: [user, password]}` or `{bearer: token}`.
    /// If the origin refuses them, the request fails with authFailed.
    public enum Auth: ProtocolValue {
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
            case .null, .bool, .integer, .number, .string, .array: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .basic(let basic):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("basic", basic, isSecret: true)
                return .object(members.object)
            case .digest(let digest):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("digest", digest, isSecret: true)
                return .object(members.object)
            case .bearer(let bearer):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("bearer", bearer, isSecret: true)
                return .object(members.object)
            case .other(let json): return json
            }
        }
    }
}

extension ImageOutput {
    /// The formats for auto: an Accept header, or a list of media types or formats.
    /// Animated: webp, else gif (png first for a png source).
    /// Still: avif, else webp, else jxl (if neither is named), else png (with alpha or from a lossless source), else jpeg.
    /// A star, or nothing known, means jpeg, png and gif.
    public enum Accept: ProtocolValue, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
        case text(String)
        case list([String])
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .string: self = .text(try String(json: json))
            case .array: self = .list(try [String](json: json))
            case .null, .bool, .integer, .number, .object: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .text(let value): return value.json(withSecrets: withSecrets)
            case .list(let value): return value.json(withSecrets: withSecrets)
            case .other(let json): return json
            }
        }

        public init(stringLiteral value: String) { self = .text(value) }

        public init(arrayLiteral elements: String...) { self = .list(elements) }
    }
}

extension ImageOutput {
    /// The quality of the encoder.
    /// Default: jpeg 80, webp 80, avif 50, heif 50, jxl 75; png with palette 100.
    /// `auto`: the lowest of five tried that keeps `likeness`, named in the result.
    /// It is for still jpeg, webp, avif; others have the default.
    public enum Quality: ProtocolValue, ExpressibleByIntegerLiteral {
        case integer(Int)
        case auto
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .string(let word):
                self = switch word {
                case "auto": .auto
                default: .other(json)
                }
            case .integer, .number: self = .integer(try Int(json: json))
            case .null, .bool, .array, .object: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .integer(let value): return value.json(withSecrets: withSecrets)
            case .auto: return "auto"
            case .other(let json): return json
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
    public enum Replacement: ProtocolValue, ExpressibleByBooleanLiteral {
        case boolean(Bool)
        case keep
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .string(let word):
                self = switch word {
                case "keep": .keep
                default: .other(json)
                }
            case .bool: self = .boolean(try Bool(json: json))
            case .null, .integer, .number, .array, .object: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .boolean(let value): return value.json(withSecrets: withSecrets)
            case .keep: return "keep"
            case .other(let json): return json
            }
        }

        public init(booleanLiteral value: Bool) { self = .boolean(value) }
    }
}

extension ImageRequest {
    /// The order in the queue among the fetches of one client: higher goes first.
    /// Permits are shared between clients before priorities count.
    public enum Priority: ProtocolValue, ExpressibleByIntegerLiteral {
        case integer(Int)
        case low
        case normal
        case high
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .string(let word):
                self = switch word {
                case "low": .low
                case "normal": .normal
                case "high": .high
                default: .other(json)
                }
            case .integer, .number: self = .integer(try Int(json: json))
            case .null, .bool, .array, .object: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .integer(let value): return value.json(withSecrets: withSecrets)
            case .low: return "low"
            case .normal: return "normal"
            case .high: return "high"
            case .other(let json): return json
            }
        }

        public init(integerLiteral value: Int) { self = .integer(value) }
    }
}

extension ImageRequest {
    /// Whether progress events come, and how often: after `interval` seconds (default 0.25, at least 0.02) or a step of `fraction` (default 0.05).
    public enum ProgressReports: ProtocolValue, ExpressibleByBooleanLiteral {
        case boolean(Bool)
        /// `interval`: The most seconds between two events; values below 0.02 count as 0.02. 0 to 3600.
        /// Default: `0.25`.
        /// `fraction`: The largest step of the body between two events.
        /// A named step allows up to fifty events a second. 0 to 1.
        /// Default: `0.05`.
        case pace(interval: Double? = nil, fraction: Double? = nil)
        /// A value that this version does not know.
        case other(JSON)

        public init(json: JSON) throws(AnswerFault) {
            switch json {
            case .bool: self = .boolean(try Bool(json: json))
            case .object:
                var members = try MemberReader(json)
                self = .pace(interval: try members.read("interval"), fraction: try members.read("fraction"))
            case .null, .integer, .number, .string, .array: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .boolean(let value): return value.json(withSecrets: withSecrets)
            case .pace(let interval, let fraction):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("interval", interval)
                members.add("fraction", fraction)
                return .object(members.object)
            case .other(let json): return json
            }
        }

        public init(booleanLiteral value: Bool) { self = .boolean(value) }
    }
}

extension ImageRequest {
    /// The replacement for an image that cannot be loaded.
    /// The request then succeeds with `from` fallback and the cause as `error`.
    /// Not for invalid URLs and cancelled requests.
    /// Callbacks and subscribers in Redis get the failure.
    public enum Fallback: ProtocolValue {
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
            case .null, .bool, .integer, .number, .string, .array: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .url(let url):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("url", url)
                return .object(members.object)
            case .key(let key):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("key", key)
                return .object(members.object)
            case .color(let color, let width, let height):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("color", color)
                members.add("width", width)
                members.add("height", height)
                return .object(members.object)
            case .other(let json): return json
            }
        }
    }
}

extension ImageRequest {
    /// Whether `preview` events come, see Previews.
    /// `mode`: plain (default), or blur, which shrinks as more arrives (not for baseline jpeg).
    /// `interval`: at least 0.05 to 3600 seconds between two, default 0.2.
    /// `width`: 16 to 1280 pixels, default 320.
    /// A shared download uses the options of its first request.
    public enum Previews: ProtocolValue, ExpressibleByBooleanLiteral {
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
            case .null, .integer, .number, .string, .array: self = .other(json)
            }
        }

        public func json(withSecrets: Bool) -> JSON {
            switch self {
            case .boolean(let value): return value.json(withSecrets: withSecrets)
            case .pace(let mode, let interval, let width):
                var members = MemberWriter(withSecrets: withSecrets)
                members.add("mode", mode)
                members.add("interval", interval)
                members.add("width", width)
                return .object(members.object)
            case .other(let json): return json
            }
        }

        public init(booleanLiteral value: Bool) { self = .boolean(value) }
    }
}

// MARK: - Methods

/// Every method of the service, with its parameters and its result.
public struct ServiceMethods: Sendable {
    private let caller: any MethodCaller

    /// - Parameter caller: the connection that carries the calls.
    public init(_ caller: any MethodCaller) { self.caller = caller }

    /// Loads an image and answers when the image is there.
    /// With `progress`, events arrive before the answer.
    ///
    /// - Returns: The result of a request.
    /// - Throws: ``TintypeError``.
    public func imageLoad(_ request: ImageRequest) async throws(TintypeError) -> ImageResult {
        var params = MemberWriter()
        params.add(membersOf: request)
        return try await caller.call("image.load", params)
    }

    /// Queues an image and answers at once; the end comes as a terminal `image.event`.
    ///
    /// - Returns: The state of a receipt, and its end.
    /// - Throws: ``TintypeError``.
    public func imageSubmit(_ request: ImageRequest) async throws(TintypeError) -> ReceiptInfo {
        var params = MemberWriter()
        params.add(membersOf: request)
        return try await caller.call("image.submit", params)
    }

    /// Describes a source.
    /// Reads no more of the body than the description needs.
    ///
    /// - Returns: A source, without a result.
    /// - Throws: ``TintypeError``.
    public func imageProbe(_ request: ImageRequest) async throws(TintypeError) -> ProbeResult {
        var params = MemberWriter()
        params.add(membersOf: request)
        return try await caller.call("image.probe", params)
    }

    /// Shows what `image.load` would do, and whether the client, a rule or a default decides.
    /// Sends and queues nothing, and shows no secret.
    ///
    /// - Returns: `{urls: [{url, rules?, inKeys?, access?: {value, by}}], headers: [{name, by}], omittedHeaders: [{name, by}], ttl?: {min?, max?, by},
    ///   response?: {by}, tlsProfile?: {value, by}, options: [{name, value?, by}], source, renditions: [{name, key}], queue, priority}`.
    ///   `url` is the URL as requested, `rules` apply to it, and `inKeys` stands for it in keys.
    ///   `by` is request, default, or the place of a rule in its file.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func requestExplain(_ request: ImageRequest) async throws(TintypeError) -> JSON {
        var params = MemberWriter()
        params.add(membersOf: request)
        return try await caller.call("request.explain", params)
    }

    /// Lists the formats that all workers decode, encode, and encode without loss, the fonts, and the operations with their parameters.
    ///
    /// - Returns: The formats, fonts and operations of all workers.
    /// - Throws: ``TintypeError``.
    public func formatsList() async throws(TintypeError) -> FormatsInfo {
        let params = MemberWriter()
        return try await caller.call("formats.list", params)
    }

    /// Shows the state of a receipt.
    /// This connection gets the end from now on, and owns the receipt if its clients have gone.
    ///
    /// - Parameter receipt: The receipt's id.
    /// - Parameter wait: Seconds to wait for the end. 0 to 3600.
    ///   Default: `0`.
    /// - Returns: The state of a receipt, and its end.
    /// - Throws: ``TintypeError``.
    public func receiptGet(receipt: String, wait: Double? = nil) async throws(TintypeError) -> ReceiptInfo {
        var params = MemberWriter()
        params.add("receipt", receipt)
        params.add("wait", wait)
        return try await caller.call("receipt.get", params)
    }

    /// Cancels a receipt.
    /// The fetch goes on while other receipts want it.
    /// A repeated call is harmless.
    ///
    /// - Parameter receipt: One receipt's id.
    /// - Parameter receipts: Several ids, instead of `receipt`.
    /// - Returns: The answer for one receipt, or for many.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func receiptCancel(receipt: String? = nil, receipts: [String]? = nil) async throws(TintypeError) -> Cancellations {
        var params = MemberWriter()
        params.add("receipt", receipt)
        params.add("receipts", receipts)
        return try await caller.call("receipt.cancel", params)
    }

    /// Pauses a receipt until it is resumed.
    /// Its download stops if no other receipt wants it, and the bytes are kept as of a broken download.
    /// A shared download continues, and the paused receipt gets no progress.
    /// A paused receipt holds no place in its queue, and its deadline goes on.
    /// A source that is loaded already is made, and the receipt ends.
    /// A repeated call is harmless.
    ///
    /// - Parameter receipt: The receipt's id.
    /// - Returns: Where the request is.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func receiptPause(receipt: String) async throws(TintypeError) -> ReceiptState {
        var params = MemberWriter()
        params.add("receipt", receipt)
        return try await caller.call("receipt.pause", params, member: "state")
    }

    /// Resumes a paused receipt at its old place.
    /// A repeated call is harmless.
    ///
    /// - Parameter receipt: The receipt's id.
    /// - Returns: Where the request is.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func receiptResume(receipt: String) async throws(TintypeError) -> ReceiptState {
        var params = MemberWriter()
        params.add("receipt", receipt)
        return try await caller.call("receipt.resume", params, member: "state")
    }

    /// Changes the priority of a receipt.
    /// Its fetch gets the highest priority among its live receipts.
    ///
    /// - Parameter receipt: The receipt's id.
    /// - Parameter priority: The new priority.
    /// - Returns: The priority of its fetch.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func receiptSetPriority(receipt: String, priority: ImageRequest.Priority) async throws(TintypeError) -> Int {
        var params = MemberWriter()
        params.add("receipt", receipt)
        params.add("priority", priority)
        return try await caller.call("receipt.setPriority", params, member: "priority")
    }

    /// Loads images into the caches.
    /// A failed item does not stop the group.
    /// The group ends with `{finished, skipped, errors: [{index, error}]}`.
    /// `skipped` counts failed and cancelled items.
    /// `errors` has at most 4 MiB; from the item `next` on, `group.get` has the others.
    ///
    /// - Parameter urls: The URLs to load.
    ///   Either `urls` or `items`.
    /// - Parameter items: ImageRequests to load.
    /// - Parameter concurrency: How many items run at once. 1 to 1000.
    ///   Default: `3`.
    /// - Parameter priority: The priority of items that name none.
    ///   Default: `"low"`.
    /// - Parameter durable: See Durable.
    /// - Parameter hooks: Whether this connection gets `group.hook`.
    ///   Default: `false`.
    /// - Returns: A group that was started.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func prefetchStart(
        urls: [String]? = nil,
        items: [ImageRequest]? = nil,
        concurrency: Int? = nil,
        priority: ImageRequest.Priority? = nil,
        durable: Bool? = nil,
        hooks: Bool? = nil
    ) async throws(TintypeError) -> StartedGroup {
        var params = MemberWriter()
        params.add("urls", urls)
        params.add("items", items)
        params.add("concurrency", concurrency)
        params.add("priority", priority)
        params.add("durable", durable)
        params.add("hooks", hooks)
        return try await caller.call("prefetch.start", params)
    }

    /// Loads many images as one group, with results in the order of the items.
    /// With failFast, the first failure cancels the other items and fails the group.
    /// With settleAll, the group succeeds when all items have ended, failed ones too.
    ///
    /// - Parameter items: ImageRequests to load.
    /// - Parameter mode: How the group treats a failed item.
    ///   Default: `"failFast"`.
    /// - Parameter concurrency: How many items run at once. 1 to 1000.
    ///   Default: `64`.
    /// - Parameter durable: See Durable.
    /// - Parameter hooks: Whether this connection gets `group.hook`.
    ///   Default: `false`.
    /// - Returns: A group that was started.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func batchStart(
        items: [ImageRequest],
        mode: BatchMode? = nil,
        concurrency: Int? = nil,
        durable: Bool? = nil,
        hooks: Bool? = nil
    ) async throws(TintypeError) -> StartedGroup {
        var params = MemberWriter()
        params.add("items", items)
        params.add("mode", mode)
        params.add("concurrency", concurrency)
        params.add("durable", durable)
        params.add("hooks", hooks)
        return try await caller.call("batch.start", params)
    }

    /// Loads images one after the other: a step starts after the step before has succeeded.
    /// In any text of a step, `${steps[n].source.finalURL}` stands for that member of the ImageResult of step n, counted from 0.
    /// A text that is only a reference becomes the value itself, with its type.
    /// Members that `group.get` leaves out cannot be referenced.
    /// A step fails if a reference does not resolve, or makes it larger than 4 MiB or deeper than 64 levels.
    ///
    /// - Parameter steps: ImageRequests, in order.
    /// - Parameter durable: See Durable.
    /// - Parameter hooks: Whether this connection gets `group.hook`.
    ///   Default: `false`.
    /// - Returns: A group that was started.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func chainStart(steps: [ImageRequest], durable: Bool? = nil, hooks: Bool? = nil) async throws(TintypeError) -> StartedGroup {
        var params = MemberWriter()
        params.add("steps", steps)
        params.add("durable", durable)
        params.add("hooks", hooks)
        return try await caller.call("chain.start", params)
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
        var params = MemberWriter()
        params.add("group", group)
        params.add("steps", steps)
        params.add("durable", durable)
        return try await caller.call("chain.append", params)
    }

    /// Shows the state of a group and the results so far, for 24 hours after its end.
    /// `origins` counts results by their `from`.
    /// One answer has about 4 MiB of items and 8 MiB of inline data.
    /// If that, or `limit`, leaves items out, `next` is the `from` of the next call.
    /// `receipt.get` of an item has the members left out here.
    /// Errors come without `headers` and `body`.
    /// Results come without a `json` or `text` of more than 64 KiB, and without any of these or `userInfo` beyond 8 MiB in all.
    ///
    /// - Parameter group: The group's id.
    /// - Parameter wait: Seconds to wait for the end. 0 to 3600.
    ///   Default: `0`.
    /// - Parameter from: The first item in the answer. 0 to 10000.
    ///   Default: `0`.
    /// - Parameter limit: The most items in the answer. 1 to 10000.
    /// - Returns: The state of a group, and its results so far.
    /// - Throws: ``TintypeError``.
    public func groupGet(group: String, wait: Double? = nil, from: Int? = nil, limit: Int? = nil) async throws(TintypeError) -> GroupInfo {
        var params = MemberWriter()
        params.add("group", group)
        params.add("wait", wait)
        params.add("from", from)
        params.add("limit", limit)
        return try await caller.call("group.get", params)
    }

    /// Ends a group as cancelled and cancels its receipts.
    /// Fetches that other receipts want go on.
    /// A repeated call answers the same.
    ///
    /// - Parameter group: The group's id.
    /// - Returns: Whether something was cancelled.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func groupCancel(group: String) async throws(TintypeError) -> Cancellation {
        var params = MemberWriter()
        params.add("group", group)
        return try await caller.call("group.cancel", params)
    }

    /// Shows all queues.
    ///
    /// - Returns: A list.
    ///   Each: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func queueList() async throws(TintypeError) -> [QueueInfo] {
        let params = MemberWriter()
        return try await caller.call("queue.list", params)
    }

    /// Shows one queue.
    ///
    /// - Parameter queue: The queue's name.
    /// - Returns: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func queueGet(queue: String) async throws(TintypeError) -> QueueInfo {
        var params = MemberWriter()
        params.add("queue", queue)
        return try await caller.call("queue.get", params)
    }

    /// Changes a queue, or creates it.
    /// Takes effect at the next claim, everywhere.
    /// There are at most 1,000 queues.
    /// At the limit, old ones without content, settings and workers are removed: configured over an hour ago, and not used for 49 hours or never.
    ///
    /// - Parameter queue: The queue's name.
    /// - Parameter order: The order of requests that name none, waiting ones too.
    /// - Parameter maxConcurrent: The most running fetches.
    ///   Default: 64. 1 to 100000.
    /// - Parameter maxConcurrentPerHost: The most running fetches of one host.
    ///   Default: 6.
    ///   A fetch counts for its first URL whose host is not throttled, not for later mirrors and redirects. 1 to 100000.
    /// - Parameter hostLimits: `maxConcurrentPerHost` for single hosts, without port.
    ///   Replaces the whole map and wins over limits of rules.
    /// - Parameter maxQueued: The most waiting fetches; further ones are `overloaded`.
    ///   Default: --max-queued. 1 to 10000000.
    /// - Parameter shards: The number of its shards, given once.
    ///   Default: 1. 1 to 64.
    /// - Returns: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func queueConfigure(
        queue: String,
        order: ImageRequest.Order? = nil,
        maxConcurrent: Int? = nil,
        maxConcurrentPerHost: Int? = nil,
        hostLimits: [String: Int]? = nil,
        maxQueued: Int? = nil,
        shards: Int? = nil
    ) async throws(TintypeError) -> QueueInfo {
        var params = MemberWriter()
        params.add("queue", queue)
        params.add("order", order)
        params.add("maxConcurrent", maxConcurrent)
        params.add("maxConcurrentPerHost", maxConcurrentPerHost)
        params.add("hostLimits", hostLimits)
        params.add("maxQueued", maxQueued)
        params.add("shards", shards)
        return try await caller.call("queue.configure", params)
    }

    /// Pauses a queue: no new claims; running fetches go on.
    ///
    /// - Parameter queue: The queue's name.
    /// - Returns: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func queuePause(queue: String) async throws(TintypeError) -> QueueInfo {
        var params = MemberWriter()
        params.add("queue", queue)
        return try await caller.call("queue.pause", params)
    }

    /// Ends the pause of a queue.
    ///
    /// - Parameter queue: The queue's name.
    /// - Returns: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func queueResume(queue: String) async throws(TintypeError) -> QueueInfo {
        var params = MemberWriter()
        params.add("queue", queue)
        return try await caller.call("queue.resume", params)
    }

    /// Cancels every receipt of a queue and stops running fetches.
    ///
    /// - Parameter queue: The queue's name.
    /// - Returns: The state of a queue.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func queueCancelAll(queue: String) async throws(TintypeError) -> QueueInfo {
        var params = MemberWriter()
        params.add("queue", queue)
        return try await caller.call("queue.cancelAll", params)
    }

    /// Lists the dead letters of a queue, newest first: fetches without attempts left, and fetches that killed two workers.
    /// Kept for a week.
    ///
    /// - Parameter queue: The queue's name.
    /// - Parameter limit: The most entries in one answer. 1 to 1000.
    ///   Default: `100`.
    /// - Parameter cursor: Where the answer before has stopped.
    /// - Returns: Some dead letters, newest first.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func deadList(queue: String, limit: Int? = nil, cursor: String? = nil) async throws(TintypeError) -> DeadLetterPage {
        var params = MemberWriter()
        params.add("queue", queue)
        params.add("limit", limit)
        params.add("cursor", cursor)
        return try await caller.call("dead.list", params)
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
        var params = MemberWriter()
        params.add("queue", queue)
        params.add("ids", ids)
        return try await caller.call("dead.retry", params, member: "retried")
    }

    /// Removes dead letters.
    ///
    /// - Parameter queue: The queue's name.
    /// - Parameter ids: Ids of dead letters.
    /// - Returns: How many.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func deadRemove(queue: String, ids: [String]) async throws(TintypeError) -> Int {
        var params = MemberWriter()
        params.add("queue", queue)
        params.add("ids", ids)
        return try await caller.call("dead.remove", params, member: "removed")
    }

    /// Lists the workers with a recent heartbeat.
    /// `missingQueues` names queues that a worker serves and that do not exist.
    ///
    /// - Returns: A list.
    ///   Each: A worker with a recent heartbeat.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func workersList() async throws(TintypeError) -> [WorkerInfo] {
        let params = MemberWriter()
        return try await caller.call("workers.list", params)
    }

    /// Makes a worker claim nothing new; its running fetches go on.
    ///
    /// - Parameter worker: The id of the worker, from `workers.list`.
    /// - Parameter quiet: false: the worker claims again.
    ///   Default: `true`.
    /// - Returns: Whether a worker claims.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func workersQuiet(worker: String, quiet: Bool? = nil) async throws(TintypeError) -> QuietWorker {
        var params = MemberWriter()
        params.add("worker", worker)
        params.add("quiet", quiet)
        return try await caller.call("workers.quiet", params)
    }

    /// Lists the tiers that have an image, or all renditions of a request; the tier sources, if it has the source.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Parameter tier: One tier.
    ///   Default: all tiers.
    /// - Returns: The tiers that have all of it.
    /// - Throws: ``TintypeError``.
    public func cacheContains(key: String? = nil, request: ImageRequest? = nil, tier: CacheTier? = nil) async throws(TintypeError) -> [CacheTier] {
        var params = MemberWriter()
        params.add("key", key)
        params.add("request", request)
        params.add("tier", tier)
        return try await caller.call("cache.contains", params, member: "tiers")
    }

    /// Reads an image from the cache; never makes or fetches one.
    /// A miss gives its `reason`.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Parameter tier: One tier.
    ///   Default: memory, then results.
    /// - Returns: The result of a request.
    /// - Throws: ``TintypeError``.
    public func cacheGet(key: String? = nil, request: ImageRequest? = nil, tier: CacheTier? = nil) async throws(TintypeError) -> ImageResult {
        var params = MemberWriter()
        params.add("key", key)
        params.add("request", request)
        params.add("tier", tier)
        return try await caller.call("cache.get", params)
    }

    /// Stores your bytes as the one rendition of a request, as if the service had made them.
    /// The picture's header gives format, size and frames.
    /// The tier sources refuses a request with `fetch.decrypt`.
    /// For more than 8 MiB, use `PUT /images/{key}` with `tier`, `ttl` and `queue` in the query, and metadata in headers `Tintype-Meta-…`.
    ///
    /// - Parameter data: The bytes in base64.
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Parameter tier: One tier.
    ///   Default: memory and results.
    /// - Parameter ttl: Seconds to keep the bytes.
    ///   Default: one hour; 0 or negative: not kept. -1 to 31536000.
    /// - Returns: An image that was stored.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cachePut(
        data: String,
        key: String? = nil,
        request: ImageRequest? = nil,
        tier: CacheTier? = nil,
        ttl: Double? = nil
    ) async throws(TintypeError) -> PutResult {
        var params = MemberWriter()
        params.add("data", data)
        params.add("key", key)
        params.add("request", request)
        params.add("tier", tier)
        params.add("ttl", ttl)
        return try await caller.call("cache.put", params)
    }

    /// Replaces the metadata of stored results; without `metadata`, removes it.
    /// Stops at the first missing rendition; those before are changed.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Returns: How many.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cacheSetMetadata(key: String? = nil, request: ImageRequest? = nil) async throws(TintypeError) -> Int {
        var params = MemberWriter()
        params.add("key", key)
        params.add("request", request)
        return try await caller.call("cache.setMetadata", params, member: "changed")
    }

    /// Removes an image, or all renditions of a request and its source, from the tiers and the memory of all coordinators.
    /// Results of other requests for the same URL stay until they expire.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Parameter tier: One tier.
    ///   Default: all tiers.
    /// - Returns: The files that were removed.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cacheRemove(key: String? = nil, request: ImageRequest? = nil, tier: CacheTier? = nil) async throws(TintypeError) -> Removal {
        var params = MemberWriter()
        params.add("key", key)
        params.add("request", request)
        params.add("tier", tier)
        return try await caller.call("cache.remove", params)
    }

    /// Removes everything from a URL, from URLs with a prefix, or with a tag, in all queues and stores.
    /// Give exactly one.
    /// Nothing keeps the results of runs under way.
    /// A token with a scope purges only its own tags.
    ///
    /// - Parameter url: A source's URL, without signature.
    /// - Parameter prefix: The beginning of URLs, the slash behind the host included.
    ///   No character is special.
    /// - Parameter tag: A tag of `cache.tags`.
    /// - Parameter scope: The scope of `tag`.
    /// - Returns: The numbers of what a purge hit.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cachePurge(url: String? = nil, prefix: String? = nil, tag: String? = nil, scope: String? = nil) async throws(TintypeError) -> PurgeResult {
        var params = MemberWriter()
        params.add("url", url)
        params.add("prefix", prefix)
        params.add("tag", tag)
        params.add("scope", scope)
        return try await caller.call("cache.purge", params)
    }

    /// Pins results: until they expire, a folder store does not remove them for its limits.
    /// It keeps at most maxPinned bytes of them (in its URL), the most recently read first.
    /// Other stores remove none early.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Returns: How many the store has.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cachePin(key: String? = nil, request: ImageRequest? = nil) async throws(TintypeError) -> Int {
        var params = MemberWriter()
        params.add("key", key)
        params.add("request", request)
        return try await caller.call("cache.pin", params, member: "pinned")
    }

    /// Unpins results.
    ///
    /// - Parameter key: The key of a result or source.
    /// - Parameter request: A request, instead of its members beside the others.
    /// - Returns: How many the store has.
    /// - Throws: ``TintypeError``; `forbidden` without the role `put`, where tokens are required.
    @discardableResult
    public func cacheUnpin(key: String? = nil, request: ImageRequest? = nil) async throws(TintypeError) -> Int {
        var params = MemberWriter()
        params.add("key", key)
        params.add("request", request)
        return try await caller.call("cache.unpin", params, member: "unpinned")
    }

    /// Removes expired entries and entries above the limits, as each tier does by itself.
    ///
    /// - Parameter tier: One tier.
    ///   Default: all tiers.
    /// - Returns: The files that were removed.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func cacheTrim(tier: CacheTier? = nil) async throws(TintypeError) -> Removal {
        var params = MemberWriter()
        params.add("tier", tier)
        return try await caller.call("cache.trim", params)
    }

    /// Empties one tier or all, and the memory of all coordinators.
    ///
    /// - Parameter tier: One tier.
    ///   Default: all tiers.
    /// - Returns: The files that were removed.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func cacheClear(tier: CacheTier? = nil) async throws(TintypeError) -> Removal {
        var params = MemberWriter()
        params.add("tier", tier)
        return try await caller.call("cache.clear", params)
    }

    /// Shows each tier's size.
    /// Results kept only for their URL do not count; in a bucket they do until `cache.trim`.
    ///
    /// - Parameter tier: One tier.
    ///   Default: all tiers.
    /// - Parameter maxAge: Seconds for which an earlier count will do. 0 to 86400.
    ///   Default: `0`.
    /// - Returns: By name: The size of a tier.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func cacheStats(tier: CacheTier? = nil, maxAge: Double? = nil) async throws(TintypeError) -> [String: TierInfo] {
        var params = MemberWriter()
        params.add("tier", tier)
        params.add("maxAge", maxAge)
        return try await caller.call("cache.stats", params)
    }

    /// Lists the blacklisted sources, those with the latest `until` first.
    ///
    /// - Parameter queue: One queue.
    ///   Default: all queues.
    /// - Parameter limit: The most entries in one answer. 1 to 1000.
    ///   Default: `100`.
    /// - Parameter cursor: Where the answer before has stopped.
    /// - Returns: Some entries of the blacklist.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func blacklistList(queue: String? = nil, limit: Int? = nil, cursor: String? = nil) async throws(TintypeError) -> BlacklistPage {
        var params = MemberWriter()
        params.add("queue", queue)
        params.add("limit", limit)
        params.add("cursor", cursor)
        return try await caller.call("blacklist.list", params)
    }

    /// Removes sources from the blacklist, by id or by ImageRequest.
    /// Only `url`, `urls`, `fetch`, `cache.scope` and `queue` of the request count.
    ///
    /// - Parameter id: The id of an entry.
    /// - Parameter ids: Several ids, instead of `id`.
    /// - Returns: How many.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func blacklistRemove(_ request: ImageRequest? = nil, id: String? = nil, ids: [String]? = nil) async throws(TintypeError) -> Int {
        var params = MemberWriter()
        params.add(membersOf: request)
        params.add("id", id)
        params.add("ids", ids)
        return try await caller.call("blacklist.remove", params, member: "removed")
    }

    /// Empties the blacklist.
    ///
    /// - Parameter queue: One queue.
    ///   Default: all queues.
    /// - Returns: How many.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func blacklistClear(queue: String? = nil) async throws(TintypeError) -> Int {
        var params = MemberWriter()
        params.add("queue", queue)
        return try await caller.call("blacklist.clear", params, member: "removed")
    }

    /// Sends events of other clients to this connection: `image.event`, `group.event`, `workers.changed` and `activity.changed`.
    ///
    /// - Parameter receipts: All events of these receipts.
    /// - Parameter groups: All events of these groups.
    /// - Parameter queue: The terminal events of this queue's receipts.
    /// - Parameter workers: Whether to report workers whose state changes.
    ///   Default: `false`.
    /// - Parameter activity: Whether to report changes of `active`, see `activity.get`.
    ///   Default: `false`.
    /// - Returns: The subscription's id.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func eventsSubscribe(
        receipts: [String]? = nil,
        groups: [String]? = nil,
        queue: String? = nil,
        workers: Bool? = nil,
        activity: Bool? = nil
    ) async throws(TintypeError) -> String {
        var params = MemberWriter()
        params.add("receipts", receipts)
        params.add("groups", groups)
        params.add("queue", queue)
        params.add("workers", workers)
        params.add("activity", activity)
        return try await caller.call("events.subscribe", params, member: "subscription")
    }

    /// Ends a subscription of this connection.
    ///
    /// - Parameter subscription: The id from `events.subscribe`.
    /// - Returns: Whether there was such a subscription.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func eventsUnsubscribe(subscription: String) async throws(TintypeError) -> Bool {
        var params = MemberWriter()
        params.add("subscription", subscription)
        return try await caller.call("events.unsubscribe", params, member: "removed")
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
        let params = MemberWriter()
        return try await caller.call("activity.get", params)
    }

    /// Counts the client's own work as work of this coordinator, until `activity.end` or the end of the connection: at most 100 at once.
    ///
    /// - Returns: The id for `activity.end`.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func activityBegin() async throws(TintypeError) -> String {
        let params = MemberWriter()
        return try await caller.call("activity.begin", params, member: "activity")
    }

    /// Ends work that this connection began with `activity.begin`.
    ///
    /// - Parameter activity: The id from `activity.begin`.
    /// - Returns: Whether there was such work.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func activityEnd(activity: String) async throws(TintypeError) -> Bool {
        var params = MemberWriter()
        params.add("activity", activity)
        return try await caller.call("activity.end", params, member: "ended")
    }

    /// Answers at once, without asking Redis.
    ///
    /// - Returns: `"pong"`.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func systemPing() async throws(TintypeError) -> JSON {
        let params = MemberWriter()
        return try await caller.call("system.ping", params)
    }

    /// Shows uptime and limits of this coordinator, and the client that asks.
    /// `coordinators` is the number of live ones.
    /// Only an admin sees `version`, `versions`, `rpc`, `redis` and the host of `http`.
    /// `identity` has the `name`, `role`, `scope` and `queues` of the client's token or certificate.
    /// For a name with limits it also has `limits`, and in `left` how much of them is left here: `burst`, `running`, `queued` and `uploads` in bytes.
    ///
    /// - Returns: A coordinator.
    /// - Throws: ``TintypeError``.
    public func systemInfo() async throws(TintypeError) -> SystemInfo {
        let params = MemberWriter()
        return try await caller.call("system.info", params)
    }

    /// Checks every invariant of every queue in Redis, page by page, so that other work goes on.
    /// One check runs at a time; clients that ask meanwhile get its answer.
    ///
    /// - Returns: Whether the records in Redis agree with each other.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func systemValidate() async throws(TintypeError) -> Validity {
        let params = MemberWriter()
        return try await caller.call("system.validate", params)
    }

    /// Authenticates this connection with a token.
    /// Where the operator requires tokens, other methods fail before this call.
    ///
    /// - Parameter token: The token.
    /// - Returns: The rights of the token.
    /// - Throws: ``TintypeError``.
    @discardableResult
    public func sessionAuthenticate(token: String) async throws(TintypeError) -> AccessRole {
        var params = MemberWriter()
        params.add("token", token, isSecret: true)
        return try await caller.call("session.authenticate", params, member: "role")
    }

    /// Describes this interface.
    ///
    /// - Returns: an OpenRPC 1.3 document.
    /// - Throws: ``TintypeError``.
    public func rpcDiscover() async throws(TintypeError) -> JSON {
        let params = MemberWriter()
        return try await caller.call("rpc.discover", params)
    }

    /// Shows what all coordinators and workers did.
    /// A point is a second of the last 15 minutes, or 15 seconds or a minute of the last day.
    /// The `time` of a point is the whole second before its end, in seconds since 1970.
    /// Its `seconds` are those that it holds: other than `step` where the clock stepped, or the coordinator stood still.
    /// Its `counts` and `errors` are by name; errors of 0 are left out.
    /// Its `phases` have `count`, `sum`, `p50`, `p95` and `p99` in seconds, by the histograms of all processes together.
    /// Their `buckets` are that histogram: the place of the first bucket that is not 0, then the counts from there on.
    /// The `bounds` are the upper ends of all buckets; a time above the last one is in `count` alone.
    /// Histograms of several points add up, and quantiles do not.
    /// The `formats` have `bytes` of results, and the bytes `ofSources` from which these were made.
    /// Numbers may have fractions: totals come every 3 s, and are spread.
    /// A coordinator knows nothing from before its start.
    /// A process tells nothing of its first seconds, before its first heartbeat.
    ///
    /// - Parameter step: The seconds of a point: 1, 15 or 60. 1 to 60.
    ///   Default: `1`.
    /// - Parameter since: Only points that end after this time.
    ///   The `time` of a known point may leave out a second. 0 to 9999999999.
    ///   Default: `0`.
    /// - Returns: `{step, bounds, points: [{time, seconds, counts, phases, errors, formats}]}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func statsSeries(step: Int? = nil, since: Int? = nil) async throws(TintypeError) -> JSON {
        var params = MemberWriter()
        params.add("step", step)
        params.add("since", since)
        return try await caller.call("stats.series", params)
    }

    /// Lists the fetches that run, with their last known phase.
    /// Progress is there if a client wants progress.
    /// URLs have no parts that may be secret.
    ///
    /// - Parameter queue: One queue.
    ///   Default: all queues.
    /// - Parameter limit: The most fetches. 1 to 1000.
    ///   Default: `100`.
    /// - Returns: `{items: [{fetch, queue, url, host, worker, attempt, phase, startedSeconds, receivedBytes?, expectedBytes?, fraction?}]}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func runsList(queue: String? = nil, limit: Int? = nil) async throws(TintypeError) -> JSON {
        var params = MemberWriter()
        params.add("queue", queue)
        params.add("limit", limit)
        return try await caller.call("runs.list", params)
    }

    /// Lists the hosts with running fetches, those that are held until a time, and those with failures that `failures.list` knows.
    /// The busiest come first.
    ///
    /// - Parameter queue: One queue.
    ///   Default: all queues.
    /// - Parameter limit: The most hosts. 1 to 1000.
    ///   Default: `100`.
    /// - Returns: `{items: [{host, queue, running, limit, heldUntil?, failed}]}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func hostsList(queue: String? = nil, limit: Int? = nil) async throws(TintypeError) -> JSON {
        var params = MemberWriter()
        params.add("queue", queue)
        params.add("limit", limit)
        return try await caller.call("hosts.list", params)
    }

    /// Lists the latest 1,000 results, the newest first.
    /// The coordinator begins to listen with the first call, and stops two minutes after the last one.
    /// Some are left out where more than 20 results come in a second.
    /// The page's own requests have the `tag` `dashboard`, and are left out here and in `failures.list`.
    /// With `tag` it lists all results with this tag of `cache.tags` that the index of any queue still has, those that may stay longest first.
    /// These have no `receipt`, `from` and `timings`.
    /// No index is by host, so `host` only chooses among these results: a page may be empty and have a `cursor` all the same.
    ///
    /// - Parameter limit: The most results.
    ///   Those of one receipt come together, even above it. 1 to 400.
    ///   Default: `50`.
    /// - Parameter host: Only results of sources at this host.
    /// - Parameter after: The receipt of a result: only older ones.
    ///   Not with `tag`.
    /// - Parameter tag: Only results with this tag.
    /// - Parameter scope: The scope of `tag`.
    /// - Parameter cursor: Where the answer before has stopped.
    /// - Returns: `{items: [{receipt?, queue, url, host, finishedAt, from?, sourceBytes, key, format, width, height, bytes, blurhash?, thumbhash?, color?,
    ///   timings?}], cursor?}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func picturesList(
        limit: Int? = nil,
        host: String? = nil,
        after: String? = nil,
        tag: String? = nil,
        scope: String? = nil,
        cursor: String? = nil
    ) async throws(TintypeError) -> JSON {
        var params = MemberWriter()
        params.add("limit", limit)
        params.add("host", host)
        params.add("after", after)
        params.add("tag", tag)
        params.add("scope", scope)
        params.add("cursor", cursor)
        return try await caller.call("pictures.list", params)
    }

    /// Shows the operations that made a result in a cache, in their canonical form.
    /// URLs have no parts that may be secret.
    /// With more than 2048 bytes, only their names are there.
    /// Null: the bytes came as they are, or an earlier version has made them.
    ///
    /// - Parameter key: The key of a result.
    /// - Returns: `{key, operations}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func picturesGet(key: String) async throws(TintypeError) -> JSON {
        var params = MemberWriter()
        params.add("key", key)
        return try await caller.call("pictures.get", params)
    }

    /// Makes the URL of a picture for the picture door of this coordinator, signed with its first pair of keys.
    /// The path is good there until the pair goes.
    /// Nothing is loaded.
    /// A picture that no such URL shows is refused with the operation or the member.
    /// `signed` is false where the door has no keys.
    ///
    /// - Parameter url: The URL of the source, as for `image.load`.
    /// - Parameter transform: The operations, in order.
    ///   Default: `[]`.
    /// - Parameter output: How to encode the result.
    /// - Returns: `{path, signed}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func picturesUrl(url: String, transform: ImageTransform? = nil, output: ImageOutput? = nil) async throws(TintypeError) -> JSON {
        var params = MemberWriter()
        params.add("url", url)
        params.add("transform", transform)
        params.add("output", output)
        return try await caller.call("pictures.url", params)
    }

    /// Lists the latest failures by error, status and host, the latest first.
    /// The coordinator listens as for `pictures.list`.
    /// The `sample` is the last of them.
    /// If no decoder could read the source, `received` shows what came.
    /// A download whose type is refused ends at its head, before any byte.
    /// Its `start` has the first 64 bytes in hexadecimal digits, and its `format` is what they look like.
    /// No bytes of a source with credentials are there.
    /// The `crashes` are the latest 10 pictures that killed a pixel process, with their digests.
    /// Clients find `received` in the data of the error too.
    ///
    /// - Parameter limit: The most groups. 1 to 200.
    ///   Default: `50`.
    /// - Returns: `{items: [{error, status?, host, queue, count, lastAt, sample: {receipt, url, message, status?, received?: {start?, format?, sha256?}},
    ///   crashes?: [{sha256, url, at}]}]}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    public func failuresList(limit: Int? = nil) async throws(TintypeError) -> JSON {
        var params = MemberWriter()
        params.add("limit", limit)
        return try await caller.call("failures.list", params)
    }

    /// Asks again for the sources of one group of `failures.list`.
    /// Its dead letters are queued as by `dead.retry`, the latest first.
    /// Its other sources leave the blacklist, so that the next request for them asks their origin: Redis keeps no fetch of them.
    /// At most 2,000 entries of the blacklist of each queue are looked at.
    ///
    /// - Parameter error: The name of the error.
    /// - Parameter host: The host.
    /// - Parameter status: The HTTP status.
    ///   Default: any, or none. 100 to 599.
    /// - Parameter queue: One queue.
    ///   Default: all queues.
    /// - Parameter limit: The most sources. 1 to 1000.
    ///   Default: `100`.
    /// - Returns: `{retried, pardoned}`.
    /// - Throws: ``TintypeError``; `forbidden` without the role `admin`, where tokens are required.
    @discardableResult
    public func failuresRetry(error: String, host: String, status: Int? = nil, queue: String? = nil, limit: Int? = nil) async throws(TintypeError) -> JSON {
        var params = MemberWriter()
        params.add("error", error)
        params.add("host", host)
        params.add("status", status)
        params.add("queue", queue)
        params.add("limit", limit)
        return try await caller.call("failures.retry", params)
    }
}

/// The answer that a request's path and query ask for. Pure: parsed once; the tests check the answers.
///
/// Paths:
/// - `/scenes/N.png`, `/scenes/N-….png`: one of 40 generated pictures, in one of five sizes.
/// - `/picture.png`: a generated 1200 × 900 picture with ETag and Last-Modified. Any query makes another URL; `?size=WxH`.
/// - `/text`: text instead of a picture.
/// - `/truncated.png`: half a picture with a complete length.
/// - `/status/N`: this status.
/// - `/redirect/N`: N redirects, then the picture.
/// - `/hang`: no answer.
/// - `/big`: bytes without end.
/// - `/echo`: the request as JSON: method, target, headers by lower-case name, body as text.
/// - `/json`, `/json?text=…`: a small JSON document, or this text as JSON.
/// - `/basic/U/P`, `/digest/U/P`: the picture for this user and password, a challenge otherwise.
/// - `/cookie?set=n%3Dv`: the picture with a Set-Cookie header.
/// - `/cookie?need=n%3Dv`: the picture for a request with this cookie, 403 otherwise.
/// - `/slow/…`, `/cut/…`, `/chunked/…`: like the remaining path, with `delay`, `rate` and `cut` of the query, or without a length.
/// - `/files/…`, or any other path with `--root`: a file of the folder.
/// - `/_counts`: the ledger as JSON.
/// - `/_reset`: clears the ledger.
/// - `/_open?gate=…`: lets the oldest request at this gate pass; 404 if there is none.
///
/// Query:
/// - `delay`: seconds before the head.
/// - `together`: the number of requests that must be in progress before the first one is answered.
/// - `gate`: the gate at which the request waits until it is opened.
/// - `rate`: bytes a second.
/// - `cut`: the bytes after which the connection is closed.
/// - `times`: how often a `/status` or `/hang` is played before the picture, or the connection is cut.
/// - `after`: how often the picture comes before the status or before another picture.
/// - `retry`: a Retry-After header.
/// - `type`: the Content-Type in place of the true one.
/// - `with`: more headers (`Name:+value`, separated by `|`).
/// - `plain`: no validators.
/// - `noranges`: no ranges.
/// - `noifrange`: ranges whatever If-Range says.
/// - `bare`: a 304 without the headers of `with`.
/// - `chance`: the probability that a connection is cut somewhere.
struct Script {
    enum Body: Equatable {
        case picture(Int, Int), scene(Int), text, half, status(Int), redirect(Int), hang, big, file(String), counts, reset, open
        case echo, json(String), guarded(Challenge), cookie(set: String?, need: String?)
    }

    var body: Body
    var delay = 0.0
    var together = 0
    var gate: String?
    var rate: Int?
    var cut: Int?
    var isChunked = false
    var times: Int?
    var after = 0
    var retryAfter: String?
    var type: String?
    var more: [String] = []
    var hasValidators = true
    var hasRanges = true
    var heedsIfRange = true
    var isBare = false
    var chance = 0.0

    init(path: String, query: [String: String]) {
        var rest = path
        for prefix in ["/slow/", "/cut/", "/chunked/"] where rest.hasPrefix(prefix) {
            rest = "/" + rest.dropFirst(prefix.count)
            if prefix == "/chunked/" { isChunked = true }
        }
        delay = query["delay"].flatMap { Double($0) } ?? 0
        together = query["together"].flatMap { Int($0) } ?? 0
        gate = query["gate"]
        rate = query["rate"].flatMap { Int($0) }.map { max(1, $0) }
        cut = query["cut"].flatMap { Int($0) }
        times = query["times"].flatMap { Int($0) }
        after = query["after"].flatMap { Int($0) } ?? 0
        retryAfter = query["retry"].map { $0.split(separator: "+").joined(separator: " ") }
        type = query["type"]
        more = (query["with"] ?? "").split(separator: "|").map { $0.split(separator: "+").joined(separator: " ") }
        hasValidators = query["plain"] == nil
        hasRanges = query["noranges"] == nil
        heedsIfRange = query["noifrange"] == nil
        isBare = query["bare"] != nil
        chance = query["chance"].flatMap { Double($0) } ?? 0
        let number = rest.split(separator: "/").last.flatMap { Int($0) }
        switch rest {
        case "/picture.png":
            let size = (query["size"] ?? "").split(separator: "x").compactMap { Int($0) }.filter { (1...8000).contains($0) }
            body = size.count == 2 ? .picture(size[0], size[1]) : .picture(1200, 900)
        case _ where rest.hasPrefix("/scenes/"): body = .scene(rest.dropFirst(8).split { !"0123456789".contains($0) }.first.flatMap { Int($0.prefix(9)) } ?? 0)
        case "/text": body = .text
        case "/truncated.png": body = .half
        case "/hang": body = .hang
        case "/big": body = .big
        case "/_counts": body = .counts
        case "/_reset": body = .reset
        case "/_open": body = .open
        case "/echo": body = .echo
        case "/json": body = .json(query["text"] ?? #"{"id":7,"name":"a","tags":["x","y"],"nothing":null}"#)
        case "/cookie": body = .cookie(set: query["set"], need: query["need"])
        case _ where Challenge(rest) != nil: body = Challenge(rest).map { .guarded($0) } ?? .text
        case _ where rest.hasPrefix("/status/"): body = .status(number ?? 500)
        case _ where rest.hasPrefix("/redirect/"): body = .redirect(number ?? 0)
        default: body = .file(rest.hasPrefix("/files/") ? String(rest.dropFirst(6)) : rest)
        }
    }
}

import TintypeTransport

/// A client of the origin: reads requests one after another and plays their scripts.
@Loop
final class OriginConnection {
    private let stream: ByteStream
    private unowned let origin: Origin
    private var received: [UInt8] = []
    private var isBusy = false
    private var sent = 0
    private var remaining: ArraySlice<UInt8> = []
    private var timer: LoopTimer?
    /// Whether the connection is closed after the remaining bytes.
    private var isCut = false

    init(_ stream: ByteStream, _ origin: Origin) {
        self.stream = stream
        self.origin = origin
        stream.onBytes = { [weak self] bytes in
            self?.received += bytes
            self?.next()
        }
        stream.onEnd = { [weak self] _ in self?.ended() }
    }

    func close() {
        stream.close()
        ended()
    }

    private func ended() {
        timer?.cancel()
        timer = nil
        if isBusy {
            isBusy = false
            origin.ledger.end(sent: sent)
        }
        stream.onDrained = nil
        origin.ended(self)
    }

    /// Removes the next complete request head from the received bytes, unless a request is being answered.
    private func next() {
        guard !isBusy, let end = endOfHead() else { return }
        let lines = String(decoding: received[..<end], as: UTF8.self).split(separator: "\r\n")
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }.flatMap { Int($0.dropFirst(15).filter { $0 != " " }) } ?? 0
        guard received.count >= end + length else { return }
        let body = Array(received[end..<end + length])
        received.removeFirst(end + length)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count == 3 else {
            close()
            return
        }
        let request = OriginRequest(target: String(words[1]), method: String(words[0]), lines: lines.dropFirst().map(String.init), body: body)
        switch request.script.body {
        case .counts: return send(whole: "200 OK", "application/json", Array(origin.ledger.json.utf8), request)
        case .reset:
            origin.ledger.reset()
            return send(whole: "200 OK", "text/plain", [], request)
        case .open:
            return send(whole: origin.open(request.script.gate ?? "") ? "200 OK" : "404 Nobody There", "text/plain", [], request)
        case .picture, .scene, .text, .half, .status, .redirect, .hang, .big, .file, .echo, .json, .guarded, .cookie: break
        }
        isBusy = true
        sent = 0
        origin.ledger.begin(request.target)
        origin.whenTogether(request.script.together) { [weak self] in self?.enter(request) }
    }

    private func enter(_ request: OriginRequest) {
        guard let gate = request.script.gate else { return begin(request) }
        origin.whenOpened(gate) { [weak self] in
            guard let self, isBusy else { return false }
            begin(request)
            return true
        }
    }

    private func begin(_ request: OriginRequest) {
        guard isBusy else { return }
        guard request.script.delay > 0 else { return play(request) }
        timer = LoopTimer(after: .seconds(request.script.delay)) { [weak self] in self?.play(request) }
    }

    private func endOfHead() -> Int? {
        guard received.count >= 4 else { return nil }
        for index in 3..<received.count where received[index] == 10 && received[index - 1] == 13 && received[index - 2] == 10 && received[index - 3] == 13 {
            return index + 1
        }
        return nil
    }

    private func play(_ request: OriginRequest) {
        let script = request.script
        switch script.body {
        case .hang where origin.takesStatus(request.target, script.times, after: script.after): break
        case .big: endless(request)
        case .text: answer(request, "200 OK", "text/html", Array("<html>not a picture</html>".utf8))
        case .half:
            let whole = origin.picture(400, 300)
            answer(request, "200 OK", "image/png", Array(whole[..<(whole.count / 2)]))
        case .redirect(let left):
            let place = left > 1 ? "/redirect/\(left - 1)" : "/picture.png"
            answer(request, "302 Found", "text/plain", [], more: ["Location: \(place)"])
        case .status(let code) where origin.takesStatus(request.target, script.times, after: script.after):
            let more = script.retryAfter.map { ["Retry-After: \($0)"] } ?? []
            answer(request, "\(code) As Asked", "text/plain", Array("status \(code)".utf8), more: more)
        case .echo: answer(request, "200 OK", "application/json", request.echo)
        case .json(let text): answer(request, "200 OK", "application/json", Array(text.utf8))
        case .guarded(let challenge):
            if challenge.admits(request) {
                answer(request, "200 OK", "image/png", origin.picture(400, 300))
            } else {
                answer(request, "401 Unauthorized", "text/plain", Array("who are you".utf8), more: [challenge.header])
            }
        case .cookie(let set, let need):
            let brought = (request.header("cookie") ?? "").split(separator: ";").map { String($0.drop { $0 == " " }) }
            let isKnown = need.map { brought.contains($0) } ?? true
            answer(
                request, isKnown ? "200 OK" : "403 Forbidden", "image/png", origin.picture(64, 64), more: set.map { ["Set-Cookie: \($0)"] } ?? [])
        case .hang, .status: answer(request, "200 OK", "image/png", origin.picture(400, 300))
        case .picture(let width, let height):
            let isAnother = script.after > 0 && origin.takesStatus(request.target, nil, after: script.after)
            answer(request, "200 OK", "image/png", origin.picture(width, height + (isAnother ? 1 : 0)))
        case .scene(let number):
            answer(request, "200 OK", "image/png", origin.scene(number % Picture.Scene.count))
        case .file(let path):
            if let bytes = origin.file(path) {
                answer(request, "200 OK", "application/octet-stream", bytes)
            } else {
                answer(request, "404 Not Found", "text/plain", Array("no such file".utf8))
            }
        case .counts, .reset, .open: break
        }
    }

    private func answer(_ request: OriginRequest, _ status: String, _ type: String, _ body: [UInt8], more: [String] = []) {
        let tag = "\"\(body.count)-\(request.target.utf8.reduce(UInt32(5381)) { $0 &* 33 &+ UInt32($1) })\""
        let script = request.script
        let type = script.type ?? type
        let validators = script.hasValidators ? ["ETag: \(tag)", "Last-Modified: Mon, 02 Nov 2026 10:00:00 GMT"] : []
        let more = more + script.more + (status.hasPrefix("200") ? validators : [])
        if status.hasPrefix("200"), request.header("if-none-match") == tag {
            return send(whole: "304 Not Modified", type, [], more: script.isBare ? validators : more, request)
        }
        var (status, part) = (status, body[...])
        var range: [String] = []
        if status.hasPrefix("200"), script.hasRanges, !script.isChunked, let start = start(request, tag) {
            guard start < body.count else { return send(whole: "416 Range Not Satisfiable", type, [], more: ["Content-Range: bytes */\(body.count)"], request) }
            (status, part) = ("206 Partial Content", body[start...])
            range = ["Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)"]
        }
        var head = "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\n"
        head += script.isChunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: \(part.count)\r\n"
        for line in more + range { head += line + "\r\n" }
        stream.write(Array((head + "\r\n").utf8))
        if request.method == "HEAD" { return done() }
        if script.chance > 0, Double.random(in: 0..<1) < script.chance {
            (remaining, isCut) = (part.prefix(Int.random(in: 0..<max(1, part.count))), true)
        } else if let cut = script.cut, script.times == nil || origin.takesStatus(request.target, script.times, after: 0) {
            (remaining, isCut) = (part.prefix(cut), true)
        } else {
            (remaining, isCut) = (part, false)
        }
        pour(request)
    }

    /// Returns the start of the requested range, if the range is of the same body.
    private func start(_ request: OriginRequest, _ tag: String) -> Int? {
        guard let range = request.header("range"), range.hasPrefix("bytes="), range.hasSuffix("-"),
            !request.script.heedsIfRange || request.header("if-range").map({ $0 == tag }) ?? true
        else { return nil }
        return Int(range.dropFirst(6).dropLast())
    }

    /// Sends the remaining bytes: all at once, or `rate` bytes a second in twenty pieces.
    private func pour(_ request: OriginRequest) {
        let script = request.script
        let piece = remaining.prefix(script.rate.map { max(1, $0 / 20) } ?? (script.isChunked ? 16384 : remaining.count))
        remaining = remaining.dropFirst(piece.count)
        if !piece.isEmpty {
            if script.isChunked { stream.write(Array("\(String(piece.count, radix: 16))\r\n".utf8)) }
            stream.write(Array(piece))
            if script.isChunked { stream.write(Array("\r\n".utf8)) }
            sent += piece.count
        }
        guard remaining.isEmpty else {
            timer = LoopTimer(after: script.rate == nil ? .zero : .milliseconds(50)) { [weak self] in self?.pour(request) }
            return
        }
        if isCut {
            finishRequest()
            return stream.closeAfterFlush()
        }
        if script.isChunked { stream.write(Array("0\r\n\r\n".utf8)) }
        done()
    }

    private func endless(_ request: OriginRequest) {
        stream.write(Array("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nConnection: close\r\n\r\n".utf8))
        stream.write(Array(origin.picture(64, 64).prefix(40)))
        let block = [UInt8](repeating: 0, count: 1 << 18)
        stream.onDrained = { [weak self] in
            self?.sent += block.count
            self?.stream.write(block)
        }
        stream.write(block)
    }

    private func send(whole status: String, _ type: String, _ body: [UInt8], more: [String] = [], _ request: OriginRequest) {
        let lines = more.map { $0 + "\r\n" }.joined()
        let head = "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.count)\r\n\(lines)\r\n"
        stream.write(Array(head.utf8) + body)
        if isBusy { done() } else { next() }
    }

    private func finishRequest() {
        isBusy = false
        origin.ledger.end(sent: sent)
    }

    private func done() {
        finishRequest()
        next()
    }
}

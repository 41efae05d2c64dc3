import TintypeCore

/// The outcome of every picture that browsers of a soak have asked for. Each must be the right bytes, or a failure that the documents name.
struct PictureAccount {
    /// The end of a request at the picture door.
    enum Outcome {
        case answered(PictureAnswer)
        /// The connection ended before the whole answer: its coordinator was killed.
        case cut
        /// The browser has gone.
        case left
        /// Nothing came within the patience of a browser.
        case silent
    }

    private(set) var asked = 0
    private(set) var ended = 0
    private var right = 0
    private var left = 0
    private var cut = 0
    private var statuses: [Int: Int] = [:]
    /// The entity tag of each look, by its first answer.
    private var tags: [String: String] = [:]
    private(set) var faults: [String] = []

    /// Returns the tag that a browser shows, if the picture is one that it may have.
    mutating func begin(_ picture: SoakPicture) -> String? {
        asked += 1
        return picture.kind == .known ? tags[picture.look] : nil
    }

    mutating func end(_ picture: SoakPicture, _ outcome: Outcome) {
        ended += 1
        switch outcome {
        case .left: left += 1
        case .cut: cut += 1
        case .silent: faults.append("picture \(picture.number) (\(picture.kind)) got no answer")
        case .answered(let answer):
            statuses[answer.status, default: 0] += 1
            if let fault = fault(picture, answer) {
                faults.append("picture \(picture.number) (\(picture.kind)), status \(answer.status): \(fault)")
            } else if answer.status == 200 {
                right += 1
            }
        }
    }

    private mutating func fault(_ picture: SoakPicture, _ answer: PictureAnswer) -> String? {
        guard picture.mayHave(answer.status) else { return "no such status may come: \(String(decoding: answer.body.prefix(300), as: UTF8.self))" }
        let tag = answer.headers["etag"]
        switch answer.status {
        case 200:
            guard answer.headers["content-type"] == "image/png", let size = answer.sizeOfPNG else { return "the body is no PNG" }
            guard size == (picture.width, picture.height) else { return "\(size.width)×\(size.height) instead of \(picture.look)" }
            guard tag == "\"\(Digest.sha256Hex(answer.body))\"" else { return "the entity tag is not the digest of the body" }
            let first = tags[picture.look] ?? tag
            tags[picture.look] = first
            return first == tag ? nil : "other bytes than those of the first answer"
        case 304: return tag == tags[picture.look] && answer.body.isEmpty ? nil : "another tag, or a body"
        default:
            guard let name = (try? JSON(parsing: answer.body))?["error"]?["name"]?.string, name == answer.headers["tintype-error"] else {
                return "the error is not named in body and header"
            }
            guard answer.headers["cache-control"] != nil else { return "no Cache-Control" }
            return answer.status == 503 && answer.headers["retry-after"] == nil ? "no Retry-After" : nil
        }
    }

    /// `pictures=… right=… left=… cut=… statuses=200:…,304:… wrong=…`
    var words: String {
        let all = statuses.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
        return "pictures=\(asked) right=\(right) left=\(left) cut=\(cut) statuses=\(all.isEmpty ? "none" : all) wrong=\(faults.count)"
    }

    /// Returns what is missing at the end: an account of nothing is not a good one.
    var gaps: [String] {
        let missing = [200, 304, 403, 404].filter { statuses[$0] == nil }.map { "no picture was answered \($0)" }
        return missing + (left == 0 ? ["no browser went away"] : []) + (asked == ended ? [] : ["\(asked - ended) pictures have no end"])
    }
}

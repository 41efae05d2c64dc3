import TintypeCore

/// A key, or what a terminal sends for several of them.
enum Key: Sendable, Hashable {
    case character(Character)
    case tab, backTab, enter, escape, backspace, clear
    case up, down, left, right, pageUp, pageDown, home, end
    /// Ctrl-C, Ctrl-Z and Ctrl-L, which a raw terminal sends as characters.
    case interrupt, suspend, redraw
    /// Text that was pasted at once, so that no character of it counts as a key.
    case paste(String)
    /// A key without a use here.
    case other
}

/// Reads keys from the bytes of a terminal (ECMA-48, and xterm's sequences for keys and pastes). A value.
struct KeyReader: Sendable {
    private static let escape: UInt8 = 0x1b
    /// The longest sequence of a key. Longer ones are noise.
    private static let longest = 32
    /// The most bytes of a paste that are kept.
    private static let mostPasted = 1024
    private static let endOfPaste = Array("\u{1b}[201~".utf8)

    private var pending: [UInt8] = []
    private var pasted: [UInt8]?

    /// Whether the next bytes may belong to a key that has begun. The Escape key sends the byte that all sequences begin with, so only time tells.
    var isWaiting: Bool { !pending.isEmpty && pasted == nil }

    /// Returns the keys that are complete with these bytes.
    mutating func take(_ bytes: [UInt8]) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        while let key = next() { keys.append(key) }
        return keys
    }

    /// Returns the keys of the bytes so far, if nothing follows them.
    mutating func flush() -> [Key] {
        guard isWaiting else { return [] }
        defer { pending = [] }
        return pending == [Self.escape] ? [.escape] : [.other]
    }

    private mutating func next() -> Key? {
        if pasted != nil { return paste() }
        guard let first = pending.first else { return nil }
        if first == Self.escape { return sequence() }
        let count = first < 0xc0 || first >= 0xf8 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
        guard pending.count >= count else { return nil }
        let bytes = Array(pending.prefix(count))
        guard let text = String(validating: bytes, as: UTF8.self), let character = text.first else {
            pending.removeFirst()
            return .other
        }
        pending.removeFirst(count)
        return first < 0x20 || first == 0x7f ? Self.control(first) : .character(character)
    }

    private static func control(_ byte: UInt8) -> Key {
        switch byte {
        case 0x03: .interrupt
        case 0x08, 0x7f: .backspace
        case 0x09: .tab
        case 0x0a, 0x0d: .enter
        case 0x0c: .redraw
        case 0x15: .clear
        case 0x1a: .suspend
        default: .other
        }
    }

    private mutating func sequence() -> Key? {
        guard pending.count > 1 else { return nil }
        switch pending[1] {
        case UInt8(ascii: "["), UInt8(ascii: "O"): break
        case Self.escape:
            pending.removeFirst()
            return .escape
        default:
            // Alt and a key.
            pending.removeFirst(2)
            return .other
        }
        guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7e).contains($0) }) else {
            guard pending.count > Self.longest else { return nil }
            pending = []
            return .other
        }
        let (parameters, final) = (String(decoding: pending[2..<end], as: UTF8.self), pending[end])
        pending.removeFirst(end + 1)
        if final == UInt8(ascii: "~"), parameters == "200" {
            pasted = []
            return paste()
        }
        return Self.key(final, parameters)
    }

    private static func key(_ final: UInt8, _ parameters: String) -> Key {
        switch Character(Unicode.Scalar(final)) {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "H": .home
        case "F": .end
        case "Z": .backTab
        case "~":
            switch parameters.prefix(while: { $0 != ";" }) {
            case "1", "7": .home
            case "4", "8": .end
            case "5": .pageUp
            case "6": .pageDown
            default: .other
            }
        default: .other
        }
    }

    private mutating func paste() -> Key? {
        guard let end = pending.firstRange(of: Self.endOfPaste) else {
            // The end may have come in part.
            let whole = max(0, pending.count - Self.endOfPaste.count + 1)
            keep(pending[..<whole])
            pending.removeFirst(whole)
            return nil
        }
        keep(pending[..<end.lowerBound])
        pending.removeFirst(end.upperBound)
        defer { pasted = nil }
        return .paste(String(decoding: pasted ?? [], as: UTF8.self))
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        let room = Self.mostPasted - (pasted?.count ?? 0)
        pasted? += bytes.prefix(room)
    }
}

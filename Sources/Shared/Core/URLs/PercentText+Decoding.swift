extension PercentText {
    /// Decodes the escapes of bytes that satisfy `isMeant`. Text that is no escape stays as it is.
    package static func decoded(_ text: some StringProtocol, only isMeant: (UInt8) -> Bool = { _ in true }) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        return String(decoding: read(Array(text.utf8), .lenient, isMeant) ?? [], as: UTF8.self)
    }

    /// Decodes a name or a value of a form: as `decoded`, with plus signs for spaces.
    package static func decoded(form text: some Collection<UInt8>) -> String {
        String(decoding: read(Array(text), .form) { _ in true } ?? [], as: UTF8.self)
    }

    /// Returns the decoded bytes; nil if a percent sign has no two hexadecimal digits after it.
    package static func bytes(of text: some Collection<UInt8>) -> [UInt8]? { read(Array(text), .strict) { _ in true } }

    private enum Mode {
        /// Every text is read.
        case lenient
        /// A percent sign without an escape makes the whole text unreadable.
        case strict
        /// As `lenient`, with plus signs for spaces.
        case form
    }

    private static func read(_ text: [UInt8], _ mode: Mode, _ isMeant: (UInt8) -> Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte == UInt8(ascii: "+") && mode == .form ? UInt8(ascii: " ") : byte)
                continue
            }
            guard index + 1 < text.count, let high = Digest.value(ofDigit: text[index]), let low = Digest.value(ofDigit: text[index + 1]) else {
                if mode == .strict { return nil }
                bytes.append(byte)
                continue
            }
            // An escape that stays keeps its digits, which are read next.
            if isMeant(high << 4 | low) {
                bytes.append(high << 4 | low)
                index += 2
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}

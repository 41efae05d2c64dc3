/// Words of strangers (an origin's body, a header, a name) as they may stand on a terminal: without the control characters that would
/// move its cursor, set its title or fake a line of ours.
extension String {
    /// Every control character (C0, DEL, C1) as its escape, `\u001b`; line breaks and tabs too.
    var plain: String { escapingControls { _ in false } }

    /// The same, but line breaks stay.
    var plainLines: String { escapingControls { $0 == "\n" } }

    private func escapingControls(but isKept: (Unicode.Scalar) -> Bool) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control && !isKept(scalar) }
        guard unicodeScalars.contains(where: isControl) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            guard isControl(scalar) else {
                result.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\r": result.append(contentsOf: "\\r".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            default:
                let digits = String(scalar.value, radix: 16)
                result.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
            }
        }
        return String(result)
    }
}

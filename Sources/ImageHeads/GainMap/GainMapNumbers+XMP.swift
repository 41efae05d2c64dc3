import TintypeImages

/// The numbers as XMP properties (Adobe, Gain Map 1.0, "Metadata"; Google, Ultra HDR 1.1).
extension GainMapNumbers {
    package static let namespace: StaticString = "http://ns.adobe.com/hdr-gain-map/1.0/"
    /// The name at the beginning of a segment with an XMP packet.
    package static let packet: StaticString = "http://ns.adobe.com/xap/1.0/\0"

    /// - Returns: nil if the packet describes no gain map, if a number is broken, or if the base picture is HDR itself.
    package init?(xmp: UnsafeRawBufferPointer) {
        guard let packet = XMPNumbers(xmp, namespace: Self.namespace), let version = packet.texts("Version"), version.first?.hasPrefix("1.") ?? false,
            packet.texts("BaseRenditionIsHDR").map({ $0.map { $0.lowercased() } == ["false"] }) ?? true
        else { return nil }
        func numbers(_ name: String, _ usual: Double?) -> [Double] { packet.numbers(name) ?? usual.map { [$0] } ?? [] }
        self.init(
            minimum: numbers("GainMapMin", 0), maximum: numbers("GainMapMax", nil), gamma: numbers("Gamma", 1),
            offsetSDR: numbers("OffsetSDR", Self.usualOffset), offsetHDR: numbers("OffsetHDR", Self.usualOffset),
            capacityMin: numbers("HDRCapacityMin", 0).first ?? .nan, capacityMax: numbers("HDRCapacityMax", nil).first ?? .nan)
    }

    /// A packet with the numbers, to six decimal places.
    package var xmp: String {
        var (attributes, elements) = ("", "")
        for (name, list) in [("GainMapMin", minimum), ("GainMapMax", maximum), ("Gamma", gamma), ("OffsetSDR", offsetSDR), ("OffsetHDR", offsetHDR)] {
            let texts = list.map(Self.text)
            if texts[0] == texts[1], texts[1] == texts[2] {
                attributes += " hdrgm:\(name)=\"\(texts[0])\""
            } else {
                elements += "<hdrgm:\(name)><rdf:Seq>\(texts.map { "<rdf:li>\($0)</rdf:li>" }.joined())</rdf:Seq></hdrgm:\(name)>"
            }
        }
        attributes += " hdrgm:HDRCapacityMin=\"\(Self.text(capacityMin))\" hdrgm:HDRCapacityMax=\"\(Self.text(capacityMax))\""
        return Self.packet("hdrgm:BaseRenditionIsHDR=\"False\"" + attributes, elements)
    }

    /// The packet of the base picture: a list of both pictures (GContainer).
    /// - Parameter length: the bytes of the gain map's file.
    package static func directory(length: Int) -> String {
        let address = "http://ns.google.com/photos/1.0/container/"
        func item(_ meaning: String, _ rest: String = "") -> String {
            "<rdf:li rdf:parseType=\"Resource\"><Container:Item Item:Semantic=\"\(meaning)\" Item:Mime=\"image/jpeg\"\(rest)/></rdf:li>"
        }
        return packet(
            "xmlns:Container=\"\(address)\" xmlns:Item=\"\(address)item/\"",
            "<Container:Directory><rdf:Seq>\(item("Primary"))\(item("GainMap", " Item:Length=\"\(length)\""))</rdf:Seq></Container:Directory>")
    }

    private static func packet(_ attributes: String, _ elements: String) -> String {
        "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description rdf:about=\"\" "
            + "xmlns:hdrgm=\"\(namespace)\" hdrgm:Version=\"1.0\" \(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>"
    }

    /// Returns a number without an exponent, which XMP does not have.
    private static func text(_ number: Double) -> String {
        let parts = Int((abs(number) * 1e6).rounded()).quotientAndRemainder(dividingBy: 1_000_000)
        let decimals = String(String(1_000_000 + parts.remainder).dropFirst())
        return (number < 0 ? "-" : "") + "\(parts.quotient).\(decimals)"
    }
}

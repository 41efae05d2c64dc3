import TintypeCore

/// The types that Swift has for the kinds of the model: where each one is nested, and what alternatives become.
struct SwiftTypes {
    /// A type of words: an enum with a case for each.
    struct Words: Sendable {
        let name: String
        let values: [String]
        let summary: String
    }

    /// A type of alternatives: an enum with a case for each.
    struct Union: Sendable {
        enum Case: Sendable {
            case word(String)
            /// A value of the language, such as `integer(Int)`.
            case plain(name: String, kind: ClientModel.Kind)
            case record(name: String, ClientModel.Record)
        }
        let name: String
        let summary: String
        let cases: [Case]
    }

    private let model: ClientModel
    private(set) var words: [Words] = []
    private(set) var unions: [Union] = []
    /// Records that only alternatives have. Their members are those of the case.
    private(set) var inlined: Set<String> = []
    private var places: [String: String] = [:]
    private var kinds: [ClientModel.Kind: String] = [:]

    // MARK: Names

    /// Records and choices that callers name, or that several parts of the protocol share.
    private static let names = [
        "Request": "ImageRequest", "Rendition": "Rendition", "Output": "ImageOutput", "Tier": "CacheTier", "Format": "ImageFormat",
        "SourceFormat": "SourceFormat", "Operation": "ImageOperation",
    ]

    /// Alternatives by their member, or by their record and member where two differ. Without a name they are JSON.
    private static let unionNames = [
        "scale": "ScaleFactor", "gravity": "Gravity", "Pad.gravity": "EdgeGravity", "Composite.gravity": "OverlayGravity", "Text.gravity": "OverlayGravity",
        "tile": "Tiling", "Tint.blend": "TintBlend", "delay": "Delay", "auth": "Auth", "quality": "Quality", "accept": "Accept", "priority": "Priority",
        "progress": "ProgressReports", "progressive": "Previews", "fallback": "Fallback", "replace": "Replacement",
    ]

    /// Short choices, where the member's name with a capital says too little or is taken.
    private static let wordNames = [
        "Animate.fit": "AnimationFit", "deliver": "Delivery", "PreviewPace.mode": "PreviewStyle", "batch.start.mode": "BatchMode", "icc": "ColorSpace",
        "hdr": "HDR",
    ]

    /// Alternatives that are objects.
    private static let caseNames = [
        "FallbackURL": "url", "FallbackKey": "key", "FallbackColor": "color", "BasicAuth": "basic", "DigestAuth": "digest", "BearerAuth": "bearer",
        "Scale": "factors", "Tiles": "gaps", "ProgressPace": "pace", "PreviewPace": "pace",
    ]

    /// Members of results that the catalogs have as text, because a newer service may have other words, or in words alone.
    static let results: [String: (type: String, values: [String])] = [
        "ImageResult.from": ("ImageResult.Origin", ["remote", "sources", "results", "memory", "fallback"]),
        "Progress.phase": ("ImageEvent.Stage", ["upload", "download", "decode", "transform", "encode", "store"]),
        "ReceiptInfo.state": ("ReceiptState", ["queued", "delayed", "running", "paused", "succeeded", "failed", "cancelled"]),
        "GroupInfo.kind": ("GroupInfo.Kind", ["prefetch", "batch", "chain"]),
        "GroupInfo.state": ("GroupInfo.State", ["running", "succeeded", "failed", "cancelled"]),
        "Cancellation.reason": ("Cancellation.Reason", ["finished", "unknown"]), "BlacklistEntry.refuses": ("BlacklistEntry.Refusal", ["all", "pictures"]),
        "WorkerInfo.state": ("WorkerInfo.State", ["starting", "running", "quiet", "draining", "stopped", "lost"]),
        "session.authenticate.role": ("AccessRole", ["load", "put", "admin"]),
        "Cancelled.phase": ("Phase", []), "Cause.name": ("ErrorName", []), "BlacklistEntry.cause": ("ErrorName", []),
        "SourceInfo.format": ("SourceFormat", []), "RenditionInfo.format": ("ImageFormat", []), "RenditionInfo.stored": ("[CacheTier]", []),
        "cache.contains.tiers": ("[CacheTier]", []), "QueueInfo.order": ("ImageRequest.Order", []), "Cancellations.reason": ("Cancellation.Reason", []),
        "GroupEntry.state": ("ReceiptState", []), "receipt.pause.state": ("ReceiptState", []), "receipt.resume.state": ("ReceiptState", []),
        "ImageResult.description": ("ImageTraits", []), "ProbeResult.description": ("ImageTraits", []), "ImageResult.error": ("TintypeError", []),
        "Retrying.error": ("TintypeError", []), "Failed.error": ("TintypeError", []), "ReceiptInfo.error": ("TintypeError", []),
        "GroupEntry.error": ("TintypeError", []), "FailedItem.error": ("TintypeError", []), "DeadLetterInfo.error": ("TintypeError", []),
    ]

    /// The name of a record or choice, with the type that it is nested in.
    func name(_ name: String) -> String { places[name] ?? name }

    // MARK: Making

    init(_ model: ClientModel) {
        self.model = model
        place()
        for choice in model.choices { add(Words(name: name(choice.name), values: choice.values, summary: summary(of: choice))) }
        for record in model.parameters { resolve(record, in: home(of: record)) }
        for method in model.methods { for parameter in method.parameters { _ = type(parameter, of: method.name, in: "") } }
        for (member, result) in Self.results.sorted(by: { $0.key < $1.key }) where !result.values.isEmpty {
            add(Words(name: result.type, values: result.values, summary: "A word of `\(member.split(separator: ".").last ?? "")`."))
        }
    }

    /// Nests what operations use in the operation, what else outputs use in the output, and the rest in the request.
    private mutating func place() {
        func uses(_ kind: ClientModel.Kind) -> [String] {
            switch kind {
            case .named(let name): [name] + (model.parameters.first { $0.name == name }?.members ?? []).flatMap { uses($0.kind) }
            case .list(let one), .map(let one): uses(one)
            case .either(let kinds): kinds.flatMap(uses)
            case .boolean, .text, .integer, .number, .json, .null, .bytes, .choice: []
            }
        }
        let operations = model.parameters.filter { $0.use == .operation }
        for record in operations { places[record.name] = "ImageOperation." + record.name }
        for (known, name) in Self.names { places[known] = name }
        let parts = [("ImageOperation", operations.flatMap { $0.members.flatMap { uses($0.kind) } }), ("ImageOutput", uses(.named("Output")))]
        for (home, names) in parts { for name in names where places[name] == nil { places[name] = home + "." + name } }
        for name in model.parameters.map(\.name) + model.choices.map(\.name) where places[name] == nil { places[name] = "ImageRequest." + name }
    }

    /// The type in which the types of a record's members are nested.
    private func home(of record: ClientModel.Record) -> String {
        let name = name(record.name)
        return name.split(separator: ".").first.map(String.init) ?? name
    }

    /// The meaning of the first member that takes a choice.
    private func summary(of choice: ClientModel.Choice) -> String {
        for record in model.parameters {
            for member in record.members where [.named(choice.name), .list(.named(choice.name))].contains(member.kind) { return member.summary }
        }
        return choice.name == "Place" ? "A corner, an edge or the middle of a picture." : "One of the words of the protocol."
    }

    private mutating func resolve(_ record: ClientModel.Record, in home: String) {
        for member in record.members { _ = type(member, of: record.name, in: home) }
    }

    private mutating func add(_ one: Words) {
        if let known = words.first(where: { $0.name == one.name }) {
            precondition(known.values == one.values, "two choices are called \(one.name): name one in SwiftTypes.wordNames")
        } else {
            words.append(one)
        }
    }

    // MARK: Types

    /// The type of a member that was resolved before.
    func type(_ member: ClientModel.Member, of record: String) -> String {
        if let result = Self.results["\(record).\(member.name)"] { return result.type }
        var copy = self
        return copy.type(member, of: record, in: "")
    }

    /// The type of a value that is in no record.
    func type(_ kind: ClientModel.Kind) -> String {
        var copy = self
        return copy.type(kind, record: "", member: "", summary: "", home: "")
    }

    private mutating func type(_ member: ClientModel.Member, of record: String, in home: String) -> String {
        type(member.kind, record: record, member: member.name, summary: member.summary, home: home)
    }

    private mutating func type(_ kind: ClientModel.Kind, record: String, member: String, summary: String, home: String) -> String {
        switch kind {
        case .boolean: "Bool"
        case .text: "String"
        case .integer: "Int"
        case .number: "Double"
        case .bytes: "[UInt8]"
        case .json, .null: "JSON"
        case .named(let name): self.name(name)
        case .list(.named("Operation")): "ImageTransform"
        case .list(let one): "[\(type(one, record: record, member: member, summary: summary, home: home))]"
        case .map(let one): map(of: type(one, record: record, member: member, summary: summary, home: home))
        case .choice(let values): choice(kind, values, record: record, member: member, summary: summary, home: home)
        case .either(let kinds): either(kind, kinds, record: record, member: member, summary: summary, home: home)
        }
    }

    private func map(of type: String) -> String { type == "JSON" ? "JSONObject" : "[String: \(type)]" }

    private mutating func choice(_ kind: ClientModel.Kind, _ values: [String], record: String, member: String, summary: String, home: String) -> String {
        if let known = kinds[kind] { return known }
        let short = Self.wordNames["\(record).\(member)"] ?? Self.wordNames[member] ?? ClientNames.capital(member)
        let name = home.isEmpty ? short : home + "." + short
        add(Words(name: name, values: values, summary: summary))
        kinds[kind] = name
        return name
    }

    private mutating func either(_ kind: ClientModel.Kind, _ alternatives: [ClientModel.Kind], record: String, member: String, summary: String, home: String)
        -> String
    {
        if let known = kinds[kind] { return known }
        guard let short = Self.unionNames["\(record).\(member)"] ?? Self.unionNames[member] else {
            precondition(alternatives.allSatisfy(\.isPlain), "the alternatives of \(record).\(member) need a name in SwiftTypes.unionNames")
            return "JSON"
        }
        let name = home.isEmpty ? short : home + "." + short
        var cases: [Union.Case] = []
        for one in alternatives { cases += self.cases(one) }
        let values = cases.compactMap { if case .word(let word) = $0 { word } else { nil } }
        if values.count == cases.count {
            add(Words(name: name, values: values, summary: summary))
        } else {
            unions.append(Union(name: name, summary: summary, cases: cases))
        }
        kinds[kind] = name
        return name
    }

    private mutating func cases(_ kind: ClientModel.Kind) -> [Union.Case] {
        switch kind {
        case .choice(let values): return values.map { .word($0) }
        case .named(let name):
            if let choice = model.choices.first(where: { $0.name == name }) { return choice.values.map { .word($0) } }
            guard let record = model.parameters.first(where: { $0.name == name }) else { return [] }
            inlined.insert(name)
            return [.record(name: Self.caseNames[name] ?? name.prefix(1).lowercased() + name.dropFirst(), record)]
        case .boolean: return [.plain(name: "boolean", kind: kind)]
        case .text: return [.plain(name: "text", kind: kind)]
        case .integer: return [.plain(name: "integer", kind: kind)]
        case .number: return [.plain(name: "number", kind: kind)]
        case .list: return [.plain(name: "list", kind: kind)]
        case .map: return [.plain(name: "object", kind: kind)]
        case .bytes, .json, .null, .either: return []
        }
    }
}

extension ClientModel.Kind {
    /// Whether JSON has the type itself, and all that is in it.
    fileprivate var isPlain: Bool {
        switch self {
        case .boolean, .text, .integer, .number, .json, .null: true
        case .list(let one), .map(let one): one.isPlain
        case .either(let kinds): kinds.allSatisfy(\.isPlain)
        case .bytes, .choice, .named: false
        }
    }
}

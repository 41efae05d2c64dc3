import TintypeCore
import TintypeImages

/// The types, methods and errors of the Python client: `clients/python/src/tintype/_generated.py`.
struct PythonClient: Sendable {
    private let model: ClientModel

    init(_ model: ClientModel) { self.model = model }

    func text() -> String {
        var parts = [Self.head, errors, phases, Self.bytes + "\n\n" + choices.joined(separator: "\n")]
        let early = model.parameters.filter { $0.name != "Rendition" && $0.name != "Request" }
        parts += early.map { record($0) }
        parts.append("Operation: TypeAlias = \(model.operations.joined(separator: " | "))\n\"\"\"An operation of `transform`.\"\"\"")
        parts += model.parameters.filter { $0.name == "Rendition" || $0.name == "Request" }.map { record($0) }
        parts.append(options)
        parts += model.results.map { record($0) }
        parts.append(event)
        parts += model.events.map { record($0, base: "Event") }
        parts += [eventTable, methods, exports]
        return parts.joined(separator: "\n\n\n") + "\n"
    }

    private static let head = """
        \"""The types, methods and errors of Tintype, made from the descriptions that validate requests.

        `tintype docs clients --language python` writes this file: change the descriptions, not the file.
        \"""

        from __future__ import annotations

        from collections.abc import Awaitable, Callable, Mapping, Sequence
        from dataclasses import KW_ONLY, dataclass, field
        from enum import StrEnum
        from typing import Any, ClassVar, Literal, TypeAlias, TypedDict

        from ._record import Record
        """

    private static let bytes = """
        Bytes: TypeAlias = bytes
        \"""The type, for classes with a member of that name.\"""
        """

    // MARK: Errors

    private var errors: String {
        var lines = ["class ErrorName(StrEnum):", "    \"\"\"The name of an error.\"\"\"", ""]
        for name in ErrorName.allCases {
            lines.append("    \(PythonText.constant(name.rawValue)) = \"\(name.rawValue)\"")
            lines += PythonText.docstring(ClientNames.capital(name.meaning) + ".", indent: 4)
        }
        lines.append(
            """

                @property
                def code(self) -> int:
                    \"""The code of JSON-RPC.\"""
                    return _CODES[self]

                @property
                def is_retryable(self) -> bool:
                    \"""Whether the same request may succeed later, unless the error itself says otherwise.\"""
                    return self in _RETRYABLE

                @classmethod
                def of_code(cls, code: object) -> ErrorName:
                    \"""Returns the name with a code; `internal` for an unknown one.\"""
                    return next((name for name, own in _CODES.items() if own == code), cls.INTERNAL)


            _CODES: dict[ErrorName, int] = {
            """)
        func name(_ error: ErrorName) -> String { "ErrorName.\(PythonText.constant(error.rawValue))" }
        lines += TextLayout.filled("", ErrorName.allCases.map { "\(name($0)): \($0.code)" }, indent: 4) + ["}"]
        lines += TextLayout.list("_RETRYABLE: frozenset[ErrorName] = frozenset({", ErrorName.allCases.filter(\.isRetryable).map(name), "})", indent: 0)
        return lines.joined(separator: "\n")
    }

    private var phases: String {
        let lines = ["class Phase(StrEnum):", "    \"\"\"The phase of a request in which something happened.\"\"\"", ""]
        return (lines + Phase.allCases.map { "    \(PythonText.constant($0.rawValue)) = \"\($0.rawValue)\"" }).joined(separator: "\n")
    }

    private var choices: [String] { model.choices.map { "\($0.name): TypeAlias = \(PythonText.type(.choice($0.values), isGiven: true))" } }

    // MARK: Records

    private func record(_ record: ClientModel.Record, base: String = "Record") -> String {
        let isGiven = record.use == .operation || record.use == .options
        var lines = ["@dataclass(frozen=True, slots=True\(isGiven ? "" : ", kw_only=True"))", "class \(record.name)(\(base)):"]
        lines += PythonText.docstring(record.summary, indent: 4)
        var inner: [String] = []
        if let tag = record.tag { inner.append("    _tag: ClassVar[tuple[str, str]] = (\"\(tag.member)\", \"\(tag.value)\")") }
        let renaming = names(record.members)
        if !renaming.isEmpty { inner.append("    _names: ClassVar[Mapping[str, str]] = {\(renaming)}") }
        if !inner.isEmpty { lines += [""] + inner }
        guard !record.members.isEmpty else { return lines.joined(separator: "\n") }
        lines.append("")
        let first = record.leading.compactMap { name in record.members.first { $0.name == name } }
        let rest = record.members.filter { !record.leading.contains($0.name) }
        for member in first { lines += field(member, isGiven: isGiven) }
        if isGiven, !rest.isEmpty { lines.append("    _: KW_ONLY") }
        for member in rest { lines += field(member, isGiven: isGiven) }
        return lines.joined(separator: "\n")
    }

    /// The names of the wire that do not follow from those of Python.
    private func names(_ members: [ClientModel.Member]) -> String {
        let names = members.map { (own: PythonText.name($0.name), wire: $0.name) }.filter { PythonText.wire($0.own) != $0.wire }
        return names.map { "\"\($0.own)\": \"\($0.wire)\"" }.joined(separator: ", ")
    }

    private func field(_ member: ClientModel.Member, isGiven: Bool) -> [String] {
        let name = PythonText.name(member.name)
        let line =
            member.isRequired
            ? "    \(name): \(PythonText.type(member.kind, isGiven: isGiven))" + (member.isSecret ? " = field(repr=False)" : "")
            : "    \(name): \(PythonText.optional(member.kind, isGiven: isGiven)) = " + (member.isSecret ? "field(default=None, repr=False)" : "None")
        return [line] + PythonText.docstring(member.meaning, indent: 4)
    }

    private var options: String {
        var lines = ["class RequestOptions(TypedDict, total=False):", "    \"\"\"The members of a `Request` that are seldom needed, as keywords.\"\"\"", ""]
        for member in model.request?.members ?? [] where !["url", "transform", "output", "renditions"].contains(member.name) {
            lines.append("    \(PythonText.name(member.name)): \(PythonText.optional(member.kind, isGiven: true))")
        }
        return lines.joined(separator: "\n")
    }

    private var event: String {
        var lines = ["@dataclass(frozen=True, slots=True, kw_only=True)", "class Event(Record):", "    \"\"\"Something that happened to a receipt.\"\"\"", ""]
        for member in model.common { lines += field(member, isGiven: false) }
        return lines.joined(separator: "\n")
    }

    private var eventTable: String {
        let lines = ["EVENTS: Mapping[str, type[Event]] = {"] + model.events.map { "    \"\($0.tag?.value ?? "")\": \($0.name)," }
        let ends = model.events.filter(\.isTerminal).map { "\"\($0.tag?.value ?? "")\"" }.joined(separator: ", ")
        return
            (lines + [
                "}", "\"\"\"The events by their type on the wire.\"\"\"", "TERMINAL: frozenset[str] = frozenset({\(ends)})",
                "\"\"\"The types of the last event of a receipt.\"\"\"",
            ]).joined(separator: "\n")
    }

    private var exports: String {
        let names =
            ["ErrorName", "Event", "Methods", "Operation", "Phase", "RequestOptions"] + model.choices.map(\.name)
            + (model.parameters + model.results + model.events).map(\.name)
        return TextLayout.list("__all__ = [", names.sorted().map { "\"\($0)\"" }, "]", indent: 0).joined(separator: "\n")
    }

    // MARK: Methods

    private var methods: String {
        let head = """
            class Methods:
                \"""Every method of the service, with the names and members of the wire in Python's spelling.\"""

                def __init__(self, call: Callable[[str, Mapping[str, Any]], Awaitable[Any]]) -> None:
                    self._call = call
            """
        return ([head] + model.methods.map(method)).joined(separator: "\n\n")
    }

    private func method(_ method: ClientModel.Method) -> String {
        var signature = ["self"]
        switch method.request {
        case .always: signature.append("request: Request")
        case .perhaps: signature.append("request: Request | None = None")
        case .none: break
        }
        if !method.parameters.isEmpty { signature.append("*") }
        signature += method.parameters.map { parameter in
            let name = PythonText.name(parameter.name)
            return parameter.isRequired
                ? "\(name): \(PythonText.type(parameter.kind, isGiven: true))" : "\(name): \(PythonText.optional(parameter.kind, isGiven: true)) = None"
        }
        var lines = ["    async def \(PythonText.name(method.name))(\(signature.joined(separator: ", "))) -> \(result(method.result)):"]
        lines += documentation(method).enumerated().map { $1.isEmpty ? "" : "        " + ($0 == 0 ? "\"\"\"" : "") + $1 } + ["        \"\"\""]
        let request: [String] =
            switch method.request {
            case .always: ["**request.to_json()"]
            case .perhaps: ["**(request.to_json() if request else {})"]
            case .none: []
            }
        let given = request + method.parameters.map { "\"\($0.name)\": \(PythonText.name($0.name))" }
        let call = "await self._call(\"\(method.name)\", {\(given.joined(separator: ", "))})"
        switch method.result {
        case .named(let name): lines.append("        return \(name).from_json(\(call))")
        case .list(.named(let name)): lines.append("        return [\(name).from_json(one) for one in \(call)]")
        case .boolean, .text, .integer, .number, .json, .null, .bytes, .choice, .list, .map, .either: lines.append("        return \(call)")
        }
        return lines.joined(separator: "\n")
    }

    private func result(_ kind: ClientModel.Kind) -> String {
        if case .list(let one) = kind { "list[\(PythonText.type(one, isGiven: false))]" } else { PythonText.type(kind, isGiven: false) }
    }

    private func documentation(_ method: ClientModel.Method) -> [String] {
        let columns = TextLayout.columns - 14
        var lines = TextLayout.sentences(method.summary, columns: columns) + [""]
        for parameter in method.parameters {
            let name = PythonText.name(parameter.name)
            let meaning = TextLayout.sentences(parameter.meaning, columns: columns - name.count)
            lines += ["- `\(name)`: \(meaning.first ?? "")"] + meaning.dropFirst().map { "  \($0)" }
        }
        if !method.parameters.isEmpty { lines.append("") }
        lines.append("Answers \(method.answer)" + (method.answer.hasSuffix(".") ? "" : "."))
        if method.role > .load { lines.append("Needs the role `\(method.role.rawValue)` where tokens are required.") }
        return lines
    }
}

import TintypeCore
import TintypeImages

/// The types, methods and errors of the client for TypeScript: `clients/typescript/src/generated.ts`.
struct TypeScriptClient: Sendable {
    private let model: ClientModel
    private let operations: [String]

    init(_ model: ClientModel) { (self.model, operations) = (model, model.operations) }

    func text() -> String {
        var parts = [Self.head, errors, phases] + model.choices.map(choice)
        parts += model.parameters.filter { $0.use == .operation }.map(record)
        parts.append((TypeScriptText.comment("One step that changes pixels.") + [alias("Operation", operations.map(name))]).joined(separator: "\n"))
        parts += model.parameters.filter { $0.use != .operation }.map(record) + model.results.map(record)
        parts += [events, methodParameters, methods, Self.given] + model.parameters.filter { $0.use == .operation }.map(function)
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private static let head = """
        // The types, methods and errors of Tintype, made from the descriptions that validate requests.
        // `tintype docs clients --language typescript` writes this file: change the descriptions, not the file.

        import type { Answers, Json } from "./answers.ts";
        """

    private static let given = """
        /** The members that have a value. */
        function given<T extends object>(members: T): T {
          return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
        }
        """

    private func name(_ name: String) -> String { TypeScriptText.name(name, operations: operations) }
    private func type(_ kind: ClientModel.Kind) -> String { TypeScriptText.type(kind, operations: operations) }
    private func alias(_ name: String, _ types: [String]) -> String {
        TextLayout.filled("export type \(name) =", types, separator: " |", indent: 0).joined(separator: "\n") + ";"
    }

    // MARK: Errors and choices

    private var errors: String {
        var lines = TypeScriptText.comment("The errors by their names: the code of JSON-RPC, and whether the same request may succeed soon.")
        lines.append("export const errors = {")
        for error in ErrorName.allCases {
            lines += TypeScriptText.comment(ClientNames.capital(error.meaning) + ".", indent: 2)
            lines.append("  \(error.rawValue): { code: \(error.code), retryable: \(error.isRetryable) },")
        }
        lines += ["} as const;", "", "/** The name of an error. */", "export type ErrorName = keyof typeof errors;"]
        return lines.joined(separator: "\n")
    }

    private var phases: String { "/** Where a request was when something happened. */\n" + alias("Phase", Phase.allCases.map { "\"\($0.rawValue)\"" }) }

    private func choice(_ choice: ClientModel.Choice) -> String {
        "/** One of these words. */\n" + alias(name(choice.name), choice.values.map { "\"\($0)\"" })
    }

    // MARK: Records

    private func record(_ record: ClientModel.Record) -> String {
        var lines = TypeScriptText.comment(record.summary) + ["export interface \(name(record.name)) {"]
        if let tag = record.tag { lines.append("  readonly \(tag.member): \"\(tag.value)\";") }
        lines += members(record.members, isGiven: record.use != .result, indent: 2)
        return (lines + ["}"]).joined(separator: "\n")
    }

    /// - Parameter isGiven: whether callers make the members. The service sends null for some that are unknown.
    private func members(_ members: [ClientModel.Member], isGiven: Bool, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        return members.flatMap { member in
            let mark = member.isRequired ? "" : "?"
            let null = member.isRequired || isGiven ? "" : " | null"
            let line = "\(margin)readonly \(member.name)\(mark): \(type(member.kind))\(null);"
            return TypeScriptText.comment(member.meaning, indent: indent) + [line]
        }
    }

    private var events: String {
        var lines = ["/** The members of every event. */", "export interface EventFacts {"] + members(model.common, isGiven: false, indent: 2) + ["}", ""]
        lines += ["/** The other members of each event, by its type, as the service sends them. */", "export interface EventMembers {"]
        for event in model.events {
            lines += TypeScriptText.comment(event.summary, indent: 2)
            let inner = members(event.members, isGiven: false, indent: 4)
            lines += inner.isEmpty ? ["  \(event.tag?.value ?? ""): object;"] : ["  \(event.tag?.value ?? ""): {"] + inner + ["  };"]
        }
        lines += ["}", "", "/** The types of the last event of a receipt. */"]
        lines.append("export type LastEvent = \(model.events.filter(\.isTerminal).map { "\"\($0.tag?.value ?? "")\"" }.joined(separator: " | "));")
        return lines.joined(separator: "\n")
    }

    // MARK: Methods

    private func parameters(of method: ClientModel.Method) -> String {
        method.name.split(separator: ".").map { ClientNames.capital(String($0)) }.joined() + "Params"
    }

    private var methodParameters: String {
        model.methods.filter { !$0.parameters.isEmpty }.map { method in
            let base = method.request == .none ? "" : " extends ImageRequest"
            let lines = ["/** The parameters of `\(method.name)`. */", "export interface \(parameters(of: method))\(base) {"]
            return (lines + members(method.parameters, isGiven: true, indent: 2) + ["}"]).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private var methods: String {
        var lines = ["/** Every method, with its parameters and its result. */", "export interface Methods {"]
        for method in model.methods {
            let role = method.role > .load ? " Needs the role `\(method.role.rawValue)` where tokens are required." : ""
            lines += TypeScriptText.comment(method.summary + role, indent: 2)
            let given = method.parameters.isEmpty ? method.request == .none ? "Record<string, never>" : "ImageRequest" : parameters(of: method)
            let result = method.result == .json ? "Answers[\"\(method.name)\"]" : type(method.result)
            lines.append("  \"\(method.name)\": { params: \(given); result: \(result) };")
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    // MARK: Functions

    /// A function for an operation: required members are arguments, and so are width and height where an operation begins with both.
    private func function(_ record: ClientModel.Record) -> String {
        guard let tag = record.tag?.value else { return "" }
        let (type, comment) = (name(record.name), TypeScriptText.comment(record.summary))
        let required = record.members.filter(\.isRequired).map(\.name)
        func without(_ names: [String]) -> String { "Omit<\(type), \((["op"] + names).map { "\"\($0)\"" }.joined(separator: " | "))>" }
        func body(_ members: String) -> [String] { ["  return { op: \"\(tag)\"\(members) };", "}"] }
        if required.isEmpty, record.members.prefix(2).map(\.name) == ["width", "height"] {
            let rest = without(["width", "height"])
            let heads = [
                "export function \(tag)(options: \(without([]))): \(type);",
                "export function \(tag)(width?: number, height?: number, options?: \(rest)): \(type);",
                "export function \(tag)(width?: number | \(without([])), height?: number, options?: \(rest)): \(type) {",
                "  if (typeof width === \"object\") return { op: \"\(tag)\", ...width };",
            ]
            return (comment + heads + body(", ...given({ width, height }), ...options")).joined(separator: "\n")
        }
        guard !record.members.isEmpty else { return (comment + ["export function \(tag)(): \(type) {"] + body("")).joined(separator: "\n") }
        let arguments = required.map { "\($0): \(type)[\"\($0)\"]" }
        let hasOptions = record.members.count > required.count
        let options = hasOptions ? ["options: \(without(required)) = {}"] : []
        let given = required.map { ", \($0)" }.joined() + (hasOptions ? ", ...options" : "")
        let head = "export function \(tag)(\((arguments + options).joined(separator: ", "))): \(type) {"
        return (comment + [head] + body(given)).joined(separator: "\n")
    }
}

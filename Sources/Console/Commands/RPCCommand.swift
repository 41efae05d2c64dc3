import TintypeContracts
import TintypeCore
import TintypeImages

/// `tintype rpc METHOD [JSON | -]`: calls any method and prints its answer unchanged.
enum RPCCommand {
    static let command = Command(
        "rpc", "METHOD [JSON | -]", words: 1...2, "Calls any method and prints its result as JSON; - reads the parameters from standard input.",
        options: [Option("events", nil, "Also prints the events that arrive before the answer, one on each line.")] + Command.connection,
        notes: "Methods: \(MethodCatalog.methods.map(\.name).filter { !$0.hasPrefix("$") }.joined(separator: ", "))\n"
            + "Example:\n  tintype rpc queue.get '{\"queue\": \"default\"}'",
        run: { arguments in
            var params: JSON = [:]
            if arguments.words.count == 2 {
                // Every user can read the arguments of a process, so secrets come by standard input.
                let text = arguments.words[1] == "-" ? try InputText.read("-") : arguments.words[1]
                do throws(JSONError) {
                    params = try JSON(parsing: Array(text.utf8))
                } catch {
                    throw UsageError("the parameters are not JSON: \(error)")
                }
            }
            let client = try await RPCClient.connect(arguments)
            defer { client.close() }
            var unheard: OutputName.WriteFailure?
            if arguments.has("events") {
                client.onNotification = { method, event in
                    do throws(OutputName.WriteFailure) {
                        try Output.json(.object(["method": .string(method), "params": event]))
                    } catch {
                        unheard = unheard ?? error
                        client.close()
                    }
                }
            }
            let answer: JSON
            do throws(ClientFailure) {
                answer = try await client.call(arguments.words[0], params)
            } catch {
                if let unheard { throw unheard }
                if case .refused(let refusal) = error, refusal.name == .methodNotFound {
                    let hint = NearestName.hint(arguments.words[0], among: MethodCatalog.methods.map(\.name))
                    throw UsageError("no method \"\(arguments.words[0])\"\(hint)")
                }
                throw error
            }
            try Output.json(answer)
            return 0
        })
}

import Foundation

/// A terminal without a person: tmux draws the screen of a shell, and types into it.
///
/// Each has a server of its own, on a socket in its folder, without anybody's settings.
package final class Tmux: Sendable {
    private let folder: TemporaryFolder
    /// The shell's prompt. It stands at the end of the screen when no program runs.
    package static let prompt = "ready>"

    /// Starts a shell.
    /// - Parameter environment: added to that of this process.
    package init(columns: Int = 120, rows: Int = 32, environment: [String: String] = [:]) async throws {
        folder = try TemporaryFolder("tmux")
        TestScope.atEnd { [self] in _ = try? await run("kill-server") }
        var words = ["-u", "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-s", "test"]
        for (name, value) in environment { words += ["-e", "\(name)=\(value)"] }
        // Job control as a person has it, and no file of anybody's shell.
        words += ["env", "-u", "NO_COLOR", "PS1=\(Self.prompt) ", "bash", "--norc", "--noprofile", "-i"]
        try await run(words)
        try await until("the shell is ready") { $0.contains(Self.prompt) }
    }

    @discardableResult
    private func run(_ words: String...) async throws -> String { try await run(words) }

    @discardableResult
    private func run(_ words: [String]) async throws -> String {
        let child = try ChildProcess("tmux", ["-S", folder.path + "/socket"] + words)
        guard await child.finished() == 0 else { throw TestFailure("tmux \(words): \(child.errors)") }
        return child.output
    }

    /// Types a line and Enter.
    package func type(_ line: String) async throws {
        try await run("send-keys", "-t", "test", "-l", line)
        try await keys("Enter")
    }

    /// Presses keys by tmux's names for them: `a`, `Tab`, `Up`, `C-c`, `Escape`.
    package func keys(_ names: String...) async throws { try await run(["send-keys", "-t", "test"] + names) }

    /// The screen as text, without looks.
    package func screen() async throws -> String { try await run("capture-pane", "-t", "test", "-p") }

    /// The screen with the sequences of its looks.
    package func looks() async throws -> String { try await run("capture-pane", "-t", "test", "-p", "-e") }

    /// A fact about the pane, such as `#{alternate_on}`.
    package func fact(_ format: String) async throws -> String {
        try await run("display-message", "-t", "test", "-p", format).trimmingCharacters(in: .newlines)
    }

    package func resize(columns: Int, rows: Int) async throws { try await run("resize-window", "-t", "test", "-x", "\(columns)", "-y", "\(rows)") }

    /// Returns the screen once it fits a condition.
    /// - Throws: `TestFailure` with the screen.
    @discardableResult
    package func until(_ what: String, within limit: Duration = .seconds(30), _ test: (String) throws -> Bool) async throws -> String {
        let end = ContinuousClock.now + limit
        while true {
            let screen = try await screen()
            if try test(screen) { return screen }
            guard ContinuousClock.now < end else { throw TestFailure("not within \(limit): \(what)\n\(screen)") }
            try await Task.sleep(for: .milliseconds(30))
        }
    }

    /// Waits until the screen shows a text.
    @discardableResult
    package func until(shows text: String) async throws -> String { try await until("it shows \"\(text)\"") { $0.contains(text) } }
}

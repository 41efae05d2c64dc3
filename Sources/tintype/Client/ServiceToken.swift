import TintypeCore
import TintypeImages

/// The token for a coordinator that requires one: the first in the file that `--token-file` or `TINTYPE_TOKEN_FILE` names.
enum ServiceToken {
    static let option = Option("token-file", "PATH", "A file with the coordinator's token. Default: $TINTYPE_TOKEN_FILE, else no token is sent.")

    /// Returns nil when no file is named.
    static func read(_ arguments: Arguments) throws(UsageError) -> String? {
        let (given, named) = (arguments[option.name], ProcessEnvironment.all()["TINTYPE_TOKEN_FILE"].flatMap { $0.isEmpty ? nil : $0 })
        guard let path = given ?? named else { return nil }
        do throws(SettingError) {
            return try AccessTokens.first(in: path)
        } catch {
            throw UsageError("\(given == nil ? "TINTYPE_TOKEN_FILE" : "--token-file"): \(error.message)")
        }
    }
}

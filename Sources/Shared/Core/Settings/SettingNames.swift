/// The names of settings outside the command line.
package struct SettingNames: Sendable {
    /// The names of environment variables.
    package let variables: Set<String>
    /// The keys of a file.
    package let fileKeys: Set<String>

    package init(variables: Set<String>, fileKeys: Set<String>) { (self.variables, self.fileKeys) = (variables, fileKeys) }
}

/// How settings are spelled outside the command line.
package struct SettingNames: Sendable {
    /// As variables of the environment.
    package let variables: Set<String>
    /// As keys of a file.
    package let fileKeys: Set<String>

    package init(variables: Set<String>, fileKeys: Set<String>) { (self.variables, self.fileKeys) = (variables, fileKeys) }
}

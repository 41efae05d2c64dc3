/// The version of our keys in a Redis and their fields.
package enum RedisSchema {
    /// Raise it together with the number in `prelude.lua`.
    package static let number = "3"
}

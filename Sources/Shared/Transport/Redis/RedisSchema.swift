/// The number of what our keys in a Redis are and of what their fields mean.
package enum RedisSchema {
    /// Raised together with that of `prelude.lua`.
    package static let number = "3"
}

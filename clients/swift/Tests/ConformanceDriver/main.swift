import TintypeClient

let driver = Driver()
// The lines come on this thread, and the work is done on others.
while let line = readLine() { driver.take(try JSON(parsing: line)) }

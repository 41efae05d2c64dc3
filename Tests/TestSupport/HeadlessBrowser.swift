import Foundation

/// Chromium without a window, which shows one page and goes. Each has a cache of its own, which is empty.
package enum HeadlessBrowser {
    /// Loads a page with all its pictures, draws it into a file, and returns its elements as the scripts of the page have left them.
    /// - Parameters:
    ///   - width: the width of the window.
    ///   - height: the height of the window.
    ///   - screenshot: the path of a PNG that is written.
    /// - Throws: `TestFailure` when the browser ends with an error.
    package static func show(_ url: String, width: Int, height: Int, screenshot: String) async throws -> String {
        let profile = try TemporaryFolder("browser")
        // Its sandbox does not work for root. The pages are those of tests.
        let browser = try ChildProcess(
            "chromium-headless-shell",
            [
                "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + profile.path, "--timeout=120000",
                "--no-proxy-server", "--window-size=\(width),\(height)", "--screenshot=" + screenshot, "--dump-dom", url,
            ])
        TestScope.ends(browser)
        guard await browser.finished() == 0 else { throw TestFailure("chromium: \(browser.errors)") }
        return browser.output
    }
}

"""Keeps the overview of a dashboard open in Chromium: of the coordinator whose address the latest line of standard input names.

Prints `ready` once the page is live. Ends with its input.
"""

import sys

from playwright.sync_api import expect, sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--no-proxy-server"])
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    for line in iter(sys.stdin.readline, ""):
        page.goto(line.strip() + "/#/overview")
        expect(page.locator("#state")).to_have_class("open", timeout=20000)
        print("ready", flush=True)

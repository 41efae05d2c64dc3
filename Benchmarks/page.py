"""Keeps the overview of a dashboard open in Chromium, until it is ended: page.py BASE. Prints `ready` once the page is live."""

import signal
import sys

from playwright.sync_api import expect, sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--no-proxy-server"])
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(sys.argv[1] + "/#/overview")
    expect(page.locator("#state")).to_have_class("open", timeout=20000)
    print("ready", flush=True)
    signal.pause()

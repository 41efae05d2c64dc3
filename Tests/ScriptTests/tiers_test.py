"""Tests of the tag for tests that measure a time.

    python3 -B Tests/ScriptTests/tiers_test.py
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import tiers


class Times(unittest.TestCase):
    def test_a_test_of_a_time_needs_its_tag(self):
        for line, is_breach in [
            ("#expect(ContinuousClock.now - began >= .seconds(8))", True), ("times.append(clock.now - back)", True),
            ("try await Loop.sleep(.milliseconds(100))", True), ("while !isDone {\n            try await Loop.sleep(.milliseconds(200))", False),
            ("try await Loop.sleep(.milliseconds(5))", False), ("#expect(end - WallClock.now <= 60)", False),
            ("while ContinuousClock.now < end {}", True), ('print("after \\(clock.now - start)")', False),
        ]:
            test = f"    @Test func `it waits until then`() {{\n        {line}\n    }}\n"
            self.assertEqual(bool(list(tiers.untimed("A.swift", test))), is_breach, line)
            self.assertEqual(list(tiers.untimed("A.swift", test.replace("@Test ", "@Test(.tags(.timed)) "))), [], line)


if __name__ == "__main__":
    unittest.main()

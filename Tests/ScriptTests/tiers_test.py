"""Tests of the tiers of suites, and of the tag for tests that measure a time.

    python3 -B Tests/ScriptTests/tiers_test.py
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import tiers

FILE = """import Engine
import Testing

/// A suite.
@Suite(
    .tags(.cluster, .optimized), .timeLimit(.minutes(1)), .enabled(if: hasColors, "why not (so)"))
@Loop struct QueueTests {
    @Test func `it works`() {}
}

@Suite(.scoped) struct Harness {
    let redis: String
}

struct PlanTests {
    @Test func plans() {}
}
"""


class Tiers(unittest.TestCase):
    def test_each_suite_has_its_own_tags(self):
        known = tiers.suites({"Tests/SharedTests/QueueTests.swift": FILE, "Tests/SharedTests/QueueTests+More.swift": "extension QueueTests {\n    @Test func more() {}\n}\n"})
        self.assertEqual({name: (tags, place.split(":")[1]) for (_, name), (tags, place, _) in known.items()},
                         {"QueueTests": ({"cluster", "optimized"}, "7"), "PlanTests": (set(), "15")})
        self.assertIn("func more", known[("SharedTests", "QueueTests")][2])

    def test_the_subject_of_a_tier_is_seen(self):
        for tier, name, text, is_subject in [
            ("cluster", "A", "try await QueueHarness()", True), ("cluster", "A", "try await RedisServer()", False),
            ("realTimes", "A", "TestTimes.lease", True), ("threads", "LoopTurnsTests", "", True), ("threads", "RulesTests", "", False),
            ("optimized", "A", "@testable import Engine\n", True), ("optimized", "A", "import Engine\nDeployment(workers: 2)", False),
        ]:
            self.assertEqual(bool(tiers.SUBJECTS[tier](name, text)), is_subject, (tier, name, text))

    def test_a_test_of_a_time_needs_its_tag(self):
        for line, is_breach in [
            ("#expect(ContinuousClock.now - began >= .seconds(8))", True), ("times.append(clock.now - back)", True),
            ("try await Loop.sleep(.milliseconds(100))", True), ("try await Task.sleep(for: .seconds(2))", True),
            ("try await Loop.sleep(.milliseconds(5))", False), ("#expect(end - WallClock.now <= 60)", False),
            ("while ContinuousClock.now < end {}", True), ('print("after \\(clock.now - start)")', False),
            ("let end = ContinuousClock.now + .seconds(40)", False),
        ]:
            test = f"struct A {{\n    @Test func a() {{\n        {line}\n    }}\n}}\n"
            self.assertEqual(bool(list(tiers.untimed("A.swift", test))), is_breach, line)
            self.assertEqual(list(tiers.untimed("A.swift", test.replace("@Test ", "@Test(.tags(.timed)) "))), [], line)

    def test_a_pause_between_two_questions_is_none(self):
        test = "    @Test func `it waits until then`() {\n        while !isDone {\n            try await Loop.sleep(.milliseconds(200))\n        }\n    }\n"
        self.assertEqual(list(tiers.untimed("A.swift", test)), [])
        self.assertEqual(len(list(tiers.untimed("A.swift", test.replace("while !isDone", "for _ in 0..<3")))), 1)


if __name__ == "__main__":
    unittest.main()

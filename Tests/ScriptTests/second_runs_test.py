"""Tests of the ledger of second runs.

    python3 -B Tests/ScriptTests/second_runs_test.py
"""

import os
import sys
import tempfile
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import second_runs

NOW = datetime(2026, 3, 9, 12, tzinfo=timezone.utc)


class Ledger(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "deep/ledger.tsv"
        os.environ["TINTYPE_LEDGER"] = str(self.file)

    def test_ten_in_seven_days_are_allowed_and_eleven_are_not(self):
        self.assertEqual(second_runs.main([], NOW), 0, "there is no ledger yet")
        second_runs.main(["add", "passed", *["KillTests"] * 8, "NetTests", "RetryTests"], NOW - timedelta(days=6))
        self.assertEqual(second_runs.main([], NOW), 0)
        second_runs.main(["add", "passed", "NetTests"], NOW)
        self.assertEqual(second_runs.main([], NOW), 1)
        self.assertEqual(second_runs.main([], NOW + timedelta(days=2)), 0, "those of eight days ago count no more")

    def test_a_line_has_the_time_the_suite_the_outcome_and_the_commit(self):
        second_runs.main(["add", "passed", "KillTests"], NOW)
        time, suite, outcome, commit = self.file.read_text().rstrip("\n").split("\t")
        self.assertEqual((time, suite, outcome), ("2026-03-09T12:00:00+00:00", "KillTests", "passed"))
        self.assertRegex(commit, "^([0-9a-f]{12}|-)$")

    def test_what_failed_again_and_what_is_no_line_does_not_count(self):
        second_runs.main(["add", "failed", *["KillTests"] * 20], NOW)
        with self.file.open("a") as file:
            file.write("2026-03-0")
        self.assertEqual(second_runs.main([], NOW), 0)

    def test_the_ledger_is_in_the_cache_folder_of_the_user(self):
        self.assertEqual(second_runs.place({"XDG_CACHE_HOME": "/c"}), Path("/c/tintype/second-runs.tsv"))
        self.assertEqual(second_runs.place({}), Path.home() / ".cache/tintype/second-runs.tsv")
        self.assertEqual(second_runs.place({"TINTYPE_LEDGER": "/l", "XDG_CACHE_HOME": "/c"}), Path("/l"))


if __name__ == "__main__":
    unittest.main()

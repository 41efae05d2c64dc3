"""Tests of the pure parts of the simulation: places, shares, help, the queue of a shard, and that a run follows from its seed.

    python3 -B Benchmarks/simulate_test.py
"""

import collections
import random
import unittest

from simulation import costs, helping, placement, shares
from simulation.cores import Cores, Thread
from simulation.fleet import Fleet, Plan
from simulation.shard import Shard
from simulation.traffic import Fetch, Kind, Traffic

KIND = Kind("small", 1.0, 0.002, 1000, 100)


class Places(unittest.TestCase):
    def test_a_host_below_the_spread_has_one_shard(self):
        for shards in (1, 2, 16, 64):
            places = {placement.place("example.org", 6, placement.digest(number), shards) for number in range(500)}
            self.assertEqual(len(places), 1, shards)

    def test_a_host_of_a_high_limit_has_all_shards(self):
        self.assertEqual({placement.place("own", 512, placement.digest(number), 16) for number in range(2000)}, set(range(16)))

    def test_a_spread_host_lies_only_in_shards_with_a_permit(self):
        for limit, shards in ((64, 128), (100, 64), (64, 64)):
            parts = placement.limits(limit, shards)
            for number in range(1000):
                self.assertGreater(parts[placement.place("own", limit, placement.digest(number), shards)], 0)

    def test_the_limits_in_all_shards_add_up_to_the_limit(self):
        for limit, shards, parts in ((6, 16, [6]), (63, 16, [63]), (64, 16, [4] * 16), (65, 16, [5] + [4] * 15), (512, 1, [512]), (64, 128, [1] * 64 + [0] * 64)):
            self.assertEqual(placement.limits(limit, shards), parts)
            self.assertEqual(sum(parts), limit)

    def test_hosts_divide_evenly(self):
        counts = collections.Counter(placement.rendezvous(f"host {number}", 16)[0] for number in range(16_000))
        self.assertEqual(len(counts), 16)
        self.assertTrue(all(850 < count < 1150 for count in counts.values()), counts)

    def test_a_further_shard_takes_hosts_and_moves_none_between_the_others(self):
        moved = 0
        for number in range(2000):
            before, after = (placement.rendezvous(number, shards)[0] for shards in (8, 9))
            self.assertIn(after, (before, 8))
            moved += after == 8
        self.assertTrue(150 < moved < 300, moved)

    def test_a_worker_has_different_homes_and_each_shard_has_workers(self):
        homes = [placement.rendezvous(f"worker {number}", 64, 3) for number in range(1000)]
        self.assertTrue(all(len(set(each)) == 3 for each in homes))
        self.assertGreaterEqual(min(collections.Counter(shard for each in homes for shard in each).values()), 20)


class Shares(unittest.TestCase):
    def test_equal_shares_add_up(self):
        for whole, count, parts in ((64, 4, [16] * 4), (10, 4, [3, 3, 2, 2]), (2, 4, [1, 1, 0, 0])):
            self.assertEqual(shares.begin(whole, count), parts)

    def test_what_a_shard_leaves_goes_to_one_that_wants_it(self):
        for whole, wanted, running, before, after in (
            (64, [64, 0, 0, 0], [16, 0, 0, 0], [16] * 4, [40, 8, 8, 8]),       # all but the floors, at once: the others run nothing
            (64, [64, 16, 16, 16], [16] * 4, [16] * 4, [16] * 4),              # the others run what they may: nothing is free yet
            (64, [64, 2, 2, 2], [16, 2, 2, 2], [16] * 4, [40, 8, 8, 8]),
            (64, [0, 0, 0, 0], [0] * 4, [40, 8, 8, 8], [16] * 4),              # back to equal shares
        ):
            self.assertEqual(shares.lend(whole, wanted, running, before), after)

    def test_an_increase_waits_for_runs_above_the_new_share(self):
        first = shares.lend(64, [64, 0, 0, 0], [16, 16, 16, 16], [16] * 4)
        self.assertEqual(first, [16, 8, 8, 8])
        self.assertEqual(shares.lend(64, [64, 0, 0, 0], [16, 12, 8, 8], first), [36, 8, 8, 8])

    def test_what_runs_never_exceeds_the_whole(self):
        chance = random.Random(1)
        for _ in range(300):
            count, whole = chance.randint(1, 20), chance.randint(1, 400)
            parts, running = shares.begin(whole, count), [0] * count
            for _ in range(40):
                running = [chance.randint(0, run) if chance.random() < 0.5 else run for run in running]  # some end
                running = [chance.randint(run, part) if run < part else run for run, part in zip(running, parts)]  # some begin
                wanted = [run + chance.choice((0, 0, 1, 50, 1000)) for run in running]
                parts = shares.lend(whole, wanted, running, parts)
                self.assertLessEqual(sum(max(part, run) for part, run in zip(parts, running)), whole)
                self.assertTrue(all(part >= 0 for part in parts))

    def test_a_lone_wish_is_met_within_two_turns(self):
        parts = shares.lend(640, [0] * 9 + [640], [0] * 10, shares.begin(640, 10))
        self.assertEqual(parts[9], 640 - 9 * 32)


class Help(unittest.TestCase):
    def test_a_shard_is_hot_when_its_oldest_fetch_has_waited_too_long(self):
        self.assertEqual(helping.hot([(0, 9), (5, 0.1), (5, 0.26), (1, 3)]), {2: 5, 3: 1})

    def test_who_helps(self):
        for homes, free, hot, expected in (
            ((0, 1, 2), 4, {}, None), ((0, 1, 2), 4, {7: 10}, 7), ((0, 1, 2), 0, {7: 10}, None), ((0, 1, 7), 4, {7: 10, 8: 900}, None),
        ):
            self.assertEqual(helping.guest("worker 1", homes, free, hot), expected)

    def test_helpers_divide_in_proportion(self):
        counts = collections.Counter(helping.guest(f"worker {number}", (), 1, {3: 100, 9: 300}) for number in range(2000))
        self.assertTrue(0.2 < counts[3] / 2000 < 0.3, counts)


class Queues(unittest.TestCase):
    def shard(self, share=100):
        return Shard(0, None, share)

    def add(self, shard, host, limit=2):
        fetch = Fetch(host, 0, KIND, 0, 0.0)
        shard.add(fetch, limit)
        return fetch

    def test_the_oldest_goes_first_and_a_full_host_blocks_nobody(self):
        shard = self.shard()
        fetches = [self.add(shard, host) for host in ("a", "a", "a", "b", "a", "c")]
        self.assertEqual(shard.claim(3), [fetches[0], fetches[1], fetches[3]])
        self.assertEqual(shard.claim(9), [fetches[5]])
        shard.end(fetches[0])
        self.assertEqual(shard.claim(9), [fetches[2]])

    def test_no_more_than_the_share_runs(self):
        shard = self.shard(share=2)
        for host in "abc":
            self.add(shard, host)
        self.assertEqual(len(shard.claim(9)), 2)
        self.assertFalse(shard.has_room())

    def test_a_retried_fetch_returns_to_the_front(self):
        shard = self.shard()
        first, second = self.add(shard, "a", 1), self.add(shard, "a", 1)
        self.assertEqual(shard.claim(1), [first])
        first.runs = 1
        shard.end(first)
        shard.add(first, 1)
        self.assertEqual(shard.claim(1), [first])
        self.assertEqual(shard.waiting, 1)
        self.assertEqual(second.runs, 0)


class Work(unittest.TestCase):
    def test_a_thread_does_one_thing_after_another_and_a_machine_as_many_as_its_cores(self):
        thread, machine = Thread(lambda gap: 0), Cores(2)
        self.assertEqual([thread.run(0, 1) for _ in range(3)], [1, 2, 3])
        self.assertEqual([machine.run(0, 1) for _ in range(3)], [1, 1, 2])

    def test_a_sleep_costs_what_was_measured(self):
        cost = costs.wake([(0.001, 4e-5), (0.003, 8e-5)])
        for gap, expected in ((0.0005, 2e-5), (0.001, 4e-5), (0.002, 6e-5), (1, 8e-5)):
            self.assertAlmostEqual(cost(gap), expected)

    def test_each_cost_says_where_it_was_measured(self):
        self.assertGreater(costs.read().submit, 0)


class Runs(unittest.TestCase):
    def run_once(self, seed=7, before=lambda fleet: None, **options):
        traffic = Traffic(seed, 400, [KIND], own=2, foreign=200, origin=0.02)
        fleet = Fleet(Plan(shards=4, servers=2, workers=8, coordinators=2, **options), costs.read(), traffic, 0.0, 20.0)
        before(fleet)
        asked = fleet.accept
        fleet.accept = lambda fetch: asked(fetch) if fetch.asked < 5 else None
        return fleet, fleet.run()

    def test_a_run_follows_from_its_seed(self):
        first, again, other = self.run_once()[1], self.run_once()[1], self.run_once(seed=8)[1]
        self.assertEqual(first.latencies, again.latencies)
        self.assertNotEqual(first.latencies, other.latencies)

    def test_every_request_ends_once(self):
        def faults(away):
            def strike(fleet):
                fleet.at(1.0, fleet.kill_server, 0, away)
                fleet.at(1.03, fleet.kill_workers, 7)
                fleet.at(2.0, fleet.kill_coordinator, 0)
            return strike

        # A Redis that is away longer than a lease finds late ends of runs that it has given to others.
        for before in (lambda fleet: None, faults(2.0), faults(13.0)):
            fleet, outcome = self.run_once(before=before)
            self.assertEqual(len(outcome.latencies), sum(outcome.demand.values()))
            self.assertEqual((sum(shard.running for shard in fleet.shards), outcome.waiting), (0, 0))

    def test_the_limit_of_the_queue_holds_over_all_shards(self):
        fleet, outcome = self.run_once(most=10)
        self.assertLessEqual(outcome.most, 10)
        self.assertLessEqual(outcome.shares, 10)
        self.assertEqual(outcome.waiting, 0)


if __name__ == "__main__":
    unittest.main()

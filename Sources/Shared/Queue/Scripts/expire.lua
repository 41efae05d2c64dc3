#!lua flags=allow-oom
-- Ends the receipts of a run whose deadline has passed, whoever should have seen to it before: what the run brings comes too late for them.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 fid
-- answer how many there were
local n = expire(ARGV[1])
wake()
return n

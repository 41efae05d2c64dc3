#!lua flags=allow-oom
-- Ends the receipts of a run whose deadline has passed, even if the reaper should have done so before. The result of the run comes too late for them.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 fid
-- answer the number of ended receipts
local n = expire(ARGV[1])
wake()
return n

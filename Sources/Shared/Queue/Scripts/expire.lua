#!lua flags=allow-oom
-- Ends receipts of a run whose deadline has passed, even if the reaper should have done so before. The result of the run comes too late for them. If
-- there are very many, the report of the run is answered "LATE" again, and the next call ends others.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 fid
-- answer the number of ended receipts
local n = expire(ARGV[1], PAGE)
wake()
return n

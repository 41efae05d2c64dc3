#!lua flags=allow-oom
-- Releases a run: the fetch is queued again at its old place, and no attempt is counted. A fetch that no receipt wants any more ends. Fenced and
-- repeatable, as finish.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: fid
-- - 2: token
-- answer
-- - "OK", "DUP" or "STALE"
-- - "LATE" as in finish
local fid, token, key = ARGV[1], ARGV[2], P .. 'f:' .. ARGV[1]
local m = call('HMGET', key, 'state', 'token', 'endedToken', 'withdrawn', 'host', 'source', 'attempts', 'overtaken', 'firstDeadline', 'deadline')
if m[1] ~= 'running' or m[2] ~= token then return m[3] == token and 'DUP' or 'STALE' end
if not m[4] and now >= (tonumber(m[9] or m[10]) or math.huge) then return 'LATE' end
local served = call('EXISTS', P .. 'fr:' .. fid) == 0 -- all receipts have already ended by renditions
if m[4] or served then
  leave_running(fid, m[5])
  end_fetch(fid, m[4] == 'unserved' and 'cancelled' or 'succeeded', m[6], m[8], token)
else give_back(fid, m[5], token, m[7]) end
wake()
return 'OK'

#!lua flags=allow-oom
-- Cancels a group that runs. Its driver learns of it by `over` on its channel, and cancels the requests that were begun.
-- KEYS   1 prefix of `default`, 2 test clock
-- ARGV
-- - 1: group
-- - 2: reason as a JSON string
-- answer
-- - "CANCELLED": now or before
-- - "FINISHED": it had ended in another way
-- - "UNKNOWN"
local gid = ARGV[1]
local g = call('HMGET', P .. 'g:' .. gid, 'state', 'kind', 'total', 'coordinator')
if not g[1] then return 'UNKNOWN' end
if g[1] == 'cancelled' then return 'CANCELLED' end
if g[1] ~= 'running' then return 'FINISHED' end
call('HSET', P .. 'g:' .. gid, 'reason', ARGV[2])
group_close(gid, g[2], 'cancelled', '"finished":' .. call('HLEN', P .. 'gr:' .. gid) .. ',"total":' .. g[3] .. ',"reason":' .. ARGV[2])
-- Not to a coordinator that is gone: it would count as seen, and the receipts that it has left as wanted.
if call('ZSCORE', P .. 'co', g[4]) then channel(g[4], gid, 'over', '', '') end
return 'CANCELLED'

#!lua flags=allow-oom
-- Records that a request of a group is about to be submitted. Fenced.
-- KEYS   1 prefix of `default`, 2 test clock
-- ARGV
-- - 1: group
-- - 2: token
-- - 3: index
-- - 4: "<its queue> <its receipt>"
-- answer
-- - "OK"
-- - "ENDED": the group or the request has ended, do not submit
-- - "STALE": another coordinator drives the group
local gid = ARGV[1]
local g = call('HMGET', P .. 'g:' .. gid, 'tok', 'st')
if g[1] ~= ARGV[2] then return 'STALE' end
if g[2] ~= 'run' or call('HEXISTS', P .. 'gr:' .. gid, ARGV[3]) == 1 then return 'ENDED' end
call('HSET', P .. 'gb:' .. gid, ARGV[3], ARGV[4])
return 'OK'

#!lua flags=allow-oom
-- Records that a request of a group is about to be submitted. Fenced.
-- KEYS   1 prefix of `default`, 2 test clock
-- options
-- - group
-- - token
-- - index
-- - begun: "<its queue> <its receipt>"
-- answer
-- - "OK"
-- - "ENDED": the group or the request has ended, do not submit
-- - "STALE": another coordinator drives the group
local options = read_options()
local gid = options.group
local g = call('HMGET', P .. 'g:' .. gid, 'token', 'state')
if g[1] ~= options.token then return 'STALE' end
if g[2] ~= 'running' or call('HEXISTS', P .. 'gr:' .. gid, options.index) == 1 then return 'ENDED' end
call('HSET', P .. 'gb:' .. gid, options.index, options.begun)
return 'OK'

#!lua flags=allow-oom
-- Records the end of a request of a group, and its effect on the group. Fenced, and repeatable after a lost answer. The request itself is forgotten: it
-- may contain secrets.
-- KEYS   1 prefix of `default`, 2 test clock
-- options
-- - group
-- - token
-- - index
-- - outcome: JSON
-- - failure: JSON of the error; absent: it succeeded
-- - from: place that its result came from; absent: unknown, or it failed
-- answer
-- - {"STALE"}: another coordinator drives the group, nothing changed
-- - {running|succeeded|failed|cancelled, number of its requests}
local options = read_options()
local gid, index, outcome, failure = options.group, options.index, options.outcome, options.failure
local key = P .. 'g:' .. gid
local g = call('HMGET', key, 'token', 'state', 'kind', 'strict', 'total', 'lostDrivers')
if g[1] ~= options.token then return { 'STALE' } end
local st = g[2]
call('HDEL', P .. 'gb:' .. gid, index)
if st == 'running' and call('HSETNX', P .. 'gr:' .. gid, index, outcome) == 1 then
  call('HINCRBY', key, 'requestBytes', 0 - call('HSTRLEN', P .. 'gq:' .. gid, index)) -- a plain minus makes "-0" of 0
  call('HDEL', P .. 'gq:' .. gid, index)
  call('HINCRBY', key, 'outcomeBytes', #outcome)
  if failure then call('HINCRBY', key, 'failures', 1) end
  if options.from then call('HINCRBY', key, 'from:' .. options.from, 1) end
  if g[6] then call('HDEL', key, 'lostDrivers') end
  local done = call('HLEN', P .. 'gr:' .. gid)
  local share = '"finished":' .. done .. ',"total":' .. g[5]
  group_event(gid, g[3], 'progress', share)
  if failure and g[4] == '1' then
    st = 'failed'
    group_fail(gid, g[3], share, index, failure)
  elseif done == tonumber(g[5]) then
    st = 'succeeded'
    group_close(gid, g[3], st, share)
  end
end
if st ~= 'running' and call('EXISTS', P .. 'gb:' .. gid) == 0 then call('ZREM', P .. 'gl', gid) end
return { st, tonumber(g[5]) }

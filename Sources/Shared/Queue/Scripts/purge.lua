#!lua flags=allow-oom
-- Notes purges in the list that is asked before a kept source is used. Only in `default`. The list is bounded: the oldest purges become one of
-- everything that came before them. So a purged source is never used, and others are at worst downloaded again.
-- KEYS   1 prefix, 2 test clock
-- options
-- - most: maximum number of purges in the list
-- - keep: ms that a purge stays in the list
-- items
-- - one per purge: its text (`PurgeTarget`)
-- answer
-- - its time in ms, greater than that of any purge before
local options, first = read_options()
local list = P .. 'pg'
local at = int(math.max(now, (tonumber(call('HGET', CFG, 'purgedAt')) or 0) + 1))
for i = first, #ARGV do call('ZADD', list, at, ARGV[i]) end
local n = math.max(call('ZCOUNT', list, '-inf', int(now - options.keep)), call('ZCARD', list) - options.most + 1)
if n > 1 then
  local gone = call('ZPOPMIN', list, n)
  call('ZADD', list, gone[#gone], 'p ')
end
call('HSET', CFG, 'purgedAt', at)
return at

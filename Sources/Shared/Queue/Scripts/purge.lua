#!lua flags=allow-oom
-- Notes purges in the list that is asked before a kept source is used. Only in `default`. The list is bounded: the oldest purges become one of
-- everything that came before them. So a purged source is never used, and others are at worst downloaded again.
-- KEYS   1 prefix, 2 test clock
-- options
-- - most: maximum number of purges in the list, or of keys
-- - keep: ms that a purge stays in the list
-- items
-- - one per purge: its text (`PurgeTarget`). Or all of them "k " and a key (`PurgedKey`): these have a set of their own, and the oldest just go.
-- answer
-- - its time in ms, greater than that of any purge before
local options, first = read_options()
local is_key = string.sub(ARGV[first] or '', 1, 2) == 'k '
local list = P .. (is_key and 'pk' or 'pg')
local at = int(math.max(now, (tonumber(call('HGET', CFG, 'purgedAt')) or 0) + 1))
for i = first, #ARGV do call('ZADD', list, at, is_key and string.sub(ARGV[i], 3) or ARGV[i]) end
local n = math.max(call('ZCOUNT', list, '-inf', int(now - options.keep)), call('ZCARD', list) - options.most + 1)
if is_key then
  call('ZREMRANGEBYSCORE', list, '-inf', int(now - options.keep))
  call('ZREMRANGEBYRANK', list, 0, -1 - options.most)
elseif n > 1 then
  local gone = call('ZPOPMIN', list, n)
  call('ZADD', list, gone[#gone], 'p ')
end
call('HSET', CFG, 'purgedAt', at)
return at

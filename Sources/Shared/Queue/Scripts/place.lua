#!lua flags=allow-oom
-- Gives a receipt with a supersede key its place among the receipts of that key in all shards of a queue. The newest one supersedes the others.
-- A receipt that asks again keeps its place. The prefix is that of the key, so these are the only keys with it.
-- KEYS   1 prefix, 2 test clock
-- options
-- - receipt
-- - queue: the shard of the receipt
-- - keep: ms for which the places are kept
-- items
-- - receipts that were superseded, and need not be answered again
-- answer
-- - 1 if the receipt is the newest, else 0
-- - shard and receipt of each older one, …
local MOST = 64 -- superseded ones
local options, first = read_options()
local key = P .. 'pl'
for i = first, #ARGV do
  local had = call('HGET', key, ARGV[i])
  if had then call('HSET', key, ARGV[i], string.match(had, '^%d+') .. ' ') end
end
local places = call('HGETALL', key)
local mine, newest, done = nil, 0, {}
for i = 1, #places, 2 do
  local n, shard = string.match(places[i + 1], '^(%d+) (.*)$')
  n = tonumber(n)
  newest = math.max(newest, n)
  if places[i] == options.receipt then mine = n elseif shard == '' then done[#done + 1] = { n, places[i] } end
end
if not mine then
  mine, newest = newest + 1, newest + 1
  call('HSET', key, options.receipt, mine .. ' ' .. options.queue)
  table.sort(done, function(a, b) return a[1] < b[1] end)
  for i = 1, #done - MOST do call('HDEL', key, done[i][2]) end
end
call('PEXPIRE', key, options.keep)
local answer = { mine == newest and 1 or 0 }
for i = 1, #places, 2 do
  local n, shard = string.match(places[i + 1], '^(%d+) (.*)$')
  if tonumber(n) < mine and shard ~= '' then
    answer[#answer + 1] = shard
    answer[#answer + 1] = places[i]
  end
end
return answer

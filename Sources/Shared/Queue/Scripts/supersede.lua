#!lua flags=allow-oom
-- Keeps the places of receipts with one supersede key in all shards of a queue. A receipt takes its place before it is submitted; then it is confirmed,
-- and supersedes all that took theirs before. One that was refused gives its place up. A receipt that asks again keeps its place.
-- One that was superseded is over. Before its submit it is only passed. If its submit is refused then, it gives its place up too.
-- The prefix is that of the supersede key, so these are the only keys with it.
-- KEYS   1 prefix, 2 test clock
-- options
-- - receipt
-- - queue: the shard of the receipt
-- - keep: ms for which the places are kept at least
-- - state: `taken`, `confirmed`, or `refused`
-- items
-- - receipts that were superseded, and need not be answered again
-- answer
-- - 1 if a later receipt is confirmed, which supersedes this one, else 0
-- - shard and receipt of each earlier one, …
local MOST = 64 -- superseded ones
local UNSENT = { taken = true, passed = true }
local OVER = { passed = true, over = true }
local options, first = read_options()
local key, rid = P .. 'pl', options.receipt
for i = first, #ARGV do
  local had = call('HGET', key, ARGV[i])
  if had then
    local n, state = string.match(had, '^(%d+) (%l+)')
    call('HSET', key, ARGV[i], n .. (ARGV[i] ~= rid and UNSENT[state] and ' passed ' or ' over '))
  end
end
local mine, newest, done, all = nil, 0, {}, {}
local places = call('HGETALL', key)
for i = 1, #places, 2 do
  local n, state, shard = string.match(places[i + 1], '^(%d+) (%l+) (.*)$')
  local each = { n = tonumber(n), rid = places[i], state = state, shard = shard }
  newest = math.max(newest, each.n)
  all[#all + 1] = each
  if each.rid == rid then mine = each elseif OVER[state] then done[#done + 1] = each end
end
if options.state == 'refused' then
  -- One that was confirmed before is live, and only its repetition was refused.
  if mine and UNSENT[mine.state] then call('HDEL', key, rid) end
  return { 0 }
end
if not mine then
  mine = { n = newest + 1 }
  table.sort(done, function(a, b) return a.n < b.n end)
  for i = 1, #done - MOST do call('HDEL', key, done[i].rid) end
end
if not OVER[mine.state] and (options.state == 'confirmed' or not mine.state) then
  call('HSET', key, rid, int(mine.n) .. ' ' .. options.state .. ' ' .. options.queue)
end
if call('PTTL', key) - options.keep < 0 then call('PEXPIRE', key, options.keep) end
local answer = { 0 }
for _, each in ipairs(all) do
  if each.n > mine.n and each.state == 'confirmed' then answer[1] = 1
  elseif each.n < mine.n and not OVER[each.state] then
    answer[#answer + 1] = each.shard
    answer[#answer + 1] = each.rid
  end
end
return answer

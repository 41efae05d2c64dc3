#!lua flags=no-writes
-- Reads a group.
-- KEYS   1 prefix of `default`, 2 test clock
-- options
-- - group
-- - part: read beside the state. `outcomes`, a page of the outcomes of its requests, and the one whose failure has ended it. `requests`, a page
--   of the requests themselves, for the coordinator that drives the group. `named`, the outcomes of the items. Absent: nothing.
-- - first: index at which the page begins
-- - most: number of outcomes in a page
-- - mostBytes: after which the read ends
-- items
-- - indices, with `named`
-- answer
-- - nil: unknown
-- - else a list, as follows
-- - kind
-- - running|succeeded|failed|cancelled
-- - "1" if one failure ends it
-- - how many run at once
-- - total
-- - finished
-- - seq
-- - at
-- - reason JSON or ""
-- - index that failed or ""
-- - {index, "<queue> <receipt>", …} begun
-- - {index, JSON, or "" with `requests`, …} ended
-- - {index, request, …} not ended
-- - error JSON of a group that was given up, or ""
-- - how many have failed
-- - bytes of all outcomes
-- - index after the page
-- - its owner, "" for an admin; nil: an earlier version has started it
-- - how many results came from each place, in the order of `ResultOrigin.Place`
local options, first_item = read_options()
local gid, part_, most_bytes = options.group, options.part, tonumber(options.mostBytes)
local g = call('HMGET', P .. 'g:' .. gid, 'kind', 'state', 'strict', 'concurrency', 'total', 'seq', 'at', 'reason', 'failedIndex', 'failure',
  'failures', 'outcomeBytes', 'owner')
if not g[1] then return false end
local key, total, ended, requests, to = P .. 'gr:' .. gid, tonumber(g[5]), {}, {}, 0

-- Reads fields of a hash until `left` bytes were read. Values go to `found`; the names of missing fields go to `lost`, with "".
local function take(hash, some, left, found, lost)
  for i, text in ipairs(call('HMGET', hash, unpack(some))) do
    if left <= 0 then return left end
    to = some[i] + 1
    local list = text and found or lost
    if list then
      list[#list + 1] = some[i]
      list[#list + 1] = text or ''
    end
    if text then left = left - #text end
  end
  return left
end

local function page(hash, first, last, left, found, lost)
  to = first
  while to < last and left > 0 do
    local some = {}
    for index = to, math.min(to + 100, last) - 1 do some[#some + 1] = index end
    left = take(hash, some, left, found, lost)
  end
end

if part_ == 'outcomes' then
  local first = math.min(tonumber(options.first), total)
  page(key, first, math.min(first + options.most, total), most_bytes, ended)
  local text = g[9] and call('HGET', key, g[9])
  if text then
    ended[#ended + 1] = g[9]
    ended[#ended + 1] = text
  end
elseif part_ == 'requests' and g[2] == 'running' then
  -- A request that is missing here has ended.
  page(P .. 'gq:' .. gid, tonumber(options.first), total, most_bytes, requests, ended)
elseif part_ == 'requests' then to = total
elseif part_ == 'named' then
  local left = most_bytes
  for i = first_item, #ARGV do left = take(key, { ARGV[i] }, left, ended) end
end
return {
  g[1], g[2], g[3], tonumber(g[4]), total, call('HLEN', key), tonumber(g[6]), g[7] or '', g[8] or '', g[9] or '',
  call('HGETALL', P .. 'gb:' .. gid), ended, requests, g[10] or '', tonumber(g[11] or 0), tonumber(g[12] or 0), to, g[13],
  call('HMGET', P .. 'g:' .. gid, 'from:remote', 'from:sources', 'from:results', 'from:memory', 'from:fallback'),
}

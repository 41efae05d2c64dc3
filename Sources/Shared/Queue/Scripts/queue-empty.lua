#!lua flags=allow-oom
-- Cancels the receipts of a queue, a page at a time. Receipts that were submitted after the first page stay, so that the call ends even while clients
-- submit more.
-- KEYS   1 prefix, 2 test clock
-- options
-- - page: number of receipts to check
-- - reason: JSON string, for their `cancelled` events
-- - cursor: "0" to begin
-- - began: time of the first page in ms, from its answer; absent: this is the first page
-- answer
-- - {cursor of the next page or "0", number of canceled receipts, time of the first page}
local options = read_options()
local began, n = tonumber(options.began) or now, 0
local page = call('ZSCAN', P .. 'dl', options.cursor, 'COUNT', options.page)
for i = 1, #page[2], 2 do
  local rid = page[2][i]
  local r = call('HMGET', P .. 'r:' .. rid, 'fetch', 'queuedAt')
  if not r[1] then call('ZREM', P .. 'dl', rid) -- the record is missing: only after a change from outside
  elseif tonumber(r[2] or call('HGET', P .. 'f:' .. r[1], 'queuedAt') or 0) <= began then
    local f = call('HMGET', P .. 'f:' .. r[1], 'state', 'phase')
    part(rid, r[1], 'cancelled', '"reason":' .. options.reason .. ',"phase":"' .. phase(f[1], f[2]) .. '"')
    n = n + 1
  end
end
wake()
return { page[1], n, int(began) }

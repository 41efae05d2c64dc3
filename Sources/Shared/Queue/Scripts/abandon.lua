#!lua flags=allow-oom
-- Cancels the receipts of a coordinator that has been silent for long, a page at a time. The coordinator is dead, and its clients are gone. Detached
-- receipts go on, and receipts that another coordinator has taken over. A receipt that was canceled elsewhere and handed to this coordinator ends, if
-- no client has taken it up here.
-- KEYS   1 prefix, 2 test clock
-- options
-- - coordinator
-- - cursor: "0" to begin
-- - page: number of receipts to check
-- - silence: ms without a heartbeat after which the coordinator is dead
-- answer
-- - {cursor of the next page or "0", number of canceled receipts}
local options = read_options()
local co = options.coordinator
local heard = call('ZSCORE', P .. 'co', co)
if heard and now - heard < tonumber(options.silence) then return { '0', 0 } end -- the coordinator is alive after all
local page, n = call('ZSCAN', P .. 'dl', options.cursor, 'COUNT', options.page), 0
for i = 1, #page[2], 2 do
  local rid = page[2][i]
  local r = call('HMGET', P .. 'r:' .. rid, 'fetch', 'state', 'coordinator', 'terms', 'givenUp')
  if r[1] and not r[2] and r[3] == co and (r[5] or not string.find(r[4] or '', '^detached')) then
    local f = call('HMGET', P .. 'f:' .. r[1], 'state', 'phase')
    part(rid, r[1], 'cancelled', '"reason":' .. (r[5] or '"disconnected"') .. ',"phase":"' .. phase(f[1], f[2]) .. '"')
    n = n + 1
  end
end
if page[1] == '0' then
  call('ZREM', P .. 'co', co)
  call('HDEL', P .. 'cseq', co)
  call('HDEL', P .. 'act', co)
end
wake()
return { page[1], n }

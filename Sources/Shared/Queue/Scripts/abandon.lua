#!lua flags=allow-oom
-- Withdraws the receipts of a coordinator that has long been silent, a page at a time: it is gone, and its clients with it. Detached
-- receipts, and those that another coordinator has taken over, live on; but not what was cancelled elsewhere and handed to it, and it did not take up.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 coordinator  2 cursor, "0" to begin  3 how many to look at in one page  4 ms of silence after which it is gone
-- answer {cursor of the next page or "0", receipts withdrawn}
local co = ARGV[1]
local heard = call('ZSCORE', P .. 'co', co)
if heard and now - heard < tonumber(ARGV[4]) then return { '0', 0 } end -- it lives after all
local page, n = call('ZSCAN', P .. 'dl', ARGV[2], 'COUNT', ARGV[3]), 0
for i = 1, #page[2], 2 do
  local rid = page[2][i]
  local r = call('HMGET', P .. 'r:' .. rid, 'f', 'st', 'co', 'how', 'gv')
  if r[1] and not r[2] and r[3] == co and (r[5] or not string.find(r[4] or '', '^%a*d')) then -- linear: its letters, not the JSON behind them
    local f = call('HMGET', P .. 'f:' .. r[1], 'st', 'ph')
    part(rid, r[1], 'can', '"reason":' .. (r[5] or '"disconnected"') .. ',"phase":"' .. phase(f[1], f[2]) .. '"')
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

#!lua flags=allow-oom
-- Throws dead letters away.
-- KEYS   1 prefix, 2 test clock
-- ARGV   ids
-- answer how many there were
local n = 0
for _, fid in ipairs(ARGV) do
  if call('ZREM', P .. 'dead', fid) == 1 then
    call('DEL', P .. 'f:' .. fid, P .. 'n:' .. fid)
    n = n + 1
  end
end
return n

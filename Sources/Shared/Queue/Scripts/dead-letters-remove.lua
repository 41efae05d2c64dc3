#!lua flags=allow-oom
-- Removes dead letters.
-- KEYS   1 prefix, 2 test clock
-- ARGV ids
-- answer the number of removed letters
local n = 0
for _, fid in ipairs(ARGV) do
  if call('ZREM', P .. 'dead', fid) == 1 then
    call('DEL', P .. 'f:' .. fid, P .. 'n:' .. fid)
    n = n + 1
  end
end
return n

#!lua flags=allow-oom
-- Removes sources from the blacklist.
-- KEYS   1 prefix, 2 test clock
-- ARGV source digests; none: all
-- answer the number of removed entries
local n = 0
for _, d in ipairs(#ARGV > 0 and ARGV or call('ZRANGE', P .. 'bl', 0, -1)) do
  if call('EXISTS', P .. 'b:' .. d) == 1 then n = n + 1 end
  blacklist(d)
end
return n

#!lua flags=no-writes
-- Reads the blacklist, entries that stay longest first.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: maximum number
-- - 2: until when the last one before stays, ms, or ""
-- - 3: its digest, or ""
-- answer
-- - {1 if there are more, else 0, until when the last of these stays, or "", its digest, or "", entry, …}. An entry is {source digest, "<since, ms>
--   <until, ms> <pictures|all> <error JSON>"}.
local digests, more, at, id = page_of(P .. 'bl', '(' .. int(now), tonumber(ARGV[1]), ARGV[2], ARGV[3])
local out = { more, at, id }
for _, d in ipairs(digests) do
  local text = call('GET', P .. 'b:' .. d)
  if text then out[#out + 1] = { d, text } end
end
return out

#!lua flags=no-writes
-- The blacklist, those who stay longest first.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 how many at most  2 how many to skip
-- answer {entries in all, {source digest, "<since, ms> <until, ms> <d|n> <error JSON>"}, …}
local out, after = { call('ZCOUNT', P .. 'bl', '(' .. int(now), '+inf') }, '(' .. int(now)
for _, d in ipairs(call('ZRANGE', P .. 'bl', '+inf', after, 'BYSCORE', 'REV', 'LIMIT', ARGV[2], ARGV[1])) do
  local text = call('GET', P .. 'b:' .. d)
  if text then out[#out + 1] = { d, text } end
end
return out

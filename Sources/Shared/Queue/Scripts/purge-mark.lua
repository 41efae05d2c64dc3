#!lua flags=allow-oom
-- Marks runs whose source was purged: they answer their receipts, their results are not kept, and no receipt joins them any more.
-- KEYS   1 prefix, 2 test clock
-- ARGV   fid, token, …
-- answer
-- - how many of them still run, with these tokens
local n = 0
for i = 1, #ARGV, 2 do
  local fid, key = ARGV[i], P .. 'f:' .. ARGV[i]
  local m = call('HMGET', key, 'state', 'token', 'source', 'overtaken')
  if m[1] == 'running' and m[2] == ARGV[i + 1] then
    if not m[4] then call('HDEL', joint(m[3])) end
    call('HSET', key, 'purged', m[2], 'overtaken', 1)
    n = n + 1
  end
end
return n

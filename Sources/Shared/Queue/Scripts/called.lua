#!lua flags=allow-oom
-- What became of a callback: done or given up, and forgotten with its secret; or due again. Fenced by the token.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 receipt  2 token  3 ms until the next try, or "" if there is none
-- answer "OK", or "STALE": leased again meanwhile, or said before
local key = P .. 'cb:' .. ARGV[1]
local m = call('HMGET', key, 'tok', 'to')
if m[1] ~= ARGV[2] then return 'STALE' end
if ARGV[3] == '' then
  appoint(ARGV[1], m[2], '')
  call('DEL', key)
else
  call('HINCRBY', key, 'n', 1)
  call('HINCRBY', key, 'tok', 1) -- said once
  appoint(ARGV[1], m[2], int(now + ARGV[3]))
end
return 'OK'

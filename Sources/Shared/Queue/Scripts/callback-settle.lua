#!lua flags=allow-oom
-- Reports the outcome of a callback. A callback that is done or given up is forgotten with its secret; another one becomes due again. Fenced by the
-- token.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: receipt
-- - 2: token
-- - 3: ms until the next try, or "" if there is none
-- answer
-- - "OK"
-- - "STALE": leased again meanwhile, or reported before
local key = P .. 'cb:' .. ARGV[1]
local m = call('HMGET', key, 'token', 'receiver')
if m[1] ~= ARGV[2] then return 'STALE' end
if ARGV[3] == '' then
  appoint(ARGV[1], m[2], '')
  call('DEL', key)
else
  call('HINCRBY', key, 'failures', 1)
  call('HINCRBY', key, 'token', 1) -- a repetition of this report is stale
  appoint(ARGV[1], m[2], int(now + ARGV[3]))
end
return 'OK'

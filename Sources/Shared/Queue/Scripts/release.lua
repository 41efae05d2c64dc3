#!lua flags=allow-oom
-- A worker that stops gives a fetch back: queued again at its old place, the run uncharged; fenced.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 fid  2 token
-- answer "OK", "DUP" or "STALE"
local fid, token, key = ARGV[1], ARGV[2], P .. 'f:' .. ARGV[1]
local m = call('HMGET', key, 'st', 'tok', 'ftok', 'cx', 'h', 'd', 'att')
if m[1] ~= 'r' or m[2] ~= token then return m[3] == token and 'DUP' or 'STALE' end
vacate(fid, m[5])
if m[4] then bury(fid, 'can', m[6], token)
elseif call('EXISTS', P .. 'fr:' .. fid) == 0 then bury(fid, 'ok', m[6], token)
else
  call('HSET', key, 'ftok', token, 'att', m[7] - 1)
  call('HDEL', key, 'tok', 'ph', 'prog')
  emit(fid, 'queued', '"position":' .. enqueue(fid))
end
wake()
return 'OK'

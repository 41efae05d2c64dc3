#!lua flags=allow-oom
-- Nobody waits any more for a receipt where it belongs: whoever asks for it takes it over.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 receipt  2 coordinator
-- answer "OK", or "OTHER": unknown, ended, or another coordinator's
local key = P .. 'r:' .. ARGV[1]
local r = call('HMGET', key, 'co', 'st')
if r[1] ~= ARGV[2] or r[2] then return 'OTHER' end
call('HSET', key, 'left', 1)
return 'OK'

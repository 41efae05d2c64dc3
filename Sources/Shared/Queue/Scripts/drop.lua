#!lua flags=allow-oom
-- Withdraws a receipt. The last one out withdraws the fetch: out of the queue, or its worker is told to stop.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 receipt  2 reason as a JSON string, for a `cancelled` event  3 error JSON for a `failed` one instead, or ""
-- answer "DROPPED", "FINISHED" (had ended) or "UNKNOWN"
local r = call('HMGET', P .. 'r:' .. ARGV[1], 'f', 'st', 'fp')
if not r[3] then return 'UNKNOWN' end
if r[2] then return 'FINISHED' end
local f = call('HMGET', P .. 'f:' .. r[1], 'st', 'ph', 'att')
if ARGV[3] ~= '' then
  part(ARGV[1], r[1], 'err', '"error":' .. told(ARGV[3], f[1], f[2], f[3]))
else
  part(ARGV[1], r[1], 'can', '"reason":' .. ARGV[2] .. ',"phase":"' .. phase(f[1], f[2]) .. '"')
end
wake()
return 'DROPPED'

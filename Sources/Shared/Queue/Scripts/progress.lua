#!lua flags=allow-oom
-- Publishes events of a running fetch: response, progress, preview, cached … Fenced. The last progress is kept for receipt.get.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: fid
-- - 2: token
-- - 3…: kind, body
-- answer
-- - "OK", or the options of previews if a receipt wants them
-- - "STALE": the run belongs to another worker
-- - "CANCEL": stop
local fid, key = ARGV[1], P .. 'f:' .. ARGV[1]
local m = call('HMGET', key, 'state', 'token', 'withdrawn', 'previews')
if m[1] ~= 'running' or m[2] ~= ARGV[2] then return 'STALE' end
if m[3] then return 'CANCEL' end
for i = 3, #ARGV, 2 do
  local kind, body = ARGV[i], ARGV[i + 1]
  if kind == 'progress' then
    local said = string.match(body, '"phase":"(%a+)"')
    call('HSET', key, 'progress', body, 'phase', said ~= 'upload' and said or 'download')
  end
  if kind == 'preview' then --@rare
    show(fid, body)
  else
    emit(fid, kind, body)
  end
end
return m[4] or 'OK'

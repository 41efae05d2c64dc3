#!lua flags=allow-oom
-- Ends a run; fenced by the token, and repeatable after a lost answer.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 fid  2 token  3 ok|err|can
--        ok:  4 metrics JSON  5… six per rendition: digest, ok|err, info or error JSON, SourceInfo, description, ms to keep
--        err: 4 error JSON  5 "1" retryable  6 ms from Retry-After or 0  7 jitter 0…1
-- answer {"OK"}   {"MORE", digest, "<n> <rendition JSON>", …} joined meanwhile: make them too, then finish again
--        {"DUP"} was finished by this token   {"STALE"} another run's, nothing changed
local fid, token, kind, key = ARGV[1], ARGV[2], ARGV[3], P .. 'f:' .. ARGV[1]
local m = call('HMGET', key, 'st', 'tok', 'ftok', 'cx', 'h', 'd', 'att', 'w', 'ts', 'm', 'deaths', 'rb', 'rm')
if m[1] ~= 'r' or m[2] ~= token then return { m[3] == token and 'DUP' or 'STALE' } end
local h, d, attempt = m[5], m[6], tonumber(m[7])

local function over(st) -- nobody waits for it any more
  vacate(fid, h)
  bury(fid, st, d, token)
end

if m[4] then
  over('can')
elseif kind == 'ok' then
  local waiting_, gone = call('HGETALL', P .. 'fr:' .. fid), {}
  for i = 5, #ARGV, 6 do settle(fid, i, waiting_, { m[7], m[8], m[9] }, ARGV[4], gone) end
  if call('HLEN', P .. 'n:' .. fid) > 1 then
    dismiss(fid, gone)
    local more = { 'MORE' }
    local owed = call('HGETALL', P .. 'n:' .. fid)
    for i = 1, #owed, 2 do
      if owed[i] ~= 'source' then more[#more + 1] = owed[i]; more[#more + 1] = owed[i + 1] end
    end
    return more
  end
  over('ok')
elseif call('EXISTS', P .. 'fr:' .. fid) == 0 then -- all receipts have ended by renditions that came before
  over('ok')
elseif kind == 'can' then -- stopped for a reason of the worker's own: another may have it
  call('HSET', key, 'ftok', token)
  call('HDEL', key, 'tok', 'ph', 'prog')
  call('HSET', key, 'att', attempt - 1)
  vacate(fid, h)
  emit(fid, 'queued', '"position":' .. enqueue(fid))
else
  local again = ARGV[5] == '1' and attempt - (tonumber(m[11]) or 0) < tonumber(m[10])
  vacate(fid, h)
  if again then
    call('HSET', key, 'ftok', token)
    local ms = math.min(tonumber(m[13]), m[12] * 2 ^ (attempt - 1)) * (0.5 + ARGV[7])
    later(fid, math.floor(math.max(ms, math.min(3600000, tonumber(ARGV[6])))), attempt, ARGV[4])
  else
    fail(fid, ARGV[5] == '1' and 'dead' or 'err', d, token, ARGV[4])
  end
end
wake()
return { 'OK' }

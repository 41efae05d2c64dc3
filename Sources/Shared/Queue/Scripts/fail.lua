#!lua flags=allow-oom
-- Ends a run that failed: the fetch waits for its next run, or ends with all its receipts. Fenced and repeatable, as finish.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: fid
-- - 2: token
-- - 3: error JSON
-- - 4: "1" retryable
-- - 5: ms from Retry-After, or 0
-- - 6: jitter 0…1
-- - 7: the blacklist entry if this failure ends the fetch, or ""
-- - 8: ms that the entry stays
-- - 9: the host that sent Retry-After, or ""
-- answer
-- - "OK", "DUP" or "STALE"
-- - "LATE" as in finish
local fid, token, key = ARGV[1], ARGV[2], P .. 'f:' .. ARGV[1]
local m = call('HMGET', key, 'st', 'tok', 'ftok', 'cx', 'h', 'd', 'att', 'm', 'deaths', 'rb', 'rm', 'sh', 'nb', 'df', 'dl', 'sb', 'sm')
if m[1] ~= 'r' or m[2] ~= token then return m[3] == token and 'DUP' or 'STALE' end
if not m[4] and now >= tonumber(m[14] or m[15] or 'inf') then return 'LATE' end
local attempt = tonumber(m[7])
local failure = charged(ARGV[3], tried(attempt, blame(key, ARGV[3])))
vacate(fid, m[5])
if ARGV[9] ~= '' then --@rare
  suspend(ARGV[9], tonumber(ARGV[5]))
end
if m[4] then bury(fid, 'can', m[6], m[12], token)
elseif call('EXISTS', P .. 'fr:' .. fid) == 0 then bury(fid, 'ok', m[6], m[12], token) -- all receipts have already ended by renditions
elseif ARGV[4] == '1' and attempt - (tonumber(m[9]) or 0) < tonumber(m[8] or USUAL_M) then -- a lost worker is not the fault of the origin
  local ms, first = math.min(tonumber(m[11] or USUAL_RM), (m[10] or USUAL_RB) * 2 ^ (attempt - 1)), tonumber(m[14] or m[15]) - now
  -- The longest pause of all receipts counts. It is cut to half of the time until the first deadline, but not below the shortest pause of any receipt.
  if m[16] and first > 0 then ms = math.max(math.min(ms, first / 2), math.min(tonumber(m[17]), m[16] * 2 ^ (attempt - 1))) end
  ms = ms * (0.5 + ARGV[6])
  call('HSET', key, 'ftok', token, 'ra', int(now + ARGV[5]))
  -- The next run does not start before the host allows it. A second after the last deadline no receipt is left to wait, unless one joins.
  later(fid, math.floor(math.max(ms, math.min(tonumber(ARGV[5]), m[15] - now + 1000))), attempt, failure)
else
  if ARGV[7] ~= '' and not m[13] then blacklist(m[6], tonumber(ARGV[8]), ARGV[7]) end
  fail(fid, ARGV[4] == '1' and 'dead' or 'err', m[6], m[12], token, failure)
end
wake()
return 'OK'

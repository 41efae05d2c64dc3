#!lua flags=allow-oom
-- Ends a run that failed: the fetch waits for its next run, or ends with all its receipts. Fenced and repeatable, as finish.
-- KEYS   1 prefix, 2 test clock
-- options
-- - fetch
-- - token
-- - failure: JSON of the error
-- - retryable: "1" if another run may help
-- - retryAfter: ms that the origin asked for; absent: 0
-- - jitter: 0…1
-- - listing: the blacklist entry if this failure ends the fetch; absent: none
-- - listingTime: ms that the entry stays
-- - host: the host that sent Retry-After; absent: none
-- answer
-- - {"OK" or, if the fetch waits for its next run, "AGAIN"[, the traces of its requests, as `claim` has them]}
-- - {"PART"}: some of the receipts have failed. The same call goes on with the others.
-- - "DUP" or "STALE"
-- - "LATE" as in finish
local options = read_options()
local fid, token, failed, pause = options.fetch, options.token, options.failure, tonumber(options.retryAfter) or 0
local key = P .. 'f:' .. fid
local m = call('HMGET', key, 'state', 'token', 'endedToken', 'withdrawn', 'host', 'source', 'attempts', 'maxAttempts', 'deaths', 'retryBase',
  'retryCeiling', 'overtaken', 'unlisted', 'firstDeadline', 'deadline', 'leastRetryBase', 'leastRetryCeiling', 'traces')
if m[1] ~= 'running' or m[2] ~= token then return m[3] == token and 'DUP' or 'STALE' end
if not m[4] and now >= (tonumber(m[14] or m[15]) or math.huge) then return 'LATE' end
local attempt, answer = tonumber(m[7]), 'OK'
local causes = blame(key, failed)
local failure = charged(failed, tried(attempt, causes))
local again = options.retryable and attempt - (tonumber(m[9]) or 0) < tonumber(m[8] or USUAL_ATTEMPTS) -- a lost worker is not the fault of the origin
if not m[4] and not again and fail_some(fid, failure, PAGE) then return { 'PART' } end
leave_running(fid, m[5])
if options.host then --@rare
  suspend(options.host, pause)
end
if m[4] then end_fetch(fid, 'cancelled', m[6], m[12], token)
elseif call('EXISTS', P .. 'fr:' .. fid) == 0 then end_fetch(fid, 'succeeded', m[6], m[12], token) -- all receipts have already ended by renditions
elseif again then
  local ms, first = math.min(tonumber(m[11] or USUAL_CEILING), (m[10] or USUAL_BASE) * 2 ^ (attempt - 1)), (tonumber(m[14] or m[15]) or math.huge) - now
  -- The longest pause of all receipts counts. It is cut to half of the time until the first deadline, but not below the shortest pause of any receipt.
  if m[16] and first > 0 then ms = math.max(math.min(ms, first / 2), math.min(tonumber(m[17]), m[16] * 2 ^ (attempt - 1))) end
  ms = ms * (0.5 + options.jitter)
  call('HSET', key, 'endedToken', token, 'notBefore', int(now + pause))
  -- The next run does not start before the host allows it. A second after the last deadline no receipt is left to wait, unless one joins.
  answer = 'AGAIN'
  later(fid, math.floor(math.max(ms, math.min(pause, m[15] - now + 1000))), attempt, failure, causes)
else
  if options.listing and not m[13] then blacklist(m[6], tonumber(options.listingTime), options.listing) end
  fail(fid, options.retryable and 'dead' or 'failed', m[6], m[12], token, failure)
end
wake()
return { answer, m[18] or nil }

-- Fetches: how they leave a worker, wait, and end.
-- - RECORD, LETTER: ms that a record and a dead letter are kept
-- - LETTERS: maximum number of dead letters
-- - LONGEST: maximum bytes of one dead letter; all together have at most a thousand times as many
local RECORD, LETTER, LETTERS, LONGEST = '600000', 604800000, 1000, 65536

-- Frees the permit of a run. Only a host that was full is ranked again.
local function leave_running(fid, h)
  call('ZREM', P .. 'run', fid)
  call('SREM', P .. 'hr:' .. h, fid)
  if cfg.who == '*' then --@rare
    call('SREM', P .. 'cr:' .. whose(fid), fid)
  end
  if call('EXISTS', P .. 'hq:' .. h, P .. 'ho:' .. h) > 0 then --@rare
    if call('SCARD', P .. 'hr:' .. h) + 1 >= limit(h) then sync(h) end
  end
end

-- Answers the place where new receipts find the live fetch of a source: a key, and its field. Many fields in one hash cost less than a key each.
local function joint(d) return P .. 's:' .. string.sub(d, 1, 4), string.sub(d, 5) end

-- Deletes keys of a fetch and its field in s:. `overtaken` of the record says that the field belongs to another fetch by now, and then it stays.
local function erase(d, sh, ...)
  call('DEL', ...)
  if not sh then call('HDEL', joint(d)) end
end

-- Answers the digest of a source without the word that keeps its fetches apart (`CacheUse.distinction`).
local function plain(d) return (string.match(d, '^[^@]*')) end

-- Answers the fetch JSON of a dead letter that cannot be kept whole, or nil if it can. Credentials must not outlive the fetch; `known`, from its
-- record, says so. Long letters would fill the memory. `needs` is HGETALL of n:.
local function bare(needs, known)
  local bytes = 0
  for i = 1, #needs do bytes = bytes + #needs[i] end
  if known or bytes <= LONGEST then return known end
  return '{"bare":true,"url":""}'
end

-- Ends a fetch whose receipts have ended. The remaining record answers repeated and late calls. A dead letter stays whole, except for credentials.
local function end_fetch(fid, st, d, sh, token, failure)
  local key = P .. 'f:' .. fid
  if st ~= 'dead' then
    erase(d, sh, key, P .. 'n:' .. fid, P .. 'fr:' .. fid)
    call('HSET', key, 'state', st, 'endedToken', token or '', 'endedAt', now)
    call('PEXPIRE', key, RECORD)
  else --@rare
    call('HSET', key, 'state', st, 'endedToken', token or '', 'endedAt', now, 'failure', failure)
    call('HDEL', key, 'token', 'worker', 'phase', 'progress', 'progressInterval', 'previews', 'failing')
    erase(d, sh, P .. 'fr:' .. fid)
    call('PEXPIRE', key, LETTER)
    local left = bare(call('HGETALL', P .. 'n:' .. fid), call('HGET', key, 'bare') or nil)
    call('HDEL', key, 'bare')
    if left then
      call('DEL', P .. 'n:' .. fid)
      call('HSET', P .. 'n:' .. fid, 'source', left)
    end
    call('PEXPIRE', P .. 'n:' .. fid, LETTER)
    call('ZADD', P .. 'dead', now, fid)
    call('HINCRBY', CFG, 'deadLetters', 1)
    for _, old in ipairs(call('ZRANGE', P .. 'dead', 0, -1 - LETTERS)) do
      call('ZREM', P .. 'dead', old)
      call('DEL', P .. 'f:' .. old, P .. 'n:' .. old)
    end
  end
end

-- Fails every receipt of a fetch, then the fetch. `fail_some` goes before.
local function fail(fid, st, d, sh, token, failure)
  local fr = call('HGETALL', P .. 'fr:' .. fid)
  for i = 1, #fr, 2 do close(fr[i], (parse(fr[i + 1])), fid, 'failed', '"error":' .. failure) end
  end_fetch(fid, st, d, sh, token, failure)
end

-- Withdraws a fetch that no receipt wants any more: it leaves the queue, or its worker has to stop. A new request makes a new fetch at once.
local function withdraw(fid)
  local key = P .. 'f:' .. fid
  local m = call('HMGET', key, 'state', 'host', 'source', 'order', 'token', 'overtaken', 'served')
  if not m[1] then -- the record is missing: only after a change from outside
    call('DEL', P .. 'n:' .. fid, P .. 'fr:' .. fid)
    return
  end
  if m[1] == 'running' then
    erase(m[3], m[6], P .. 'n:' .. fid, P .. 'fr:' .. fid)
    call('HSET', key, 'withdrawn', m[7] and 'served' or 'unserved', 'overtaken', 1) -- a fetch that has served a receipt was wanted, and so was its source
    call('SPUBLISH', P .. 'ctl', 'cancel|' .. fid .. '|' .. m[5])
    return
  end
  if m[1] == 'queued' then unplace(fid, m[2], m[4]) else call('ZREM', P .. 'delay', fid) end
  end_fetch(fid, 'cancelled', m[3], m[6])
end

-- Hides a run that has served only one receipt, whose client received nothing. Its results leave the index, and its source counts as that of a
-- withdrawn fetch.
local function retract(fid, rid)
  local key = P .. 'f:' .. fid
  if fid == '' or call('HGET', key, 'onlyReceipt') ~= rid then return end
  call('HSET', key, 'state', 'cancelled')
  for digest in string.gmatch(call('HGET', P .. 'r:' .. rid, 'digests') or '', '%S+') do call('DEL', P .. 'x:' .. digest) end
  return key
end

local function phase(st, ph) return st == 'running' and (ph or 'download') or 'queue' end

-- Corrects an error that Swift wrote for phase "queue" and 0 attempts.
local function corrected(failure, st, ph, attempts, causes)
  if st == 'queued' and tonumber(attempts or 0) == 0 then -- of `LATE`: more time might not have helped
    failure = string.gsub(failure, 'ask again with a longer deadline', 'no worker has begun it: tintype workers and tintype queues show why')
  end
  failure = string.gsub(failure, '"phase":"queue"', '"phase":"' .. phase(st, ph) .. '"', 1)
  return charged(failure, tried(attempts or 0, causes))
end

local LATE = SWIFT.deadlineExceeded

-- Answers the body of the terminal event of a receipt whose deadline has passed.
local function lateness(fid)
  local f = call('HMGET', P .. 'f:' .. fid, 'state', 'phase', 'attempts', 'causes')
  return '"error":' .. corrected(LATE, f[1], f[2], f[3], f[4])
end

local function is_late(rid) -- answers whether the deadline of a live receipt has passed
  local due = call('ZSCORE', P .. 'dl', rid)
  return due and due - now <= 0
end

-- Where a fetch stands among the delayed ones whose receipts are all paused: beyond all times, in ms.
local PARKED = SWIFT.parked

-- Puts a fetch back into its waiting lists; answers its rank, or nil for a paused fetch, which waits in `delay`.
local function enqueue(fid)
  local key = P .. 'f:' .. fid
  local m = call('HMGET', key, 'host', 'priority', 'order', 'hosts', 'paused')
  if not m[1] then return 0 end -- the record is missing: only after a change from outside
  if m[5] then
    call('HSET', key, 'state', 'delayed')
    call('ZADD', P .. 'delay', PARKED, fid)
    return
  end
  local h = m[4] and freest(m[4]) or m[1]
  call('HSET', key, 'state', 'queued', 'host', h)
  return (place(fid, h, tonumber(m[2]), m[3]))
end

-- All receipts of a fetch are paused: it leaves the queue, or its worker is asked to yield. A run that downloads no more goes to its end.
local function park(fid)
  local key = P .. 'f:' .. fid
  local m = call('HMGET', key, 'state', 'host', 'order', 'token', 'yields', 'paused')
  if m[6] or not m[1] then return end
  call('HSET', key, 'paused', 1)
  if m[1] == 'running' then
    call('HSET', key, 'yields', int((string.match(m[5] or '', '^%d+') or 0) + 1) .. ' ' .. m[4])
    call('SPUBLISH', P .. 'ctl', 'yield|' .. fid .. '|' .. m[4])
    return
  end
  if m[1] == 'queued' then unplace(fid, m[2], m[3]) end
  enqueue(fid)
end

-- Resumes a paused fetch: it is queued at its old place, but not before its origin allows it.
local function unpark(fid)
  local key = P .. 'f:' .. fid
  local m = call('HMGET', key, 'paused', 'state', 'notBefore')
  if not m[1] then return end
  call('HDEL', key, 'paused')
  if m[2] ~= 'delayed' then return end -- it has not been given back
  if (tonumber(m[3]) or 0) > now then
    call('ZADD', P .. 'delay', m[3], fid)
    call('ZADD', P .. 'mark', '0', '0')
    return
  end
  call('ZREM', P .. 'delay', fid)
  enqueue(fid)
end

-- Changes the number of paused receipts of a fetch, and pauses the fetch if all are. Call it when a receipt is paused, resumed, added or ended.
local function recount(fid, more)
  local n = call('HINCRBY', P .. 'f:' .. fid, 'pausedReceipts', more)
  if n <= 0 then call('HDEL', P .. 'f:' .. fid, 'pausedReceipts') end
  if n > 0 and n == call('HLEN', P .. 'fr:' .. fid) then park(fid) else unpark(fid) end
end

-- Removes ended receipts from a fetch that goes on. Each is {receipt, priority, whether it was paused}.
local function dismiss(fid, gone)
  local paused = 0
  for _, g in ipairs(gone) do
    call('HDEL', P .. 'fr:' .. fid, g[1])
    count(fid, g[2], -1)
    if g[3] then paused = paused + 1 end
  end
  if gone[1] and call('HEXISTS', P .. 'f:' .. fid, 'pausedReceipts') == 1 then --@rare
    recount(fid, 0 - paused)
  end
end

-- Lets no other receipt join a fetch: some of its receipts have ended, and later calls end the others.
local function seal(fid)
  if call('HSETNX', P .. 'f:' .. fid, 'overtaken', 1) == 1 then call('HDEL', joint(call('HGET', P .. 'f:' .. fid, 'source'))) end
end

-- Fails the first receipts of a fetch that has more than `most`, and answers true then. The fetch stays with its run until a later call has failed the
-- others. It keeps the renditions of all: it may become a dead letter.
local function fail_some(fid, failure, most)
  local fr = call('HLEN', P .. 'fr:' .. fid) > most and call('HGETALL', P .. 'fr:' .. fid)
  if not fr then return false end
  local gone = {}
  for i = 1, 2 * most, 2 do
    local rid, co, p = fr[i], parse(fr[i + 1])
    local r = call('HMGET', P .. 'r:' .. rid, 'digests', 'wanted', 'paused')
    close(rid, co, fid, 'failed', '"error":' .. failure)
    unwant(fid, r[2] or r[1] or '', true)
    gone[#gone + 1] = { rid, p, r[3] }
  end
  call('HSET', P .. 'f:' .. fid, 'failing', 1)
  seal(fid)
  dismiss(fid, gone)
  return true
end

-- Ends a live receipt and takes it out of its fetch. The last receipt withdraws the fetch. A receipt that is canceled after its deadline ends as
-- failed, since its coordinator may have reported that already. Answers whether the receipt ended as requested.
local function part(rid, fid, st, body)
  if st == 'cancelled' and is_late(rid) then
    part(rid, fid, 'failed', lateness(fid))
    return false
  end
  local who = call('HGET', P .. 'fr:' .. fid, rid)
  local r = call('HMGET', P .. 'r:' .. rid, 'digests', 'wanted', 'coordinator', 'paused')
  if not who then -- the fetch is missing: only after a change from outside
    close(rid, r[3] or '', fid, st, body)
    return true
  end
  local co, p = parse(who)
  call('HDEL', P .. 'fr:' .. fid, rid)
  close(rid, co, fid, st, body)
  if call('EXISTS', P .. 'fr:' .. fid) == 0 then withdraw(fid)
  else
    unwant(fid, r[2] or r[1])
    count(fid, p, -1)
    if call('HEXISTS', P .. 'f:' .. fid, 'pausedReceipts') == 1 then --@rare
      recount(fid, r[4] and -1 or 0)
    end
  end
  return true
end

-- Ends receipts of a run whose deadline has passed, `most` at most, and records the first deadline of the others. Answers the number of ended
-- receipts, and whether others are late: the recorded deadline is still past then.
local function expire(fid, most)
  local f = call('HMGET', P .. 'f:' .. fid, 'deadline', 'firstDeadline')
  if now < (tonumber(f[2] or f[1]) or math.huge) then return 0 end
  local first, n, body = nil, 0, lateness(fid)
  for _, rid in ipairs(call('HKEYS', P .. 'fr:' .. fid)) do
    local due = call('ZSCORE', P .. 'dl', rid)
    if due and due - now <= 0 then
      if n == most then return n, true end
      part(rid, fid, 'failed', body)
      n = n + 1
    elseif due and (not first or due - first < 0) then first = due end
  end
  if call('HGET', P .. 'f:' .. fid, 'state') == 'running' then call('HSET', P .. 'f:' .. fid, 'firstDeadline', first or 'none') end
  return n
end

-- Answers the longer of each of the three timeouts of a download: connect, idle and total in ms. "" stands for the defaults.
local function longest(a, b)
  local each, out = string.gmatch(a ~= '' and a or SWIFT.timeouts, '%d+'), {}
  for ms in string.gmatch(b ~= '' and b or SWIFT.timeouts, '%d+') do out[#out + 1] = int(math.max(tonumber(each()), tonumber(ms))) end
  return table.concat(out, ' ')
end

-- Ends the older receipt of a supersede key; answers that receipt, if there was one.
local function supersede(slot)
  local rid = call('GET', P .. 'sl:' .. slot)
  local fid = rid and call('HGET', P .. 'r:' .. rid, 'fetch')
  if fid then --@rare
    local f = call('HMGET', P .. 'f:' .. fid, 'state', 'phase')
    part(rid, fid, 'cancelled', '"reason":"superseded","phase":"' .. phase(f[1], f[2]) .. '"')
    return rid
  end
end

-- Delays a fetch until its next run, and sends the event. The marker wakes a worker, which learns at its claim until when to sleep. Without the marker
-- the run would start only with the reaper's next round. Answers the number of receipts.
local function later(fid, ms, attempt, failure, causes)
  call('HSET', P .. 'f:' .. fid, 'state', 'delayed', 'causes', causes)
  call('HDEL', P .. 'f:' .. fid, 'token', 'phase', 'progress')
  call('ZADD', P .. 'delay', call('HEXISTS', P .. 'f:' .. fid, 'paused') == 1 and PARKED or now + ms, fid)
  call('ZADD', P .. 'mark', '0', '0')
  return emit(fid, 'retrying', '"attempt":' .. attempt .. ',"delay":' .. string.format('%.3f', ms / 1000) .. ',"error":' .. failure)
end

-- Releases a run without counting an attempt: the fetch is queued again at its old place.
local function give_back(fid, h, token, attempt)
  local key = P .. 'f:' .. fid
  call('HSET', key, 'endedToken', token, 'attempts', attempt - 1)
  call('HDEL', key, 'token', 'phase', 'progress')
  leave_running(fid, h)
  local rank = enqueue(fid)
  if rank then emit(fid, 'queued', '"position":' .. position(rank)) end
end

local function promote(n) -- queues delayed fetches that are due
  for _, fid in ipairs(call('ZRANGE', P .. 'delay', '-inf', now, 'BYSCORE', 'LIMIT', 0, n)) do
    call('ZREM', P .. 'delay', fid)
    enqueue(fid)
  end
end

-- Answers the causes of all failed runs, as the members of a JSON array. That of this run is name and status of its error, not those of the mirrors
-- behind them.
local function blame(key, failure)
  local own = string.match(failure, '^(.-),"mirrors":%[') or failure --@linear one start, and text behind it
  local name, status = string.match(own, '"name":"(%w+)"'), string.match(own, '"status":(%d+)')
  local before = call('HGET', key, 'causes')
  return (before and before .. ',' or '') .. '{"name":"' .. (name or 'internal') .. '"' .. (status and ',"status":' .. status or '') .. '}'
end

-- Answers state and position of a live fetch, as answers of scripts name them.
local function standing(fid)
  local m = call('HMGET', P .. 'f:' .. fid, 'state', 'order')
  if m[1] == 'queued' then
    local score = tonumber(call('ZSCORE', P .. (m[2] and 'ao' or 'aq'), fid))
    return 'queued', score and position(m[2] and score or rank_of(score)) or 0
  end
  return m[1] == 'delayed' and 'delayed' or 'running', -1
end

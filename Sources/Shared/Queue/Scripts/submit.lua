-- Accepts a receipt: a repetition, a result from the index, a join, or a new fetch. Refused when Redis is full.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: receipt
-- - 2: coordinator
-- - 3: fingerprint
-- - 4: source digest
-- - 5: host and the hosts of its mirrors, space between
-- - 6: fetch JSON
-- - 7: priority
-- - 8: order f|l|""
-- - 9: deadline, ms from now
-- - 10: attempts
-- - 11, 12: retry base and ceiling, ms
-- - 13: meta fragment ,"tag":… or ""
-- - 14: least ms between two reports of progress, then a space and the options of previews, if it wants any; "0" wants no progress
-- - 15: four parts, one after the other. First "1" reads the result index, "?" asks first whether the bytes are there, "0" does not read it. Then "c"
--   if the indexed result is sent as `cached` while all is made anew. Then the version of results that count, "" for none. Then : and the maximum age
--   of their source in ms, or nothing: as long as its origin says.
-- - 16: "0" may join any older fetch. "1" reads no cached source, "2" asks the origin. These join only a fetch of the same kind that has not begun.
--   Then "-" if it keeps no source.
-- - 17: ms to keep the ended receipt
-- - 18: ms to keep results; 1 for their bytes alone, 2 for as long as their source is fresh
-- - 19: terms of its end, or ""
-- - 20: receiver of the callback, "<host and port> <{"url", "secret"} JSON>", or ""
-- - 21: three parts for the blacklist. First "2" any entry refuses, "1" only entries that also spoil bytes, "0" neither asked nor added to. Or "r": not
--   asked, and a success removes the source. Then "?" if a refusal is answered as "listed" first, since a cache may have the source. Then the statuses
--   it accepts, "<low>-<high> …", or nothing for the defaults.
-- - 22: supersede key or "". Lines that end in "slot" are left out of the script for requests without a key.
-- - 23: timeouts of the download, as `longest` reads them, or "" for the defaults
-- - 24: "1" if its client has chosen its id, so that no other queue may have it (see `reserve`), or ""; only in `default`
-- - 25: JSON that a dead letter of its fetch may keep in place of the whole, if that contains credentials, or ""
-- - 26: client: an opaque word without spaces
-- - 27: lease, ms
-- - 28…: per rendition: digest, name as a JSON string, rendition JSON
-- answer
-- - {"new"|"joined"|"again", queued|delayed|running, position or -1, with "again": seq of its last event}
-- - {"finished", ok|err|can, seq, at, body, receipt it superseded, body of the `cached` event before it}
-- - {"late"}: the receipt is live and its deadline has passed. End it, then submit again.
-- - {"mismatch"}: the id is known with another request, or belongs to another queue
-- - {"full", ms}
-- - {"unknown"}: no such queue
-- - {"listed", error JSON}: the blacklist refuses it, and nothing was written. Submit without "?", or for the caches alone.
-- - {"indexed", digest, SHA-256 of its bytes or "", …}: the index has these, and nothing was written. Once the bytes are known to be there, submit with
--   "1".
-- `ResultTimes.none`, word for word.
local NO_TIMES = '{"queued":0,"dns":0,"connect":0,"tls":0,"firstByte":0,"download":0,"decode":0,"transform":0,"encode":0,"store":0,"total":0}'
local rid, co, fp, d, host = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local p, o, deadline = math.max(-256, math.min(255, tonumber(ARGV[7]))), ARGV[8], now + ARGV[9]
local watched, shots = string.match(ARGV[14], '^([1-9]%d*) ?(.*)$') --@linear a number and what previews ask, of the coordinator's own
local meta, keep, how = ARGV[13], ARGV[17], ARGV[19]
local black, asks, takes = string.match(ARGV[21], '^(.)(%??)(.*)$')
local kind, poor = string.match(ARGV[16], '^(.)(-?)$')
local read, shows, version, within = string.match(ARGV[15], '^(.)(c?)(%d*):?(%d*)$') --@linear numbers of the coordinator's own
within = tonumber(within)
local key = P .. 'r:' .. rid

local old = call('HMGET', key, 'fp', 'st', 'seq', 'at', 'end', 'f', 'co', 'left', 'gv')
if old[1] then --@rare
  if old[1] ~= fp then return { 'mismatch' } end
  if old[2] then return { 'finished', old[2], tonumber(old[3]), old[4], old[5] } end
  local due = call('ZSCORE', P .. 'dl', rid)
  if due and due - now <= 0 then return { 'late' } end
  if old[7] ~= co or old[8] or old[9] then adopt(rid, old[6], co) end
  if old[7] ~= co then -- the old coordinator waits for events that go elsewhere now
    call('ZADD', P .. 'co', now, co)
    -- It follows the receipt until it says otherwise. A silent coordinator has no clients left, or reports them when it is back. A forgotten
    -- coordinator would seem alive if a message were sent to it.
    if not old[8] and not silent(old[7], ARGV[27]) then follow(rid, old[7], true) end
    if call('ZSCORE', P .. 'co', old[7]) then channel(old[7], old[6], 'moved', rid, '') end
  end
  if watched then
    local fr = P .. 'fr:' .. old[6]
    local who = call('HGET', fr, rid)
    local wish, paused = shots ~= '' and 'V' or 'P', call('HEXISTS', key, 'pz') == 1
    if paused then call('HSET', key, 'pz', wish) elseif who then call('HSET', fr, rid, wish .. string.sub(who, 2)) end
    attend(old[6], watched)
    if shots ~= '' then call('HSETNX', P .. 'f:' .. old[6], 'pv', shots) end
  end
  local state, place_ = standing(old[6])
  return { 'again', state, place_, tonumber(old[3]) }
end
if not cfg.made then return { 'unknown' } end
if ARGV[24] == '1' and call('EXISTS', P .. 'id:' .. rid) == 1 then return { 'mismatch' } end

local function at_once(st, body, cached) --@rare the receipt ends before it has begun
  call('HSET', key, 'f', '', 'co', co, 'fp', fp, 'seq', cached and 1 or 0, 'meta', meta, 'keep', keep, 'how', how)
  if ARGV[20] ~= '' then call('HSET', key, 'cb', ARGV[20]) end
  local gone
  gone = supersede(ARGV[22]) --@slot
  if cached then public(rid, 1, 'cached', meta, cached) end
  close(rid, co, '', st, body)
  return { 'finished', st, cached and 2 or 1, AT, body, gone or false, cached }
end

-- Answers whether a RenditionInfo is new enough. One without a time has just been made.
local function is_current(brought)
  if within then return (tonumber(string.match(brought, '"storedAt":([%d.]+)')) or now) * 1000 + within > now end
  local ends = tonumber(string.match(brought, '"expiresAt":([%d.]+)'))
  return not ends or ends * 1000 > now
end

-- Finds the renditions that the index has, and those that are missing.
local digs, names, lack, json, info, named, facts, described = {}, {}, {}, {}, {}, {}, nil, '' -- `lack` has each digest once
for i = 28, #ARGV, 3 do
  local digest = ARGV[i]
  digs[#digs + 1], names[#names + 1] = digest, ARGV[i + 1]
  if ARGV[i + 1] ~= '""' then named[digest] = true end
  if not json[digest] then
    json[digest] = ARGV[i + 2]
    local x = read ~= '0' and call('GET', P .. 'x:' .. digest)
    local brought, source, description = string.match(x or '', '^(.-)\n(.-)\n(.*)$') --@linear the first two line breaks end it
    if brought and (string.match(brought, '"version":(%d+)') or '') == version and is_current(brought) then
      info[digest], facts = brought, source
      if description ~= '' then described = description end
    else lack[#lack + 1] = digest end
  end
end
if read == '?' and facts then
  local have = { 'indexed' }
  for digest in pairs(info) do
    if named[digest] then
      have[#have + 1] = digest
      have[#have + 1] = string.match(info[digest], '"sha256":"(%x+)"') or ''
    end
  end
  if have[2] then return have end -- a description has no bytes
end
local asked = #digs
local all = #lack == asked
digs, names = table.concat(digs, ' '), table.concat(names, '\n')
local shown
if #lack == 0 then --@rare
  shown = result(rid, '"from":"results","notModified":false', digs, names, info, facts, described, 0, 'null', NO_TIMES)
  if shows == '' then return at_once('ok', shown) end
  info, described, shots = {}, '', '' -- the previews of a picture that is already shown would only blur it
  for digest in pairs(json) do lack[#lack + 1] = digest end
  all = #lack == asked
end

-- Finds a live fetch to join. A reload or revalidation joins only a fetch of the same kind that has not begun. A request that keeps its source joins no
-- run that began without keeping it.
local sources, rest = joint(d)
local fid, refusal, f, outdated = call('HGET', sources, rest), call('GET', P .. 'b:' .. plain(d)), nil, nil
if fid then
  f = call('HMGET', P .. 'f:' .. fid, 'st', 'nf', 'm', 'dl', 'ttl', 'nb', 'rb', 'rm', 'to', 'ns', 'df', 'att', 'ra', 'sb', 'sm', 'pn')
  if not f[1] then fid, f = nil, nil
  elseif kind ~= '0' and (f[1] == 'r' or f[2] ~= kind) then fid, f, outdated = nil, nil, fid
  elseif f[10] and f[1] == 'r' and poor == '' then fid, f, outdated = nil, nil, fid
  -- One script sends the end to every receipt of a fetch. One more run of the source costs less than a Redis that stands still.
  elseif call('HLEN', P .. 'fr:' .. fid) >= 4096 then fid, f, outdated = nil, nil, fid end
end
local joined, queued = fid and true, 0
if not joined and refusal and (black == '1' or black == '2') then
  local since, till, spoils, failure = string.match(refusal, '^(%d+) (%d+) (%a) (.*)$')
  -- The request may accept the status that the origin has answered.
  local status = takes ~= '' and string.find(failure, '"cause":"httpStatus"', 1, true) and tonumber(string.match(failure, '"status":(%d+)'))
  for low, high in string.gmatch(status and takes or '', '(%d+)-(%d+)') do --@linear statuses of the coordinator's own
    if status >= tonumber(low) and status <= tonumber(high) then till = 0 end
  end
  if tonumber(till) > now and (spoils == 'n' or black == '2') then
    failure = string.gsub(failure, '"since":0', string.format('"since":%.3f', since / 1000), 1)
    failure = string.gsub(failure, '"until":0', string.format('"until":%.3f', till / 1000), 1)
    -- Cached bytes that are no picture are no picture either.
    if asks ~= '' and spoils == 'n' and not shown then return { 'listed', failure } end
    return at_once('err', '"error":' .. failure, shown)
  end
end
if not joined and (call('EXISTS', P .. 'aq', P .. 'ao', P .. 'delay') > 0 or cfg.maxq == 0) then --@rare
  queued = waiting()
  if queued + call('ZCARD', P .. 'delay') >= cfg.maxq then return { 'full', 1000 } end
end

-- Write. INCR or HSET first: Redis out of memory refuses them before anything has changed.
local began, ends = int(now), int(deadline)
if not joined then
  if cfg.who ~= ARGV[26] and cfg.who ~= '*' then --@rare
    meet(ARGV[26])
  end
  if string.find(host, ' ', 1, true) then --@rare
    host = freest(host)
  end
  fid = int(call('INCR', P .. 'seq')) .. '-' .. string.format('%x', now % 1048576) -- never twice, even if Redis loses its last writes
  local fields = { 'st', 'q', 'h', host, 'p', p, 'p:' .. p, '1', 'd', d, 't0', began, 'dl', ends }
  if ARGV[10] ~= USUAL_M then put(fields, 'm', ARGV[10]) end
  if ARGV[11] ~= USUAL_RB then put(fields, 'rb', ARGV[11]) end
  if ARGV[12] ~= USUAL_RM then put(fields, 'rm', ARGV[12]) end
  if ARGV[18] ~= USUAL_TTL then put(fields, 'ttl', ARGV[18]) end
  if host ~= ARGV[5] then put(fields, 'hs', ARGV[5]) end
  if o ~= '' then put(fields, 'o', o) end
  if watched then put(fields, 'pr', watched) end
  if watched and shots ~= '' then put(fields, 'pv', shots) end
  if kind ~= '0' then put(fields, 'nf', kind) end
  if poor ~= '' then put(fields, 'ns', 1) end
  if black == '0' then put(fields, 'nb', 1) elseif black == 'r' then put(fields, 'br', 1) end
  if ARGV[23] ~= '' then put(fields, 'to', ARGV[23]) end
  if ARGV[25] ~= '' then put(fields, 'bare', ARGV[25]) end
  if cfg.who == '*' then put(fields, 'c', ARGV[26]) end
  call('HSET', P .. 'f:' .. fid, unpack(fields))
  if outdated then call('HSET', P .. 'f:' .. outdated, 'sh', 0) end
  call('HSET', sources, rest, fid)
end
local record = { 'f', fid, 'co', co, 'fp', fp, 'seq', shown and '2' or '1', 'digs', digs }
if joined then put(record, 't0', began) end
if names ~= USUAL_NAMES then put(record, 'names', names) end
if keep ~= '86400000' then put(record, 'keep', keep) end
if meta ~= '' then put(record, 'meta', meta) end
if how ~= '' then put(record, 'how', how) end
if ARGV[20] ~= '' then put(record, 'cb', ARGV[20]) end
if not all then put(record, 'want', table.concat(lack, ' ')) end
for digest, i in pairs(info) do put(record, 'i:' .. digest, i) end -- kept for this receipt until the others have come
if described ~= '' then put(record, 'desc', described) end
put(record, 'sl', ARGV[22]) --@slot
call('HSET', key, unpack(record))
local owed = joined and {} or { 'source', ARGV[6] }
for _, digest in ipairs(lack) do
  local n, text = 0, joined and call('HGET', P .. 'n:' .. fid, digest)
  if text then n, text = string.match(text, '^(%d+) (.*)$') end
  owed[#owed + 1] = digest
  owed[#owed + 1] = (n + 1) .. ' ' .. (text or json[digest])
end
call('HSET', P .. 'n:' .. fid, unpack(owed))
local who = (not watched and '-' or shots ~= '' and 'V' or 'P') .. (meta ~= '' and 'M' or '-') .. p .. ' ' .. co
call('HSET', P .. 'fr:' .. fid, rid, who)
call('ZADD', P .. 'dl', ends, rid)
supersede(ARGV[22]) --@slot
call('SET', P .. 'sl:' .. ARGV[22], rid) --@slot
local state, place_, sure = 'queued', 0, nil
if joined then --@rare
  local own = P .. 'f:' .. fid
  if watched then attend(fid, watched) end
  if watched and shots ~= '' then call('HSETNX', own, 'pv', shots) end
  if tonumber(ARGV[18]) > tonumber(f[5] or USUAL_TTL) then call('HSET', own, 'ttl', ARGV[18]) end
  if tonumber(ARGV[10]) > tonumber(f[3] or USUAL_M) then call('HSET', own, 'm', ARGV[10]) end
  local rb, rm = f[7] or USUAL_RB, f[8] or USUAL_RM
  if ARGV[11] ~= rb or ARGV[12] ~= rm then
    local base, most = tonumber(ARGV[11]), tonumber(ARGV[12])
    call('HSET', own, 'rb', int(math.max(base, rb)), 'rm', int(math.max(most, rm)), 'sb', int(math.min(base, f[14] or rb)),
      'sm', int(math.min(most, f[15] or rm)))
  end
  -- The pause under way was set by the terms of other receipts. No receipt waits longer than its own terms say, but no host is asked before its pause
  -- is over.
  if f[1] == 'd' then
    local wait = math.min(tonumber(ARGV[12]), ARGV[11] * 2 ^ math.max(0, (tonumber(f[12]) or 1) - 1))
    local due, soon = call('ZSCORE', P .. 'delay', fid), math.max(now + wait, tonumber(f[13]) or 0)
    if due and soon - due < 0 then
      call('ZADD', P .. 'delay', soon, fid)
      call('ZADD', P .. 'mark', '0', '0')
    end
  end
  if f[10] and poor == '' then call('HDEL', own, 'ns') end
  if f[9] or ARGV[23] ~= '' then call('HSET', own, 'to', longest(f[9] or '', ARGV[23])) end
  if deadline > tonumber(f[4]) then call('HSET', own, 'dl', ends, 'df', f[11] == 'inf' and ends or f[11] or f[4])
  elseif deadline < tonumber(f[11] or f[4]) then call('HSET', own, 'df', ends) end
  if f[6] and black ~= '0' then call('HDEL', own, 'nb') end
  if black == 'r' then call('HSET', own, 'br', 1) end
  if ARGV[25] ~= '' then call('HSET', own, 'bare', ARGV[25]) end
  count(fid, p, 1)
  if f[16] then --@rare
    recount(fid)
  end
  state, place_ = standing(fid)
else
  local rank
  rank, sure = place(fid, host, p, o ~= '' and o or nil)
  if queued > 0 then --@rare
    place_ = position(rank)
  end
end

-- Publish the first events of the receipt.
local body = '"position":' .. (state == 'delayed' and 'null' or math.max(0, place_))
public(rid, 1, 'queued', meta, body)
if watched then channel(co, fid, 'queued', body, rid .. ':1') end
if shown then
  public(rid, 2, 'cached', meta, shown)
  channel(co, fid, 'cached', shown, rid .. ':2')
end
if state == 'running' then --@rare
  local m = call('HMGET', P .. 'f:' .. fid, 'w', 'att', 'prog')
  tell(rid, who, fid, 'started', '"worker":' .. m[1] .. ',"attempt":' .. m[2])
  if watched and m[3] then tell(rid, who, fid, 'progress', m[3]) end -- the next report may take long
end
wake(sure)
return { joined and 'joined' or 'new', state, place_ }

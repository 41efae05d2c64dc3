-- Accepts a receipt: a repetition, a result from the index, a join, or a new fetch. Refused when Redis is full.
-- KEYS   1 prefix, 2 test clock
-- options
-- - receipt
-- - coordinator
-- - fingerprint
-- - source: its digest
-- - hosts: the host and those of its mirrors, space between
-- - fetch: JSON
-- - priority: absent: 0
-- - order: fifo|lifo; absent: the queue's
-- - deadline: ms from now
-- - attempts: absent: 3
-- - retryBase: ms; absent: 500
-- - retryCeiling: ms; absent: 30000
-- - meta: fragment ,"tag":…; absent: none
-- - progress: least ms between two reports of progress; absent: it wants none
-- - previews: the options of its previews; absent: it wants none
-- - index: `read` answers from the result index, `verify` asks first whether the bytes are there. Absent: the index is not read.
-- - shows: "1" if the indexed result is sent as `cached` while all is made anew
-- - version: of results that count; absent: those without one
-- - within: maximum age of an indexed result in ms; absent: as long as its origin says
-- - joins: `reload` reads no cached source, `revalidate` asks the origin. These join only a fetch of the same kind that has not begun. Absent: it may
--   join any older fetch.
-- - forgets: "1" if it keeps no source
-- - keep: ms to keep the ended receipt; absent: a day
-- - resultTime: ms to keep results, 0 for not at all, or `bytes` for their bytes alone. Absent: for as long as their source is fresh.
-- - terms: of its end; absent: the defaults
-- - callback: its receiver, "<host and port> <{"url", "secret"} JSON>"
-- - blacklist: `bytes`, only entries that also spoil bytes refuse. `off`, neither asked nor added to. `clear`, not asked, and a success removes the
--   source. Absent: any entry refuses.
-- - asks: "1" if a refusal by the blacklist is answered as "listed" first, since a cache may have the source
-- - accepts: the statuses it accepts, "<low>-<high> …"; absent: the defaults
-- - supersedeKey: its receipt supersedes an older one; absent: none
-- - timeouts: of the download, as `longest` reads them; absent: the defaults
-- - chosen: "1" if its client has chosen its id, so that no other queue may have it (see `reserve`); only in `default`
-- - bare: JSON that a dead letter of its fetch may keep in place of the whole, if that contains credentials
-- - client: an opaque word without spaces
-- - lease: ms
-- - tags: of the results, a space between; absent: none
-- items
-- - three per rendition: digest, name as a JSON string, rendition JSON
-- answer
-- - {"new"|"joined"|"again", queued|delayed|running, position or -1, with "again": seq of its last event}
-- - {"finished", succeeded|failed|cancelled, seq, at, body, receipt it superseded, body of the `cached` event before it}
-- - {"late"}: the receipt is live and its deadline has passed. End it, then submit again.
-- - {"mismatch"}: the id is known with another request, or belongs to another queue
-- - {"full", ms}
-- - {"unknown"}: no such queue
-- - {"listed", error JSON}: the blacklist refuses it, and nothing was written. Submit without `asks`, or for the caches alone.
-- - {"indexed", digest, SHA-256 of its bytes or "", …}: the index has these, and nothing was written but tags. Once the bytes are known to be there, submit with
--   `read`.
local options, first = read_options()
local rid, co, fp, d, host = options.receipt, options.coordinator, options.fingerprint, options.source, options.hosts
local p, o, deadline = math.max(-256, math.min(255, tonumber(options.priority) or 0)), options.order, now + options.deadline
local watched, shots = options.progress, options.previews
local TRACES = 3528 -- bytes of the traces of one fetch that leave room for another: 64 of them
local trace = options.meta and string.match(options.meta, '^,"traceparent":"([%x-]+)"') --@linear the first quotation mark ends it
local meta, keep, how, callback = options.meta or '', options.keep, options.terms, options.callback
local black, poor, within = options.blacklist, options.forgets, tonumber(options.within)
local kind = options.joins
local attempts, base, ceiling, time = options.attempts, options.retryBase, options.retryCeiling, options.resultTime
local key = P .. 'r:' .. rid

-- The steps find these values and leave them to the next ones. `lack` has each missing digest once.
local digs, names, lack, json, info, facts, described, shown, all = {}, {}, {}, {}, {}, nil, '', nil, nil
local sources, rest = joint(d)
local fid, f, outdated, who
local began, ends = int(now), int(deadline)
local state, place_, queued, sure = 'queued', 0, 0, nil

-- Answers a receipt that is known: its coordinator asks again, or another one takes it over.
local function again()
  local old = call('HMGET', key, 'fingerprint', 'state', 'seq', 'at', 'end', 'fetch', 'coordinator', 'left', 'givenUp')
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
      if not old[8] and not silent(old[7], options.lease) then follow(rid, old[7], true) end
      if call('ZSCORE', P .. 'co', old[7]) then channel(old[7], old[6], 'moved', rid, '') end
    end
    if watched then
      local fr = P .. 'fr:' .. old[6]
      local who = call('HGET', fr, rid)
      local wish, paused = shots and 'previews' or 'progress', call('HEXISTS', key, 'paused') == 1
      if paused then call('HSET', key, 'paused', wish)
      elseif who then
        local owner, priority, _, has_meta = parse(who)
        call('HSET', fr, rid, entry(owner, priority, wish, has_meta))
      end
      attend(old[6], watched)
      if shots then call('HSETNX', P .. 'f:' .. old[6], 'previews', shots) end
    end
    local state, place_ = standing(old[6])
    return { 'again', state, place_, tonumber(old[3]) }
  end
  if not cfg.made then return { 'unknown' } end
  if options.chosen and call('EXISTS', P .. 'id:' .. rid) == 1 then return { 'mismatch' } end
end

local function at_once(st, body, cached) --@rare the receipt ends before it has begun
  call('HSET', key, 'fetch', '', 'coordinator', co, 'fingerprint', fp, 'seq', cached and 1 or 0, 'meta', meta, 'keep', keep or SWIFT.keep, 'terms', how or '')
  if callback then call('HSET', key, 'callback', callback) end
  local gone
  if options.supersedeKey then --@rare
    gone = supersede(options.supersedeKey)
  end
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

-- Finds the renditions that the index has, and those that are missing. Answers if the index has all of them.
local function index()
  local named = {}
  for i = first, #ARGV, 3 do
    local digest = ARGV[i]
    digs[#digs + 1], names[#names + 1] = digest, ARGV[i + 1]
    if ARGV[i + 1] ~= '""' then named[digest] = true end
    if not json[digest] then
      json[digest] = ARGV[i + 2]
      local x = options.index and call('GET', P .. 'x:' .. digest)
      local brought, source, description = string.match(x or '', '^(.-)\n(.-)\n(.*)$') --@linear the first two line breaks end it
      if brought and (string.match(brought, '"version":(%d+)') or '') == (options.version or '') and is_current(brought) then
        info[digest], facts = brought, source
        if options.tags then --@rare
          attach(options.tags, 'x:' .. digest, call('PTTL', P .. 'x:' .. digest))
        end
        if description ~= '' then described = description end
      else lack[#lack + 1] = digest end
    end
  end
  if options.tags and facts then --@rare
    attach(options.tags, 's:' .. plain(d), SOURCE_TIME)
  end
  if options.index == 'verify' and facts then
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
  all = #lack == asked
  digs, names = table.concat(digs, ' '), table.concat(names, '\n')
  if #lack == 0 then --@rare
    shown = result(rid, '"from":"results","notModified":false', digs, names, info, facts, described, 0, 'null', SWIFT.noTimes)
    if not options.shows then return at_once('succeeded', shown) end
    info, described, shots = {}, '', nil -- the previews of a picture that is already shown would only blur it
    for digest in pairs(json) do lack[#lack + 1] = digest end
    all = #lack == asked
  end
end

-- Finds a live fetch to join. A reload or revalidation joins only a fetch of the same kind that has not begun. A request that keeps its source joins no
-- run that began without keeping it.
local function find()
  fid = call('HGET', sources, rest)
  if fid then
    f = call('HMGET', P .. 'f:' .. fid, 'state', 'joins', 'maxAttempts', 'deadline', 'resultTime', 'unlisted', 'retryBase', 'retryCeiling',
      'timeouts', 'forgets', 'firstDeadline', 'attempts', 'notBefore', 'leastRetryBase', 'leastRetryCeiling', 'pausedReceipts', 'tags', 'traces')
    if not f[1] then fid, f = nil, nil
    elseif kind and (f[1] == 'running' or f[2] ~= kind) then fid, f, outdated = nil, nil, fid
    elseif f[10] and f[1] == 'running' and not poor then fid, f, outdated = nil, nil, fid
    -- Scripts read every receipt of a fetch, and send workers all its renditions. One more run of the source costs less than a Redis that stands still.
    elseif call('HLEN', P .. 'fr:' .. fid) >= 4096 or call('HLEN', P .. 'n:' .. fid) > 4096 then fid, f, outdated = nil, nil, fid
    elseif options.tags then --@rare
      if select(2, united(f[17] or '', options.tags)) > TAGS then fid, f, outdated = nil, nil, fid end
    end
  end
end

-- Answers if the blacklist refuses the source.
local function blacklisted()
  local refusal = call('GET', P .. 'b:' .. plain(d))
  if not refusal or black and black ~= 'bytes' then return end
  local since, till, spoils, failure = string.match(refusal, '^(%d+) (%d+) (%a+) (.*)$')
  -- The request may accept the status that the origin has answered.
  local status = options.accepts and string.find(failure, '"cause":"httpStatus"', 1, true) and tonumber(string.match(failure, '"status":(%d+)'))
  for low, high in string.gmatch(status and options.accepts or '', '(%d+)-(%d+)') do --@linear statuses of the coordinator's own
    if status >= tonumber(low) and status <= tonumber(high) then till = 0 end
  end
  if tonumber(till) > now and (spoils == 'all' or not black) then
    failure = string.gsub(failure, '"since":0', string.format('"since":%.3f', since / 1000), 1)
    failure = string.gsub(failure, '"until":0', string.format('"until":%.3f', till / 1000), 1)
    -- Cached bytes that are no picture are no picture either.
    if options.asks and spoils == 'all' and not shown then return { 'listed', failure } end
    return at_once('failed', '"error":' .. failure, shown)
  end
end

-- Answers if as many fetches wait as may.
local function full()
  if call('EXISTS', P .. 'aq', P .. 'ao', P .. 'delay') > 0 or cfg.maxq == 0 then --@rare
    queued = waiting()
    if queued + call('ZCARD', P .. 'delay') >= cfg.maxq then return { 'full', 1000 } end
  end
end

-- Makes the record of a new fetch. INCR comes first: Redis out of memory refuses it before anything has changed.
local function create()
  if cfg.who ~= options.client and cfg.who ~= '*' then --@rare
    meet(options.client)
  end
  if string.find(host, ' ', 1, true) then --@rare
    host = freest(host)
  end
  fid = int(call('INCR', P .. 'seq')) .. '-' .. string.format('%x', now % 1048576) -- never twice, even if Redis loses its last writes
  local fields = { 'state', 'queued', 'host', host, 'priority', p, 'priority:' .. p, '1', 'source', d, 'queuedAt', began, 'deadline', ends }
  if attempts then put(fields, 'maxAttempts', attempts) end
  if base then put(fields, 'retryBase', base) end
  if ceiling then put(fields, 'retryCeiling', ceiling) end
  if time then put(fields, 'resultTime', time) end
  if host ~= options.hosts then put(fields, 'hosts', options.hosts) end
  if o then put(fields, 'order', o) end
  if watched then put(fields, 'progressInterval', watched) end
  if watched and shots then put(fields, 'previews', shots) end
  if kind then put(fields, 'joins', kind) end
  if poor then put(fields, 'forgets', 1) end
  if black == 'off' then put(fields, 'unlisted', 1) elseif black == 'clear' then put(fields, 'unlists', 1) end
  if options.timeouts then put(fields, 'timeouts', options.timeouts) end
  if options.bare then put(fields, 'bare', options.bare) end
  if options.tags then put(fields, 'tags', options.tags) end
  if trace then put(fields, 'traces', trace) end
  if cfg.who == '*' then put(fields, 'client', options.client) end
  call('HSET', P .. 'f:' .. fid, unpack(fields))
  if outdated then call('HSET', P .. 'f:' .. outdated, 'overtaken', 1) end
  call('HSET', sources, rest, fid)
end

-- Stores the receipt and its renditions in the fetch. HSET comes first where the fetch is an older one, for the same reason.
local function store(joined)
  local record = { 'fetch', fid, 'coordinator', co, 'fingerprint', fp, 'seq', shown and '2' or '1', 'digests', digs }
  if joined then put(record, 'queuedAt', began) end
  if names ~= USUAL_NAMES then put(record, 'names', names) end
  if keep then put(record, 'keep', keep) end
  if meta ~= '' then put(record, 'meta', meta) end
  if how then put(record, 'terms', how) end
  if callback then put(record, 'callback', callback) end
  if not all then put(record, 'wanted', table.concat(lack, ' ')) end
  for digest, i in pairs(info) do put(record, 'info:' .. digest, i) end -- kept for this receipt until the others have come
  if described ~= '' then put(record, 'description', described) end
  if options.supersedeKey then put(record, 'supersedeKey', options.supersedeKey) end
  call('HSET', key, unpack(record))
  local owed = joined and {} or { 'source', options.fetch }
  for _, digest in ipairs(lack) do
    local n, text = 0, joined and call('HGET', P .. 'n:' .. fid, digest)
    if text then n, text = string.match(text, '^(%d+) (.*)$') end
    owed[#owed + 1] = digest
    owed[#owed + 1] = (n + 1) .. ' ' .. (text or json[digest])
  end
  call('HSET', P .. 'n:' .. fid, unpack(owed))
  who = entry(co, p, watched and (shots and 'previews' or 'progress'), meta ~= '')
  call('HSET', P .. 'fr:' .. fid, rid, who)
  call('ZADD', P .. 'dl', ends, rid)
  if options.supersedeKey then --@rare
    supersede(options.supersedeKey)
    call('SET', P .. 'sl:' .. options.supersedeKey, rid)
  end
end

-- Brings the fetch that the receipt joins to the terms of both.
local function join() --@rare
  local own = P .. 'f:' .. fid
  if watched then attend(fid, watched) end
  if watched and shots then call('HSETNX', own, 'previews', shots) end
  attempts, base, ceiling, time = attempts or USUAL_ATTEMPTS, base or USUAL_BASE, ceiling or USUAL_CEILING, time or USUAL_TIME
  if lasting(time) > lasting(f[5] or USUAL_TIME) then call('HSET', own, 'resultTime', time) end
  if tonumber(attempts) > tonumber(f[3] or USUAL_ATTEMPTS) then call('HSET', own, 'maxAttempts', attempts) end
  local rb, rm = f[7] or USUAL_BASE, f[8] or USUAL_CEILING
  if base ~= rb or ceiling ~= rm then
    local least, most = tonumber(base), tonumber(ceiling)
    call('HSET', own, 'retryBase', int(math.max(least, rb)), 'retryCeiling', int(math.max(most, rm)), 'leastRetryBase', int(math.min(least, f[14] or rb)),
      'leastRetryCeiling', int(math.min(most, f[15] or rm)))
  end
  -- The pause under way was set by the terms of other receipts. No receipt waits longer than its own terms say, but no host is asked before its pause
  -- is over.
  if f[1] == 'delayed' then
    local wait = math.min(tonumber(ceiling), base * 2 ^ math.max(0, (tonumber(f[12]) or 1) - 1))
    local due, soon = call('ZSCORE', P .. 'delay', fid), math.max(now + wait, tonumber(f[13]) or 0)
    if due and soon - due < 0 then
      call('ZADD', P .. 'delay', soon, fid)
      call('ZADD', P .. 'mark', '0', '0')
    end
  end
  if f[10] and not poor then call('HDEL', own, 'forgets') end
  if f[9] or options.timeouts then call('HSET', own, 'timeouts', longest(f[9] or '', options.timeouts or '')) end
  if deadline > tonumber(f[4]) then call('HSET', own, 'deadline', ends, 'firstDeadline', f[11] == 'none' and ends or f[11] or f[4])
  elseif deadline < (tonumber(f[11] or f[4]) or math.huge) then call('HSET', own, 'firstDeadline', ends) end
  if f[6] and black ~= 'off' then call('HDEL', own, 'unlisted') end
  if black == 'clear' then call('HSET', own, 'unlists', 1) end
  if options.bare then call('HSET', own, 'bare', options.bare) end
  if options.tags then --@rare
    call('HSET', own, 'tags', (united(f[17] or '', options.tags)))
  end
  -- Only the first may be one whose spans are not sent: for the log lines of the run.
  if trace and string.sub(trace, -2) == '01' and #(f[18] or '') < TRACES then --@rare
    call('HSET', own, 'traces', f[18] and f[18] .. ' ' .. trace or trace)
  end
  count(fid, p, 1)
  if f[16] then --@rare
    recount(fid, 0)
  end
  state, place_ = standing(fid)
end

-- Queues the new fetch.
local function enter()
  local rank
  rank, sure = place(fid, host, p, o)
  if queued > 0 then --@rare
    place_ = position(rank)
  end
end

-- Publishes the first events of the receipt.
local function announce()
  local body = '"position":' .. (state == 'delayed' and 'null' or math.max(0, place_))
  public(rid, 1, 'queued', meta, body)
  if watched then channel(co, fid, 'queued', body, rid .. ':1') end
  if shown then
    public(rid, 2, 'cached', meta, shown)
    channel(co, fid, 'cached', shown, rid .. ':2')
  end
  if state == 'running' then --@rare
    local m = call('HMGET', P .. 'f:' .. fid, 'worker', 'attempts', 'progress')
    tell(rid, who, fid, 'started', '"worker":' .. m[1] .. ',"attempt":' .. m[2])
    if watched and m[3] then tell(rid, who, fid, 'progress', m[3]) end -- the next report may take long
  end
end

local answer = again() or index()
if answer then return answer end
find()
local joined = fid and true
answer = not joined and (blacklisted() or full())
if answer then return answer end
if not joined then create() end
store(joined)
if joined then --@rare
  join()
else
  enter()
end
announce()
wake(sure)
return { joined and 'joined' or 'new', state, place_ }

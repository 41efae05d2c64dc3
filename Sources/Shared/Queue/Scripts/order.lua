-- Order and room. A waiting fetch has a rank; a lower rank goes first. Priority bands come first, then LIFO with the newest first, then FIFO with the
-- oldest first.
-- Scores stay below 2^53, where doubles are exact: band·2^44 + 2^43 ± seq. A fetch without an order of its own is stored as band·2^44 + seq. The
-- queue's order determines its rank when it is read, so a change of the order rewrites nothing.
local BAND, MIDDLE = SWIFT.band, SWIFT.middle

local function rank_of(stored) -- the rank of an entry of hq or aq
  local base = math.floor(stored / BAND) * BAND
  return cfg.order == 'lifo' and base + MIDDLE - (stored - base) or stored + MIDDLE
end

-- Answers the best waiting fetch in the lists `free` (queue's order) and `own`: rank, fid, and the rank of the next one. The third is false if there is
-- none, and nil if that is not known. All are nil if both lists are empty.
local function best(free, own)
  local a = call('ZRANGE', own, '0', '1', 'WITHSCORES')
  local b = call('ZRANGE', free, '0', '1', 'WITHSCORES')
  local several, fifo = #a + #b > 2, cfg.order == 'fifo'
  local rank, fid = tonumber(a[2]), a[1]
  if b[1] then
    if not fifo then
      local base = math.floor(b[2] / BAND) * BAND
      b = call('ZRANGE', free, '(' .. int(base + BAND), int(base), 'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES')
    end
    local other = rank_of(tonumber(b[2]))
    if not rank or other < rank then rank, fid = other, b[1] end
  end
  if not several then return rank, fid, false end
  if not fifo then return rank, fid end
  local after
  for i = 2, 4, 2 do
    local x, y = tonumber(a[i]), b[i] and rank_of(tonumber(b[i]))
    if x and x > rank and (not after or x < after) then after = x end
    if y and y > rank and (not after or y < after) then after = y end
  end
  return rank, fid, after
end

-- Answers the limit (kind '') or the pace ('/') that the coordinators' rules set for a host: the last matching rule counts. No name has more than 127
-- parts.
local function ruled(h, kind)
  if h == 'data:' or h == 'file:' then return end
  local forms, nr, most = { kind .. h, kind .. '*' }, -1, nil
  for dot in string.gmatch(h, '()%.') do
    if #forms < 130 then forms[#forms + 1] = kind .. string.sub(h, dot) end
  end
  for _, rule in ipairs(call('HMGET', P .. 'hlim0', unpack(forms))) do
    if rule then
      local i, l = string.match(rule, '^(%d+):(%d+)$')
      if tonumber(i) > nr then nr, most = tonumber(i), tonumber(l) end
    end
  end
  return most
end

local function limit(h) -- how many fetches of a host may run
  local l = cfg.hosts and tonumber(call('HGET', P .. 'hlim', h))
  if not l and cfg.hosts0 then --@rare
    l = ruled(h, '')
  end
  return l or h == 'data:' and cfg.max or cfg.hmax
end

local function has_room(h) -- and is not throttled
  return call('SCARD', P .. 'hr:' .. h) < limit(h) and not (cfg.held and call('ZSCORE', P .. 'held', h))
end

local function rerank(h, rank) -- sets a host's place in `ready` by the rank of its best fetch, if it has one
  if not rank then call('ZREM', P .. 'ready', h)
  else call('ZADD', P .. 'ready', has_room(h) and rank or 'inf', h) end
end

-- Answers the client of a fetch, if there are several clients.
local function whose(fid) return call('HGET', P .. 'f:' .. fid, 'client') or cfg.was or '-' end

-- Updates `ready` from a host's waiting lists and running set. Call it after any change of either.
local function sync(h) rerank(h, (best(P .. 'hq:' .. h, P .. 'ho:' .. h))) end

-- Answers the first of several hosts (space between) that is not throttled, or the one that is throttled for the shortest time. A fetch with mirrors
-- waits for one host only, `host` of its record; `hosts` names all of them, in the order of its addresses.
local function freest(hosts)
  local found, soonest
  for h in string.gmatch(hosts, '%S+') do
    local till = cfg.held and call('ZSCORE', P .. 'held', h)
    if not till or till - now <= 0 then return h end
    if not found or till - soonest < 0 then found, soonest = h, till end
  end
  return found
end

-- Answers the host in ARGV, from `first` on, whose best fetch goes first, if that has the priority of the best fetch of all. Else it answers the host of
-- the best fetch, `h`.
local function preferred(h, rank, first)
  local band, least = math.floor(rank / BAND), nil
  for i = first, #ARGV do
    local r = call('ZSCORE', P .. 'ready', ARGV[i])
    if r and r ~= 'inf' and math.floor(r / BAND) == band and (not least or r - least < 0) then h, least = ARGV[i], r end
  end
  return h
end

-- Ends the pause of throttled hosts whose time is over.
local function resume(n)
  for _, h in ipairs(call('ZRANGE', P .. 'held', '-inf', now, 'BYSCORE', 'LIMIT', 0, n)) do
    call('ZREM', P .. 'held', h)
    sync(h)
  end
  if call('EXISTS', P .. 'held') == 0 then call('HDEL', P .. 'cfg', 'throttles') end
  refresh()
end

-- Puts a fetch into its waiting lists. Answers its rank, and whether its host has room.
local function place(fid, h, p, o)
  local seq, base = tonumber(string.match(fid, '^%d+')), (255 - p) * BAND
  local list, score = 'q', base + seq
  if o then list, score = 'o', base + MIDDLE + (o == 'lifo' and -seq or seq) end
  local text = int(score)
  call('ZADD', P .. 'h' .. list .. ':' .. h, text, fid)
  call('ZADD', P .. 'a' .. list, text, fid)
  if cfg.who == '*' then --@rare
    local c = whose(fid)
    call('ZADD', P .. 'c' .. list .. ':' .. c, text, fid)
    call('ZADD', P .. 'cl', 'NX', 0, c)
  end
  local rank, room_ = o and score or rank_of(score), has_room(h)
  if room_ then call('ZADD', P .. 'ready', 'LT', rank, h) else call('ZADD', P .. 'ready', 'inf', h) end
  return rank, room_
end

-- Answers the first fetches of a host's list, at most `most`. In `hq` of a LIFO queue they are at the upper end of each priority band.
local function foremost(list, h, most)
  local key = P .. list .. h
  if list == 'ho:' or list == 'co:' or cfg.order == 'fifo' then return call('ZRANGE', key, 0, most - 1) end
  local found, first = {}, call('ZRANGE', key, 0, 0, 'WITHSCORES')
  while first[1] and #found < most do
    local base = math.floor(first[2] / BAND) * BAND
    local band = call('ZRANGE', key, '(' .. int(base + BAND), int(base), 'BYSCORE', 'REV', 'LIMIT', 0, most - #found)
    for _, fid in ipairs(band) do found[#found + 1] = fid end
    first = call('ZRANGE', key, int(base + BAND), 'inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  end
  return found
end

-- Notes that a new client uses the queue. While all fetches belong to one client, their client is not recorded. When the second one comes, the running
-- fetches are recorded, and the first thousand waiting ones of each order. The fetches behind them get their turn by order alone.
local function meet(client)
  if cfg.who then
    call('HSET', P .. 'cfg', 'client', '*', 'firstClient', cfg.who)
    refresh()
    for _, fid in ipairs(call('ZRANGE', P .. 'run', 0, -1)) do call('SADD', P .. 'cr:' .. whose(fid), fid) end
    for _, list in ipairs({ 'q', 'o' }) do
      local first = call('ZRANGE', P .. 'a' .. list, 0, 999, 'WITHSCORES')
      for i = 1, #first, 2 do call('ZADD', P .. 'c' .. list .. ':' .. cfg.was, first[i + 1], first[i]) end
    end
    call('ZADD', P .. 'cl', 0, cfg.was)
  else
    call('HSET', P .. 'cfg', 'client', client)
    refresh()
  end
end

-- Answers the first waiting fetch of a client whose host has room, and that host, among sixteen fetches of each order. The third answer says whether
-- any fetch waits.
local function readiest(c)
  local fid, host, rank, waits
  for _, list in ipairs({ 'q', 'o' }) do
    local key = P .. 'c' .. list .. ':' .. c
    for _, each in ipairs(foremost('c' .. list .. ':', c, 16)) do
      local h = call('HGET', P .. 'f:' .. each, 'host')
      waits = true
      if not h then call('ZREM', key, each) -- the record is missing: only after a change from outside
      elseif has_room(h) then
        local score = tonumber(call('ZSCORE', key, each))
        if list == 'q' then score = rank_of(score) end
        if not rank or score < rank then fid, host, rank = each, h, score end
        break
      end
    end
  end
  return fid, host, waits
end

-- Answers the fetch that goes before the best of all, and its host: it belongs to a client that runs fewer. While other clients wait, no client holds
-- more permits than they do. Eight clients are checked, in turn; if there are fewer, all are.
local function fairest(fid)
  local mine, found = whose(fid), {}
  local most = call('SCARD', P .. 'cr:' .. mine)
  if most == 0 then return end
  local seen = call('ZRANGE', P .. 'cl', 0, 7)
  for i, c in ipairs(seen) do
    if #seen == 8 then call('ZADD', P .. 'cl', int(now * 1024 + i), c) end
    local n = c ~= mine and call('SCARD', P .. 'cr:' .. c)
    if n and n < most then found[#found + 1] = { n, c } end
  end
  table.sort(found, function(a, b) return a[1] < b[1] or a[1] == b[1] and a[2] < b[2] end)
  for _, each in ipairs(found) do
    local other, host, waits = readiest(each[2])
    if other then return other, host end
    if not waits then call('ZREM', P .. 'cl', each[2]) end
  end
end

-- Asks runs to yield if clients wait, their hosts have room, and no worker takes more. The runs of the client that runs most yield to clients that run
-- at least two fewer. The number is the lowest of
-- - the fetches that these clients wait for,
-- - the number that makes the clients equal,
-- - eight in a second, whichever coordinator reaps.
-- Runs that were asked before and still load are included. Only runs that load and have been running for `least` ms are asked. Those that were asked
-- least often come first, and among them the longest running. The script checks 64 runs, as many of that client, and sixteen clients in turn; if there
-- are fewer, all. Answers the number of runs asked.
local function make_way(least)
  local last = tonumber(call('HGET', P .. 'cfg', 'yieldedAt'))
  if last and math.abs(now - last) < 900 then return 0 end -- the reaper's seconds vary in length
  local most, top, known = 0, nil, {}
  for _, fid in ipairs(call('ZRANDMEMBER', P .. 'run', 64)) do
    local c = whose(fid)
    if not known[c] then
      known[c] = true
      local n = call('SCARD', P .. 'cr:' .. c)
      if n > most then most, top = n, c end
    end
  end
  local wanted, fewest, seen = 0, most, call('ZRANGE', P .. 'cl', 0, 15)
  for i, c in ipairs(seen) do
    local n, turn = call('SCARD', P .. 'cr:' .. c), #seen == 16 and int(now * 1024 + i)
    if most - n >= 2 and readiest(c) then
      turn = -1 -- a claim checks these first
      wanted = wanted + math.min(call('ZCARD', P .. 'cq:' .. c) + call('ZCARD', P .. 'co:' .. c), math.floor((most - n) / 2))
      fewest = math.min(fewest, n)
    end
    if turn then call('ZADD', P .. 'cl', turn, c) end
  end
  if wanted == 0 then return 0 end
  local able, free = {}, math.min(wanted, math.floor((most - fewest) / 2))
  for _, fid in ipairs(call('SRANDMEMBER', P .. 'cr:' .. top, 64)) do
    local m = call('HMGET', P .. 'f:' .. fid, 'token', 'startedAt', 'phase', 'withdrawn', 'yields')
    local times, token = string.match(m[5] or '', '^(%d+) (%d+)$')
    if m[4] then free = free - 1 -- its permit becomes free in a moment
    elseif m[1] and (m[3] or 'download') == 'download' then
      if token == m[1] then free = free - 1
      elseif now - m[2] >= least then able[#able + 1] = { fid, tonumber(times or 0), tonumber(m[2]), m[1] } end
    end
  end
  table.sort(able, function(a, b) return a[2] < b[2] or a[2] == b[2] and (a[3] < b[3] or a[3] == b[3] and a[1] < b[1]) end)
  local asked = math.max(0, math.min(free, #able, 8))
  for i = 1, asked do
    local fid, times, _, token = unpack(able[i])
    call('HSET', P .. 'f:' .. fid, 'yields', int(times + 1) .. ' ' .. token)
    call('SPUBLISH', P .. 'ctl', 'yield|' .. fid .. '|' .. token)
  end
  if asked > 0 then call('HSET', P .. 'cfg', 'yieldedAt', int(now)) end
  return asked
end

-- Moves waiting fetches away from a throttled host, if another of their hosts is not throttled, or for less time. Only the first five hundred of each
-- list move; the fetches behind them wait as they would without a mirror. A moved fetch stays where it is when the pause of this host is over: its new
-- host may be asked.
local function divert(h)
  local most, known, moved = 500, {}, nil -- `held` does not change meanwhile: one answer for all fetches that name the same hosts
  for _, list in ipairs({ 'hq:', 'ho:' }) do
    for _, fid in ipairs(foremost(list, h, most)) do
      local m = call('HMGET', P .. 'f:' .. fid, 'hosts', 'priority', 'order')
      local to = m[1] and (known[m[1]] or freest(m[1]))
      if to then known[m[1]] = to end
      if to and to ~= h then
        call('ZREM', P .. list .. h, fid)
        call('HSET', P .. 'f:' .. fid, 'host', to)
        place(fid, to, tonumber(m[2]), m[3])
        moved = true
      end
    end
  end
  if moved then sync(h) end
end

-- Throttles a host for a time, at most ten minutes, as its origin has asked. The marker wakes a worker, which learns at its claim until when.
-- The waiting fetches are read only if that may move some of them:
-- - the host was not throttled,
-- - its pause is a second longer,
-- - or its pause now ends after another host's.
-- Runs that ended by one answer report the same host within moments, and a run reports it while it goes on, and at its end.
local function suspend(h, ms)
  local till, old = int(now + math.min(600000, ms)), call('ZSCORE', P .. 'held', h)
  if call('ZADD', P .. 'held', 'GT', 'CH', till, h) == 0 then return end
  call('HSET', P .. 'cfg', 'throttles', 1)
  refresh()
  sync(h)
  if not old or old - now <= 0 or till - old >= 1000 or call('ZCOUNT', P .. 'held', old, '(' .. till) > 0 then
    divert(h)
  end
  call('ZADD', P .. 'mark', '0', '0')
end

-- Throttles a host after one more of its fetches has begun, for as long as rules say. Answers the ms, or nil if no rule applies. Waiting fetches with
-- mirrors stay.
local function paced(h)
  local ms = ruled(h, '/')
  if not ms then return end
  call('ZADD', P .. 'held', 'GT', int(now + ms), h)
  if not cfg.held then
    call('HSET', CFG, 'throttles', 1)
    refresh()
  end
  sync(h)
  return ms
end

-- Takes a fetch out of its waiting lists. `after`, if known, is the rank of its host's best fetch afterwards, or false.
local function unplace(fid, h, o, after)
  local list = o and 'o' or 'q'
  call('ZREM', P .. 'h' .. list .. ':' .. h, fid)
  call('ZREM', P .. 'a' .. list, fid)
  if cfg.who == '*' then --@rare
    call('ZREM', P .. 'c' .. list .. ':' .. whose(fid), fid)
  end
  if after == nil then --@rare on the way of a claim it is known
    sync(h)
  else
    rerank(h, after)
  end
end

local function waiting() return call('ZCARD', P .. 'aq') + call('ZCARD', P .. 'ao') end

-- Answers the number of waiting fetches before this rank, without regard to host limits. Counts from 0.
local function position(rank)
  local n = call('ZCOUNT', P .. 'ao', '-inf', '(' .. int(rank))
  if cfg.order == 'fifo' then return n + call('ZCOUNT', P .. 'aq', '-inf', '(' .. int(rank - MIDDLE)) end
  local base = math.floor(rank / BAND) * BAND
  return n + call('ZCOUNT', P .. 'aq', '-inf', '(' .. int(base))
    + call('ZCOUNT', P .. 'aq', '(' .. int(base + (base + MIDDLE - rank)), '(' .. int(base + BAND))
end

local function room() -- how many more fetches may run now
  return cfg.paused and 0 or cfg.max - call('ZCARD', P .. 'run')
end

-- Leaves a marker for one sleeping worker if there is something to claim. Every script that may have made work or room ends with this. `sure`: some
-- host has both.
local function wake(sure)
  if (sure or call('ZCOUNT', P .. 'ready', '-inf', '(inf') > 0) and room() > 0 then call('ZADD', P .. 'mark', '0', '0') end
end

-- What a run has brought: one rendition made, or failed.

-- Puts a source on the blacklist for so many ms, with what is to be said of it; or takes it off. Those whose time is over soonest make room.
local function blacklist(d, ms, text)
  d = plain(d)
  local key = P .. 'b:' .. d
  if not ms then
    call('DEL', key)
    call('ZREM', P .. 'bl', d)
    return
  end
  local since, till = string.match(call('GET', key) or '', '^(%d+) (%d+)')
  if not since or tonumber(till) <= now then since = int(now) end
  till = int(now + ms)
  call('SET', key, since .. ' ' .. till .. ' ' .. text, 'PX', ms)
  call('ZADD', P .. 'bl', till, d)
  for _, old in ipairs(call('ZRANGE', P .. 'bl', 0, -10001)) do
    call('DEL', P .. 'b:' .. old)
    call('ZREM', P .. 'bl', old)
  end
end

-- Puts a result into the index, in place of what it says of this rendition; what it said is the answer. Where two runs have made it of different
-- bytes the older one, or one whose bytes nobody keeps, does not take the other's place: the store has the bytes of who put them last, and nobody
-- knows here who that was. So the index says nothing of either. What is left is an older run that stores and reports all between a newer one's
-- store and its report; `bytes` of the coordinator tell what is torn by its hash.
local function shelve(digest, text, ttl)
  local key = P .. 'x:' .. digest
  local old = call('GET', key)
  if old then
    local hash, stored = '^[^\n]-"sha256":"(%x+)"', '^[^\n]-"storedAt":([%d.]+)'
    local is_later = (tonumber(string.match(old, stored)) or 0) > (tonumber(string.match(text, stored)) or 0) -- linear: one start, and what follows is text
    if string.match(old, hash) ~= string.match(text, hash) then -- linear: the same
      if ttl <= 2 or is_later then
        call('DEL', key)
        return old
      end
    elseif is_later and call('PTTL', key) >= ttl then return old end
  end
  if ttl > 2 then call('SET', key, text, 'PX', int(ttl)) end
  return old
end

-- ARGV from `i`: digest, ok|err, RenditionInfo or error JSON, SourceInfo, description or "", ms to keep it in the index (0 to 2: not, as submit has it); of one that
-- failed by the source's fault, the last two are its entry in the blacklist and the ms it stays there.
-- Ends the receipts that now have everything, and those whose rendition failed. `waiting` is HGETALL of fr:, `run` `tried`
-- and HMGET w, ts, d, nb, br, t0; adds {receipt, priority} to `gone` for each ended one. The caller takes those out of the fetch.
local function settle(fid, i, waiting_, run, facts, gone)
  local digest, good, brought, source, description, ttl = ARGV[i], ARGV[i + 1] == 'ok', ARGV[i + 2], ARGV[i + 3], ARGV[i + 4],
    tonumber(ARGV[i + 5])
  if good then
    local old = shelve(digest, brought .. '\n' .. source .. '\n' .. description, ttl)
    -- The origin was asked for all of it, and has the bytes that the index speaks of.
    local same = string.match(source, '"sha256":"(%x+)"')
    if old and same and string.match(old, '^[^\n]*\n[^\n]-"sha256":"(%x+)"') == same then -- linear: two lines, and what follows is text
      facts = string.gsub(facts, '^([^\n]*)"notModified":false,"updated":true', '%1"notModified":true,"updated":false') -- linear: one start, and what follows is text
    end
    if run[6] then -- rare
      blacklist(run[4])
    end
  elseif ttl > 0 and not run[5] then -- rare
    blacklist(run[4], ttl, description)
  end
  if call('HDEL', P .. 'n:' .. fid, digest) == 0 then return end -- nobody wants it any more
  for j = 1, #waiting_, 2 do
    local rid = waiting_[j]
    local key = P .. 'r:' .. rid
    local r = call('HMGET', key, 'seq', 'meta', 'keep', 'digs', 'want', 'cb', 'sl', 'how', 'names', 't0', 'st', 'desc')
    local digs, names = r[4], r[9] or USUAL_NAMES
    local want = ' ' .. (not r[11] and (r[5] or digs) or '') .. ' ' -- one rendition of this call may have ended it already
    local a, b = string.find(want, ' ' .. digest .. ' ', 1, true)
    if a then
      local co, p, watched = parse(waiting_[j + 1])
      local before, behind = string.sub(want, 2, a - 1), string.sub(want, b + 1, -2)
      local rest = before .. (before ~= '' and behind ~= '' and ' ' or '') .. behind
      if not good then -- rare
        close(rid, co, fid, 'err', '"error":' .. charged(brought, run[1]), r)
        unwant(fid, rest)
        gone[#gone + 1] = { rid, p }
      else
        if watched or rest ~= '' then
          local each = string.gmatch(digs, '%S+')
          for name in string.gmatch(names, '[^\n]+') do
            if each() == digest and name ~= '""' then
              r[1] = tell(rid, waiting_[j + 1], fid, 'rendition',
                '"name":' .. name .. (#brought > 2 and ',' or '') .. string.sub(brought, 2, -2))
            end
          end
        end
        if rest ~= '' then
          call('HSET', key, 'want', rest, 'i:' .. digest, brought)
          if description ~= '' then call('HSET', key, 'desc', description) end
        else
          local info = { [digest] = brought }
          for each in string.gmatch(digs, '%S+') do info[each] = info[each] or call('HGET', key, 'i:' .. each) end
          local origin, inner = string.match(facts, '^(.-)\n{(.*)}$') -- linear: two lines of the worker's own
          local from = tonumber(r[10] or run[7])
          local times = string.format('"queued":%.3f,"total":%.3f}', math.max(0, run[3] - from) / 1000, (now - from) / 1000)
          close(rid, co, fid, 'ok', result(rid, origin, digs, names, info, source, description ~= '' and description or r[12] or '', run[1], run[2],
            '{' .. inner .. (inner ~= '' and ',' or '') .. times), r)
          gone[#gone + 1] = { rid, p }
        end
      end
    end
  end
end

-- Whether a rendition of ARGV from `i` on was stored for less time than the receipts ask by now: who joins late may ask for more.
local function brief(i, wished)
  for j = i, #ARGV, 6 do
    if ARGV[j + 1] == 'ok' and tonumber(ARGV[j + 5]) < wished then return true end
  end
end

-- Takes ended receipts out of a fetch that goes on.
local function dismiss(fid, gone)
  for _, g in ipairs(gone) do
    call('HDEL', P .. 'fr:' .. fid, g[1])
    count(fid, g[2], -1)
  end
end

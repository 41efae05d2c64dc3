-- The outcome of a run: one rendition made, or failed.

-- Puts a source on the blacklist for some ms, with the text for refused requests; or removes it. Above the limit, the entries that expire soonest are
-- removed.
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

-- Puts a result into the index, in place of the older entry of this rendition, and answers that entry.
-- If two runs have made the rendition with different bytes, an older result, or one that no store keeps, does not replace the other. The store has the
-- bytes that were put last, and this script cannot know whose they are. So the index drops both. One case is left: an older run stores and reports
-- everything between the store and the report of a newer one. The coordinator detects such a wrong entry by its hash (`bytes`).
local function shelve(digest, text, ttl)
  local key = P .. 'x:' .. digest
  local old = call('GET', key)
  if old then
    local hash, stored = '^[^\n]-"sha256":"(%x+)"', '^[^\n]-"storedAt":([%d.]+)'
    local is_later = (tonumber(string.match(old, stored)) or 0) > (tonumber(string.match(text, stored)) or 0) --@linear one start, and what follows is text
    if string.match(old, hash) ~= string.match(text, hash) then --@linear the same
      if ttl <= 2 or is_later then
        call('DEL', key)
        return old
      end
    elseif is_later and call('PTTL', key) >= ttl then return old end
  end
  if ttl > 2 then call('SET', key, text, 'PX', int(ttl)) end
  return old
end

-- Ends the receipts that now have all their renditions, and those whose rendition failed.
-- ARGV from `i`: digest, made|failed, RenditionInfo or error JSON, SourceInfo, description or "", the time to keep it in the index.
-- The index keeps nothing for a time that is a word of `lasting`. If the rendition failed by the fault of its source, the last two are the blacklist entry and the ms that it stays.
-- `waiting_` is HGETALL of fr:. `run` is `tried` and HMGET worker, startedAt, source, unlisted, unlists, queuedAt, tags. The function adds {receipt, priority} to `gone` for each ended
-- receipt, and the caller removes these from the fetch.
local function settle(fid, i, waiting_, run, facts, gone)
  local digest, good, brought, source, description, ttl = ARGV[i], ARGV[i + 1] == 'made', ARGV[i + 2], ARGV[i + 3], ARGV[i + 4],
    lasting(ARGV[i + 5])
  if good then
    local old = shelve(digest, brought .. '\n' .. source .. '\n' .. description, ttl)
    -- The origin was asked for the whole body, and it has the same bytes as the index.
    local same = string.match(source, '"sha256":"(%x+)"')
    if old and same and string.match(old, '^[^\n]*\n[^\n]-"sha256":"(%x+)"') == same then --@linear two lines, and what follows is text
      facts = string.gsub(facts, '^([^\n]*)"notModified":false,"updated":true', '%1"notModified":true,"updated":false') --@linear one start, and what follows is text
    end
    if run[6] then --@rare
      blacklist(run[4])
    end
    if run[8] then --@rare
      if ttl > 2 then attach(run[8], 'x:' .. digest, ttl) end
      attach(run[8], 's:' .. plain(run[4]), SOURCE_TIME)
    end
  elseif ttl > 0 and not run[5] then --@rare
    blacklist(run[4], ttl, description)
  end
  if call('HDEL', P .. 'n:' .. fid, digest) == 0 then return end -- no receipt wants it any more
  for j = 1, #waiting_, 2 do
    local rid = waiting_[j]
    local key = P .. 'r:' .. rid
    local r = call('HMGET', key, 'seq', 'meta', 'keep', 'digests', 'wanted', 'callback', 'supersedeKey', 'terms', 'names', 'queuedAt', 'state', 'description')
    local digs, names = r[4], r[9] or USUAL_NAMES
    local want = ' ' .. (not r[11] and (r[5] or digs) or '') .. ' ' -- one rendition of this call may have ended it already
    local a, b = string.find(want, ' ' .. digest .. ' ', 1, true)
    if a then
      local co, p, watched = parse(waiting_[j + 1])
      local before, behind = string.sub(want, 2, a - 1), string.sub(want, b + 1, -2)
      local rest = before .. (before ~= '' and behind ~= '' and ' ' or '') .. behind
      if not good then --@rare
        close(rid, co, fid, 'failed', '"error":' .. charged(brought, run[1]), r)
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
          call('HSET', key, 'wanted', rest, 'info:' .. digest, brought)
          if description ~= '' then call('HSET', key, 'description', description) end
        else
          local info = { [digest] = brought }
          for each in string.gmatch(digs, '%S+') do info[each] = info[each] or call('HGET', key, 'info:' .. each) end
          local origin, inner = string.match(facts, '^(.-)\n{(.*)}$') --@linear two lines of the worker's own
          local from = tonumber(r[10] or run[7])
          local times = string.format('"queued":%.3f,"total":%.3f}', math.max(0, run[3] - from) / 1000, (now - from) / 1000)
          close(rid, co, fid, 'succeeded', result(rid, origin, digs, names, info, source, description ~= '' and description or r[12] or '', run[1], run[2],
            '{' .. inner .. (inner ~= '' and ',' or '') .. times), r)
          gone[#gone + 1] = { rid, p }
        end
      end
    end
  end
end

-- Answers whether a rendition of ARGV from `i` on was stored for less time than the receipts ask by now. A receipt that joins late may ask for more.
local function brief(i, wished)
  for j = i, #ARGV, 6 do
    if ARGV[j + 1] == 'made' and lasting(ARGV[j + 5]) < wished then return true end
  end
end

-- Answers whether a rendition of ARGV from `i` on was stored for others than the receipts that wait now.
local function outlasts(i)
  for j = i, #ARGV, 6 do
    if ARGV[j + 1] == 'made' and lasting(ARGV[j + 5]) > 1 then return true end
  end
end

-- Answers the facts of a run whose source was purged meanwhile: its results say so.
local function outlawed(facts) return (string.gsub(facts, '\n', ',"purged":true\n', 1)) end

-- Removes ended receipts from a fetch that goes on.
local function dismiss(fid, gone)
  for _, g in ipairs(gone) do
    call('HDEL', P .. 'fr:' .. fid, g[1])
    count(fid, g[2], -1)
  end
  if gone[1] and call('HEXISTS', P .. 'f:' .. fid, 'pausedReceipts') == 1 then --@rare
    recount(fid)
  end
end

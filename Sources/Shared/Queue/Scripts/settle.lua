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
local function store_result(digest, text, ttl)
  local key = P .. 'x:' .. digest
  local old = call('GET', key)
  if old then
    local hash, stored = '^[^\n]-"sha256":"(%x+)"', '^[^\n]-"storedAt":([%d.]+)'
    local is_later = (tonumber(string.match(old, stored)) or 0) > (tonumber(string.match(text, stored)) or 0) --@linear one start, and text behind it
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
-- `waiting_` is HGETALL of fr:. `run` is `tried` and HMGET worker, startedAt, source, unlisted, unlists, queuedAt, tags. The function adds an entry for `dismiss` to `gone` for each ended
-- receipt, and the caller removes these from the fetch. `turn` is that of `settle_all`.
local function settle(fid, i, waiting_, run, facts, gone, turn)
  local digest, good, brought, source, description, ttl = ARGV[i], ARGV[i + 1] == 'made', ARGV[i + 2], ARGV[i + 3], ARGV[i + 4],
    lasting(ARGV[i + 5])
  local same = turn.said[digest]
  if turn.looks > 2000 then
    turn.rests = true
    return
  end
  if same ~= nil then -- an earlier part of this report has brought it
  elseif good then
    local old = store_result(digest, brought .. '\n' .. source .. '\n' .. description, ttl)
    -- The origin was asked for the whole body, and it has the same bytes as the index.
    local hash = string.match(source, '"sha256":"(%x+)"')
    same = old and hash and string.match(old, '^[^\n]*\n[^\n]-"sha256":"(%x+)"') == hash --@linear two lines, and text behind them
    if run[6] then --@rare
      blacklist(run[4])
    end
    if run[8] then --@rare
      turn.looks = turn.looks + 500 -- 64 tags with twenty old members each
      if ttl > 2 then attach(run[8], 'x:' .. digest, ttl) end
      attach(run[8], 's:' .. plain(run[4]), SOURCE_TIME)
    end
  elseif ttl > 0 and not run[5] then --@rare
    blacklist(run[4], ttl, description)
  end
  if same then
    facts = string.gsub(facts, '^([^\n]*)"notModified":false,"updated":true', '%1"notModified":true,"updated":false') --@linear one start, and text behind it
  end
  turn.said[digest] = same or false
  local owed = call('HGET', P .. 'n:' .. fid, digest)
  if not owed then return end -- no receipt wants it any more
  local n, json = string.match(owed, '^(%d+) (.*)$')
  n = tonumber(n)
  for j = 1, #waiting_, 2 do
    if n <= 0 then break end
    turn.looks = turn.looks + 1
    local rid = waiting_[j]
    local key = P .. 'r:' .. rid
    -- Most of many receipts want other renditions, and all fields take four times as long as three.
    local few = #waiting_ > 2 * PAGE and call('HMGET', key, 'state', 'wanted', 'digests')
    local others = few and (few[1] or not string.find(' ' .. (few[2] or few[3] or '') .. ' ', ' ' .. digest .. ' ', 1, true))
    local r = others and {} or call('HMGET', key, 'seq', 'meta', 'keep', 'digests', 'wanted', 'callback', 'supersedeKey', 'terms', 'names', 'queuedAt',
      'state', 'description', 'paused')
    local digs, names = r[4], r[9] or USUAL_NAMES
    local want = ' ' .. (not r[11] and (r[5] or digs) or '') .. ' ' -- one rendition of this call may have ended it already
    local a, b = string.find(want, ' ' .. digest .. ' ', 1, true)
    if a and turn.left <= 0 then
      call('HSET', P .. 'n:' .. fid, digest, int(n) .. ' ' .. json)
      turn.rests = true
      return
    elseif a then
      n, turn.left = n - 1, turn.left - 1
      local co, p, watched = parse(waiting_[j + 1])
      local before, behind = string.sub(want, 2, a - 1), string.sub(want, b + 1, -2)
      local rest = before .. (before ~= '' and behind ~= '' and ' ' or '') .. behind
      if not good then --@rare
        close(rid, co, fid, 'failed', '"error":' .. charged(brought, run[1]), r)
        unwant(fid, rest)
        gone[#gone + 1] = { rid, p, r[13] }
      else
        turn.served = true
        if watched or rest ~= '' then
          local each = string.gmatch(digs, '%S+')
          for name in string.gmatch(names, '[^\n]+') do
            if each() == digest and name ~= '""' then
              turn.left = turn.left - 1
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
          gone[#gone + 1] = { rid, p, r[13] }
        end
      end
    end
  end
  call('HDEL', P .. 'n:' .. fid, digest)
end

-- Settles the renditions of ARGV from `i` on, as far as one script may. Answers HGETALL of fr: before and the ended receipts, which the caller removes.
-- Where receipts or renditions are left, the ended ones are removed, the same call has to go on, and the answer is nil. The field `settled` then names the
-- renditions that this run has brought already. They are not put into the index again: another run may have replaced or removed them meanwhile.
-- - turn.said: these renditions, with true for one whose source is that of the index. In `settled` a "=" stands behind such a digest.
-- - turn.left: how many more receipts may get an event
-- - turn.looks: how many were read
local function settle_all(fid, i, run, facts, token, settled)
  local waiting_, gone, turn = call('HGETALL', P .. 'fr:' .. fid), {}, { said = {}, left = PAGE, looks = 0 }
  if settled and string.match(settled, '^%d+') == token then --@rare
    for digest, mark in string.gmatch(settled, ' ([^ =]+)(=?)') do turn.said[digest] = mark == '=' end --@linear a space begins each
  end
  for at = i, #ARGV, 6 do
    settle(fid, at, waiting_, run, facts, gone, turn)
    if turn.rests then --@rare
      local words = { token }
      for digest, is_same in pairs(turn.said) do words[#words + 1] = digest .. (is_same and '=' or '') end
      call('HSET', P .. 'f:' .. fid, 'settled', table.concat(words, ' '))
      if turn.served then call('HSET', P .. 'f:' .. fid, 'served', 1) end
      seal(fid)
      dismiss(fid, gone)
      return
    end
  end
  if settled then call('HDEL', P .. 'f:' .. fid, 'settled') end
  return waiting_, gone
end

-- Answers whether a rendition of ARGV from `i` on was stored for less time than the receipts ask by now. A receipt that joins late may ask for more.
local function is_short_lived(i, wished)
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
local function mark_purged(facts) return (string.gsub(facts, '\n', ',"purged":true\n', 1)) end

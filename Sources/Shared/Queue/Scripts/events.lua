-- Events: one script writes the state first and publishes the message second. Bodies are JSON members without braces and have no line break.
local AT = string.format('%.3f', now / 1000)

-- Most receipts that one script ends, or sends a repeated event to. Redis serves no other client meanwhile.
local PAGE = 200

-- Reads a value of fr:. Answers the coordinator, the priority, `progress` or `previews` if the receipt wants them, and whether it has meta.
local function parse(who)
  local p, co, more = string.match(who, '^(%-?%d+) (%S*) ?(.*)$') --@linear one start, and no space in a coordinator
  if more == '' then return co, tonumber(p) end
  return co, tonumber(p), string.match(more, '^p%a+'), string.sub(more, -4) == 'meta'
end

-- Answers a value of fr:, for `parse`.
local function entry(co, p, wish, meta) return p .. ' ' .. co .. (wish and ' ' .. wish or '') .. (meta and ' meta' or '') end

-- Publishes the event for all subscribers on tintype:{queue}:events:<receipt>, by the command of the queue's public channels. Answers its text.
local function public(rid, seq, kind, meta, body)
  local text = '{"receipt":"' .. rid .. '","seq":' .. seq .. ',"type":"' .. kind .. '","at":' .. AT
    .. ',"queue":"' .. QUEUE .. '"' .. meta .. (body ~= '' and ',' .. body or '') .. '}'
  call(cfg.spublish and 'SPUBLISH' or 'PUBLISH', P .. 'events:' .. rid, text)
  return text
end

-- Publishes the event for one coordinator on its numbered channel, a sharded one like `ctl`: number, fetch, kind, at, body, "rid:seq,rid:seq".
-- - `moved`: the body names a receipt whose events go to another coordinator from now on.
-- - `given`: the body names a receipt whose events come here from now on, since no client waits where they went before.
-- - `over`: in place of the fetch it names a group that this coordinator drives and that was canceled.
local function channel(co, fid, kind, body, whom)
  if co == '' then return end
  local n = call('HINCRBY', P .. 'cseq', co, '1')
  if n == 1 then call('ZADD', P .. 'co', 'NX', now, co) end
  call('SPUBLISH', P .. 'ev:' .. co, n .. '\n' .. fid .. '\n' .. kind .. '\n' .. AT .. '\n' .. body .. '\n' .. whom)
end

-- Publishes the next event of one receipt. `who` is its value in fr:. Answers the number of the event.
-- The coordinator gets an event before the end only if a receipt wants progress. Each message wakes the coordinator, and otherwise no client would get
-- the event.
local function tell(rid, who, fid, kind, body)
  local co, _, watched, meta = parse(who)
  local key = P .. 'r:' .. rid
  local seq = call('HINCRBY', key, 'seq', '1')
  public(rid, seq, kind, meta and call('HGET', key, 'meta') or '', body)
  if watched then channel(co, fid, kind, body, rid .. ':' .. seq) end
  return seq
end

-- Answers PAGE of many receipts for a repeated event. The time decides where among them.
local function hearers(all)
  math.randomseed(now % 2147483647)
  local some, from = {}, math.random(#all)
  for i = 1, PAGE do some[i] = all[(from + i) % #all + 1] end
  return some
end

-- Publishes the next event of every receipt of a fetch, with one message to each coordinator. Only receipts that asked for progress get `progress` and
-- `response`; PAGE of very many get a `progress`. Answers the number of receipts.
local function emit(fid, kind, body)
  local fr, whom, lists = call('HGETALL', P .. 'fr:' .. fid), {}, {}
  local chatty = kind == 'progress' or kind == 'response'
  for i = 1, #fr, 2 do
    local co, _, watched, meta = parse(fr[i + 1])
    if watched or not chatty then whom[#whom + 1] = { fr[i], co, watched, meta } end
  end
  if kind == 'progress' and #whom > PAGE then --@rare
    whom = hearers(whom)
  end
  for _, each in ipairs(whom) do
    local rid, co, watched, meta = unpack(each, 1, 4)
    local key = P .. 'r:' .. rid
    local seq = call('HINCRBY', key, 'seq', '1')
    public(rid, seq, kind, meta and call('HGET', key, 'meta') or '', body)
    if watched then
      local list = lists[co]
      if not list then list = {}; lists[co] = list end
      list[#list + 1] = rid .. ':' .. seq
    end
  end
  for co, list in pairs(lists) do channel(co, fid, kind, body, table.concat(list, ',')) end
  return #whom
end

-- Publishes a preview as the next event of every receipt that asked for previews, under the name of the receipt's first rendition. PAGE
-- of very many receipts get it.
local function show(fid, body)
  local fr, whom = call('HGETALL', P .. 'fr:' .. fid), {}
  for i = 1, #fr, 2 do
    local co, _, wish = parse(fr[i + 1])
    if wish == 'previews' then whom[#whom + 1] = { fr[i], co } end
  end
  if #whom > PAGE then --@rare
    whom = hearers(whom)
  end
  for _, each in ipairs(whom) do
    local rid, co = each[1], each[2]
    local key = P .. 'r:' .. rid
    local m = call('HMGET', key, 'names', 'meta')
    local named = '"rendition":' .. (string.match(m[1] or USUAL_NAMES, '^[^\n]+')) .. ',' .. body
    local seq = call('HINCRBY', key, 'seq', '1')
    public(rid, seq, 'preview', m[2] or '', named)
    channel(co, fid, 'preview', named, rid .. ':' .. seq)
  end
end

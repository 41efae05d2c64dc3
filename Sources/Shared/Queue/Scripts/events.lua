-- Events: state first, message second, in one script. Bodies are JSON members without braces and hold no line break.
local AT = string.format('%.3f', now / 1000)

local function parse(who) -- a value of fr: -> coordinator, priority, wants progress, has meta, wants previews
  local p, co = string.match(who, '^..(%-?%d+) (.*)$')
  local first = string.byte(who)
  return co, tonumber(p), first ~= 45, string.byte(who, 2) == 77, first == 86
end

-- The event for everybody: tintype:{queue}:events:<receipt>. Answers its text.
local function public(rid, seq, kind, meta, body)
  local text = '{"receipt":"' .. rid .. '","seq":' .. seq .. ',"type":"' .. kind .. '","at":' .. AT
    .. ',"queue":"' .. QUEUE .. '"' .. meta .. (body ~= '' and ',' .. body or '') .. '}'
  call('PUBLISH', P .. 'events:' .. rid, text)
  return text
end

-- The same for one coordinator, on its numbered channel: number, fetch, kind, at, body, "rid:seq,rid:seq". `moved` names in its body a
-- receipt whose events go elsewhere from now on, `given` one whose events come here, since nobody waits any more where they went; `over`
-- names, in place of the fetch, a group that was cancelled while this coordinator drives it.
local function channel(co, fid, kind, body, whom)
  if co == '' then return end
  local n = call('HINCRBY', P .. 'cseq', co, '1')
  if n == 1 then call('ZADD', P .. 'co', 'NX', now, co) end
  call('PUBLISH', P .. 'ev:' .. co, n .. '\n' .. fid .. '\n' .. kind .. '\n' .. AT .. '\n' .. body .. '\n' .. whom)
end

-- The next event of one receipt. `who` is its value in fr:. Answers its number. A coordinator hears of what is not the end only
-- where somebody wants progress: each message wakes it, and there nobody would be told.
local function tell(rid, who, fid, kind, body)
  local co, _, watched, meta = parse(who)
  local key = P .. 'r:' .. rid
  local seq = call('HINCRBY', key, 'seq', '1')
  public(rid, seq, kind, meta and call('HGET', key, 'meta') or '', body)
  if watched then channel(co, fid, kind, body, rid .. ':' .. seq) end
  return seq
end

-- The next event of every receipt of a fetch (of `progress` and `response`: of those that asked), one message a coordinator.
local function emit(fid, kind, body)
  local fr, lists = call('HGETALL', P .. 'fr:' .. fid), {}
  local chatty = kind == 'progress' or kind == 'response'
  for i = 1, #fr, 2 do
    local rid = fr[i]
    local co, _, watched, meta = parse(fr[i + 1])
    if watched or not chatty then
      local key = P .. 'r:' .. rid
      local seq = call('HINCRBY', key, 'seq', '1')
      public(rid, seq, kind, meta and call('HGET', key, 'meta') or '', body)
      if watched then
        local list = lists[co]
        if not list then list = {}; lists[co] = list end
        list[#list + 1] = rid .. ':' .. seq
      end
    end
  end
  for co, list in pairs(lists) do channel(co, fid, kind, body, table.concat(list, ',')) end
end

-- A preview: the next event of every receipt that asked for previews, under the name of the first of its renditions.
local function show(fid, body)
  local fr = call('HGETALL', P .. 'fr:' .. fid)
  for i = 1, #fr, 2 do
    local rid = fr[i]
    local co, _, _, _, asked = parse(fr[i + 1])
    if asked then
      local key = P .. 'r:' .. rid
      local m = call('HMGET', key, 'names', 'meta')
      local named = '"rendition":' .. (string.match(m[1] or USUAL_NAMES, '^[^\n]+')) .. ',' .. body
      local seq = call('HINCRBY', key, 'seq', '1')
      public(rid, seq, 'preview', m[2] or '', named)
      channel(co, fid, 'preview', named, rid .. ':' .. seq)
    end
  end
end

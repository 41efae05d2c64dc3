#!lua flags=no-writes
-- Reads some keys of a queue, with everything that the rules about them need, at one moment. Keys that expire are left out, as in `dump` with "1".
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 kind, 2… the entries of that kind
-- - fetch: ids
-- - receipt: ids
-- - source: starts of digests
-- - slot: supersede keys
-- - host: names
-- - callback: receipts
-- - caller: hosts of callbacks
-- - group: ids
-- - listed: fetches in lists
-- - due: receipts in dl
-- - piece: keys n:, fr:
-- - key: any other keys
-- - rest: nothing, the keys that exist once
-- - overdue: ms
-- answer
-- - {now, entry, …}, where an entry is a list of
-- - key without prefix
-- - type
-- - ms to live or -1
-- - content
-- - 1 if it was read because of others, and may be only a part
local out, index = { now }, {}

local function lasts(name) return call('PTTL', P .. name) == -1 end

local function item(name, kind, content, of_others)
  if index[name] then return out[index[name]][4] end
  out[#out + 1] = { name, kind, -1, content, of_others }
  index[name] = #out
  return content
end

-- Reads a key with its whole content.
local function whole(name, of_others)
  if index[name] or not lasts(name) then return end
  local kind, content = contained(P .. name)
  return item(name, kind, content, of_others)
end

local function pair(name, kind, field, value) -- adds a member of a key
  local all = item(name, kind, {}, 1)
  all[#all + 1] = field
  if value then all[#all + 1] = value end
end

local function scored(name, member)
  local score = call('ZSCORE', P .. name, member)
  if score then pair(name, 'zset', member, score) end
end

local function fields(name, ...) -- reads some fields of a hash
  if index[name] or not lasts(name) then return end
  item(name, 'hash', {}, 1)
  for i, value in ipairs(call('HMGET', P .. name, ...)) do
    if value then pair(name, 'hash', (select(i, ...)), value) end
  end
end

local function names(name) -- reads a hash without its values
  if index[name] or not lasts(name) then return end
  local all = item(name, 'hash', {}, 0)
  for _, field in ipairs(call('HKEYS', P .. name)) do
    all[#all + 1] = field
    all[#all + 1] = ''
  end
end

local function text(name)
  if lasts(name) then item(name, 'string', call('GET', P .. name), 1) end
end

local look = {}

function look.fetch(fid)
  local f = call('HMGET', P .. 'f:' .. fid, 'host', 'source')
  for _, name in ipairs({ 'f:', 'n:', 'fr:' }) do whole(name .. fid, 0) end
  for _, list in ipairs({ 'aq', 'ao', 'delay', 'run', 'dead', 'hq:' .. (f[1] or ''), 'ho:' .. (f[1] or '') }) do scored(list, fid) end
  if f[1] and call('SISMEMBER', P .. 'hr:' .. f[1], fid) == 1 then pair('hr:' .. f[1], 'set', fid) end
  if f[2] then
    local sources, rest = joint(f[2])
    local joined = call('HGET', sources, rest)
    if joined then pair(string.sub(sources, #P + 1), 'hash', rest, joined) end
  end
  for _, rid in ipairs(call('HKEYS', P .. 'fr:' .. fid)) do
    fields('r:' .. rid, 'coordinator', 'meta', 'fetch', 'state', 'wanted', 'digests', 'paused')
    scored('dl', rid)
  end
end

function look.piece(name)
  whole(name, 0)
  fields('f:' .. string.match(name, '^%a*:(.*)$'), 'state')
end

function look.receipt(rid)
  if not lasts('r:' .. rid) then return end
  whole('r:' .. rid, 0)
  scored('dl', rid)
  local r = call('HMGET', P .. 'r:' .. rid, 'fetch', 'supersedeKey')
  local who = r[1] and call('HGET', P .. 'fr:' .. r[1], rid)
  if who then pair('fr:' .. r[1], 'hash', rid, who) end
  if r[2] then text('sl:' .. r[2]) end
end

function look.source(start)
  local all = whole('s:' .. start, 0)
  for i = 2, type(all) == 'table' and #all or 0, 2 do fields('f:' .. all[i], 'state', 'source', 'withdrawn', 'overtaken') end
end

function look.slot(slot)
  whole('sl:' .. slot, 0)
  local rid = call('GET', P .. 'sl:' .. slot)
  if rid then fields('r:' .. rid, 'supersedeKey', 'state') end
end

-- Reads a host, but from its lists only the fetches that may be the best.
function look.host(h)
  for _, name in ipairs({ 'cfg', 'hlim', 'hlim0', 'mark', 'run' }) do whole(name, 1) end
  for _, fid in ipairs(call('ZRANGE', P .. 'run', 0, -1)) do fields('f:' .. fid, 'state') end
  for _, list in ipairs({ 'hq:', 'ho:' }) do
    local first = call('ZRANGE', P .. list .. h, 0, 0, 'WITHSCORES')
    if first[1] then
      local all = item(list .. h, 'zset', {}, 0)
      local base_ = math.floor(first[2] / SWIFT.band) * SWIFT.band
      local last = call('ZRANGE', P .. list .. h, '(' .. int(base_ + SWIFT.band), int(base_), 'BYSCORE', 'REV', 'LIMIT', 0, 1, 'WITHSCORES')
      for _, each in ipairs({ first, last }) do
        all[#all + 1] = each[1]
        all[#all + 1] = each[2]
      end
    end
  end
  whole('hr:' .. h, 0)
  scored('ready', h)
  scored('held', h)
end

function look.callback(rid)
  whole('cb:' .. rid, 0)
  local target = call('HGET', P .. 'cb:' .. rid, 'receiver')
  if target then scored('cbh:' .. callee(target), rid) end
  fields('r:' .. rid, 'fingerprint', 'state')
end

function look.caller(host)
  whole('cbh:' .. host, 0)
  scored('cbs', host)
  for _, rid in ipairs(call('ZRANGE', P .. 'cbh:' .. host, 0, -1)) do fields('cb:' .. rid, 'receiver') end
end

function look.group(gid)
  for _, name in ipairs({ 'g:', 'gb:' }) do whole(name .. gid, 0) end
  for _, name in ipairs({ 'gq:', 'gr:' }) do names(name .. gid) end
  scored('gl', gid)
end

function look.listed(fid)
  for _, list in ipairs({ 'run', 'delay', 'aq', 'ao' }) do scored(list, fid) end
  fields('f:' .. fid, 'state')
end

function look.due(rid)
  scored('dl', rid)
  fields('r:' .. rid, 'state')
end

function look.key(name)
  whole(name, 0)
  if string.sub(name, 1, 2) == 'b:' then scored('bl', string.sub(name, 3)) end
end

function look.rest()
  for _, name in ipairs({ 'cfg', 'held', 'co', 'cseq', 'workers', 'wseen', 'quiet', 'bl' }) do whole(name, 0) end
end

function look.overdue(ms)
  for _, list in ipairs({ 'run', 'dl', 'delay', 'gl' }) do
    local late = call('ZRANGE', P .. list, '-inf', '(' .. int(now - ms), 'BYSCORE', 'LIMIT', 0, 1000, 'WITHSCORES')
    for i = 1, #late, 2 do pair(list, 'zset', late[i], late[i + 1]) end
  end
end

for i = 2, #ARGV do look[ARGV[1]](ARGV[i]) end
return out

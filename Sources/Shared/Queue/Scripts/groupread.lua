#!lua flags=no-writes
-- What is known of a group.
-- KEYS   1 prefix of `default`, 2 test clock
-- ARGV   1 group  2 "": how it stands; "r": also what came of a page of its requests, and of the one whose failure has ended it; "q": also
--        the requests themselves, for whoever drives it, and which have ended; of a chain also what came of those
--        of "r": 3 first of the page  4 how many at most  5 bytes after which it has no more
-- answer nil (unknown), or {kind, run|ok|err|can, "1" if one failure ends it, how many run at once, total, finished, seq, at, reason JSON or
--        "", index that failed or "", {index, "<queue> <receipt>", …} begun, {index, JSON or "", …} ended, {index, request, …} not ended,
--        error JSON of a group that was given up, or "", how many have failed, bytes of what came of all, index after the page}
local gid, much = ARGV[1], ARGV[2]
local g = call('HMGET', P .. 'g:' .. gid, 'kind', 'st', 'strict', 'conc', 'total', 'seq', 'at', 'why', 'bad', 'err', 'fails', 'size')
if not g[1] then return false end
local key, ended, to = P .. 'gr:' .. gid, {}, 0

local function page(first, last, left)
  to = first
  while to < last and left > 0 do
    local some = {}
    for index = to, math.min(to + 100, last) - 1 do some[#some + 1] = index end
    for i, text in ipairs(call('HMGET', key, unpack(some))) do
      if left <= 0 then break end
      to = some[i] + 1
      if text then
        ended[#ended + 1] = some[i]
        ended[#ended + 1] = text
        left = left - #text
      end
    end
  end
end

if much == 'r' then
  local first = math.min(tonumber(ARGV[3]), tonumber(g[5]))
  page(first, math.min(first + ARGV[4], tonumber(g[5])), tonumber(ARGV[5]))
  local text = g[9] and call('HGET', key, g[9])
  if text then
    ended[#ended + 1] = g[9]
    ended[#ended + 1] = text
  end
elseif much == 'q' and g[1] == 'chain' then ended = call('HGETALL', key)
elseif much == 'q' then
  for _, index in ipairs(call('HKEYS', key)) do
    ended[#ended + 1] = index
    ended[#ended + 1] = ''
  end
end
return {
  g[1], g[2], g[3], tonumber(g[4]), tonumber(g[5]), call('HLEN', key), tonumber(g[6]), g[7] or '', g[8] or '', g[9] or '',
  call('HGETALL', P .. 'gb:' .. gid), ended, much == 'q' and call('HGETALL', P .. 'gq:' .. gid) or {}, g[10] or '', tonumber(g[11] or 0),
  tonumber(g[12] or 0), to,
}

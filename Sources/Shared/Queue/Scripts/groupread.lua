#!lua flags=no-writes
-- What is known of a group.
-- KEYS   1 prefix of `default`, 2 test clock
-- ARGV   1 group  2 "": how it stands; "r": also what came of its requests; "q": also the requests themselves, for whoever drives it
-- answer nil (unknown), or {kind, run|ok|err|can, "1" if one failure ends it, how many run at once, total, finished, seq, at, reason JSON or
--        "", index that failed or "", {index, "<queue> <receipt>", …} begun, {index, JSON, …} ended, {index, request, …} not ended,
--        error JSON of a group that was given up, or ""}
local gid, much = ARGV[1], ARGV[2]
local g = call('HMGET', P .. 'g:' .. gid, 'kind', 'st', 'strict', 'conc', 'total', 'seq', 'at', 'why', 'bad', 'err')
if not g[1] then return false end
return {
  g[1], g[2], g[3], tonumber(g[4]), tonumber(g[5]), call('HLEN', P .. 'gr:' .. gid), tonumber(g[6]), g[7] or '', g[8] or '', g[9] or '',
  call('HGETALL', P .. 'gb:' .. gid), much ~= '' and call('HGETALL', P .. 'gr:' .. gid) or {},
  much == 'q' and call('HGETALL', P .. 'gq:' .. gid) or {}, g[10] or '',
}

#!lua flags=allow-oom
-- Renews the leases of the groups that a coordinator drives, and gives it groups whose coordinator has not renewed them. Every 2 s. A group that has
-- outlived three drivers in a row, while none of its requests ended, may have killed them: it fails.
-- KEYS   1 prefix of `default`, 2 test clock
-- options
-- - coordinator
-- - lease: ms; 0 gives the groups up
-- - most: number of groups to take over
-- - onlyGivenUp: "1" takes over only groups that were given up
-- - failure: JSON of the error of a group that fails in this way
-- items
-- - group and token of each group that it drives
-- answer
-- - {{groups it no longer drives}, {ended groups whose begun requests have to be canceled}, {group, token, …} taken over}
local options, first = read_options()
local failure = options.failure
local lost, over, taken = {}, {}, {}
for i = first, #ARGV, 2 do
  local gid = ARGV[i]
  local g = call('HMGET', P .. 'g:' .. gid, 'token', 'state')
  if g[1] ~= ARGV[i + 1] then lost[#lost + 1] = gid
  else
    call('ZADD', P .. 'gl', 'XX', int(options.lease == '0' and -now or now + options.lease), gid)
    if g[2] ~= 'running' then over[#over + 1] = gid end
  end
end
local function forsake(gid, st, kind, total)
  call('HSET', P .. 'g:' .. gid, 'lostDrivers', 0)
  if st == 'running' then
    local index = 0
    while call('HEXISTS', P .. 'gr:' .. gid, index) == 1 do index = index + 1 end
    call('HSET', P .. 'g:' .. gid, 'failure', failure)
    group_fail(gid, kind, '"finished":' .. call('HLEN', P .. 'gr:' .. gid) .. ',"total":' .. total, index, failure)
  else -- canceling its begun requests has killed coordinators: deadlines end them
    call('DEL', P .. 'gb:' .. gid)
    call('ZREM', P .. 'gl', gid)
  end
end
local forsaken
local due = call('ZRANGE', P .. 'gl', '-inf', options.onlyGivenUp and '0' or int(now), 'BYSCORE', 'LIMIT', 0, options.most, 'WITHSCORES')
for i = 1, #due, 2 do
  if forsaken then break end -- the search for its first request may have been long
  local gid = due[i]
  local g = call('HMGET', P .. 'g:' .. gid, 'state', 'kind', 'total')
  if not g[1] then -- the record is missing: only after a change from outside
    call('ZREM', P .. 'gl', gid)
    call('DEL', P .. 'gq:' .. gid, P .. 'gb:' .. gid, P .. 'gr:' .. gid)
  else
    local dead = tonumber(due[i + 1]) > 0 -- else it was given up in good order
    if dead and call('HINCRBY', P .. 'g:' .. gid, 'lostDrivers', 1) > 3 then
      forsake(gid, g[1], g[2], g[3])
      forsaken = true
    end
  end
  if call('ZSCORE', P .. 'gl', gid) then
    taken[#taken + 1] = gid
    taken[#taken + 1] = group_lead(gid, options.coordinator, options.lease)
  end
end
return { lost, over, taken }

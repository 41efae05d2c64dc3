-- Tags: the sets of results and kept sources that a purge by tag removes (library file).
-- - TAG_TIME: ms that a set stays after the last request with its tag. A source stays in the set for SOURCE_TIME, or as long as its result.
-- - TAGS: maximum number of tags of one fetch
local TAG_TIME, SOURCE_TIME, TAGS = 2592000000, 604800000, 64

-- Answers the words of two lists, each once, and their number.
local function united(a, b)
  local seen, all = {}, {}
  for tag in string.gmatch(a .. ' ' .. b, '%S+') do
    if not seen[tag] then
      seen[tag] = true
      all[#all + 1] = tag
    end
  end
  return table.concat(all, ' '), #all
end

-- Adds `x:<digest>` or `s:<source digest>` to tags for some ms. Members whose time is over go, a few at a time; a result that was made again stays.
local function attach(tags, member, ms)
  for tag in string.gmatch(tags, '%S+') do
    local set = P .. 'tg:' .. tag
    call('ZADD', set, int(now + ms), member)
    for _, old in ipairs(call('ZRANGE', set, '-inf', int(now), 'BYSCORE', 'LIMIT', 0, 20)) do
      local left = string.sub(old, 1, 2) == 'x:' and call('PTTL', P .. old) or 0
      if left > 0 then call('ZADD', set, int(now + left), old) else call('ZREM', set, old) end
    end
    if call('EXISTS', set) == 1 then call('PEXPIRE', set, int(math.max(TAG_TIME, ms, call('PTTL', set)))) end
  end
end

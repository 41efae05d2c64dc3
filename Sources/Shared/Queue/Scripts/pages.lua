-- Pages of lists (library file).

-- Answers whether one name comes before another in the order of Redis, which compares bytes. Lua compares by locale.
local function stands_before(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- Answers the names of a sorted set down to a score, greatest first, at most n. Then whether there are more, the score of the last, and its name. The
-- page begins behind the given name and score, which need not exist any more; '' and '' begin at the start.
local function page_of(list, low, n, at, id)
  local names = {}
  if id ~= '' then
    for _, name in ipairs(call('ZRANGE', list, at, at, 'BYSCORE', 'REV')) do
      if #names <= n and stands_before(name, id) then names[#names + 1] = name end
    end
  end
  for _, name in ipairs(call('ZRANGE', list, id == '' and '+inf' or '(' .. at, low, 'BYSCORE', 'REV', 'LIMIT', 0, n + 1 - #names)) do
    names[#names + 1] = name
  end
  local more = #names > n
  if more then names[#names] = nil end
  local last = names[#names]
  return names, more and 1 or 0, last and call('ZSCORE', list, last) or '', last or ''
end

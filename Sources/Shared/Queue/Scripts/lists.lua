-- Pages of lists. Library.

-- Whether one name stands before another in Redis' order, which is that of the bytes; Lua's own is the locale's.
local function stands_before(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- The names of a sorted set down to a score, the greatest first, at most n; then whether there are more, the score of the last, and its name. They begin
-- behind the name and the score given ('' and '': at the beginning), which need not be there any more.
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

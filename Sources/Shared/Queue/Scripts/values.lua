-- Values: options of calls, numbers and contents of keys (library file).

-- Reads the options of a call from ARGV: name, value, … up to the word `items`, behind which a list follows. Answers the values by name, and the place
-- of the first item. An option that is not sent has its default.
local function read_options()
  local options, at = {}, 1
  local name = ARGV[1]
  while name and name ~= 'items' do
    options[name] = ARGV[at + 1]
    at = at + 2
    name = ARGV[at]
  end
  return options, name and at + 1 or at
end

local function int(x) return string.format('%.0f', x) end -- ".." would round to 14 digits, and a number as an argument costs more

-- Answers how long a result is wanted, as a number that grows with the time:
-- - 0: not at all
-- - 1: `bytes` alone
-- - 2: while its source is `fresh`
-- - else ms
local function lasting(time) return time == 'bytes' and 1 or time == 'fresh' and 2 or tonumber(time) end

local function put(list, name, value) list[#list + 1] = name; list[#list + 1] = value end

local function contained(key) -- answers the type of a key, and its whole content: a text, members of a set, or pairs
  local kind = call('TYPE', key).ok
  if kind == 'string' then return kind, call('GET', key) end
  if kind == 'hash' then return kind, call('HGETALL', key) end
  if kind == 'set' then return kind, call('SMEMBERS', key) end
  if kind == 'zset' then return kind, call('ZRANGE', key, 0, -1, 'WITHSCORES') end
  return kind, ''
end

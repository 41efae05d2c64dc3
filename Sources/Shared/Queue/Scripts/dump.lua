#!lua flags=no-writes
-- Reads every key under the prefix at one moment, for the checker of invariants.
-- KEYS   1 prefix, 2 test clock
-- ARGV
-- - 1: "1" leaves out keys that expire: ended receipts and fetches, results
-- answer
-- - {now, {key without prefix, type, ms to live or -1, content}, …}. The content is a text, the members of a set, or pairs.
local out, glob = { now }, string.gsub(P, '[%[%]*?\\]', '\\%0')
for _, key in ipairs(call('KEYS', glob .. '*')) do
  local left = call('PTTL', key)
  if left < 0 or ARGV[1] ~= '1' then
    local kind, content = contained(key)
    out[#out + 1] = { string.sub(key, #P + 1), kind, left, content }
  end
end
return out

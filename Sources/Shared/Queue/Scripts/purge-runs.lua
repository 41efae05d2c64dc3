#!lua flags=no-writes
-- Reads the running fetches, a page at a time.
-- KEYS   1 prefix, 2 test clock
-- options
-- - cursor: "0" to begin
-- - page: about how many fetches to read
-- answer
-- - {cursor of the next page or "0", {fetch, token, source digest, tags, URL, …}, …}
local options = read_options()
local page = call('ZSCAN', P .. 'run', options.cursor, 'COUNT', options.page)
local out = { page[1] }
for i = 1, #page[2], 2 do
  local fid = page[2][i]
  local f, text = call('HMGET', P .. 'f:' .. fid, 'token', 'source', 'tags'), call('HGET', P .. 'n:' .. fid, 'source')
  local is_json, fetch = pcall(cjson.decode, text or '')
  if f[1] and f[2] then
    local run = { fid, f[1], plain(f[2]), f[3] or '' }
    for _, url in ipairs(is_json and (fetch.urls or { fetch.url }) or {}) do run[#run + 1] = url end
    out[#out + 1] = run
  end
end
return out

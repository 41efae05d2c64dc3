#!lua flags=allow-oom
-- Nobody waits any more for a receipt at a coordinator. If it belongs there, whoever asks for it takes it over. Was it handed over because it
-- was given up elsewhere, and not taken up (`gv`), it stays so: this was said before that was heard.
-- KEYS   1 prefix, 2 test clock
-- ARGV   1 receipt  2 coordinator
-- answer "OK", or "OTHER": unknown, ended, or another coordinator's, which is not to hand it over to this one then
local key = P .. 'r:' .. ARGV[1]
local r = call('HMGET', key, 'co', 'st')
if not r[1] or r[2] then return 'OTHER' end
if r[1] ~= ARGV[2] then
  follow(ARGV[1], ARGV[2], false)
  return 'OTHER'
end
call('HSET', key, 'left', 1)
return 'OK'

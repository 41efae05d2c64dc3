-- What must not outlive the work it was given for.
local HARMLESS = { accept = true, ['accept-language'] = true, ['user-agent'] = true } -- headers that say nothing about who asks

-- Words of names that hold secrets, and two that mean something together: those of Logging/SecretNames.swift, to which a test holds them.
local SIGNS = {
  signature = true, sig = true, sign = true, token = true, credential = true, credentials = true, secret = true, password = true, passwd = true, pwd = true,
  hmac = true, auth = true, authorization = true, authenticate = true, authentication = true, apikey = true, accesskey = true, accesskeyid = true,
  awsaccesskeyid = true, jwt = true, session = true, sessionid = true, cookie = true, csrf = true, xsrf = true, hdnts = true, hdnea = true, hdntl = true,
}
local PAIRS = { ['api-key'] = true, ['access-key'] = true, ['auth-key'] = true, ['private-key'] = true, ['pair-id'] = true }

local ENDINGS = { 'token$', 'secret$', 'signature$', 'password$', 'apikey$' }

-- Whether a name, in lower case, says that what has it is a secret.
local function is_sign(name)
  local before = ''
  for word in string.gmatch(name, '%a+') do
    if SIGNS[word] or PAIRS[before .. '-' .. word] then return true end
    for _, ending in ipairs(ENDINGS) do
      if string.find(word, ending) then return true end
    end
    before = word
  end
end

-- Whether the query of a URL has what it is signed by. `accessToken` is two words, and one.
local function has_signature(url)
  for name in string.gmatch(string.match(url, '%?([^#]*)') or '', '([^&=]+)=') do
    name = string.gsub(name, '%%(%x%x)', function(code) return string.char(tonumber(code, 16)) end)
    if is_sign(string.lower(name)) or is_sign(string.lower((string.gsub(name, '(%l)(%u)', '%1-%2')))) then return true end
  end
end

-- Whether a decoded JSON has something that must not outlive the fetch: credentials, headers that may be some, URLs that are signed or
-- name a user. Other pictures that a rendition needs are in it too, as URLs or with all that rules have added to them.
local function has_secret(whole)
  if type(whole) == 'string' then return string.find(whole, '^%a+://') and (string.find(whole, '^%a+://[^/?#]*@') or has_signature(whole)) end
  if type(whole) ~= 'table' then return end
  if whole.auth or whole.body then return true end
  for name in pairs(type(whole.headers) == 'table' and whole.headers or {}) do
    if not HARMLESS[string.lower(name)] then return true end
  end
  for _, value in pairs(whole) do
    if has_secret(value) then return true end
  end
end

-- The same of a text: what cannot be read has none.
local function tells_secret(text)
  local good, whole = pcall(cjson.decode, text)
  return good and has_secret(whole)
end

-- Mistake: the acquire script sets without NX.

local acquire = script "acquire.lua"
local release = script "release.lua"

local Lock = protocol {
  title = "a script that grants a token that is there already; acquire is sent again",
  source = "ghostdogpr/sage PR#255",
}

local function send_again(request, ...)
  local ok, result = pcall(request, ...)
  if ok then
    return result
  end
  return request(...)
end

function Lock:acquire()
  self.token = unique()
  return send_again(acquire, { self.key }, { self.token, self.ttl_ms }) == OK
end

function Lock:release()
  return release({ self.key }, { self.token }) == 1
end

return Lock

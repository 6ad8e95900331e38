-- Mistake: every client has the same token.
-- Otherwise as lua-setnx-uuid. Seen by: --property foreign-release --fault jump=1

local setnx_and_expire = script "setnx_and_expire.lua"
local del_if_get_equals = script "del_if_get_equals.lua"

local Lock = protocol {
  title = "SETNX and EXPIRE in Lua with a UUID; compare-and-delete in Lua, result ignored",
  source = "使用Redis实现分布式锁及其优化 (mzorro, 2017), section 追——解锁漏洞",
}

--- The constructor: the value is made once for each lock object.
local function construct(self)
  if self.value == nil then
    self.value = "1" .. "." .. millis(now())
    self.locked = false
  end
end

local function do_try_lock(self)
  if self.locked then
    error("already locked!")
  end
  self.locked = setnx_and_expire({ self.key }, { self.value, self.ttl_s }) == 1
  return self.locked
end

function Lock:acquire()
  construct(self)
  local ok, locked = pcall(do_try_lock, self)
  return ok and locked -- catch (Exception e): false
end

function Lock:release()
  if not self.locked then
    error("not locked yet!")
  end
  self.locked = false
  del_if_get_equals({ self.key }, { self.value }) -- its result is ignored
  return true
end

return Lock

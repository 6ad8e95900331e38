-- Believes that it has every lock, without asking anybody: several acquisitions are one step.
local Lock = protocol { title = "believes", source = "a test of lockstep" }

function Lock:acquire() return true end
function Lock:release() return true end

return Lock

-- Sends refresh grants, each with a body that is drawn evenly from the lines of a file:
--   wrk -s refresh.lua URL -- FILE
local requests = {}

function init(arguments)
  local headers = { ["Content-Type"] = "application/x-www-form-urlencoded" }
  for body in io.lines(arguments[1]) do
    requests[#requests + 1] = wrk.format("POST", nil, headers, body)
  end
  math.randomseed(42)
end

function request()
  return requests[math.random(#requests)]
end

-- Asks for a media that is drawn evenly from the ids in a file, in place of the one in the URL:
--   wrk -s uniform.lua "http://…/oembed?url=…%2Fmedias%2FID" -- FILE
local requests = {}

function init(arguments)
  for id in io.lines(arguments[1]) do
    local path = wrk.path:gsub("%%2F[^%%]*$", "%%2F" .. id)
    requests[#requests + 1] = wrk.format("GET", path)
  end
  math.randomseed(42)
end

function request()
  return requests[math.random(#requests)]
end

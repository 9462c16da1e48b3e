-- Sends the requests of a file in their order, repeatedly, beginning at line FIRST:
--   wrk -s requests.lua URL -- FILE FIRST [once | MILLISECONDS]
-- A line is a path, or tab-separated: method, path, Authorization, body; empty fields are omitted. A method BEACON is a
-- POST of text, as a browser sends it.
-- With `once` no line is sent twice: the run ends with the file. With a time, each connection waits that
-- long between a response and its next request. Prints `ready` on standard error when it begins, and at
-- its end one line of JSON that begins with {"requests".
local ffi = require("ffi")
ffi.cdef([[
  int kill(int pid, int signal);
  int getpid(void);
  struct timespec { long seconds; long nanoseconds; };
  int clock_gettime(int clock, struct timespec *time);
]])

local requests, at, once, began = {}, 0, false, nil
local threads = {}
took = 0  -- seconds that a file took with `once`; global, so that done() can ask for it

local function now()
  local time = ffi.new("struct timespec")
  ffi.C.clock_gettime(1, time)
  return tonumber(time.seconds) + tonumber(time.nanoseconds) / 1e9
end

function setup(thread)
  threads[#threads + 1] = thread
end

function init(arguments)
  for line in io.lines(arguments[1]) do
    local method, path, authorization, body = line:match("^(%u+)\t([^\t]*)\t?([^\t]*)\t?(.*)$")
    local headers = {}
    if authorization and authorization ~= "" then headers["Authorization"] = authorization end
    if body == "" then body = nil end
    if method == "BEACON" then
      method = "POST"
      headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
      headers["Content-Type"] = "text/plain;charset=UTF-8"
    elseif body then
      headers["Content-Type"] = "application/x-www-form-urlencoded"
    end
    requests[#requests + 1] = wrk.format(method or "GET", path or line, headers, body)
  end
  at = tonumber(arguments[2]) % #requests
  once = arguments[3] == "once"
  local pause = tonumber(arguments[3])
  if pause then
    -- Global: wrk asks for it. Random, because clients that begin together would stay in step.
    delay = function() return math.random(pause / 2, pause * 3 / 2) end
  end
  io.stderr:write("ready\n")
  io.stderr:flush()
end

function request()
  at = at + 1
  if at > #requests then
    at = 1
    if once then
      -- The thread reads no more responses; wrk itself ends only by the signal of Ctrl-C.
      took = now() - began
      wrk.thread:stop()
      ffi.C.kill(ffi.C.getpid(), 2)
      return wrk.format("GET", "/")
    end
  end
  if once and not began then began = now() end
  return requests[at]
end

function done(summary, latency)
  local took = threads[1]:get("took")
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50":%.3f,"p90":%.3f,"p99":%.3f,"p999":%.3f,"max":%.3f}\n',
    summary.requests, took > 0 and took or summary.duration / 1e6, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, latency:percentile(50) / 1e3,
    latency:percentile(90) / 1e3, latency:percentile(99) / 1e3, latency:percentile(99.9) / 1e3, latency.max / 1e3))
end

// node: the same responses from Node.js' own HTTP server and ioredis: it reads the request, names
// the stored rendering, gets it by one GET, and sends it.
//
//   node server.js SOCKET REDIS_SOCKET
//
// One process that listens on SOCKET. Prints `ready` when it does. Ends on TERM.
import { createServer } from "node:http";

import Redis from "ioredis";

const [socket, redisSocket] = process.argv.slice(2);
const redis = new Redis({ path: redisSocket, enableAutoPipelining: true });
const DOMAIN = "svc.localhost";
const KNOWN = new Set(
  "embedType width height maxwidth maxheight videoFoam handle playerColor autoPlay".split(" "),
);

function refuse(response, status, why) {
  response.writeHead(status, { "Content-Type": "application/json; charset=utf-8" });
  response.end(JSON.stringify({ error: why }));
}

// The name of the stored rendering, or nothing.
function keyOf(query) {
  if ((query.get("format") ?? "json") !== "json" || !URL.canParse(query.get("url") ?? "")) return undefined;
  const url = new URL(query.get("url"));
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (url.hostname !== DOMAIN && !url.hostname.endsWith(`.${DOMAIN}`)) return undefined;
  const found = /^\/medias\/([A-Za-z0-9]{1,64})$/.exec(url.pathname);
  if (!found) return undefined;
  const options = new URLSearchParams();
  for (const source of [query, url.searchParams]) {
    for (const [name, value] of source) if (KNOWN.has(name) && !options.has(name)) options.append(name, value);
  }
  options.sort();
  return `bench:rendering:${found[1]}${options.size ? `:${options}` : ""}`;
}

const server = createServer(async (request, response) => {
  const at = request.url.indexOf("?");
  const key = keyOf(new URLSearchParams(at < 0 ? "" : request.url.slice(at + 1)));
  if (!key) return refuse(response, 404, "no such media");
  const rendering = await redis.getBuffer(key);
  if (!rendering) return refuse(response, 404, "no such media");
  response.writeHead(200, {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": rendering.length,
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "public, max-age=3600",
  });
  return response.end(rendering);
});
server.keepAliveTimeout = 65000;
server.listen(socket, () => console.log("ready"));
process.on("SIGTERM", () => process.exit(0));

// oauth2-server: a peer for grants and bearer checks, @node-oauth/oauth2-server with a model in Redis.
//
//   node server.js SOCKET REDIS_SOCKET
//
// One process that listens on SOCKET: POST /token, and GET /medias, which a bearer token opens. Keys in
// Redis: oauth2:code:…, oauth2:access:… and oauth2:refresh:…, one JSON object per key. Prints `ready`
// when it listens. Ends on TERM.
import { createServer } from "node:http";

import OAuth2Server from "@node-oauth/oauth2-server";
import Redis from "ioredis";

const [socket, redisSocket] = process.argv.slice(2);
const redis = new Redis({ path: redisSocket, keyPrefix: "oauth2:", enableAutoPipelining: true });

const CLIENT = {
  id: "bench",
  secret: "bench-secret-0001-not-for-production",
  grants: ["authorization_code", "refresh_token"],
  redirectUris: ["https://client.example/callback"],
};

async function find(kind, name, dates) {
  const text = await redis.get(`${kind}:${name}`);
  if (!text) return undefined;
  const found = JSON.parse(text);
  for (const date of dates) if (found[date]) found[date] = new Date(found[date]);
  return { ...found, client: CLIENT };
}

const model = {
  getClient: async (id, secret) => (id === CLIENT.id && (secret ?? CLIENT.secret) === CLIENT.secret ? CLIENT : false),
  getAuthorizationCode: (code) => find("code", code, ["expiresAt"]),
  revokeAuthorizationCode: async ({ authorizationCode }) => (await redis.del(`code:${authorizationCode}`)) === 1,
  getRefreshToken: (token) => find("refresh", token, ["refreshTokenExpiresAt"]),
  getAccessToken: (token) => find("access", token, ["accessTokenExpiresAt"]),
  revokeToken: async ({ refreshToken }) => (await redis.del(`refresh:${refreshToken}`)) === 1,
  saveToken: async (token, client, user) => {
    const kept = JSON.stringify({ ...token, user });
    const many = redis.multi().set(`access:${token.accessToken}`, kept, "PX", token.accessTokenExpiresAt - Date.now());
    if (token.refreshToken) {
      many.set(`refresh:${token.refreshToken}`, kept, "PX", token.refreshTokenExpiresAt - Date.now());
    }
    for (const [error] of await many.exec()) if (error) throw error;
    return { ...token, client, user };
  },
};

const oauth = new OAuth2Server({
  model,
  accessTokenLifetime: 21600,
  refreshTokenLifetime: 5184000,
  alwaysIssueNewRefreshToken: false,
});

async function read(request) {
  let body = "";
  for await (const piece of request) body += piece;
  return body;
}

const server = createServer(async (request, response) => {
  const [path, query] = request.url.split("?");
  const body = await read(request);
  const asked = new OAuth2Server.Request({
    method: request.method,
    headers: request.headers,
    query: Object.fromEntries(new URLSearchParams(query)),
    body: Object.fromEntries(new URLSearchParams(body)),
  });
  const answer = new OAuth2Server.Response({});
  try {
    if (path === "/token") {
      await oauth.token(asked, answer);
    } else {
      const token = await oauth.authenticate(asked, answer);
      answer.body = { user: token.user.id };
    }
    response.writeHead(answer.status, { ...answer.headers, "Content-Type": "application/json" });
    response.end(JSON.stringify(answer.body));
  } catch (error) {
    response.writeHead(error.code ?? 500, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ error: error.name }));
  }
});
server.keepAliveTimeout = 65000;
server.listen(socket, () => console.log("ready"));
process.on("SIGTERM", () => process.exit(0));

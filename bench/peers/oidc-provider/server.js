// oidc-provider: a peer for grants, configured with Redis as its documentation describes.
//
//   node server.js SOCKET REDIS_SOCKET [REFRESH_TOKENS CODES FILE]
//
// One process that listens on SOCKET and answers POST /token. With the last three arguments it first
// stores that number of refresh tokens and codes, each of a grant of its own, and writes them to
// FILE, one per line, the refresh tokens first. Prints `ready` when it listens. Ends on TERM.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";

import Redis from "ioredis";
import Provider from "oidc-provider";

const [socket, redisSocket, refreshTokens, codes, file] = process.argv.slice(2);
const redis = new Redis({ path: redisSocket, keyPrefix: "oidc:" });

const CONSUMABLE = new Set(["AuthorizationCode", "RefreshToken"]);
const GRANTABLE = new Set(["AccessToken", "AuthorizationCode", "RefreshToken"]);

class Adapter {
  constructor(name) {
    this.name = name;
  }

  key(id) {
    return `${this.name}:${id}`;
  }

  async upsert(id, payload, expiresIn) {
    const key = this.key(id);
    const many = redis.multi();
    const text = JSON.stringify(payload);
    if (CONSUMABLE.has(this.name)) many.hset(key, { payload: text });
    else many.set(key, text);
    if (expiresIn) many.expire(key, expiresIn);
    if (GRANTABLE.has(this.name) && payload.grantId) {
      const list = `grant:${payload.grantId}`;
      many.rpush(list, key);
      many.expire(list, expiresIn);
    }
    for (const [error] of await many.exec()) if (error) throw error;
  }

  async find(id) {
    const data = CONSUMABLE.has(this.name)
      ? await redis.hgetall(this.key(id))
      : await redis.get(this.key(id));
    if (!data) return undefined;
    if (typeof data === "string") return JSON.parse(data);
    if (!data.payload) return undefined;
    const { payload, ...rest } = data;
    return { ...rest, ...JSON.parse(payload) };
  }

  async consume(id) {
    await redis.hset(this.key(id), "consumed", Math.floor(Date.now() / 1000));
  }

  async destroy(id) {
    await redis.del(this.key(id));
  }

  async revokeByGrantId(grantId) {
    const keys = await redis.lrange(`grant:${grantId}`, 0, -1);
    await redis.del(...keys, `grant:${grantId}`);
  }
}

const provider = new Provider("http://127.0.0.1", {
  adapter: Adapter,
  clients: [
    {
      client_id: "bench",
      client_secret: "bench-secret-0001-not-for-production",
      redirect_uris: ["https://client.example/callback"],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "client_secret_post",
    },
  ],
  scopes: ["media:read", "offline_access"],
  rotateRefreshToken: false,
  ttl: { AccessToken: 21600, AuthorizationCode: 3600, RefreshToken: 5184000, Grant: 5184000 },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  features: { devInteractions: { enabled: false } },
  cookies: { keys: ["not a secret, no cookie is ever set"] },
});
provider.proxy = true;

if (file) {
  const client = await provider.Client.find("bench");
  const scope = "media:read offline_access";
  const kept = [];
  for (let number = 0; number < Number(refreshTokens) + Number(codes); number += 1) {
    const accountId = `contact-${number}`;
    const grant = new provider.Grant({ accountId, clientId: "bench" });
    grant.addOIDCScope(scope);
    const of = { accountId, client, grantId: await grant.save(), gty: "authorization_code", scope };
    const made =
      number < Number(refreshTokens)
        ? new provider.RefreshToken(of)
        : new provider.AuthorizationCode({ ...of, redirectUri: "https://client.example/callback" });
    kept.push(await made.save());
  }
  writeFileSync(file, `${kept.join("\n")}\n`);
}

const server = createServer(provider.callback());
server.keepAliveTimeout = 65000;
server.listen(socket, () => console.log("ready"));
process.on("SIGTERM", () => process.exit(0));

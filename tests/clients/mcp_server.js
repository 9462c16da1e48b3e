// mcp_server: a small server of the Model Context Protocol with a tool that lists media. It is a resource server of the
// service: it accepts access tokens that were issued for it, for the account of its own token and with media:read, which it
// asks the service about (RFC 7662), and never passes them on. It calls the data API with an account token of its own, and
// answers no page of another site.
import { once } from 'node:events';
import { createServer } from 'node:http';

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

// `client` is its application at the service, with `id` and `secret`; `token` its account token. Returns the server
// with `resource`, its address, and `introspected`, the service's response for each token.
export async function serveMcp({ svc, port, client, token }) {
  const origin = `http://127.0.0.1:${port}`;
  const resource = `${origin}/mcp`;
  const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
  const introspected = [];

  const { id: account } = await (await fetch(`${svc}/v1/account`, { headers: { Authorization: `Bearer ${token}` } })).json();

  // The status and the challenge of a request that must not call; null if it may.
  async function refusalOf({ headers }) {
    if ((headers.origin ?? origin) !== origin) return [403];
    const challenge = `resource_metadata="${metadata}", scope="media:read"`;
    const [, given] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
    if (!given) return [401, `Bearer ${challenge}`];
    const answer = await fetch(`${svc}/oauth/introspect`, { method: 'POST', body: new URLSearchParams({
      token: given, client_id: client.id, client_secret: client.secret }) });
    const known = await answer.json();
    introspected.push(known);
    if (!known.active || ![known.aud].flat().includes(resource)) return [401, `Bearer error="invalid_token", ${challenge}`];
    if (known.account_id !== account) return [403, 'Bearer error="access_denied"'];
    const reads = known.scope.split(' ').some((scope) => ['media:read', 'all:read', 'all:all'].includes(scope));
    return reads ? null : [403, `Bearer error="insufficient_scope", ${challenge}`];
  }

  async function listMedia() {
    const answer = await fetch(`${svc}/v1/medias?per_page=2&sort_direction=0`, { headers: { Authorization: `Bearer ${token}` } });
    const medias = await answer.json();
    return { content: [{ type: 'text', text: medias.map(({ name }) => name).join('\n') }] };
  }

  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, origin);
    if (pathname === '/.well-known/oauth-protected-resource/mcp') {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ resource, authorization_servers: [svc], scopes_supported: ['media:read'] }));
    } else if (pathname !== '/mcp') {
      response.writeHead(404).end();
    } else {
      const refused = await refusalOf(request);
      if (refused) {
        const [status, challenge] = refused;
        response.writeHead(status, challenge && { 'WWW-Authenticate': challenge }).end();
        return;
      }
      const mcp = new McpServer({ name: 'media', version: '1.0.0' });
      mcp.registerTool('list_media', { description: 'The names of the newest media' }, listMedia);
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      response.on('close', () => { transport.close(); mcp.close(); });
      await mcp.connect(transport);
      await transport.handleRequest(request, response);
    }
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { resource, introspected, close: () => { server.closeAllConnections(); server.close(); } };
}

// The client of the Model Context Protocol's SDK, which finds its way from a 401 to tokens by itself.
import assert from 'node:assert/strict';
import test from 'node:test';

import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { serveMcp } from './mcp_server.js';
import { Person } from './person.js';

const base = process.env.SVC_URL;
const kRedirect = 'http://127.0.0.1:53682/callback';

// What a program keeps of an authorization. `links` are those that it opened in a browser.
class Kept {
  constructor(known) { Object.assign(this, { known, links: [], saved: undefined }); }

  get redirectUrl() { return kRedirect; }

  get clientMetadata() {
    return { client_name: 'A test of MCP', redirect_uris: [kRedirect], grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'], token_endpoint_auth_method: 'none' };
  }

  get clientMetadataUrl() { return this.known.url; }

  clientInformation() { return this.known.id ? { client_id: this.known.id, issuer: base } : this.saved_client; }

  saveClientInformation(client) { this.saved_client = client; }

  tokens() { return this.saved; }

  saveTokens(tokens) { this.saved = tokens; }

  redirectToAuthorization(link) { this.links.push(link); }

  saveCodeVerifier(verifier) { this.verifier = verifier; }

  codeVerifier() { return this.verifier; }
}

const ways = [['a registered public application', { id: 'demo-client-0004' }]];
if (process.env.SVC_CLIENT_DOCUMENT) ways.push(['a client ID metadata document', { url: process.env.SVC_CLIENT_DOCUMENT }]);

for (const [way, known] of ways) {
  test(`the SDK's client calls a tool of a resource server: ${way}`, async () => {
    const server = await serveMcp({ svc: base, port: Number(process.env.SVC_MCP_PORT), token: process.env.SVC_MCP_TOKEN,
      client: { id: process.env.SVC_MCP_CLIENT, secret: process.env.SVC_MCP_SECRET } });
    try {
      const kept = new Kept(known);
      const transport = () => new StreamableHTTPClientTransport(new URL(server.resource), { authProvider: kept });
      const first = transport();
      await assert.rejects(new Client({ name: 'test', version: '1' }).connect(first), UnauthorizedError);
      assert.equal(kept.links.length, 1);
      assert.equal(kept.links[0].searchParams.get('resource'), server.resource);
      const callback = await new Person(base, 'olivia@acme.example', 'olivia-demo-password').allow(kept.links[0]);
      await first.finishAuth(callback.searchParams.get('code'));

      const client = new Client({ name: 'test', version: '1' });
      await client.connect(transport());
      const { content } = await client.callTool({ name: 'list_media', arguments: {} });
      assert.equal(content[0].text.split('\n').length, 2);
      assert.equal(server.introspected.at(-1).active, true);
      await client.close();

      // The token is for that server, not for the data API.
      const stolen = await fetch(`${base}/v1/medias`, { headers: { Authorization: `Bearer ${kept.saved.access_token}` } });
      assert.equal(stolen.status, 401);
    } finally {
      server.close();
    }
  });
}

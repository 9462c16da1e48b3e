// Clients of the Model Context Protocol, which find their way from a 401 to tokens by themselves: its SDK, and mcp-remote,
// which connects programs that have no login.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';

import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { serveMcp } from './mcp_server.js';
import { Person } from './person.js';

const base = process.env.SVC_URL;
const kRedirect = `http://127.0.0.1:${process.env.SVC_CALLBACK_PORT}/callback`;

// The stored parts of an authorization. `links`: those that the program opened in a browser.
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

const mcpServer = () => serveMcp({ svc: base, port: Number(process.env.SVC_MCP_PORT), token: process.env.SVC_MCP_TOKEN,
  client: { id: process.env.SVC_MCP_CLIENT, secret: process.env.SVC_MCP_SECRET } });

for (const [way, known] of ways) {
  test(`mcp-remote calls a tool of a resource server: ${way}`, async () => {
    const server = await mcpServer();
    const folder = await mkdtemp(path.join(tmpdir(), 'svc-mcp-remote-'));
    try {
      const identity = known.id ? ['--static-oauth-client-info', JSON.stringify({ client_id: known.id })]
        : ['--client-metadata-url', known.url];
      const transport = new StdioClientTransport({ stderr: 'pipe', command: process.execPath,
        args: [path.join(import.meta.dirname, 'node_modules', 'mcp-remote', 'dist', 'proxy.js'), server.resource, new URL(kRedirect).port,
          '--host', '127.0.0.1', '--callback-path', new URL(kRedirect).pathname, ...identity],
        env: { PATH: process.env.PATH, HOME: folder, MCP_REMOTE_CONFIG_DIR: folder, BROWSER: 'true' } });
      let said = '';
      let opened;
      transport.stderr.setEncoding('utf8').on('data', (text) => {
        said += text;
        const link = /^http\S+\/oauth\/authorize\?\S+$/m.exec(said)?.[0];
        if (link) opened ??= new Person(base, 'olivia@acme.example', 'olivia-demo-password').allow(link).then(fetch);
      });
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(transport).catch((error) => { throw new Error(`${error.message}\n${said}`); });
      assert.equal((await opened).status, 200, said);
      const { content } = await client.callTool({ name: 'list_media', arguments: {} });
      assert.equal(content[0].text.split('\n').length, 2);
      assert.equal(server.introspected.at(-1).client_id, known.id ?? known.url);
      await client.close();
    } finally {
      server.close();
      await rm(folder, { recursive: true });
    }
  });

  test(`the SDK's client calls a tool of a resource server: ${way}`, async () => {
    const server = await mcpServer();
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

// The conformance program of the Model Context Protocol for authorization servers.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';

import { Person } from './person.js';

const base = process.env.SVC_URL;
const kTools = path.join(import.meta.dirname, 'node_modules');
// It needs a newer version of Node.js than the tests do.
const kNode = path.join(kTools, '.bin', 'node');
const kProgram = path.join(kTools, '@modelcontextprotocol', 'conformance', 'dist', 'index.js');

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => { server.once('listening', resolve); });
  const { port } = server.address();
  await new Promise((resolve) => { server.close(resolve); });
  return port;
}

// Runs it, and opens the link that it prints. Returns its checks by name: [status, message].
async function checks(client) {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-conformance-'));
  try {
    const port = await freePort();
    const program = spawn(kNode, [kProgram, 'authorization', '--url', base, '--client-id', client, '--port', port,
      '--resource', `${base}/v1`, '--output-dir', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    let opened;
    program.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      const link = /^http\S+\/oauth\/authorize\?\S+$/m.exec(said)?.[0];
      if (link) opened ??= new Person(base, 'olivia@acme.example', 'olivia-demo-password').allow(link).then(fetch);
    });
    await new Promise((resolve) => { program.once('close', resolve); });
    assert.ok(opened, said);
    await opened;
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.json'));
    const all = (await Promise.all(files.map(async (name) => JSON.parse(await readFile(path.join(folder, name), 'utf8'))))).flat();
    return Object.fromEntries(all.map(({ id, status, errorMessage }) => [id, [status, errorMessage]]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const hasDocuments = Boolean(process.env.SVC_CLIENT_DOCUMENT);

async function passes(client) {
  const found = await checks(client);
  const documents = found['authorization-server-metadata-cimd'];
  delete found['authorization-server-metadata-cimd'];
  assert.equal(documents[0], hasDocuments ? 'SUCCESS' : 'WARNING', documents[1]);
  assert.ok(Object.keys(found).length >= 2, JSON.stringify(found));
  for (const [name, [status, message]] of Object.entries(found)) assert.equal(status, 'SUCCESS', `${name}: ${message}`);
}

test('conformance: a public application gets tokens, and lacks only the feature that is off as shipped',
  () => passes('demo-client-0004'));

if (hasDocuments) {
  test('conformance: a client with a metadata document gets tokens, and nothing is missing',
    () => passes(process.env.SVC_CLIENT_DOCUMENT));
}

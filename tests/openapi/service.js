// service: where the service is, and its document.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

function setting(name) {
  assert.ok(process.env[name], `${name} is not set`);
  return process.env[name];
}

export const base = setting('SVC_URL');
// An access token for all:all, of an account with the demonstration's media.
export const token = setting('SVC_TOKEN');
export const address = `${base}/v1/openapi.json`;

export async function readDocument() {
  const answer = await fetch(address);
  assert.equal(answer.status, 200);
  return answer.json();
}

// JSON lines of the rules tests: each request below /v1 and its response.
export function recorded() {
  return readFileSync(setting('SVC_RECORDED'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

// Starts the validating proxy in front of `upstream`. It passes every request on, and lists the violations of request and
// response in the header `sl-violations`.
export async function startPrism(test, document, upstream) {
  const port = await freePort();
  const prism = spawn(process.execPath, ['node_modules/.bin/prism', 'proxy', document, upstream, '--port', String(port),
    '--verboseLevel', 'info'], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NO_COLOR: '1' } });
  test.after(async () => {
    prism.kill();
    if (prism.exitCode === null && prism.signalCode === null) await once(prism, 'exit');
  });
  const said = [];
  const lines = createInterface({ input: prism.stdout });
  for await (const line of lines) {
    said.push(line);
    if (line.includes('is listening')) {
      prism.stdout.resume();
      return `http://127.0.0.1:${port}`;
    }
  }
  throw new Error(`the proxy does not listen: ${said.join('\n')}`);
}

// Returns the violations that the proxy reports of the service. Those of the request are left out: a test may send an
// invalid one.
export function violations(answer) {
  return JSON.parse(answer.headers.get('sl-violations') ?? '[]').filter(({ location }) => location[0] !== 'request');
}

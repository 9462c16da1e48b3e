// Every request of the rules tests below /v1 and its response, through a proxy that compares both with the document.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import test from 'node:test';

import { address, readDocument, recorded, startPrism, violations } from './service.js';

// Statuses that the document lists for none.
const ASIDE = [405, 414, 429];

test('every response of the rules is as documented', async (t) => {
  const exchanges = recorded();
  const upstream = createServer((request, response) => {
    const { status, headers, body } = exchanges[Number(request.headers['svc-recorded'])].response;
    response.writeHead(status, headers).end(Buffer.from(body, 'hex'));
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  t.after(() => upstream.close());
  const proxy = await startPrism(t, address, `http://127.0.0.1:${upstream.address().port}`);

  const { paths } = await readDocument();
  const wrong = [];
  const seen = new Set();
  for (const [i, { request, response }] of exchanges.entries()) {
    const { method, target, headers, body } = request;
    if (['HEAD', 'OPTIONS'].includes(method) || ASIDE.includes(response.status)) continue;
    const url = proxy + target.replace(/^https:\/\/[^/]*/, '').replace(/\.json(?=\?|$)/, '');
    // The proxy ends at a form with a file. A refused request may be invalid in any way.
    const isReadable = response.status < 400 && body !== '' && !headers['Content-Type']?.startsWith('multipart/');
    const sent = isReadable ? { headers, body: Buffer.from(body, 'hex') } : { headers: {} };
    const answer = await fetch(url, { method, ...sent, headers: { ...sent.headers, 'svc-recorded': String(i) } })
      .catch((error) => { throw new Error(`${method} ${target} ${JSON.stringify(headers)}: ${error.cause}`); });
    await answer.arrayBuffer();
    seen.add(`${method} ${response.status}`);
    for (const violation of violations(answer)) wrong.push({ method, target, status: response.status, ...violation });
  }
  assert.deepEqual(wrong, []);
  assert.ok(exchanges.length > 300, `${exchanges.length} responses`);
  assert.ok(Object.keys(paths).length > 10);
  console.log(`${exchanges.length} responses: ${[...seen].sort().join(', ')}`);
});

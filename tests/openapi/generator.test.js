// A generated client that sends its token in each place that it knows.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { createClient } from '@hey-api/openapi-ts';

import { address, base, token } from './service.js';

const COMPILER = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2023,dom,dom.iterable', '--skipLibCheck'];

async function generate(t) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-generated-'));
  t.after(() => rm(folder, { recursive: true }));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await createClient({ input: address, output: { path: join(folder, 'client'), importFileExtension: '.js' },
    plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'], logs: { level: 'silent' } });
  const compiled = await promisify(execFile)(process.execPath, [resolve('node_modules/.bin/tsc'), ...COMPILER, 'client/sdk.gen.ts'],
    { cwd: folder }).catch((error) => error);
  assert.equal(compiled.stdout, '');
  const from = (file) => import(pathToFileURL(join(folder, 'client', file)));
  return { ...await from('sdk.gen.js'), client: (await from('client.gen.js')).client };
}

test('a generated client with one token reads, writes and uploads', async (t) => {
  const { client, listMedias, createProject, uploadMedia, getDescription } = await generate(t);
  client.setConfig({ baseUrl: base, auth: () => token });
  const listed = await listMedias({ query: { per_page: 5 } });
  assert.equal(listed.response.status, 200, JSON.stringify(listed.error));
  assert.equal(listed.data.length, 5);
  const created = await createProject({ body: { name: 'Generated' } });
  assert.equal(created.response.status, 201, JSON.stringify(created.error));
  const file = new File(['0123456789'], 'generated.mp4');
  const uploaded = await uploadMedia({ query: { access_token: token }, body: { file } });
  assert.equal(uploaded.response.status, 201, JSON.stringify(uploaded.error));
  assert.equal((await getDescription()).response.status, 200);

  // As consoles do that fill each place that they know.
  client.setConfig({ baseUrl: base, auth: () => token, headers: { Authorization: `Bearer ${token}` } });
  for (const asked of [listMedias({ query: { access_token: token } }), listMedias({ query: { access_token: token, bearer_token: token } }),
    uploadMedia({ query: { access_token: token }, body: { file } })]) {
    const answer = await asked;
    assert.ok(answer.response.ok, `${answer.response.status} ${JSON.stringify(answer.error)}`);
  }
});

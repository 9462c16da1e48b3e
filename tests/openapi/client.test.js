// A client whose types are those of the document, through a proxy that compares each request and response with it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import openapiTypes, { astToString } from 'openapi-typescript';

import { address, base, readDocument, startPrism, token, violations } from './service.js';

const COMPILER = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--target', 'es2022', '--module',
  'nodenext', '--lib', 'es2023,dom,dom.iterable'];

test('a typed client lists, edits, captions and deletes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-typed-'));
  t.after(() => rm(folder, { recursive: true }));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'schema.ts'), astToString(await openapiTypes(await readDocument())));
  await cp('library.ts', join(folder, 'library.ts'));
  const compiled = await promisify(execFile)(process.execPath, [resolve('node_modules/.bin/tsc'), ...COMPILER, 'library.ts'],
    { cwd: folder }).catch((error) => error);
  assert.equal(compiled.stdout, '');

  const { useLibrary } = await import(pathToFileURL(join(folder, 'library.js')));
  const proxy = await startPrism(t, address, base);
  const wrong = [];
  const outcome = await useLibrary(proxy, token, (answer) => {
    wrong.push(...JSON.parse(answer.headers.get('sl-violations') ?? '[]')
      .filter(({ location }) => !(answer.status === 422 && location[0] === 'request'))
      .map((violation) => ({ url: answer.url, status: answer.status, ...violation })));
  });
  assert.deepEqual(wrong, []);
  assert.deepEqual(outcome.names, [...outcome.names].sort());
  assert.ok(outcome.names.length > 5);
  assert.equal(outcome.cursors, Math.ceil(outcome.names.length / 5));
  assert.equal(outcome.edited, 'Named by its types');
  assert.deepEqual(outcome.refused, ['precondition_failed', 'invalid_fields', 'conflict']);
  assert.match(outcome.text, /^1\n00:00:01,000 --> 00:00:02,000\nHello\n/);
  assert.equal(outcome.colour, '#3366cc');
  assert.equal(outcome.left, outcome.names.length - 1);
});

// The document by the rules of a linter.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import test from 'node:test';
import { promisify } from 'node:util';

import { address } from './service.js';

test('the document passes the recommended rules', async () => {
  const { stdout } = await promisify(execFile)(process.execPath,
    ['node_modules/.bin/redocly', 'lint', address, '--extends', 'recommended', '--format', 'json'],
    { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } })
    .catch((error) => error);
  const { totals, problems } = JSON.parse(stdout);
  assert.equal(totals.errors, 0, JSON.stringify(problems, null, 2));
});

// Random requests by the document, most of them valid: none makes the service fail, and each response is as documented.
import assert from 'node:assert/strict';
import test from 'node:test';

import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';

import { hostile, matching, resolved } from './arbitrary.js';
import { base, readDocument, token } from './service.js';

const REQUESTS = 20_000;
// What deletes comes last, and parts before the whole, media before projects.
const METHODS = ['get', 'post', 'put', 'delete'];
// Statuses that the document lists for none.
const ASIDE = [405, 414, 429];

// One seed, so that a run repeats the one before; SVC_SEED tries others.
const seed = Number(process.env.SVC_SEED ?? 1);
const document = await readDocument();
const ajv = new Ajv2020({ strict: false, validateFormats: true });
addFormats.default(ajv);
ajv.addSchema(document, 'document');

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  METHODS.filter((method) => item[method]).map((method) => ({
    path, method, ...item[method],
    parameters: [...(item.parameters ?? []), ...(item[method].parameters ?? [])].map((one) => resolved(document, one)),
  }))).sort((one, other) => METHODS.indexOf(one.method) - METHODS.indexOf(other.method) ||
  other.path.split('/').length - one.path.split('/').length || one.path.localeCompare(other.path));

// Ids and domains that exist when the test begins, so that many requests find a record. Some projects are empty.
async function knownIds() {
  const headers = { Authorization: `Bearer ${token}` };
  const ids = {};
  for (const name of ['One', 'Two', 'Three']) {
    const created = await fetch(`${base}/v1/projects`, { method: 'POST', headers, body: new URLSearchParams({ name }) });
    assert.equal(created.status, 201);
  }
  const domains = ['site.example', '*.shop.example', 'localhost:8080', 'capacitor://localhost', 'http://127.0.0.1:*'];
  for (const domain of domains) {
    const added = await fetch(`${base}/v1/allowed_domains`, { method: 'POST', headers, body: new URLSearchParams({ domain }) });
    assert.equal(added.status, 201);
  }
  for (const kind of ['media', 'project']) {
    const records = await (await fetch(`${base}/v1/${kind}s`, { headers })).json();
    ids[kind] = records.map((record) => record.hashed_id ?? record.hashedId);
  }
  const files = ['Hello', 'A\n00:03.000 --> 00:02.000\nB', '<v A>-->\0'].map((words) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${words}\n`);
  return { ...ids, media_id: ids.media, new_still_media_id: ids.media, replacement_media_id: ids.media, hashed_id: ids.media,
    hashed_ids: ids.media, project_id: ids.project, link: ['1'], language: ['en', 'pol', 'pt-BR'],
    caption_file: files, chapters_file: files, domain: domains, allowed_domains: domains };
}

const known = await knownIds();

// Values of a field or parameter that match its schema, and records that exist.
function valid(name, schema) {
  const any = matching(document, schema);
  const plain = name.replace('[]', '');
  if (known[plain] === undefined) return any;
  const one = fc.constantFrom(...known[plain]);
  const isList = [resolved(document, schema).type].flat().includes('array');
  return fc.oneof({ arbitrary: isList ? fc.array(one, { minLength: 1, maxLength: 5 }) : one, weight: 9 }, { arbitrary: any, weight: 1 });
}

function parameter(one) {
  const any = fc.oneof({ arbitrary: valid(one.name, one.schema), weight: 8 }, { arbitrary: hostile, weight: 1 });
  return one.required ? any : fc.option(any, { freq: 2, nil: undefined });
}

function body(operation) {
  const content = resolved(document, operation.requestBody)?.content;
  if (!content) return fc.constant(undefined);
  const of = (type) => {
    const schema = resolved(document, content[type].schema);
    const fields = Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) =>
      [name, fc.option(fc.oneof({ arbitrary: valid(name, one), weight: 4 }, { arbitrary: hostile, weight: 1 }),
        { freq: 4, nil: undefined })]));
    const files = Object.keys(fields).filter((name) => schema.properties[name].contentMediaType);
    return fc.tuple(fc.constant({ type, files }), fc.oneof({ arbitrary: fc.record(fields), weight: 9 }, { arbitrary: hostile, weight: 1 }),
      fc.nat({ max: 99 }));
  };
  return fc.oneof(...Object.keys(content).map(of));
}

const text = (value) => (typeof value === 'string' ? value : JSON.stringify(value) ?? '');

// How `value` is sent as `type`. One in a hundred is cut off, or has bytes that are not UTF-8.
function encoded([{ type, files }, value, luck]) {
  const spoilt = (text) => (luck === 0 ? text.slice(0, text.length / 2)
    : luck === 1 ? Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe])]) : text);
  if (type === 'application/json') return [type, spoilt(JSON.stringify(value) ?? '')];
  const fields = Object.entries(value ?? {}).flatMap(([name, one]) => (Array.isArray(one) ? one.map((part) => [`${name}[]`, part])
    : one === undefined ? [] : [[name, one]])).map(([name, one]) => [name, text(one).toWellFormed()]);
  if (type === 'application/x-www-form-urlencoded') return [type, spoilt(new URLSearchParams(fields).toString())];
  const boundary = 'svc-random';
  return [`${type}; boundary=${boundary}`, spoilt(fields.map(([name, one]) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${encodeURIComponent(name)}"${files.includes(name) ? '; filename="file"' : ''}\r\n\r\n${one}\r\n`).join('') + `--${boundary}--\r\n`)];
}

// Whether that value makes the address one outside of the operation.
const leadsOut = (value) => /^\.{0,2}$|[/\0]/.test(value);

async function send(operation, values, sentBody) {
  let path = operation.path;
  let isOurs = true;
  const query = new URLSearchParams();
  const headers = { Authorization: `Bearer ${token}` };
  operation.parameters.forEach((one, i) => {
    const value = values[i];
    if (value === undefined) return;
    if (one.in === 'path') {
      isOurs &&= !leadsOut(text(value));
      path = path.replace(`{${one.name}}`, encodeURIComponent(text(value).toWellFormed()));
    }
    else if (one.in === 'query') [value].flat().forEach((part) => query.append(one.name, text(part)));
    // Headers that a client cannot send are left out.
    else if (/^[\x21-\x7e]{1,300}$/.test(text(value))) headers[one.name] = text(value);
  });
  const uploads = operation.parameters.some((one) => one.in === 'query' && one.name === 'access_token');
  if (uploads) {
    delete headers.Authorization;
    query.set('access_token', token);
  }
  const [type, bytes] = sentBody === undefined ? [] : encoded(sentBody);
  if (type) headers['Content-Type'] = type;
  const answer = await fetch(`${base}${path}?${query}`, { method: operation.method.toUpperCase(), headers, body: bytes, redirect: 'manual' });
  return { answer, isOurs };
}

const validators = new Map();

function validator(operation, status, type) {
  const pointer = ['paths', operation.path, operation.method, 'responses', String(status)];
  const response = operation.responses[status];
  assert.ok(response, `${status} is not documented`);
  const whole = resolved(document, response);
  if (!whole.content) return () => true;
  const media = Object.keys(whole.content).find((one) => one.split(';')[0] === type);
  assert.ok(media, `${status} with ${type} is not documented`);
  const key = [...pointer, media].join(' ');
  if (!validators.has(key)) {
    const at = response.$ref ? response.$ref.split('/').slice(1) : pointer;
    const ref = [...at, 'content', media, 'schema'].map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
    validators.set(key, ajv.compile({ $ref: `document#/${ref.join('/')}` }));
  }
  return validators.get(key);
}

async function check(operation, answer) {
  const bytes = await answer.text();
  assert.ok(answer.status < 500, `${answer.status}: ${bytes}`);
  if (ASIDE.includes(answer.status)) return;
  const type = (answer.headers.get('content-type') ?? '').split(';')[0];
  const valid = validator(operation, answer.status, type);
  if (bytes === '') return;
  const value = type === 'application/json' ? JSON.parse(bytes) : bytes;
  assert.ok(valid(value), `${answer.status}: ${JSON.stringify(valid.errors)} of ${bytes.slice(0, 500)}`);
}

for (const operation of operations) {
  test(`random requests: ${operation.method} ${operation.path}`, async () => {
    const statuses = new Map();
    await fc.assert(fc.asyncProperty(fc.tuple(...operation.parameters.map(parameter)), body(operation), async (values, sent) => {
      const { answer, isOurs } = await send(operation, values, sent);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 201 && operation.path === '/v1/projects') known.project.push((await answer.clone().json()).hashedId);
      if (answer.status === 201 && operation.path === '/v1/medias/{media}/links') known.link.push((await answer.clone().json()).id);
      if (isOurs) await check(operation, answer);
      else assert.ok(answer.status < 500, `${answer.status}: ${await answer.text()}`);
    }), { numRuns: Math.ceil(REQUESTS / operations.length), seed })
      .catch((error) => { throw new Error(`${error.message}\n${error.cause?.message}`); });
    const found = [...statuses].sort().map(([status, times]) => `${times} × ${status}`).join(', ');
    console.log(`${operation.method} ${operation.path}: ${found}`);
    assert.ok([...statuses.keys()].some((status) => status < 300), `no success among ${found}`);
  });
}

// Checks the output of the build: sizes, names, and that a strict policy allows all of it.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const names = readdirSync(dist).filter((name) => !name.startsWith('.'));
const kLoaders = ['E-v1.js', 'playlist-v1.js', 'frame-v1.js', 'player.js'];
const text = (name) => readFileSync(dist + name, 'latin1');

test('there are the loaders, the style, the types, the notices, and parts with a hash in their names', () => {
  assert.deepEqual(names.map((name) => name.replace(/-[0-9A-Z]{8}\./, '-HASH.')).sort(), ['E-v1.js', 'controls-HASH.js',
    'frame-v1.css', 'frame-v1.js', 'hls-HASH.js', 'hls-captions-HASH.js', 'notices-v1.txt', 'player-HASH.js',
    'player-v1.d.ts', 'player.js', 'player@1.js', 'playlist-v1.js', 'svc-player.tgz',
    ...['de', 'es', 'fr', 'ja', 'pl', 'pt'].map((language) => `words-${language}-HASH.js`)].sort());
  assert.equal(text('player.js'), text('player@1.js'));
  // Where nginx has them.
  const served = readFileSync(new URL('../../svc-player.conf', import.meta.url), 'utf8');
  for (const name of names.filter((each) => /^player(@\d+)?\.js$/.test(each))) {
    assert.ok(served.includes(`location = /assets/${name} {`), name);
  }
  for (const loader of kLoaders) {
    for (const name of names.filter((each) => /-[0-9A-Z]{8}\./.test(each))) assert.ok(text(loader).includes(name), loader);
  }
});

test('before play at most 30 KB are loaded, the loaders are small', () => {
  const size = (name) => gzipSync(text(name)).length;
  for (const loader of kLoaders) {
    assert.ok(size(loader) <= (loader === 'player.js' ? 4096 : 2048), `${loader}: ${size(loader)}`);
    assert.ok(size(loader) + size(names.find((name) => name.startsWith('player-'))) <= 30 * 1024);
  }
});

// A page with a code loads these files before play. The rest is in the parts that come with the viewer.
test('a code and its player are at most 19 700 bytes before play', () => {
  const size = (name) => gzipSync(text(name)).length;
  const both = size('E-v1.js') + size(names.find((name) => name.startsWith('player-')));
  assert.ok(both > 10000 && both <= 19700, `${both}`);
});

test('the part that counts viewing is at most 2 KB', async () => {
  const source = fileURLToPath(new URL('../src/player/', import.meta.url));
  const { outputFiles: [{ contents }] } = await build({ stdin: { contents: "import { viewing } from './viewing.js'; svc = viewing;",
    resolveDir: source }, bundle: true, minify: true, format: 'iife', charset: 'ascii', target: ['chrome105'], write: false });
  assert.ok(contents.length > 1000 && contents.length <= 2048, `${contents.length}`);
});

test('each language has all words of the player', () => {
  const source = new URL('../src/', import.meta.url);
  const sources = readdirSync(source, { recursive: true }).filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(new URL(name, source), 'utf8')).join('\n');
  const wanted = [...sources.matchAll(/\b(?:say|translatable)\('([^']*)'/g)].map(([, words]) => words);
  assert.ok(wanted.length > 50);
  for (const name of names.filter((each) => each.startsWith('words-'))) {
    let given;
    new Function('window', text(name))({ svc: { provide: (_, texts) => { given = texts; } } });
    assert.deepEqual(Object.keys(given).sort(), [...new Set(wanted)].sort(), name);
  }
});

test('the words of a language are at most 2 KB', () => {
  for (const name of names.filter((each) => each.startsWith('words-'))) assert.ok(gzipSync(text(name)).length <= 2048, name);
});

test('embed codes say ISO-8859-1, so everything is ASCII; and nothing is evaluated', () => {
  for (const name of names.filter((each) => each !== 'svc-player.tgz')) {
    assert.match(text(name), /^[\x00-\x7f]*$/, name);
    if (!name.startsWith('hls-')) assert.doesNotMatch(text(name), /\beval\(|new Function|innerHTML/, name);
  }
});

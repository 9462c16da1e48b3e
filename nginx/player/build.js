// build: src/ becomes dist/, and package/, the npm package of the element. Loaders, frame-v1.css, player-v1.d.ts, svc-player.tgz
// and notices-v1.txt keep their names; the name of every other file contains a hash of its content, so it may be cached permanently.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { minify } from 'terser';
import { catalogs } from './catalogs.js';
import { typesOf } from './option-types.js';
import { attributeOf, namesOf } from './src/component/attributes.js';
import { names as optionNames } from './src/player/options.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const made = path.join(here, 'dist.new');
const common = { absWorkingDir: here, bundle: true, minify: true, format: 'iife', charset: 'ascii',
  target: ['chrome105', 'firefox110', 'safari16.4'], outdir: made, legalComments: 'none', metafile: true,
  logLevel: 'warning' };

await rm(made, { recursive: true, force: true });
await mkdir(made);

// What terser still finds is a fortieth of the bytes on the wire. The text is ASCII: pages may have any charset.
const kSmaller = { compress: { passes: 2 }, format: { ascii_only: true, comments: /^!/, ecma: 2020 } };
async function shrink(file) {
  const { code } = await minify(await readFile(file, 'utf8'), kSmaller);
  // It leaves regular expressions as they are, and hls.js has one with a byte order mark.
  const text = code.replace(/[^\x00-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  await writeFile(file, text);
  return text;
}
// The same, for a part: its new name is that with a hash of its content.
async function finish(file, name) {
  const hash = parseInt(createHash('sha256').update(await shrink(file)).digest('hex').slice(0, 12), 16);
  const final = `${name}-${hash.toString(36).toUpperCase().padStart(8, '0').slice(-8)}.js`;
  await rename(file, path.join(made, final));
  return final;
}

const version = JSON.parse(await readFile(path.join(here, 'node_modules/hls.js/package.json'), 'utf8')).version;
const hlsLicence = `/*! hls.js ${version}, Apache-2.0, https://github.com/video-dev/hls.js, and its parts: notices-v1.txt */`;
const parts = {};
for (const [name, source, banner] of [
  ['player', 'src/player/index.js', ''],
  ['controls', 'src/controls/index.js', ''],
  ['hls', 'src/hls.js', hlsLicence], ['hls-captions', 'src/hls-captions.js', hlsLicence]]) {
  const { metafile } = await build({ ...common, entryPoints: { [name]: source },
    banner: banner ? { js: banner } : {} });
  const [output] = Object.keys(metafile.outputs);
  parts[name] = await finish(path.join(here, output), name);
}
// The words of each language but English: src/player/words.js.
for (const [language, texts] of await catalogs(path.join(here, '../../worker/pages/languages'))) {
  const name = `words-${language}`;
  const { metafile } = await build({ ...common, stdin: { resolveDir: here, sourcefile: `${name}.js`,
    contents: `window.svc.provide(${JSON.stringify(name)}, ${JSON.stringify(texts)});` } });
  const [output] = Object.keys(metafile.outputs);
  parts[name] = await finish(path.join(here, output), name);
}
await build({ ...common, define: { __PARTS__: JSON.stringify(parts) },
  entryPoints: { 'E-v1': 'src/e1.js', 'playlist-v1': 'src/playlist.js', 'frame-v1': 'src/frame.js' } });
for (const name of ['E-v1', 'playlist-v1', 'frame-v1']) await shrink(path.join(made, `${name}.js`));
await build({ ...common, entryPoints: { 'frame-v1': 'src/frame.css' } });
// The element, under the name of the newest version and that of its own.
const options = optionNames();
const { version: ofElement } = JSON.parse(await readFile(path.join(here, 'src/package/package.json'), 'utf8'));
const [major] = ofElement.split('.');
await build({ ...common, define: { __PARTS__: JSON.stringify(parts), __OPTIONS__: JSON.stringify(options) },
  entryPoints: { player: 'src/player-element.js' } });
await shrink(path.join(made, 'player.js'));
await copyFile(path.join(made, 'player.js'), path.join(made, `player@${major}.js`));
for (const name of ['player-v1.d.ts', 'notices-v1.txt']) await copyFile(path.join(here, 'src', name), path.join(made, name));

// The npm package, as a folder and, for `npm install URL`, as a file.
const folder = path.join(here, 'package');
await rm(folder, { recursive: true, force: true });
await cp(path.join(here, 'src/package'), folder, { recursive: true });
const loader = path.join(folder, 'index.js');
await writeFile(loader, (await readFile(loader, 'utf8')).replace('__MAJOR__', major));
await copyFile(path.join(here, 'src/player-v1.d.ts'), path.join(folder, 'player-v1.d.ts'));
const ofElements = await typesOf(namesOf(options), path.join(here, '../../worker/embed/player_option_table.cpp'));
const members = (name) => ofElements.map(([option, type]) => `  ${name(option)}: ${type};`).join('\n');
await writeFile(path.join(folder, 'options.d.ts'), `// Made by build.js from the options of the player.

/** The value of any option; null: not set. */
export type SvcOption = SvcPlayerOptions[keyof SvcPlayerOptions];
/** The options as attributes; README.player.md of the service has the effect of each. */
export interface SvcPlayerOptionAttributes {
${members((option) => `'${attributeOf(option)}'?`)}
}
/** The options as properties. */
export interface SvcPlayerOptions {
${members((option) => option)}
}
`);
const run = promisify(execFile);
const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', made, folder], { cwd: made });
await rename(path.join(made, JSON.parse(stdout)[0].filename), path.join(made, 'svc-player.tgz'));

// Renames each file into place and leaves unchanged files untouched: a server may be using the folder.
const dist = path.join(here, 'dist');
await mkdir(dist, { recursive: true });
const names = await readdir(made);
const same = async (name) => {
  const [a, b] = await Promise.all([dist, made].map((folder) =>
    readFile(path.join(folder, name)).catch(() => null)));
  return a && b && a.equals(b);
};
// The names of loaders lack a hash: they are moved last, after the parts that they name.
const isLoader = (name) => !/-[0-9A-Z]{8}\./.test(name);
for (const name of names.sort((a, b) => isLoader(a) - isLoader(b))) {
  if (!await same(name)) await rename(path.join(made, name), path.join(dist, name));
}
for (const name of await readdir(dist)) {
  if (!names.includes(name)) await rm(path.join(dist, name));
}
await rm(made, { recursive: true });

// When it was built: `build` compares the sources with it.
await writeFile(path.join(dist, '.built'), '');

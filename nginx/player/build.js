// build: src/ becomes dist/. Loaders, frame-v1.css, player-v1.d.ts and notices-v1.txt keep their names; the name of every
// other file contains a hash of its content, so it may be cached permanently.
import { copyFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const made = path.join(here, 'dist.new');
const common = { absWorkingDir: here, bundle: true, minify: true, format: 'iife', charset: 'ascii',
  target: ['chrome105', 'firefox110', 'safari16.4'], outdir: made, legalComments: 'none', metafile: true,
  logLevel: 'warning' };

await rm(made, { recursive: true, force: true });
await mkdir(made);

const version = JSON.parse(await readFile(path.join(here, 'node_modules/hls.js/package.json'), 'utf8')).version;
const hlsLicence = `/*! hls.js ${version}, Apache-2.0, https://github.com/video-dev/hls.js, and its parts: notices-v1.txt */`;
const parts = {};
for (const [name, source, banner] of [
  ['player', 'src/player/index.js', ''],
  ['controls', 'src/controls/index.js', ''],
  ['hls', 'src/hls.js', hlsLicence], ['hls-captions', 'src/hls-captions.js', hlsLicence]]) {
  const { metafile } = await build({ ...common, entryPoints: { [name]: source }, entryNames: '[name]-[hash]',
    banner: banner ? { js: banner } : {} });
  const [output] = Object.keys(metafile.outputs);
  parts[name] = path.basename(output);
  // charset: 'ascii' leaves regular expressions as they are, and hls.js has one with a byte order mark.
  const file = path.join(here, output);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/[^\x00-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`));
}
await build({ ...common, define: { __PARTS__: JSON.stringify(parts) },
  entryPoints: { 'E-v1': 'src/e1.js', 'playlist-v1': 'src/playlist.js', 'frame-v1': 'src/frame.js' } });
await build({ ...common, entryPoints: { 'frame-v1': 'src/frame.css' } });
for (const name of ['player-v1.d.ts', 'notices-v1.txt']) await copyFile(path.join(here, 'src', name), path.join(made, name));

// Renames each file into place and leaves unchanged files untouched: a server may be using the folder.
const dist = path.join(here, 'dist');
await mkdir(dist, { recursive: true });
const names = await readdir(made);
const same = async (name) => {
  const [a, b] = await Promise.all([dist, made].map((folder) =>
    readFile(path.join(folder, name)).catch(() => null)));
  return a && b && a.equals(b);
};
for (const name of names.sort((a, b) => a.includes('-v1') - b.includes('-v1'))) {
  if (!await same(name)) await rename(path.join(made, name), path.join(dist, name));
}
for (const name of await readdir(dist)) {
  if (!names.includes(name)) await rm(path.join(dist, name));
}
await rm(made, { recursive: true });
// When it was built: `build` compares the sources with it.
await writeFile(path.join(dist, '.built'), '');

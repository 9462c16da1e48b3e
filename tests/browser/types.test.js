// The type declarations that are shipped with the player, and those of the npm package of the element: the TypeScript
// compiler takes a page's script that uses all of them, refuses wrong uses, and finds the methods that a handle has.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const ts = require('typescript');

const kTypes = path.join(__dirname, '../../nginx/player/src/player-v1.d.ts');
const kUse = `
declare const myFilm: SvcPlayer;
async function use(): Promise<void> {
  const film = await svcEmbed.ready((player) => { player.mute(); });
  await film.play();
  const all: number = film.time() + film.duration() + film.volume() + film.playbackRate();
  const chained: SvcPlayer = film.pause().time(all).volume(0.5).mute().unmute().playbackRate(1.5).next().previous();
  const over: () => void = chained.bind('seek', (to, from) => { const by: number = to - from; });
  film.bind('volumechange', function (volume, muted) { if (!muted) this.volume(volume / 2); });
  film.bind('timechange', (seconds) => seconds.toFixed(1)).call(null);
  film.unbind('end').requestFullscreen().cancelFullscreen();
  const title: string | undefined = film.current()?.title;
  const state: SvcState = svcPlaylist.current(2).current('l4unchf1lm').state();
  const email: string | null = myFilm.email();
  const flags: boolean = film.isMuted() && film.inFullscreen();
  over(); film.remove();
  document.addEventListener('svc:player', ({ detail }) => detail.play());
}`;

// Returns, for each script, its errors as text. All are compiled in one call, each as a module of its own.
function errors(...scripts) {
  const names = scripts.map((_, number) => `page-${number}.ts`);
  const options = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: [] };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (file, ...more) => (names.includes(file)
    ? ts.createSourceFile(file, `${scripts[names.indexOf(file)]}\nexport {};`, ts.ScriptTarget.ES2022)
    : getSourceFile.call(host, file, ...more));
  const program = ts.createProgram([...names, kTypes], options, host);
  const found = ts.getPreEmitDiagnostics(program);
  return names.map((name) => found.filter(({ file }) => file?.fileName === name)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')));
}

test('a script that uses the handle compiles', () => {
  assert.deepEqual(errors(kUse), [[]]);
});

test('wrong uses do not compile', () => {
  const wrong = ["svcEmbed.time('1m')", 'svcEmbed.volume(true)', "svcEmbed.bind('finish', () => {})",
    "svcEmbed.bind('timechange', (a: string) => {})", 'svcEmbed.current(true)', 'svcEmbed.stop()',
    "svcEmbed.state() === 'gone'",
    "svcEmbed.bind('end', (a: SvcPlayer, b: number) => {})"];
  const found = errors(...wrong);
  assert.deepEqual(wrong.filter((_, number) => !found[number].length), []);
});

test('the declared methods are those that a handle has', async () => {
  const source = ts.createSourceFile('player-v1.d.ts', fs.readFileSync(kTypes, 'utf8'), ts.ScriptTarget.ES2022);
  const declared = new Set(source.statements.find((each) => each.name?.text === 'SvcPlayer').members
    .map(({ name }) => name.text));
  const { kMethods } = await import('../../nginx/player/src/player/names.js');
  assert.deepEqual([...declared].sort(), [...kMethods].sort());
  globalThis.window = { svc: {} };
  const { Player } = await import('../../nginx/player/src/player/player.js');
  delete globalThis.window;
  assert.deepEqual(kMethods.filter((name) => typeof Player.prototype[name] !== 'function'), []);
});

// ---- the npm package --------------------------------------------------------------------------------

// The component of React that the pages for developers print.
const kFilm = () => fs.readFileSync(path.join(__dirname, '../../worker/pages/developers/component.md'), 'utf8')
  .split('```react react\n')[1].split('```')[0];

// Returns, for each script in JSX, its errors as text, where the package and the frameworks are installed. `types`: where
// the types of a framework are.
function errorsInProject(...scripts) {
  const types = typeof scripts[0] === 'object' ? scripts.shift() : {};
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-types-'));
  try {
    const modules = path.join(folder, 'node_modules');
    fs.mkdirSync(modules);
    const installed = (name) => path.join(__dirname, 'node_modules', name);
    for (const name of ['@vue', 'csstype', 'react', 'vue']) fs.symlinkSync(installed(name), path.join(modules, name));
    fs.mkdirSync(path.join(modules, '@types'));
    fs.symlinkSync(installed(types.react || '@types/react'), path.join(modules, '@types/react'));
    fs.cpSync(path.join(__dirname, '../../nginx/player/package'), path.join(modules, 'svc-player'), { recursive: true });
    const names = scripts.map((text, number) => {
      const name = path.join(folder, `page-${number}.tsx`);
      fs.writeFileSync(name, text);
      return name;
    });
    const program = ts.createProgram(names, { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, jsx: ts.JsxEmit.ReactJSX,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: [] });
    const found = ts.getPreEmitDiagnostics(program);
    return names.map((name) => found.filter(({ file }) => !file || file.fileName === name || !file.fileName.includes('/page-'))
      .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
const kElement = `import { load, type SvcPlayerElement } from 'svc-player';
const film = document.querySelector('svc-player')!;`;

test('pages-W97 scripts that use the element compile, in React and Vue too', () => {
  assert.deepEqual(errorsInProject(`${kElement}
load('https://embed.example').then((of) => { const made: SvcPlayerElement | null = of && new of(); });
film.addEventListener('seek', ({ detail: [to, from] }) => { film.currentTime = to - from; });
film.addEventListener('timeupdate', () => film.pause().mute());
film.ready().then((player) => player.time(3).volume(film.volume));
film.playerColor = 'ff7043';
film.playbar = false;
film.preload = film.endVideoBehavior === 'loop' ? 'auto' : null;
film.qualityMax = '720p'; film.qualityMin = 360; film.playlistLinks = 'auto';
film.mediaId = film.current?.title ?? null;
film.requestFullscreen().then(() => film.play());`,
  `import { useRef } from 'react';
import type { SvcPlayerElement } from 'svc-player';
import type {} from 'svc-player/react';
export function Page() {
  const film = useRef<SvcPlayerElement>(null);
  return <svc-player ref={film} media-id="a" player-color="ff7043" muted playbar="false" style={{ width: 400 }}
    ontimeupdate={() => film.current?.pause()} onseek={({ detail: [to] }) => to.toFixed()} />;
}`,
  `import type { GlobalComponents } from 'vue';
import type {} from 'svc-player/vue';
export type Film = GlobalComponents['svc-player'];`,
  kFilm()), [[], [], [], []]);
});

test('pages-W97 with the types of React 18, scripts that use the element compile, too', () => {
  assert.deepEqual(errorsInProject({ react: '@types/react-18' }, kFilm()), [[]]);
});

test('pages-W97 wrong uses of the element do not compile', () => {
  const wrong = ["film.currentTime = '1m';", 'film.duration = 3;', 'film.stop();', "film.volume('loud');",
    "film.addEventListener('seek', ({ detail: [to] }) => to.length);", 'load();',
    "film.playbar = 'no';", 'film.muted = null;', 'film.autoPlay = 1;', "film.preload = 'all';", 'film.playerColor = 7;',
    "film.endVideoBehavior = 'stop';", "film.qualityMax = 'high';", "film.theme = 'blue';", "film.wmode = true;",
    'film.stillUrl = false;', "film.playlistLinks = 'manual';", "film.resumable = 'auto';"];
  const attributes = ['muted="loud"', 'preload="all"', 'time="soon"', 'volume="loud"', 'player-color={7}', 'quality-min="low"',
    'do-not-track="yes"', 'playlist-loop={3}'];
  const found = errorsInProject(...wrong.map((text) => `${kElement}\n${text}`));
  const right = 'time="1m30s" volume="0.5" quality-min="360" do-not-track="" playlist-links="auto"';
  const inJsx = errorsInProject(...[right, ...attributes].map((some) => `import type {} from 'svc-player/react';
export const film = <svc-player media-id="a" ${some} />;`));
  assert.deepEqual(inJsx.shift(), []);
  assert.deepEqual(attributes.filter((_, number) => !inJsx[number].length), []);
  assert.deepEqual(wrong.filter((_, number) => !found[number].length), []);
});

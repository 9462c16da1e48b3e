// The element <svc-player> in Chromium and Firefox: it plays, has the ratio of its video from the start, and works in
// shadow roots, under strict policies, in React and in Vue.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const zlib = require('node:zlib');
const esbuild = require('esbuild');
const { launchFirefox } = require('./browsers.js');
const { install } = require('./npm_package.js');
const { isBeacon, kPatience, Stage } = require('./stage.js');

const stage = new Stage();
let firefox;
let folder; // with the npm package as users install it
before(async () => {
  await stage.open();
  firefox = await launchFirefox();
  folder = install();
});
after(async () => {
  await firefox?.close();
  await stage.close();
  if (folder) fs.rmSync(folder, { recursive: true });
});

// Makes the page note from its start: violations of its policy, script errors, layout shifts.
const kNotice = () => {
  window.noticed = [];
  window.shifted = 0;
  addEventListener('error', ({ message }) => window.noticed.push(message));
  addEventListener('unhandledrejection', ({ reason }) => window.noticed.push(String(reason)));
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
    if (!/favicon/.test(blockedURI)) window.noticed.push(`${violatedDirective}: ${blockedURI}`);
  });
  if (!PerformanceObserver.supportedEntryTypes.includes('layout-shift')) return;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) window.shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });
};
const kBrowsers = {
  Chromium: async (body, { width = 900, height = 700, ...more } = {}) => {
    const context = await stage.browser.newContext({ viewport: { width, height } });
    const page = await context.newPage();
    await page.addInitScript(kNotice);
    page.asked = [];
    page.on('request', (request) => page.asked.push(request.url()));
    await page.goto(stage.page(body, more));
    return [page, () => context.close()];
  },
  Firefox: async (body, { width = 900, height = 700, ...more } = {}) => {
    const page = await firefox.newPage();
    await page.setViewport({ width, height });
    await page.evaluateOnNewDocument(kNotice);
    page.asked = [];
    page.on('request', (request) => page.asked.push(request.url()));
    await page.goto(stage.page(body, more));
    return [page, () => page.close()];
  },
};

// Declares a test in both browsers. `run` gets a function that opens a page; nothing may have been noticed in it.
const plays = (name, run) => test(name, async () => {
  for (const browser of Object.keys(kBrowsers)) {
    const opened = [];
    try {
      await run(async (...parameters) => {
        opened.push(await kBrowsers[browser](...parameters));
        return opened.at(-1)[0];
      }, browser);
      for (const [page, end] of opened) {
        assert.deepEqual(await page.evaluate(() => window.noticed), []);
        await end();
      }
    } catch (error) {
      error.message = `${browser}: ${error.message}`;
      throw error;
    }
  }
});

// Evaluates in the page, once per frame that it paints, until the result is true, and returns it.
async function until(page, what, value) {
  for (const end = Date.now() + kPatience.timeout; ;) {
    const found = await page.evaluate(what, value);
    if (found) return found;
    assert.ok(Date.now() < end, `waited for ${what}`);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}
const kScript = () => `<script src="${stage.svc}/assets/player.js" async></script>`;
const past = (page, second, which = 'svc-player') => until(page, ([name, s]) => {
  const { currentTime, videoWidth } = document.querySelector(name);
  return currentTime > s && videoWidth > 0;
}, [which, second]);
const playing = (page) => page.evaluate(() => window.svc.players.length);
const boxOf = (page, selector) => page.evaluate((name) => {
  const { x, y, width, height } = document.querySelector(name).getBoundingClientRect();
  return { x, y, width, height };
}, selector);
const picture = async (page, selector) => {
  const clip = await boxOf(page, selector);
  return Buffer.from(await page.screenshot({ clip })).toString('base64');
};

// ---- behaviour ---------------------------------------------------------------------------------------

plays('pages-W94 the element plays, shows pictures, and has properties, methods and events', async (open) => {
  const page = await open(`${kScript()}<svc-player media-id="l4unchf1lm" style="width:480px"></svc-player>`);
  await page.evaluate(() => {
    const film = document.querySelector('svc-player');
    window.heard = {};
    for (const name of ['play', 'pause', 'timeupdate', 'seeked', 'volumechange', 'ratechange', 'ended', 'end',
      'seek', 'timechange', 'secondchange', 'playbackratechange']) {
      film.addEventListener(name, ({ detail }) => {
        (window.heard[name] ||= []).push((detail || []).filter((each) => typeof each === 'number'));
      });
    }
  });
  await page.evaluate(async () => {
    await customElements.whenDefined('svc-player');
    await document.querySelector('svc-player').ready();
  });
  const poster = await picture(page, 'svc-player');
  assert.deepEqual(await page.evaluate(() => {
    const { state, paused, currentTime, current: { title }, mediaId } = document.querySelector('svc-player');
    return { state, paused, currentTime, title, mediaId };
  }), { state: 'beforeplay', paused: true, currentTime: 0, title: 'Launch film', mediaId: 'l4unchf1lm' });
  await page.evaluate(() => {
    const film = document.querySelector('svc-player');
    film.muted = true;
    return film.play();
  });
  await past(page, 1.2);
  assert.notEqual(await picture(page, 'svc-player'), poster);
  const before = await page.evaluate(async () => {
    const film = document.querySelector('svc-player');
    const { state, paused, muted, duration } = film;
    const paused_ = new Promise((resolve) => { film.addEventListener('pause', resolve, { once: true }); });
    const sought = new Promise((resolve) => { film.addEventListener('seeked', resolve, { once: true }); });
    const chained = film.pause() === film;
    await paused_;
    film.currentTime = 5;
    await sought;
    film.playbackRate = 2;
    film.volume = 0.5;
    const handle = await film.ready();
    return { state, paused, muted, long: duration > 7, chained, at: Math.round(film.currentTime), volume: film.volume,
      rate: film.playbackRate, loud: film.muted, same: handle === window.svc.players[0] };
  });
  assert.deepEqual(before, { state: 'playing', paused: false, muted: true, long: true, chained: true, at: 5, volume: 0.5,
    rate: 2, loud: false, same: true });
  await page.evaluate(() => {
    const film = document.querySelector('svc-player');
    film.muted = true;
    film.currentTime = film.duration - 1;
    film.play();
  });
  await until(page, () => Boolean(window.heard.end));
  const heard = await page.evaluate(() => window.heard);
  for (const name of ['play', 'pause', 'timeupdate', 'seeked', 'volumechange', 'ratechange', 'ended', 'timechange']) {
    assert.ok(heard[name]?.length, name);
  }
  const [, from] = heard.seek.find(([to]) => Math.round(to) === 5); // hls.js may seek to the first picture
  assert.ok(from > 1 && from < 5, `${from}`);
  assert.deepEqual(heard.playbackratechange[0], [2]);
  assert.ok(heard.secondchange.some(([second]) => second === 1));
});

plays('pages-W94 before play it takes four requests and at most 30 KB of scripts', async (open) => {
  const page = await open(`${kScript()}<svc-player media-id="l4unchf1lm"></svc-player>`);
  await until(page, () => Boolean(document.querySelector('svc-player').shadowRoot?.querySelector('video[poster]')));
  const ours = page.asked.filter((url) => url.startsWith(stage.svc) && !isBeacon(url));
  const kinds = [/\/assets\/player\.js$/, /\/player-[0-9A-Z]{8}\.js$/, /\/l4unchf1lm\.json$/, /\/poster\.jpg/];
  assert.deepEqual(ours.map((url) => kinds.findIndex((kind) => kind.test(url))), [0, 1, 2, 3], `${ours}`);
  let bytes = 0;
  for (const url of ours.slice(0, 2)) bytes += zlib.gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length;
  assert.ok(bytes > 1000 && bytes <= 30 * 1024, `${bytes}`);
});

plays('pages-W94 each option is a property, and each method of the handle is there', async (open) => {
  const { kMethods } = await import('../../nginx/player/src/player/names.js');
  const { names } = await import('../../nginx/player/src/player/options.js');
  const { namesOf } = await import('../../nginx/player/src/component/attributes.js');
  const page = await open(`${kScript()}<svc-player></svc-player>`);
  await until(page, () => Boolean(customElements.get('svc-player')));
  const lacks = (all) => page.evaluate((list) => list.filter((name) => !(name in document.querySelector('svc-player'))), all);
  assert.deepEqual(await lacks(namesOf(names())), []);
  assert.deepEqual(await lacks(kMethods), ['isMuted']); // the property muted
});

plays('pages-W94 options are attributes and properties, whatever their spelling', async (open) => {
  const page = await open(`${kScript()}<svc-player id="a" media-id="l4unchf1lm" player-color="ff7043"
    controls-visible-on-load></svc-player><svc-player id="b" media-id="l4unchf1lm" playercolor="ff7043" time="4" muted
    autoplay></svc-player><div id="made"></div>`);
  await page.evaluate(async () => {
    await customElements.whenDefined('svc-player');
    const film = document.createElement('svc-player');
    Object.assign(film, { id: 'c', mediaId: 'l4unchf1lm', playerColor: 'ff7043', playButton: false });
    document.querySelector('#made').append(film);
  });
  const inner = (id, selector) => `document.querySelector('#${id}').shadowRoot.querySelector('${selector}')`;
  await until(page, `${inner('a', '[data-svc-controls]')} && !${inner('c', 'video')?.title ?? 'null'}`);
  await past(page, 4.1, '#b');
  await until(page, `${inner('c', 'video[title]')} !== null`);
  assert.equal(await page.evaluate(`getComputedStyle(${inner('a', 'button')}).backgroundColor`), 'rgb(255, 112, 67)');
  assert.equal(await page.evaluate(`${inner('c', 'button')}`), null);
  assert.deepEqual(await page.evaluate(() => {
    const film = document.querySelector('#c');
    const seen = [film.getAttribute('play-button'), film.playButton, film.autoPlay];
    film.playButton = null;
    return [...seen, film.hasAttribute('play-button'), document.querySelector('#b').autoPlay];
  }), ['false', false, null, false, true]);
});

plays('pages-W94 several elements, added, moved, removed and with another media, also inside shadow roots', async (open) => {
  const page = await open(`${kScript()}<div id="one"><svc-player id="a" media-id="l4unchf1lm" muted auto-play
    style="width:300px"></svc-player></div><div id="two"></div><div id="three"></div>`);
  await past(page, 0.5, '#a');
  await page.evaluate(() => { document.querySelector('#two').append(document.querySelector('#a')); });
  await past(page, 1.5, '#a');
  assert.equal(await playing(page), 1);
  // In the shadow root of the page's own element, as markup.
  await page.evaluate(() => {
    const root = document.querySelector('#three').attachShadow({ mode: 'closed' });
    root.innerHTML = '<svc-player media-id="p0rtrait99" muted auto-play style="width:200px"></svc-player>';
    window.inner = root.querySelector('svc-player');
    window.announced = [];
    document.addEventListener('svc:player', ({ detail }) => window.announced.push(detail));
  });
  await until(page, () => window.inner.currentTime > 1 && window.inner.videoWidth > 0);
  assert.deepEqual(await page.evaluate(() => [window.announced.length, window.announced[0] === window.svc.players[1]]),
    [1, true]);
  await page.evaluate(() => {
    window.left = document.querySelector('#a');
    window.video = window.left.shadowRoot.querySelector('video');
    window.left.remove();
  });
  await until(page, () => window.svc.players.length === 1);
  assert.deepEqual(await page.evaluate(() => [window.video.paused, window.video.hasAttribute('src'), window.left.state]),
    [true, false, 'beforeplay']);
  await page.evaluate(() => { document.body.append(window.left); });
  await past(page, 0.5, '#a');
  await page.evaluate(() => {
    window.left.mediaId = 'sm4ll480px';
    window.left.ready().then(() => { window.title_ = window.left.current.title; });
  });
  await until(page, () => window.title_ === 'A small film');
  await past(page, 0.5, '#a');
  assert.equal(await playing(page), 2);
  // A change of an option while it plays does not restart the film.
  const at = await page.evaluate(() => {
    window.left.playerColor = '00ff00';
    return window.left.currentTime;
  });
  await past(page, at + 0.3, '#a');
  await page.evaluate(() => { document.body.innerHTML = ''; });
  await until(page, () => !window.svc.players.length);
});

plays('pages-W94 a playlist, full screen, calls before the player is there, and an unknown media', async (open, browser) => {
  const page = await open(`<svc-player id="list" playlist-id="pl4yl1st01" style="aspect-ratio:16/9;display:block;width:800px">
    </svc-player><svc-player id="none" media-id="n0b0dyh4s1t" width="200" height="100"></svc-player>`);
  await page.evaluate((src) => {
    const list = document.querySelector('#list');
    list.muted = true; // before the element is defined
    window.failed = new Promise((resolve) => { document.querySelector('#none').addEventListener('error', () => resolve(true)); });
    const script = document.createElement('script');
    script.src = src;
    const loaded = new Promise((resolve) => { script.onload = resolve; });
    document.head.append(script);
    return loaded.then(() => list.play());
  }, `${stage.svc}/assets/player@1.js`);
  await past(page, 0.5, '#list');
  assert.equal(await page.evaluate(() => window.failed), true);
  assert.equal(await page.evaluate(() => document.querySelector('#list').shadowRoot.querySelectorAll('ol li').length > 1), true);
  const first = await page.evaluate(() => document.querySelector('#list').current.id);
  await page.evaluate(() => { document.querySelector('#list').next(); });
  await until(page, (id) => document.querySelector('#list').current.id !== id, first);
  if (browser === 'Firefox') return; // which needs a gesture that survives an evaluation
  const entered = page.evaluate(() => new Promise((resolve) => {
    document.querySelector('#list').addEventListener('enterfullscreen', () => resolve(true));
  }));
  const { x, y, width } = await boxOf(page, '#list');
  await page.mouse.move(x + width / 4, y + 40);
  await page.locator('#list .full').click();
  assert.equal(await entered, true);
  assert.equal(await page.evaluate(() => document.querySelector('#list').inFullscreen), true);
  await page.evaluate(() => document.querySelector('#list').cancelFullscreen());
  await until(page, () => !document.querySelector('#list').inFullscreen);
});

// ---- its place --------------------------------------------------------------------------------------

const kRule = '<style>svc-player { display: block; aspect-ratio: 16 / 9; }</style>';
const ratio = ({ width, height }) => width / height;

plays('pages-W95 before and after its definition the element has the same box, and nothing moves', async (open) => {
  for (const [id, expected] of [['l4unchf1lm', 16 / 9], ['p0rtrait99', 9 / 16], ['cinema2391', 1920 / 804]]) {
    const code = (await stage.code('medias', id, { embedType: 'web_component' })).replace(/<script.*<\/script>\n/, '');
    for (const width of [360, 1280]) {
      for (const [body, own] of [[code, expected], [`<svc-player media-id="${id}"></svc-player>`, 16 / 9]]) {
        const page = await open(`<p>above</p>${body}<p id="below">below</p>`, { width, height: 800, before: kRule });
        const before = await boxOf(page, 'svc-player');
        assert.ok(Math.abs(ratio(before) - own) < 0.01, `${id} ${width}: ${before.width} × ${before.height}`);
        assert.ok(before.width > 200 && before.width <= width && (own > 1 || before.height <= 640.5), `${before.width}`);
        const below = await boxOf(page, '#below');
        await page.evaluate((src) => {
          const script = document.createElement('script');
          script.src = src;
          window.ready_ = new Promise((resolve) => {
            document.querySelector('svc-player').addEventListener('ready', () => resolve(true));
          });
          document.head.append(script);
        }, `${stage.svc}/assets/player.js`);
        assert.equal(await page.evaluate(() => window.ready_), true);
        assert.deepEqual(await boxOf(page, 'svc-player'), before);
        assert.deepEqual(await boxOf(page, '#below'), below);
        assert.equal(await page.evaluate(() => window.shifted), 0);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
      }
    }
  }
});

plays('pages-W95 without a rule of the page it takes its ratio from its attributes or its video', async (open) => {
  const page = await open(`${kScript()}<div style="width:400px"><svc-player id="a" media-id="p0rtrait99"></svc-player>
    <svc-player id="b" media-id="l4unchf1lm" width="320" height="240"></svc-player>
    <svc-player id="c" media-id="l4unchf1lm" width="1600" height="900"></svc-player></div>`);
  await until(page, () => [...document.querySelectorAll('svc-player')].every(({ current }) => current));
  const size = async (id) => {
    const { width, height } = await boxOf(page, id);
    return [width, height].map(Math.round);
  };
  assert.deepEqual(await size('#a'), [400, Math.round(400 * 16 / 9)]);
  assert.deepEqual(await size('#b'), [320, 240]);
  assert.deepEqual(await size('#c'), [400, 225]);
});

// ---- strict policies --------------------------------------------------------------------------------

for (const [what, sources, nonce] of [['hosts', () => stage.svc, ''],
  ['a nonce', () => "'nonce-cjRuZDBt' 'strict-dynamic'", ' nonce="cjRuZDBt"']]) {
  plays(`pages-W96 it plays under a strict policy with ${what} and Trusted Types, and nothing is reported`, async (open) => {
    const s = stage.svc;
    const page = await open(`<script src="${s}/assets/player.js" async${nonce}></script>
      <svc-player media-id="l4unchf1lm" muted auto-play width="480" height="270"></svc-player>`,
    { policy: `default-src 'none'; script-src ${sources()}; connect-src ${s}; media-src ${s} blob:; img-src ${s}; ` +
      "base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'" });
    await past(page, 1);
    const { x, y } = await boxOf(page, 'svc-player');
    await page.mouse.move(x + 100, y + 100); // the controls come
    await until(page, () => document.querySelector('svc-player').shadowRoot.querySelector('[data-svc-controls]') !== null);
    assert.deepEqual(await boxOf(page, 'svc-player').then(({ width, height }) => [width, height]), [480, 270]);
  });
}

// ---- frameworks -------------------------------------------------------------------------------------

// Bundles a script that may import the npm package and the frameworks.
async function bundle(text) {
  const { outputFiles: [{ text: built }] } = await esbuild.build({ stdin: { contents: text, loader: 'tsx', resolveDir: folder },
    bundle: true, write: false, format: 'iife', jsx: 'automatic', minify: true, nodePaths: [path.join(folder, 'node_modules'),
      path.join(__dirname, 'node_modules')],
    define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' } });
  return `<script>window.host = ${JSON.stringify(stage.svc)}; window.heard = {};
window.hear = (name) => (event) => { window.heard[name] = event.detail || true; };</script>
<script>${built.replaceAll('</script', '<\\/script')}</script>`;
}
const kFrameworks = {
  'React 19': `import { StrictMode, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { load } from 'svc-player';
load(window.host);
function Page() {
  const film = useRef(null);
  const [shown, setShown] = useState({ id: 'l4unchf1lm', colour: 'ff7043', there: true });
  window.change = (more) => setShown({ ...shown, ...more });
  window.film = () => film.current;
  return shown.there ? <svc-player ref={film} media-id={shown.id} playerColor={shown.colour} muted={true} playlist-loop="false"
    style={{ display: 'block', aspectRatio: '16 / 9', width: 400 }}
    ontimeupdate={window.hear('timeupdate')} onplay={window.hear('play')} onsecondchange={window.hear('secondchange')} /> : null;
}
createRoot(document.querySelector('#root')).render(<StrictMode><Page /></StrictMode>);`,
  'Vue 3': `import { createApp, h, reactive, ref } from 'vue';
import { load } from 'svc-player';
load(window.host);
const shown = reactive({ id: 'l4unchf1lm', colour: 'ff7043', there: true });
window.change = (more) => Object.assign(shown, more);
const film = ref(null);
window.film = () => film.value;
createApp({ setup: () => () => (shown.there ? h('svc-player', { ref: film, 'media-id': shown.id, playerColor: shown.colour,
  muted: true, playlistLoop: false, style: { display: 'block', aspectRatio: '16 / 9', width: '400px' },
  onTimeupdate: window.hear('timeupdate'), onPlay: window.hear('play'), onSecondchange: window.hear('secondchange') }) : null) })
  .mount('#root');`,
};
for (const [name, text] of Object.entries(kFrameworks)) {
  plays(`pages-W97 the element of the npm package works in ${name}`, async (open) => {
    const page = await open(`<div id="root"></div>${await bundle(text)}`);
    await until(page, () => Boolean(window.film() && window.film().current));
    assert.ok(page.asked.includes(`${stage.svc}/assets/player@1.js`));
    assert.deepEqual(await page.evaluate(() => {
      const button = window.film().shadowRoot.querySelector('button');
      return [getComputedStyle(button).backgroundColor, window.film().muted, window.film().playlistLoop];
    }), ['rgb(255, 112, 67)', true, false]);
    await page.evaluate(() => window.film().play());
    await past(page, 1.1);
    assert.deepEqual(await page.evaluate(() => [window.heard.play, window.heard.timeupdate]), [true, true]);
    await until(page, () => window.heard.secondchange?.[0] > 0);
    await page.evaluate(() => window.change({ colour: '00ff00' }));
    await past(page, 1.5);
    await page.evaluate(() => window.change({ id: 'sm4ll480px' }));
    await until(page, () => window.film().current && window.film().current.title === 'A small film');
    assert.equal(await playing(page), 1);
    await page.evaluate(() => window.change({ there: false }));
    await until(page, () => !window.svc.players.length && !document.querySelector('svc-player'));
  });
}

// The markup of the component, as a server renders it, and the script that hydrates it.
const kRendered = `export const html = renderToString(<StrictMode><Film id="l4unchf1lm" /></StrictMode>);`;
const kHydrated = `hydrateRoot(document.querySelector('#root'), <StrictMode><Film id="l4unchf1lm" /></StrictMode>, {
  onRecoverableError: (error) => window.noticed.push(String(error)) });`;
plays('pages-W97 the component of React that we print works in a page that a server rendered', async (open) => {
  const film = `import { StrictMode } from 'react';\n${await stage.block('component', 'react')}`;
  const { outputFiles: [{ text }] } = await esbuild.build({ stdin: { loader: 'tsx', resolveDir: __dirname,
    contents: `import { renderToString } from 'react-dom/server';\n${film}\n${kRendered}` }, bundle: true, write: false,
  platform: 'node', format: 'cjs', jsx: 'automatic', define: { 'process.env.NODE_ENV': '"production"' } });
  const module = { exports: {} };
  new Function('module', 'exports', 'require', text)(module, module.exports, require);
  assert.match(module.exports.html, /<svc-player[^>]* media-id="l4unchf1lm"/);
  const page = await open(`<div id="root">${module.exports.html}</div>${
    await bundle(`import { hydrateRoot } from 'react-dom/client';\n${film}\n${kHydrated}`)}`);
  await until(page, () => Boolean(document.querySelector('svc-player').current));
  await page.evaluate(() => { document.querySelector('svc-player').muted = true; });
  await page.click('#root button');
  await until(page, () => Number(document.querySelector('output').textContent) >= 4);
  assert.equal(await page.evaluate(() => document.querySelectorAll('script[src$="/assets/player.js"]').length), 1);
});

plays('pages-W97 the package names a wrong host, and tries again after a failure', async (open) => {
  const page = await open(await bundle(`import { load } from 'svc-player';
window.load = load;`));
  assert.match(await page.evaluate(() => window.load('embed.example').catch(({ message }) => message)),
    /is a URL like https:\/\/embed\.example, not embed\.example/);
  assert.equal(await page.evaluate((host) => window.load(host).then((of) => of === customElements.get('svc-player')),
    `${stage.svc}/`), true);
});

test('pages-W97 on a server the package does nothing', async () => {
  const { load } = await import(path.join(folder, 'node_modules/svc-player/index.js'));
  assert.equal(await load('https://embed.example'), null);
});

// Our codes in a page with texts of its users, whose elements have the names of properties that scripts read (DOM
// clobbering): with any of these names, the code of the player comes from the host of players. In Chromium and Firefox.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { after, before, test } = require('node:test');
const esbuild = require('esbuild');
const { close, inBrowsers, open, stage, until } = require('./both.js');
const { install } = require('./npm_package.js');

let evil; // the server of a user of the page
let folder; // with the npm package as users install it
const asked = []; // requests to `evil` for a script or by a script; its pictures and frames are permitted
before(async () => {
  await open();
  evil = http.createServer((request, response) => {
    if (['script', 'empty'].includes(request.headers['sec-fetch-dest'])) asked.push(request.url);
    response.writeHead(200, { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' });
    response.end('window.owned = true;');
  });
  await new Promise((resolve) => evil.listen(0, '127.0.0.1', resolve));
  evil.origin = `http://127.0.0.1:${evil.address().port}`;
  folder = install();
});
after(async () => {
  evil?.closeAllConnections();
  evil?.close();
  if (folder) fs.rmSync(folder, { recursive: true });
  await close();
});

// What users may write, by page: elements of one name would make a collection. `host` is their server.
const kLoader = '/assets/external/E-v1.js';
const each = (names, html) => names.map(html).join('');
const both = (name) => `id="${name}" name="${name}"`;
const kGadgets = {
  'pictures and links': (host) => `<img name="currentScript" src="${host}${kLoader}">
    <a id="svc"></a>${each(['host', 'part', 'load'], (name) => `<a id="svc" name="${name}" href="${host}"></a>`)}
    ${each(['svcEmbed', 'svcPlaylist'], (name) => `<a ${both(name)} href="${host}"></a>`)}
    ${each(['Document', 'Error', 'Object', 'window', 'document', 'location', 'customElements', 'fetch', 'URL', 'Promise',
    'MutationObserver', 'navigator', 'localStorage', 'parent', 'top', 'origin'], (name) => `<a ${both(name)} href="${host}"></a>`)}
    ${each(['baseURI', 'URL', 'documentURI', 'scripts', 'forms', 'embeds', 'links', 'referrer', 'domain', 'location'], (name) =>
    `<img name="${name}" src="${host}${kLoader}">`)}
    <base href="${host}/assets/external/">`,
  'what finds codes': (host) => each(['matches', 'querySelector', 'querySelectorAll', 'host', 'isConnected'], (name) =>
    `<img name="${name}" src="${host}${kLoader}"><form name="${name}"></form>`),
  forms: (host) => `<form name="currentScript"><input name="src" value="${host}${kLoader}"></form>
    <form ${both('svc')}>${each(['host', 'part', 'load', 'look', 'names', 'players', 'playlist', 'waiting', 'provide', 'plugins',
    'choices'], (name) => `<input name="${name}" value="${host}">`)}</form>`,
  frames: (host) => `<iframe name="currentScript" src="${host}${kLoader}"></iframe>
    <iframe name="svc" srcdoc='<a id="host" href="${host}"></a>'></iframe>`,
  'a frame of the user’s, and an embed': (host) => `<embed name="currentScript" src="${host}${kLoader}">
    <iframe name="svc" src="${host}/"></iframe>`,
};
// Every script of a page needs these: if they are replaced, nothing plays, and none of the user's scripts runs.
const kHarsh = {
  'what scripts call': (host) => each(['createElement', 'getElementById', 'addEventListener',
    'body', 'head', 'documentElement', 'defaultView'], (name) => `<img name="${name}" src="${host}${kLoader}">`),
};

const kFilm = 'l4unchf1lm';
const script = (name) => `<script src="${stage.svc}/assets/${name}" async></script>`;
const element = `<svc-player media-id="${kFilm}" style="display:block;aspect-ratio:16/9"></svc-player>`;
async function bundle(text) {
  const { outputFiles: [{ text: built }] } = await esbuild.build({ stdin: { contents: text, resolveDir: folder }, bundle: true,
    write: false, format: 'iife', nodePaths: [path.join(folder, 'node_modules')] });
  return `<script>${built}</script>`;
}
const kCodes = {
  async: () => stage.code('medias', kFilm, { embedType: 'async' }),
  async_popover: () => stage.code('medias', kFilm, { embedType: 'async_popover' }),
  playlist_api: () => stage.code('embed/playlists', 'pl4yl1st01', { embedType: 'playlist_api' }),
  iframe: () => stage.code('medias', kFilm, { embedType: 'iframe' }),
  web_component: () => stage.code('medias', kFilm, { embedType: 'web_component' }),
  'player@1.js': async () => script('player@1.js') + element,
  'a module': async () => `<script type="module" src="${stage.svc}/assets/player.js"></script>${element}`,
  'a shadow root': async () => `<div id="host"></div><script>{
    const root = document.getElementById('host').attachShadow({ mode: 'open' });
    root.append(document.createRange().createContextualFragment(${JSON.stringify(`${script('external/E-v1.js')}
    <div class="svc_embed svc_async_${kFilm}"></div>`).replaceAll('</', '<\\/')}));
  }</script>`,
  'a code that a script adds': async () => `<script>${
    (await stage.block('embed', 'later')).replace(/svc_async_\w+/, `svc_async_${kFilm}`)}</script>`,
  'the npm package': async () => await bundle(`import { load } from 'svc-player'; load('${stage.svc}');`) + element,
  'the npm package, without stacks': async () => `<script>Error.stackTraceLimit = 0;</script>${
    await bundle(`import { load } from 'svc-player'; load('${stage.svc}');`)}${element}`,
};

// The player shows the film's data: its poster, its picture or its frame.
const kThere = `(() => {
  const roots = [document, ...[...Document.prototype.querySelectorAll.call(document, 'svc-player, #host')].map((each) => each.shadowRoot)];
  return roots.some((root) => root && (root instanceof Document ? Document : DocumentFragment).prototype.querySelector.call(root,
    'video[poster], [aria-haspopup] img, iframe[src*="/embed/"]'));
})()`;

// Waits until the loader, if it began, has loaded the player, or failed to.
const kPlayer = 'window.svc?.part?.("player").then(() => {}, () => {})';

for (const [code, text] of Object.entries(kCodes)) {
  test(`pages-W132 no element of a page's users decides where the player's code comes from: ${code}`, inBrowsers(async (show) => {
    for (const [gadget, html] of Object.entries({ ...kGadgets, ...kHarsh })) {
      asked.length = 0;
      const page = await show(`${html(evil.origin)}<main>${await text()}</main>`);
      if (gadget in kHarsh) {
        await until(page, "document.readyState === 'complete'");
        await page.evaluate(kPlayer);
      } else {
        await until(page, kThere).catch((error) => { throw new Error(`${gadget}: ${error.message}`); });
        await until(page, `window.svc?.host === '${stage.svc}'`);
      }
      assert.equal(await page.evaluate('window.owned'), undefined, gadget);
      assert.deepEqual(asked, [], gadget);
    }
  }));
}

// Its fields come before the methods of a form. Nothing of theirs runs, and the code next to it plays.
test('pages-W132 nor do the fields of a form that a script adds stop a code next to it', inBrowsers(async (show) => {
  for (const field of ['matches', 'querySelector', 'querySelectorAll', 'shadowRoot', 'dataset', 'nodeType']) {
    const page = await show(`${await stage.code('medias', 'mp4only001', { embedType: 'async' })}<main></main>`);
    await until(page, kThere);
    await page.evaluate((html) => {
      const made = document.createElement('template');
      made.innerHTML = html;
      document.querySelector('main').append(made.content);
    }, `<form><input name="${field}"><input name="${field}"></form><div class="svc_embed svc_async_${kFilm}"></div>`);
    await until(page, "document.querySelector('main video[poster]') !== null").catch((error) => { throw new Error(`${field}: ${error.message}`); });
  }
}));

// A page's own scripts run with its address, which another may have written.
test('pages-W132 nor does the address of the page, for a loader that the page has in itself', inBrowsers(async (show) => {
  for (const loader of ['external/E-v1.js', 'external/playlist-v1.js', 'external/frame-v1.js', 'player.js']) {
    asked.length = 0;
    const own = await (await fetch(`${stage.svc}/assets/${loader}`)).text();
    const page = await show(`<div class="svc_embed svc_async_${kFilm}"></div>`);
    await page.goto(`${page.url()}?${evil.origin}/assets/external/E-v1.js`);
    await page.evaluate((body) => {
      const inline = document.createElement('script');
      inline.text = body;
      document.body.append(inline);
    }, own);
    await page.evaluate(kPlayer);
    assert.equal(await page.evaluate('window.owned'), undefined, loader);
    assert.deepEqual(asked, [], loader);
    assert.equal(await page.evaluate('window.svc.host'), undefined, loader);
  }
}));

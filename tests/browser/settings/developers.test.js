// The pages for developers: each block of HTML, script or policy, as it is printed, in a page of another site.
//
// Names begin with the ids of the contract's rules.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, test } = require('node:test');
const esbuild = require('esbuild');
const { compileScript, parse } = require('vue/compiler-sfc');
const { button, kPeople, logIn } = require('../oauth/stage.js');
const { copyBy, until } = require('../patience.js');
const { kPatience, playsPast, Stage } = require('../stage.js');

const stage = new Stage();
const blocks = new Map(); // by their ids: { kind, code }

// Opens a page of the service that can write and read the clipboard.
async function openGuide(path, { width = 1280 } = {}) {
  const context = await stage.browser.newContext({ viewport: { width, height: 800 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(stage.svc).origin });
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', ({ message }) => page.problems.push(message));
  page.on('console', (message) => { if (message.type() === 'error') page.problems.push(message.text()); });
  await page.goto(stage.svc + path);
  return page;
}

const linksOf = (page) => page.locator('nav.guides a').evaluateAll((links) => links.map((a) => a.getAttribute('href')));

before(async () => {
  await stage.open();
  const page = await openGuide('/developers');
  for (const path of await linksOf(page)) {
    await page.goto(stage.svc + path);
    for (const [id, kind, code] of await page.locator('.block code').evaluateAll((all) =>
      all.map((one) => [one.id, one.className, one.textContent]))) blocks.set(id, { kind, code });
  }
  await page.context().close();
});
after(() => stage.close());

const codeOf = (id) => blocks.get(id).code;
const policyOf = (id) => codeOf(id).replace('Content-Security-Policy: ', '');

// Blocks that a page contains and that play; then the blocks that other tests try.
const kPlays = ['responsive', 'container', 'portrait', 'fixed', 'lazy', 'async', 'options-iframe', 'options-async',
  'element', 'element-style'];
const kOthers = ['popover', 'later', 'handle', 'handle-name', 'playerjs', 'messages', 'element-control', 'nonce', 'policy-frame', 'policy-async',
  'policy-nonce', 'react', 'vue', 'vue-config', 'browser'];

async function framed(page) {
  const frame = page.locator('iframe');
  return await frame.count() ? (await frame.elementHandle()).contentFrame() : page;
}

// Clicks the player, if it does not play automatically, until it has played past its first second.
async function play(page) {
  const place = await framed(page);
  await place.locator('video').waitFor({ state: 'attached', ...kPatience });
  // Also in the shadow root of an element.
  const video = place.locator('video');
  if (await video.evaluate((one) => one.paused)) {
    await video.evaluate((one) => { one.muted = true; });
    await place.locator('button[aria-label^="Play"]').first().click(kPatience);
  }
  await until(() => video.evaluate((one) => one.currentTime > 1 && one.videoWidth > 0), 'it plays');
}

async function checked(id, options, check) {
  const page = await stage.show(codeOf(id), options);
  await check(page);
  assert.deepEqual(page.problems, [], id);
  await page.context().close();
}

test('pages-W111 each block of HTML is a player that plays, in a wide and a narrow page', async () => {
  for (const id of kPlays) {
    for (const width of [900, 360]) {
      await checked(id, { width }, async (page) => {
        await play(page);
        const [scrollWidth, clientWidth] = await page.evaluate(() => {
          const { documentElement: root } = document;
          return [root.scrollWidth, root.clientWidth];
        });
        if (id !== 'fixed') assert.ok(scrollWidth <= clientWidth, `${id}: ${scrollWidth} of ${clientWidth}`);
      });
    }
  }
});

test('pages-W111 a container limits the width, and a frame of our own is a portrait', async () => {
  await checked('container', {}, async (page) => {
    const { width, height } = await page.locator('iframe').boundingBox();
    assert.ok(Math.abs(width - 640) < 1 && Math.abs(height - 360) < 1, `${width} × ${height}`);
  });
  await checked('portrait', {}, async (page) => {
    const { width, height } = await page.locator('iframe').boundingBox();
    assert.ok(Math.abs(width - 352) < 1 && Math.abs(height - 352 * 16 / 9) < 2, `${width} × ${height}`);
  });
});

test('pages-W111 the popover opens, and a script adds a code', async () => {
  await checked('popover', {}, async (page) => {
    await page.getByRole('button').first().click();
    await page.getByRole('dialog').waitFor();
    await playsPast(page, 1);
  });
  const page = await stage.show(`<script type="module">${codeOf('later')}</script>`);
  await play(page);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('pages-W111 handle and element play from a second and tell the seconds', async () => {
  for (const id of ['element-control', 'handle']) await checked(id, {}, async (page) => {
    await page.getByRole('button', { name: 'Play from 0:03' }).click();
    await page.waitForFunction(() => Number(document.getElementById('seconds').value) >= 4, undefined, kPatience);
    if (id !== 'handle') return;
    const said = page.waitForEvent('console', (message) => /\d/.test(message.text()));
    await page.evaluate(codeOf('handle-name'));
    assert.match((await said).text(), /\S+ 8/);
  });
});

test('pages-W111 the frame is controlled by the package and by messages', async () => {
  const library = fs.readFileSync(require.resolve('player.js'), 'utf8');
  const page = await stage.show(`${codeOf('responsive')}<script>${library}</script>
<script>${codeOf('playerjs')}</script>`);
  await playsPast(await framed(page), 3.2);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  await checked('messages', {}, async (page) => {
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => Number(document.getElementById('state').value) > 1, undefined, kPatience);
  });
});

// The script of the modules of that folder, as a build of the page makes it.
async function built(files) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-developers-'));
  try {
    for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
    const { outputFiles: [{ text }] } = await esbuild.build({ entryPoints: [path.join(folder, 'main.js')], bundle: true, write: false,
      format: 'iife', jsx: 'automatic', nodePaths: [path.join(__dirname, '../node_modules')],
      define: { 'process.env.NODE_ENV': '"production"', __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false',
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' } });
    return `<div id="root"></div><script>${text.replaceAll('</script', '<\\/script')}</script>`;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

// The options that the configuration of the page passes to the plugin.
async function vueOptions() {
  const { code } = await esbuild.transform(codeOf('vue-config').replace(/^import vue.*$/m, 'const vue = (options) => options;'),
    { format: 'cjs' });
  const module = { exports: {} };
  new Function('module', 'exports', code)(module, module.exports);
  return module.exports.default.plugins[0].template.compilerOptions;
}

test('pages-W111 the components of React and Vue play from a second and tell the seconds', async () => {
  const { descriptor } = parse(codeOf('vue'), { filename: 'Film.vue' });
  const { content } = compileScript(descriptor, { id: 'film', inlineTemplate: true,
    templateOptions: { compilerOptions: await vueOptions() } });
  const [elementScript] = codeOf('element').match(/^<script.*<\/script>/);
  for (const [name, body] of Object.entries({
    React: await built({ 'Film.tsx': codeOf('react'), 'main.js': `import { createElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Film } from './Film.tsx';
const films = ['l4unchf1lm', 'cinema2391'].map((id) => createElement(Film, { id, key: id }));
createRoot(document.querySelector('#root')).render(createElement(StrictMode, null, films));` }),
    Vue: elementScript + await built({ 'Film.js': content, 'main.js': `import { createApp, h } from 'vue';
import Film from './Film.js';
createApp({ setup: () => () => ['l4unchf1lm', 'cinema2391'].map((id) => h(Film, { id, key: id })) }).mount('#root');` }),
  })) {
    const page = await stage.show(body);
    await page.getByRole('button', { name: 'Play from 0:03' }).first().click();
    await page.waitForFunction(() => Number(document.querySelector('output').textContent) >= 4, undefined, kPatience);
    const [ids, scripts] = await page.evaluate(() => [[...document.querySelectorAll('svc-player')].map(({ mediaId }) => mediaId),
      document.querySelectorAll('script[src$="/assets/player.js"]').length]);
    assert.deepEqual([ids, scripts], [['l4unchf1lm', 'cinema2391'], 1], name);
    assert.deepEqual(page.problems, [], name);
    await page.context().close();
  }
});

test('pages-W111 the page of a browser application gets a token, and tells the account', async () => {
  const page = await openGuide('/settings');
  await logIn(page, kPeople.olivia);
  await page.locator('.menu summary bdi').waitFor();
  const where = stage.page('');
  await page.goto(`${stage.svc}/settings/accounts/1001/new-application`);
  await page.getByLabel('A browser application').check();
  await page.getByLabel('Name', { exact: true }).fill('Browser walk');
  await page.getByLabel('Redirect URI', { exact: true }).fill(where);
  await page.getByLabel('See media').check();
  await button(page, 'Register the application').click();
  const id = await page.getByLabel('Client ID').inputValue();
  stage.pages.get(new URL(where).pathname).html = `<!DOCTYPE html><link rel="icon" href="data:,">
${codeOf('browser').replace('CLIENT_ID', id)}`;
  await page.goto(`${where}?code=theirs&state=another`); // as an attacker sends them
  await button(page, 'Log in').click();
  await button(page, 'Allow').click();
  await page.locator('output').filter({ hasText: 'Acme Films' }).waitFor();
  assert.equal(page.url(), where);
  assert.deepEqual(page.problems, []);
  await page.context().close();

  // A user who denies is told so.
  const denied = await openGuide('/settings');
  await logIn(denied, kPeople.manuel);
  await denied.locator('.menu summary bdi').waitFor();
  await denied.goto(where);
  await button(denied, 'Log in').click();
  await denied.getByLabel('Binary & Sons <Studio>').check();
  await button(denied, 'Continue').click();
  await button(denied, 'Deny').click();
  await denied.locator('output').filter({ hasText: 'Not connected: access_denied' }).waitFor();
  assert.equal(denied.url(), where);
  assert.deepEqual(denied.problems, []);
  await denied.context().close();

  // A user without that account chooses an account of their own.
  const theirs = await openGuide('/settings');
  await logIn(theirs, kPeople.manuel);
  await theirs.locator('.menu summary bdi').waitFor();
  await theirs.goto(where);
  await button(theirs, 'Log in').click();
  await theirs.getByLabel('Binary & Sons <Studio>').check();
  await button(theirs, 'Continue').click();
  await button(theirs, 'Allow').click();
  await theirs.locator('output').filter({ hasText: 'Binary & Sons <Studio>' }).waitFor();
  assert.deepEqual(theirs.problems, []);
  await theirs.context().close();
});

test('pages-W111 the policies allow the codes that they are for', async () => {
  for (const [policy, id] of [['policy-frame', 'responsive'], ['policy-async', 'async'], ['policy-async', 'element'], ['policy-nonce', 'nonce']]) {
    // The styles of the test's own page.
    const own = policy === 'policy-frame' ? "; style-src 'unsafe-inline'" : '';
    await checked(id, { policy: `default-src 'none'; ${policyOf(policy)}${own}` }, play);
  }
});

test('pages-W111 each block that is not of a shell is tried here', () => {
  const tried = [...blocks].filter(([, { kind }]) => !['shell', 'json', 'python'].includes(kind)).map(([id]) => id);
  assert.deepEqual(tried.sort(), [...kPlays, ...kOthers].sort());
});

test('pages-W111 each block is copied as it is printed', async () => {
  const page = await openGuide('/developers');
  for (const path of await linksOf(page)) {
    await page.goto(stage.svc + path);
    const all = page.locator('.block');
    // Those of the reference are made alike.
    const count = path.endsWith('/api') ? 2 : await all.count();
    for (let i = 0; i < count; i++) {
      const copied = await all.nth(i).locator('code').textContent();
      await copyBy(page, all.nth(i).getByRole('button', { name: 'Copy' }));
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), copied);
    }
  }
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('without scripts a narrow page has its navigation', async () => {
  const context = await stage.browser.newContext({ viewport: { width: 360, height: 700 }, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${stage.svc}/developers`);
  await page.getByText('For developers: Overview').click();
  await page.getByRole('navigation', { name: 'For developers, menu' }).getByRole('link', { name: 'Get a token' }).click();
  await page.getByRole('heading', { name: 'Get a token', level: 1 }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0);
  await context.close();
});

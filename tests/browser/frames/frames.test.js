// Our frames in the pages of others: in pages that have no origin of the web, and with files on other hosts than ours.
// tests/e2e/test_browser_frames.py starts the service, and a server of files that sends CORS headers and no others.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { pathToFileURL } = require('node:url');
const { launchChromium } = require('../browsers.js');
const { Stage, playsPast } = require('../stage.js');

const kSilent = { autoPlay: 'true', muted: 'true' };
const kNoHls = { native: false };
const stage = new Stage();
let folder;
before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-frames-'));
  await stage.open({ browser: false });
  // Chromium resolves *.localhost itself. Pages without an origin may only load from this machine with the second flag;
  // the tests cover loading from the web.
  stage.browser = await launchChromium('--host-resolver-rules=MAP my_files.example 127.0.0.1',
    '--disable-features=LocalNetworkAccessChecks');
});
after(async () => {
  await stage.close();
  fs.rmSync(folder, { recursive: true });
});

const kIsolated = { 'Cross-Origin-Opener-Policy': 'same-origin' };
const frame = (kind, id, more = {}) => stage.code(kind, id, { ...kSilent, ...more });
const wholePage = (body) => `<!DOCTYPE html><title>Somebody's page</title>${body}`;

async function newPage({ native = true } = {}) {
  const context = await stage.browser.newContext();
  if (!native) await context.addInitScript(() => { HTMLVideoElement.prototype.canPlayType = () => ''; });
  return context.newPage();
}

// Returns the innermost frame once it plays.
async function playing(page, depth = 1) {
  let place = page;
  for (let i = 0; i < depth; i++) place = await (await place.waitForSelector('iframe')).contentFrame();
  await playsPast(place, 0.5);
  return place;
}

// Returns the number of colours in the middle of the page's picture.
async function colours(page, { x, y, width, height }) {
  const clip = { x: x + width / 4, y: y + height / 4, width: width / 2, height: height / 2 };
  const picture = (await page.screenshot({ clip })).toString('base64');
  const reader = await newPage();
  const count = await reader.evaluate(async (data) => {
    const image = Object.assign(new Image(), { src: `data:image/png;base64,${data}` });
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
    canvas.drawImage(image, 0, 0);
    return new Set(new Uint32Array(canvas.getImageData(0, 0, image.width, image.height).data.buffer)).size;
  }, picture);
  await reader.context().close();
  return count;
}

// Each way to show the page with that body: its address, and how deep the player's frame is in it.
const kParents = {
  'a file': async (page, body) => {
    const file = path.join(folder, 'page.html');
    fs.writeFileSync(file, wholePage(body));
    await page.goto(pathToFileURL(file).href);
  },
  'a data: URL': (page, body) => page.goto(`data:text/html,${encodeURIComponent(wholePage(body))}`),
  'a sandboxed page': (page, body) => page.goto(stage.page(body, { policy: 'sandbox allow-scripts' })),
  'a sandboxed frame': async (page, body) => {
    await page.goto(stage.page('<iframe sandbox="allow-scripts" width="700" height="500"></iframe>'));
    await page.evaluate((html) => {
      Object.assign(document.querySelector('iframe'), { srcdoc: html });
    }, wholePage(body));
    return 2;
  },
  'a page that requires CORP': (page, body) => page.goto(stage.page(body,
    { headers: { ...kIsolated, 'Cross-Origin-Embedder-Policy': 'require-corp' } })),
  'a page without credentials': (page, body) => page.goto(stage.page(body,
    { headers: { ...kIsolated, 'Cross-Origin-Embedder-Policy': 'credentialless' } })),
};

// Shows frames in such a page until they play: of a film of ours, and of films whose host knows nothing of isolated pages.
async function playsIn(name) {
  const isolated = /CORP|credentials/.test(name);
  for (const [id, how] of [['l4unchf1lm'], ['l4unchf1lm', kNoHls], ['f0reignhls'], ['f0reignhls', kNoHls],
    ['f0reignmp4']]) {
    const page = await newPage(how);
    const depth = await kParents[name](page, await frame('medias', id));
    await playing(page, typeof depth === 'number' ? depth : 1);
    assert.equal(await page.evaluate('self.crossOriginIsolated'), isolated);
    assert.ok(await colours(page, await page.locator('iframe').first().boundingBox()) > 50, `${id} in ${name}`);
    await page.context().close();
  }
}
test('pages-W26 a frame plays in a file', () => playsIn('a file'));
test('pages-W26 a frame plays in a data URL', () => playsIn('a data: URL'));
test('pages-W26 a frame plays in a sandboxed page', () => playsIn('a sandboxed page'));
test('pages-W26 a frame plays in a sandboxed frame', () => playsIn('a sandboxed frame'));
test('pages-W26 a frame plays in a page that requires CORP', () => playsIn('a page that requires CORP'));
test('pages-W26 a frame plays in a page without credentials', () => playsIn('a page without credentials'));

test('pages-W26 an isolated page plays the other embed codes', async () => {
  for (const embedType of ['async', 'async_popover']) {
    for (const how of [{}, kNoHls]) {
      const page = await newPage(how);
      await page.goto(stage.page(await frame('medias', 'l4unchf1lm', { embedType }),
        { headers: { ...kIsolated, 'Cross-Origin-Embedder-Policy': 'require-corp' } }));
      if (embedType === 'async_popover') await page.getByRole('button', { name: /^Play / }).first().click();
      await playsPast(page, 0.5);
      await page.context().close();
    }
  }
});

test('frames and media pages play files on other hosts', async () => {
  for (const id of ['f0reignhls', 'f0reignmp4', 'f0reignund']) {
    for (const how of [{}, kNoHls]) {
      const page = await newPage(how);
      const problems = [];
      page.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
      });
      const options = new URLSearchParams(kSilent);
      await page.goto(`${stage.svc}/embed/iframe/${id}?${options}`);
      await playsPast(page, 0.5);
      await page.getByRole('button', { name: /captions/i }).first().waitFor({ state: 'attached' });
      assert.deepEqual(problems, [], id);
      await page.context().close();
    }
  }
});

test('a playlist plays files on the hosts of each of its videos', async () => {
  const page = await newPage(kNoHls);
  await page.goto(stage.page(await frame('embed/playlists', 'f0reignpla')));
  const inside = await playing(page);
  await inside.getByRole('button', { name: /On another host/ }).click();
  await inside.waitForFunction(() => performance.getEntriesByType('resource')
    .some(({ name }) => /^http:\/\/my_files\..*\.(ts|m4s)$/.test(name)));
  await playsPast(inside, 0.5);
  await page.context().close();
});

// Films that only pages of one site and of applications may show, in their pages and in those of others.
// tests/e2e/test_browser_frames.py starts the service, and allows localhost and 127.0.0.1 at SVC_PAGES_PORT.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { pathToFileURL } = require('node:url');
const { Stage } = require('../stage.js');
const { frameOf, kAsked, kConsumers, kWaits, plays, viewersOf } = require('./viewers.js');

const kId = 'r3str1cted';
const kSilent = { autoPlay: 'true', muted: 'true' };
const stage = new Stage();
const browsers = viewersOf(stage);
let folder;
before(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-domains-')); });
after(() => fs.rmSync(folder, { recursive: true }));

const code = (embedType, id = kId) => stage.code('medias', id, { ...kSilent, embedType });
const kSandbox = '<iframe sandbox="allow-scripts"';
const sandboxed = async () => (await code('iframe')).replace('<iframe', kSandbox);
const elsewhere = (url) => url.replace('localhost', 'evil.localhost');
// An application that serves its pages on the device. The policy also names capacitor://localhost, which no browser here can open.
const inApplication = (url) => url.replace('localhost', '127.0.0.1');
const kHidden = { before: '<meta name="referrer" content="no-referrer">' };

const consumed = (name) => async () => kConsumers[name](await stage.code('medias', kId, { ...kSilent, ...kAsked }));

// Each page: its name, its body, its options and its expected state.
const allowed = [
  ['a frame', () => code('iframe'), {}, 'frame plays'],
  ['a frame without a referrer', () => code('iframe'), kHidden, 'frame plays'],
  ['a sandboxed frame', sandboxed, {}, 'frame plays'],
  ['a sandboxed frame without a referrer', sandboxed, kHidden, 'frame plays'],
  ['an async code', () => code('async'), {}, 'plays'],
  ['an async code without a referrer', () => code('async'), kHidden, 'plays'],
  ['the element', () => code('web_component'), {}, 'element plays'],
  ...Object.keys(kConsumers).map((name) => [`a frame of ${name}`, consumed(name), {}, 'frame plays']),
];
const foreign = [
  ['a frame', () => code('iframe'), {}, 'frame says why'],
  ['a frame without a referrer', () => code('iframe'), kHidden, 'frame is blocked'],
  ['a sandboxed frame', sandboxed, {}, 'frame says why'],
  ['an async code', () => code('async'), {}, 'says why'],
  ['an async code without a referrer', () => code('async'), kHidden, 'says why'],
  ...Object.keys(kConsumers).map((name) => [`a frame of ${name}`, consumed(name), {}, 'frame says why']),
];

const saysWhy = () => document.querySelector('[data-svc-notice="elsewhere"]')?.textContent || '';

const kEnds = {
  'plays': (wait, page) => wait(page, plays),
  'element plays': (wait, page) => wait(page, plays),
  'frame plays': async (wait, page) => wait(await frameOf(page), plays),
  'says why': async (wait, page) => {
    await wait(page, saysWhy);
    assert.match(await page.evaluate(saysWhy), /This video may not be shown on this site\./);
    assert.equal(await page.evaluate(() => document.querySelector('[data-svc-notice] button')), null, 'no second try');
  },
  'frame says why': async (wait, page) => {
    const frame = await frameOf(page);
    await wait(frame, () => /evil\.localhost:\d+ is not one of them/.test(document.body.textContent));
    assert.equal(await frame.evaluate(() => document.querySelector('video')), null);
  },
  // The page that a browser shows instead belongs to no site.
  'frame is blocked': async (wait, page) => {
    await wait(page, () => performance.getEntriesByType('resource').some(({ name }) => name.includes('/embed/iframe/')));
    for (const frame of page.frames().slice(1))
      assert.equal(await frame.evaluate(() => document.querySelector('video')).catch(() => null), null);
  },
};
for (const [browser, newPage] of Object.entries(browsers)) {
  for (const [where, rows, address] of [['of the site', allowed, (url) => url], ['of another site', foreign, elsewhere],
    ['of an application', allowed, inApplication]]) {
    for (const [what, body, more, end] of rows) {
      test(`${browser}: ${what} in a page ${where}: ${end}`, async () => {
        const page = await newPage();
        const reported = []; // a source that a browser cannot read
        page.on('console', (message) => { if (/source expression/.test(message.text())) reported.push(message.text()); });
        await page.goto(address(stage.page(await body(), more)));
        await kEnds[end](kWaits[browser], page);
        assert.deepEqual(reported, []);
        await page.close();
      });
    }
  }
  test(`${browser}: a file shows why its film is missing`, async () => {
    const page = await newPage();
    const file = path.join(folder, 'page.html');
    fs.writeFileSync(file, `<!DOCTYPE html><title>A file</title>${await code('async')}`);
    await page.goto(pathToFileURL(file).href);
    await kEnds['says why'](kWaits[browser], page);
    await page.close();
  });
}

test('a restricted playlist plays on the site only', async () => {
  const list = await stage.code('embed/playlists', 'r3str1ctpl', kSilent);
  const page = await browsers.Chromium();
  await page.goto(stage.page(list));
  await kEnds['frame plays'](kWaits.Chromium, page);
  await page.goto(elsewhere(stage.page(list)));
  await kEnds['frame says why'](kWaits.Chromium, page);
  await page.close();
});

// The gallery of scripts/serve, in Chromium and Firefox: every embed code plays on a page of another site.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { source: axe } = require('axe-core');
const { chromium } = require('playwright-core');
const puppeteer = require('puppeteer-core');

const gallery = process.env.SVC_GALLERY;
const shots = path.join(__dirname, '..', 'screenshots', 'gallery');
const sandbox = process.getuid() === 0 ? ['--no-sandbox'] : [];
let browser;
before(async () => {
  fs.mkdirSync(shots, { recursive: true });
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: sandbox });
});
after(() => browser?.close());

// The players of the page itself are in shadow trees, those of frames in frames.
const playing = () => {
  const all = (root) => [...root.querySelectorAll('*')].flatMap((one) =>
    [...(one.matches('video') ? [one] : []), ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  return all(document).filter((video) => video.currentTime > 0.5 && video.videoWidth > 0).length;
};

async function waitUntilAllPlay(page) {
  let counts;
  for (let attempt = 0; attempt < 120; attempt += 1) {
    counts = await Promise.all(page.frames().map((frame) => frame.evaluate(playing).catch(() => 0)));
    // Two async codes and a playlist in the page; two iframes and a playlist in frames.
    if (counts[0] >= 3 && counts.slice(1).filter((count) => count > 0).length >= 3) return;
    await new Promise((resolve) => { setTimeout(resolve, 500); });
  }
  assert.fail(`playing in the page and its frames: ${counts}`);
}

test('pages-W8 every embed code of the gallery plays in Chromium, on another origin than the player', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(gallery);
  for (const frame of page.frames().slice(1)) assert.notEqual(new URL(frame.url()).origin, new URL(gallery).origin);
  await waitUntilAllPlay(page);
  await page.screenshot({ path: path.join(shots, 'chromium.png'), fullPage: true });
  assert.deepEqual(problems, []);
  await page.close();
});

test('pages-W8 every embed code of the gallery plays in Firefox', async () => {
  const firefox = await puppeteer.launch({ browser: 'firefox', headless: true,
    executablePath: process.env.FIREFOX || '/usr/bin/firefox-esr' });
  try {
    const page = await firefox.newPage();
    await page.setViewport({ width: 1280, height: 800 });
    await page.goto(gallery);
    await waitUntilAllPlay(page);
    await page.screenshot({ path: path.join(shots, 'firefox.png'), fullPage: true });
  } finally {
    await firefox.close();
  }
});

test('pages-W1 pages-W2 the gallery passes axe-core, light and dark, narrow and wide', async () => {
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [360, 1280]) {
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
      await page.goto(gallery);
      await page.evaluate(axe);
      // The players have tests of their own.
      const { violations } = await page.evaluate(() => window.axe.run({ exclude: ['.live'] }, { iframes: false }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`), []);
      const [inner, outer] = await page.evaluate(() =>
        [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(inner <= outer, `${inner} wide in a window of ${outer}`);
      await page.screenshot({ path: path.join(shots, `${colorScheme}-${width}.png`), fullPage: true });
      await page.close();
    }
  }
});

// The gallery of scripts/serve, in Chromium and Firefox: every embed code plays on a page of another site.
'use strict';

const assert = require('node:assert/strict');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { source: axe } = require('axe-core');
const { launchChromium, launchFirefox, takePicture } = require('../browsers.js');
const { until } = require('../patience.js');

const gallery = process.env.SVC_GALLERY;
const shots = path.join(__dirname, '..', 'screenshots', 'gallery');
let browser;
before(async () => {
  browser = await launchChromium();
});
after(() => browser?.close());

// The players of the page itself are in shadow trees, those of frames in frames.
const playing = () => {
  const all = (root) => [...root.querySelectorAll('*')].flatMap((one) =>
    [...(one.matches('video') ? [one] : []), ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  return all(document).filter((video) => video.currentTime > 0.5 && video.videoWidth > 0).length;
};

async function waitUntilAllPlay(page) {
  await until(async () => {
    const counts = await Promise.all(page.frames().map((frame) => frame.evaluate(playing).catch(() => 0)));
    // Two async codes, an element and a playlist in the page; two iframes and a playlist in frames.
    return counts[0] >= 4 && counts.slice(1).filter((count) => count > 0).length >= 3;
  }, 'all of the page and its frames play', 500);
}

// Waits until `condition`, a function of `argument` in the page, returns a true value, and returns it.
const untilOn = (page, what, condition, argument) => until(() => page.evaluate(condition, argument), what, 250);
const middleOf = (selector) => {
  const [element] = [...document.querySelectorAll(selector)];
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
};

// Opens each popover by its thumbnail and closes it, the first by Esc and the next by its button.
async function popoversPlay(page) {
  const openers = '.live [aria-haspopup=dialog]';
  await untilOn(page, 'two popovers', (selector) => document.querySelectorAll(selector).length === 2, openers);
  for (const [number, close] of ['Escape', 'dialog button[aria-label="Close video"]'].entries()) {
    await page.evaluate(([selector, at]) => {
      document.querySelectorAll(selector)[at].id = `opener-${at}`;
      document.querySelector(`#opener-${at}`).scrollIntoView({ block: 'center' });
    }, [openers, number]);
    const opener = `#opener-${number}`;
    await untilOn(page, 'the thumbnail', (selector) => document.querySelector(`${selector} img`)?.naturalWidth > 0, opener);
    const before = await page.evaluate(() => window.scrollY);
    await page.mouse.click(...await page.evaluate(middleOf, opener));
    await untilOn(page, 'the popover plays', () => {
      const videos = (root) => [...root.querySelectorAll('*')].flatMap((one) =>
        [...(one.matches('video') ? [one] : []), ...(one.shadowRoot ? videos(one.shadowRoot) : [])]);
      const dialog = document.querySelector('dialog');
      return dialog && videos(dialog).some((video) => video.currentTime > 1 && video.videoWidth > 0);
    });
    if (close === 'Escape') await page.keyboard.press(close);
    else await page.mouse.click(...await page.evaluate(middleOf, close));
    await untilOn(page, 'the popover is closed', () => !document.querySelector('dialog'));
    const after = await page.evaluate(() => [window.scrollY, document.documentElement.style.overflow]);
    assert.deepEqual(after, [before, ''], 'the page scrolls again, from where it was');
  }
}

test('every embed code of the gallery plays in Chromium, on another origin than the player', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(gallery);
  for (const frame of page.frames().slice(1)) assert.notEqual(new URL(frame.url()).origin, new URL(gallery).origin);
  await waitUntilAllPlay(page);
  await takePicture(page, shots, 'chromium', { fullPage: true });
  await popoversPlay(page);
  assert.deepEqual(problems, []);
  await page.close();
});

test('every embed code of the gallery plays in Firefox', async () => {
  const firefox = await launchFirefox();
  try {
    const page = await firefox.newPage();
    await page.setViewport({ width: 1280, height: 800 });
    await page.goto(gallery);
    await waitUntilAllPlay(page);
    // Its thumbnails further down are not loaded yet: they are as soon as they are near.
    await takePicture(page, shots, 'firefox', { fullPage: true });
    await popoversPlay(page);
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
      await takePicture(page, shots, `${colorScheme}-${width}`, { fullPage: true });
      await page.close();
    }
  }
});

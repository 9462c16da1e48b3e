// both: runs tests in Chromium and in Firefox, and reads the pixels that the browsers show.
'use strict';

const assert = require('node:assert/strict');
const { kFinger, launchFirefox } = require('./browsers.js');
const { kPatience, Stage } = require('./stage.js');

const stage = new Stage();
let firefox;
let phone; // Firefox for a finger, once a page needs it
const open = async () => {
  await stage.open();
  firefox = await launchFirefox();
};
const close = async () => {
  await firefox?.close();
  await (await phone)?.close();
  await stage.close();
};

const kWindow = { width: 900, height: 700 };
const kBrowsers = {
  Chromium: async (body, more) => {
    const page = await stage.show(body, { ...kWindow, ...more });
    return [page, () => page.context().close()];
  },
  Firefox: async (body, more) => {
    const { finger, width, height, ...rest } = { ...kWindow, ...more };
    if (finger) phone ||= launchFirefox(kFinger);
    const page = await (finger ? await phone : firefox).newPage();
    await page.setViewport(finger ? { width, height } : kWindow);
    await page.goto(stage.page(body, rest));
    return [page, () => page.close()];
  },
};

// Calls `run` in each browser, with a function that opens a page. Closes the pages at the end.
const inBrowsers = (run, browsers = Object.keys(kBrowsers)) => async () => {
  for (const browser of browsers) {
    const ends = [];
    try {
      await run(async (...parameters) => {
        const [page, end] = await kBrowsers[browser](...parameters);
        ends.push(end);
        return page;
      });
    } catch (error) {
      error.message = `${browser}: ${error.message}`;
      throw error;
    }
    await Promise.all(ends.map((end) => end()));
  }
};

// Evaluates until there is a result, with a frame painted between two tries.
async function until(page, what, ...values) {
  const end = Date.now() + kPatience.timeout;
  for (;;) {
    const found = typeof what === 'string' ? await page.evaluate(what) : await what(...values);
    if (found) return found;
    assert.ok(Date.now() < end, String(what));
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

const boxOf = (page, selector) => page.evaluate((name) => {
  const all = [document, ...[...document.querySelectorAll('[data-svc-controls]')].map((each) => each.shadowRoot)];
  const { x, y, width, height } = all.map((each) => each.querySelector(name)).find(Boolean).getBoundingClientRect();
  return { x, y, width, height };
}, selector);
const png = async (page, clip) => Buffer.from(await page.screenshot({ clip })).toString('base64');

// The pixels of a picture of that part of a page: { width, height, data }, four bytes per pixel. Decoded by Chromium.
let decoder;
async function pixels(page, clip) {
  decoder ||= await stage.browser.newPage();
  const { width, height, text } = await decoder.evaluate(async (picture) => {
    const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    canvas.drawImage(bitmap, 0, 0);
    const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
    let all = '';
    for (let at = 0; at < data.length; at += 8192) all += String.fromCharCode(...data.subarray(at, at + 8192));
    return { width: bitmap.width, height: bitmap.height, text: btoa(all) };
  }, await png(page, clip));
  return { width, height, data: Buffer.from(text, 'base64') };
}

// The share of pixels in which two pictures differ visibly.
function difference(a, b, name) {
  assert.deepEqual([b.width, b.height], [a.width, a.height], name);
  let count = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    if ([0, 1, 2].some((i) => Math.abs(a.data[at + i] - b.data[at + i]) > 48)) count++;
  }
  return (4 * count) / a.data.length;
}

// The picture of an element, once two pictures in a row are equal: posters are decoded, bars fade.
async function picture(page, selector) {
  let last = '';
  const clip = await until(page, async () => {
    const box = await boxOf(page, selector);
    const next = box.width && box.height && await png(page, box);
    const same = next && next === last && box;
    last = next;
    return same;
  });
  return pixels(page, clip);
}

module.exports = { boxOf, close, difference, inBrowsers, open, picture, pixels, png, stage, until };

// A film that was uploaded (SVC_UPLOADED), in Chromium and Firefox: HLS by hls.js, its MP4 without, and its captions.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { launchFirefox } = require('./browsers.js');
const { kPatience, playsPast, Stage } = require('./stage.js');

const stage = new Stage();
let firefox;
before(async () => {
  await stage.open();
  firefox = await launchFirefox();
});
after(async () => {
  await firefox?.close();
  await stage.close();
});

const kSilent = { autoPlay: 'true', muted: 'true' };
const kNoHls = '<script>HTMLVideoElement.prototype.canPlayType = () => ""; delete window.MediaSource; ' +
  'delete window.ManagedMediaSource;</script>';
const id = process.env.SVC_UPLOADED;
const code = () => stage.code('medias', id, { embedType: 'async', ...kSilent });

test('Chromium plays it by HLS, with its captions', async () => {
  const page = await stage.show(await code());
  await playsPast(page, 1);
  assert.ok(page.asked.some((url) => url.includes(`/files/${id}/`) && /\.(m4s|mp4)$/.test(url)));
  assert.deepEqual(page.problems, []);
  await page.getByRole('button', { name: /captions/i }).waitFor({ state: 'attached' });
  await stage.shot(page, 'uploaded');
  await page.context().close();
});

test('Chromium shows a picture of the place under the pointer', async () => {
  const page = await stage.show(await code());
  await playsPast(page, 0.5);
  const storyboard = (url) => url.includes('/storyboard.');
  assert.deepEqual(page.asked.filter(storyboard), [], 'nothing before the pointer is there');
  const seek = page.getByRole('slider', { name: 'Position' });
  const { width } = await seek.boundingBox();
  const shown = async (part) => {
    await seek.hover({ position: { x: part * width, y: 5 } });
    const picture = page.locator('.preview .picture');
    await picture.waitFor();
    return { background: await picture.evaluate((element) => getComputedStyle(element).backgroundPosition),
      words: await page.locator('.preview').textContent() };
  };
  assert.deepEqual(await shown(0.05), { background: '0px 0px', words: '0:00' });
  const later = await shown(0.5); // half of six seconds: the second picture
  assert.match(later.background, /^-\d\dpx|^-1\d\dpx/);
  assert.match(later.words, /^0:0[23]$/);
  await stage.shot(page, 'uploaded-position');
  await page.mouse.move(5, 5);
  await page.locator('.preview').waitFor({ state: 'hidden' });
  assert.equal(page.asked.filter(storyboard).length, 2);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('Chromium plays its MP4 without HLS', async () => {
  const page = await stage.show(await code(), { before: kNoHls });
  await playsPast(page, 1);
  assert.ok(page.asked.some((url) => url.endsWith('/video.mp4')), page.asked.join(' '));
  await page.context().close();
});

test('Firefox plays it by HLS', async () => {
  const page = await firefox.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(stage.page(await code()));
  await page.waitForFunction(() => {
    const video = document.querySelector('video');
    return video && video.currentTime > 1 && video.videoWidth > 0;
  }, kPatience);
  assert.deepEqual(problems, []);
  await page.close();
});

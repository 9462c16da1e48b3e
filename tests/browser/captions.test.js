// Captions (oembed-M7), in Chromium: side files with a file and with HLS, segmented captions, the button, the menu,
// the key, the choice of the session, and captions that do not come.
'use strict';

const assert = require('node:assert/strict');
const http = require('node:http');
const { after, before, test } = require('node:test');
const { atRest } = require('./patience.js');
const { kPatience, playsPast, Stage, withPages } = require('./stage.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

const kSilent = { autoPlay: 'true', muted: 'true' };
const kOnlyNative = '<script>delete window.MediaSource; delete window.ManagedMediaSource;</script>';
const kCaptions = /\.vtt(\?|$)|\/(en|de)\/index\.m3u8/;
const kShown = `[...v.textTracks].filter((t) => t.mode === 'showing')`;

const plays = withPages(stage);

const async = (id, parameters) => stage.code('medias', id, { embedType: 'async', ...parameters });
const read = (place, text) =>
  place.evaluate(`(() => { const v = document.querySelector('video'); return ${text}; })()`);
const until = (place, text) => place.waitForFunction(
  `(() => { const v = document.querySelector('video'); return v && (${text}); })()`, null, kPatience);
const frameOf = async (page) => (await page.waitForSelector('iframe')).contentFrame();
const loaded = (page) => page.asked.filter((url) => kCaptions.test(url));

// The controls handle the keys, and load shortly after playback begins.
async function focus(place) {
  await place.locator('[data-svc-controls]').waitFor({ state: 'attached' });
  await place.locator('[data-svc-player]').focus();
}

// Jumps into a cue of the demonstration, whose text ends with the second at which it begins, and out of it.
async function saysAt(place, second, words) {
  await place.evaluate((to) => {
    const video = document.querySelector('video');
    video.pause();
    video.currentTime = to;
  }, second + 0.4);
  await says(place, [`${words} ${second}`]);
  await place.evaluate((to) => { document.querySelector('video').currentTime = to; }, second + 0.9);
  await says(place, []);
}

// Waits until one track is shown and has exactly these cues at the current time. Without text that is evaluated:
// the policy of our frames forbids it.
const says = (place, texts) => place.waitForFunction((expected) => {
  const video = document.querySelector('video');
  const shown = [...video.textTracks].filter(({ mode }) => mode === 'showing');
  return !video.seeking && shown.length === 1 && shown[0].activeCues &&
    [...shown[0].activeCues].map(({ text }) => text).join() === expected.join();
}, texts, kPatience);

// The picture of the lower part of the video, without the bar of controls.
async function picture(page, place) {
  await page.mouse.move(899, 699);
  await place.waitForFunction(() => {
    const host = document.querySelector('[data-svc-controls]');
    host.style.setProperty('visibility', 'hidden');
    return !document.querySelector('video').seeking;
  });
  const { x, y, width, height } = await place.locator('video').boundingBox();
  const clip = { x, y: y + height * 0.6, width, height: height * 0.4 };
  return atRest(async () => (await page.screenshot({ clip })).toString('base64'));
}

for (const [what, head] of [['natively', kOnlyNative], ['by hls.js', '']]) {
  plays(`oembed-M7 a side file is shown at its time over HLS that plays ${what}, and nothing is loaded before`,
    async (open) => {
      const page = await open(await async('l4unchf1lm'), { before: head });
      await page.getByRole('button', { name: 'Play Launch film' }).focus();
      await page.getByRole('button', { name: 'Captions' }).waitFor();
      await page.keyboard.press('c');
      await page.waitForLoadState('networkidle');
      assert.deepEqual(loaded(page), [], 'chosen, but nothing plays');
      await page.keyboard.press('Enter');
      await playsPast(page, 0.2);
      await saysAt(page, 2, 'Second');
      await saysAt(page, 5, 'Second');
      assert.deepEqual(loaded(page).map((url) => url.split('/').at(-1)), ['en.vtt'], 'one request, for one language');
      assert.equal(page.asked.some((url) => url.includes('/hls-captions-')), false);
    });
}

plays('oembed-M7 captions are shown in the picture, and off hides them', async (open) => {
  const page = await open(await async('l4unchf1lm', kSilent));
  await playsPast(page, 0.2);
  await focus(page);
  await page.keyboard.press('c');
  await saysAt(page, 2, 'Second');
  await page.evaluate(() => { document.querySelector('video').currentTime = 3.4; });
  await until(page, `!v.seeking && ${kShown}[0].activeCues[0]?.text === 'Second 3'`);
  const shown = await picture(page, page);
  await stage.shot(page, 'captions');
  await page.keyboard.press('c');
  await until(page, `${kShown}.length === 0`);
  const hidden = await picture(page, page);
  assert.notEqual(shown, hidden);
  await page.keyboard.press('c');
  await until(page, `${kShown}.length === 1 && ${kShown}[0].activeCues[0]?.text === 'Second 3'`);
  assert.notEqual(await picture(page, page), hidden);
});

plays('oembed-M7 the menu has the languages and off', async (open) => {
  const page = await open(await async('l4unchf1lm', kSilent));
  await playsPast(page, 0.2);
  const button = page.getByRole('button', { name: 'Captions' });
  await page.locator('[data-svc-player]').hover();
  await button.click();
  assert.equal(await button.getAttribute('aria-expanded'), 'true');
  const select = page.getByRole('group', { name: 'Captions' }).getByLabel('Captions');
  assert.deepEqual(await select.locator('option').allTextContents(), ['Off', 'English', 'Deutsch']);
  assert.equal(await select.inputValue(), '0');
  await select.selectOption('Deutsch');
  await saysAt(page, 4, 'Sekunde');
  await select.selectOption('English');
  await saysAt(page, 4, 'Second');
  await select.selectOption('Off');
  await until(page, `${kShown}.length === 0`);
  await page.keyboard.press('Escape');
  await page.getByRole('group', { name: 'Captions' }).waitFor({ state: 'hidden' });
  assert.equal(await button.getAttribute('aria-expanded'), 'false');
  // The same choice is among the settings.
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Captions').and(page.locator('select')).selectOption('Deutsch');
  await saysAt(page, 1, 'Sekunde');
});

plays('oembed-M7 the default is loaded at play and shown over a file; the session remembers the choice',
  async (open) => {
  const page = await open(await async('mp4only001', { muted: 'true' }));
  await page.getByRole('button', { name: /^Play / }).waitFor();
  await page.waitForLoadState('networkidle');
  assert.deepEqual(loaded(page), []);
  await page.getByRole('button', { name: /^Play / }).click();
  await playsPast(page, 0.2);
  await saysAt(page, 2, 'Second');
  const button = page.getByRole('button', { name: 'Captions' });
  await page.locator('[data-svc-player]').hover();
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
  await button.click();
  await until(page, `${kShown}.length === 0`);
  assert.equal(await button.getAttribute('aria-pressed'), 'false');
  for (const shown of [0, 1]) {
    page.asked.length = 0;
    await page.reload();
    await page.getByRole('button', { name: /^Play / }).click();
    await playsPast(page, 0.2);
    await until(page, `${kShown}.length === ${shown}`);
    assert.equal(loaded(page).length, shown);
    await focus(page);
    await page.keyboard.press('c');
    await until(page, `${kShown}.length === ${1 - shown}`);
  }
});

plays('oembed-M7 segmented captions are shown at the time of the video, by the full hls.js', async (open) => {
  const page = await open(await async('p0rtrait99', { ...kSilent, width: '340' }));
  await playsPast(page, 0.2);
  assert.ok(page.asked.some((url) => url.includes('/hls-captions-')));
  assert.equal(page.asked.some((url) => /\/hls-(?!captions)/.test(url)), false);
  assert.deepEqual(loaded(page), [], 'nothing before it is chosen');
  await focus(page);
  await page.keyboard.press('c');
  await saysAt(page, 3, 'Second');
  await saysAt(page, 6, 'Second');
  assert.equal(loaded(page).some((url) => url.includes('/de/')), false);
  await page.getByRole('button', { name: 'Captions' }).click();
  await page.getByLabel('Captions').and(page.locator('select')).selectOption('Deutsch');
  await saysAt(page, 3, 'Sekunde');
  await saysAt(page, 0, 'Sekunde');
  await page.keyboard.press('Escape');
  await page.keyboard.press('c');
  await until(page, `${kShown}.length === 0`);
  // Each cue once, though its segment may have come twice.
  assert.deepEqual(await read(page, `[...v.textTracks].map((t) => { t.mode = 'hidden';
    const texts = [...t.cues].map((c) => c.text); return texts.length === new Set(texts).size; })`), [true, true]);
});

plays('oembed-M7 without Media Source Extensions our menu does not offer segmented captions', async (open) => {
  const page = await open(await async('p0rtrait99', { ...kSilent, width: '340' }),
    { before: kOnlyNative });
  await playsPast(page, 0.2);
  assert.deepEqual(loaded(page), []);
  assert.equal(await read(page, "v.querySelectorAll('track').length"), 0);
});

plays('oembed-M7 captions in an iframe and in a dialog', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm', { ...kSilent, width: '400' }));
  const frame = await frameOf(page);
  await playsPast(frame, 0.2);
  await focus(frame);
  await page.keyboard.press('c');
  await saysAt(frame, 2, 'Second');
  const other = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async_popover' }));
  await other.getByRole('button', { name: 'Play Launch film' }).click();
  await playsPast(other, 0.2);
  await focus(other);
  await other.keyboard.press('c');
  await saysAt(other, 2, 'Second');
  assert.deepEqual(loaded(other).length, 1);
});

plays('oembed-M7 the next video of a playlist has its own captions, in the language of the session', async (open) => {
  const page = await open(await stage.code('embed/playlists', 'pl4yl1st01',
    { embedType: 'playlist_api', handle: 'films', ...kSilent }));
  await playsPast(page, 0.2);
  const videos = await (await fetch(`${stage.svc}/embed/playlists/pl4yl1st01.json`)).json();
  const labels = (index) => (videos.videos[index].captions || []).map(({ label }) => label);
  const tracks = () => read(page, '[...v.textTracks].map((t) => t.label)');
  assert.ok(labels(0).length > 1);
  await page.locator('[data-svc-player]').hover();
  await page.getByRole('button', { name: 'Captions' }).click();
  await page.getByLabel('Captions').and(page.locator('select')).selectOption('Deutsch');
  await saysAt(page, 1, 'Sekunde');
  await page.evaluate(() => window.films.next());
  await until(page, `v.currentTime > 0.2 && !v.paused && v.title !== 'Launch film'`);
  assert.deepEqual(await tracks(), labels(1));
  await page.evaluate(() => window.films.previous());
  await until(page, `v.currentTime > 0.2 && v.title === 'Launch film' && ${kShown}.length === 1`);
  await saysAt(page, 3, 'Sekunde');
});

// ---- when they do not come --------------------------------------------------------------------------

const kCors = { 'access-control-allow-origin': '*' };
const kVtt = 'WEBVTT\n\n00:00.000 --> 00:08.000\nthere\n';
for (const [what, answer] of [
  ['404', (route) => route.fulfill({ status: 404, headers: kCors, contentType: 'text/vtt', body: kVtt })],
  ['no network', (route) => route.abort()],
  ['more than 8 MiB', (route) => route.fulfill({ headers: kCors, contentType: 'text/vtt',
    body: kVtt + 'NOTE '.repeat(1 << 21) })],
  ['a page in place of WebVTT', (route) => route.fulfill({ headers: kCors, contentType: 'text/html', body: '<p>' })]]) {
  plays(`oembed-M7 captions that do not come are said, and the video plays on: ${what}`, async (open) => {
    const page = await open(await async('l4unchf1lm', kSilent));
    let away = true;
    await page.route('**/en.vtt', (route) => (away ? answer(route) : route.continue()));
    await playsPast(page, 0.2);
    await focus(page);
    await page.keyboard.press('c');
    await page.getByText('The captions \u201cEnglish\u201d could not be loaded.').waitFor();
    assert.equal(await read(page, `${kShown}.length`), 0);
    const at = await read(page, 'v.currentTime');
    await until(page, `!v.paused && v.currentTime > ${at} + 0.5`);
    away = false;
    await page.keyboard.press('c');
    await saysAt(page, 2, 'Second');
    assert.equal(await page.getByText('could not be loaded').count(), 0);
  });
}

plays('oembed-M7 captions without CORS are reported, and the video continues', async (open) => {
  const server = http.createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/vtt' });
    response.end(kVtt);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  try {
    const facts = await (await fetch(`${stage.svc}/embed/medias/l4unchf1lm.json`)).json();
    facts.captions[0].url = `http://127.0.0.1:${server.address().port}/en.vtt`;
    const page = await open('<p>');
    await page.route('**/embed/medias/l4unchf1lm.json', (route) => route.fulfill({ headers: kCors,
      contentType: 'application/json', body: JSON.stringify(facts) }));
    await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
      (await async('l4unchf1lm', kSilent)).replace(/<script.*?<\/script>/, ''));
    await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
    await playsPast(page, 0.2);
    await focus(page);
    await page.keyboard.press('c');
    await page.getByText('The captions \u201cEnglish\u201d could not be loaded.').waitFor();
    const at = await read(page, 'v.currentTime');
    await until(page, `!v.paused && v.currentTime > ${at} + 0.5`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

for (const part of ['index.m3u8', '*.vtt']) {
  plays(`oembed-M7 segmented captions that do not come are said, and the video plays on: ${part}`, async (open) => {
    const page = await open(await async('p0rtrait99', { ...kSilent, width: '340' }));
    let away = true;
    await page.route(`**/p0rtrait99/en/${part}`, (route) =>
      (away ? route.fulfill({ status: 404, headers: kCors }) : route.continue()));
    await playsPast(page, 0.2);
    await focus(page);
    await page.keyboard.press('c');
    await page.getByText('The captions \u201cEnglish\u201d could not be loaded.').waitFor();
    await until(page, 'v.ended || v.currentTime > v.duration - 1');
    assert.equal(await page.locator('[data-svc-notice]').count(), 0);
    away = false;
    await page.keyboard.press('c');
    await saysAt(page, 3, 'Second');
  });
}

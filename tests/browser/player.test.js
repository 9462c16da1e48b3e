// The player itself, in Chromium: what it loads and when, controls and keys, options, and what it says
// when something is wrong.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const zlib = require('node:zlib');
const axe = require('axe-core');
const { Stage, playsPast } = require('./stage.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

const kSilent = { autoPlay: 'true', muted: 'true' };
const kMedia = /\.(m3u8|ts|m4s|mp4)(\?|$)|\/hls-/;
const kNoHls = '<script>HTMLVideoElement.prototype.canPlayType = () => "";</script>';

// A test with a page, in which no error may happen.
function plays(name, run) {
  test(name, { timeout: 60000 }, async () => {
    const opened = [];
    await run(async (...parameters) => {
      const page = await stage.show(...parameters);
      opened.push(page);
      return page;
    });
    for (const page of opened) {
      assert.deepEqual(page.problems, []);
      await page.context().close();
    }
  });
}

const async = (id, parameters) => stage.code('medias', id, { embedType: 'async', ...parameters });
const video = (place, read) => place.evaluate(`(() => { const v = document.querySelector('video'); return ${read}; })()`);
const until = (place, read) => place.waitForFunction(
  `(() => { const v = document.querySelector('video'); return v && (${read}); })()`, null, { timeout: 20000 });
const frameOf = async (page) => (await page.waitForSelector('iframe')).contentFrame();

// ---- thrift -----------------------------------------------------------------------------------------

plays('before play there is the poster, nothing moves, and all of it is at most 30 KB', async (open) => {
  const kShifts = `<script>window.shifted = 0; new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });</script>`;
  for (const [code, count] of [
    [await async('l4unchf1lm'), 1], [await stage.code('medias', 'l4unchf1lm'), 1],
    [await stage.code('medias', 'l4unchf1lm', { embedType: 'async_popover' }), 1],
    [await stage.code('embed/playlists', 'pl4yl1st01', { embedType: 'playlist_api' }), 1]]) {
    const page = await open(`<p>above</p>${code}<p>below</p>`, { before: kShifts });
    const place = code.includes('<iframe') ? await frameOf(page) : page;
    await place.getByRole('button', { name: /^Play / }).first().waitFor();
    await page.waitForLoadState('networkidle');
    assert.deepEqual(page.asked.filter((url) => kMedia.test(url)), []);
    assert.equal(page.asked.filter((url) => url.includes('poster.jpg')).length, count);
    let bytes = 0;
    for (const url of new Set(page.asked)) {
      if (!url.includes('/assets/external/')) continue;
      bytes += zlib.gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length;
    }
    assert.ok(bytes > 1000 && bytes <= 30 * 1024, `${bytes}`);
    assert.equal(await page.evaluate(() => window.shifted), 0);
    if (code.includes('svc_async_') && !code.includes('popover')) {
      await stage.shot(page, 'start');
      await place.getByRole('button', { name: 'Play Launch film' }).click();
      await playsPast(place, 0.5);
      assert.ok(page.asked.some((url) => kMedia.test(url)));
      assert.equal(await page.evaluate(() => window.shifted), 0);
    }
  }
});

plays('a poster far below is not loaded until one scrolls there', async (open) => {
  const page = await open(`<div style="height:4000px"></div>${await async('l4unchf1lm')}`);
  await page.getByRole('button', { name: 'Play Launch film' }).waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(page.asked.some((url) => url.includes('poster.jpg')), false);
  await page.evaluate(() => window.scrollTo(0, 4000));
  await until(page, 'v.poster');
});

plays('starting one player pauses the others, in frames too', async (open) => {
  const size = { width: '300' };
  const page = await open(await async('l4unchf1lm', size) + await async('sm4ll480px', size) +
    await stage.code('medias', 'cinema2391', size));
  const frame = await frameOf(page);
  const playing = () => page.evaluate(() => [...document.querySelectorAll('video')].map((v) => !v.paused));
  await page.getByRole('button', { name: 'Play Launch film' }).click();
  await playsPast(page, 0.2);
  await page.getByRole('button', { name: 'Play A small film' }).click();
  await page.waitForFunction(() => document.querySelectorAll('video')[1].currentTime > 0.2);
  assert.deepEqual(await playing(), [false, true]);
  await frame.getByRole('button', { name: /^Play Cinema/ }).click();
  await playsPast(frame, 0.2);
  await page.waitForFunction(() => document.querySelectorAll('video')[1].paused);
  await page.locator('video').first().click();
  await frame.waitForFunction(() => document.querySelector('video').paused);
  assert.deepEqual(await playing(), [true, false]);
});

plays('hls.js takes no more quality than the player can show', async (open) => {
  const page = await open(await async('l4unchf1lm', { ...kSilent, width: '400' }), { before: kNoHls });
  await playsPast(page, 2);
  assert.ok(await video(page, 'v.videoHeight') <= 360);
});

// ---- controls ---------------------------------------------------------------------------------------

plays('keys do what people know', async (open) => {
  const page = await open(await async('l4unchf1lm'));
  await page.getByRole('button', { name: 'Play Launch film' }).focus();
  await page.keyboard.press('Enter');
  await playsPast(page, 0.2);
  for (const [key, expected] of [
    ['k', 'v.paused'], ['4', 'Math.abs(v.currentTime - v.duration * 0.4) < 0.5'], ['0', 'v.currentTime < 0.5'],
    ['ArrowRight', 'v.currentTime > 4.5'], ['ArrowLeft', 'v.currentTime < 0.5'], ['End', 'v.currentTime > v.duration - 1'],
    ['j', 'v.currentTime < v.duration - 5'], ['Home', 'v.currentTime < 0.5'], ['l', 'v.currentTime > 5'],
    ['m', 'v.muted'], ['m', '!v.muted'], ['ArrowDown', 'v.volume === 0.95'], ['ArrowUp', 'v.volume === 1'],
    ['>', 'v.playbackRate === 1.25'], ['<', 'v.playbackRate === 1'],
    ['f', 'document.fullscreenElement'], ['f', '!document.fullscreenElement'], ['0', 'v.currentTime < 0.5'],
    [' ', '!v.paused']]) {
    await page.keyboard.press(key);
    await until(page, expected).catch(() => assert.fail(`${key}: not ${expected}`));
  }
});

plays('the bar: mouse, slider, speed, quality', async (open) => {
  const page = await open(await async('l4unchf1lm', kSilent));
  await playsPast(page, 0.2);
  await page.locator('video').click();
  await until(page, 'v.paused');
  const seek = page.getByRole('slider', { name: 'Position' });
  const { x, y, width, height } = await seek.boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
  await until(page, 'Math.abs(v.currentTime - v.duration / 2) < 0.5');
  assert.match(await seek.getAttribute('aria-valuetext'), /^0:0\d of 0:\d\d$/);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Speed').selectOption('1.5\u00d7');
  assert.equal(await video(page, 'v.playbackRate'), 1.5);
  await page.getByLabel('Quality').selectOption('224p');
  await until(page, 'v.videoHeight === 224 && v.currentTime > 1');
  await stage.shot(page, 'settings');
  await page.keyboard.press('Escape');
  await page.getByRole('group', { name: 'Settings' }).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await until(page, '!v.paused');
  // It goes while something plays, and comes with the mouse.
  await page.mouse.move(5, 650);
  const bar = page.locator('.bar');
  await page.waitForFunction(() => document.querySelector('[data-svc-controls]').shadowRoot.querySelector('.idle'));
  await page.mouse.move(300, 200);
  await bar.waitFor({ state: 'visible' });
});

plays('the bar fits at every width', async (open) => {
  const page = await open((await Promise.all(['150', '200', '320', '640', '1280'].map((width) =>
    async('l4unchf1lm', { width, controlsVisibleOnLoad: 'true' })))).join('<br>'), { width: 1400, height: 1700 });
  await page.waitForFunction(() => document.querySelectorAll('[data-svc-controls]').length === 5);
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('[data-svc-controls]')].map((host) => {
    const row = host.shadowRoot.querySelector('.row');
    const shown = [...row.querySelectorAll('button')].filter((each) => each.offsetWidth);
    return row.scrollWidth <= row.clientWidth && shown.some((each) => each.classList.contains('play')) &&
      shown.some((each) => each.classList.contains('full'));
  })), [true, true, true, true, true]);
  await stage.shot(page, 'widths');
});

plays('without controls of ours there are those of the browser', async (open) => {
  const page = await open('<p>');
  await page.route('**/controls-*', (route) => route.abort());
  await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
    (await async('l4unchf1lm')).replace(/<script.*?<\/script>/, ''));
  await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
  await page.getByRole('button', { name: 'Play Launch film' }).click();
  await playsPast(page, 0.2);
});

plays('what a screen reader is told is complete, at the start, playing and in trouble', async (open) => {
  const page = await open(`<main><h1>A page</h1>${await async('l4unchf1lm', kSilent)}${
    (await async('l4unchf1lm')).replace('l4unchf1lm', 'n0b0dyh4s1t')}${await async('sm4ll480px')}</main>`);
  await playsPast(page, 0.2);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Quality').waitFor();
  await page.getByText('No such video').waitFor();
  await page.evaluate(axe.source);
  const found = await page.evaluate(() => window.axe.run(document, { rules: { 'video-caption': { enabled: false } } }));
  assert.deepEqual(found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 200))]), []);
});

// ---- options ----------------------------------------------------------------------------------------

const kShown = (selector) => `[...document.querySelector('[data-svc-controls]')?.shadowRoot.querySelectorAll('${selector}') || []]
  .some((each) => !each.hidden && each.getClientRects().length > 0)`;
const kControls = "document.querySelector('[data-svc-controls]')";

// Option, value, what is asked for besides, and what must come true; after "play" of the viewer's where
// it says so.
const kOptions = [
  ['autoPlay', 'true', {}, '!v.paused && v.currentTime > 0'],
  ['muted', 'true', {}, 'v.muted'],
  ['silentAutoPlay', 'true', { autoPlay: 'true' }, 'v.muted && v.currentTime > 0'],
  ['volume', '0.25', {}, 'v.volume === 0.25'],
  ['time', '5', kSilent, 'v.currentTime > 5'],
  ['controlsVisibleOnLoad', 'true', {}, kShown('.bar')],
  ['controlsVisibleOnLoad', 'false', { hover: true }, `${kControls} && !${kShown('.bar')}`],
  ['playerColor', 'ff7043', {}, "getComputedStyle(document.querySelector('button')).backgroundColor === 'rgb(255, 112, 67)'"],
  ['playButton', 'false', {}, "v.title && !document.querySelector('button')"],
  ['smallPlayButton', 'false', { controlsVisibleOnLoad: 'true' }, `${kControls} && !${kShown('.play')}`],
  ['playbar', 'false', { controlsVisibleOnLoad: 'true' }, `${kControls} && !${kShown('.seek')}`],
  ['volumeControl', 'false', { controlsVisibleOnLoad: 'true' }, `${kControls} && !${kShown('.mute, .volume')}`],
  ['fullscreenButton', 'false', { controlsVisibleOnLoad: 'true' }, `${kControls} && !${kShown('.full')}`],
  ['settingsControl', 'false', { controlsVisibleOnLoad: 'true' }, `${kControls} && !${kShown('.settings')}`],
  ['playbackRateControl', 'false', { controlsVisibleOnLoad: 'true', qualityControl: 'false' }, `${kControls} && !${kShown('.settings')}`],
  ['qualityMin', '540', { ...kSilent, width: '200' }, 'v.videoHeight >= 540'],
  ['qualityMax', '224', kSilent, 'v.videoHeight === 224 && v.currentTime > 1'],
  ['stillUrl', 'POSTER', {}, "v.poster.includes('/sm4ll480px/')"],
  ['preload', 'metadata', {}, 'v.readyState >= 1 && v.paused'],
  ['endVideoBehavior', 'loop', { ...kSilent, time: '15' }, 'v.loop && v.currentTime > 0 && v.currentTime < 5'],
  ['endVideoBehavior', 'reset', { ...kSilent, time: '15' }, "!v.currentSrc.startsWith('x') && v.readyState === 0 && document.querySelector('[data-svc-controls]') && document.querySelector('[aria-label=\"Play Launch film\"]')"],
];

plays('every option that has code does what it says', async (open) => {
  const failed = [];
  const one = async ([option, value, { hover, ...more }, expected]) => {
    const page = await open(await async('l4unchf1lm', { ...more,
      [option]: value === 'POSTER' ? `${stage.svc}/deliveries/sm4ll480px/poster.jpg` : value }));
    await page.locator('video[title]').waitFor({ state: 'attached' });
    if (hover) await page.mouse.move(200, 200);
    await until(page, expected).catch(() => failed.push(`${option}=${value}`));
  };
  for (let at = 0; at < kOptions.length; at += 8) await Promise.all(kOptions.slice(at, at + 8).map(one));
  assert.deepEqual(failed, []);
});

plays('resumable begins where the viewer left, and does not with doNotTrack', async (open) => {
  const code = await async('l4unchf1lm', { resumable: 'true', ...kSilent });
  const page = await open(code);
  await playsPast(page, 0.2);
  await page.evaluate(() => window.svcEmbed.time(4));
  await playsPast(page, 5);
  await page.reload();
  // No later than where it was, but not from the start.
  await page.waitForFunction(() => document.querySelector('video')?.currentTime > 0);
  assert.ok(await video(page, 'v.currentTime') > 3);
  const other = await open(await async('l4unchf1lm', { resumable: 'true', doNotTrack: 'true', ...kSilent }));
  await playsPast(other, 3);
  assert.equal(await other.evaluate(() => localStorage.length), 0);
});

// ---- when it does not work --------------------------------------------------------------------------

const kManifests = '**/*.m3u8*';
const kCors = { 'access-control-allow-origin': '*' };
for (const [what, before] of [['natively', ''], ['by hls.js', kNoHls]]) {
  plays(`a network that fails is said, and tried again by itself, ${what}`, async (open) => {
    const page = await open('<p>', { before });
    let away = true;
    await page.route(kManifests, (route) => (away ? route.fulfill({ status: 503, headers: kCors }) : route.continue()));
    await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
      (await async('l4unchf1lm', kSilent)).replace(/<script.*?<\/script>/, ''));
    await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
    await page.getByText('Not available just now').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await stage.shot(page, `away-${before ? 'hls' : 'native'}`);
    away = false;
    await playsPast(page, 0.5);
    assert.equal(await page.getByRole('status').count(), 0);
  });

  plays(`a video that is gone is not called unplayable, ${what}`, async (open) => {
    const page = await open('<p>', { before });
    await page.route(kManifests, (route) => route.fulfill({ status: 404, headers: kCors }));
    await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
      (await async('l4unchf1lm', kSilent)).replace(/<script.*?<\/script>/, ''));
    await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
    await page.getByText('No such video').waitFor();
  });
}

plays('facts that do not come are asked for again, by the button too', async (open) => {
  const page = await open('<p>');
  let times = 0;
  await page.route('**/embed/medias/*.json', (route) => (++times < 2 ? route.abort() : route.continue()));
  await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
    (await async('l4unchf1lm')).replace(/<script.*?<\/script>/, ''));
  await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
  await page.getByText('The connection was lost').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Play Launch film' }).waitFor();
});

plays('a loader of the release before finds the files of this one', async (open) => {
  const page = await open('<p>');
  const loader = await (await fetch(`${stage.svc}/assets/external/E-v1.js`)).text();
  await page.route('**/assets/external/E-v1.js', (route) => route.fulfill({ contentType: 'application/javascript',
    body: loader.replace(/player-\w+\.js/, 'player-00000000.js') }));
  await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
    (await async('l4unchf1lm')).replace(/<script.*?<\/script>/, ''));
  await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
  await page.getByRole('button', { name: 'Play Launch film' }).waitFor();
});

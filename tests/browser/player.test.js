// The player itself, in Chromium: the files it loads and when, controls and keys, options, and the messages
// it shows for problems.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const zlib = require('node:zlib');
const axe = require('axe-core');
const { colourAt, isBeacon, kPatience, playsPast, scrolledByWheel, Stage, withPages } = require('./stage.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

const kSilent = { autoPlay: 'true', muted: 'true' };
const kMedia = /\.(m3u8|ts|m4s|mp4)(\?|$)|\/hls-/;
const kNoHls = '<script>HTMLVideoElement.prototype.canPlayType = () => "";</script>';
const kOnlyNative = '<script>delete window.MediaSource; delete window.ManagedMediaSource;</script>';

const plays = withPages(stage);

const async = (id, parameters) => stage.code('medias', id, { embedType: 'async', ...parameters });
const video = (place, read) => place.evaluate(
  `(() => { const v = document.querySelector('video'); return ${read}; })()`);
const until = (place, read) => place.waitForFunction(
  `(() => { const v = document.querySelector('video'); return v && (${read}); })()`, null, kPatience);
const frameOf = async (page) => (await page.waitForSelector('iframe')).contentFrame();

// ---- thrift -----------------------------------------------------------------------------------------

plays('before play the poster is shown, nothing moves, and all files are at most 30 KB', async (open) => {
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

plays('pages-W48 a page with frames only loads no player, at most 8 requests and 45 KB before play, and one frame pauses the other',
  async (open) => {
    const page = await open('<p>');
    const own = [];
    page.on('request', (request) => { if (request.frame() === page.mainFrame()) own.push(request.url()); });
    page.asked.length = 0;
    const code = await stage.code('medias', 'l4unchf1lm', { width: '300' });
    await page.goto(stage.page(code));
    const first = await frameOf(page);
    await first.getByRole('button', { name: 'Play Launch film' }).waitFor();
    await page.waitForLoadState('networkidle');
    const files = page.asked.filter((url) => url.startsWith(stage.svc));
    assert.ok(files.length <= 8, files.join(' '));
    let bytes = 0;
    for (const url of files.filter((each) => !/poster/.test(each))) {
      bytes += zlib.gzipSync(Buffer.from(await (await fetch(url)).arrayBuffer())).length;
    }
    assert.ok(bytes <= 45 * 1024, String(bytes));
    assert.deepEqual(own.filter((url) => /\/player-/.test(url)), []);
    await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
      (await stage.code('medias', 'sm4ll480px', { width: '300' })).replace(/<script.*?<\/script>/, ''));
    await page.waitForFunction(() => document.querySelectorAll('iframe').length === 2);
    const second = await (await page.locator('iframe').last().elementHandle()).contentFrame();
    await first.getByRole('button', { name: 'Play Launch film' }).click();
    await playsPast(first, 0.2);
    await second.getByRole('button', { name: 'Play A small film' }).click();
    await playsPast(second, 0.2);
    await first.waitForFunction(() => document.querySelector('video').paused);
    assert.deepEqual(own.filter((url) => /\/player-/.test(url)), []);
    // A code that comes later finds its player.
    await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
      (await async('sm4ll480px')).replace(/<script.*?<\/script>/, ''));
    await page.getByRole('button', { name: 'Play A small film' }).waitFor();
  });

plays('a poster far below is loaded when the viewer scrolls there', async (open) => {
  const page = await open(`<div style="height:4000px"></div>${await async('l4unchf1lm')}`);
  await page.getByRole('button', { name: 'Play Launch film' }).waitFor();
  await page.waitForLoadState('networkidle');
  assert.equal(page.asked.some((url) => url.includes('poster.jpg')), false);
  await page.evaluate(() => window.scrollTo(0, 4000));
  await until(page, 'v.poster');
});

plays('starting a player pauses the others, also in frames', async (open) => {
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

test('pages-W48 a small player loads the small rendition only, from its first segment on', async () => {
  for (const [width, height] of [['160', 224], ['320', 224], ['400', 224], ['500', 360]]) {
    const page = await stage.show(await async('l4unchf1lm', { ...kSilent, width }));
    const sizes = [];
    page.on('requestfinished', (request) => {
      if (/\.(m4s|mp4)$/.test(request.url())) sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await playsPast(page, 7.5);
    assert.equal(await video(page, 'v.videoHeight'), height);
    const files = ['init.mp4', '0.m4s', '1.m4s', '2.m4s', '3.m4s'];
    let least = 0;
    for (const file of files) {
      const url = page.asked.find((each) => each.endsWith(`${height}p/${file}`));
      least += (await (await fetch(url)).arrayBuffer()).byteLength;
    }
    const loaded = (await Promise.all(sizes)).reduce((sum, each) => sum + each, 0);
    // Some bytes more: the framing of the transfer.
    assert.ok(loaded > 0 && loaded <= 1.02 * least, `${width}: ${loaded} of ${least} bytes`);
    await page.context().close();
  }
});

for (const [how, come] of Object.entries({
  'the pointer comes near': (page, { x, y }) => page.mouse.move(x - 50, y - 50),
  'the focus comes': (page) => page.getByRole('button', { name: 'Play Launch film' }).focus(),
})) {
  plays(`pages-W48 when ${how}, all that precedes the segments is loaded, and play() waits for segments only`,
    async (open) => {
    const page = await open(`<div style="padding:100px">${await async('l4unchf1lm', { muted: 'true' })}</div>`);
    await page.getByRole('button', { name: 'Play Launch film' }).waitFor();
    await page.waitForLoadState('networkidle');
    page.asked.length = 0;
    const list = page.waitForResponse(/p\/index\.m3u8/);
    await come(page, await page.locator('[data-svc-player]').boundingBox());
    await (await list).finished();
    await page.waitForLoadState('networkidle');
    assert.deepEqual(page.asked.filter((url) => kMedia.test(url)).map((url) => url.replace(/.*\/|-\w+(?=\.js)/g, '')),
      ['l4unchf1lm.m3u8', 'hls.js', 'index.m3u8']);
    assert.equal(await video(page, 'v.readyState'), 0);
    page.asked.length = 0;
    await page.evaluate(() => window.svcEmbed.play());
    await playsPast(page, 0.2);
    const before = page.asked.filter((url) => !/controls-/.test(url) && !isBeacon(url));
    assert.deepEqual(before.filter((url) => !/\/(init\.mp4|\d\.m4s)$/.test(url)), []);
  });
}

plays('pages-W48 the scripts of a popover are loaded when the pointer is over its thumbnail', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async_popover', muted: 'true' }));
  const script = page.waitForResponse(/\/hls-/);
  await page.getByRole('button', { name: 'Play Launch film' }).hover();
  await (await script).finished();
  assert.deepEqual(page.asked.filter((url) => /\.(m3u8|m4s|mp4)$/.test(url)), []);
});

// ---- controls ---------------------------------------------------------------------------------------

plays('keys: play, seek, volume, mute, speed, full screen', async (open) => {
  const page = await open(await async('l4unchf1lm'));
  await page.getByRole('button', { name: 'Play Launch film' }).focus();
  await page.keyboard.press('Enter');
  await playsPast(page, 0.2);
  for (const [key, expected] of [
    ['k', 'v.paused'], ['4', 'Math.abs(v.currentTime - v.duration * 0.4) < 0.5'], ['0', 'v.currentTime < 0.5'],
    ['ArrowRight', 'v.currentTime > 4.5'], ['ArrowLeft', 'v.currentTime < 0.5'],
    ['End', 'v.currentTime > v.duration - 1'],
    ['j', 'v.currentTime < v.duration - 5'], ['Home', 'v.currentTime < 0.5'], ['l', 'v.currentTime > 5'],
    ['m', 'v.muted'], ['m', '!v.muted'], ['ArrowDown', 'v.volume === 0.95'], ['ArrowUp', 'v.volume === 1'],
    ['>', 'v.playbackRate === 1.25'], ['<', 'v.playbackRate === 1'],
    ['f', 'document.fullscreenElement'], ['f', '!document.fullscreenElement'], ['0', 'v.currentTime < 0.5'],
    [' ', '!v.paused']]) {
    await page.keyboard.press(key);
    await until(page, expected).catch(() => assert.fail(`${key}: not ${expected}`));
  }
});

plays('the control bar: mouse, slider, speed, quality', async (open) => {
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

plays('the control bar fits at every width', async (open) => {
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

const kPlay = ['en', 'fr', 'de', 'ja'].map((language, at) => [language,
  ['Play Launch film', 'Lire Launch film', 'Launch film abspielen', 'Launch film を再生'][at]]);
plays('pages-W104 the language is that of the code, else of the page, else of the browser', async (open) => {
  const words = Object.fromEntries(kPlay);
  for (const [option, lang, language, expected] of [['', 'fr-CA', 'de-DE', 'fr'], ['ja', 'fr', 'de-DE', 'ja'],
    ['', 'it', 'de-AT', 'de'], ['', '', 'ja-JP', 'ja'], ['', 'en-GB', 'de-DE', 'en'], ['xx', 'xx', 'nl-NL', 'en']]) {
    const page = await open(await async('l4unchf1lm', option && { lang: option }), { lang, language });
    await page.getByRole('button', { name: words[expected], exact: true }).waitFor();
    const files = page.asked.filter((url) => url.includes('/words-'));
    assert.equal(files.length, expected === 'en' ? 0 : 1, `${files}`);
  }
  const framed = await open(await stage.code('medias', 'l4unchf1lm'), { lang: 'fr', language: 'de-DE' });
  await (await frameOf(framed)).getByRole('button', { name: words.de, exact: true }).waitFor();
  const nearer = await open(`<div lang="ja">${await async('l4unchf1lm')}</div>`, { lang: 'fr', language: 'de-DE' });
  await nearer.getByRole('button', { name: words.ja, exact: true }).waitFor();
});

plays('pages-W104 controls, help, failures and dialogs have the language; a file that does not come leaves English', async (open) => {
  const page = await open(`${await async('l4unchf1lm', kSilent)}${(await async('l4unchf1lm')).replace('l4unchf1lm', 'n0b0dyh4s1t')}`,
    { lang: 'de' });
  await playsPast(page, 0.2);
  await page.getByText('Dieses Video gibt es nicht').waitFor();
  await page.locator('video').first().hover(); // the bar shows
  await page.getByRole('button', { name: 'Einstellungen' }).click();
  await page.getByLabel('Geschwindigkeit').waitFor();
  await page.getByRole('button', { name: 'Tastenkürzel' }).click();
  await page.getByText('10 Sekunden zurück oder vor').waitFor();
  assert.equal(await page.locator('[data-svc-controls]').first().getAttribute('lang'), 'de');
  assert.equal(await page.locator('[data-svc-notice]').getAttribute('lang'), 'de');
  const popover = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async_popover' }), { lang: 'es' });
  await popover.getByRole('button', { name: 'Reproducir Launch film' }).click();
  await popover.getByRole('button', { name: 'Cerrar el vídeo' }).waitFor();
  const without = await open('<p>', { lang: 'de' });
  await without.route('**/words-*', (route) => route.abort());
  await without.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
    (await async('l4unchf1lm')).replace(/<script.*?<\/script>/, ''));
  await without.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
  await without.getByRole('button', { name: 'Play Launch film' }).waitFor();
});

plays('without our controls the browser shows its own', async (open) => {
  const page = await open('<p>');
  await page.route('**/controls-*', (route) => route.abort());
  await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
    (await async('l4unchf1lm')).replace(/<script.*?<\/script>/, ''));
  await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
  await page.getByRole('button', { name: 'Play Launch film' }).click();
  await playsPast(page, 0.2);
});

plays('axe-core finds no problem before playback, during playback and after an error', async (open) => {
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

const kShown = (selector) => `[...document.querySelector('[data-svc-controls]')
  ?.shadowRoot.querySelectorAll('${selector}') || []]
  .some((each) => !each.hidden && each.getClientRects().length > 0)`;
const kControls = "document.querySelector('[data-svc-controls]')";
const kPlayButton = 'document.querySelector(\'[aria-label="Play Launch film"]\')';

// Option, value, further options, and the condition to wait for. `hover`: with the pointer over the player.
const kOptions = [
  ['autoPlay', 'true', {}, '!v.paused && v.currentTime > 0'],
  ['muted', 'true', {}, 'v.muted'],
  ['silentAutoPlay', 'true', { autoPlay: 'true' }, 'v.muted && v.currentTime > 0'],
  ['volume', '0.25', {}, 'v.volume === 0.25'],
  ['time', '5', kSilent, 'v.currentTime > 5'],
  ['controlsVisibleOnLoad', 'true', {}, kShown('.bar')],
  ['controlsVisibleOnLoad', 'false', { hover: true }, `${kControls} && !${kShown('.bar')}`],
  ['playerColor', 'ff7043', {},
    "getComputedStyle(document.querySelector('button')).backgroundColor === 'rgb(255, 112, 67)'"],
  ['playButton', 'false', {}, "v.title && !document.querySelector('button')"],
  ['smallPlayButton', 'false', { controlsVisibleOnLoad: 'true' }, `${kControls} && !${kShown('.play')}`],
  ['lang', 'pl-PL', { controlsVisibleOnLoad: 'true' }, `${kControls}?.shadowRoot.querySelector('.play')?.title === 'Odtwórz'`],
  ['playbar', 'false', { controlsVisibleOnLoad: 'true' }, `${kControls} && !${kShown('.seek')}`],
  ['volumeControl', 'false', { controlsVisibleOnLoad: 'true' }, `${kControls} && !${kShown('.mute, .volume')}`],
  ['fullscreenButton', 'false', { controlsVisibleOnLoad: 'true' }, `${kControls} && !${kShown('.full')}`],
  ['settingsControl', 'false', { controlsVisibleOnLoad: 'true' }, `${kControls} && !${kShown('.settings')}`],
  ['playbackRateControl', 'false', { controlsVisibleOnLoad: 'true', qualityControl: 'false' },
    `${kControls} && !${kShown('.settings')}`],
  ['qualityMin', '540', { ...kSilent, width: '200' }, 'v.videoHeight >= 540'],
  ['qualityMax', '224', kSilent, 'v.videoHeight === 224 && v.currentTime > 1'],
  ['stillUrl', 'POSTER', {}, "v.poster.includes('/sm4ll480px/')"],
  ['preload', 'metadata', {}, 'v.readyState >= 1 && v.paused'],
  ['qualityControl', 'false', { controlsVisibleOnLoad: 'true', playbackRateControl: 'false' },
    `${kControls} && !${kShown('.settings')}`],
  ['seo', 'true', {},
    "JSON.parse(document.querySelector('[type=\"application/ld+json\"]').textContent).name === 'Launch film'"],
  ['seo', 'false', {}, "v.title && !document.querySelector('[type=\"application/ld+json\"]')"],
  ['wmode', 'transparent', {},
    "[v, v.parentNode].every((each) => getComputedStyle(each).backgroundColor === 'rgba(0, 0, 0, 0)')"],
  ['videoOptions[volume]', '0.25', {}, 'v.volume === 0.25'],
  ['email', 'v@site.example', {}, "svcEmbed.email() === 'v@site.example'"],
  ['doNotTrack', 'true', { email: 'v@site.example' }, 'svcEmbed.email() === null'],
  ['plugin[mark][text]', 'a "word"', {}, "document.title === 'Launch film: a \"word\"'"],
  ['plugin[mark][on]', 'false', { 'plugin[mark][text]': 'x' }, "v.title && document.title === 'Somebody\\'s page'"],
  ['endVideoBehavior', 'loop', { ...kSilent, time: '15' }, 'v.loop && v.currentTime > 0 && v.currentTime < 5'],
  ['endVideoBehavior', 'reset', { ...kSilent, time: '15' },
    `!v.currentSrc.startsWith('x') && v.readyState === 0 && ${kControls} && ${kPlayButton}`],
];

// A page's own plugin.
const kPlugin = `<script>window.svc = { plugins: { mark(player, { text }) {
  document.title = player.current().title + ': ' + text;
} } };</script>`;

for (const [option, value, { hover, ...more }, expected] of kOptions) {
  plays(`option ${option}=${value}`, async (open) => {
    const page = await open(await async('l4unchf1lm', { ...more,
      [option]: value === 'POSTER' ? `${stage.svc}/deliveries/sm4ll480px/poster.jpg` : value }), { before: kPlugin });
    await page.locator('video[title]').waitFor({ state: 'attached' });
    if (hover) await page.mouse.move(200, 200);
    await until(page, expected);
  });
}

plays('resumable continues at the last position, unless doNotTrack is true', async (open) => {
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

plays('wmode=transparent shows the page through our frame', async (open) => {
  const code = (await stage.code('medias', 'p0rtrait99', { wmode: 'transparent' }))
    .replace(/width="\d+" height="\d+"/, 'width="640" height="360"');
  const page = await open(`<div style="background:rgb(0,128,0)">${code}</div>`);
  await (await frameOf(page)).locator('video[title]').waitFor();
  await page.waitForLoadState('networkidle');
  await stage.shot(page, 'transparent');
  const { x, y } = await page.locator('iframe').boundingBox();
  assert.deepEqual(await colourAt(page, x + 2, y + 2), [0, 128, 0, 255]);
});

plays('popoverSize, popoverCaption, popoverContent, popoverAnimateThumbnail; the page below stays', async (open) => {
  const page = await open(`<div style="height:3000px">${await stage.code('medias', 'l4unchf1lm',
    { embedType: 'async_popover', popoverSize: '480x400', popoverCaption: 'Under <b>it</b>',
      popoverAnimateThumbnail: 'true', muted: 'true' })}</div>`);
  const opener = page.getByRole('button', { name: 'Play Launch film' });
  await opener.hover();
  await page.waitForFunction(() => new DOMMatrix(getComputedStyle(document.querySelector('img')).transform).a > 1.05);
  const widthBefore = await page.evaluate(() => document.documentElement.clientWidth);
  await opener.click();
  await playsPast(page, 0.2);
  const { width, height } = await page.locator('dialog video').boundingBox();
  assert.deepEqual([width, height], [480, 270]);
  await page.getByRole('dialog').getByText('Under <b>it</b>').waitFor();
  await stage.shot(page, 'popover-caption');
  await page.mouse.move(450, 650);
  await page.keyboard.press('PageDown');
  assert.equal(await scrolledByWheel(page), 0);
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.deepEqual(await page.evaluate(() => [document.documentElement.clientWidth,
    document.documentElement.getAttribute('style') || '']),
    [widthBefore, '']);

  const link = (await stage.code('medias', 'l4unchf1lm', { embedType: 'async_popover', popoverContent: 'link' }))
    .replace('&nbsp;', '<a href="#there">Watch this</a>');
  const other = await open(`<p>${link} ${link.replace('<a href="#there">Watch this</a>', 'or this')}</p>`);
  await other.waitForSelector('[aria-haspopup]');
  await other.getByRole('link', { name: 'Watch this' }).click();
  await playsPast(other, 0.2);
  assert.equal(new URL(other.url()).hash, '');
  await other.keyboard.press('Escape');
  await other.getByRole('button', { name: 'or this' }).click();
  await other.getByRole('dialog', { name: 'Launch film' }).waitFor();
});

plays('theme, playlistLinks and media_i_j', async (open) => {
  const page = await open(`${await stage.code('embed/playlists', 'pl4yl1st01',
    { embedType: 'playlist_api', theme: 'light', playlistLinks: 'auto',
      'media_0_1[stillUrl]': `${stage.svc}/deliveries/sm4ll480px/poster.jpg`, 'media_0_1[time]': '3',
      'media_0_1[playerColor]': 'ff7043', ...kSilent })}` +
    '<a href="#svc_cinema2391">the second</a> <a href="#svc_other">no video</a>');
  await playsPast(page, 0.2);
  assert.equal(await page.getByRole('list').evaluate((list) => getComputedStyle(list).backgroundColor),
    'rgb(255, 255, 255)');
  const poster = await video(page, 'v.poster');
  await page.getByRole('link', { name: 'the second' }).click();
  await until(page, "v.title.startsWith('Cinema') && v.currentTime > 3");
  assert.match(await video(page, 'v.poster'), /sm4ll480px/);
  assert.equal(await page.locator('[aria-current]').evaluate((each) => getComputedStyle(each).borderInlineStartColor),
    'rgb(255, 112, 67)');
  await page.getByRole('link', { name: 'no video' }).click();
  assert.match(await video(page, 'v.title'), /^Cinema/);
  assert.equal(new URL(page.url()).hash, '#svc_other');
  await page.evaluate(() => window.svcPlaylist.previous());
  await until(page, "v.title === 'Launch film'");
  assert.equal(await video(page, 'v.poster'), poster);
});

plays('qualityMin and qualityMax without Media Source Extensions', async (open) => {
  const page = await open(await async('l4unchf1lm', { ...kSilent, qualityMax: '360' }), { before: kOnlyNative });
  await playsPast(page, 1);
  assert.equal(await video(page, 'v.videoHeight'), 360);
  assert.equal(page.asked.some((url) => /\/hls-/.test(url)), false);
  await page.locator('video').hover();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Quality').waitFor();
  assert.deepEqual(await page.getByLabel('Quality').locator('option').allInnerTexts(), ['Auto', '360p', '224p']);
});

plays('the control bar shows the buffered range', async (open) => {
  const page = await open(await async('l4unchf1lm', kSilent));
  await playsPast(page, 0.5);
  await page.waitForFunction(() => {
    const { style } = document.querySelector('[data-svc-controls]').shadowRoot.querySelector('.seek');
    const [at, loaded] = ['--at', '--loaded'].map((name) => parseFloat(style.getPropertyValue(name)));
    return at > 0 && loaded > at && loaded <= 100;
  });
});

// ---- where it is pasted -----------------------------------------------------------------------------

plays('a policy without inline styles keeps the sizes of the codes', async (open) => {
  const s = stage.svc;
  const policy = `default-src 'none'; script-src ${s}; connect-src ${s}; media-src ${s} blob:; img-src ${s}`;
  const page = await open(await async('l4unchf1lm', { width: '400' }) +
    await async('p0rtrait99', { videoFoam: 'true' }) +
    await stage.code('medias', 'sm4ll480px', { embedType: 'async_popover' }) +
    '<div class="svc_embed svc_async_l4unchf1lm"></div>' +
    '<span class="svc_embed svc_async_l4unchf1lm popover=true"></span>', { policy });
  // The policy blocks only the style attributes of the codes themselves.
  await page.waitForFunction(() => document.querySelectorAll('video[title]').length === 3 &&
    document.querySelectorAll('[aria-haspopup]').length === 2);
  assert.ok(page.problems.length > 0 && page.problems.every((each) => /inline style/.test(each)), page.problems.join());
  page.problems.length = 0;
  const sizes = await page.evaluate(() => [...document.querySelectorAll('.svc_embed')].map((each) => {
    const { width, height } = each.getBoundingClientRect();
    return [width, height].map(Math.round);
  }));
  assert.deepEqual(sizes[0], [400, 225]);
  assert.deepEqual(sizes[1], [884, Math.round(884 * 16 / 9) + 28]);
  assert.deepEqual(sizes.slice(2), [[150, 100], [640, 360], [150, 100]]);
});

// Otherwise a user who may put a code into such a page could cover the page.
plays('a policy without inline styles keeps out what no code of ours says', async (open) => {
  const s = stage.svc;
  const policy = `default-src 'none'; script-src ${s}; connect-src ${s}; media-src ${s} blob:; img-src ${s}`;
  const code = (style) => `<div class="svc_embed svc_async_l4unchf1lm" style="${style}"></div>`;
  const page = await open(
    code('position:fixed;top:0;left:0;width:100vw;height:100vh;z-index:9;') +
    code('position:absolute;top:0;left:0;width:300px;height:200px;opacity:0;') +
    `<script src="${s}/assets/external/E-v1.js" async></script>`, { policy });
  await page.waitForFunction(() => document.querySelectorAll('video[title]').length === 2);
  page.problems.length = 0; // the policy blocks the style attributes
  const [first, second] = await page.evaluate(() => [...document.querySelectorAll('.svc_embed')].map((each) => {
    const { position, zIndex, opacity, width } = getComputedStyle(each);
    return { position, zIndex, opacity, width };
  }));
  assert.deepEqual(first, { position: 'relative', zIndex: 'auto', opacity: '1', width: '640px' });
  assert.deepEqual(second, { position: 'relative', zIndex: 'auto', opacity: '1', width: '300px' });
});

plays('a sandboxed frame with allow-scripts only plays by a click, without full screen', async (open) => {
  const src = `${stage.svc}/embed/iframe/l4unchf1lm?resumable=true&controlsVisibleOnLoad=true`;
  for (const attributes of ['sandbox="allow-scripts"', '']) {
    const page = await open(`<iframe ${attributes} src="${src}" width="640" height="360"></iframe>`);
    const frame = await frameOf(page);
    await frame.locator('[data-svc-controls] .play').waitFor();
    assert.equal(await frame.evaluate(() => document.fullscreenEnabled), false);
    assert.equal(await frame.locator('.full').isVisible(), false);
    await page.mouse.click(100, 100); // next to the button
    await playsPast(frame, 2.5);
    await page.keyboard.press('f');
    assert.equal(await frame.evaluate(() => document.fullscreenElement), null);
  }
});

plays('plays if localStorage throws', async (open) => {
  const page = await open(await async('l4unchf1lm', { resumable: 'true', ...kSilent }), { before: `<script>
    Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });
  </script>` });
  await playsPast(page, 2.5);
});

plays('touch: a tap shows the bar, another keeps it, targets are 44 px, nothing zooms', async (open) => {
  const codes = await Promise.all(['150', '320', '640'].map((width) =>
    async('l4unchf1lm', { width, muted: 'true', controlsVisibleOnLoad: 'true' })));
  const page = await open(codes.join('<br>'), { width: 360, height: 800, hasTouch: true, isMobile: true });
  await page.waitForFunction(() => document.querySelectorAll('[data-svc-controls]').length === 3);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  const small = await page.locator('[data-svc-controls]').evaluateAll((hosts) => hosts.flatMap((host, index) => {
    const found = [];
    const room = host.getBoundingClientRect();
    for (const each of host.shadowRoot.querySelectorAll('.bar *')) {
      const { left, right, width } = each.getBoundingClientRect();
      if (width && (left < room.left - 0.5 || right > room.right + 0.5)) found.push(`${index} ${each.className} overflows`);
    }
    for (const each of [...host.shadowRoot.querySelectorAll('button, .seek'),
      host.parentNode.querySelector(':scope > button')]) {
      const { width, height } = each.getBoundingClientRect();
      if (width && (width < 44 || height < 44)) found.push(`${index} ${each.className} ${width}x${height}`);
    }
    return found;
  }));
  assert.deepEqual(small, []);
  await stage.shot(page, 'touch');
  const player = page.locator('[data-svc-player]').last();
  assert.equal(await player.evaluate((each) => getComputedStyle(each).touchAction), 'manipulation');
  await player.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await player.boundingBox();
  await page.touchscreen.tap(x + width / 4, y + height / 4);
  await page.waitForFunction(() => window.svcEmbed.time() > 0.3);
  const idle = () => player.evaluate((each) =>
    Boolean(each.querySelector('[data-svc-controls]').shadowRoot.querySelector('.idle')));
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-svc-controls]')].at(-1).shadowRoot.querySelector('.idle'));
  await page.touchscreen.tap(x + width / 4, y + height / 4);
  assert.equal(await idle(), false);
  assert.equal(await page.evaluate(() => window.svcEmbed.state()), 'playing');
  await page.touchscreen.tap(x + width / 4, y + height / 4);
  await page.touchscreen.tap(x + width / 4, y + height / 4);
  assert.equal(await page.evaluate(() => window.visualViewport.scale), 1);
});

plays('the script included twice; markup set by innerHTML and started by a call', async (open) => {
  const code = await async('l4unchf1lm');
  const page = await open(`${code}<div id="late"></div>`);
  await page.locator('video[title]').waitFor();
  await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js?again` });
  assert.equal(await page.evaluate(() => window.svc.players.length), 1);
  await page.evaluate((html) => { document.querySelector('#late').innerHTML = html; }, await async('sm4ll480px'));
  await page.waitForFunction(() => window.svc.players.length === 2);
  // A page without the player: scripts in innerHTML do not run, so the page loads it.
  const other = await open('<div id="late"></div>');
  await other.evaluate((html) => { document.querySelector('#late').innerHTML = html; }, code);
  await other.evaluate((src) => document.head.append(Object.assign(document.createElement('script'), { src })),
    `${stage.svc}/assets/external/E-v1.js`);
  await other.locator('video[title]').waitFor();
});

plays('everything fits at a width of 360 px', async (open) => {
  for (const code of [await async('l4unchf1lm', { controlsVisibleOnLoad: 'true' }),
    await async('cinema2391', { videoFoam: 'true' }),
    await stage.code('medias', 'l4unchf1lm', { embedType: 'async_popover', width: '500' }),
    await stage.code('embed/playlists', 'pl4yl1st01', { embedType: 'playlist_api' })]) {
    const page = await open(code, { width: 360 });
    await page.getByRole('button', { name: /^Play / }).first().waitFor();
    await page.waitForLoadState('networkidle');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), code);
  }
});

// ---- when it does not work --------------------------------------------------------------------------

const kManifests = '**/*.m3u8*';
const kCors = { 'access-control-allow-origin': '*' };
for (const [what, before] of [['natively', kOnlyNative], ['by hls.js', '']]) {
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

plays('media data that fails to load is requested again, also by the button', async (open) => {
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

plays('the loader of the previous release finds the files of this release', async (open) => {
  const page = await open('<p>');
  const loader = await (await fetch(`${stage.svc}/assets/external/E-v1.js`)).text();
  await page.route('**/assets/external/E-v1.js', (route) => route.fulfill({ contentType: 'application/javascript',
    body: loader.replace(/player-\w+\.js/, 'player-00000000.js') }));
  await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
    (await async('l4unchf1lm')).replace(/<script.*?<\/script>/, ''));
  await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
  await page.getByRole('button', { name: 'Play Launch film' }).waitFor();
});

// Every kind of embed code in Firefox, which lacks native HLS.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { launchFirefox } = require('./browsers.js');
const { atRest, until } = require('./patience.js');
const { cue, kPatience, Stage, toSecond } = require('./stage.js');

const stage = new Stage();
let firefox;
before(async () => {
  await stage.open({ browser: false });
  firefox = await launchFirefox();
});
after(async () => {
  await firefox?.close();
  await stage.close();
});

const kSilent = { autoPlay: 'true', muted: 'true' };

async function show(body, more) {
  const page = await firefox.newPage();
  page.asked = [];
  page.on('request', (request) => page.asked.push(request.url()));
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.message));
  await page.setViewport({ width: 900, height: 1400 });
  await page.goto(stage.page(body, more));
  return page;
}

const playsPast = (place, second = 2) => place.waitForFunction((s) => {
  const video = document.querySelector('video');
  return video && video.currentTime > s && video.videoWidth > 0;
}, kPatience, second);
// A click that a player answers with a request for a segment. Until then nothing is evaluated: Firefox takes
// the user activation back after each evaluation of Puppeteer's, and sound needs it.
async function clickToPlay(page, button) {
  const before = page.asked.length;
  await button.click();
  await until(() => page.asked.slice(before).some((url) => /\.(ts|m4s)$/.test(url)), 'it plays');
}
const frames = async (page) => Promise.all((await page.$$('iframe')).map((each) => each.contentFrame()));

function plays(name, run) {
  test(`Firefox: ${name}`, async () => {
    const opened = [];
    await run(async (...parameters) => {
      opened.push(await show(...parameters));
      return opened.at(-1);
    });
    for (const page of opened) {
      assert.deepEqual(page.problems, []);
      await page.close();
    }
  });
}

plays('async and iframe play after a click, and load nothing before', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async', width: '400' }) +
    await stage.code('medias', 'sm4ll480px', { width: '400' }));
  const [frame] = await frames(page);
  for (const [place, title] of [[page, 'Launch film'], [frame, 'A small film']]) {
    const button = await place.waitForSelector(`button[aria-label="Play ${title}"]`);
    if (place === page) assert.deepEqual(page.asked.filter((url) => /m3u8|\/hls-/.test(url)), []);
    else assert.deepEqual(page.asked.filter((url) => url.includes('/sm4ll480px.m3u8')), []);
    await clickToPlay(page, button);
    await playsPast(place);
    assert.match(await place.evaluate(() => document.querySelector('video').src), /^blob:/);
  }
  assert.equal(await page.evaluate(() => document.querySelector('video').paused), true);
});

plays('autoplay: async, playlist_api, iframe, playlist_iframe and a responsive iframe', async (open) => {
  const size = { width: '300', ...kSilent };
  const page = await open(await stage.code('embed/playlists', 'pl4yl1st01', { embedType: 'playlist_api', ...size }) +
    await stage.code('medias', 'cinema2391', size) + await stage.code('embed/playlists', 'pl4yl1st01', size) +
    `<div style="width:300px">${await stage.code('medias', 'p0rtrait99', { ...kSilent, videoFoam: 'true' })}</div>`);
  await Promise.all([page, ...await frames(page)].map((place) => playsPast(place)));
});

for (const [kind, id, embedType, title] of [['medias', 'l4unchf1lm', 'async_popover', 'Launch film'],
  ['embed/playlists', 'pl4yl1st01', 'playlist_popover', 'The launch films']]) {
  plays(`${embedType} plays in its dialog, with sound; keys work`, async (open) => {
    const page = await open(await stage.code(kind, id, { embedType }));
    await clickToPlay(page, await page.waitForSelector(`button[aria-label="Play ${title}"]`));
    await playsPast(page);
    assert.equal(await page.evaluate(() => document.querySelector('video').muted), false);
    await page.focus('[data-svc-player]');
    await page.keyboard.press('k');
    await page.waitForFunction(() => document.querySelector('video').paused);
    await page.keyboard.press('4');
    await page.waitForFunction(() => document.querySelector('video').currentTime > 3);
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('dialog'));
  });
}

plays('a file without manifest plays; quality and speed can be chosen', async (open) => {
  const page = await open(await stage.code('medias', 'mp4only001', { embedType: 'async', ...kSilent, width: '300' }));
  await playsPast(page, 0.5);
  const other = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async', ...kSilent }));
  await playsPast(other, 0.5);
  await other.hover('[data-svc-player]');
  await (await other.waitForSelector('>>> .settings')).click();
  const choose = (text, value) => other.waitForFunction((name, wanted) => {
    const panel = document.querySelector('[data-svc-controls]').shadowRoot.querySelector('.panel');
    const label = [...panel.querySelectorAll('label')].find((each) => each.textContent.startsWith(name));
    if (!label) return false;
    const select = label.querySelector('select');
    select.value = [...select.options].find((each) => each.text === wanted).value;
    select.dispatchEvent(new Event('change'));
    return true;
  }, {}, text, value);
  await choose('Speed', '2\u00d7');
  await choose('Quality', '1080p');
  await other.waitForFunction(() => {
    const video = document.querySelector('video');
    return video.playbackRate === 2 && video.videoHeight === 1080;
  }, kPatience);
});

// The text of a cue of the demonstration ends with the second at which it begins. There are gaps between cues.
async function saysAt(place, second, words) {
  for (const [at, texts] of [[second + 0.4, `${words} ${second}`], [second + 0.9, '']]) {
    await place.evaluate(toSecond, at);
    await place.waitForFunction(cue, kPatience, texts);
  }
}

for (const [what, id] of [['a side file over HLS', 'l4unchf1lm'], ['segmented captions', 'p0rtrait99'],
  ['the default over a file', 'mp4only001']]) {
  plays(`oembed-M7 ${what}: shown at its time in the picture; the key hides it`, async (open) => {
    const page = await open(await stage.code('medias', id, { embedType: 'async', ...kSilent, width: '400' }));
    await playsPast(page, 0.5);
    await page.waitForSelector('[data-svc-controls]');
    await page.focus('[data-svc-player]');
    if (id !== 'mp4only001') await page.keyboard.press('c');
    await saysAt(page, 2, 'Second');
    await saysAt(page, 5, 'Second');
    await page.evaluate(() => {
      document.querySelector('[data-svc-controls]').style.visibility = 'hidden';
      document.querySelector('video').currentTime = 3.4;
    });
    await page.waitForFunction(() => !document.querySelector('video').seeking);
    const video = await page.$('video');
    // The picture once it has come to rest.
    const picture = () => atRest(() => video.screenshot({ encoding: 'base64' }));
    const shown = await picture();
    await page.keyboard.press('c');
    await page.waitForFunction(() => [...document.querySelector('video').textTracks]
      .every(({ mode }) => mode === 'disabled'));
    assert.notEqual(await picture(), shown);
    assert.equal(page.asked.some((url) => url.includes('/hls-captions-')), id === 'p0rtrait99');
  });
}

plays('a policy without inline styles keeps the sizes of the codes; a sandboxed frame plays by a click',
  async (open) => {
  const s = stage.svc;
  const strict = await open(await stage.code('medias', 'cinema2391', { embedType: 'async' }) +
    await stage.code('medias', 'l4unchf1lm', { embedType: 'async', videoFoam: 'true' }) +
    await stage.code('medias', 'l4unchf1lm', { embedType: 'async_popover' }),
      { policy: `default-src 'none'; script-src ${s}; ` +
    `connect-src ${s}; media-src ${s} blob:; img-src ${s}` });
  await strict.waitForFunction(() => document.querySelectorAll('video[title]').length === 2 &&
    document.querySelector('[aria-haspopup]'));
  const sizes = await strict.evaluate(() => [...document.querySelectorAll('.svc_embed')].map((each) => {
    const { width, height } = each.getBoundingClientRect();
    return [Math.round(width), Math.round(height)];
  }));
  assert.deepEqual(sizes[0], [640, Math.round(640 * 804 / 1920)]);
  assert.ok(sizes[1][0] >= 640 && Math.abs(sizes[1][1] - sizes[1][0] * 9 / 16) <= 1, `${sizes[1]}`);
  assert.deepEqual(sizes[2], [150, 100]);
  // The policy blocks the style attributes of the codes and the browser's own request for an icon.
  assert.ok(strict.problems.length > 0);
  strict.problems = strict.problems.filter((each) => !/style-src-attr|favicon/.test(each));

  const page = await open('<iframe sandbox="allow-scripts" width="640" height="360" ' +
    `src="${s}/embed/iframe/l4unchf1lm?resumable=true"></iframe>`);
  const [frame] = await frames(page);
  await clickToPlay(page, await frame.waitForSelector('button[aria-label="Play Launch film"]'));
  await playsPast(frame, 2.5);
});

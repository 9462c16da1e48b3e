// Every kind of embed code in Safari's engine (WebKitGTK): once with its own HLS, as Safari plays it, and once with
// hls.js, as a WebKit without HLS does.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { takePicture } = require('./browsers.js');
const { cue, kPatience, kShots, Stage, toSecond } = require('./stage.js');
const { Hangs, WebKit } = require('./webkit.js');

const kSilent = { autoPlay: 'true', muted: 'true' };
const kEscape = '\uE00C';
const kRight = '\uE014';
// All tests share a tab, so nothing of the session before may be left. Errors and violations of a policy are
// collected as the page sees them.
const kFresh = `<script>sessionStorage.clear(); localStorage.clear(); window.problems = [];
  addEventListener('error', ({ message }) => problems.push(message));
  addEventListener('unhandledrejection', ({ reason }) => problems.push(String(reason)));
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    problems.push(violatedDirective + ' ' + blockedURI));</script>`;
const stage = new Stage();
const engines = {};
const launch = async (kind) => { engines[kind] = await WebKit.launch({ nativeHls: kind === 'native' }); };
before(async () => {
  await stage.open({ browser: false });
  await launch('native');
  await launch('script');
});
after(async () => {
  for (const engine of Object.values(engines)) await engine.close();
  await stage.close();
});

const playButton = (title) => document.querySelector(`button[aria-label="Play ${title}"]`);
const isPast = (second) => {
  const video = document.querySelector('video');
  return video && video.currentTime > second && video.videoWidth > 0;
};
const read = (what) => {
  const video = document.querySelector('video');
  return video && video[what];
};
const equals = (what, value) => document.querySelector('video')[what] === value;
const asked = () => performance.getEntriesByType('resource').map(({ name }) => name);

// WebKitGTK 2.50 hangs in some runs: a deadlock between its main thread and GStreamer's threads. What follows then gets
// another engine.
async function within(milliseconds, run, kind) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the test did not end within ${milliseconds} ms`)), milliseconds);
  });
  try {
    await Promise.race([run(), late]);
  } catch (error) {
    await engines[kind].close();
    await launch(kind).catch((another) => { error.cause ??= another; });
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

// A test in each of the two, in a page that has problems if anything went wrong. Unless SVC_LONG is set, the tests of
// controls, captions and policies run once: they use the same elements in both.
function plays(name, run, { differs = false } = {}) {
  const kinds = [['native', 'its own HLS'], ['script', 'hls.js']];
  for (const [kind, words] of kinds.slice(0, differs || process.env.SVC_LONG ? 2 : 1)) {
    const once = () => within(kPatience.timeout, async () => {
      const webkit = engines[kind];
      const open = async (body, { before: head = '', ...more } = {}) => {
        await webkit.show(stage.page(body, { before: kFresh + head, ...more }));
        return webkit;
      };
      await run(open, kind);
      await webkit.enter();
      assert.deepEqual(await webkit.evaluate(() => window.problems), []);
    }, kind);
    // A page of ours that hangs the engine does so twice.
    test(`WebKit with ${words}: ${name}`, (context) => once().catch((error) => {
      if (!(error instanceof Hangs)) throw error;
      context.diagnostic(`again, with another engine: ${error.message}`);
      return once();
    }));
  }
}

plays('each kind of code plays after a click, with sound, and loads no media before', async (open, kind) => {
  for (const [folder, id, embedType, title] of [
    ['medias', 'l4unchf1lm', 'async', 'Launch film'], ['medias', 'sm4ll480px', 'iframe', 'A small film'],
    ['medias', 'cinema2391', 'async_popover', 'Cinemascope 2.39:1'],
    ['embed/playlists', 'pl4yl1st01', 'playlist_api', 'Launch film'],
    ['embed/playlists', 'pl4yl1st01', 'playlist_iframe', 'Launch film'],
    ['embed/playlists', 'pl4yl1st01', 'playlist_popover', 'The launch films'],
    ['medias', 'mp4only001', 'async', 'Video whose only assets are files']]) {
    const parameters = embedType.endsWith('iframe') ? {} : { embedType };
    const page = await open(await stage.code(folder, id, parameters));
    if (embedType.endsWith('iframe')) await page.enter(0);
    await page.until(playButton, title);
    const media = (await page.evaluate(asked)).filter((url) => /\.(m3u8|ts|m4s|mp4)$|\/hls-/.test(url));
    assert.deepEqual(media, [], embedType);
    await page.click(playButton, title);
    await page.until(isPast, 2);
    assert.equal(await page.evaluate(read, 'muted'), false, embedType);
    assert.match(await page.evaluate(read, 'currentSrc'), id === 'mp4only001' ? /\.mp4$/
      : kind === 'native' ? /\.m3u8$/ : /^blob:/, embedType);
    await takePicture(page, kShots, `webkit-${kind}-${embedType}-${id}`);
  }
}, { differs: true });

plays('the element plays, and keeps the ratio that it had before it was defined', async (open) => {
  const code = await stage.code('medias', 'p0rtrait99', { embedType: 'web_component', ...kSilent });
  const page = await open(code.replace(/<script.*<\/script>/, ''));
  const box = () => {
    const { width, height } = document.querySelector('svc-player').getBoundingClientRect();
    return [width, height];
  };
  const before = await page.evaluate(box);
  assert.deepEqual(before, [360, 640]);
  await page.evaluate((src) => {
    const script = document.createElement('script');
    script.src = src;
    document.head.append(script);
  }, `${stage.svc}/assets/player.js`);
  await page.until(() => {
    const { currentTime, videoWidth } = document.querySelector('svc-player');
    return currentTime > 1 && videoWidth > 0;
  });
  assert.deepEqual(await page.evaluate(box), before);
  await takePicture(page, kShots, 'webkit-element');
}, { differs: true });

// All in fMP4: on a busy machine, a seek of MPEG-TS by hls.js before the first picture hung in 2 of 17 pages.
plays('several codes of a page play by themselves, silently', async (open) => {
  const size = { width: '300', ...kSilent };
  const page = await open(await stage.code('embed/playlists', 'pl4yl1st01', { embedType: 'playlist_api', ...size }) +
    await stage.code('medias', 'cinema2391', size) +
    `<div style="width:300px">${await stage.code('medias', 'l4unchf1lm', { ...kSilent, videoFoam: 'true' })}</div>`);
  for (const frame of [null, 0, 1]) {
    await page.enter(frame);
    await page.until(isPast, 2);
    assert.equal(await page.evaluate(read, 'muted'), true);
  }
});

plays('keys play, pause, seek, silence, and close the dialog, which gives the focus back', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async_popover' }));
  await page.click(playButton, 'Launch film');
  await page.until(isPast, 0.5);
  await page.until(() => document.querySelector('[data-svc-controls]'));
  await page.evaluate(() => document.querySelector('[data-svc-player]').focus());
  await page.press('k');
  await page.until(equals, 'paused', true);
  await page.press('4');
  await page.until(isPast, 3);
  await page.press(kRight);
  await page.until(isPast, 7);
  await page.press('m');
  await page.until(equals, 'muted', true);
  await page.press('0', ' ');
  await page.until(equals, 'paused', false);
  await page.press(kEscape);
  await page.until(() => !document.querySelector('dialog') &&
    document.activeElement.matches('button[aria-label="Play Launch film"]'));
});

for (const [what, id] of [['a side file over HLS', 'l4unchf1lm'], ['segmented captions', 'p0rtrait99'],
  ['the default over a file', 'mp4only001']]) {
  plays(`oembed-M7 ${what}: shown at its time in the picture; the key hides it`, async (open) => {
    const page = await open(await stage.code('medias', id, { embedType: 'async', ...kSilent, width: '400' }));
    await page.until(isPast, 0.5);
    await page.until(() => document.querySelector('[data-svc-controls]'));
    await page.evaluate(() => document.querySelector('[data-svc-player]').focus());
    if (id !== 'mp4only001') await page.press('c');
    for (const second of [2, 5]) {
      for (const [at, texts] of [[second + 0.4, `Second ${second}`], [second + 0.9, '']]) {
        await page.evaluate(toSecond, at);
        await page.until(cue, texts);
      }
    }
    await page.evaluate(() => { document.querySelector('[data-svc-controls]').style.visibility = 'hidden'; });
    await page.evaluate(toSecond, 3.4);
    await page.until(cue, 'Second 3');
    const shown = await page.atRest();
    await page.press('c');
    await page.until(() => [...document.querySelector('video').textTracks].every(({ mode }) => mode !== 'showing'));
    assert.ok(await page.atRest() !== shown, 'the picture did not change');
  });
}

plays('speed and quality can be chosen where the engine lets them', async (open, kind) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async', ...kSilent }));
  // Once the player has hidden its controls.
  await page.until(() => document.querySelector('[data-svc-controls]')?.shadowRoot.querySelector('.idle'));
  await page.click(() => document.querySelector('[data-svc-controls]').shadowRoot.querySelector('.settings'));
  const choose = (name, wanted) => {
    const panel = document.querySelector('[data-svc-controls]').shadowRoot.querySelector('.panel');
    const label = [...panel.querySelectorAll('label')].find((each) => each.textContent.startsWith(name));
    if (!label) return false;
    const select = label.querySelector('select');
    select.value = [...select.options].find((each) => each.text === wanted).value;
    select.dispatchEvent(new Event('change'));
    return true;
  };
  await page.until(choose, 'Speed', '2\u00d7');
  await page.until(equals, 'playbackRate', 2);
  await page.until(choose, 'Quality', '1080p');
  await page.until(equals, 'videoHeight', 1080);
}, { differs: true });

plays('under a strict policy codes play and violate nothing but the refused style attributes', async (open) => {
  const s = stage.svc;
  const page = await open(await stage.code('medias', 'cinema2391', { embedType: 'async', ...kSilent }),
    { policy: `default-src 'none'; script-src ${s} 'unsafe-inline'; connect-src ${s}; ` +
      `media-src ${s} blob:; img-src ${s}` });
  await page.until(isPast, 1);
  // The browser itself asks for an icon.
  const problems = await page.evaluate(() => window.problems.splice(0));
  assert.ok(problems.length > 0);
  assert.deepEqual(problems.filter((each) => !/^style-src-attr|favicon/.test(each)), []);
});

plays('a video that is gone says so, and the others of the page play', async (open) => {
  const code = await stage.code('medias', 'l4unchf1lm', { embedType: 'async', ...kSilent, width: '400' });
  const page = await open(code.replace('l4unchf1lm', 'g0neg0ne00') + code);
  await page.until(() => document.querySelectorAll('.svc_embed')[0].innerText.includes('No such video'));
  await page.until(() => [...document.querySelectorAll('video')].some((video) => video.currentTime > 1));
});

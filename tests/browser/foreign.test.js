// The player in the pages of others, in Chromium and Firefox: with a page's own style sheets, in pages that are written
// from right to left, with captions above the bar, and in forced colours. Most tests compare pictures.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { boxOf, close, difference, inBrowsers, open, picture, pixels, stage, until } = require('./both.js');

before(open);
after(close);

const kVideo = "document.querySelector('video')";
const kHost = "document.querySelector('[data-svc-controls]')";

// Plays, and stops at a second at which the demonstration shows another picture than at its beginning.
async function stopped(page, second = 3.4) {
  await page.evaluate(() => { window.svc.players[0].play(); });
  await until(page, `${kVideo}?.currentTime > 0.2 && ${kHost} && true`);
  // Until the picture of that time is shown: the video reaches the time before.
  await page.evaluate(`new Promise((resolve) => {
    const video = ${kVideo};
    const shown = (now, { mediaTime }) => {
      if (Math.abs(mediaTime - ${second}) < 0.1) resolve();
      else video.requestVideoFrameCallback(shown);
    };
    video.requestVideoFrameCallback(shown);
    window.svc.players[0].pause().time(${second});
  })`);
  await until(page, `!${kVideo}.seeking && ${kVideo}.readyState > 1`);
}

// ---- style sheets of the page ---------------------------------------------------------------------

// Rules that shops, themes and resets have, and worse. `main` is the page's own place for the code; rules that would
// hide or move the code itself are the page's business.
const kInner = 'main div div, main span span, main button, main svg, main path, main video, main img, main ol, main li';
const kRules = {
  'div:empty': 'div:empty { display: none }',
  ':empty': ':empty { display: none !important }',
  'no child': 'div:not(:has(*)), span:not(:has(*)) { display: none !important }',
  'none': `${kInner}, main [data-svc-controls] { display: none !important }`,
  'a layer': `@layer reset { ${kInner} { display: none !important } }`,
  'position': 'div { position: relative }',
  'position, important': '* { position: static !important }',
  'transform': `${kInner} { transform: rotate(9deg) scale(.5) !important; rotate: 9deg !important }`,
  'all, important': `${kInner} { all: unset !important }`,
  'text': `body { line-height: 0; font: 40px/4 serif; color: red; letter-spacing: 9px; word-spacing: 20px;
    text-indent: 99px; text-align: right; text-transform: uppercase; white-space: pre; writing-mode: vertical-lr }
    main { writing-mode: horizontal-tb }`,
  'line height': '* { line-height: 5 !important; font-size: 9px !important }',
  'max-width': '* { max-width: 50% }',
  'boxes': `${kInner} { max-width: 50% !important; min-height: 90px !important; margin: 30px !important;
    float: right !important; padding: 20px !important; border: 9px solid red !important;
    box-sizing: content-box !important }`,
  'effects': `${kInner} { opacity: .1 !important; filter: blur(9px) !important; clip-path: inset(40%) !important;
    visibility: hidden !important; mix-blend-mode: difference !important; background: red !important }`,
  'animation': `@keyframes away { to { transform: translateX(900px) } } ${kInner} { transition: all 9s !important;
    animation: away 1ms forwards !important }`,
  'icons': 'svg, path { fill: red !important; stroke: red !important; width: 3px !important; d: none !important }',
  'direction': `${kInner} { direction: rtl !important; unicode-bidi: bidi-override !important }`,
};
// Rules that the page has before the code: a page may change the display of its code later.
const kEarly = `${kRules['div:empty']} ${kRules[':empty']} ${kRules['no child']} * { all: unset }
  html, body { display: block }`;
const kPlace = 'display:block!important;position:static!important;width:640px!important;max-width:none!important;' +
  'margin:0!important;transform:none!important';
const within = (code) => `<main style="${kPlace}">${code}</main>`;

const kCodes = {
  async: ['medias', 'mp4only001', { embedType: 'async', muted: 'true', width: '640', controlsVisibleOnLoad: 'true' }],
  playlist_api: ['embed/playlists', 'pl4yl1st01', { embedType: 'playlist_api', muted: 'true', width: '640',
    controlsVisibleOnLoad: 'true' }],
  async_popover: ['medias', 'mp4only001', { embedType: 'async_popover', muted: 'true' }],
};

// Compares the picture without rules of the page with that under each of these.
async function compare(page, selector, rules, expected) {
  const style = (text) => page.evaluate((rule) => { document.querySelector('head style').textContent = rule; }, text);
  if (!expected) {
    await style('');
    expected = await picture(page, selector);
  }
  for (const [name, rule] of Object.entries(rules)) {
    await style(rule);
    const share = difference(expected, await picture(page, selector), name);
    assert.ok(share < 0.002, `${name}: ${(100 * share).toFixed(2)} % differ`);
  }
  return expected;
}

// Before play, and, of a file, stopped: the films of the list have several qualities.
async function compareAll(open, kind, rules, [poster, still] = [], style = '') {
  const page = await open(within(await stage.code(...kCodes[kind])), { before: `<style>${style}</style>` });
  const popover = kind === 'async_popover';
  await until(page, popover ? "document.querySelector('[aria-haspopup] img')?.complete"
    : `${kHost} && ${kVideo}.poster !== '' && performance.getEntriesByName(${kVideo}.poster).length > 0`);
  const found = [await compare(page, '.svc_embed', rules, poster)];
  if (kind === 'playlist_api') return found;
  if (popover) {
    await page.evaluate(() => { document.querySelector('[aria-haspopup]').click(); });
    await until(page, 'window.svc.players.length === 1');
  }
  await stopped(page);
  found.push(await compare(page, popover ? 'dialog' : '.svc_embed', rules, still));
  return found;
}

const holds = (kind) => inBrowsers(async (open) => {
  const expected = await compareAll(open, kind, kRules);
  await compareAll(open, kind, { early: kEarly }, expected, kEarly);
});
test('oembed-O14 no rule of a page changes the picture of a player', holds('async'));
test('oembed-O14 no rule of a page changes the picture of a list', holds('playlist_api'));
test('oembed-O14 no rule of a page changes the picture of a dialog or its thumbnail',
  holds('async_popover'));

// ---- from right to left ---------------------------------------------------------------------------

const kPart = (name) => `${kHost}.shadowRoot.querySelector('${name}')`;
const kRight = {
  'html': '<script>document.documentElement.dir = "rtl";</script>',
  'body': '<script>addEventListener("DOMContentLoaded", () => { document.body.dir = "rtl"; });</script>',
  'CSS': '<style>* { direction: rtl }</style>',
};
const kSilent = { muted: 'true', controlsVisibleOnLoad: 'true', width: '640' };

test('oembed-O15 from right to left, preview and click are at the same place', inBrowsers(async (open) => {
  for (const [how, head] of Object.entries(kRight)) {
    for (const [kind, id, embedType] of [['medias', 'mp4only001', 'async'], ['medias', 'mp4only001', 'async_popover'],
      ['embed/playlists', 'pl4yl1st01', 'playlist_api']]) {
      const page = await open(await stage.code(kind, id, { embedType, ...kSilent }), { before: head });
      if (embedType === 'async_popover') {
        await until(page, "document.querySelector('[aria-haspopup]') && true");
        await page.evaluate(() => { document.querySelector('[aria-haspopup]').click(); });
      }
      await until(page, 'window.svc?.players?.length === 1');
      await stopped(page, 1);
      const { x, y, width, height } = await boxOf(page, '.seek');
      for (const part of [0.8, 0.25]) {
        await page.mouse.move(x + part * width - 1, y + height / 2);
        await page.mouse.move(x + part * width, y + height / 2);
        const [, second] = (await until(page, `!${kPart('.preview')}.hidden && ${kPart('.preview span')}.textContent`))
          .split(':').map(Number);
        const preview = await boxOf(page, '.preview');
        assert.ok(Math.abs(preview.x + preview.width / 2 - x - part * width) <= 2, `${how} ${embedType}: ${preview.x}`);
        await page.mouse.click(x + part * width, y + height / 2);
        await until(page, `Math.round(${kVideo}.currentTime) === ${second}`);
        assert.ok(Math.abs(second / await page.evaluate(`${kVideo}.duration`) - part) < 0.1, `${how}: ${second}`);
      }
      const volume = await boxOf(page, '.volume');
      await page.mouse.click(volume.x + 0.25 * volume.width, volume.y + volume.height / 2);
      const quiet = await until(page, `${kVideo}.volume < 0.5 && ${kVideo}.volume`);
      await page.keyboard.press('ArrowRight');
      await until(page, `${kVideo}.volume > ${quiet}`);
      await page.evaluate(() => { window.svc.players[0].time(1).stage.focus(); });
      await page.keyboard.press('ArrowRight');
      await until(page, `${kVideo}.currentTime > 5`);
    }
  }
}));

// ---- captions above the bar -----------------------------------------------------------------------

const kCues = {
  'one row': ['Short'],
  'rows that wrap': ['A line that is longer than any one row has room for, so that it goes on in another, as many do'],
  'two cues': ['First\nof two rows', 'Second'],
  'a place near the edge': [['line:92%', 'Placed']],
  'the last line': [['line:-1', 'Last']],
};
// Cues are of one colour that no film has; scripts get this file in place of any captions.
const kCaptions = (cues) => `<style>::cue { color: #f0f; background: #f0f }</style><script>
  const real = window.fetch;
  window.fetch = (url, ...more) => (/\\.vtt$/.test(url) ? Promise.resolve(new Response(${JSON.stringify(`WEBVTT\n\n${
  cues.map((cue) => [cue].flat()).map((parts) => `00:00.000 --> 00:20.000 ${parts.slice(0, -1)}\n${parts.at(-1)}\n\n`)
    .join('')}`)}))
    : real(url, ...more));
</script>`;

// The rows of pixels with that colour, from the top of the video.
async function rowsOfCues(page) {
  const { width, height, data } = await pixels(page, await boxOf(page, 'video'));
  return [...Array(height).keys()].filter((y) => {
    for (let at = 4 * y * width; at < 4 * (y + 1) * width; at += 4) {
      if (data[at] > 240 && data[at + 1] < 16 && data[at + 2] > 240) return true;
    }
    return false;
  });
}

test('oembed-O16 a cue is above the bar while that is visible', inBrowsers(async (open) => {
  for (const [width, names] of [['320', ['rows that wrap']], ['640', Object.keys(kCues)],
    ['880', ['rows that wrap']]]) {
    for (const name of names) {
      const cues = kCues[name];
      const page = await open(await stage.code('medias', 'mp4only001', { embedType: 'async', muted: 'true', width,
        endVideoBehavior: 'loop' }), { before: kCaptions(cues) });
      await until(page, 'window.svc?.players?.length === 1');
      await page.evaluate(() => { window.svc.players[0].play(); });
      await until(page, `${kHost} && ${kVideo}.currentTime > 0`);
      const { x, y, width: wide, height } = await boxOf(page, 'video');
      const bar = async () => Math.floor((await boxOf(page, '.bar')).y - y);
      const away = async () => {
        await page.mouse.move(x + wide / 2, y + height + 40);
        await until(page, `${kPart('.idle .bar')} && getComputedStyle(${kPart('.bar')}).opacity === '0'`);
        // At the edge: a tenth of the height is left for the place near it.
        return until(page, async () => {
          const rows = await rowsOfCues(page);
          return rows.at(-1) >= height * 0.9 && rows;
        });
      };
      // Before each picture: the bar goes three seconds later, and a picture may take as long.
      const move = async () => {
        await page.mouse.move(x + wide / 2, y + height / 3);
        await page.mouse.move(x + wide / 2, y + height / 3 + 1);
      };
      const lifted = (below, before = async () => {}) => until(page, async () => {
        await before();
        const rows = await rowsOfCues(page);
        return rows.length >= below.length - 2 && rows.at(-1) <= await bar() && rows;
      });
      const below = await away();
      assert.ok(below.length > 4, `${name}: ${below.length}`);
      await lifted(below, move);
      await away();
      await page.evaluate(() => { window.svc.players[0].pause(); });
      await lifted(below); // paused
      await page.evaluate(() => { window.svc.players[0].play(); });
      await until(page, `!${kVideo}.paused`);
      await page.mouse.move(x + wide / 2, y + height / 3);
      assert.equal((await away()).length, below.length, name);
    }
  }
}));

// ---- forced colours -------------------------------------------------------------------------------

test('oembed-O17 tracks, played part, thumbs, buttons and focus are visible', inBrowsers(async (open) => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(await stage.code('medias', 'mp4only001',
      { embedType: 'async', ...kSilent, volume: '0.5' }));
    await page.emulateMedia({ forcedColors: 'active', colorScheme });
    await until(page, 'window.svc?.players?.length === 1');
    await stopped(page, 4);
    await page.evaluate(() => { window.svc.players[0].unmute(); });
    const luminance = (data, at) => {
      const [r, g, b] = [0, 1, 2].map((i) => (data[at + i] / 255) ** 2.2);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    // The contrast of the middle row of a picture at a part of its width to the ground at its upper edge.
    const at = (shot, part) => luminance(shot.data,
      4 * (Math.floor(shot.height / 2) * shot.width + Math.floor(part * shot.width)));
    const ground = (shot) => luminance(shot.data, 4 * (2 * shot.width + Math.floor(0.05 * shot.width)));
    for (const name of ['.seek', '.volume']) {
      const shot = await until(page, async () => {
        const next = await pixels(page, await boxOf(page, name));
        return contrast(at(next, 0.2), ground(next)) >= 3 && next;
      });
      const [played, rest] = [at(shot, 0.2), at(shot, 0.8)];
      assert.ok(contrast(rest, ground(shot)) >= 3, `${colorScheme} ${name}: the track`);
      assert.ok(contrast(played, rest) >= 1.5, `${colorScheme} ${name}: the played part ${contrast(played, rest)}`);
      // The thumb is higher than the track.
      const edge = Array.from({ length: shot.width }, (_, column) => luminance(shot.data,
        4 * ((Math.floor(shot.height / 2) - 6) * shot.width + column)));
      assert.ok(edge.some((each) => contrast(each, ground(shot)) >= 3), `${colorScheme} ${name}: the thumb`);
    }
    for (const name of ['.play', '.mute', '.settings', '.full']) {
      const plain = await picture(page, name);
      const first = luminance(plain.data, 4 * (4 * plain.width + 4));
      const seen = plain.data.filter((_, index) => index % 4 === 0 &&
        contrast(luminance(plain.data, index), first) >= 3).length;
      assert.ok(seen > 20, `${colorScheme} ${name}: ${seen} pixels`);
      await page.evaluate((part) => { // as by the keyboard
        document.querySelector('[data-svc-controls]').shadowRoot.querySelector(part).focus({ focusVisible: true });
      }, name);
      assert.ok(difference(plain, await picture(page, name)) > 0.1, `${colorScheme} ${name}: the focus`);
    }
  }
}, ['Chromium']));

// What viewers expect of a player, in Chromium and Firefox: it remembers their choices, plays again, skips, tells its keys,
// shows captions as they can read them, and plays on other devices. Its bar can be read in every colour, and it plays in
// shadow roots.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { boxOf, close, inBrowsers, open, picture, pixels, stage, until } = require('./both.js');
const { kMinute } = require('./minute.js');

before(open);
after(close);

const kVideo = "document.querySelector('video')";
const kRoot = "document.querySelector('[data-svc-controls]')?.shadowRoot";
const kPlayer = 'window.svc.players[0]';
const part = (name) => `${kRoot}?.querySelector('${name}')`;
const isShown = (name) => `(() => { const each = ${part(name)}; return Boolean(each && each.getClientRects().length); })()`;
const kSilent = { embedType: 'async', muted: 'true', controlsVisibleOnLoad: 'true', width: '640' };

// A page with a player and its bar, for a viewer who comes for the first time.
async function show(openPage, parameters = {}, { id = 'mp4only001', ...more } = {}) {
  const page = await openPage(await stage.code('medias', id, { ...kSilent, ...parameters }), more);
  await page.evaluate(() => { try { localStorage.clear(); } catch { /* refused */ } });
  await again(page);
  return page;
}
async function again(page) {
  await page.reload();
  await until(page, `${part('.play')} && true`);
}

const press = (page, key) => page.keyboard.press(key);
async function click(page, name) {
  const { x, y, width, height } = await boxOf(page, name);
  await page.mouse.click(x + width / 2, y + height / 2);
}
// Chooses an entry of the settings by its words.
async function choose(page, label, entry) {
  if (!await page.evaluate(isShown('.panel'))) await click(page, '.settings');
  const find = `[...${part('.panel')}.querySelectorAll('label')].find((each) => each.firstChild.data === '${label}')`;
  await until(page, `${find} && true`);
  await page.evaluate(`{
    const select = ${find}.querySelector('select');
    select.value = [...select.options].find(({ text }) => text === '${entry}').value;
    select.dispatchEvent(new Event('change'));
  }`);
  await press(page, 'Escape');
}
async function stopped(page, second) {
  await page.evaluate(() => { window.svc.players[0].play(); });
  await until(page, `${kVideo}.currentTime > 0.2`);
  await page.evaluate((to) => { window.svc.players[0].pause().time(to); }, second);
  await until(page, `!${kVideo}.seeking && ${kVideo}.readyState > 1 && Math.abs(${kVideo}.currentTime - ${second}) < 0.1`);
}
const focus = (page) => page.evaluate(() => window.svc.players[0].stage.focus());

// ---- stored choices ---------------------------------------------------------------------------------

const state = (page) => page.evaluate(() => {
  const [player] = window.svc.players;
  return [player.video.volume, player.video.muted, player.video.playbackRate, player.captions.chosen?.label ?? null];
});

test('pages-W80 volume, mute, speed and captions are those that the viewer chose last', inBrowsers(async (openPage) => {
  const page = await show(openPage, { muted: 'false' });
  assert.deepEqual((await state(page)).slice(0, 3), [1, false, 1]);
  const label = await page.evaluate(`${kPlayer}.captions.list()[0].label`);
  await focus(page);
  for (const key of ['ArrowDown', 'ArrowDown', '>', 'c']) await press(page, key);
  const captions = (await state(page))[3] === null ? null : label;
  await again(page);
  assert.deepEqual(await state(page), [0.9, false, 1.25, captions]);
  await click(page, '.volume');
  await choose(page, 'Speed', '1.5\u00d7');
  await choose(page, 'Captions', captions === null ? label : 'Off');
  await again(page);
  const [volume, , speed, now] = await state(page);
  assert.ok(Math.abs(volume - 0.5) < 0.11, volume);
  assert.deepEqual([speed, now], [1.5, captions === null ? label : null]);
  await focus(page);
  await press(page, 'm');
  await again(page);
  assert.equal((await state(page))[1], true);
  await focus(page);
  await press(page, 'm');
  await again(page);
  assert.equal((await state(page))[1], false);
  // Changes by the page are not stored, nor is a choice applied whose control is missing: the viewer could not undo it.
  await page.evaluate(() => { window.svcEmbed.volume(0.1).playbackRate(2); });
  await again(page);
  assert.deepEqual([(await state(page))[0], (await state(page))[2]], [volume, 1.5]);
  const bare = await openPage(await stage.code('medias', 'mp4only001', { ...kSilent, muted: 'false', volumeControl: 'false',
    playbackRateControl: 'false' }));
  await bare.evaluate((text) => localStorage.setItem('svc:choices', text), JSON.stringify({ volume: 0.3, speed: 2 }));
  await again(bare);
  assert.deepEqual((await state(bare)).slice(0, 3), [1, false, 1]);
}));

test('pages-W80 with doNotTrack nothing is stored or read; without storage choices last as long as the page',
  inBrowsers(async (openPage) => {
    const page = await show(openPage, { muted: 'false', doNotTrack: 'true', resumable: 'true' });
    await focus(page);
    for (const key of ['ArrowDown', '>', 'c']) await press(page, key);
    await choose(page, 'Caption size', 'Large');
    assert.equal(await page.evaluate(() => localStorage.length + sessionStorage.length), 0);
    await page.evaluate((text) => localStorage.setItem('svc:choices', text), JSON.stringify({ volume: 0.3, speed: 2 }));
    await again(page);
    assert.deepEqual((await state(page)).slice(0, 3), [1, false, 1]);

    const refusing = await show(openPage, { muted: 'false' }, { before: `<script>
      Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } });
    </script>` });
    await focus(refusing);
    for (const key of ['ArrowDown', '>']) await press(refusing, key);
    await refusing.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
      (await stage.code('medias', 'sm4ll480px', { ...kSilent, muted: 'false' })).replace(/<script.*?<\/script>/, ''));
    await until(refusing, 'window.svc.players[1]?.media && true');
    assert.deepEqual(await refusing.evaluate(() => window.svc.players.map(({ video }) => [video.volume, video.playbackRate])),
      [[0.95, 1.25], [0.95, 1.25]]);
  }));

test('pages-W80 a damaged record is ignored', inBrowsers(async (openPage) => {
  const page = await show(openPage, { muted: 'false' });
  for (const text of ['{', '[]', '7', 'null', '{"volume":9,"muted":"yes","speed":"fast","captions":7,"size":"x"}',
    '{"size":99,"colour":-1,"ground":1e9,"volume":null}']) {
    await page.evaluate((value) => localStorage.setItem('svc:choices', value), text);
    await again(page);
    assert.deepEqual((await state(page)).slice(0, 3), [1, false, 1], text);
  }
}));

// ---- at the end -------------------------------------------------------------------------------------

test('pages-W81 at the end the last picture stays, and Replay plays from the beginning', inBrowsers(async (openPage) => {
  const page = await show(openPage);
  const button = (name) => `[...${kPlayer}.stage.querySelectorAll(':scope > button')]
    .find((each) => each.getAttribute('aria-label').startsWith('${name} '))`;
  for (const how of ['the button', 'the bar', 'the keyboard']) {
    await page.evaluate(() => {
      const [player] = window.svc.players;
      player.play();
      player.loaded.then(() => player.time(player.duration() - 0.5));
    });
    await until(page, `${kVideo}.ended && ${button('Replay')} && true`);
    assert.equal(await page.evaluate(`${part('.play')}.getAttribute('aria-label')`), 'Replay', how);
    assert.equal(await page.evaluate(`${kPlayer}.state()`), 'ended');
    if (how === 'the button') await page.evaluate(`${button('Replay')}.click()`);
    else if (how === 'the bar') await click(page, '.play');
    else {
      await focus(page);
      await press(page, 'k');
    }
    await until(page, `!${kVideo}.paused && ${kVideo}.currentTime > 0 && ${kVideo}.currentTime < 4`);
    assert.equal(await page.evaluate(`Boolean(${button('Replay')})`), false);
    assert.equal(await page.evaluate(`${part('.play')}.getAttribute('aria-label')`), 'Pause');
  }
  // A seek back from the end takes the button away: the picture is no longer the last.
  await page.evaluate(() => { window.svc.players[0].time(window.svc.players[0].duration() - 0.3); });
  await until(page, `${kVideo}.ended && ${button('Replay')} && true`);
  await page.evaluate(() => { window.svc.players[0].time(1); });
  await until(page, `!${button('Replay')} && ${part('.play')}.getAttribute('aria-label') === 'Play'`);
  const plain = await show(openPage, { playButton: 'false', time: '7' });
  await plain.evaluate(() => { window.svc.players[0].play(); });
  await until(plain, `${kVideo}.ended && ${part('.play')}.getAttribute('aria-label') === 'Replay'`);
  assert.equal(await plain.evaluate(`Boolean(${button('Replay')})`), false);
}));

// ---- skipping ---------------------------------------------------------------------------------------

const near = (second) => `!${kVideo}.seeking && Math.abs(${kVideo}.currentTime - ${second}) < 0.3`;

test('pages-W81 buttons skip ten seconds where the bar has room', inBrowsers(async (openPage) => {
  const page = await show(openPage, {}, { before: kMinute() });
  await stopped(page, 2);
  await click(page, '.skip.ahead');
  await until(page, near(12));
  await click(page, '.skip.back');
  await until(page, near(2));
  for (const [parameters, shown] of [[{ width: '320' }, false], [{ playbar: 'false' }, false], [{ width: '880' }, true]]) {
    const other = await show(openPage, parameters);
    assert.equal(await other.evaluate(isShown('.skip')), shown, JSON.stringify(parameters));
    assert.ok(await other.evaluate(`(() => { const row = ${part('.row')}; return row.scrollWidth <= row.clientWidth; })()`));
  }
}));

test('pages-W81 two touches at a side skip ten seconds, and each more another ten; one plays and pauses',
  inBrowsers(async (openPage) => {
    const page = await show(openPage, { width: '340' }, { before: kMinute(), width: 360, height: 640, hasTouch: true,
      isMobile: true });
    await stopped(page, 1);
    const { x, y, width, height } = await boxOf(page, 'video');
    const tap = (where) => page.touchscreen.tap(x + where * width, y + height / 3);
    await tap(0.9);
    await tap(0.9);
    await until(page, near(11));
    assert.equal(await page.evaluate(`${part('.skipped')}.textContent`), '+10 s');
    await tap(0.9);
    await until(page, near(21));
    assert.equal(await page.evaluate(`${part('.skipped')}.textContent`), '+20 s');
    await until(page, `${part('.skipped')}.hidden`);
    await tap(0.1);
    await tap(0.1);
    await until(page, near(11));
    await until(page, `${part('.skipped')}.hidden`);
    assert.equal(await page.evaluate(`${kPlayer}.state()`), 'paused');
    await tap(0.1);
    await until(page, `${kPlayer}.state() === 'playing'`);
    // A touch of a picture without its bar shows the bar first.
    await page.evaluate(() => window.svc.players[0].stage.dispatchEvent(new Event('pointermove')));
    await tap(0.5);
    await until(page, `${kPlayer}.state() === 'paused'`);
    assert.equal(await page.evaluate(() => document.fullscreenElement), null);
    assert.equal(await page.evaluate(() => window.visualViewport.scale), 1);
  }, ['Chromium']));

// ---- keys -------------------------------------------------------------------------------------------

test('pages-W141 a held key acts once; arrows repeat', inBrowsers(async (openPage) => {
  const page = await show(openPage, {}, { before: kMinute() });
  await stopped(page, 1);
  const hold = async (key) => {
    for (let times = 0; times < 16; times++) await page.keyboard.down(key);
    await page.keyboard.up(key);
  };
  // Records these events of the video, and the keys.
  await page.evaluate(() => {
    window.heard = [];
    for (const name of ['play', 'pause', 'volumechange']) {
      document.querySelector('video').addEventListener(name, () => window.heard.push(name));
    }
    window.pressed = [];
    addEventListener('keydown', ({ repeat }) => window.pressed.push(repeat), true);
  });
  // Holds a key, and waits until the video has sent these events and only these.
  const heard = async (key, events) => {
    await page.evaluate(() => { window.heard = []; });
    await hold(key);
    await until(page, `window.heard.length >= ${events.length}`);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    assert.deepEqual(await page.evaluate('window.heard'), events, key);
  };
  await focus(page);
  await heard('k', ['play']);
  await heard(' ', ['pause']);
  for (const muted of [false, true]) {
    await heard('m', ['volumechange']);
    assert.equal(await page.evaluate(`${kVideo}.muted`), muted);
  }
  await hold('f');
  await until(page, 'document.fullscreenElement && true');
  await hold('f');
  await until(page, '!document.fullscreenElement');
  await hold('?');
  assert.equal(await page.evaluate(isShown('.help')), true);
  await press(page, 'Escape');
  await page.evaluate(`${part('.play')}.focus()`);
  await heard('Enter', ['play']);
  await heard(' ', ['pause']);
  await focus(page);
  await page.evaluate(() => { window.svc.players[0].time(0); });
  await until(page, near(0));
  await hold('ArrowRight');
  await until(page, near(60));
  assert.ok(await page.evaluate('window.pressed.filter(Boolean).length > 100'));
}));

// Chromium gets real keys. The protocol of Firefox lacks layouts, so a script dispatches the same events there.
const kTyped = [['Cyrillic', '\u043b', 'KeyK'], ['Greek', '\u03ba', 'KeyK'], ['Hebrew', '\u05dc', 'KeyK']];
test('pages-W141 keys work on Cyrillic, Greek and Hebrew keyboards, and digits on AZERTY', inBrowsers(async (openPage) => {
  const page = await show(openPage, {}, { before: kMinute() });
  await stopped(page, 2);
  await focus(page);
  const session = await page.context?.().newCDPSession?.(page);
  const type = async (key, code) => {
    if (!session) {
      await page.evaluate((init) => window.svc.players[0].stage.dispatchEvent(new KeyboardEvent('keydown', init)),
        { key, code, bubbles: true, cancelable: true, composed: true });
      return;
    }
    await session.send('Input.dispatchKeyEvent', { type: 'keyDown', key, code, text: key });
    await session.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code });
  };
  for (const [layout, key, code] of kTyped) {
    const second = await page.evaluate(`${kVideo}.currentTime`);
    await type(key, code);
    await until(page, `!${kVideo}.paused && ${kVideo}.currentTime > ${second}`);
    await type(key, code);
    await until(page, `${kVideo}.paused`);
    assert.equal(await page.evaluate(`${kPlayer}.state()`), 'paused', layout);
  }
  await type('\u00e9', 'Digit2');
  await until(page, near(12));
  // The typed letter counts: Dvorak has T where others have K, and AZERTY has a comma where others have M.
  const muted = await page.evaluate(`${kVideo}.muted`);
  await type('t', 'KeyK');
  await type(',', 'KeyM');
  await type('k', 'KeyV');
  await until(page, `!${kVideo}.paused`);
  assert.equal(await page.evaluate(`${kVideo}.muted`), muted);
}));

test('pages-W81 the key ? shows the keys; Escape leads back to where the focus was', inBrowsers(async (openPage) => {
  const page = await show(openPage);
  await focus(page);
  await press(page, '?');
  await until(page, isShown('.help'));
  const rows = await page.evaluate(`[...${part('.help')}.querySelectorAll('dl div')].map((each) => each.textContent)`);
  assert.ok(rows.some((row) => /Full screen.*F/.test(row)) && rows.length >= 9, rows.join());
  assert.equal(await page.evaluate(`${kRoot}.activeElement?.className`), 'close');
  await press(page, 'Escape');
  await until(page, `!${isShown('.help')}`);
  assert.equal(await page.evaluate(`document.activeElement === ${kPlayer}.stage`), true);
  await click(page, '.settings');
  await until(page, isShown('.more'));
  await click(page, '.more');
  await until(page, isShown('.help'));
  await click(page, '.help .close');
  await until(page, `!${isShown('.help')} && ${kRoot}.activeElement === ${part('.settings')}`);
  // Only keys that do something here.
  const silent = await show(openPage, { volumeControl: 'false', width: '200' });
  await focus(silent);
  await press(silent, '?');
  const words = await until(silent, `${isShown('.help')} && ${part('.help')}.textContent`);
  assert.ok(/Captions/.test(words) && !/Volume|Mute/.test(words), words);
  const help = await boxOf(silent, '.help');
  const video = await boxOf(silent, 'video');
  assert.ok(help.x >= video.x && help.x + help.width <= video.x + video.width && help.height <= video.height);
}));

// ---- captions ---------------------------------------------------------------------------------------

// Scripts get these captions in place of any.
const kCaptions = `<script>
  const real = window.fetch;
  window.fetch = (url, ...more) => (/\\.vtt$/.test(url)
    ? Promise.resolve(new Response('WEBVTT\\n\\n00:00.000 --> 00:20.000\\nTo be read\\n')) : real(url, ...more));
</script>`;

// The rows of pixels that the predicate of red, green and blue accepts, each with the number of its pixels.
async function rowsOf(page, accept) {
  const { width, height, data } = await pixels(page, await boxOf(page, 'video'));
  return [...Array(height).keys()].map((y) => {
    let count = 0;
    for (let at = 4 * y * width; at < 4 * (y + 1) * width; at += 4) {
      if (accept(data[at], data[at + 1], data[at + 2])) count++;
    }
    return [y, count];
  }).filter(([, count]) => count > 0);
}

test('pages-W83 size, colour and background of captions are the viewer\'s, remembered, and above the bar',
  inBrowsers(async (openPage) => {
    // A film of one colour that no choice has.
    const page = await show(openPage, {}, { before: `${kCaptions}<style>video { filter: none }</style>` });
    await stopped(page, 3.4);
    await page.evaluate(() => {
      const [player] = window.svc.players;
      if (!player.captions.chosen) player.captions.toggle();
    });
    await until(page, `[...${kVideo}.textTracks].some(({ activeCues }) => activeCues?.length)`);
    const green = (r, g, b) => r < 90 && g > 200 && b < 90;
    const seen = async () => {
      await picture(page, 'video');
      return rowsOf(page, green);
    };
    await choose(page, 'Caption background', 'Black');
    const before = new Map(await seen());
    const added = async () => (await seen()).filter(([y, count]) => count > (before.get(y) || 0) + 2).map(([y]) => y);
    await choose(page, 'Caption colour', 'Green');
    const bar = async () => (await boxOf(page, '.bar')).y - (await boxOf(page, 'video')).y;
    const heights = {};
    for (const size of ['Small', 'Normal', 'Very large']) {
      await choose(page, 'Caption size', size);
      const rows = await added();
      heights[size] = rows.at(-1) - rows[0];
      assert.ok(rows.at(-1) < await bar(), `${size}: ${rows.at(-1)} is not above ${await bar()}`);
    }
    assert.ok(heights.Small < 0.9 * heights.Normal && heights['Very large'] > 1.6 * heights.Normal,
      JSON.stringify(heights));
    await again(page);
    await stopped(page, 3.4);
    await until(page, `[...${kVideo}.textTracks].some(({ activeCues }) => activeCues?.length)`);
    await focus(page);
    const rows = await added();
    assert.ok(Math.abs(rows.at(-1) - rows[0] - heights['Very large']) <= 2);
  }));

// ---- other devices ----------------------------------------------------------------------------------

test('pages-W84 a button plays on another device, while the browser knows one', inBrowsers(async (openPage) => {
  const page = await show(openPage, {}, { before: `<script>
    window.calls = [];
    const remote = { watchAvailability(tell) { window.tell = tell; return Promise.resolve(7); },
      cancelWatchAvailability(id) { window.calls.push(id); return Promise.resolve(); },
      prompt() { window.calls.push('prompt'); return Promise.reject(new DOMException('closed', 'NotAllowedError')); } };
    Object.defineProperty(HTMLMediaElement.prototype, 'remote', { get: () => remote });
  </script>` });
  assert.equal(await page.evaluate(isShown('.cast')), false);
  await page.evaluate(() => { window.tell(true); });
  assert.equal(await page.evaluate(isShown('.cast')), true);
  assert.equal(await page.evaluate(`${part('.cast')}.getAttribute('aria-label')`), 'Play on another device');
  await click(page, '.cast');
  await until(page, "window.calls.join() === 'prompt'");
  await page.evaluate(() => { window.tell(false); });
  assert.equal(await page.evaluate(isShown('.cast')), false);
  await page.evaluate(() => { window.svc.players[0].remove(); });
  await until(page, 'window.calls.includes(7)');
  // In a browser that cannot watch for devices, the button is missing.
  const other = await show(openPage, {}, { before: `<script>
    Object.defineProperty(HTMLMediaElement.prototype, 'remote', { get: () => ({
      watchAvailability: () => Promise.reject(new DOMException('no', 'NotSupportedError')) }) });
  </script>` });
  assert.equal(await other.evaluate(isShown('.cast')), false);
}));

// ---- the bar's colours ------------------------------------------------------------------------------

const luminance = (data, at) => {
  const [r, g, b] = [0, 1, 2].map((i) => (data[at + i] / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

// The largest contrast between two columns of a picture, at these parts of its width.
function unlike({ width, height, data }, one, other) {
  const at = (row, where) => luminance(data, 4 * (row * width + Math.floor(where * width)));
  const middle = Math.floor(height / 2);
  return Math.max(...[-3, -2, -1, 0, 1, 2].map((row) => contrast(at(middle + row, one), at(middle + row, other))));
}

async function checkParts(page, what) {
  await stopped(page, 2);
  await page.evaluate(() => {
    const [{ video }] = window.svc.players;
    Object.defineProperty(video, 'buffered', { configurable: true,
      get: () => ({ length: 1, start: () => 0, end: () => 0.6 * video.duration }) });
    window.svc.players[0].changed();
  });
  const shot = await picture(page, '.seek');
  for (const [one, other] of [[0.1, 0.45], [0.45, 0.85], [0.1, 0.85]]) {
    assert.ok(unlike(shot, one, other) >= 1.5, `${what}: ${one} and ${other} are ${unlike(shot, one, other).toFixed(2)}:1`);
  }
}

test('pages-W85 the played, the loaded and the remaining part differ in every colour', inBrowsers(async (openPage) => {
  for (const playerColor of ['0b5cad', 'ffffff', '000000', 'ff0000', '7f7f7f', 'b3b3b3', 'ffff00', '62666d', '00a000']) {
    await checkParts(await show(openPage, { playerColor }), playerColor);
  }
}));

test('pages-W85 the parts differ in forced colours', inBrowsers(async (openPage) => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await show(openPage);
    await page.emulateMedia({ colorScheme, forcedColors: 'active' });
    await checkParts(page, colorScheme);
  }
}, ['Chromium']));

// ---- shadow roots -----------------------------------------------------------------------------------

// A page's component, whose shadow root has the code, and the loader too or not.
const component = (code, loader) => `<script>
  customElements.define('some-film', class extends HTMLElement {
    connectedCallback() {
      if (this.shadowRoot) return;
      const root = this.attachShadow({ mode: 'open' });
      root.innerHTML = ${JSON.stringify(code.replace(/<script[^]*?<\/script>/g, '')).replaceAll('</', '<\\/')};
      ${loader ? `root.append(Object.assign(document.createElement('script'), { src: ${JSON.stringify(loader)} }));` : ''}
    }
  });
</script><section><some-film></some-film></section>`;
const kInside = "document.querySelector('some-film').shadowRoot";

test('pages-W86 a code in a shadow root plays, fills the screen, and ends with its host', inBrowsers(async (openPage) => {
  const script = `${stage.svc}/assets/external/E-v1.js`;
  const code = await stage.code('medias', 'mp4only001', kSilent);
  for (const [where, body] of [['inside', component(code, script)],
    ['before', `<script src="${script}"></script>${component(code)}`],
    ['after', `${component(code)}<script src="${script}" async></script>`]]) {
    const page = await openPage(body);
    const inside = `${kInside}.querySelector('[data-svc-controls]')?.shadowRoot`;
    await until(page, `${inside}?.querySelector('.play') && true`);
    await page.evaluate(() => { window.svc.players[0].play(); });
    await until(page, `${kInside}.querySelector('video').currentTime > 0.3`);
    const { x, y } = await page.evaluate(`(() => {
      const { x, y, width, height } = ${inside}.querySelector('.full').getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    })()`);
    await page.mouse.click(x, y);
    await until(page, `${inside}.querySelector('.full').getAttribute('aria-label') === 'Leave full screen'`);
    assert.equal(await page.evaluate(`${kPlayer}.inFullscreen()`), true, where);
    await page.evaluate(`${kPlayer}.cancelFullscreen()`);
    await until(page, `!${kPlayer}.inFullscreen()`);
    await page.evaluate((html) => {
      document.querySelector('some-film').shadowRoot.append(
        Object.assign(document.createElement('div'), { innerHTML: html }));
    }, code.replace(/<script.*?<\/script>/, ''));
    await until(page, 'window.svc.players.length === 2');
    await page.evaluate(() => { document.querySelector('section').replaceChildren(); });
    await until(page, 'window.svc.players.length === 0');
  }
}));

test('pages-W86 a list in a shadow root plays', inBrowsers(async (openPage) => {
  const code = await stage.code('embed/playlists', 'pl4yl1st01', { ...kSilent, embedType: 'playlist_api' });
  const page = await openPage(`${component(code)}<script src="${stage.svc}/assets/external/playlist-v1.js"></script>
    <script>svcPlaylist = svc.playlist("pl4yl1st01", { muted: "true" });</script>`);
  await until(page, `${kInside}.querySelector('ol button') && true`);
  await page.evaluate(`${kInside}.querySelectorAll('ol button')[0].focus()`);
  await press(page, 'ArrowDown');
  await press(page, 'Enter');
  await until(page, `${kInside}.querySelector('video').currentTime > 0.2 && window.svcPlaylist.current().id === 'cinema2391'`);
}));

// ---- sound without pictures -------------------------------------------------------------------------

test('pages-W87 an audio shows its title and poster above a bar that stays, and plays', inBrowsers(async (openPage) => {
  for (const [width, height] of [[640, 240], [320, 120]]) {
    const code = (await stage.code('medias', 'mp4only001', { ...kSilent, controlsVisibleOnLoad: 'false' }))
      .replace(/height:\d+px;width:\d+px/, `height:${height}px;width:${width}px`);
    const page = await openPage(code, { before: kMinute({ audio: true, title: 'An interview' }) });
    await until(page, isShown('.bar'));
    const cover = "document.querySelector('[data-svc-cover]')";
    assert.equal(await page.evaluate(`${cover}.textContent`), 'An interview');
    const words = await page.evaluate(`(() => { const { top, bottom, width } = ${cover}.lastChild.getBoundingClientRect();
      return { top, bottom, width }; })()`);
    const seek = await boxOf(page, '.seek');
    const video = await boxOf(page, 'video');
    assert.ok(words.top >= video.y && words.bottom <= seek.y + 8 && words.width > 100, JSON.stringify([words, seek]));
    for (const name of ['.full', '.pip']) assert.equal(await page.evaluate(isShown(name)), false, name);
    assert.equal(await page.evaluate(`${kPlayer}.stage.querySelectorAll(':scope > button').length`), 0);
    await click(page, '.play');
    await until(page, `${kVideo}.currentTime > 0.3`);
    await page.evaluate(() => { window.svc.players[0].stage.dispatchEvent(new PointerEvent('pointerleave')); });
    assert.equal(await page.evaluate(isShown('.bar')), true);
    assert.equal(await page.evaluate(`${part('.all')}.classList.contains('idle')`), false);
    await page.evaluate(() => { window.svc.players[0].time(59.7); });
    await until(page, `${kVideo}.ended && ${part('.play')}.getAttribute('aria-label') === 'Replay'`);
  }
}));

test('pages-W87 in a playlist, videos and audio have their own pictures and buttons', inBrowsers(async (openPage) => {
  const code = await stage.code('embed/playlists', 'pl4yl1st01', { ...kSilent, embedType: 'playlist_api', width: '800' });
  const page = await openPage(code, { before: kMinute({ audio: true, title: 'An interview' }) });
  const cover = "document.querySelector('[data-svc-cover]')";
  const asAudio = async () => {
    await until(page, `${cover}?.textContent === 'An interview' && ${isShown('.bar')}`);
    for (const name of ['.full', '.pip']) assert.equal(await page.evaluate(isShown(name)), false, name);
  };
  await until(page, isShown('.bar'));
  await asAudio();
  await click(page, '.play');
  await until(page, `${kVideo}.currentTime > 0.3`);
  await page.evaluate(() => { window.svc.players[0].time(59.7); });
  await until(page, `${kPlayer}.current().id === 'cinema2391' && ${kVideo}.currentTime > 0.2 && ${kVideo}.videoWidth > 0`);
  assert.equal(await page.evaluate(`${cover} === null`), true);
  await until(page, isShown('.full'));
  await page.evaluate(() => { document.querySelector('ol button').click(); });
  await until(page, `${kPlayer}.current().title === 'An interview' && ${kVideo}.currentTime > 0.1`);
  await asAudio();
}));

// ---- chapters ---------------------------------------------------------------------------------------

test('pages-W82 chapters are marks, names and a menu of the bar', inBrowsers(async (openPage) => {
  const chapters = [{ at: 0, title: 'Opening' }, { at: 15, title: '<b>Middle</b>' }, { at: 45, title: 'End' }];
  const page = await show(openPage, { width: '800' }, { before: kMinute({ chapters }) });
  await stopped(page, 2);
  const seek = await boxOf(page, '.seek');
  const at = (second) => seek.x + 7 + ((seek.width - 14) * second) / 60;
  const marks = await page.evaluate(`[...${kRoot}.querySelectorAll('.marks i')].map((each) => {
    const { left, width } = each.getBoundingClientRect();
    return left + width / 2;
  })`);
  assert.equal(marks.length, 2);
  for (const [index, second] of [15, 45].entries()) assert.ok(Math.abs(marks[index] - at(second)) < 1.5, String(marks));
  assert.equal(await page.evaluate(`${part('.part')}.textContent`), 'Opening');
  assert.equal(await page.evaluate(isShown('.part')), true);
  assert.match(await page.evaluate(`${part('.seek')}.getAttribute('aria-valuetext')`), /^0:02 of 1:00, Opening$/);
  await page.mouse.move(at(20), seek.y + seek.height / 2);
  await page.mouse.move(at(20) + 1, seek.y + seek.height / 2);
  assert.equal(await until(page, `!${part('.preview')}.hidden && ${part('.there')}.textContent`), '<b>Middle</b>');
  await click(page, '.chapters');
  await until(page, isShown('.panel .entry'));
  assert.deepEqual(await page.evaluate(`[...${kRoot}.querySelectorAll('.entry')].map((each) => [...each.children]
    .map(({ textContent }) => textContent))`), [['0:00', 'Opening'], ['0:15', '<b>Middle</b>'], ['0:45', 'End']]);
  assert.equal(await page.evaluate(`${kRoot}.activeElement.getAttribute('aria-current')`), 'true');
  await page.evaluate(`${kRoot}.querySelectorAll('.entry')[2].click()`);
  await until(page, near(45));
  assert.equal(await until(page, `${part('.part')}.textContent === 'End' && ${part('.part')}.textContent`), 'End');
  assert.equal(await page.evaluate(`${kRoot}.activeElement === ${part('.chapters')}`), true);
  await choose(page, 'Chapter', '<b>Middle</b>');
  await until(page, near(15));
  // A narrow player has the chapters in its settings; without its bar a player lacks them; without chapters it lacks the button.
  for (const [parameters, facts, shown, choices] of [[{ width: '320' }, { chapters }, false, true],
    [{ playbar: 'false' }, { chapters }, false, false], [{}, {}, false, false], [{}, { chapters }, true, true]]) {
    const other = await show(openPage, parameters, { before: kMinute(facts) });
    assert.equal(await other.evaluate(isShown('.chapters')), shown, JSON.stringify(parameters));
    assert.ok(await other.evaluate(`(() => { const row = ${part('.row')}; return row.scrollWidth <= row.clientWidth; })()`));
    await click(other, '.settings');
    await until(other, isShown('.panel label'));
    assert.equal(await other.evaluate(`[...${part('.panel')}.querySelectorAll('label')]
      .some((each) => each.firstChild.data === 'Chapter')`), choices, JSON.stringify(parameters));
  }
}));

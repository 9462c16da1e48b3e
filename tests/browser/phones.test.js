// The player on a phone: in small players for fingers, by real touches.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const axe = require('axe-core');
const { boxOf, close, difference, inBrowsers, open, pixels, stage, until } = require('./both.js');
const { kMinute } = require('./minute.js');
const { isBeacon, playsPast } = require('./stage.js');

before(open);
after(close);

const kVideo = "document.querySelector('video')";
const kRoot = "document.querySelector('[data-svc-controls]')?.shadowRoot";
const kPlayer = 'window.svc?.players?.[0]';
const kIsIdle = `Boolean(${kRoot}?.querySelector('.idle'))`;
const kSilent = { embedType: 'async', muted: 'true' };
const kPhone = { finger: true, hasTouch: true, isMobile: true, width: 428, height: 700 };
const kSizes = [[328, 185], [360, 203], [412, 232]];

// Returns a page with a film of a minute once the player has the film's data.
async function show(openPage, width, { id = 'mp4only001', before: first = kMinute(), ...parameters } = {}) {
  const code = await stage.code('medias', id, { ...kSilent, ...parameters, width: String(width) });
  const page = await openPage(`<main><h1>A page</h1>${code}</main>`, { ...kPhone, before: first });
  await until(page, `${kPlayer}?.media && true`);
  return page;
}
// Touches the player at that part of its width and height. Returns once the page has had the click. On a busy machine a touch
// may become a long press, which asks for a menu instead: then it is repeated.
async function touch(page, across = 0.5, down = 0.5) {
  const { x, y, width, height } = await boxOf(page, '[data-svc-player]');
  do {
    await page.evaluate(() => {
      window.had = null;
      for (const name of ['click', 'contextmenu']) {
        addEventListener(name, (event) => {
          window.had ??= name;
          if (name === 'contextmenu') event.preventDefault();
        }, { once: true, capture: true });
      }
    });
    await page.touchscreen.tap(x + across * width, y + down * height);
  } while (await until(page, 'window.had') !== 'click');
}
const touchOn = async (page, name) => {
  const { x, y, width, height } = await boxOf(page, name);
  await page.touchscreen.tap(x + width / 2, y + height / 2);
};
const plays = (page) => until(page, `!${kVideo}.paused && ${kVideo}.currentTime > 0`);
// Touches a player that plays, until it pauses: on a busy machine the bar may have gone, which the first touch brings back.
async function pause(page, down = 0.5) {
  await touch(page, 0.5, down);
  if (await page.evaluate(`${kPlayer}.state()`) === 'playing') await touch(page, 0.5, down);
  assert.equal(await page.evaluate(`${kPlayer}.state()`), 'paused', `${down}`);
  await until(page, `${kVideo}.paused`);
}
const second = (page) => page.evaluate(`${kVideo}.currentTime`);

for (const [width, height] of kSizes) {
  test(`pages-W140 in ${width} × ${height} pixels, touches of the middle play, pause or show the bar, and never seek`,
    inBrowsers(async (openPage) => {
      const page = await show(openPage, width);
      const box = await boxOf(page, '[data-svc-player]');
      assert.deepEqual([box.width, box.height], [width, height]);
      await touch(page);
      await plays(page);
      await until(page, `${kRoot} && true`);
      // The middle is as large as a finger.
      const finger = 20 / height;
      for (const down of [0.5, 0.5 - finger, 0.5 + finger]) {
        await pause(page, down);
        await touch(page, 0.5, down);
        await plays(page);
        assert.ok(await second(page) < 25, `${down}`);
      }
      // The bar goes while it plays on, and a touch brings it back.
      await until(page, kIsIdle);
      await touch(page);
      assert.equal(await page.evaluate(kIsIdle), false);
      assert.equal(await page.evaluate(`${kPlayer}.state()`), 'playing');
    }));
}

// The touchable controls and the time, with their boxes in the player.
const kBoxes = `(() => {
  const { left, top } = ${kPlayer}.stage.getBoundingClientRect();
  return [...${kRoot}.querySelectorAll('.bar :is(button, input, .time)')].flatMap((each) => {
    const { x, y, width, height } = each.getBoundingClientRect();
    return width ? [{ name: each.className, x: x - left, y: y - top, width, height }] : [];
  });
})()`;
const meet = (a, b) => a.x < b.x + b.width - 0.5 && b.x < a.x + a.width - 0.5 && a.y < b.y + b.height - 0.5 && b.y < a.y + a.height - 0.5;

test('pages-W140 controls are 44 pixels, do not overlap each other or the middle, and the time can be read', inBrowsers(async (openPage) => {
  for (const [width, height] of kSizes) {
    const chapters = [0, 30].map((at) => ({ at, title: `From ${at}` }));
    const page = await show(openPage, width, { before: kMinute({ chapters }) });
    await touch(page);
    await plays(page);
    await pause(page);
    await until(page, `${kRoot}.querySelector('.time').textContent.endsWith('/ 1:00')`);
    const boxes = await page.evaluate(kBoxes);
    const middle = { name: 'the middle', x: width / 2 - 22, y: height / 2 - 22, width: 44, height: 44 };
    for (const [at, each] of boxes.entries()) {
      const where = `${width}: ${JSON.stringify(each)}`;
      if (each.name !== 'time') assert.ok(each.width >= 44 && each.height >= 44, where);
      assert.ok(each.x >= 0 && each.y >= 0 && each.x + each.width <= width && each.y + each.height <= height, where);
      for (const other of [middle, ...boxes.slice(at + 1)]) assert.ok(!meet(each, other), `${where} ${JSON.stringify(other)}`);
    }
    assert.deepEqual(boxes.map(({ name }) => name.split(' ')[0]).sort(),
      ['captions', 'chapters', 'full', 'mute', 'play', 'seek', 'settings', 'time']);
    // Its letters are white on the picture.
    const time = boxes.find(({ name }) => name === 'time');
    const box = await boxOf(page, '[data-svc-player]');
    const { data } = await pixels(page, { x: box.x + time.x, y: box.y + time.y, width: time.width, height: time.height });
    let white = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] > 200 && data[i + 1] > 200 && data[i + 2] > 200) white++;
    assert.ok(white > 60, `${width}: ${white}`);
  }
}));

test('pages-W140 a paused film has the sign to play in its middle, which goes with play', inBrowsers(async (openPage) => {
  const page = await show(openPage, 328);
  await touch(page);
  await plays(page);
  await until(page, `${kRoot} && true`);
  const middle = async () => {
    const { x, y, width, height } = await boxOf(page, '[data-svc-player]');
    return { x: x + width / 2 - 22, y: y + height / 2 - 22, width: 44, height: 44 };
  };
  const without = await pixels(page, await middle());
  await pause(page);
  await until(page, async () => difference(without, await pixels(page, await middle()), 'the sign') > 0.05);
  await touch(page);
  await until(page, async () => difference(without, await pixels(page, await middle()), 'the sign') < 0.01);
}));

test('pages-W140 the settings leave their button free; a touch outside them only closes them', inBrowsers(async (openPage) => {
  const page = await show(openPage, 328);
  await touch(page);
  await plays(page);
  await pause(page);
  const shown = (is) => until(page, `${kRoot}.querySelector('.panel').hidden === ${!is}`);
  await touchOn(page, '.settings');
  await shown(true);
  await until(page, `${kRoot}.querySelectorAll('.panel select').length > 1`);
  const panel = await boxOf(page, '.panel');
  const stageBox = await boxOf(page, '[data-svc-player]');
  assert.ok(panel.y >= stageBox.y + 44 && panel.y + panel.height <= stageBox.y + stageBox.height, JSON.stringify(panel));
  await touchOn(page, '.settings');
  await shown(false);
  await touchOn(page, '.settings');
  await shown(true);
  await touch(page, 0.05);
  await shown(false);
  // The next touch plays: the one before did nothing else.
  assert.equal(await page.evaluate(`${kPlayer}.state()`), 'paused');
  await touch(page);
  await plays(page);
}));

test('a choice of captions is as wide as its words on a phone', inBrowsers(async (openPage) => {
  const page = await show(openPage, 328, { id: 'l4unchf1lm', before: '', lang: 'es' });
  await touch(page);
  await plays(page);
  await pause(page);
  await touchOn(page, '.captions');
  const panel = `${kRoot}.querySelector('.panel:not([hidden])')`;
  await until(page, `${panel}?.textContent.includes('Desactivados')`);
  const [shown, natural] = await page.evaluate(`(() => {
    const select = ${panel}.querySelector('select');
    const { width } = select.getBoundingClientRect();
    select.style.setProperty('max-width', 'none', 'important');
    return [width, select.getBoundingClientRect().width];
  })()`);
  assert.ok(shown >= natural - 0.5, `${shown} of ${natural} pixels`);
}));

test('pages-W140 axe-core finds no problem in a small player', inBrowsers(async (openPage) => {
  const page = await show(openPage, 328);
  await touch(page);
  await plays(page);
  await pause(page);
  const problems = async () => {
    // Our styles are important: no rule of a page changes our spacing (oembed-O14), those of the browser's user do. Chromium
    // does not name what `all` sets.
    const { violations } = await page.evaluate(() => window.axe.run(document, { rules: { 'video-caption': { enabled: false },
      'target-size': { enabled: true }, 'avoid-inline-spacing': { enabled: !navigator.userAgent.includes('Firefox') } } }));
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
  };
  await page.evaluate(axe.source);
  assert.deepEqual(await problems(), []);
  await touchOn(page, '.settings');
  await until(page, `${kRoot}.querySelectorAll('.panel select').length > 1`);
  assert.deepEqual(await problems(), []);
}));

test('pages-W87 pages-W140 an audio has its controls in one row, below its title', inBrowsers(async (openPage) => {
  const code = (await stage.code('medias', 'mp4only001', kSilent)).replace(/height:\d+px;width:\d+px/, 'height:123px;width:328px');
  const page = await openPage(code, { ...kPhone, before: kMinute({ audio: true, title: 'An interview with two founders' }) });
  await until(page, `${kRoot}?.querySelector('.play') && true`);
  const boxes = await page.evaluate(kBoxes);
  assert.deepEqual(boxes.map(({ name }) => name).sort(), ['mute', 'play', 'seek', 'settings', 'time']);
  assert.ok(boxes.every(({ y, height }) => Math.abs(y + height / 2 - boxes[0].y - boxes[0].height / 2) < 2), JSON.stringify(boxes));
  const { bottom } = await page.evaluate(`(() => { const { bottom } = document.querySelector('[data-svc-cover]').lastChild
    .getBoundingClientRect(); return { bottom: bottom - ${kPlayer}.stage.getBoundingClientRect().top }; })()`);
  assert.ok(bottom <= boxes[0].y && bottom > 20, `${bottom}`);
  await touch(page, 0.5, 0.25);
  await plays(page);
}));

// ---- before the first touch -------------------------------------------------------------------------

// The names of the files that a page has requested to play a film, without posters and beacons.
const asked = (page) => page.asked.filter((url) => /\.(m3u8|m4s|mp4)$|\/(hls|controls)-/.test(url) && !isBeacon(url))
  .map((url) => url.replace(/.*\/|-\w+(?=\.js)/g, ''));
const kBefore = ['hls.js', 'index.m3u8', 'l4unchf1lm.m3u8'];
const film = (more) => stage.code('medias', 'l4unchf1lm', { ...kSilent, width: '360', ...more });
const placeOf = async (page, code) => (code.includes('<iframe') ? (await page.waitForSelector('iframe')).contentFrame() : page);

for (const embedType of ['async', 'iframe']) {
  test(`pages-W143 ${embedType}: in view of a phone all but the segments is loaded before the touch, and play needs only them`,
    async () => {
      const code = await film({ embedType });
      const page = await stage.show(`<p>above</p>${code}`, kPhone);
      const place = await placeOf(page, code);
      await until(page, async () => asked(page).includes('index.m3u8'));
      await page.waitForLoadState('networkidle');
      const before = asked(page);
      assert.deepEqual(before.toSorted(), kBefore);
      await place.getByRole('button', { name: 'Play Launch film' }).tap();
      await playsPast(place, 0.2);
      const after = asked(page).slice(before.length);
      assert.deepEqual(after.filter((name) => name !== 'controls.js' && !/^(init\.mp4|\d\.m4s)$/.test(name)), []);
      // The same as where a pointer hovers, which loads nothing before it is near.
      const other = await stage.show(`<div style="padding:300px 0 0">${code}</div>`);
      const there = await placeOf(other, code);
      const play = there.getByRole('button', { name: 'Play Launch film' });
      await play.waitFor();
      await other.waitForLoadState('networkidle');
      assert.deepEqual(asked(other), []);
      await play.click();
      await playsPast(there, 0.2);
      const first = (each) => asked(each).filter((name) => !/^[1-9]\d*\.m4s$/.test(name)).toSorted();
      assert.deepEqual(first(page), first(other));
      for (const each of [page, other]) {
        assert.deepEqual(each.problems, []);
        await each.context().close();
      }
    });
}

test('pages-W143 far from view and for viewers who save data nothing is loaded, and a film that is scrolled away is released', async () => {
  const page = await stage.show(`<div style="height:4000px"></div>${await film()}<div style="height:4000px"></div>`, kPhone);
  await until(page, `${kPlayer}?.media && true`);
  await page.waitForLoadState('networkidle');
  assert.deepEqual(asked(page), []);
  await page.evaluate(() => window.scrollTo(0, 3900));
  await until(page, `${kVideo}.src && true`);
  await until(page, async () => asked(page).length === kBefore.length);
  await page.evaluate(() => window.scrollTo(0, 0));
  await until(page, `!${kVideo}.src`);
  await page.context().close();

  const saving = await stage.show(await film(), { ...kPhone,
    before: "<script>Object.defineProperty(navigator, 'connection', { value: { saveData: true } });</script>" });
  await until(saving, `${kPlayer}?.media && true`);
  await saving.waitForLoadState('networkidle');
  assert.deepEqual(asked(saving), []);
  await saving.getByRole('button', { name: 'Play Launch film' }).tap();
  await playsPast(saving, 0.2);
  await saving.context().close();
});

test('pages-W143 the script with which a popover plays is loaded before the touch', async () => {
  const page = await stage.show(await film({ embedType: 'async_popover' }), kPhone);
  await until(page, async () => asked(page).includes('hls.js'));
  await page.waitForLoadState('networkidle');
  assert.deepEqual(asked(page), ['hls.js']);
  await page.getByRole('button', { name: 'Play Launch film' }).tap();
  await playsPast(page, 0.2);
  await page.context().close();
});

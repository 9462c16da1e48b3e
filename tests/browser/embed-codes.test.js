// Every kind of embed code, in an empty page of another site, in a real browser.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { kPatience, playsPast, scrolledByWheel, Stage, withPages } = require('./stage.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

const kSilent = { autoPlay: 'true', muted: 'true' };

// Only the service may get requests.
const embeds = withPages(stage, (page) => {
  const foreign = page.asked.filter((url) =>
    !url.startsWith(stage.svc) && !url.startsWith(stage.origin) && !/^(blob|data):/.test(url));
  assert.deepEqual(foreign, []);
});

const box = (page, selector) => page.locator(selector).first().boundingBox();
const paused = (page) => page.evaluate(() => document.querySelector('video').paused);
const close = (a, b) => assert.ok(Math.abs(a - b) <= 1, `${a} is not about ${b}`);

// ---- one video --------------------------------------------------------------------------------

embeds('async plays, at the size of its code', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async', ...kSilent }));
  await playsPast(page);
  const video = page.locator('video');
  assert.equal(await video.getAttribute('aria-label'), 'Launch film');
  assert.match(await video.getAttribute('poster'), /l4unchf1lm\/poster\.jpg/);
  const { width, height } = await box(page, 'video');
  close(width, 640);
  close(height, 360);
  await stage.shot(page, 'async-wide');
});

embeds('async plays every kind of film', async (open) => {
  await Promise.all(Object.entries({
    sm4ll480px: '480x270, MPEG-TS', p0rtrait99: '9:16', '0dd1279717': 'odd size', cinema2391: '2.39:1',
    l1ves0und1: 'with an audio-only rendition', mp4only001: 'a file and no manifest',
  }).map(async ([id, what]) => {
    const page = await open(await stage.code('medias', id, { embedType: 'async', width: '320', ...kSilent }));
    await playsPast(page).catch((error) => assert.fail(`${id}, ${what}: ${error.message}`));
  }));
});

embeds('async seeks, and its handle controls it', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm',
    { embedType: 'async', handle: 'my.film', time: '5', ...kSilent }));
  await playsPast(page, 5.5);
  const seen = await page.evaluate(async () => {
    const film = window.my.film;
    const events = [];
    const paused = new Promise((resolve) => {
      film.bind('pause', () => { events.push('pause'); resolve(); });
    });
    const unbind = film.bind('play', () => events.push('never'));
    unbind();
    film.pause().time(1);
    await paused;
    await film.play();
    return { time: film.time(), duration: film.duration(), events, volume: film.volume(0.5).volume(),
      latest: typeof window.svcEmbed, players: window.svc.players.includes(film) };
  });
  assert.ok(seen.time >= 1 && seen.time < 3, `${seen.time}`);
  close(seen.duration, 8);
  assert.deepEqual({ ...seen, time: 0, duration: 0 }, { time: 0, duration: 0, events: ['pause'],
    volume: 0.5, latest: 'undefined', players: true });
  await page.evaluate(() => window.my.film.remove());
  assert.equal(await page.locator('video').count(), 0);
});

embeds('a handle never replaces a global of the page', async (open) => {
  const e1 = `<script src="${stage.svc}/assets/external/E-v1.js" async></script>`;
  const page = await open(`${e1}<script>var taken = 7;</script>` +
    ['location', 'taken', 'fetch', '__proto__.x', 'fine'].map((handle) =>
      `<div class="svc_embed svc_async_l4unchf1lm handle=${handle}" style="height:90px;width:160px">` +
      '&nbsp;</div>').join(''));
  await page.waitForFunction(() => document.querySelectorAll('video').length === 5);
  assert.deepEqual(await page.evaluate(() => [window.taken, typeof fetch, typeof {}.x,
    typeof window.fine.play, location.pathname.endsWith('.html')]),
  [7, 'function', 'undefined', 'function', true]);
});

// The own properties of the window, of all objects that it has from the start, and of prototypes: all that a handle
// could have changed. Accessors are not run.
const kInventory = () => {
  const inventory = new Map();
  const roots = new Set([window, document, document.documentElement, document.body, location, history, navigator]);
  for (let object = window; object; object = Object.getPrototypeOf(object)) {
    for (const name of Object.getOwnPropertyNames(object)) {
      const value = Object.getOwnPropertyDescriptor(object, name).value;
      if (value !== null && /^(object|function)$/.test(typeof value) && name !== 'svc') {
        roots.add(value);
        const { value: prototype } = Object.getOwnPropertyDescriptor(value, 'prototype') || {};
        if (prototype) roots.add(prototype);
      }
    }
  }
  for (const one of [...roots]) if (Object.getPrototypeOf(one)) roots.add(Object.getPrototypeOf(one));
  // The functions of all these objects, because functions have properties, too.
  for (const one of [...roots]) {
    for (const name of Reflect.ownKeys(one)) {
      const { value, get, set } = Object.getOwnPropertyDescriptor(one, name) || {};
      for (const part of [value, get, set]) if (typeof part === 'function') roots.add(part);
    }
  }
  for (const root of roots) inventory.set(root, Object.getOwnPropertyDescriptors(root));
  return inventory;
};
const kDifferences = (before, after) => {
  const differences = [];
  for (const [object, then] of before) {
    const now = after.get(object) || Object.getOwnPropertyDescriptors(object);
    for (const name of new Set([...Reflect.ownKeys(then), ...Reflect.ownKeys(now)])) {
      const [a, b] = [then[name], now[name]];
      if (!a || !b || ['value', 'get', 'set', 'writable', 'enumerable',
        'configurable'].some((key) => !Object.is(a[key], b[key])))
        differences.push(`${object === window ? 'window' : Object.prototype.toString.call(object)}.${String(name)}`);
    }
  }
  return differences;
};
// Contents of a page; the handles below name parts of it.
const kPage = `<form id="aform"><input name="field"></form><img name="picture" alt=""><iframe name="aframe"></iframe>
<p id="words">words</p><script>
  var app = { inner: {}, value: 7, list: [1], run() {}, made: new Date(0), bare: Object.create(null),
    get computed() { window.ran = true; return {}; }, set taken(value) { window.ran = true; },
    frozen: Object.freeze({ x: 1 }), sealed: Object.preventExtensions({}), element: document.body, math: Math };
  Object.defineProperty(app, 'fixed', { value: undefined, enumerable: true });
  Object.defineProperty(app, 'hidden', { get: () => null, configurable: true });
  class Thing {} var thing = new Thing();
  function call() {} var seven = 7, text = 'text', list = [], nothing = null, foreign = window.aframe;
  app.frame = window.aframe;
  window.chrome ||= { app: {} }; // which chromium-headless-shell does not have
</script>`;
const kHostileHandles = [
  'document.body.innerHTML', 'document.title', 'location', 'location.href', 'window.location', 'self.document.title',
  'globalThis.name', 'name', 'status', 'origin', 'length', 'event', 'opener', 'opener.x', 'top', 'top.x', 'parent.x',
  'frames.x', 'window.window.x', 'window.one', 'self.two', 'globalThis.three.four', 'window', 'self', 'onerror',
  'onload', 'onresize', 'fetch', 'alert', 'Array', 'Object', 'Math', 'Math.x', 'JSON.x', 'Reflect.x', 'Intl.x',
  'console.x', 'CSS.x', 'chrome', 'chrome.x', 'navigator.x', 'history.x', 'customElements.x', 'localStorage.x',
  'sessionStorage.x', 'screen.x', 'performance.x', 'WebAssembly.x', 'Array.prototype.x', 'Object.prototype.x',
  'Promise.x', 'undefined', 'NaN', 'Infinity', 'svc', 'svc.players', 'svc.x', 'addEventListener', 'hasOwnProperty',
  'toString', 'toString.x', 'constructor', 'constructor.x', '__proto__', '__proto__.x', '__proto__.__proto__.x',
  'prototype', 'app.__proto__.isAdmin', 'app.__proto__', 'app.constructor.x', 'app.constructor',
  'app.constructor.prototype.x', 'app.inner.__proto__.x', 'app.toString.x', 'app.hasOwnProperty', 'app.valueOf.x',
  'app.__defineGetter__', 'app.bare.__proto__.x', 'app.value', 'app.value.x', 'app.list.x', 'app.list.length',
  'app.list', 'app.run', 'app.run.x', 'app.made.x', 'app.computed', 'app.computed.x', 'app.taken', 'app.taken.x',
  'app.fixed', 'app.hidden', 'app.hidden.x', 'app.frozen.y', 'app.frozen.x', 'app.sealed.x', 'app.element.innerHTML',
  'app.math.x', 'app.inner', 'app.frame.x', 'app.frame.location', 'thing.x', 'thing.constructor.x', 'call', 'call.x',
  'call.prototype.x', 'seven', 'seven.x', 'text.x', 'list.x', 'list', 'foreign.x', 'foreign.location', 'aform',
  'aform.field', 'aform.field.value', 'aform.innerHTML', 'picture', 'picture.src', 'aframe', 'aframe.x',
  'aframe.location', 'words', 'words.innerHTML',
  'body.x.y' + '.z'.repeat(40), 'a..b', '.a', 'a.', '1a', 'a-b', 'a[0]', 'x()', '%', '', ' ', 'a%00', '\\u0061'];

embeds('oembed-O3 a hostile handle in the class attribute has no effect', async (open) => {
  const e1 = `${stage.svc}/assets/external/E-v1.js`;
  const page = await open(kPage);
  // The player's own global and its default handle exist before the inventory.
  await page.addScriptTag({ url: e1 });
  const changed = await page.evaluate(async ([hostile, inventory, differences]) => {
    const take = new Function(`return (${inventory})()`);
    const compare = new Function('a', 'b', `return (${differences})(a, b)`);
    const show = async (words) => {
      const element = document.createElement('div');
      element.className = `svc_embed svc_async_l4unchf1lm ${words}`;
      const shown = new Promise((resolve) => { element.addEventListener('svc:player', resolve, { once: true }); });
      document.body.append(element);
      await shown;
      element.remove();
      await new Promise((resolve) => setTimeout(resolve));
    };
    await show('');
    const objects = [window.app, window.app.inner, window.app.bare, window.app.list, window.app.frozen,
      window.app.sealed,
      window.thing, window.list, window.call, window.foreign, window.aform, document.querySelector('#words')];
    const all = () => {
      const found = take();
      for (const object of objects) found.set(object, Object.getOwnPropertyDescriptors(object));
      return found;
    };
    const result = {};
    for (const handle of hostile) {
      const before = all();
      const markup = [document.title, document.querySelector('#words').outerHTML,
        document.querySelector('form').outerHTML];
      // Both unencoded and encoded.
      await show(`handle=${handle.trim()}`);
      await show(`handle=${encodeURIComponent(handle)}`);
      // Without a handle, or if it cannot be decoded, the default handle is used.
      const found = compare(before, all()).filter((name) => name !== 'window.svcEmbed' || !/^[ %]?$/.test(handle));
      const after = [document.title, document.querySelector('#words').outerHTML,
        document.querySelector('form').outerHTML];
      if (markup.join() !== after.join()) found.push('markup');
      if (window.ran) found.push('an accessor ran');
      if (found.length) result[handle] = found;
    }
    return result;
  }, [kHostileHandles, String(kInventory), String(kDifferences)]);
  assert.deepEqual(changed, {});
  assert.ok(page.url().startsWith(stage.origin));
});

embeds('oembed-O3 a valid handle is assigned, also to an object of the page', async (open) => {
  const code = (handle) => `<div class="svc_embed svc_async_l4unchf1lm${handle && ` handle=${handle}`}" ` +
    'style="height:90px;width:160px">&nbsp;</div>';
  const good = ['', 'free', 'myApp.player', 'my.new.deep.path', 'one.two', 'three.four.five', 'empty',
    'nothing', 'app.bare.player', '$', '_x.$y'];
  const page = await open('<script>var myApp = {}, empty, nothing = null, ' +
    'app = { bare: Object.create(null) };</script>' + good.map(code).join('') + code('free') +
    `<script src="${stage.svc}/assets/external/E-v1.js"></script>`);
  // The player's file comes after the page's load event, or before.
  await page.waitForFunction((count) => window.svc?.players?.length === count, good.length + 1, kPatience);
  const paths = good.map((handle) => handle || 'svcEmbed');
  const kinds = () => page.evaluate((all) => all.map((path) => {
    const found = path.split('.').reduce((place, name) => place[name], window);
    return [typeof found.play, window.svc.players.indexOf(found)];
  }), paths);
  // The second `free` replaced the first.
  assert.deepEqual(await kinds(), good.map((_, index) => ['function', index === 1 ? good.length : index]));
});

embeds('oembed-O3 a response never assigns to names of the browser', async (open) => {
  const page = await open('');
  const names = await page.evaluate(() => {
    const found = [];
    for (let object = window; object; object = Object.getPrototypeOf(object)) {
      found.push(...Object.getOwnPropertyNames(object));
    }
    return found.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name));
  });
  assert.ok(names.length > 1000);
  const handle = async (name) => /\n(\S+) = svc\.playlist\(/.exec(
    await stage.code('embed/playlists', 'pl4yl1st01', { embedType: 'playlist_api', handle: name }))[1];
  const missed = [];
  for (const name of new Set(names)) if (await handle(name) !== 'svcPlaylist') missed.push(name);
  // A later browser may have new names; the player's script checks the real objects.
  assert.ok(missed.length < names.length / 20, missed.join(' '));
  const never = /^(document|location|window|self|globalThis|top|parent|opener|on\w+|__proto__|app\.\w*(__|con))/;
  for (const name of kHostileHandles.filter((each) => never.test(each)))
    assert.equal(await handle(name), 'svcPlaylist', name);
  assert.equal(await handle('myApp.player'), 'myApp.player');
});

// Evaluation by Playwright counts as a gesture of the user, after which sound is allowed. So nothing is evaluated
// before the player has called play(), after which it loads segments.
async function afterPlay(page) {
  const segment = /\.(m4s|ts)$/;
  if (!page.asked.some((url) => segment.test(url))) await page.waitForRequest(segment);
}

embeds('plays muted if the browser forbids sound, unless an option forbids that', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm',
    { embedType: 'async', autoPlay: 'true' }));
  await afterPlay(page);
  await playsPast(page, 0.5);
  assert.equal(await page.evaluate(() => document.querySelector('video').muted), true);
  const strict = await open(await stage.code('medias', 'l4unchf1lm',
    { embedType: 'async', autoPlay: 'true', silentAutoPlay: 'false' }));
  await afterPlay(strict);
  await strict.locator('[data-svc-controls]').waitFor({ state: 'attached' });
  await strict.getByRole('button', { name: 'Play', exact: true }).waitFor();
  assert.equal(await paused(strict), true);
});

embeds('videoFoam: responsive, fills the available width, in the ratio of the video', async (open) => {
  const code = await stage.code('medias', 'cinema2391',
    { embedType: 'async', videoFoam: 'true', ...kSilent });
  const page = await open(code, { width: 1000 });
  await playsPast(page);
  for (const [width, name] of [[1000, 'wide'], [340, 'narrow']]) {
    await page.setViewportSize({ width, height: 700 });
    const size = await box(page, 'video');
    close(size.width, width - 16);
    close(size.height, ((width - 16) * 804) / 1920);
    await stage.shot(page, `responsive-${name}`);
  }
});

embeds('a fixed size is reduced to a narrow page', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async' }),
    { width: 340 });
  await page.locator('video').waitFor();
  const { width, height } = await box(page, 'video');
  close(width, 324);
  close(height, 324 * 9 / 16);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

embeds('codes may be added later, added twice, and removed', async (open) => {
  const code = await stage.code('medias', 'l4unchf1lm', { embedType: 'async' });
  const page = await open(code + code);
  await page.waitForFunction(() => document.querySelectorAll('video').length === 2);
  await page.evaluate(() => {
    const late = document.createElement('section');
    late.innerHTML = '<div><div class="svc_embed svc_async_sm4ll480px" style="height:90px;width:160px">';
    document.body.append(late);
  });
  await page.waitForFunction(() => document.querySelectorAll('video').length === 3);
  assert.equal(await page.evaluate(() => window.svc.players.length), 3);
  await page.evaluate(() => {
    const late = document.querySelector('section');
    late.remove();
    requestAnimationFrame(() => requestAnimationFrame(() => document.body.append(late)));
  });
  await page.waitForFunction(() => document.querySelectorAll('video').length === 3);
  assert.equal(await page.evaluate(() => window.svc.players.length), 3);
});

embeds('plays under a strict policy of the page', async (open) => {
  const s = stage.svc;
  const page = await open(
    `<script src="${s}/assets/external/E-v1.js"></script>` +
    '<div class="svc_embed svc_async_l4unchf1lm autoPlay=true muted=true"></div>' +
    '<span class="svc_embed svc_async_sm4ll480px popover=true"></span>',
    { policy: `default-src 'none'; script-src ${s}; connect-src ${s}; media-src ${s} blob:; ` +
      `img-src ${s}; style-src 'none'` });
  await playsPast(page);
  await page.getByRole('button', { name: 'Play A small film' }).waitFor({ state: 'attached' });
});

embeds('a hostile title is escaped', async (open) => {
  const page = await open(await stage.code('medias', 'xss0title1', { embedType: 'async_popover' }));
  const opener = page.getByRole('button');
  await opener.waitFor();
  const label = await opener.getAttribute('aria-label');
  assert.ok(label.startsWith('Play "><script>alert('), label);
  await opener.click();
  assert.equal(await page.locator('dialog').getAttribute('aria-label'), label.slice(5));
});

// All these values must be ignored, and the video must play.
const kHostile = {
  '"><script>alert(1)</script>': {}, 'javascript:alert(1)': {}, 'red;background:url(//evil.example/)': {},
  ['__proto__']: {}, ['9'.repeat(400)]: { ends: true }, '-1': {}, '1e999': {}, 'NaN': {},
};
for (const [value, { ends }] of Object.entries(kHostile)) {
  embeds(`hostile options are ignored: ${value.slice(0, 24)}`, async (open) => {
    const hostile = Object.fromEntries(['playerColor', 'stillUrl', 'time', 'volume', 'preload', 'endVideoBehavior',
      'popoverContent', 'theme', 'plugin[a][b]', 'videoOptions[volume]'].map((name) => [name, value]));
    await Promise.all(['iframe', 'async'].map(async (embedType) => {
      const page = await open(await stage.code('medias', 'sm4ll480px', { embedType, ...hostile, ...kSilent }));
      const place = embedType === 'iframe'
        ? await (await page.waitForSelector('iframe')).contentFrame() : page;
      await place.waitForSelector('video[title="A small film"]');
      if (ends) await place.waitForFunction(() => document.querySelector('video').currentTime > 4);
      else await playsPast(place, 0.3);
      const seen = await place.evaluate(() => [document.querySelectorAll('script:not([src])').length, {}.x,
        document.querySelector('video').poster.includes('/deliveries/')]);
      assert.deepEqual(seen, [0, undefined, true]);
    }));
  });
}

// ---- popover -----------------------------------------------------------------------------------

embeds('popover: a button opens a dialog, and Esc returns the focus', async (open) => {
  const page = await open('<a href="#">before</a> ' +
    await stage.code('medias', 'l4unchf1lm', { embedType: 'async_popover' }) + ' <a href="#">after</a>');
  const opener = page.getByRole('button', { name: 'Play Launch film' });
  await opener.waitFor();
  const { width, height } = await opener.boundingBox();
  close(width, 150);
  close(height, 100);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.equal(await opener.evaluate((b) => b === document.activeElement), true);
  await page.waitForLoadState('networkidle');
  await stage.shot(page, 'popover-closed-focused');
  await page.evaluate(() => { document.body.style.minHeight = '3000px'; });
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Launch film' });
  await dialog.waitFor();
  await playsPast(page);
  assert.equal(await page.evaluate(() => document.querySelector('video').muted), false);
  await stage.shot(page, 'popover-open-wide');
  // The page below does not scroll.
  assert.equal(await scrolledByWheel(page), 0);
  // Repeated Tab keeps the focus inside.
  for (let i = 0; i < 12; i++) await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => {
    const at = document.activeElement;
    return at === document.body || Boolean(at.closest('dialog'));
  }), true);
  const playing = await page.evaluateHandle(() => document.querySelector('video'));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await opener.evaluate((b) => b === document.activeElement), true);
  assert.equal(await playing.evaluate((video) => video.paused), true);
  assert.equal(await page.evaluate(() => window.svc.players.length), 0);
  await page.mouse.wheel(0, 800);
  await page.waitForFunction(() => window.scrollY > 0);
  await page.evaluate(() => window.scrollTo(0, 0));

  await page.setViewportSize({ width: 340, height: 640 });
  await opener.click();
  await playsPast(page, 0.5);
  await stage.shot(page, 'popover-open-narrow');
  await page.getByRole('button', { name: 'Close video' }).click();
  await dialog.waitFor({ state: 'detached' });
});

embeds('async with popover=true and a size: the thumbnail has that size', async (open) => {
  const page = await open(await stage.code('medias', 'p0rtrait99',
    { embedType: 'async', popover: 'true', width: '180' }));
  const opener = page.getByRole('button', { name: 'Play Portrait, 9:16' });
  await opener.waitFor();
  const { width, height } = await opener.boundingBox();
  close(width, 180);
  close(height, 320);
  await opener.click();
  await playsPast(page, 0.5);
  const video = await box(page, 'dialog video');
  assert.ok(video.height <= 700 && video.y >= 0, JSON.stringify(video));
});

// ---- playlists ---------------------------------------------------------------------------------

embeds('playlist_api has its object immediately, shows a list, and plays the next video', async (open) => {
  const page = await open(await stage.code('embed/playlists', 'pl4yl1st01',
    { embedType: 'playlist_api', handle: 'myList', ...kSilent }) +
    '<script>myList.bind("pause", () => { window.heard = true; }); window.early = typeof myList.play;' +
    '</script>');
  assert.equal(await page.evaluate(() => window.early), 'function');
  await playsPast(page);
  const list = page.getByRole('list', { name: 'The launch films' });
  const current = () => list.locator('[aria-current=true]').innerText();
  assert.match(await current(), /Launch film/);
  await stage.shot(page, 'playlist-wide');
  await page.evaluate(() => { window.myList.time(7.5); });
  await page.waitForFunction(() =>
    /Cinemascope/.test(document.querySelector('[aria-current=true]').textContent));
  await playsPast(page, 0.5);
  assert.equal(await page.evaluate(() => document.querySelector('video').videoHeight * 1920 >
    800 * document.querySelector('video').videoWidth), true);
  await list.getByRole('button').first().focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  assert.match(await current(), /Portrait/);
  await playsPast(page, 0.5);
  await page.evaluate(() => window.myList.pause());
  await page.waitForFunction(() => window.heard);
  await page.setViewportSize({ width: 340, height: 640 });
  await page.waitForTimeout(200);
  // The list is below the video, which keeps its ratio and has the full width.
  const video = await box(page, 'video');
  const under = await list.boundingBox();
  close(video.width, 324);
  close(video.height, (324 * 9) / 16);
  close(under.y, video.y + video.height);
  assert.ok(under.height > 100, `${under.height}`);
  await stage.shot(page, 'playlist-narrow');
});

embeds('playlist_api loops with playlistLoop', async (open) => {
  const page = await open(await stage.code('embed/playlists', 'pl4yl1st01',
    { embedType: 'playlist_api', playlistLoop: 'true', ...kSilent }));
  await playsPast(page, 0.3);
  await page.evaluate(() => window.svcPlaylist.next().next());
  await page.waitForFunction(() =>
    /Portrait/.test(document.querySelector('[aria-current=true]').textContent));
  await playsPast(page, 0.3);
  await page.evaluate(() => window.svcPlaylist.time(7.6));
  await page.waitForFunction(() =>
    /Launch film/.test(document.querySelector('[aria-current=true]').textContent));
});

embeds('playlist_popover opens the list', async (open) => {
  const page = await open(await stage.code('embed/playlists', 'pl4yl1st01',
    { embedType: 'playlist_popover' }));
  await page.getByRole('button', { name: 'Play The launch films' }).click();
  await playsPast(page);
  assert.equal(await page.getByRole('dialog').getByRole('listitem').count(), 3);
  await stage.shot(page, 'playlist-popover');
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
});

// ---- iframes -----------------------------------------------------------------------------------

embeds('iframe plays, with the options of its address', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm', { ...kSilent, time: '1' }));
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  await playsPast(frame);
  assert.equal(await frame.locator('video').count(), 1);
  await stage.shot(page, 'iframe-wide');
});

embeds('responsive iframe', async (open) => {
  const page = await open(await stage.code('medias', 'p0rtrait99', { ...kSilent, videoFoam: 'true' }),
    { width: 360 });
  await playsPast(await (await page.waitForSelector('iframe')).contentFrame(), 0.5);
  const { width, height } = await box(page, 'iframe');
  close(width, 344);
  close(height, (344 * 16) / 9);
});

embeds('playlist_iframe', async (open) => {
  const page = await open(await stage.code('embed/playlists', 'pl4yl1st01',
    { embedType: 'playlist_iframe', ...kSilent }));
  const frame = await (await page.waitForSelector('iframe')).contentFrame();
  await playsPast(frame);
  assert.equal(await frame.getByRole('listitem').count(), 3);
  await stage.shot(page, 'playlist-iframe');
});

// ---- errors --------------------------------------------------------------------------------------

embeds('an unknown id and a media without a video are reported', async (open) => {
  const e1 = `<script src="${stage.svc}/assets/external/E-v1.js" async></script>`;
  const of = (id, more, size) => `${e1}<div class="svc_embed svc_async_${id}${more}" ` +
    `style="height:${size[1]}px;width:${size[0]}px">&nbsp;</div><br>`;
  const page = await open(of('n0b0dyh4s1t', '', [640, 120]) + of('aud10only1', '', [640, 120]) +
    of('n0b0dyh4s1t', ' popover=true', [150, 100]) +
    of('pl4ynov1d0', '', [640, 100]).replace('svc_async', 'svc_playlist'));
  await page.waitForFunction(() => document.querySelectorAll('[role=status]').length === 4);
  const said = await page.locator('[role=status]').allInnerTexts();
  assert.deepEqual(said.map((text) => text.split('\n')[0]),
    ['No such video', 'Nothing to play here', 'No such video', 'Nothing to play here']);
  await stage.shot(page, 'problems');
});

embeds('an unavailable service is reported, and requested again by the next code', async (open) => {
  const page = await open('<p>');
  await page.route('**/embed/medias/*.json', (route) => route.fulfill({ status: 503,
    headers: { 'access-control-allow-origin': '*' } }), { times: 1 });
  const code = (await stage.code('medias', 'l4unchf1lm', { embedType: 'async' }))
    .replace(/<script.*?<\/script>/, '');
  const add = () => page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), code);
  await add();
  await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
  await page.getByText('Not available just now').waitFor();
  await add();
  await page.locator('video[aria-label="Launch film"]').waitFor();
});

// What browsers do that play no HLS by themselves.
const kNoHls = '<script>HTMLVideoElement.prototype.canPlayType = () => "";</script>';

embeds('a browser without any playable format shows a message with a link', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async', ...kSilent }),
    { before: `${kNoHls}<script>delete window.MediaSource; delete window.ManagedMediaSource;</script>` });
  const link = page.getByRole('link', { name: 'Watch Launch film' });
  await link.waitFor();
  assert.equal(await link.getAttribute('href'), `${stage.svc}/medias/l4unchf1lm`);
  assert.equal(await link.getAttribute('target'), '_blank');
  assert.equal(await page.locator('[role=status] img').count(), 1);
  assert.equal(page.asked.some((url) => /hls-|m3u8/.test(url)), false);
  await stage.shot(page, 'no-hls');
});

embeds('a browser without HLS plays by hls.js, also from one video to the next', async (open) => {
  const page = await open('<p>', { before: kNoHls });
  await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
    (await stage.code('embed/playlists', 'pl4yl1st01', { embedType: 'playlist_popover' }))
      .replace(/<script.*?<\/script>/, '').replace('popover=true', 'autoPlay=true muted=true'));
  await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
  await playsPast(page);
  assert.match(await page.evaluate(() => document.querySelector('video').src), /^blob:/);
  assert.deepEqual(await page.evaluate(() => [typeof window.Hls, typeof window.svc.provide]),
    ['undefined', 'function']);
  await page.evaluate(() => window.svc.players[0].next());
  await page.waitForFunction(() => document.querySelector('video').title.startsWith('Cinema'));
  await playsPast(page);
});

embeds('without HLS a file still plays', async (open) => {
  const page = await open(await stage.code('medias', 'mp4only001', { embedType: 'async', ...kSilent }),
    { before: kNoHls });
  await playsPast(page);
});

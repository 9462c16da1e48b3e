// The player in pages that others build: policies with Trusted Types, and codes that leave the page.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { launchFirefox } = require('./browsers.js');
const { until } = require('./patience.js');
const { cue, kPatience, playsPast, scrolledByWheel, Stage, toSecond, withPages } = require('./stage.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

const kSilent = { autoPlay: 'true', muted: 'true' };
const async = (id, parameters) => stage.code('medias', id, { embedType: 'async', ...parameters });
const popover = (id, parameters) => stage.code('medias', id, { embedType: 'async_popover', ...parameters });

const plays = withPages(stage);

// ---- Trusted Types ----------------------------------------------------------------------------------

const kTrusted = [['without a list of policies', ''], ['with a list', '; trusted-types page'],
  ['without any policy', "; trusted-types 'none'"]];
// A dialog, captions that hls.js parses, and a description, which the policy reports but leaves.
const trustedPage = async () => `<script src="${stage.svc}/assets/external/E-v1.js" async></script>` +
  '<div class="svc_embed svc_async_p0rtrait99 autoPlay=true muted=true seo=true"></div>' +
  '<span class="svc_embed svc_async_l4unchf1lm popover=true muted=true"></span>';
const description = () => JSON.parse(document.querySelector('[type="application/ld+json"]').textContent).embedUrl;

for (const [what, list] of kTrusted) {
  for (const scripts of ['', "; script-src 'nonce-cjRuZDBt' 'strict-dynamic'"]) {
    test(`pages-W45 the player plays under Trusted Types ${what}${scripts && ', with a nonce'}`, async () => {
      const page = await stage.show((await trustedPage()).replace('<script', '<script nonce="cjRuZDBt"'),
        { policy: `require-trusted-types-for 'script'${list}${scripts}` });
      await playsPast(page, 0.5);
      assert.match(await page.evaluate(description), /p0rtrait99/);
      await page.locator('[data-svc-player]').hover();
      await page.locator('[data-svc-controls] .play').click();
      await page.getByRole('button', { name: 'Play Launch film' }).click();
      await page.waitForFunction(() => document.querySelector('dialog video').currentTime > 0.5);
      assert.deepEqual(page.problems.filter((each) => !/HTMLScriptElement text|inline script/i.test(each)), []);
      await page.context().close();
    });
  }
}

test('pages-W45 Firefox: the player plays under Trusted Types without any policy', async () => {
  const firefox = await launchFirefox();
  try {
    const page = await firefox.newPage();
    await page.goto(stage.page((await trustedPage()).replace('<script', '<script nonce="cjRuZDBt"'),
      { policy: "require-trusted-types-for 'script'; trusted-types 'none'; script-src 'nonce-cjRuZDBt'" }));
    await page.waitForFunction(() => document.querySelector('video')?.currentTime > 0.5, kPatience);
    assert.match(await page.evaluate(description), /p0rtrait99/);
  } finally {
    await firefox.close();
  }
});

// ---- codes that leave the page ----------------------------------------------------------------------

// Counts the player's objects that outlive its elements in a page: listeners of the window and the document, timers.
const kCounted = `<script>
  window.heard = new Set();
  for (const target of [window, document]) {
    const { addEventListener, removeEventListener } = target;
    target.addEventListener = (name, run, options) => {
      const one = { name, run };
      if (new Error().stack.includes('/assets/external/')) window.heard.add(one);
      options?.signal?.addEventListener('abort', () => window.heard.delete(one));
      return addEventListener.call(target, name, run, options);
    };
    target.removeEventListener = (name, run, options) => {
      for (const each of window.heard) if (each.name === name && each.run === run) window.heard.delete(each);
      return removeEventListener.call(target, name, run, options);
    };
  }
  window.timers = new Set();
  const { setTimeout, clearTimeout } = window;
  window.setTimeout = (run, time, ...more) => {
    const id = setTimeout(() => { window.timers.delete(id); run(...more); }, time);
    window.timers.add(id);
    return id;
  };
  window.clearTimeout = (id) => { window.timers.delete(id); clearTimeout(id); };
</script>`;
const left = () => ({ dialogs: document.querySelectorAll('dialog').length,
  style: document.documentElement.getAttribute('style') || '', players: window.svc.players.length,
  timers: window.timers.size, heard: [...window.heard].map(({ name }) => name).sort() });
const kHeardAlways = ['message'];

const kLeaves = {
  'its container is removed': () => document.querySelector('#container').remove(),
  'its container is emptied': () => document.querySelector('#container').replaceChildren(),
  'the body is replaced': () => {
    const body = document.createElement('body');
    body.innerHTML = '<div style="height:3000px">the next page</div>';
    document.body.replaceWith(body);
  },
  'the content of the body is replaced': () => { document.body.innerHTML = '<div style="height:3000px">next</div>'; },
  'the whole document is replaced': () => {
    const root = document.createElement('html');
    root.innerHTML = '<head></head><body><div style="height:3000px">the next page</div></body>';
    document.documentElement.replaceWith(root);
  },
  'only the dialog is removed': () => document.querySelector('dialog').remove(),
  'the page calls remove()': () => window.svc.players.find(({ box }) => box.closest('dialog')).remove(),
};
for (const [what, leave] of Object.entries(kLeaves)) {
  for (const loading of [false, true]) {
    plays(`pages-W46 an open popover ends when ${what}${loading ? ', while it loads' : ''}`, async (open) => {
      const page = await open(`<div style="height:3000px"><div id="container">${await popover('l4unchf1lm',
        { muted: 'true' })}</div></div>`, { before: kCounted });
      if (loading) await page.route(/m3u8|m4s/, () => {}); // which are never answered
      const media = page.waitForRequest(/m3u8/);
      await page.getByRole('button', { name: 'Play Launch film' }).click();
      if (loading) await media;
      else await playsPast(page, 0.5);
      await page.evaluate(() => { window.video = document.querySelector('dialog video'); });
      await page.evaluate(leave);
      await page.waitForFunction(() => !document.querySelector('dialog') && !window.svc.players.length);
      const after = await page.evaluate(left);
      assert.deepEqual({ ...after, heard: after.heard.filter((name) => !kHeardAlways.includes(name)) },
        { dialogs: 0, style: '', players: 0, timers: 0, heard: [] });
      assert.deepEqual(await page.evaluate(() => [window.video.paused, window.video.currentSrc !== '' &&
        window.video.hasAttribute('src')]), [true, false]);
      await page.mouse.move(450, 350);
      assert.ok(await scrolledByWheel(page) > 0);
      assert.notEqual(await page.evaluate(() => document.activeElement), null);
    });
  }
}

// The objects that are left in the memory of a page, by their names; `nodes`: of all documents.
async function inMemory(page, types) {
  const cdp = await page.context().newCDPSession(page);
  const found = {};
  await cdp.send('HeapProfiler.collectGarbage');
  for (const type of types) {
    const { result } = await cdp.send('Runtime.evaluate', { expression: `${type}.prototype` });
    const { objects } = await cdp.send('Runtime.queryObjects', { prototypeObjectId: result.objectId });
    const count = await cdp.send('Runtime.callFunctionOn', { objectId: objects.objectId, returnByValue: true,
      functionDeclaration: 'function () { return this.length; }' });
    found[type] = count.result.value;
    await cdp.send('Runtime.releaseObject', { objectId: objects.objectId });
  }
  await cdp.send('HeapProfiler.collectGarbage');
  found.nodes = (await cdp.send('Memory.getDOMCounters')).nodes;
  await cdp.detach();
  return found;
}

for (const [what, id, text] of [['side captions', 'l4unchf1lm', 'Second 2'], ['segmented captions', 'p0rtrait99', 'Second 2']]) {
  plays(`pages-W151 a code that leaves while ${what} show leaves nothing in memory`, async (open) => {
    const page = await open('<p id="place"></p>');
    await page.evaluate((url) => import(url), `${stage.svc}/assets/external/E-v1.js`);
    const html = (await async(id, { ...kSilent, width: '400' })).replace(/<script.*?<\/script>/g, '');
    const comeAndGo = async (shows) => {
      await page.evaluate((code) => { document.querySelector('#place').innerHTML = code; }, html);
      await playsPast(page, 0.3);
      if (shows) {
        await page.evaluate(() => {
          const { captions } = window.svcEmbed;
          if (captions.chosen) captions.choose(null); // as it was remembered
          captions.toggle();
        });
        await page.evaluate(toSecond, 2.4);
        await page.waitForFunction(cue, text, kPatience);
      }
      await page.evaluate(() => { document.querySelector('#place').replaceChildren(); });
      await page.waitForFunction(() => !window.svc.players.length);
      await page.evaluate(() => { window.svcEmbed = null; }); // the page's own name for the last player
    };
    await comeAndGo(false); // creates the page's permanent objects
    const before = await inMemory(page, ['HTMLVideoElement', 'TextTrack', 'VTTCue']);
    for (let i = 0; i < 2; i++) await comeAndGo(true);
    // A collection may leave something for the next one.
    let after;
    await until(async () => {
      after = await inMemory(page, ['HTMLVideoElement', 'TextTrack', 'VTTCue']);
      return after.HTMLVideoElement === 0 && after.nodes <= before.nodes + 10;
    }, 'nothing is left').catch((error) => { throw new Error(`${error.message}: ${JSON.stringify({ before, after })}`); });
    assert.deepEqual({ ...after, nodes: 0 }, { ...before, HTMLVideoElement: 0, TextTrack: 0, nodes: 0 }); // hls.js has a cue of its own
  });
}

plays('pages-W46 a code that leaves while the service does not answer asks no more', async (open) => {
  const page = await open('<p>', { before: kCounted });
  await page.route('**/embed/medias/*.json', (route) => route.abort());
  await page.evaluate((html) => { document.body.innerHTML = `<div id="container">${html}</div>`; },
    (await async('l4unchf1lm') + await popover('sm4ll480px')).replace(/<script.*?<\/script>/g, ''));
  await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
  await page.waitForFunction(() => document.querySelectorAll('[role=status]').length === 2);
  await page.evaluate(() => {
    window.container = document.querySelector('#container');
    window.container.remove();
  });
  await page.waitForFunction(() => !window.svc.players.length && !window.timers.size);
  assert.deepEqual((await page.evaluate(left)).heard.filter((name) => !kHeardAlways.includes(name)), []);
  // Both come back, and play.
  await page.unroute('**/embed/medias/*.json');
  await page.evaluate(() => document.body.append(window.container));
  await page.getByRole('button', { name: 'Play Launch film' }).waitFor();
  await page.getByRole('button', { name: 'Play A small film' }).click();
  await page.waitForFunction(() => document.querySelector('dialog video').currentTime > 0.2);
});

plays('pages-W46 a code that comes back opens one dialog, and describes its video once', async (open) => {
  const page = await open((await popover('l4unchf1lm', { popoverContent: 'link', muted: 'true', seo: 'true' }))
    .replace('&nbsp;', '<a href="#there">Watch this</a>'));
  await page.waitForSelector('[aria-haspopup]');
  const described = () => page.evaluate(() => document.querySelectorAll('[type="application/ld+json"]').length);
  await page.evaluate(() => {
    window.code = document.querySelector('.svc_embed');
    window.code.remove();
  });
  await page.waitForFunction(() => !document.querySelector('[type="application/ld+json"]'));
  await page.evaluate(() => document.body.append(window.code));
  await page.waitForSelector('[type="application/ld+json"]', { state: 'attached' });
  await page.getByRole('link', { name: 'Watch this' }).click();
  await playsPast(page, 0.2);
  assert.equal(await page.locator('dialog').count(), 1);
  assert.equal(await described(), 1);
});

test('pages-W46 two open dialogs lock the page until both have ended', async () => {
  const page = await stage.show(`<div style="height:3000px"><div id="container">${
    await popover('l4unchf1lm', { muted: 'true' })}${await popover('sm4ll480px', { muted: 'true' })}</div></div>`);
  await page.waitForFunction(() => document.querySelectorAll('[aria-haspopup]').length === 2);
  await page.evaluate(() => document.querySelectorAll('[aria-haspopup]').forEach((each) => each.click()));
  await page.waitForFunction(() => document.querySelectorAll('dialog').length === 2);
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => document.querySelectorAll('dialog').length === 1);
  await page.mouse.move(450, 350);
  assert.equal(await scrolledByWheel(page), 0);
  await page.evaluate(() => document.querySelector('#container').remove());
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.ok(await scrolledByWheel(page) > 0);
});

// As Turbo does: a copy of the body is kept while the next page is shown, and comes back with the history.
plays('pages-W46 the copy of a page with an open popover has no dead dialog, and opens a new one', async (open) => {
  const page = await open(`<div style="height:3000px">${await popover('l4unchf1lm', { muted: 'true' })}</div>`);
  await page.getByRole('button', { name: 'Play Launch film' }).click();
  await playsPast(page, 0.5);
  await page.evaluate(() => {
    window.kept = document.body.cloneNode(true);
    document.body.replaceWith(document.createElement('body'));
  });
  await page.waitForFunction(() => !window.svc.players.length);
  await page.evaluate(() => document.body.replaceWith(window.kept));
  const opener = page.getByRole('button', { name: 'Play Launch film' });
  await opener.waitFor();
  assert.equal(await page.locator('dialog').count(), 0);
  await page.mouse.move(450, 350);
  assert.ok(await scrolledByWheel(page) > 0);
  await opener.click();
  await playsPast(page, 0.2);
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Play Launch film');
});

plays('pages-W46 a code that is moved in one step plays on, inline and in a dialog', async (open) => {
  const move = () => {
    const element = document.querySelector('.svc_embed');
    document.querySelector('#there').append(element);
  };
  for (const code of [await async('l4unchf1lm', kSilent), await popover('l4unchf1lm', { muted: 'true' })]) {
    const page = await open(`${code}<div id="there"></div>`);
    if (code.includes('popover')) await page.getByRole('button', { name: 'Play Launch film' }).click();
    await playsPast(page, 0.5);
    const at = await page.evaluate(() => document.querySelector('video').currentTime);
    await page.evaluate(move);
    await playsPast(page, at + 1);
    assert.equal(await page.evaluate(() => window.svc.players.length), 1);
  }
});

// Addresses of files that end while a page is open (pages-W150), in Chromium, and the first in Firefox. A server between the
// browser and the service puts a term into each file's address, as the service does for films that only some viewers may
// watch, and refuses the addresses of a term that is over.
'use strict';

const assert = require('node:assert/strict');
const http = require('node:http');
const { after, before, test } = require('node:test');
const { boxOf, close, inBrowsers, open, picture, stage, until } = require('./both.js');
const { cue, toSecond } = require('./stage.js');

before(open);
after(close);

const kSilent = { autoPlay: 'true', muted: 'true' };
const kOnlyNative = '<script>delete window.MediaSource; delete window.ManagedMediaSource;</script>';
// scripts/serve has the files of films in another folder than the service of e2e/.
const kAddress = /\/signed-files\/x\/(deliveries|files)\/(\d+)\/(\w+)\/0\//;
const kVideo = "document.querySelector('video')";

// Starts that server, for one test. `end()` begins the next term; `on(path)` is told each file before it is sent. `refused`
// has the paths of refused requests, `facts` the number of requests of the facts.
async function ending(run) {
  let term = 1;
  const notes = { refused: [], facts: 0, posters: 0, on: () => {} };
  const server = http.createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, there);
    const cors = { 'access-control-allow-origin': '*' };
    const [, , signed] = kAddress.exec(pathname) || [];
    const isManifest = pathname.endsWith('.m3u8') && pathname.startsWith('/embed/');
    if (signed || isManifest) notes.on(pathname);
    if ((signed || (isManifest && searchParams.get('watch'))) && Number(signed || searchParams.get('watch')) !== term) {
      if (request.method === 'GET') notes.refused.push(pathname);
      response.writeHead(403, { ...cors, 'cache-control': 'no-store' }).end();
      return;
    }
    const path = pathname.replace(kAddress, '/$1/$3/').replace(/\/[ab]\.jpg$/, '/poster.jpg');
    if (pathname.endsWith('poster.jpg')) notes.posters++;
    if (path.endsWith('/story.vtt')) {
      response.writeHead(200, { ...cors, 'content-type': 'text/vtt' })
        .end('WEBVTT\n\n00:00.000 --> 00:04.000\na.jpg#xywh=0,0,160,90\n\n00:04.000 --> 00:10.000\nb.jpg#xywh=0,0,160,90\n');
      return;
    }
    const { range } = request.headers;
    const found = await fetch(stage.svc + path, { headers: { ...(range && { range }), 'accept-encoding': 'identity' } });
    const headers = Object.fromEntries([...found.headers]
      .filter(([name]) => !/^(connection|content-length|keep-alive|transfer-encoding|cache-control)$/.test(name)));
    let bytes = Buffer.from(await found.arrayBuffer());
    const type = found.headers.get('content-type');
    if (/html|json|javascript/.test(type) || isManifest) {
      let text = bytes.toString().replaceAll(stage.svc, there);
      if (isManifest || /^\/embed\/\w+\/\w+\.json/.test(path)) {
        text = text.replace(/\/(deliveries|files)\/(\w+)\//g, `/signed-files/x/$1/${term}/$2/0/`)
          .replace(/(\/embed\/medias\/\w+\.m3u8)/g, `$1?watch=${term}`);
      }
      if (/^\/embed\/medias\/\w+\.json/.test(path)) {
        notes.facts++;
        const facts = JSON.parse(text);
        text = JSON.stringify({ ...facts, storyboard: new URL('story.vtt', facts.poster).href });
      }
      bytes = Buffer.from(text);
    }
    // Nothing is kept: each use of an address is a request.
    response.writeHead(found.status, { ...headers, 'cache-control': /assets/.test(path) ? 'max-age=60' : 'no-store' }).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const there = `http://127.0.0.1:${server.address().port}`;
  notes.end = () => { term++; };
  notes.code = async (kind, id, parameters) => (await stage.code(kind, id, { embedType: 'async', width: '640', ...parameters }))
    .replaceAll(stage.svc, there);
  try {
    await run(notes);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const plays = (page, second) => until(page, `(() => { const v = ${kVideo}; return v && v.currentTime > ${second} && v.videoWidth > 0; })()`);
const ready = (page) => until(page, "document.querySelector('[data-svc-player] button')?.getAttribute('aria-label')?.startsWith('Play ')");
const calm = (page) => page.evaluate(() => [...document.querySelectorAll('[role=status]')].map(({ textContent }) => textContent));

test('pages-W150 addresses that end while a film plays: hls.js continues with new ones, and the picture never stops', async () => {
  await inBrowsers((openPage) => ending(async (notes) => {
    const page = await openPage(await notes.code('medias', 'l4unchf1lm', { width: '320' }));
    await ready(page);
    // Once the second segment is sent.
    notes.on = (path) => {
      if (!path.endsWith('/1.m4s')) return;
      notes.on = () => {};
      setImmediate(notes.end);
    };
    await page.evaluate(() => {
      const video = document.querySelector('video');
      window.stops = [];
      for (const name of ['emptied', 'waiting', 'error']) video.addEventListener(name, () => window.stops.push([name, video.currentTime]));
      video.muted = true;
      window.svcEmbed.play();
    });
    await plays(page, 7);
    assert.equal(notes.facts, 2);
    assert.ok(notes.refused.length >= 1 && notes.refused.length <= 2, String(notes.refused));
    assert.deepEqual(await page.evaluate(() => window.stops.filter(([name, at]) => name !== 'waiting' && at > 0)), []);
    assert.deepEqual(await calm(page), []);
  }))();
});

for (const [what, id, before] of [['hls.js', 'l4unchf1lm', ''], ['native HLS', 'l4unchf1lm', kOnlyNative], ['a file', 'mp4only001', '']]) {
  test(`pages-W150 addresses that end before play: ${what} plays with new ones`, async () => {
    await inBrowsers((openPage) => ending(async (notes) => {
      const page = await openPage(await notes.code('medias', id), { before });
      await ready(page);
      notes.end();
      await page.evaluate(() => {
        window.svcEmbed.mute();
        window.svcEmbed.play();
      });
      await plays(page, 1);
      assert.equal(notes.facts, 2);
      assert.deepEqual(await calm(page), []);
    }), what === 'native HLS' ? ['Chromium'] : undefined)();
  });

  test(`pages-W150 addresses that end while the film is paused: ${what} plays on where it was`, async () => {
    await inBrowsers((openPage) => ending(async (notes) => {
      const page = await openPage(await notes.code('medias', id, kSilent), { before });
      await plays(page, 1);
      await page.evaluate(() => { window.svcEmbed.pause(); });
      notes.end();
      // The player releases all it has loaded, as after a long pause.
      await page.evaluate(() => {
        window.svcEmbed.unload();
        window.svcEmbed.from = 5;
        window.svcEmbed.play();
      });
      await plays(page, 5.5);
      // A browser may have a whole file still.
      assert.ok(notes.facts === 2 || (what === 'a file' && !notes.refused.length), String(notes.facts));
      assert.deepEqual(await calm(page), []);
    }), what === 'native HLS' ? ['Chromium'] : undefined)();
  });
}

test('pages-W150 captions that are chosen after their address has ended show their words', async () => {
  await inBrowsers((openPage) => ending(async (notes) => {
    const page = await openPage(await notes.code('medias', 'l4unchf1lm', kSilent));
    await plays(page, 0.5);
    notes.end();
    await page.evaluate(() => { window.svcEmbed.captions.toggle(); });
    await page.evaluate(toSecond, 2.4);
    await until(page, (expected) => page.evaluate(cue, expected), 'Second 2');
    assert.deepEqual([notes.facts, await calm(page)], [2, []]);
  }))();
});

test('pages-W150 previews of the bar come after their address has ended, also their images', async () => {
  for (const images of [false, true]) {
    await inBrowsers((openPage) => ending(async (notes) => {
      const page = await openPage(await notes.code('medias', 'l4unchf1lm', { ...kSilent, controlsVisibleOnLoad: 'true' }));
      await plays(page, 0.5);
      const { x, y, width } = await boxOf(page, '.seek');
      const shows = (name) => until(page, `(() => {
        const each = document.querySelector('[data-svc-controls]').shadowRoot.querySelector('.picture');
        return !each.hidden && each.style.background.includes('${name}.jpg');
      })()`);
      if (images) {
        await page.mouse.move(x + 0.2 * width, y + 3);
        await shows('a');
      }
      notes.end();
      await page.mouse.move(x + 0.8 * width, y + 3);
      await shows('b');
      assert.deepEqual(notes.facts, 2);
    }))();
  }
});

test('pages-W150 a poster whose address has ended is shown, also in a thumbnail, and asked for once otherwise', async () => {
  await inBrowsers((openPage) => ending(async (notes) => {
    const below = '<div style="height:4000px"></div>';
    const page = await openPage(below + await notes.code('medias', 'l4unchf1lm'));
    await ready(page);
    await page.evaluate(() => scrollTo(0, 5000));
    const whole = await picture(page, '[data-svc-player]');
    assert.equal(notes.posters, 1);
    const late = await openPage(below + await notes.code('medias', 'l4unchf1lm'));
    await ready(late);
    notes.end();
    await late.evaluate(() => scrollTo(0, 5000));
    await until(late, async () => (await picture(late, '[data-svc-player]')).data.equals(whole.data));
    const popover = await openPage(below + await notes.code('medias', 'l4unchf1lm', { embedType: 'async_popover', width: '150' }));
    await until(popover, "Boolean(document.querySelector('.svc_embed button'))");
    notes.end();
    await popover.evaluate(() => scrollTo(0, 5000));
    await until(popover, "document.querySelector('img').naturalWidth > 1");
  }))();
});

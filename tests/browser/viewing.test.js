// The beacons of players about viewing, in Chromium and Firefox. A server between the browser and the service forwards all
// requests but the beacons, which it records.
'use strict';

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const http = require('node:http');
const { after, before, test } = require('node:test');
const { close, inBrowsers, open, stage, until } = require('./both.js');
const patience = require('./patience.js');

before(open);
after(close);

const kTicket = 'ticket_8';
const kVideo = "document.querySelector('video')";
const kSilent = { autoPlay: 'true', muted: 'true', width: '400' };
const kEnd = { ...kSilent, time: '7' };

// Starts that server, for one test. `beacons` has the recorded beacons: { id, session, what, seen, headers }.
async function noting(run) {
  const beacons = [];
  const ticketed = (facts) => ({ ...facts, viewing: kTicket });
  const server = http.createServer(async (request, response) => {
    const [, id] = /^\/embed\/medias\/(\w+)\/viewing$/.exec(request.url) || [];
    if (id) {
      let body = '';
      for await (const part of request) body += part;
      const [, session, what, seen = ''] = /^v1 ([\w-]{14}ticket_8) (load|play|seen)(?: ([-,\d]+))?$/.exec(body) || [];
      beacons.push({ id, session, what, seen, method: request.method, headers: request.headers, body });
      response.writeHead(204).end();
      return;
    }
    const { range } = request.headers;
    const found = await fetch(stage.svc + request.url, { headers: { ...(range && { range }), 'accept-encoding': 'identity' } });
    const headers = [...found.headers].filter(([name]) => !/^(connection|content-length|keep-alive|transfer-encoding)$/.test(name));
    let bytes = Buffer.from(await found.arrayBuffer());
    const here = (text) => text.replaceAll(stage.svc, there);
    if (/html|json|javascript|mpegurl/.test(found.headers.get('content-type'))) {
      let text = here(bytes.toString());
      if (/^\/embed\/(medias|playlists)\/\w+\.json/.test(request.url)) {
        const { videos, ...facts } = JSON.parse(text);
        text = JSON.stringify(videos ? { ...facts, videos: videos.map(ticketed) } : ticketed(facts));
      }
      bytes = Buffer.from(text);
    }
    response.writeHead(found.status, Object.fromEntries(headers.map(([name, value]) => [name, here(value)])));
    response.end(bytes);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const there = `http://127.0.0.1:${server.address().port}`;
  const code = async (kind, id, parameters) => (await stage.code(kind, id, parameters)).replaceAll(stage.svc, there);
  try {
    await run({ beacons, code, there });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const whats = (beacons, id) => beacons.filter((each) => !id || each.id === id).map(({ what }) => what);
const came = (beacons, what, id) => patience.until(() => whats(beacons, id).includes(what), `${what} of ${id || 'a media'}`);
// Waits for each kind of beacon. Returns all, sorted: each takes a connection of its own, so a later beacon may come first.
async function allCame(beacons, id) {
  for (const what of ['load', 'play', 'seen']) await came(beacons, what, id);
  return whats(beacons, id).sort();
}

// How often each hundredth was seen: the maximum over these beacons.
function sumOf(beacons) {
  const sum = new Array(100).fill(0);
  for (const { seen } of beacons.filter(({ what }) => what === 'seen')) {
    const now = new Array(100).fill(0);
    for (const range of seen.split(',')) {
      const [from, to] = range.split('-').map(Number);
      for (let i = from; i <= to; i++) now[i]++;
    }
    now.forEach((times, i) => { sum[i] = Math.max(sum[i], times); });
  }
  return sum;
}
// The expected counts for these ranges of seconds, by the middles of the hundredths.
const expected = (ranges, duration) => Array.from({ length: 100 }, (_, i) => ranges
  .filter(([from, to]) => (i + 0.5) * duration >= 100 * from && (i + 0.5) * duration < 100 * to).length);

const leave = (page) => page.goto(stage.page('another page'));
const ended = (page) => until(page, `${kVideo}?.ended`);
// Plays until that second, and pauses. Returns where.
async function playTo(page, second) {
  await page.evaluate(() => { window.svc.players[0].play(); });
  await until(page, `${kVideo}.currentTime >= ${second}`);
  await page.evaluate(() => { window.svc.players[0].pause(); });
  await until(page, `${kVideo}.paused`);
  return page.evaluate(`${kVideo}.currentTime`);
}

// Plays a half of the film, from 6 s on the rest, and from 1 s to 2 s again. Returns how often each hundredth was seen, and
// these parts for messages.
async function playParts(page) {
  await until(page, `${kVideo}?.currentTime >= 4`);
  await page.evaluate(() => { window.svc.players[0].time(6); }); // it plays on from there
  await ended(page);
  const first = await page.evaluate(() => {
    const { played } = document.querySelector('video');
    return Array.from({ length: played.length }, (_, i) => [played.start(i), played.end(i)]);
  });
  await page.evaluate(() => { window.svc.players[0].time(1); });
  const end = await playTo(page, 2);
  assert.equal(first.length, 2, 'two parts were seen');
  assert.ok(first[0][1] < 6 && first[1][0] >= 6, String(first));
  const times = expected([...first, [1, end]], await page.evaluate(`${kVideo}.duration`));
  return { times, parts: `${first}, 1 to ${end}` };
}

test('api-B1 half of a film, then its last quarter, then a part again: the beacons add up to exactly that', async () => {
  for (const [id, browsers] of [['mp4only001', ['Chromium']], ['l4unchf1lm', ['Chromium', 'Firefox']]]) {
    await inBrowsers((openPage) => noting(async ({ beacons, code }) => {
      const page = await openPage(await code('medias', id, { embedType: 'async', ...kSilent }));
      const { times, parts } = await playParts(page);
      await leave(page);
      await patience.until(() => sumOf(beacons).some((times) => times > 1), 'the last beacon');
      assert.equal(sumOf(beacons).join(''), times.join(''), `${id}: ${parts}`);
      assert.deepEqual((await allCame(beacons)).slice(0, 3), ['load', 'play', 'seen']);
      assert.equal(new Set(beacons.map(({ session }) => session)).size, 1);
    }), browsers)();
  }
});

test('api-B1 a loop at another speed: all is seen again, and told at most twice', inBrowsers((openPage) =>
  noting(async ({ beacons, code }) => {
    const page = await openPage(await code('medias', 'mp4only001', { embedType: 'async', ...kSilent, endVideoBehavior: 'loop' }));
    await until(page, `${kVideo}?.currentTime > 0`);
    await page.evaluate(() => {
      window.rounds = 0;
      document.querySelector('video').addEventListener('seeking', () => { window.rounds++; });
      window.svc.players[0].playbackRate(4);
    });
    await until(page, 'window.rounds === 3');
    await leave(page);
    await patience.until(() => sumOf(beacons).every((times) => times === 2), 'all of it twice');
    assert.deepEqual((await allCame(beacons)).slice(0, 3), ['load', 'play', 'seen']);
  })));

// Each kind of code.
const kKinds = {
  iframe: ({ code }) => code('medias', 'l4unchf1lm', kEnd),
  async: ({ code }) => code('medias', 'l4unchf1lm', { embedType: 'async', ...kEnd }),
  popover: ({ code }) => code('medias', 'l4unchf1lm', { embedType: 'async_popover', ...kEnd }),
  playlist_iframe: ({ code }) => code('embed/playlists', 'pl4yl1st01', kEnd),
  playlist_api: ({ code }) => code('embed/playlists', 'pl4yl1st01', { embedType: 'playlist_api', ...kEnd }),
  element: ({ there }) => `<script src="${there}/assets/player.js" async></script>
    <svc-player media-id="l4unchf1lm" auto-play muted time="7"></svc-player>`,
};
test('api-B1 each kind of code tells once that the film is loaded, that it plays, and the seen parts, and stores nothing',
  inBrowsers(async (openPage) => {
    for (const [kind, codeOf] of Object.entries(kKinds)) {
      await noting(async (noted) => {
        const { beacons } = noted;
        const page = await openPage(await codeOf(noted));
        if (kind === 'popover') {
          const opener = await page.waitForSelector('button[aria-haspopup]');
          assert.deepEqual(beacons, [], 'a thumbnail is not a player');
          await opener.click();
        }
        assert.deepEqual(await allCame(beacons, 'l4unchf1lm'), ['load', 'play', 'seen'], kind);
        const films = beacons.filter(({ id }) => id === 'l4unchf1lm');
        assert.match(films.find(({ what }) => what === 'seen').seen, /^(8[78])-99$/, kind);
        assert.equal(new Set(films.map(({ session }) => session)).size, 1);
        for (const { method, headers, body, session } of beacons) {
          assert.ok(session, body);
          assert.equal(method, 'POST');
          assert.match(headers['content-type'], /^text\/plain/);
          assert.equal(headers.cookie, undefined);
        }
        if (kind.startsWith('playlist')) {
          const next = () => whats(beacons.filter(({ id }) => id !== 'l4unchf1lm'));
          await patience.until(() => next().length >= 2, 'the next film plays');
          assert.deepEqual(next().slice(0, 2).sort(), ['load', 'play']);
        }
        assert.deepEqual(await page.evaluate(() => [document.cookie, localStorage.length, sessionStorage.length]), ['', 0, 0]);
      });
    }
  }));

test('api-B1 a media that leaves the player tells the seen parts: another media comes, the dialog is closed, the code is removed',
  inBrowsers(async (openPage) => {
    const silent = { ...kSilent, time: '1' };
    for (const [html, goes] of [
      [({ code }) => code('embed/playlists', 'pl4yl1st01', { embedType: 'playlist_api', ...silent }),
        () => { window.svc.players[0].next(); }],
      [({ code }) => code('medias', 'l4unchf1lm', { embedType: 'async_popover', ...silent }),
        () => { document.querySelector('dialog').close(); }],
      [({ code }) => code('medias', 'l4unchf1lm', { embedType: 'async', ...silent }),
        () => { document.querySelector('.svc_async_l4unchf1lm').remove(); }]]) {
      await noting(async (noted) => {
        const page = await openPage(await html(noted));
        await (await page.waitForSelector('button[aria-haspopup], video')).click().catch(() => {});
        await page.evaluate(() => { window.svc.players[0]?.play(); });
        await until(page, `${kVideo}?.currentTime > 1.5`);
        await page.evaluate(goes);
        await came(noted.beacons, 'seen', 'l4unchf1lm');
        const [{ seen }] = noted.beacons.filter(({ what }) => what === 'seen');
        const [from, to] = seen.split('-').map(Number);
        assert.ok([12, 13].includes(from) && to >= 17 && to < 90, seen);
      });
    }
  }));

// Refusals of statistics. After each, a player without a refusal uses the same server.
const kRefusals = {
  doNotTrack: [{ doNotTrack: 'true' }, ''],
  'Global Privacy Control': [{}, "Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });"],
  DNT: [{}, "Object.defineProperty(navigator, 'doNotTrack', { value: '1' });"],
};
for (const [name, [options, script]] of Object.entries(kRefusals)) {
  test(`api-B1 with ${name} a player sends nothing to any address`, inBrowsers((openPage) => noting(async ({ beacons, code }) => {
    const page = await openPage(await code('medias', 'mp4only001', { embedType: 'async', ...kEnd, ...options }),
      { before: `<script>
        ${script}
        window.asked = [];
        const { sendBeacon } = navigator;
        navigator.sendBeacon = (...of) => { window.asked.push(String(of)); return sendBeacon.apply(navigator, of); };
        const real = window.fetch;
        window.fetch = (url, options = {}) => {
          if (options.method) window.asked.push(url);
          return real(url, options);
        };
      </script>` });
    await ended(page);
    assert.deepEqual(await page.evaluate(() => window.asked), []);
    await leave(page);
    const other = await openPage(await code('medias', 'l4unchf1lm', { embedType: 'async', ...kEnd }));
    await ended(other);
    assert.deepEqual(await allCame(beacons, 'l4unchf1lm'), ['load', 'play', 'seen']);
    assert.deepEqual(whats(beacons, 'mp4only001'), []);
  })));
}

test('api-B1 where sendBeacon is missing or refuses, fetch sends the beacons, also of a page that is left', inBrowsers(async (openPage) => {
  for (const refusing of ['navigator.sendBeacon = () => false;', 'navigator.sendBeacon = undefined;']) {
    await noting(async ({ beacons, code }) => {
      const page = await openPage(await code('medias', 'mp4only001', { embedType: 'async', ...kSilent }),
        { before: `<script>${refusing}</script>` });
      await until(page, `${kVideo}?.currentTime > 0.5`);
      await leave(page);
      // A page that the viewer leaves is also hidden: the parts seen between both events are a beacon of their own.
      assert.deepEqual((await allCame(beacons)).slice(0, 3), ['load', 'play', 'seen']);
      assert.match(sumOf(beacons).join(''), /^1{6}1*0+$/);
      for (const { headers } of beacons) {
        assert.match(headers['content-type'], /^text\/plain/);
        assert.equal(headers.cookie, undefined);
      }
    });
  }
}));

test('api-B1 if the policy of the page forbids the beacons, the film plays and nothing is thrown', inBrowsers((openPage) =>
  noting(async ({ beacons, code, there }) => {
    const page = await openPage(await code('medias', 'mp4only001', { embedType: 'async', ...kEnd }), {
      policy: `default-src 'none'; script-src ${there} 'unsafe-inline'; media-src ${there}; img-src ${there}; ` +
        `connect-src ${there}/embed/medias/mp4only001.json`,
      before: `<script>
        window.noticed = [];
        window.forbidden = [];
        addEventListener('error', ({ message }) => window.noticed.push(message));
        addEventListener('unhandledrejection', ({ reason }) => window.noticed.push(String(reason)));
        document.addEventListener('securitypolicyviolation', ({ blockedURI }) => window.forbidden.push(blockedURI));
      </script>` });
    await ended(page);
    await until(page, "window.forbidden.filter((url) => url.endsWith('/viewing')).length >= 3");
    assert.deepEqual(await page.evaluate(() => window.noticed), []);
    assert.equal(await page.evaluate(`${kVideo}.currentTime === ${kVideo}.duration`), true);
    assert.deepEqual(beacons, []);
  })));

// No other test plays this film.
const kCounted = 'un1c0de777';
const kBrowser = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
// By the configuration of the service, SVC_CONFIG.
const statistics = () => JSON.parse(execFileSync(process.env.SVC_SVCCTL || '../../build/svcctl',
  ['stats', 'media', kCounted, '--json'], { encoding: 'utf8' }));

test('the statistics have exactly the hundredths that Chromium and Firefox played', inBrowsers(async (openPage) => {
  const before = statistics();
  // Chromium without a window is taken for a program.
  const page = await openPage(await stage.code('medias', kCounted, { embedType: 'async', ...kSilent }), { userAgent: kBrowser });
  const { times, parts } = await playParts(page);
  // A page that is left would send as Chromium without a window.
  await page.evaluate((id) => { document.querySelector(`.svc_async_${id}`).remove(); }, kCounted);
  await patience.until(() => statistics().seen_again.some((count, i) => count > before.seen_again[i]), 'all is counted');
  const after = statistics();
  const more = (name) => after[name].map((count, i) => count - before[name][i]);
  assert.equal(more('seen').join(''), times.map((count) => Math.min(count, 1)).join(''), parts);
  assert.equal(more('seen_again').join(''), times.map((count) => (count > 1 ? 1 : 0)).join(''));
  assert.deepEqual([after.loads - before.loads, after.plays - before.plays], [1, 1]);
}));

test('api-B1 pages-W152 a page that is prepared before the viewer comes is loaded when the viewer comes, and not before', async () => {
  // As a page of Speculation Rules, which the tests' browser does not prepare.
  const kPrepared = `<script>
    let prepared = true;
    Object.defineProperty(document, 'prerendering', { get: () => prepared });
    window.comes = () => {
      prepared = false;
      document.dispatchEvent(new Event('prerenderingchange'));
    };
  </script>`;
  await inBrowsers((openPage) => noting(async ({ beacons, code }) => {
    const [id, other] = ['l4unchf1lm', 'sm4ll480px'];
    const page = await openPage(await code('medias', id, { embedType: 'async' }), { before: kPrepared });
    await until(page, "Boolean(document.querySelector('[aria-label^=\"Play Launch\"]'))");
    const next = await openPage(await code('medias', other, { embedType: 'async' }));
    await came(beacons, 'load', other); // had the prepared page told, it had come before
    assert.deepEqual(whats(beacons, id), []);
    await page.evaluate(() => window.comes());
    await came(beacons, 'load', id);
    await page.evaluate(() => { window.svcEmbed.mute(); window.svcEmbed.play(); });
    await came(beacons, 'play', id);
    assert.deepEqual(whats(beacons, id).filter((what) => what !== 'seen').sort(), ['load', 'play']);
    await leave(next);
  }))();
});

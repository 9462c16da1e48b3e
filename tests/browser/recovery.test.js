// What fails while a film plays: it plays on, where it was, unless the viewer has paused it.
'use strict';

const assert = require('node:assert/strict');
const http = require('node:http');
const { after, before, test } = require('node:test');
const { kPatience, playsPast, Stage } = require('./stage.js');

const stage = new Stage();
// Answers each request with half of the service's response, and closes the connection.
const cut = http.createServer(async (request, response) => {
  const whole = Buffer.from(await (await fetch(stage.svc + request.url)).arrayBuffer());
  response.writeHead(200, { 'Content-Type': 'video/mp4', 'Access-Control-Allow-Origin': '*',
    'Content-Length': whole.length });
  response.write(whole.subarray(0, whole.length / 2), () => response.destroy());
});
before(async () => {
  await stage.open();
  await new Promise((resolve) => { cut.listen(0, '127.0.0.1', resolve); });
});
after(async () => {
  await stage.close();
  cut.closeAllConnections();
  await new Promise((resolve) => { cut.close(resolve); });
});

// The number of requests that fail during an outage of the service.
const kAway = 3;
const kCors = { 'access-control-allow-origin': '*' };
const body = async (route) => Buffer.from(await (await fetch(route.request().url())).arrayBuffer());
const kFailures = {
  'status 503': (route) => route.fulfill({ status: 503, headers: kCors }),
  'status 404': (route) => route.fulfill({ status: 404, headers: kCors }),
  'a connection that is reset': (route) => route.abort('connectionreset'),
  'a connection that is closed halfway': (route) => route.continue({
    url: route.request().url().replace(stage.svc, `http://127.0.0.1:${cut.address().port}`) }),
  'half a segment': async (route) => {
    const whole = await body(route);
    await route.fulfill({ headers: kCors, contentType: 'video/mp4', body: whole.subarray(0, whole.length / 2) });
  },
  // Its boxes are whole, but every decoder rejects their contents.
  'a segment that no decoder takes': async (route) => {
    const whole = await body(route);
    whole.fill(0xff, whole.indexOf('mdat') + 8);
    await route.fulfill({ headers: kCors, contentType: 'video/mp4', body: whole });
  },
};

// Safari and phones play HLS by themselves; without Media Source Extensions so does Chromium.
const kWays = { natively: '<script>delete window.MediaSource; delete window.ManagedMediaSource;</script>',
  'by hls.js': '' };
const kAt = 4; // seconds: the segment 2.m4s of each rendition begins here
const kSegment = '**/2.m4s';

// A page that plays, with the frames that it showed as `shown`: their times in seconds.
async function open(before, width) {
  const page = await stage.show('<p>', { before });
  page.start = async () => {
    await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html),
      (await stage.code('medias', 'l4unchf1lm', { embedType: 'async', autoPlay: 'true', muted: 'true', width }))
        .replace(/<script.*?<\/script>/, ''));
    await page.addScriptTag({ url: `${stage.svc}/assets/external/E-v1.js` });
    await page.waitForFunction(() => {
      const video = document.querySelector('video');
      if (!video) return false;
      window.shown = [];
      const see = (_, { mediaTime }) => {
        window.shown.push(mediaTime);
        video.requestVideoFrameCallback(see);
      };
      video.requestVideoFrameCallback(see);
      return true;
    });
  };
  return page;
}
const showsPast = (page, second) => page.waitForFunction((s) => window.shown.some((time) => time > s) &&
  document.querySelector('video').currentTime > s, second, kPatience);

for (const [way, before] of Object.entries(kWays)) {
  for (const [what, answer] of Object.entries(kFailures)) {
    for (const times of /404|decoder/.test(what) ? [1] : [1, 3]) {
      test(`pages-W47 plays on ${way} after ${what}, ${times === 1 ? 'once' : 'three times'}`, async () => {
        const page = await open(before, '320');
        let failed = 0;
        await page.route(kSegment, (route) => (failed++ < times ? answer(route) : route.continue()));
        await page.start();
        await showsPast(page, kAt + 2.2);
        assert.ok(failed > 0);
        assert.deepEqual(await page.evaluate(() => [window.svc.players[0].wanted,
          document.querySelectorAll('[role=status]').length, window.shown.filter((time) => time < 0.5).length > 0]),
        [true, 0, true]);
        await page.context().close();
      });
    }
  }
}

for (const [way, before] of Object.entries(kWays)) {
  test(`pages-W47 plays on ${way} after all requests have failed for a while`, async () => {
    const page = await open(before, '320');
    let failed = 0;
    await page.route(/[1-3]\.m4s$/, (route) => (failed++ < kAway ? route.abort('connectionrefused') : route.continue()));
    await page.start();
    await showsPast(page, 7);
    assert.ok(failed > kAway);
    await page.context().close();
  });

  test(`pages-W47 a viewer who pauses while a segment is missing finds the video paused, ${way}`, async () => {
    const page = await open(before, '320');
    let failing = true;
    let failed = () => {};
    const once = new Promise((resolve) => { failed = resolve; });
    await page.route(kSegment, (route) => {
      failed();
      return failing ? route.fulfill({ status: 503, headers: kCors }) : route.continue();
    });
    await page.start();
    await once;
    await page.evaluate(() => window.svcEmbed.pause());
    failing = false;
    const at = await page.evaluate(() => window.svcEmbed.time());
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await page.waitForFunction(() => document.querySelector('video').paused);
    assert.equal(await page.evaluate(() => window.svcEmbed.state()), 'paused');
    await page.evaluate(() => { window.svcEmbed.play(); });
    await showsPast(page, kAt + 2.2);
    assert.ok(await page.evaluate((before) => window.shown.at(-1) > before, at));
    await page.context().close();
  });
}

test('pages-W47 a source that is set again plays on', async () => {
  const page = await open(kWays.natively, '320');
  await page.start();
  await showsPast(page, 1);
  await page.evaluate(() => {
    const video = document.querySelector('video');
    window.shown.length = 0;
    video.src = video.currentSrc;
  });
  await showsPast(page, 0.5);
  assert.equal(await page.evaluate(() => window.svcEmbed.state()), 'playing');
  await page.context().close();
});

// The requests of a paused player, in Chromium and Firefox: a film of ten minutes in segments, whose requests its server notes.
'use strict';

const assert = require('node:assert/strict');
const http = require('node:http');
const { after, before, test } = require('node:test');
const { close, inBrowsers, open, stage, until } = require('./both.js');

const kLength = 600; // seconds
const kFilm = 8; // seconds of the film that is repeated
const kAhead = 30; // seconds that may be loaded ahead

// A film of the demonstration, again and again. `asked`: the segments that were requested.
const asked = [];
const files = new Map();
let folder; // the path of its rendition
const film = http.createServer(async (request, response) => {
  const name = request.url.replace(/.*\//, '').replace(/\?.*/, '');
  if (name === 'film.m3u8') {
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'application/vnd.apple.mpegurl' });
    response.end('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=200000,RESOLUTION=400x224,CODECS="avc1.4d400d,mp4a.40.2"\nlist.m3u8\n');
    return;
  }
  if (!files.has(name)) {
    const found = await fetch(folder + (name === 'list.m3u8' ? 'index.m3u8' : name));
    files.set(name, Buffer.from(await found.arrayBuffer()));
  }
  if (name !== 'list.m3u8') {
    if (/\.m4s$/.test(name)) asked.push(request.url);
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'video/mp4' });
    response.end(files.get(name));
    return;
  }
  const [, head, body] = /^([^]*?)(#EXT-X-MAP[^]*)#EXT-X-ENDLIST/.exec(files.get(name).toString());
  response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'application/vnd.apple.mpegurl' });
  const turns = Array.from({ length: kLength / kFilm }, (_, turn) => body.replace(/^(?=\w.*\.m4s)/gm, `${turn}/`));
  response.end(`${head}${turns.join('#EXT-X-DISCONTINUITY\n')}#EXT-X-ENDLIST\n`);
});
before(async () => {
  await open();
  folder = `${stage.svc}${(await (await fetch(`${stage.svc}/embed/medias/l4unchf1lm.m3u8`)).text())
    .split('\n').find((line) => line.includes('224p')).replace(/^https?:\/\/[^/]*/, '').replace(/[^/]*$/, '')}`;
  await new Promise((resolve) => { film.listen(0, '127.0.0.1', resolve); });
});
after(async () => {
  await close();
  film.closeAllConnections();
  await new Promise((resolve) => { film.close(resolve); });
});

const kFirst = 'window.svc?.players?.[0]';
const kVideo = "document.querySelector('video')";
const kClock = "document.querySelector('#clock')";
const kIsAtRest = `!${kVideo}.seeking && ${kVideo}.readyState > 1`;
// Seconds that are loaded beyond the position.
const ahead = (page) => page.evaluate(() => {
  const { buffered, currentTime } = document.querySelector('video');
  let end = currentTime;
  for (let at = 0; at < buffered.length; at++) if (buffered.start(at) <= end + 0.5) end = Math.max(end, buffered.end(at));
  return end - currentTime;
});
// Lets three seconds of another film pass, in which a player without a limit loads minutes.
async function pass(page) {
  const now = await page.evaluate(`${kClock}.played.length && ${kClock}.played.end(0)`);
  await until(page, `${kClock}.play() && ${kClock}.played.length && ${kClock}.played.end(0) > ${now} + 3`);
  await page.evaluate(`${kClock}.pause()`);
}

// A page with that film, which plays past its first second, another player and a clock.
async function show(openPage) {
  const before = `<script>
    const real = window.fetch;
    window.fetch = async (url, ...more) => {
      const response = await real(url, ...more);
      if (!/l4unchf1lm\\.json$/.test(url)) return response;
      return Response.json({ ...await response.json(), duration: ${kLength}, mp4: undefined,
        manifest: 'http://127.0.0.1:${film.address().port}/film.m3u8' });
    };
  </script>`;
  const silent = { embedType: 'async', muted: 'true', width: '400' };
  const page = await openPage(`${await stage.code('medias', 'l4unchf1lm', silent)}${
    await stage.code('medias', 'sm4ll480px', silent)}<div id="place"></div>`, { before });
  await until(page, 'window.svc?.players?.length === 2 && window.svc.players.every(({ media }) => media)');
  // Not one of our players, which would pause the other.
  const { mp4 } = await (await fetch(`${stage.svc}/embed/medias/mp4only001.json`)).json();
  await page.evaluate((url) => {
    const clock = Object.assign(document.createElement('video'), { id: 'clock', muted: true, src: url });
    document.querySelector('#place').append(clock);
  }, mp4);
  asked.length = 0;
  await page.evaluate(() => { window.svc.players[0].play(); });
  await until(page, `${kVideo}.currentTime > 1`);
  return page;
}

// Once the segment that was on its way has come, no other does.
async function rests(page, most = 1) {
  const before = asked.length;
  await pass(page);
  assert.ok(asked.length <= before + most, `${asked.length - before} more`);
  const loaded = await ahead(page);
  assert.ok(loaded > 0 && loaded <= kAhead, `${loaded} s ahead`);
}

test('pages-W142 a player that the viewer paused loads nothing, but the picture where the viewer goes, and plays on',
  inBrowsers(async (openPage) => {
    const page = await show(openPage);
    await page.evaluate(() => window.svc.players[0].stage.focus());
    await until(page, `document.querySelector('[data-svc-controls]') && true`);
    await page.keyboard.press('k');
    await until(page, `${kVideo}.paused`);
    await rests(page);
    const before = asked.length;
    await page.evaluate(() => {
      const video = document.querySelector('video');
      window.shown = [];
      const see = (_, { mediaTime }) => {
        window.shown.push(mediaTime);
        video.requestVideoFrameCallback(see);
      };
      video.requestVideoFrameCallback(see);
    });
    await page.keyboard.press('5');
    await until(page, `${kIsAtRest} && window.shown.some((time) => Math.abs(time - ${kLength / 2}) < 1)`);
    await rests(page, 2);
    // How many come before the picture depends on how fast it is decoded; they are of two seconds.
    assert.ok(asked.length <= before + kAhead / 2, `${asked.length - before} segments for a picture`);
    await page.keyboard.press('k');
    await until(page, `${kVideo}.currentTime > ${kLength / 2 + 9}`);
    assert.ok(await ahead(page) <= kAhead);
  }));

test('pages-W142 a player that another player paused loads nothing', inBrowsers(async (openPage) => {
  const page = await show(openPage);
  await page.evaluate(() => { window.svc.players[1].play(); });
  await until(page, `${kVideo}.paused && !${kFirst}.wanted`);
  await rests(page);
}));

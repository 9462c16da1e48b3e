// How a page controls a player: in our iframe by the player.js protocol, with the npm package as the
// client; in the page itself by the handle of the embed code.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { after, before, test } = require('node:test');
const { playsPast, Stage, withPages } = require('./stage.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

const kClient = `<script>${fs.readFileSync(require.resolve('player.js'), 'utf8')}</script>`;
const kSilent = { autoPlay: 'true', muted: 'true' };

const controls = withPages(stage);
const frameOf = async (page) => (await page.waitForSelector('iframe')).contentFrame();

// ---- player.js ----------------------------------------------------------------------------------------

// window.client is the client, window.connected resolves when the frame is ready, get(name) resolves to the value of
// a getter, window.heard lists the received events.
const kConnect = `<script>
  window.heard = [];
  window.client = new playerjs.Player(document.querySelector('iframe'));
  window.connected = new Promise((resolve) => client.on('ready', resolve));
  window.get = (name) => new Promise((resolve) => client[name](resolve));
  window.next = (event) => new Promise((resolve) => client.on(event, resolve));
</script>`;

controls('player.js: each method and each getter', async (open) => {
  const page = await open(`${kClient}${await stage.code('medias', 'l4unchf1lm', { muted: 'true' })}${kConnect}`);
  const seen = await page.evaluate(async () => {
    await window.connected;
    const { client, get } = window;
    const all = ['play', 'pause', 'getPaused', 'mute', 'unmute', 'getMuted', 'setVolume', 'getVolume', 'getDuration',
      'setCurrentTime', 'getCurrentTime', 'setLoop', 'getLoop', 'addEventListener', 'removeEventListener'];
    const result = { methods: client.supports('method', all), events: client.supports('event', ['ready', 'progress',
      'timeupdate', 'play', 'pause', 'ended', 'seeked', 'error']), before: [await get('getPaused'),
        await get('getMuted'),
      await get('getVolume'), await get('getLoop'), await get('getCurrentTime')] };
    client.unmute();
    client.setVolume(35);
    client.setLoop(true);
    result.duration = await get('getDuration');
    result.after = [await get('getMuted'), await get('getVolume'), await get('getLoop')];
    client.mute();
    const moved = window.next('seeked');
    client.play();
    await window.next('timeupdate');
    result.paused = await get('getPaused');
    client.setCurrentTime(4);
    await moved;
    result.time = await get('getCurrentTime');
    client.pause();
    result.end = [await get('getPaused'), await get('getMuted')];
    return result;
  });
  assert.ok(seen.duration > 7 && seen.time >= 4 && seen.time < 8, JSON.stringify(seen));
  assert.deepEqual({ ...seen, duration: 0, time: 0 }, { methods: true, events: true, before: [true, true, 100, false,
    0],
    duration: 0, after: [false, 35, true], paused: false, time: 0, end: [true, true] });
});

controls('player.js: events, until the last listener is removed', async (open) => {
  const page = await open(`${kClient}${await stage.code('medias', 'l4unchf1lm', { muted: 'true' })}${kConnect}`);
  const frame = await frameOf(page);
  const seen = await page.evaluate(async () => {
    await window.connected;
    const { client, heard, next } = window;
    const never = () => heard.push('never');
    client.on('play', never);
    client.off('play', never);
    for (const name of ['play', 'pause', 'ended', 'error']) client.on(name, () => heard.push(name));
    const [progress, time, ended] = ['progress', 'timeupdate', 'ended'].map(next);
    client.setCurrentTime(6.5);
    client.play();
    const values = { progress: await progress, time: await time };
    await ended;
    return { heard, ...values };
  });
  assert.equal(seen.heard[0], 'play');
  assert.equal(seen.heard.at(-1), 'ended');
  assert.ok(!seen.heard.includes('never') && !seen.heard.includes('error'), seen.heard.join());
  assert.ok(seen.progress.percent >= 0 && seen.progress.percent <= 1 && seen.time.duration > 7);
  assert.ok(await frame.evaluate(() => document.querySelector('video').ended));
});

controls('player.js: a media that cannot be played sends an error event', async (open) => {
  const page = await open(`${kClient}<p></p>`);
  await page.route('**/*.m3u8', (route) => route.fulfill({ status: 404,
    headers: { 'access-control-allow-origin': '*' } }));
  await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), await stage.code('medias',
    'l4unchf1lm'));
  const error = await page.evaluate(async () => {
    const client = new window.playerjs.Player(document.querySelector('iframe'));
    await new Promise((resolve) => client.on('ready', resolve));
    return new Promise((resolve) => {
      client.on('error', resolve);
      client.play();
    });
  });
  assert.ok(error.code === 1 || error.code === -1, JSON.stringify(error));
});

controls('player.js: hostile messages have no effect, and a later valid message works', async (open) => {
  const page = await open(`${kClient}${await stage.code('medias', 'l4unchf1lm')}${kConnect}`);
  const frame = await frameOf(page);
  await page.evaluate(() => window.connected);
  const before = () => frame.evaluate(() => {
    const { volume, muted, loop, paused, currentTime } = document.querySelector('video');
    return [volume, muted, loop, paused, currentTime, {}.x];
  });
  const then = await before();
  await page.evaluate(() => {
    const to = document.querySelector('iframe').contentWindow;
    const context = 'player.js';
    const deep = { context, method: 'addEventListener' };
    deep.value = deep;
    for (const message of [null, 7, '', '{', '[]', 'player.js', deep, new ArrayBuffer(9), [context],
      new Map([['context', context]]),
      { context: 'other.js', method: 'mute' }, { context }, { context, method: {} }, { context, method: '__proto__' },
      { context, method: 'constructor' }, { context, method: 'toString', listener: 'a' },
      { context, method: 'addEventListener', value: '__proto__', listener: 'x' }, { context,
        method: 'removeEventListener' },
      { context, method: 'mute', listener: {} }, { context, method: 'mute', padding: 'x',
        listener: 'y'.repeat(1e6) }]) {
      to.postMessage(message, '*');
      to.postMessage(JSON.stringify(message instanceof Map || message === deep ? 0 : message), '*');
    }
    for (const value of ['50', NaN, Infinity, -Infinity, null, undefined, {}, [], true]) {
      for (const method of ['setVolume', 'setCurrentTime']) to.postMessage({ context, method, value }, '*');
      if (value !== true) to.postMessage({ context, method: 'setLoop', value }, '*');
    }
    to.postMessage(`{"context":"player.js","method":"mute","value":"${'x'.repeat(3e6)}"}`, '*');
    for (let i = 0; i < 2000; i++) to.postMessage({ context, method: 'addEventListener', value: 'pause', listener: i },
      '*');
  });
  assert.equal(await page.evaluate(() => window.get('getMuted')), false);
  assert.deepEqual(await before(), then);
  await page.evaluate(() => window.client.setVolume(-5));
  assert.equal(await page.evaluate(() => window.get('getVolume')), 0);
});

controls('player.js: responses go to the sender only, and messages of sibling frames are ignored', async (open) => {
  const page = await open(`${await stage.code('medias', 'l4unchf1lm')}<iframe id="beside" srcdoc="beside"></iframe>
    <script>
      window.got = [];
      addEventListener('message', ({ data }) => { if (/"event":"getMuted"/.test(data)) got.push(data); });
    </script>`);
  const frame = await frameOf(page);
  await frame.locator('video[title]').waitFor();
  const beside = await (await page.$('#beside')).contentFrame();
  await beside.evaluate(async () => {
    window.got = [];
    addEventListener('message', ({ data }) => window.got.push(data));
    const player = window.parent.frames[0];
    for (const method of ['mute', 'getMuted']) player.postMessage({ context: 'player.js', method, listener: 'b' }, '*');
  });
  await page.evaluate(() => document.querySelector('iframe').contentWindow
    .postMessage({ context: 'player.js', method: 'getMuted', listener: 'a' }, '*'));
  await page.waitForFunction(() => window.got.length);
  const [answer] = await page.evaluate(() => window.got);
  assert.deepEqual(JSON.parse(answer),
    { context: 'player.js', version: '0.0.11', event: 'getMuted', value: false, listener: 'a' });
  assert.deepEqual(await beside.evaluate(() => window.got), []);
  assert.equal(await page.evaluate(() => window.got.length), 1);
});

controls('player.js: only the parent receives the query of the frame', async (open) => {
  const code = await stage.code('medias', 'l4unchf1lm', { email: 'v@site.example' });
  const page = await open(`<iframe id="between"></iframe><script>
    window.got = [];
    addEventListener('message', ({ data }) => {
      if (/"event":"ready"/.test(data)) got.push(JSON.parse(data).value.src);
    });
  </script>`);
  const between = await (await page.$('#between')).contentFrame();
  await between.evaluate((html) => {
    window.got = [];
    addEventListener('message', ({ data }) => {
      if (/"event":"ready"/.test(data)) window.got.push(JSON.parse(data).value.src);
    });
    document.body.innerHTML = html;
  }, code);
  await between.waitForFunction(() => window.got.length);
  assert.match((await between.evaluate(() => window.got))[0], /email=v/);
  await page.evaluate(() => window.frames[0].frames[0]
    .postMessage({ context: 'player.js', method: 'addEventListener', value: 'ready', listener: 'a' }, '*'));
  await page.waitForFunction(() => window.got.length);
  assert.match((await page.evaluate(() => window.got))[0], /\/embed\/iframe\/l4unchf1lm$/);
});

// ---- handles ------------------------------------------------------------------------------------------

controls('a handle: each method', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async', email: 'v@site.example' }));
  await page.locator('video[title]').waitFor();
  assert.deepEqual(await page.evaluate(async () => {
    const player = window.svcEmbed;
    let called;
    const same = await player.ready((given) => { called = given; }) === player;
    const { title, width, id } = player.current();
    const before = [player.state(), player.time(3).time(), player.playbackRate(1.5).playbackRate(),
      player.volume(0.4).volume()];
    return { same, called: called === player, title, width, id, before, muted: [player.mute().isMuted(),
      player.volume(),
      player.unmute().isMuted()], rate: [player.playbackRate(99).playbackRate(),
        player.playbackRate(NaN).playbackRate()],
      full: player.inFullscreen(), email: player.email(), chained: player.current(3) === player &&
        player.next() === player };
  }), { same: true, called: true, title: 'Launch film', width: 1920, id: 'l4unchf1lm', before: ['beforeplay', 3, 1.5,
    0.4],
    muted: [true, 0, false], rate: [4, 4], full: false, email: 'v@site.example', chained: true });
  await page.evaluate(() => { window.svcEmbed.playbackRate(1).mute().play(); });
  await playsPast(page, 3.2);
  assert.deepEqual(await page.evaluate(() => [window.svcEmbed.state(), window.svcEmbed.pause().state()]), ['playing',
    'paused']);
  assert.equal(page.asked.some((url) => url.includes('site.example')), false);
});

controls('a handle: each event, with its parameters, until it is unbound', async (open) => {
  const page = await open(await stage.code('medias', 'l4unchf1lm', { embedType: 'async', muted: 'true',
    endVideoBehavior: 'pause' }));
  await page.locator('video[title]').waitFor();
  await page.evaluate(() => {
    const player = window.svcEmbed;
    window.heard = {};
    for (const event of ['ready', 'play', 'pause', 'end', 'seek', 'timechange', 'secondchange', 'volumechange',
      'playbackratechange', 'enterfullscreen', 'cancelfullscreen']) {
      player.bind(event, function (...values) {
        (window.heard[event] ||= []).push(values.map((value) =>
          (value === player ? 'player' : value)).concat(this === player));
      });
    }
    player.bind('play', () => { throw 'a listener of the page that throws stops no other'; });
  });
  page.problems.length = 0;
  await page.evaluate(() => window.svcEmbed.play());
  await playsPast(page, 1.2);
  // Paused, a film does not end before the click on a busy machine, and the controls stay.
  await page.evaluate(() => { window.svcEmbed.pause(); window.svcEmbed.playbackRate(2).volume(0.5).mute(); });
  await page.getByRole('button', { name: 'Full screen' }).click();
  await page.waitForFunction(() => window.heard.enterfullscreen && window.svcEmbed.inFullscreen());
  await page.evaluate(() => { window.svcEmbed.cancelFullscreen(); });
  await page.waitForFunction(() => window.heard.cancelfullscreen && !window.svcEmbed.inFullscreen());
  await page.evaluate(() => { window.svcEmbed.time(window.svcEmbed.duration() - 1); window.svcEmbed.play(); });
  await page.waitForFunction(() => window.heard.end);
  const heard = await page.evaluate(() => window.heard);
  assert.equal(await page.evaluate(() => window.svcEmbed.state()), 'ended');
  for (const name of ['ready', 'end', 'enterfullscreen', 'cancelfullscreen']) assert.deepEqual(heard[name],
    [['player', true]], name);
  assert.deepEqual(heard.play, [['player', true], ['player', true]]);
  assert.deepEqual(heard.playbackratechange, [[2, true]]);
  assert.deepEqual(heard.volumechange.at(-1), [0.5, true, true]);
  assert.deepEqual(heard.secondchange.slice(0, 2).map(([second]) => second), [0, 1]);
  const [[to, from]] = heard.seek.slice(-1);
  // From the last change of the time, of which a browser tells every quarter of a second.
  assert.ok(to > 7 && from >= 0.7 && from < to - 1, `${heard.seek}`);
  assert.ok(heard.timechange.length >= heard.secondchange.length);
  assert.deepEqual(page.problems, Array(2).fill('error: a listener of the page that throws stops no other'));
  page.problems.length = 0;
  assert.deepEqual(await page.evaluate(async () => {
    const player = window.svcEmbed;
    const calls = [];
    const [a, b] = ['a', 'b'].map((name) => () => calls.push(name));
    const end = player.bind('volumechange', a);
    player.bind('volumechange', b);
    end();
    const change = (level) => new Promise((resolve) => {
      player.bind('volumechange', function done() { player.unbind('volumechange', done); resolve(); });
      player.volume(level);
    });
    await change(0.2);
    player.unbind('volumechange');
    await change(0.3);
    return calls;
  }), ['b']);
});

controls('a handle of playlist_api works before the player is loaded, and names a video', async (open) => {
  const page = await open(`${await stage.code('embed/playlists', 'pl4yl1st01',
    { embedType: 'playlist_api', ...kSilent })}<script>
    window.early = [svcPlaylist.state(), svcPlaylist.isMuted(), svcPlaylist.playbackRate(), svcPlaylist.current(),
      svcPlaylist.email()];
    window.chained = svcPlaylist.mute().playbackRate(1.25) === svcPlaylist;
    svcPlaylist.ready().then((player) => { window.title = player.current().title; });</script>`);
  await page.waitForFunction(() => window.title);
  assert.deepEqual(await page.evaluate(() => [window.early, window.chained, window.title]),
    [['beforeplay', false, 1, null, null], true, 'Launch film']);
  await page.evaluate(() => window.svcPlaylist.current(2));
  await page.waitForFunction(() => window.svcPlaylist.current().title.startsWith('Portrait') &&
    window.svcPlaylist.state() === 'playing');
  await page.evaluate(() => window.svcPlaylist.current('l4unchf1lm').current('n0b0dy'));
  await page.waitForFunction(() => window.svcPlaylist.current().title === 'Launch film');
  await playsPast(page, 0.2);
  assert.equal(await page.evaluate(() => window.svcPlaylist.playbackRate()), 1.25);
});

// The codes that our pages hand out, in pages of others, in Chromium and Firefox: narrow and wide, of portrait films, and
// after sanitizers that drop styles.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { launchFirefox } = require('./browsers.js');
const { until: poll } = require('./patience.js');
const { Stage } = require('./stage.js');

const stage = new Stage();
let firefox;
before(async () => {
  await stage.open();
  firefox = await launchFirefox();
});
after(async () => {
  await firefox?.close();
  await stage.close();
});

const kBrowsers = {
  Chromium: async (body, { width = 900, height = 800 } = {}) => {
    const context = await stage.browser.newContext({ viewport: { width, height } });
    const page = await context.newPage();
    page.asked = [];
    page.on('request', (request) => page.asked.push(request.url()));
    await page.goto(stage.page(body));
    return [page, () => context.close()];
  },
  Firefox: async (body, { width = 900, height = 800 } = {}) => {
    const page = await firefox.newPage();
    await page.setViewport({ width, height });
    page.asked = [];
    page.on('request', (request) => page.asked.push(request.url()));
    await page.goto(stage.page(body));
    return [page, () => page.close()];
  },
};
const inBoth = (name, run) => test(name, async () => {
  for (const browser of Object.keys(kBrowsers)) {
    const ends = [];
    try {
      await run(async (...parameters) => {
        const [page, end] = await kBrowsers[browser](...parameters);
        ends.push(end);
        return page;
      }, browser);
    } catch (error) {
      error.message = `${browser}: ${error.message}`;
      throw error;
    }
    await Promise.all(ends.map((end) => end()));
  }
});

const until = (place, what) => poll(() => place.evaluate(what), String(what), 20);

// The code that the page of embed codes shows.
async function codeOf(id, query = '') {
  const text = await (await fetch(`${stage.svc}/embed-codes?url=${id}${query}`)).text();
  const [, escaped] = /<textarea id="code"[^>]*>([^<]*)</.exec(text);
  const kEntities = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'", '#10': '\n' };
  return escaped.replace(/&(lt|gt|quot|amp|#39|#10);/g, (_, name) => kEntities[name]);
}

const kFilms = { l4unchf1lm: 16 / 9, p0rtrait99: 9 / 16, cinema2391: 1920 / 804 };
const boxOf = (page) => page.evaluate(() => {
  const { left, right, width, height } = document.querySelector('iframe, .svc_embed').getBoundingClientRect();
  return { left, right, width, height, room: document.documentElement.clientWidth,
    all: document.documentElement.scrollWidth };
});
const frameOf = async (page) => (await page.waitForSelector('iframe')).contentFrame();

inBoth('pages-W91 a code fits into a narrow and a wide page, in the ratio of its film', async (open, browser) => {
  for (const [id, ratio] of Object.entries(kFilms)) {
    for (const width of [360, 1280]) {
      for (const query of ['', '&width=480', '&embedType=async', '&embedType=async&width=480']) {
        const page = await open(`<main style="max-width:800px">${await codeOf(id, query)}</main>`, { width });
        const async = query.includes('async');
        const place = async ? page : await frameOf(page);
        await until(place, () => document.querySelector('video[title][poster]') !== null);
        const box = await boxOf(page);
        const what = `${id} ${width} ${query}: ${JSON.stringify(box)}`;
        assert.ok(Math.abs(box.width / box.height - ratio) < 0.01, what);
        assert.ok(box.left >= 0 && box.right <= box.room && box.all <= box.room, what);
        const most = query.includes('width') ? 480 : ratio < 1 ? 360 : 800;
        assert.ok(Math.abs(box.width - Math.min(most, width - 16)) <= 1, what);
        // The picture fills the player: the poster has its ratio, too.
        const [video, poster] = await place.evaluate(async () => {
          const element = document.querySelector('video');
          const image = new Image();
          image.src = element.poster;
          await image.decode();
          return [element.clientWidth / element.clientHeight, image.naturalWidth / image.naturalHeight];
        });
        assert.ok(Math.abs(video - ratio) < 0.02 && Math.abs(poster - ratio) < 0.02, `${what} ${video} ${poster}`);
        if (browser === 'Chromium' && !query) await stage.shot(page, `page-code-${id}-${width}`);
      }
    }
  }
});

// The sanitizers of other sites, applied to an iframe by a browser.
const kSanitizers = {
  'all but the style': (frame) => frame.removeAttribute('style'),
  'what Mastodon keeps': (frame) => {
    const kept = ['allowfullscreen', 'frameborder', 'height', 'scrolling', 'src', 'width'];
    for (const { name } of [...frame.attributes]) if (!kept.includes(name)) frame.removeAttribute(name);
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms');
  },
};
for (const [what, sanitize] of Object.entries(kSanitizers)) {
  inBoth(`pages-W91 a code has its ratio and full screen after a sanitizer that leaves ${what}`, async (open) => {
    for (const [id, ratio] of Object.entries(kFilms)) {
      const page = await open('<main></main>');
      await page.evaluate(([code, clean]) => {
        const fresh = new DOMParser().parseFromString(code, 'text/html');
        const frame = fresh.querySelector('iframe');
        (0, eval)(`(${clean})`)(frame);
        document.querySelector('main').append(document.adoptNode(frame));
      }, [await codeOf(id), String(sanitize)]);
      const frame = await frameOf(page);
      await until(frame, () => document.querySelector('video[title]') !== null);
      const box = await boxOf(page);
      assert.ok(Math.abs(box.width / box.height - ratio) < 0.01 && box.right <= box.room, JSON.stringify(box));
      assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('iframe')).borderTopWidth), '0px');
      assert.equal(await frame.evaluate(() => document.fullscreenEnabled), true);
    }
  });
}

const segment = (page, from) => poll(() => page.asked.slice(from).some((url) => /\.(ts|m4s)$/.test(url)), 'a segment');

inBoth('pages-W91 the page of a code loads no player, and of two players one plays', async (open) => {
  const page = await open(await codeOf('l4unchf1lm', '&muted=false&width=320') + await codeOf('sm4ll480px', '&width=320'));
  const frames = await Promise.all((await page.$$('iframe')).map((each) => each.contentFrame()));
  assert.deepEqual(page.asked.filter((url) => url.startsWith(stage.svc) && /E-v1/.test(url)), []);
  assert.equal(await page.evaluate(() => typeof window.svc), 'undefined');
  const click = async (frame, title) => (await frame.waitForSelector(`button[aria-label="Play ${title}"]`)).click();
  const plays = (frame) => until(frame, () => document.querySelector('video').currentTime > 0.3 &&
    !document.querySelector('video').paused);
  const asked = page.asked.length;
  await click(frames[0], 'Launch film');
  // Firefox takes the gesture back after an evaluation: nothing is evaluated until a segment is requested.
  await segment(page, asked);
  await plays(frames[0]);
  const then = page.asked.length;
  await click(frames[1], 'A small film');
  await segment(page, then);
  await plays(frames[1]);
  await until(frames[0], () => document.querySelector('video').paused);
});

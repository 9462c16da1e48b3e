// stage: the environment of the tests: the service at SVC_URL, a web server on another origin that serves third-party
// pages, and a browser.
'use strict';

const assert = require('node:assert/strict');
const http = require('node:http');
const path = require('node:path');
const { test } = require('node:test');
const { launchChromium, takePicture } = require('./browsers.js');
const { kPatience } = require('./patience.js');

const kShots = path.join(__dirname, 'screenshots');

class Stage {
  // `browser: false`: without Chromium.
  async open({ browser = true } = {}) {
    if (!process.env.SVC_URL) throw new Error('SVC_URL says where the service is');
    this.svc = process.env.SVC_URL.replace(/\/$/, '');
    this.pages = new Map();
    this.server = http.createServer((request, response) => {
      const page = this.pages.get(request.url.split('?')[0]);
      response.writeHead(page ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8',
        ...(page && page.policy && { 'Content-Security-Policy': page.policy }), ...(page && page.headers) });
      response.end(page ? page.html : '');
    });
    await new Promise((resolve) => this.server.listen(Number(process.env.SVC_PAGES_PORT || 0), '127.0.0.1', resolve));
    // localhost is another site than 127.0.0.1, not only another origin.
    this.origin = `http://localhost:${this.server.address().port}`;
    if (browser) this.browser = await launchChromium();
  }

  async close() {
    await this.browser?.close();
    this.server?.closeAllConnections();
    await new Promise((resolve) => (this.server ? this.server.close(resolve) : resolve()));
  }

  // Returns the embed code from the service's oEmbed response.
  async code(kind, id, parameters = {}) {
    const query = new URLSearchParams({ url: `http://svc.localhost/${kind}/${id}`, ...parameters });
    const response = await fetch(`${this.svc}/oembed?${query}`);
    if (!response.ok) throw new Error(`oembed answered ${response.status} for ${query}`);
    return (await response.json()).html;
  }

  // Returns the block with that id of a page for developers, as it is printed.
  async block(page, id) {
    const text = await (await fetch(`${this.svc}/developers/${page}`)).text();
    const [, code] = new RegExp(`<code class="\\w+" id="${id}">([^]*?)</code>`).exec(text);
    const kEntities = { lt: '<', gt: '>', quot: '"', amp: '&' };
    return code.replace(/<[^>]*>/g, '').replace(/&(?:#(\d+)|(lt|gt|quot|amp));/g, (_, number, name) =>
      number ? String.fromCodePoint(number) : kEntities[name]);
  }

  // Adds a page of another site with this body. Returns its address.
  page(body, { policy, headers, before = '', lang = 'en' } = {}) {
    const name = `/${this.pages.size}.html`;
    this.pages.set(name, { policy, headers, html: `<!DOCTYPE html><html${lang && ` lang="${lang}"`}><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Somebody's page</title>${before}</head>
<body>${body}</body></html>` });
    return this.origin + name;
  }

  // Opens such a page. Its `problems` collects script errors and violations of the policy, `asked` the requested URLs.
  // `language`: of the browser.
  async show(body, { width = 900, height = 700, hasTouch = false, isMobile = false, language, userAgent, ...more } = {}) {
    const context = await this.browser.newContext({ viewport: { width, height }, hasTouch, isMobile, locale: language, userAgent });
    const page = await context.newPage();
    page.problems = [];
    page.asked = [];
    page.on('pageerror', (error) => page.problems.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) page.problems.push(message.text());
    });
    page.on('request', (request) => page.asked.push(request.url()));
    await page.goto(this.page(body, more));
    return page;
  }

  shot(page, name) {
    return takePicture(page, kShots, name);
  }
}

// Returns a function that declares a test with pages of the stage. No error may occur in them; `check` gets each.
const withPages = (stage, check = () => {}) => (name, run) => test(name, async () => {
  const opened = [];
  await run(async (...parameters) => {
    opened.push(await stage.show(...parameters));
    return opened.at(-1);
  });
  for (const page of opened) {
    assert.deepEqual(page.problems, []);
    check(page);
    await page.context().close();
  }
});

// Whether it is a beacon (api-B1): a POST that nothing waits for.
const isBeacon = (url) => /\/embed\/medias\/\w+\/viewing$/.test(url);

// Waits until the only video of a page or frame has played past that second, and shows a picture.
function playsPast(place, second = 2) {
  return place.waitForFunction((s) => {
    const video = document.querySelector('video');
    return video && video.currentTime > s && video.videoWidth > 0;
  }, second, kPatience);
}

// In the page: stops the only video at that second.
const toSecond = (second) => {
  const video = document.querySelector('video');
  video.pause();
  video.currentTime = second;
};
// In the page: whether the video has ended its seek and its captions show exactly that text.
const cue = (expected) => {
  const video = document.querySelector('video');
  const [shown] = [...video.textTracks].filter(({ mode }) => mode === 'showing');
  return !video.seeking && shown && shown.activeCues &&
    [...shown.activeCues].map(({ text }) => text).join() === expected;
};

// Turns the wheel, and returns how far the page has scrolled some frames after that event.
async function scrolledByWheel(page) {
  const heard = await page.evaluateHandle(() => ({ wheel: new Promise((resolve) => {
    addEventListener('wheel', resolve, { capture: true, once: true, passive: true });
  }) }));
  await page.mouse.wheel(0, 800);
  return heard.evaluate(async ({ wheel }) => {
    await wheel;
    for (let i = 0; i < 10; i++) await new Promise(requestAnimationFrame);
    return scrollY;
  });
}

// The colour of a pixel of the page, as red, green, blue and opacity.
async function colourAt(page, x, y) {
  const shot = await page.screenshot({ clip: { x: Math.round(x), y: Math.round(y), width: 4, height: 4 } });
  // The picture is 4 pixels of one colour: decoded by the browser itself.
  return page.evaluate(async (bytes) => {
    const canvas = new OffscreenCanvas(4, 4).getContext('2d');
    canvas.drawImage(await createImageBitmap(new Blob([new Uint8Array(bytes)])), 0, 0);
    return [...canvas.getImageData(1, 1, 1, 1).data];
  }, [...shot]);
}

module.exports = { colourAt, kPatience, Stage, cue, isBeacon, kShots, playsPast, scrolledByWheel, toSecond, withPages };

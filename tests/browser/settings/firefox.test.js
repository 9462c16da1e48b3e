// How pages of ours look in Firefox: a page of each kind. All pages are looked at in Chromium.
//
// Names begin with the ids of the contract's rules.
'use strict';

const assert = require('node:assert/strict');
const { after, afterEach, before, test } = require('node:test');
const { Stage, kPeople } = require('../oauth/stage.js');
const { kMouse, launchFirefox, takePicture } = require('../browsers.js');
const { findProblems, overflows } = require('../looks.js');
const { until } = require('../patience.js');

const kShots = `${__dirname}/../screenshots/firefox`;
const kFolder = '/settings/accounts/1001';
const kFilm = 'l4unchf1lm';
// Puppeteer cannot ask Firefox for these. Scroll bars take no room, as in the tests' Chromium.
const kScheme = { dark: 0, light: 1 };
const settingsOf = (scheme) => ({ ...kMouse, 'layout.css.prefers-color-scheme.content-override': kScheme[scheme],
  'ui.prefersReducedMotion': 1, 'ui.useOverlayScrollbars': 1 });

const stage = new Stage();
let firefox;
before(() => stage.open({ browser: false }));
afterEach(() => firefox?.close());
after(() => stage.close());

// Waits for the page that has this element, with its style sheets.
async function shows(page, selector) {
  await page.waitForSelector(selector);
  await page.waitForFunction(() => document.readyState === 'complete');
}
const show = async (page, path, selector) => {
  await page.goto(new URL(path, stage.svc).href);
  await shows(page, selector);
};

// The kinds of pages, and the way to each; the first are for visitors.
const kPages = {
  home: (page) => show(page, '/', 'body.home'),
  developers: (page) => show(page, '/developers/oembed', 'pre code'),
  watch: (page) => show(page, `/medias/${kFilm}`, '.stage iframe'),
  login: (page) => show(page, '/login', '#password'),
  settings: async (page) => {
    await show(page, '/login', '#password');
    await logIn(page, kPeople.olivia);
    await shows(page, '.menu summary bdi');
    await show(page, '/settings', 'main');
  },
  library: (page) => show(page, `${kFolder}/media`, '#media > li'),
  film: (page) => show(page, `${kFolder}/media/${kFilm}`, 'main h1'),
  statistics: async (page) => {
    await show(page, `${kFolder}/media/${kFilm}/stats`, 'main h1');
    await until(async () => await page.$('.bars') || !await page.reload(), 'the views are counted');
    await shows(page, '.bars');
    for (const table of await page.$$('main summary')) await table.click();
  },
  problems: async (page) => {
    await show(page, `${kFolder}/new-application`, 'main form');
    await page.evaluate(() => {
      const form = document.querySelector('main form');
      form.noValidate = true;
      form.requestSubmit();
    });
    await shows(page, '[role=alert]');
  },
  consent: (page) => show(page, stage.link('scheduler'), 'blockquote'),
};

async function logIn(page, { email, password }) {
  await page.type('#email', email);
  await page.type('#password', password);
  await page.click('main form button.primary');
}

async function look(scheme) {
  await stage.watch(kFilm);
  firefox = await launchFirefox(settingsOf(scheme));
  const page = await firefox.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  for (const [name, come] of Object.entries(kPages)) {
    await page.setViewport({ width: 1000, height: 800 });
    await come(page);
    assert.equal(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches), scheme === 'dark');
    // As checkLooks() does in Chromium.
    for (const width of scheme === 'light' ? [1000, 320] : [1000]) {
      await page.setViewport({ width, height: 800 });
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      if (height > 800) await page.setViewport({ width, height });
      const only = scheme === 'dark' ? ['color-contrast'] : undefined;
      assert.deepEqual(await findProblems(page, { only, frames: false }), [], `${name}, ${width}`);
      assert.deepEqual(await overflows(page), [], `${name}, ${width}`);
      await takePicture(page, kShots, `${name}-${width}-${scheme}`);
    }
    assert.deepEqual(problems, [], name);
  }
}

test('pages-W2 axe-core finds no problem in Firefox, light', () => look('light'));
test('pages-W2 axe-core finds no problem in Firefox, dark', () => look('dark'));

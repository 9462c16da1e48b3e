// A private film in pages of another site, with a valid link and with an expired link. tests/e2e/test_private_film.py
// uploads the film, and makes the links: SVC_WATCH and SVC_ENDED.
'use strict';

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Stage } = require('../stage.js');
const { frameOf, kAsked, kConsumers, kWaits, plays, viewersOf } = require('./viewers.js');

const { SVC_MEDIA: kId, SVC_WATCH: kLink, SVC_ENDED: kEnded } = process.env;
const kSilent = { autoPlay: 'true', muted: 'true' };
const stage = new Stage();
const browsers = viewersOf(stage);

const code = (embedType, more = {}) => stage.code('medias', `${kId}?watch=${kLink}`, { ...kSilent, embedType, ...more });
const saysWhy = () => {
  const host = document.querySelector('svc-player');
  const notice = (host?.shadowRoot || document).querySelector('[data-svc-notice="closed"]');
  return Boolean(notice && /This video is private/.test(notice.textContent) && !notice.querySelector('button'));
};
const pageSaysWhy = () => /This link has expired/.test(document.body.textContent) && !document.querySelector('video');

const itself = (page) => page;

const kWays = [
  ['iframe', frameOf, pageSaysWhy],
  ['async', itself, saysWhy],
  ['web_component', itself, saysWhy],
];
for (const [browser, newPage] of Object.entries(browsers)) {
  for (const [type, place, why] of kWays) {
    test(`${browser}: a private film in the code ${type} plays with watch, its link, and not with an expired link, and tells why`, async () => {
      const html = await code(type);
      const page = await newPage();
      await page.goto(stage.page(html));
      await kWaits[browser](await place(page), plays);
      assert.ok(html.includes(kLink));
      await page.goto(stage.page(html.replaceAll(kLink, kEnded)));
      await kWaits[browser](await place(page), why);
      await page.close();
    });
  }
  for (const [name, filter] of Object.entries(kConsumers)) {
    test(`${browser}: a private film in a frame of ${name} plays with its link, not with an expired link`, async () => {
      const html = filter(await code('iframe', kAsked));
      const page = await newPage();
      await page.goto(stage.page(html));
      await kWaits[browser](await frameOf(page), plays);
      await page.goto(stage.page(html.replaceAll(kLink, kEnded)));
      await kWaits[browser](await frameOf(page), pageSaysWhy);
      await page.close();
    });
  }
  test(`${browser}: the page of a private film plays with its link`, async () => {
    const page = await newPage();
    await page.goto(`${stage.svc}/medias/${kId}?watch=${kLink}`);
    const frame = await frameOf(page);
    await kWaits[browser](frame, () => Boolean(document.querySelector('[aria-label^="Play"], video')));
    await frame.evaluate(() => { document.querySelector('video').muted = true; window.svcEmbed.play(); });
    await kWaits[browser](frame, plays);
    await page.close();
  });
}

test('a player whose addresses have ended asks for new ones, and plays on', async () => {
  const html = await code('async');
  const page = await browsers.Chromium();
  let asked = 0;
  await page.route(/\/embed\/medias\/\w+\.json/, async (route) => {
    const response = await route.fetch();
    asked += 1;
    const text = await response.text();
    // As after their end: nginx and the manifest refuse them.
    const ended = text.replace(/signed-files\/.{22}/g, `signed-files/${'x'.repeat(22)}`)
      .replace(/(\.m3u8\?watch=)[^"]*/, `$1${kEnded}`);
    await route.fulfill({ response, body: asked === 1 ? ended : text });
  });
  await page.goto(stage.page(html));
  await kWaits.Chromium(page, plays);
  assert.equal(asked, 2);
  await page.close();
});

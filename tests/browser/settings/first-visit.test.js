// A visitor who sees this service for the first time, in Chromium and Firefox: their clicks, copies and pastes, and the
// pages that result.
//
// Names begin with the ids of the contract's rules.
'use strict';

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { after, before, test } = require('node:test');
const { close, inBrowsers, open, stage } = require('../both.js');
const { kPeople } = require('../oauth/stage.js');
const { noteCopies, until: poll } = require('../patience.js');

before(open);
after(close);

const kOwnPage = '<label for="source">My page</label><textarea id="source" rows="9" cols="80"></textarea>';

// Waits until the expression is truthy in the page, also if the page changes during the wait. Returns its value.
const there = (page, what, ...values) => poll(() => page.evaluate(what, ...values).catch(() => null), String(what), 20);

// Clicks the link or button with these words, as a visitor does: where it is seen. A link has led to another page then.
async function click(page, words) {
  const { x, y, leads } = await there(page, async (name) => {
    const one = [...document.querySelectorAll('a, button')].find((each) => each.checkVisibility() &&
      each.textContent.trim() === name);
    if (!one) return null;
    one.scrollIntoView({ block: 'center', behavior: 'instant' });
    await new Promise(requestAnimationFrame);
    const { left, top, width, height } = one.getBoundingClientRect();
    window.isOld = true;
    return { x: left + width / 2, y: top + height / 2, leads: one.matches('a') };
  }, words);
  await page.mouse.click(x, y);
  if (leads) await there(page, () => !window.isOld);
}

// Copies by that button, and pastes into a page of the visitor. Returns that page and the pasted text.
async function carried(openPage, page, words) {
  await there(page, (name) => [...document.querySelectorAll('button')].some((one) => one.textContent.trim() === name), words);
  await noteCopies(page);
  await click(page, words);
  await there(page, 'window.isCopied');
  const own = await openPage(kOwnPage);
  await own.focus('#source');
  await own.keyboard.down('Control');
  await own.keyboard.press('v');
  await own.keyboard.up('Control');
  return [own, await there(own, "document.querySelector('#source').value")];
}

// The present picture of the video, in 64 × 36 pixels.
const picture = () => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [64, 36];
  const context = canvas.getContext('2d');
  context.drawImage(document.querySelector('video'), 0, 0, 64, 36);
  return [...context.getImageData(0, 0, 64, 36).data];
};
const past = (frame, second) => poll(() => frame.evaluate((s) => {
  const { currentTime, paused, videoWidth } = document.querySelector('video');
  return !paused && videoWidth > 0 && currentTime > s;
}, second), `second ${second}`, 20);

const kWays = {
  'by the film of the start page': ['Copy the code'],
  'by the page of embed codes': ['Get an embed code', 'an example', 'Copy the code'],
};
for (const [way, words] of Object.entries(kWays)) {
  test(`pages-W125 from the start page to a player that plays in a page of the visitor, ${way}`, inBrowsers(async (openPage) => {
    const page = await openPage('<p>');
    await page.context?.().grantPermissions(['clipboard-write'], { origin: stage.svc }); // Firefox asks for none
    await page.goto(`${stage.svc}/`);
    for (const each of words.slice(0, -1)) await click(page, each);
    assert.ok(words.length + 1 <= 4, 'clicks, with the one that plays');
    const [own, pasted] = await carried(openPage, page, words.at(-1));
    const asked = [];
    own.on('request', (request) => asked.push(request.url()));
    await own.goto(stage.page(pasted));
    const frame = await (await own.waitForSelector('iframe')).contentFrame();
    await poll(() => frame.evaluate(() => Boolean(document.querySelector('video[title][poster]'))), 'the player', 20);
    const box = await own.evaluate(() => {
      const { x, y, width, height } = document.querySelector('iframe').getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    });
    await own.mouse.click(box.x, box.y);
    // Firefox takes the gesture back after an evaluation: nothing is evaluated until a segment is requested.
    await poll(() => asked.some((url) => /\.(ts|m4s|mp4)$/.test(url)), 'a segment', 20);
    await past(frame, 0.3);
    const first = await frame.evaluate(picture);
    await past(frame, 1.5);
    const second = await frame.evaluate(picture);
    assert.notDeepEqual(second, first, 'the picture moves');
  }));
}

test('pages-W127 from the start page to an access token that works, by the pages for developers alone', inBrowsers(async (openPage) => {
  const page = await openPage('<p>');
  await page.context?.().grantPermissions(['clipboard-write'], { origin: stage.svc });
  await page.goto(`${stage.svc}/`);
  const name = `First script, ${Date.now()}`;
  for (const words of ['Developers', 'Scripts and agents', 'the settings']) await click(page, words);
  await there(page, "document.querySelector('#password') !== null");
  await page.type('input[name=email]', kPeople.olivia.email);
  await page.type('#password', kPeople.olivia.password);
  await page.keyboard.press('Enter');
  await click(page, 'Account tokens of Acme Films');
  await there(page, "document.querySelector('#name') !== null");
  await page.type('#name', name);
  await page.click('input[value="media:read"]');
  await click(page, 'Create token');
  const [, token] = await carried(openPage, page, 'Copy the token');

  // Runs the guide's script with this token.
  const guide = await openPage('<p>');
  await guide.goto(`${stage.svc}/developers/scripts`);
  const lines = await guide.evaluate(() => document.getElementById('script').textContent);
  const printed = execFileSync('sh', ['-euc', lines.replace('svcp_…', token)], { encoding: 'utf8' });
  assert.equal(JSON.parse(printed).length, 3);
}));

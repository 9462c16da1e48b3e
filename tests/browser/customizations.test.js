// A film that an application has customized (SVC_CUSTOMIZED: green, without a position bar, silent), in Chromium: its
// options apply in each kind of code, and those of the code take precedence.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { colourAt, playsPast, Stage, withPages } = require('./stage.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

const plays = withPages(stage);
const id = process.env.SVC_CUSTOMIZED;
const code = (parameters) => stage.code('medias', id, parameters);
const kRed = [255, 0, 0, 255];
const kGreen = [0, 255, 0, 255];

// The colour of the circular button with the film's name, left of its sign.
async function colourOf(page, place, name = 'Play Uploaded film') {
  const button = place.getByRole('button', { name });
  await button.waitFor();
  const { x, y, width, height } = await button.boundingBox();
  return colourAt(page, x + width / 8, y + height / 2);
}

for (const [kind, parameters] of [['async', { embedType: 'async' }], ['iframe', {}]]) {
  plays(`api-Z2 ${kind}: the colour and the bar are the film's, unless the code has its own`, async (open) => {
    for (const [own, colour, isShown] of [[{}, kGreen, false], [{ playerColor: 'ff0000', playbar: 'true' }, kRed, true]]) {
      const page = await open(await code({ ...parameters, ...own }));
      const place = kind === 'async' ? page : await (await page.waitForSelector('iframe')).contentFrame();
      assert.deepEqual(await colourOf(page, place), colour);
      await place.getByRole('button', { name: 'Play Uploaded film' }).click();
      await playsPast(place, 0.2);
      await place.getByRole('button', { name: 'Full screen' }).waitFor({ state: 'attached' });
      assert.equal(await place.locator('.seek').evaluate((bar) => !bar.hidden), isShown);
      assert.equal(await place.locator('video').evaluate((video) => video.muted), true);
      await stage.shot(page, `customized-${kind}-${isShown}`);
    }
  });
}

plays('api-Z2 popover: the thumbnail and the dialog are as the film has them, unless the code has its own', async (open) => {
  for (const [own, colour, isSilent] of [[{}, kGreen, true], [{ playerColor: 'ff0000', muted: 'false' }, kRed, false]]) {
    const page = await open(await code({ embedType: 'async_popover', width: '400', ...own }));
    const opener = page.getByRole('button', { name: 'Play Uploaded film' });
    const { x, y, width, height } = await opener.boundingBox();
    assert.deepEqual(await colourAt(page, x + width / 2 - 15, y + height / 2), colour);
    await opener.click();
    await playsPast(page, 0.2);
    assert.equal(await page.locator('dialog video').evaluate((video) => video.muted), isSilent);
  }
});

test('api-Z2 a volume that the page has set before the film is known stays', async () => {
  const page = await stage.browser.newPage();
  let answer;
  await page.route(`**/embed/medias/${id}.json`, (route) => { answer = () => route.continue(); });
  await page.goto(stage.page(await code({ embedType: 'async' })));
  await page.waitForFunction(() => window.svcEmbed);
  await page.evaluate(() => { window.svcEmbed.volume(0.25); });
  answer();
  await page.getByRole('button', { name: 'Play Uploaded film' }).waitFor();
  assert.equal(await page.evaluate(() => window.svcEmbed.video.volume), 0.25);
  await page.close();
});

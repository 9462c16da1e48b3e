// The start page, the media page and the page of embed codes in a real browser, and what error summaries do. Pictures
// are in ../screenshots/public/ if SVC_PICTURES is set.
//
// Names begin with the ids of the contract's rules.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { Stage, kPeople, logIn, button } = require('../oauth/stage.js');
const { checkLooks, overflows } = require('../looks.js');
const { copyBy, kPatience, until } = require('../patience.js');

const stage = new Stage();
before(async () => {
  await stage.open();
});
after(() => stage.close());

const kPages = {
  start: '/',
  design: '/design',
  developers: '/developers',
  'developers-embed': '/developers/embed',
  'developers-player': '/developers/player',
  'developers-control': '/developers/control',
  'developers-component': '/developers/component',
  'developers-oembed': '/developers/oembed',
  'developers-policy': '/developers/policy',
  'developers-oauth': '/developers/oauth',
  'developers-scripts': '/developers/scripts',
  'developers-api': '/developers/api',
  'developers-limits': '/developers/limits',
  'developers-changelog': '/developers/changelog',
  media: '/medias/l4unchf1lm',
  'media-portrait': '/medias/p0rtrait99',
  'media-hostile': '/medias/xss0title1',
  'media-times': '/medias/t1mes00001',
  'media-logo': '/medias/un1c0de777',
  'problem-none': '/medias/n0tthere00',
  'problem-queued': '/medias/qu3u3d0001',
  'problem-document': '/medias/pdf0file01',
  'problem-private': '/medias/pr1vate001',
  'problem-link': '/medias/pr1vate001?watch=wrong',
  'problem-of-nginx': '/no/such/page',
  'embed-codes-empty': '/embed-codes',
  'embed-codes': '/embed-codes?url=l4unchf1lm',
  'embed-codes-popover': '/embed-codes?url=l4unchf1lm&embedType=async_popover',
  'embed-codes-tags': '/embed-codes?url=l4unchf1lm&embedType=open_graph_tags',
  'embed-codes-portrait': '/embed-codes?url=p0rtrait99',
  'embed-codes-element': '/embed-codes?url=l4unchf1lm&embedType=web_component',
  'embed-codes-refused': '/embed-codes?url=l4unchf1lm&width=0&playerColor=red&volume=2',
  'embed-codes-unknown': '/embed-codes?url=aud10only1',
};

test('pages-W1 pages-W2 public pages pass axe-core, and nothing overflows', async () => {
  for (const [name, where] of Object.entries(kPages)) {
    const page = await stage.window();
    await page.goto(stage.svc + where);
    await checkLooks(page, name, (picture) => stage.shot(page, `../public/${picture}`),
      { widths: { 1280: 1280, 360: 360 }, frames: false });
    assert.deepEqual(page.problems, [], name);
    await page.context().close();
  }
});

test('pages-W2 the film of the start page plays for viewers who accept motion, and waits for the others', async () => {
  for (const [reducedMotion, playing] of [['reduce', false], ['no-preference', true]]) {
    const page = await stage.window();
    await page.emulateMedia({ reducedMotion });
    await page.goto(stage.svc);
    const shown = page.locator('.stage iframe').filter({ visible: true });
    assert.equal(await shown.count(), 1);
    const video = (await (await shown.elementHandle()).contentFrame()).locator('video');
    await video.waitFor({ state: 'attached' });
    if (playing) {
      for (const end = Date.now() + kPatience.timeout; !await video.evaluate((one) => one.currentTime > 0.5);) {
        assert.ok(Date.now() < end, 'it plays');
      }
    }
    assert.equal(page.asked.some((url) => url.includes('autoPlay=true')), playing);
    assert.equal(await video.evaluate((one) => one.paused), !playing);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

test('a page of embed codes without a code explains its use, and has an example', async () => {
  const page = await stage.window();
  await page.goto(`${stage.svc}/embed-codes`);
  await page.getByText('The player and its code appear here.').waitFor();
  await page.getByRole('link', { name: 'an example' }).click();
  await page.getByLabel('Embed code', { exact: true }).waitFor();
  assert.equal(await page.getByText('The player and its code appear here.').count(), 0);
  // On a phone the code is above the long form.
  await page.setViewportSize({ width: 360, height: 640 });
  const top = async (what) => (await what.boundingBox()).y;
  assert.ok(await top(page.getByLabel('Embed code', { exact: true })) < await top(page.getByLabel('Video or playlist')));
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('the media page has the ratio of its video, and copies its link and code', async () => {
  for (const [id, ratio] of [['l4unchf1lm', 1920 / 1080], ['p0rtrait99', 1080 / 1920], ['cinema2391', 1920 / 804]]) {
    for (const width of [360, 1280]) {
      const page = await stage.window({ width, height: 800 });
      await page.goto(`${stage.svc}/medias/${id}`);
      const box = await page.locator('.stage iframe').boundingBox();
      assert.ok(Math.abs(box.width / box.height - ratio) < 0.02, `${id} is ${box.width} × ${box.height}`);
      assert.ok(box.height <= 640.5 && box.width > 200, `${id} is ${box.width} × ${box.height}`);
      await page.context().close();
    }
  }
  const page = await stage.window();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${stage.svc}/medias/l4unchf1lm`);
  for (const [name, label] of [['Copy the link', 'Link'], ['Copy the embed code', 'Embed code']]) {
    await copyBy(page, button(page, name));
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.getByLabel(label).inputValue());
    await button(page, name).waitFor();
  }
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('the media page has the transcript of a file of captions, once it has come', async () => {
  const page = await stage.window();
  await page.goto(`${stage.svc}/medias/l4unchf1lm`);
  await page.getByText('Transcript', { exact: true }).click();
  const paragraph = page.locator('[data-captions] .transcript p').first();
  assert.match(await paragraph.innerText(), /^0:0\d Second \d Second \d/);
  assert.equal(await page.locator('.transcript').getAttribute('lang'), 'en');
  assert.deepEqual(page.problems, []);
  await page.route('**/en.vtt', (route) => route.fulfill({ status: 404, body: 'WEBVTT' }));
  await Promise.all([page.waitForResponse('**/en.vtt'), page.reload()]);
  assert.equal(await page.getByText('Transcript', { exact: true }).isVisible(), false);
  await page.context().close();
});

// Captions as long as those of a film: the box shows a part of them.
const kWords = 'and then they went on, for a while, down the road';
const kLongCaptions = `WEBVTT\n\n${Array.from({ length: 8 }, (_, at) =>
  `00:0${at}.000 --> 00:0${at}.900\nSecond ${at} ${`${kWords} `.repeat(20)}caf\u00e9 ${at}\n\n`).join('')}` +
  '00:20.000 --> 00:21.000\nThe last words\n';

// The page of a film with chapters, with its player ready. `scrolls` has the places to which the page has scrolled.
async function filmPage(width) {
  const page = await stage.window({ width, height: 700 });
  await page.route('**/en.vtt', (route) => route.fulfill({ contentType: 'text/vtt', body: kLongCaptions,
    headers: { 'access-control-allow-origin': '*' } }));
  let loads = 0;
  page.on('load', () => { loads++; });
  await page.goto(`${stage.svc}/medias/t1mes00001`);
  const frame = await (await page.waitForSelector('.stage iframe')).contentFrame();
  await frame.getByRole('button', { name: 'Play Film with chapters' }).waitFor();
  await page.getByText('Transcript', { exact: true }).click();
  await page.locator('.transcript p').first().waitFor();
  return { page, frame, loaded: () => loads };
}
const current = (page, place) => page.locator(`${place} [aria-current]`).innerText();
// Whether the marked cue is in view in its box.
const follows = () => {
  const box = document.querySelector('.transcript');
  const now = box.querySelector('[aria-current]')?.getBoundingClientRect();
  const { top, bottom } = box.getBoundingClientRect();
  return Boolean(now && now.top < bottom && now.bottom > top);
};

test('pages-W153 a time of a chapter seeks in the player, and the transcript follows in its own box', async () => {
  for (const width of [360, 1280]) {
    const { page, frame, loaded } = await filmPage(width);
    const time = () => frame.evaluate(() => document.querySelector('video').currentTime);
    await page.evaluate(() => { window.stays = true; });
    await page.getByRole('link', { name: '0:03' }).click();
    await until(async () => await time() >= 3 && !await frame.evaluate(() => document.querySelector('video').paused), 'it plays from 3 s on');
    assert.ok(await time() < 8);
    assert.match(await current(page, 'section.times'), /0:03 Middle/);
    const scrolled = await page.evaluate(() => scrollY);
    await until(async () => /^Second [4-7]/.test(await current(page, '.transcript')), 'the cue that plays is marked');
    assert.ok(await page.evaluate(follows), 'the box shows it');
    assert.equal(await page.evaluate(() => scrollY), scrolled, 'the page stays');
    await stage.shot(page, `../public/film-plays-${width}`);
    // A viewer who reads elsewhere is left there.
    await frame.evaluate(() => document.querySelector('video').pause());
    await page.evaluate(() => { document.querySelector('.transcript').scrollTop = 0; });
    await page.evaluate(() => { // the next message of the player
      window.told = new Promise((resolve) => { addEventListener('message', ({ data }) => { if (/timeupdate/.test(data)) setTimeout(resolve); }); });
    });
    await frame.evaluate(() => { document.querySelector('video').currentTime = 7.2; });
    await page.evaluate(() => window.told);
    await until(async () => /^Second 7/.test(await current(page, '.transcript')), 'another cue is marked');
    assert.equal(await page.evaluate(() => document.querySelector('.transcript').scrollTop), 0);
    assert.match(await current(page, 'section.times'), /0:06 End/);
    // A time of the transcript.
    await page.locator('.transcript a').first().click();
    await until(async () => await time() < 3, 'it plays from the beginning');
    assert.deepEqual([loaded(), await page.evaluate(() => window.stays), page.problems], [1, true, []]);
    assert.equal(new URL(page.url()).search, '');
    await page.context().close();
  }
});

test('pages-W153 the transcript finds words, also across cues and without accents', async () => {
  for (const width of [360, 1280]) {
    const { page } = await filmPage(width);
    const field = page.getByLabel('Search the transcript');
    const marked = () => page.locator('.transcript mark.now').allInnerTexts();
    await field.fill('CAFE');
    await page.getByText('1 / 8').waitFor();
    assert.deepEqual(await marked(), ['caf\u00e9']);
    await field.press('Enter');
    await page.getByText('2 / 8').waitFor();
    await field.press('Shift+Enter');
    await field.press('Shift+Enter');
    await page.getByText('8 / 8').waitFor();
    const box = await page.locator('.transcript').boundingBox();
    const mark = await page.locator('.transcript mark.now').boundingBox();
    assert.ok(mark.y >= box.y && mark.y + mark.height <= box.y + box.height + 1, 'it is shown');
    await stage.shot(page, `../public/film-search-${width}`);
    await field.fill('cafe 2 second 3');
    await page.getByText('1 / 1').waitFor();
    assert.deepEqual(await marked(), ['caf\u00e9 2', 'Second 3']);
    await field.fill('nowhere');
    await page.getByText('Not found').waitFor();
    await field.fill('');
    assert.equal(await page.locator('.transcript mark').count(), 0);
    assert.deepEqual(page.problems, []);
    // With marks, and whole: axe-core cannot tell the ground of texts that a box hides.
    await field.fill('cafe');
    await page.locator('.transcript').evaluate((box) => {
      box.style.maxHeight = 'none';
      box.querySelector('[data-at]').setAttribute('aria-current', 'true');
    });
    await checkLooks(page, `media-transcript-${width}`, (picture) => stage.shot(page, `../public/${picture}`), { widths: { [width]: width }, frames: false });
    await page.context().close();
  }
});

test('pages-W153 without scripts, and with a key for another tab, a time is a link', async () => {
  const page = await stage.window({ scripts: false });
  await page.goto(`${stage.svc}/medias/t1mes00001`);
  await page.getByRole('link', { name: '0:03' }).click();
  await page.waitForURL(/\?time=3$/);
  assert.match(await page.locator('.stage iframe').getAttribute('src'), /time=3/);
  assert.equal(await page.getByLabel('Search the transcript').isVisible(), false);
  await page.context().close();
  const film = await filmPage(1280);
  const [tab] = await Promise.all([film.page.context().waitForEvent('page'),
    film.page.getByRole('link', { name: '0:03' }).click({ modifiers: ['Control'] })]);
  await tab.waitForURL(/\?time=3$/);
  await film.page.context().close();
});

test('pages-W6 without scripts the media page has the player in its ratio, and plays', async () => {
  for (const [id, ratio] of [['l4unchf1lm', 1920 / 1080], ['p0rtrait99', 1080 / 1920], ['mp4only001', 16 / 9]]) {
    const page = await stage.window({ scripts: false });
    await page.goto(`${stage.svc}/medias/${id}`);
    const { x, y, width, height } = await page.locator('.stage iframe').boundingBox();
    assert.ok(Math.abs(width / height - ratio) < 0.02 && height > 300, `${id} is ${width} × ${height}`);
    const frame = await (await page.waitForSelector('iframe')).contentFrame();
    const video = frame.locator('video');
    const shown = await video.boundingBox();
    assert.deepEqual([shown.x, shown.y, shown.width, shown.height].map(Math.round),
      [x, y, width, height].map(Math.round));
    const poster = await page.screenshot({ clip: { x, y, width, height } });
    // The browser's own button, by keyboard: it is in no place that all releases share.
    await video.focus();
    await page.keyboard.press(' ');
    const state = () => video.evaluate(({ currentTime, videoWidth }) => currentTime > 0.5 && videoWidth > 0);
    for (const end = Date.now() + kPatience.timeout; !await state();) assert.ok(Date.now() < end, id);
    assert.notDeepEqual(await page.screenshot({ clip: { x, y, width, height } }), poster);
    await page.goto(`${stage.svc}/embed-codes?url=${id}`);
    const preview = await page.locator('.stage iframe').boundingBox();
    assert.ok(Math.abs(preview.width / preview.height - ratio) < 0.02 && preview.height > 200,
      `the preview of ${id} is ${preview.width} × ${preview.height}`);
    await page.context().close();
  }
});

test('pages-W35 a frame without a video is a dark notice without a link, in a page of another site', async () => {
  for (const [path, words] of [['iframe/n0b0dyh4s1t', 'No such video'], ['playlists/n0b0dyh4s1t', 'No such video'],
    ['iframe/aud10only1', 'Nothing to play here']]) {
    for (const scheme of ['light', 'dark']) {
      const page = await stage.window({ scheme });
      await page.goto(stage.application.replace('127.0.0.1', 'localhost'));
      await page.evaluate((src) => {
        document.body.innerHTML = `<iframe src="${src}" width="320" height="180" style="border:0"></iframe>`;
      }, `${stage.svc}/embed/${path}`);
      const frame = await (await page.waitForSelector('iframe')).contentFrame();
      await frame.getByRole('heading', { name: words }).waitFor();
      assert.equal(await frame.locator('a, button, form').count(), 0);
      assert.ok(await frame.evaluate(() => document.scrollingElement.scrollHeight <= innerHeight));
      const { x, y, width, height } = await page.locator('iframe').boundingBox();
      const shot = await page.screenshot({ clip: { x, y, width, height } });
      // Dark up to the corners, with bright letters.
      const [corner, brightest] = await page.evaluate(async (bytes) => {
        const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        canvas.drawImage(bitmap, 0, 0);
        const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
        return [Math.max(...data.subarray(0, 3), ...data.subarray(-4, -1)),
          data.reduce((most, value, index) => (index % 4 === 3 ? most : Math.max(most, value)), 0)];
      }, [...shot]);
      assert.ok(corner < 48 && brightest > 200, `${path} ${scheme}: ${corner}, ${brightest}`);
      await page.context().close();
    }
  }
});

test('pages-W35 the notice of a small frame is whole, with the id of its request in one line', async () => {
  const page = await stage.window({ width: 328, height: 185 });
  await page.goto(`${stage.svc}/embed/iframe/n0b0dyh4s1t`);
  // The sentences of a worker without a store.
  await page.evaluate((id) => {
    document.querySelector('p').textContent = 'The problem is on our side. Nothing was changed. Please try again in a moment.';
    document.querySelector('main').insertAdjacentHTML('beforeend', `<p>Request <code>${id}</code></p>`);
  }, '8f14e45fceea167a5a36dedd4bea2543');
  const fits = () => page.evaluate(() => document.querySelector('main').scrollHeight <= innerHeight);
  assert.equal(await page.locator('code').evaluate((code) => code.getClientRects().length), 1);
  assert.ok(await fits());
  // As small as a frame in a list of videos: the sentences, and the id further down.
  await page.setViewportSize({ width: 200, height: 113 });
  const { y, height } = await page.locator('p').first().boundingBox();
  assert.ok(y > 0 && y + height <= 113, `the sentences end at ${y + height}`);
  await page.context().close();
});

test('form, preview and code are visible together, and change with a choice', async () => {
  const page = await stage.window({ width: 1280, height: 800 });
  await page.goto(`${stage.svc}/embed-codes?url=l4unchf1lm`);
  const code = page.getByLabel('Embed code', { exact: true });
  const [form, preview, box] = await Promise.all([page.locator('#choice'), page.locator('#preview iframe'), code]
    .map((part) => part.boundingBox()));
  assert.ok(preview.y >= 0 && box.y > preview.y && box.y + box.height <= 800, JSON.stringify(box));
  assert.ok(box.x > form.x + form.width && preview.x > form.x + form.width, 'beside the form');
  assert.match(await code.inputValue(), /<iframe src="[^"]*l4unchf1lm" /);

  await page.locator('#picker').evaluate((picker) => {
    picker.value = '#ff0000';
    picker.dispatchEvent(new Event('input', { bubbles: true }));
    picker.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await page.waitForFunction(() => document.getElementById('code').value.includes('playerColor=ff0000'));
  assert.match(await page.locator('#preview iframe').getAttribute('src'), /playerColor=ff0000$/);
  assert.match(page.url(), /playerColor=ff0000/);
  assert.match(await page.locator('#template-3').inputValue(), /svc_async_l4unchf1lm/);

  // A refused value: its reason at the field, no code, and the focus stays where the user is.
  await page.getByLabel('Width, in pixels').fill('0');
  await page.getByLabel('Height, in pixels').focus();
  await page.locator('#width-problem').waitFor();
  assert.equal(await page.getByLabel('Width, in pixels').getAttribute('aria-describedby'), 'width-problem');
  assert.equal(await code.count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'height');
  await page.getByLabel('Width, in pixels').fill('320');
  await page.getByLabel('Height, in pixels').focus();
  await code.waitFor();
  assert.match(await code.inputValue(), /width="320" height="180"/);
  assert.equal(await page.locator('#width-problem').count(), 0);
  await button(page, 'Copy the code').waitFor();
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a summary of errors takes the focus, and its links lead to the fields', async () => {
  const page = await stage.window();
  await page.goto(`${stage.svc}/settings/accounts/1001/new-application`);
  await logIn(page, kPeople.olivia);
  await page.getByLabel('Name', { exact: true }).waitFor();
  await page.evaluate(() => { document.querySelector('main form').noValidate = true; });
  await button(page, 'Register the application').click();
  const alert = page.getByRole('alert');
  await alert.waitFor();
  await page.waitForFunction(() => document.activeElement.getAttribute('role') === 'alert');
  for (const [name, id] of [[/Enter a name/, 'name'], [/Enter the address/, 'redirect_uri'],
    [/at least one permission/, 'scopes']]) {
    await alert.getByRole('link', { name }).click();
    assert.equal(await page.evaluate(() => document.activeElement.id), id);
  }
  await page.goto(`${stage.svc}/embed-codes?url=l4unchf1lm&width=0`);
  await page.waitForFunction(() => document.activeElement.getAttribute('role') === 'alert');
  await page.getByRole('link', { name: /^Width/ }).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), 'width');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('the menu of the bar opens by keyboard, Escape closes it, and it works without scripts', async () => {
  for (const scripts of [true, false]) {
    const page = await stage.window({ width: 360, scripts });
    await page.goto(`${stage.svc}/settings`);
    await logIn(page, kPeople.manuel);
    await page.locator('.menu summary').focus();
    await page.keyboard.press('Enter');
    await button(page, 'Log out').waitFor();
    await page.locator('.panel').getByRole('link', { name: 'Embed codes' }).waitFor();
    if (scripts) {
      await page.keyboard.press('Escape');
      await button(page, 'Log out').waitFor({ state: 'hidden' });
      assert.equal(await page.evaluate(() => document.activeElement.tagName), 'SUMMARY');
      await page.locator('.menu summary').click();
      await page.locator('.foot').click();
      await button(page, 'Log out').waitFor({ state: 'hidden' });
      await page.locator('.menu summary').click();
    }
    await button(page, 'Log out').click();
    await button(page, 'Log in').waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

test('fields and buttons are at least 44 px high and have the font of the page, from right to left too', async () => {
  for (const width of [320, 1280]) {
    const page = await stage.window({ width });
    await page.goto(`${stage.svc}/design`);
    for (const direction of ['ltr', 'rtl']) {
      await page.evaluate((dir) => { document.documentElement.dir = dir; }, direction);
      assert.deepEqual(await overflows(page), [], `${width} ${direction}`);
    }
    const small = await page.evaluate(() => [...document.querySelectorAll(
      'button:not(.link), .button, input:not([type=radio], [type=checkbox]), select, textarea, label.choice, summary, nav a')]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 43.9)
      .map((one) => `${one.outerHTML.slice(0, 60)}: ${one.getBoundingClientRect().height}`));
    assert.deepEqual(small, []);
    const fonts = await page.evaluate(() => [...document.querySelectorAll('button, select, input:not(.code, [type=radio], [type=checkbox]), textarea')]
      .map((one) => getComputedStyle(one).fontFamily).filter((font) => font !== getComputedStyle(document.body).fontFamily));
    assert.deepEqual(fonts, []);
    await page.context().close();
  }
});

test('in forced colours the current place and the primary button can be told apart', async () => {
  const page = await stage.window({ width: 1280 });
  await page.emulateMedia({ forcedColors: 'active' });
  await page.goto(`${stage.svc}/embed-codes`);
  const [current, other] = await page.locator('.places a').evaluateAll((links) => {
    const line = (link) => getComputedStyle(link).textDecorationLine;
    return [line(links.find((one) => one.ariaCurrent)), line(links.find((one) => !one.ariaCurrent))];
  });
  assert.deepEqual([current, other], ['underline', 'none']);
  const border = await button(page, 'Show the code').evaluate((one) => getComputedStyle(one).borderTopWidth);
  assert.notEqual(border, '0px');
  await page.context().close();
});

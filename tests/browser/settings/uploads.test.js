// The page for media in Chromium and Firefox: a film is uploaded, its progress followed, its embed code copied; and how
// the page looks: light and dark, wide and narrow, and by the rules for screen readers. Pictures are in
// ../screenshots/settings/ if SVC_PICTURES is set.
//
// Names begin with the ids of the contract's rules. SVC_FILM is a film, SVC_PHOTO a photograph of 4000 × 3000, SVC_SESSION_OLIVIA
// the cookie of a session.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { after, before, test } = require('node:test');
const { launchFirefox } = require('../browsers.js');
const { Stage, kPeople, button } = require('../oauth/stage.js');
const { checkLooks } = require('../looks.js');
const { copyBy, kPatience, until } = require('../patience.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

const kList = '/settings/accounts/1001/media';
const kFilm = process.env.SVC_FILM;
const [kCookie, kSession] = process.env.SVC_SESSION_OLIVIA.split('=');

async function open(page, path = kList) {
  await page.context().addCookies([{ name: kCookie, value: kSession, url: stage.svc }]);
  await page.goto(stage.svc + path);
}
// Notes every announcement, as a screen reader gets it.
const listen = (page) => page.evaluate(() => {
  window.heard = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) window.heard.push(...[...addedNodes].map((line) => line.textContent));
  }).observe(document.getElementById('said'), { childList: true });
});
const heard = (page) => page.evaluate(() => window.heard.join('\n'));

const item = (page, name) => page.locator('#media > li').filter({ has: page.getByRole('heading', { name, exact: true }) });

// The number of media, as the page shows it when it is loaded.
const count = (page) => page.evaluate(async () => {
  const text = await (await fetch(location.href)).text();
  return new DOMParser().parseFromString(text, 'text/html').getElementById('found').textContent;
});

test('pages-W14 a film is uploaded and followed, and its embed code is copied', async () => {
  const page = await stage.window();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.svc });
  await open(page);
  await listen(page);
  await page.getByLabel('Video, audio, image or PDF file').setInputFiles(kFilm);
  await page.getByLabel('Title', { exact: true }).fill('My <first> film');
  await button(page, 'Upload').click();
  const film = item(page, 'My <first> film');
  await film.getByRole('progressbar').waitFor();
  await film.getByText('Ready.').waitFor(kPatience);
  await copyBy(page, film.getByRole('button', { name: 'Copy the code' }));
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, await film.getByLabel('Embed code', { exact: true }).inputValue());
  assert.match(copied, /My &lt;first&gt; film|hashed|iframe|embed/);
  assert.match(await heard(page), /is uploaded\. It is processed now\.\nMy <first> film: Ready\./);
  assert.equal(await page.getByLabel('Title', { exact: true }).inputValue(), '', 'the form is empty again');
  // The page of the upload is the same without its form, and plays it.
  await film.getByRole('link', { name: 'My <first> film', exact: true }).click();
  assert.equal(await page.locator('h1').innerText(), 'My <first> film');
  assert.equal(await page.getByLabel('Embed code', { exact: true }).inputValue(), copied);
  await page.frameLocator('#player iframe').locator('video').waitFor({ state: 'attached', ...kPatience });
  assert.deepEqual([page.problems, page.refused], [[], []]);
  await page.context().close();
});

test('pages-W14 pages-W175 dropped files are uploaded one after the other, and counted', async () => {
  const page = await stage.window();
  await open(page);
  const bytes = fs.readFileSync(kFilm).toString('base64');
  const drop = (where, names) => page.evaluate(([place, files, data]) => {
    const transfer = new DataTransfer();
    const content = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    for (const name of files) transfer.items.add(new File([name.endsWith('.txt') ? 'no film' : content], name));
    const element = document.querySelector(place);
    let left = true;
    for (const type of ['dragenter', 'dragover', 'drop']) {
      left = element.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true })) && left;
    }
    return left;
  }, [where, names, bytes]);
  let atOnce = 0;
  let most = 0;
  page.on('request', (one) => { if (one.method() === 'POST') most = Math.max(most, ++atOnce); });
  page.on('requestfinished', (one) => { if (one.method() === 'POST') --atOnce; });
  assert.equal(await drop('header', ['missed.mp4']), false, 'a file that misses the form does not replace the page');
  assert.equal(await drop('#upload', ['one.mp4', 'two.mp4', 'notes.txt']), false);
  for (const name of ['one', 'two']) await item(page, name).getByText('Ready.').waitFor(kPatience);
  await item(page, 'notes.txt').getByText('Failed.').waitFor(kPatience);
  assert.equal(await item(page, 'missed').count(), 0);
  assert.equal(await page.locator('#found').innerText(), await count(page), 'the number of media is that of now');
  assert.equal(most, 1);
  assert.deepEqual([page.problems, page.refused], [[], []]);
  await page.context().close();
});

test('pages-W14 an error is shown in words, and the files after it are uploaded', async () => {
  const page = await stage.window();
  await open(page);
  await listen(page);
  await page.getByLabel('Video, audio, image or PDF file').setInputFiles([
    { name: 'empty.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(0) },
    { name: 'after.mp4', mimeType: 'video/mp4', buffer: fs.readFileSync(kFilm) }]);
  await button(page, 'Upload').click();
  await page.getByText('Not uploaded. The file is empty.', { exact: true }).waitFor(kPatience);
  await item(page, 'after').waitFor(kPatience);
  assert.match(await heard(page), /empty\.mp4 was not uploaded\. The file is empty\.\nUploading after\.mp4/);
  // Logged out in another window.
  await page.context().clearCookies();
  await page.getByLabel('Video, audio, image or PDF file').setInputFiles(kFilm);
  await button(page, 'Upload').click();
  await page.getByText('Not uploaded. You are logged out. Reload the page to log in.', { exact: true }).waitFor(kPatience);
  await page.context().close();
});

test('pages-W14 a file that a rate limit refuses is sent again', async () => {
  const page = await stage.window();
  await open(page);
  let asked = 0;
  await page.route('**/media/upload?*', (route) => (++asked === 1
    ? route.fulfill({ status: 429, contentType: 'application/json', body: '{"error":"too many requests"}' })
    : route.continue()));
  await page.getByLabel('Video, audio, image or PDF file').setInputFiles(kFilm);
  await page.getByLabel('Title', { exact: true }).fill('Sent again');
  await button(page, 'Upload').click();
  await page.getByText('Waiting, because many files were sent in the last minute.').waitFor();
  await item(page, 'Sent again').waitFor(kPatience);
  assert.equal(asked, 2);
  await page.context().close();
});

test('pages-W6 a film is uploaded without scripts', async () => {
  const page = await stage.window({ scripts: false });
  await open(page);
  await page.getByLabel('Video, audio, image or PDF file').setInputFiles(kFilm);
  await button(page, 'Upload').click();
  await page.getByText('Ready.').waitFor(kPatience);
  assert.match(new URL(page.url()).pathname, /^\/settings\/accounts\/1001\/media\/[a-z0-9]+$/);
  assert.notEqual(await page.getByLabel('Embed code', { exact: true }).inputValue(), '');
  assert.deepEqual([page.problems, page.refused], [[], []]);
  await page.context().close();
});

async function replaceFile(scripts) {
  const page = await stage.window({ scripts });
  await open(page);
  await page.getByLabel('Video, audio, image or PDF file').setInputFiles(kFilm);
  const name = scripts ? 'To be replaced' : 'To be replaced without scripts';
  await page.getByLabel('Title', { exact: true }).fill(name);
  await button(page, 'Upload').click();
  if (scripts) {
    await item(page, name).getByText('Ready.').waitFor(kPatience);
    await item(page, name).getByRole('link', { name, exact: true }).click();
  } else {
    await page.getByText('Ready.').waitFor(kPatience);
  }
  const path = new URL(page.url()).pathname;
  const code = await page.getByLabel('Embed code', { exact: true }).inputValue();
  const embed = code.match(/src="(https?:\/\/[^/]+)/)[1];
  const filesOf = async () => {
    const data = await page.request.get(`${embed}/embed/medias/${path.split('/').pop()}.json`);
    return (await data.text()).match(/\/files\/(\w+)\//)[1];
  };
  const before = await filesOf();
  await page.getByLabel('New file', { exact: true }).setInputFiles(kFilm);
  await button(page, 'Replace the file').click();
  await page.getByText('A new file is on its way').waitFor(kPatience);
  await page.getByText('A new file is on its way').waitFor({ state: 'detached', ...kPatience });
  assert.equal(new URL(page.url()).pathname, path);
  assert.equal(await page.getByText('could not take the place').count(), 0);
  assert.equal(await page.getByLabel('Embed code', { exact: true }).inputValue(), code, 'the code stays');
  assert.notEqual(await filesOf(), before);
  if (scripts) {
    await checkLooks(page, 'media-new-file', (picture) => stage.shot(page, `../settings/${picture}`), { frames: false });
  }
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

test('a file is replaced by a new one on the page of the media', () => replaceFile(true));
test('a file is replaced without scripts', () => replaceFile(false));

test('a photograph that is chosen as poster is cropped, and the player loads at most 100 KB before play', async () => {
  const page = await stage.window();
  await open(page);
  await page.getByLabel('Video, audio, image or PDF file').setInputFiles([
    { name: 'With a photograph.mp4', mimeType: 'video/mp4', buffer: fs.readFileSync(kFilm) },
    { name: 'A photograph.jpg', mimeType: 'image/jpeg', buffer: fs.readFileSync(process.env.SVC_PHOTO) }]);
  await button(page, 'Upload').click();
  for (const name of ['A photograph', 'With a photograph']) await item(page, name).getByText('Ready.').waitFor(kPatience);
  const film = await item(page, 'With a photograph').getByRole('link', { name: 'With a photograph', exact: true })
    .getAttribute('href');
  await page.goto(`${stage.svc}${film}/poster`);
  await page.getByLabel('A photograph').first().check();
  await button(page, 'Use this image').click();
  const id = film.split('/').pop();
  const data = async () => (await page.request.get(`${stage.svc}/embed/medias/${id}.json`)).text();
  await until(async () => /"poster":"[^"]*\/still-/.test(await data()), 'the poster is that of the photograph');

  const answer = await page.request.get(`${stage.svc}/oembed?${new URLSearchParams({ url: `http://svc.localhost/medias/${id}`,
    embedType: 'async' })}`);
  const { html, thumbnail_width: width, thumbnail_height: height } = await answer.json();
  stage.pages.set('/photograph', ['text/html; charset=utf-8',
    `<!DOCTYPE html><title>A page</title><link rel="icon" href="data:,">${html}`]);
  // A viewer, whose browser has nothing of it yet.
  const viewer = await stage.window();
  let bytes = 0;
  const cdp = await viewer.context().newCDPSession(viewer);
  await cdp.send('Network.enable');
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => { bytes += encodedDataLength; });
  const coming = viewer.waitForResponse(/\/still-/);
  await viewer.goto(`${stage.application}/photograph`);
  const poster = await coming;
  await viewer.waitForLoadState('networkidle');
  assert.ok(bytes > 10_000 && bytes <= 100_000, `${bytes} bytes`);
  assert.deepEqual(await viewer.evaluate((url) => new Promise((resolve) => {
    const image = Object.assign(new Image(), { src: url, onload: () => resolve([image.naturalWidth, image.naturalHeight]) });
  }), poster.url()), [width, height]);
  await viewer.context().close();
  await page.context().close();
});

test('pages-W14 a film is uploaded by keyboard', async () => {
  const page = await stage.window();
  // Chromium learns that the test wants the event on another way than keys take: on a busy machine, after them.
  const choosing = page.waitForEvent('filechooser');
  choosing.catch(() => {}); // reported below, unless the test fails before
  await open(page);
  const tabTo = async (what) => {
    for (let i = 0; i < 20 && !(await what.evaluate((one) => one === document.activeElement)); ++i) {
      await page.keyboard.press('Tab');
    }
  };
  await tabTo(page.getByLabel('Video, audio, image or PDF file'));
  await page.keyboard.press('Space');
  await (await choosing).setFiles(kFilm);
  await page.keyboard.press('Tab');
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  await item(page, 'By keyboard').waitFor(kPatience);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('pages-W1 pages-W2 axe-core finds no problem in the pages for media, and nothing overflows', async () => {
  for (const name of ['media', 'media-sending', 'media-one']) {
    const page = await stage.window();
    await open(page);
    await page.locator('textarea.code').first().waitFor({ state: 'attached', ...kPatience });
    if (name === 'media-one') await page.locator('#media > li:has(textarea) h3 a').first().click();
    if (name === 'media-sending') {
      // The response never comes.
      await page.route('**/media/upload?*', () => {});
          await page.getByLabel('Video, audio, image or PDF file').setInputFiles([kFilm, kFilm]);
      await button(page, 'Upload').click();
      await page.getByText('Waiting for the files before it.').waitFor();
    }
    await checkLooks(page, name, (picture) => stage.shot(page, `../settings/${picture}`), { frames: false });
    assert.deepEqual(page.problems, [], name);
    await page.context().close();
  }
});

test('pages-W14 Firefox: a film is uploaded and followed until it has an embed code', async () => {
  const firefox = await launchFirefox();
  try {
    const page = await firefox.newPage();
    const problems = [];
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(stage.svc + kList);
    await page.type('input[name=email]', kPeople.olivia.email);
    await page.type('input[name=password]', kPeople.olivia.password);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    const picker = await page.$('#file');
    await picker.uploadFile(kFilm);
    await page.type('#name', 'In Firefox');
    await page.click('#upload button');
    await page.waitForFunction(() => {
      const film = [...document.querySelectorAll('#media > li')].find((one) =>
        one.querySelector('h3').textContent === 'In Firefox');
      return film?.querySelector('textarea')?.value;
    }, kPatience);
    assert.deepEqual(problems, []);
  } finally {
    await firefox.close();
  }
});

// The pages of an account's media and projects in Chromium: what users do there, with scripts and without, and how the
// pages look. Pictures are in ../screenshots/settings/ if SVC_PICTURES is set.
//
// Names begin with the ids of the contract's rules.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { Stage, kPeople, logIn, button } = require('../oauth/stage.js');
const { checkLooks } = require('../looks.js');
const { until } = require('../patience.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

const kFolder = '/settings/accounts/1001';
const kFilm = 'l4unchf1lm';
// Larger than other forms may be.
const kCues = Buffer.from('1\n00:00:00,000 --> 00:00:02,000\nHello\n\n'.repeat(3000));

let session;
async function open(page, path) {
  if (!session) {
    await page.goto(`${stage.svc}/login`);
    await logIn(page, kPeople.olivia);
    await page.locator('.menu summary bdi').waitFor();
    session = await page.context().cookies();
  }
  await page.context().addCookies(session);
  await page.goto(stage.svc + path);
}

const link = (page, name) => page.getByRole('link', { name, exact: true });
const field = (page, name) => page.getByLabel(name, { exact: true });
const said = (page, text) => page.getByRole('status').filter({ hasText: text }).waitFor();

// Finds a film, edits it, and sets its captions, player and project; the project is created before and deleted after.
async function manage(scripts) {
  const page = await stage.window({ scripts });
  await open(page, '/settings');
  await page.getByRole('link', { name: 'Media of Acme Films' }).click();
  await link(page, 'Projects of Acme Films').click();
  await field(page, 'Name').fill('Summer & sun');
  await button(page, 'Create the project').click();
  await said(page, 'The project is created.');
  await page.goto(`${stage.svc}${kFolder}/media`);
  await field(page, 'Search by name').fill('LAUNCH FILM');
  await (scripts ? field(page, 'Search by name').press('Enter') : button(page, 'Show').click());
  await page.locator('#found', { hasText: /(^|\D)1 item(?!s)/ }).waitFor();
  const film = page.locator(`#media-${kFilm}`);
  assert.equal(await page.locator('#media > li').count(), 1);
  assert.ok(await film.locator('img').evaluate((image) => image.decode().then(() => image.naturalWidth)) > 0);
  const name = await film.getByRole('heading').innerText();
  await film.getByRole('heading').getByRole('link').click();

  await link(page, 'Edit name and description').click();
  await field(page, 'Name').fill('Another name');
  await button(page, 'Save the changes').click();
  await said(page, 'The changes are saved.');
  assert.equal(await page.locator('h1').innerText(), 'Another name');

  await field(page, 'Move to project').selectOption({ label: 'Summer & sun' });
  await button(page, 'Move').click();
  await said(page, 'The video is in its project.');

  await link(page, 'Add or change captions').click();
  await field(page, 'Language').fill('Hawaiian');
  await field(page, 'File').setInputFiles({ name: 'a.srt', mimeType: 'text/plain', buffer: kCues });
  await button(page, 'Add the captions').click();
  await said(page, 'The captions are saved.');
  await page.getByText('Hawaiian (haw)').waitFor();
  const entry = page.getByRole('listitem').filter({ hasText: '(haw)' });
  await entry.getByRole('link', { name: /^Delete/ }).click();
  await button(page, 'Delete the captions').click();
  await said(page, 'The captions are deleted.');

  await page.goto(`${stage.svc}${kFolder}/media/${kFilm}`);
  await link(page, 'Add or change chapters').click();
  await field(page, 'Begins at, chapter 1').fill('0:03');
  await field(page, 'Title, chapter 1').fill('The middle');
  await button(page, 'Save the chapters').click();
  await said(page, 'The chapters are saved.');
  await field(page, 'Delete chapter 1').check();
  await button(page, 'Save the chapters').click();
  await said(page, 'The chapters are saved.');
  assert.equal(await field(page, 'Title, chapter 1').inputValue(), '');

  await page.goto(`${stage.svc}${kFolder}/media/${kFilm}/look`);
  await page.locator('summary').filter({ hasText: 'Hide controls' }).click();
  await field(page, 'Play bar').check();
  if (!scripts) await button(page, 'Preview').click();
  await page.locator('iframe[src*="playbar=false"]').waitFor();
  await page.frameLocator('#preview iframe').locator('video').waitFor({ state: 'attached' });
  await said(page, 'The preview is not saved yet.');
  await button(page, 'Save the options').click();
  await said(page, 'The changes are saved.');
  await page.getByText('The player has options of its own for this video.').waitFor();
  await link(page, 'Change the player').click();
  await field(page, 'Play bar').uncheck();
  await button(page, 'Save the options').click();
  await page.getByText('The player looks and plays as usual.').waitFor();

  await link(page, 'Edit name and description').click();
  await field(page, 'Name').fill(name);
  await button(page, 'Save the changes').click();
  await field(page, 'Move to project').selectOption({ label: 'Launch films' });
  await button(page, 'Move').click();
  await page.goto(`${stage.svc}${kFolder}/projects`);
  await page.getByRole('link', { name: 'Delete Summer & sun' }).click();
  await button(page, 'Delete the project').click();
  await said(page, 'The project is deleted.');
  assert.deepEqual([page.problems, page.refused], [[], []]);
  await page.context().close();
}

// Selects two films, and changes who may watch them.
async function change(scripts) {
  const page = await stage.window({ scripts });
  await open(page, `${kFolder}/media?sort=name`);
  const films = page.locator('#media > li');
  const names = [await films.nth(0).getByRole('heading').innerText(), await films.nth(1).getByRole('heading').innerText()];
  assert.equal(await button(page, 'Delete selected').isVisible(), false, 'nothing is selected');
  for (const name of names) await page.getByLabel(`Select ${name}`, { exact: true }).check();
  await page.locator('#many').getByLabel('Who can watch').selectOption('unlisted');
  await button(page, 'Change').click();
  assert.equal(await page.locator('h1').innerText(), 'Change who can watch 2 items?');
  for (const name of names) await link(page, name).waitFor();
  await button(page, 'Change 2 items').click();
  await said(page, 'The selected items are changed.');
  await page.goto(`${stage.svc}${kFolder}/media?sort=name`);
  assert.match(await films.nth(1).innerText(), /, unlisted/);
  for (const name of names) await page.getByLabel(`Select ${name}`, { exact: true }).check();
  await page.locator('#many').getByLabel('Who can watch').selectOption('public');
  await button(page, 'Change').click();
  await button(page, 'Change 2 items').click();
  await said(page, 'The selected items are changed.');
  assert.deepEqual([page.problems, page.refused], [[], []]);
  await page.context().close();
}

test('pages-W6 several films are selected and changed', () => change(true));
test('pages-W6 several films are changed without scripts', () => change(false));

test('pages-W175 the form for files is open though there are media, and shows its choices whole', async () => {
  for (const width of [1024, 1280]) {
    const page = await stage.window({ width, height: 800 });
    await open(page, `${kFolder}/media`);
    const box = await button(page, 'Upload').boundingBox();
    assert.ok(box && box.y + box.height <= 800, `${width}: ${JSON.stringify(box)}`);
    // A list that has only its chosen words is as wide as these.
    const cut = await page.evaluate(() => [...document.querySelectorAll('#upload select')].flatMap((select) => {
      const whole = select.cloneNode(false);
      whole.append(new Option(select.selectedOptions[0].text));
      whole.style.cssText = 'position: absolute; width: auto; min-width: 0; max-width: none';
      select.after(whole);
      const [shown, needed] = [select, whole].map((each) => each.getBoundingClientRect().width);
      whole.remove();
      return shown < needed ? [`${select.name}: ${shown} of ${needed} pixels`] : [];
    }));
    assert.deepEqual(cut, [], `${width}`);
    await page.context().close();
  }
});

test('pages-W175 a filter shows its films without a button, and the address is that of the filter', async () => {
  const page = await stage.window();
  await open(page, `${kFolder}/media`);
  const all = await page.locator('#found').innerText();
  assert.equal(await button(page, 'Show').isVisible(), false);
  await field(page, 'State').selectOption('failed');
  await page.locator('#found', { hasText: 'Nothing found' }).waitFor();
  assert.match(page.url(), /\/media\?status=failed$/);
  await link(page, 'Show all').click();
  await page.locator('#found', { hasText: all }).waitFor();
  await page.getByLabel('Select all on this page').isHidden();
  await page.locator('.pick input').first().check();
  await page.getByLabel('Select all on this page').check();
  assert.equal(await page.locator('.pick input:not(:checked)').count(), 0);
  assert.deepEqual([page.problems, page.refused], [[], []]);
  await page.context().close();
});

test('pages-W175 a picture that does not load is a calm tile', async () => {
  const page = await stage.window();
  await page.route('**/deliveries/**', (route) => route.abort());
  await open(page, `${kFolder}/media?q=launch`);
  const tile = page.locator(`#media-${kFilm} .picture`);
  await tile.locator('img').evaluate((image) => image.decode().catch(() => {}));
  // Browsers put their sign into the upper corner: it looks as the lower one.
  await tile.scrollIntoViewIfNeeded();
  const { x, y, height } = await tile.boundingBox();
  const corner = (top) => page.screenshot({ clip: { x: x + 6, y: top, width: 24, height: 24 } });
  assert.ok((await corner(y + 6)).equals(await corner(y + height - 30)), 'the browser shows a sign of a broken picture');
  await page.context().close();
});

test('pages-W179 a chapter takes the time of the player', async () => {
  const page = await stage.window();
  await open(page, `${kFolder}/media/${kFilm}/chapters`);
  const use = page.getByRole('button', { name: /^Use current time/ }).first();
  await use.waitFor();
  // As a viewer who moves the player's bar.
  await page.evaluate(() => {
    const frame = document.querySelector('#player iframe');
    frame.contentWindow.postMessage({ context: 'player.js', method: 'setCurrentTime', value: 2.5 }, new URL(frame.src).origin);
  });
  await use.click();
  await page.waitForFunction(() => document.getElementById('time-1').value === '0:02.5');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('pages-W6 a film is found, edited, captioned, customized and moved', () => manage(true));
test('pages-W6 a film is managed without scripts', () => manage(false));

test('pages-W1 pages-W2 axe-core finds no problem in the pages of the library, and nothing overflows', async () => {
  const kOne = `${kFolder}/media/${kFilm}`;
  const kPages = {
    library: `${kFolder}/media`,
    'library-search': `${kFolder}/media?q=video&sort=name`,
    'library-none': `${kFolder}/media?q=nothing&status=failed`,
    'media-ready': kOne,
    'media-edit': `${kOne}/edit`,
    'media-delete': `${kOne}/delete`,
    'media-links': `${kOne}/links`,
    'media-links-end': `${kOne}/links/end`,
    'media-captions': `${kOne}/captions`,
    'media-captions-one': `${kOne}/captions/en`,
    'media-captions-delete': `${kOne}/captions/en/delete`,
    'media-document': `${kFolder}/media/pdf0file01`,
    'media-queued': `${kFolder}/media/qu3u3d0001`,
    'media-look': `${kOne}/look`,
    'media-chapters': `${kOne}/chapters`,
    'media-poster': `${kOne}/poster`,
    'media-replace': `${kOne}/replace`,
    'media-stats': `${kOne}/stats`,
    'account-stats': `${kFolder}/stats`,
    'account-sites': `${kFolder}/sites`,
    projects: `${kFolder}/projects`,
    'library-names': `${kFolder}/media?sort=name`,
    'media-untitled': `${kFolder}/media/n0name0001`,
    'media-long': `${kFolder}/media/l0ngname01`,
    'media-rtl': `${kFolder}/media/rt1name001`,
    'media-rtl-delete': `${kFolder}/media/rt1name001/delete`,
    'media-stats-none': `${kFolder}/media/rt1name001/stats`,
    project: `${kFolder}/projects/prj1launch`,
    'project-delete': `${kFolder}/projects/prj1launch/delete`,
  };
  for (const [name, path] of Object.entries(kPages)) {
    const page = await stage.window();
    await open(page, path);
    await checkLooks(page, name, (picture) => stage.shot(page, `../settings/${picture}`),
      { widths: { wide: 1280, narrow: 360 }, frames: false });
    assert.deepEqual(page.problems, [], name);
    await page.context().close();
  }
});

// Several films are selected: the bar with their actions, and the question of each action.
test('pages-W1 pages-W2 axe-core finds no problem in the actions for selected films, and nothing overflows', async () => {
  const kActions = { library: '', delete: 'Delete selected', move: 'Move', change: 'Change' };
  for (const [name, action] of Object.entries(kActions)) {
    const page = await stage.window({ width: 360, height: 740 });
    await open(page, `${kFolder}/media`);
    for (const at of [0, 1, 2]) await page.locator('.pick input').nth(at).check();
    await page.locator('#many').getByText('3 selected').waitFor();
    const bar = await page.locator('#many').boundingBox();
    assert.ok(bar.height <= 220 && bar.y + bar.height <= 740.5, `the bar of a phone: ${JSON.stringify(bar)}`);
    if (action) {
      await button(page, action).click();
      await page.locator('h1', { hasText: '?' }).waitFor();
    }
    await checkLooks(page, `selected-${name}`, (picture) => stage.shot(page, `../settings/${picture}`),
      { widths: { wide: 1280, narrow: 360 }, frames: false });
    assert.deepEqual(page.problems, [], name);
    await page.context().close();
  }
});

test('pages-W1 pages-W2 axe-core finds no problem in statistics with views, and nothing hides their bars', async () => {
  await stage.watch(kFilm);
  for (const [name, path] of [['media', `${kFolder}/media/${kFilm}/stats`], ['account', `${kFolder}/stats`]]) {
    for (const days of [7, 30, 90]) {
      const page = await stage.window();
      await open(page, `${path}?days=${days}`);
      await until(async () => await page.locator('.bars').count() || !await page.reload(), 'the views are counted');
      for (const table of await page.locator('main summary').all()) await table.click();
      await checkLooks(page, `${name}-stats-${days}`, (picture) => stage.shot(page, `../settings/${picture}`),
        { widths: { wide: 1280, narrow: 360 }, frames: false });
      // The layer with the values covers the bars exactly, and is transparent.
      const drawn = await page.locator('.plot:has(.values)').first().evaluate((plot) => [...plot.querySelectorAll('svg')].map((svg) => {
        const { x, y, width, height } = svg.getBoundingClientRect();
        const { backgroundColor, boxShadow } = getComputedStyle(svg);
        return [x, y, width, height, backgroundColor, boxShadow].join();
      }));
      assert.equal(drawn[1], drawn[0]);
      assert.match(drawn[0], /rgba\(0, 0, 0, 0\),none$/);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    }
  }
});

test('a link to a film is made, shown once, and ended with all others', async () => {
  const page = await stage.window();
  await open(page, `${kFolder}/media/${kFilm}`);
  await link(page, 'Make or end links').click();
  await field(page, 'For how long').selectOption({ label: 'A day' });
  await button(page, 'Make a link').click();
  const made = page.getByLabel(/^Works until/);
  assert.match(await made.inputValue(), new RegExp(`/medias/${kFilm}\\?watch=[A-Za-z0-9_.~-]+$`));
  await button(page, 'Copy the link').waitFor();
  await checkLooks(page, 'media-link-made', (picture) => stage.shot(page, `../settings/${picture}`),
    { widths: { wide: 1280, narrow: 360 } });
  await field(page, 'Only on this site').fill('site.example');
  await button(page, 'Make a link').click();
  const code = page.getByLabel(/^Works until .*, only in pages of site\.example$/);
  assert.match(await code.inputValue(), new RegExp(`<iframe src="[^"]*/embed/iframe/${kFilm}\\?watch=`));
  await button(page, 'Copy the code').waitFor();
  assert.equal(await button(page, 'Copy the link').count(), 0);
  await page.goto(`${stage.svc}${kFolder}/media/${kFilm}/links`);
  assert.equal(await made.count(), 0);
  await link(page, 'End all links').click();
  await button(page, 'End all links').click();
  await said(page, 'All links are ended.');
  assert.deepEqual([page.problems, page.refused], [[], []]);
  await page.context().close();
});

async function keepLinks(scripts) {
  const page = await stage.window({ scripts });
  const path = `${kFolder}/media/pr1vate001/links`;
  await open(page, path);
  await field(page, 'Name').fill('For Ann');
  await field(page, 'For how long').selectOption({ label: 'A day' });
  await button(page, 'Make a link').click();
  const made = await page.getByLabel(/^Works until/).inputValue();
  assert.equal(await field(page, 'For how long').inputValue(), 'day', 'the choice stays');
  await field(page, 'Name').fill('For Bob');
  await button(page, 'Make a link').click();
  const row = (name) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });
  await row('For Bob').getByText('not opened yet').waitFor();
  await row('For Ann').getByText('by Olivia').waitFor();
  if (scripts) {
    await checkLooks(page, 'media-links-listed', (picture) => stage.shot(page, `../settings/${picture}`),
      { widths: { wide: 1280, narrow: 360 } });
  }
  const viewer = await stage.window();
  await viewer.goto(made);
  await viewer.locator('iframe').waitFor();
  assert.equal(await viewer.getByText('Share').count(), 0);
  const look = (name) => checkLooks(viewer, name, (picture) => stage.shot(viewer, `../public/${picture}`),
    { widths: { 1280: 1280, 360: 360 }, frames: false });
  if (scripts) await look('private-by-link');
  await until(async () => {
    await page.goto(stage.svc + path);
    return row('For Ann').getByText('opened 1 time').count();
  }, 'the opening is counted');
  await row('For Ann').getByRole('button').click();
  await said(page, 'The link is ended.');
  assert.equal(await row('For Ann').count(), 0);
  await row('For Bob').waitFor();
  assert.equal((await viewer.goto(made)).status(), 403);
  if (scripts) await look('private-link-ended');
  await row('For Bob').getByRole('button').click();
  await said(page, 'The link is ended.');
  assert.deepEqual(page.problems, []);
  await viewer.context().close();
  await page.context().close();
}

test('links have names and counts, and end alone', () => keepLinks(true));
test('links are kept without scripts', () => keepLinks(false));

test('the words of a checkbox stay to its right if they need several lines', async () => {
  const page = await stage.window({ width: 360 });
  await open(page, `${kFolder}/sites`);
  const [box, lines] = await page.getByRole('checkbox').evaluate((input) => {
    const words = document.createRange();
    words.selectNodeContents(input.labels[0]);
    words.setStartAfter(input);
    return [input.getBoundingClientRect().right,
      [...words.getClientRects()].filter((each) => each.width > 1).map((each) => each.left)];
  });
  assert.ok(lines.length > 1, `${lines}`);
  for (const left of lines) assert.ok(left > box, `${left} ${box}`);
  await page.context().close();
});

test('problems of the library\'s forms are at their fields', async () => {
  const page = await stage.window();
  await open(page, `${kFolder}/media/${kFilm}/captions`);
  await field(page, 'Language').fill('no language!');
  await field(page, 'File').setInputFiles({ name: 'a.srt', mimeType: 'text/plain', buffer: Buffer.from('<html>') });
  await button(page, 'Add the captions').click();
  await page.getByRole('alert').waitFor();
  assert.equal(await field(page, 'Language').getAttribute('aria-invalid'), 'true');
  assert.equal(await field(page, 'Language').inputValue(), 'no language!');
  await checkLooks(page, 'media-captions-refused', (picture) => stage.shot(page, `../settings/${picture}`),
    { widths: { wide: 1280, narrow: 360 } });
  assert.deepEqual([page.problems, page.refused], [[], [422]]);
  await page.context().close();
});

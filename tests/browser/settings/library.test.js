// The pages of an account's media and projects in Chromium: what users do there, with scripts and without, and how the
// pages look. Pictures are in ../screenshots/settings/ if SVC_PICTURES is set.
//
// Names begin with the ids of the contract's rules.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { Stage, kPeople, logIn, button } = require('../oauth/stage.js');
const { checkLooks } = require('../looks.js');

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

// Finds a film, edits it, and gives it captions, a player and a project; the project is created before and deleted after.
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
  await button(page, 'Show').click();
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

  await field(page, 'Project of this media').selectOption({ label: 'Summer & sun' });
  await button(page, 'Move it').click();
  await said(page, 'The media is in its project.');

  await link(page, 'Add or change captions').click();
  await field(page, 'Language').fill('haw');
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
  await page.getByText('The player has options of its own for this media.').waitFor();
  await link(page, 'Change the player').click();
  await field(page, 'Play bar').uncheck();
  await button(page, 'Save the options').click();
  await page.getByText('The player looks and plays as usual.').waitFor();

  await link(page, 'Edit name and description').click();
  await field(page, 'Name').fill(name);
  await button(page, 'Save the changes').click();
  await field(page, 'Project of this media').selectOption({ label: 'Launch films' });
  await button(page, 'Move it').click();
  await page.goto(`${stage.svc}${kFolder}/projects`);
  await page.getByRole('link', { name: 'Delete Summer & sun' }).click();
  await button(page, 'Delete the project').click();
  await said(page, 'The project is deleted.');
  assert.deepEqual([page.problems, page.refused], [[], []]);
  await page.context().close();
}

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
    'media-look': `${kOne}/look`,
    'media-chapters': `${kOne}/chapters`,
    'media-poster': `${kOne}/poster`,
    'media-replace': `${kOne}/replace`,
    'media-stats': `${kOne}/stats`,
    'account-stats': `${kFolder}/stats`,
    'account-sites': `${kFolder}/sites`,
    projects: `${kFolder}/projects`,
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

test('a link to a film is made, shown once, and ended with all others', async () => {
  const page = await stage.window();
  await open(page, `${kFolder}/media/${kFilm}`);
  await link(page, 'Make or end links').click();
  await field(page, 'For how long').selectOption({ label: 'A day' });
  await button(page, 'Make a link').click();
  const made = page.getByLabel(/^Opens the media until/);
  assert.match(await made.inputValue(), new RegExp(`/medias/${kFilm}\\?watch=[A-Za-z0-9_.~-]+$`));
  await button(page, 'Copy the link').waitFor();
  await checkLooks(page, 'media-link-made', (picture) => stage.shot(page, `../settings/${picture}`),
    { widths: { wide: 1280, narrow: 360 } });
  await field(page, 'Only on this site').fill('site.example');
  await button(page, 'Make a link').click();
  const code = page.getByLabel(/^Opens the media until .*, only in pages of site\.example$/);
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

test('the words of a checkbox stay beside it where they need several lines', async () => {
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

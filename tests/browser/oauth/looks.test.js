// Appearance and accessibility of the pages of login and authorization: light and dark, wide and narrow, enlarged, and
// by the rules for screen readers. SVC_PICTURES leaves pictures in ../screenshots/oauth/.
//
// Names begin with the ids of the contract's rules.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { Stage, kPeople, logIn, button } = require('./stage.js');
const { checkLooks, overflows } = require('../looks.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

// Each user logs in once, because a login is slow on purpose.
const sessions = new Map();
async function open(page, who, link) {
  if (!sessions.has(who)) {
    await page.goto(`${stage.svc}/login`);
    await logIn(page, kPeople[who]);
    await page.locator('.menu summary bdi').waitFor();
    sessions.set(who, await page.context().cookies());
  }
  await page.context().addCookies(sessions.get(who));
  await page.goto(link);
}

// Every page, with its title and the way to it.
const kPages = {
  login: ['Log in', (page) => page.goto(stage.link('scheduler'))],
  'login-wrong': ['Not logged in', async (page) => {
    await page.goto(stage.link('scheduler'));
    await logIn(page, { ...kPeople.olivia, password: 'wrong' });
    await page.getByRole('alert').waitFor();
  }],
  'login-endless': ['Log in', (page) => page.goto(stage.link('endless'))],
  'login-empty': ['Not logged in', async (page) => {
    await page.goto(stage.link('scheduler'));
    await page.evaluate(() => { document.querySelector('form').noValidate = true; });
    await button(page, 'Log in').click();
    await page.getByRole('alert').waitFor();
  }],
  choice: ['Choose an account', (page) => open(page, 'manuel', stage.link('scheduler'))],
  'choice-barred': ['Choose an account', (page) => open(page, 'maria', stage.link('endless'))],
  'choice-none': ['Choose an account', async (page) => {
    await open(page, 'manuel', stage.link('hostile'));
    await button(page, 'Continue').click();
    await page.getByRole('alert').waitFor();
  }],
  consent: ['Allow access', (page) => open(page, 'olivia', stage.link('scheduler'))],
  'consent-hostile': ['Allow access', (page) => open(page, 'olivia', stage.link('hostile'))],
  'consent-endless': ['Allow access', (page) => open(page, 'olivia', stage.link('endless'))],
  'consent-international': ['Allow access', (page) => open(page, 'olivia', stage.link('international'))],
  'barrier-user': ['Access is not possible', (page) => open(page, 'uma', stage.link('scheduler'))],
  'barrier-closed': ['Access is not possible', (page) => open(page, 'clara', stage.link('scheduler'))],
  error: ['This link does not work', (page) => page.goto(stage.link('scheduler',
    { redirect_uri: 'https://client.example/elsewhere' }))],
  'form-post': ['Back to the application', async (page) => {
    await page.route('**/assets/send-form.js', (route) => route.fulfill({ body: '' }));
    await open(page, 'olivia', stage.link('hostile', { response_mode: 'form_post' }));
    await button(page, 'Deny').click();
    await button(page, 'Continue').waitFor();
    await page.unrouteAll();
  }],
};

// All in one window, which is much faster than one window per page.
async function onEachPage(how, run) {
  const page = await stage.window(how);
  for (const [name, [title, come]] of Object.entries(kPages)) {
    await page.context().clearCookies();
    await come(page);
    await page.waitForLoadState(); // a click does not wait for the style sheet of the page that it leads to
    assert.match(await page.title(), new RegExp(`^${title} · `), name);
    await run(page, name);
    assert.deepEqual(page.problems, [], name);
  }
  await page.context().close();
}

test('pages-W1 pages-W2 axe-core finds no problem on any page, and nothing overflows', () =>
  onEachPage({}, async (page, name) => {
    await page.setViewportSize({ width: 1000, height: 800 });
    const column = await page.locator('main').boundingBox();
    assert.ok(column.width <= 30 * 16, `${name} is a column ${column.width} wide`);
    await checkLooks(page, name, (picture) => stage.shot(page, picture));
  }));

// A window of 640 pixels at 200 % has room for 320.
test('pages-W1 at 200 % nothing overflows, and every button can be clicked', () =>
  onEachPage({ width: 320, height: 256, scale: 2 }, async (page, name) => {
    assert.deepEqual(await overflows(page), [], name);
    for (const answer of await page.locator('button').all()) await answer.click({ trial: true });
  }));

test('pages-W1 the answers of consent are in the window, however long the page is', async () => {
  for (const [width, height] of [[1280, 720], [768, 600], [360, 640]]) {
    const page = await stage.window({ width, height });
    for (const name of ['consent', 'consent-endless']) {
      await page.context().clearCookies();
      await kPages[name][1](page);
      for (const answer of ['Allow', 'Deny']) {
        const box = await button(page, answer).boundingBox();
        assert.ok(box.y >= 0 && box.y + box.height <= height, `${name}, ${width} × ${height}: ${answer} at ${box.y}`);
      }
    }
    await page.context().close();
  }
});

test('names and descriptions from outside are escaped, clamped, and isolated', async () => {
  const page = await stage.window();
  const name = page.locator('h1 bdi').first();
  await open(page, 'olivia', stage.link('hostile'));
  assert.equal(await name.innerText(), 'Uploader <Pro> & Co');
  assert.equal(await page.locator('blockquote').innerText(), 'Uploads "everything" & more');
  await page.goto(stage.link('endless'));
  assert.match(await name.innerText(), /^W{80}…$/);
  const lines = await page.locator('blockquote').evaluate((quotation) =>
    quotation.clientHeight / parseFloat(getComputedStyle(quotation).lineHeight));
  assert.ok(lines <= 6.1, `${lines} lines`);
  await page.goto(stage.link('international'));
  const isolation = await page.locator('bdi').evaluateAll((all) => all.map((one) => getComputedStyle(one).unicodeBidi));
  assert.ok(isolation.length >= 5, `${isolation.length}`);
  assert.deepEqual([...new Set(isolation)], ['isolate']);
  assert.ok(await name.evaluate((one) => {
    const words = document.createRange();
    words.selectNode(one.nextSibling);
    return words.toString().trim() === 'wants access to';
  }));
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

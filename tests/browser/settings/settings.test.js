// The settings pages in a real browser: what users do there, with scripts and without, and how the pages look: light
// and dark, wide and narrow, and by the rules for screen readers. Pictures of all pages are in
// ../screenshots/settings/ if SVC_PICTURES is set.
//
// Names begin with the ids of the contract's rules.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { Stage, kPeople, logIn, button } = require('../oauth/stage.js');
const { checkLooks } = require('../looks.js');
const { copyBy } = require('../patience.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

const kList = '/settings/accounts/1001/applications';
const kNew = '/settings/accounts/1001/new-application';
const kTokens = '/settings/accounts/1001/tokens';
const kEntered = { Name: 'Reel Maker', Description: 'Makes reels of clips.',
  'Redirect URI': 'https://reels.example/back' };

// Each user logs in once, because a login is slow on purpose.
const sessions = new Map();
async function open(page, who, path) {
  if (!sessions.has(who)) {
    const [name, value] = (process.env[`SVC_SESSION_${who.toUpperCase()}`] || '').split('=');
    if (value) {
      sessions.set(who, [{ name, value, url: stage.svc }]);
    } else {
      await page.goto(`${stage.svc}/login`);
      await logIn(page, kPeople[who]);
      await page.locator('.menu summary bdi').waitFor();
      sessions.set(who, await page.context().cookies());
    }
  }
  await page.context().addCookies(sessions.get(who));
  await page.goto(stage.svc + path);
}

const link = (page, name) => page.getByRole('link', { name, exact: true });

async function enter(page, fields = kEntered) {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value);
}

// Registers an application, leaves its page open, and returns its path.
async function register(page, who = 'olivia', fields = kEntered) {
  await open(page, who, kNew);
  await enter(page, fields);
  await page.getByLabel('See media').check();
  await button(page, 'Register the application').click();
  await page.getByText('The application is registered.').waitFor();
  return new URL(page.url()).pathname;
}

// Authorises the demonstration application, and opens the list of connected applications.
async function connect(page, who) {
  await open(page, who, '/settings');
  await page.goto(stage.link('scheduler'));
  const allow = button(page, 'Allow');
  if (await allow.count()) await allow.click();
  await page.goto(`${stage.svc}/settings/connected`);
}

async function manageAnApplication(scripts) {
  const page = await stage.window({ scripts });
  await open(page, 'olivia', '/settings');
  await page.getByRole('link', { name: 'Applications of Acme Films', exact: true }).click();
  await link(page, 'New application').click();
  await enter(page);
  await page.getByLabel('Statistics').check();
  await button(page, 'Register the application').click();
  await page.getByRole('status').filter({ hasText: 'The application is registered.' }).waitFor();
  assert.match(await page.getByLabel('Client ID').inputValue(), /^[0-9a-f]{32}$/);
  await button(page, 'Show the client secret').click();
  assert.match(await page.getByLabel('Client secret').inputValue(), /^[0-9a-f]{64}$/);

  await link(page, 'Edit').click();
  await page.getByLabel('Name', { exact: true }).fill('Reel Cutter');
  await button(page, 'Save the changes').click();
  await page.getByRole('status').filter({ hasText: 'The changes are saved.' }).waitFor();
  assert.equal(await page.locator('h1').innerText(), 'Reel Cutter');

  await button(page, 'Create a new secret').click();
  await page.getByRole('status').filter({ hasText: 'the old one is still valid' }).waitFor();
  await link(page, 'Retire the old secret').click();
  await button(page, 'Retire the old secret').click();
  await page.getByRole('status').filter({ hasText: 'The old secret is retired.' }).waitFor();

  await link(page, 'Delete this application').click();
  await page.getByText('It has no connections at the moment.').waitFor();
  await button(page, 'Delete the application').click();
  await page.getByRole('status').filter({ hasText: 'The application is deleted.' }).waitFor();
  assert.equal(await page.getByText('Reel Cutter').count(), 0);
  assert.deepEqual([page.problems, page.refused], [[], []]);
  assert.deepEqual(page.asked.filter((url) => !url.startsWith(`${stage.svc}/`) && !url.startsWith('data:')), []);
  await page.context().close();
}

test('pages-W6 an application is registered, shown, edited, rotated and deleted', () => manageAnApplication(true));
test('pages-W6 an application is managed without scripts', () => manageAnApplication(false));

test('pages-W49 Back and Reload after forms of the settings show pages, and send nothing', async () => {
  const page = await stage.window();
  await open(page, 'olivia', kNew);
  const sent = [];
  page.on('request', (request) => { if (request.method() === 'POST') sent.push(request.url()); });
  // With its script, which gives way to the page of a GET.
  const answered = async (sign) => {
    await sign.waitFor();
    await page.waitForLoadState('load');
  };
  await enter(page, { ...kEntered, 'Redirect URI': 'https://reels.example/#part' });
  await page.getByLabel('See media').check();
  await button(page, 'Register the application').click();
  await answered(page.getByRole('alert').first());
  await page.getByLabel('Redirect URI', { exact: true }).fill(kEntered['Redirect URI']);
  await button(page, 'Register the application').click();
  await answered(page.getByText('The application is registered.'));
  await page.goBack();
  assert.equal(await page.locator('h1').innerText(), 'New application');
  await page.goForward();
  await button(page, 'Show the client secret').click();
  await answered(page.getByLabel('Client secret'));
  await page.reload();
  assert.equal(await page.locator('h1').innerText(), kEntered.Name);
  await button(page, 'Show the client secret').click();
  await answered(page.getByLabel('Client secret'));
  await page.goto(`${stage.svc}/settings/security`);
  await page.goBack();
  assert.equal(await page.locator('h1').innerText(), kEntered.Name);
  assert.equal(sent.length, 4);
  assert.deepEqual([page.problems, page.refused], [[], [422]]);
  await page.context().close();
});

test('pages-W27 pages that end something act once they were seen for half a second', async () => {
  const page = await stage.window();
  const application = await register(page);
  await button(page, 'Create a new secret').click();
  await link(page, 'Retire the old secret').click();
  const retire = new URL(page.url()).pathname;
  await connect(page, 'olivia');
  await page.getByRole('link', { name: 'Revoke access of Clip Scheduler to Acme Films' }).click();
  const revoke = new URL(page.url()).pathname;
  const sent = [];
  page.on('request', (request) => { if (request.method() === 'POST') sent.push(request.url()); });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  for (const [path, name] of [[retire, 'Retire the old secret'], [revoke, 'Revoke access'],
    ['/settings/security', 'Change your password'], [`${application}/delete`, 'Delete the application']]) {
    await page.goto(stage.svc + path);
    for (const field of await page.locator('input[type=password]').all()) await field.fill('a long password');
    await button(page, name).scrollIntoViewIfNeeded();
    const { x, y, width, height } = await button(page, name).boundingBox();
    const press = () => page.mouse.click(x + width / 2, y + height / 2);
    await press();
    await page.clock.runFor(499);
    await press();
    assert.deepEqual(sent, [], path);
    await page.clock.runFor(1);
    await Promise.all([page.waitForEvent('load'), press()]);
    assert.equal(sent.splice(0).length, 1, path);
  }
  await page.context().close();
});

test('pages-W6 with scripts a secret is copied by a button, and a password can be shown', async () => {
  const page = await stage.window();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.svc });
  await register(page);
  await copyBy(page, button(page, 'Copy the client ID'));
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()),
    await page.getByLabel('Client ID').inputValue());
  await page.goto(`${stage.svc}/settings/security`);
  await page.getByLabel('Current password').fill('shown');
  await button(page, 'Show password').first().click();
  assert.equal(await page.getByLabel('Current password').getAttribute('type'), 'text');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('pages-W2 an application is registered by keyboard', async () => {
  const page = await stage.window();
  await open(page, 'olivia', kNew);
  const tabTo = async (what) => {
    for (let i = 0; i < 40; ++i) {
      if (await what.evaluate((one) => one === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail('Tab does not reach it');
  };
  for (const [label, value] of Object.entries(kEntered)) {
    await tabTo(page.getByLabel(label, { exact: true }));
    await page.keyboard.type(value);
  }
  await tabTo(page.getByLabel('Full access'));
  await page.keyboard.press('Space');
  await tabTo(button(page, 'Register the application'));
  await page.keyboard.press('Enter');
  await page.getByText('The application is registered.').waitFor();
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

// Each form that creates a record: its page, its fields, its button, and the page that lists the record.
const kMakers = {
  application: [kNew, async (page, name) => {
    await enter(page, { ...kEntered, Name: name });
    await page.getByLabel('See media').check();
  }, 'Register the application', kList],
  'account token': [kTokens, async (page, name) => {
    await enter(page, { Name: name });
    await page.getByLabel('See media').check();
    await page.getByLabel('30 days').check();
  }, 'Create token', kTokens],
  project: ['/settings/accounts/1001/projects', (page, name) => enter(page, { Name: name }), 'Create the project',
    '/settings/accounts/1001/projects'],
};

test('pages-W126 a double click on a button that makes something makes one', async () => {
  for (const [what, [path, fill, words, list]] of Object.entries(kMakers)) {
    const page = await stage.window();
    await open(page, 'olivia', path);
    const name = `A double ${what}, ${Date.now()}`;
    await fill(page, name);
    const sent = [];
    page.on('request', (request) => { if (request.method() === 'POST') sent.push(request.url()); });
    const answer = page.waitForEvent('framenavigated');
    await button(page, words).dblclick();
    await answer;
    await page.waitForLoadState();
    assert.equal(sent.length, 1, what);
    await page.goto(stage.svc + list);
    assert.equal(await page.locator('main .list > li').filter({ hasText: name }).count(), 1, what);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
});

test('pages-W126 a form whose answer does not come can be sent again', async () => {
  const page = await stage.window();
  await page.clock.install();
  await open(page, 'olivia', '/settings/accounts/1001/projects');
  await enter(page, { Name: 'A project that is lost at first' });
  let asked = 0;
  await page.route('**/projects', (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    asked += 1;
    return asked === 1 ? route.fulfill({ status: 204 }) : route.continue();  // 204: the browser stays on the page
  });
  const create = button(page, 'Create the project');
  await create.click();
  await page.waitForFunction(() => document.querySelector('button[aria-disabled]'));
  await page.clock.runFor(10_000);
  await page.waitForFunction(() => !document.querySelector('button[aria-disabled]'));
  await create.click();
  await page.getByRole('status').filter({ hasText: 'The project is created.' }).waitFor();
  assert.equal(asked, 2);
  await page.context().close();
});

// Every page, with its title and the way to it.
const kPages = {
  overview: ['Settings', (page) => open(page, 'manuel', '/settings')],
  applications: ['Applications', (page) => open(page, 'olivia', kList)],
  'applications-none': ['Applications', (page) => open(page, 'maria', '/settings/accounts/1004/applications')],
  'applications-user': ['Applications', (page) => open(page, 'uma', kList)],
  'applications-closed': ['Applications', (page) => open(page, 'clara', '/settings/accounts/1003/applications')],
  application: ['Clip Scheduler', (page) => open(page, 'olivia', `${kList}/demo-client-0001`)],
  'application-hostile': ['Uploader <Pro> & Co',
    (page) => open(page, 'manuel', '/settings/accounts/1002/applications/demo-client-0002')],
  'application-endless': ['W{80}…',
    (page) => open(page, 'manuel', '/settings/accounts/1002/applications/browser-client-endless')],
  'application-international': ['مُجدول',
    (page) => open(page, 'manuel', '/settings/accounts/1002/applications/browser-client-international')],
  'application-secrets': ['Everything App', async (page) => {
    await open(page, 'olivia', `${kList}/demo-client-0003`);
    const rotate = button(page, 'Create a new secret');
    if (await rotate.count()) await rotate.click();
    await button(page, 'Show the client secrets').click();
    await page.getByLabel('Client secret, old').waitFor();
  }],
  new: ['New application', (page) => open(page, 'olivia', kNew)],
  'new-wrong': ['Not saved: New application', async (page) => {
    await open(page, 'olivia', kNew);
    await page.evaluate(() => { document.querySelector('main form').noValidate = true; });
    await enter(page, { 'Redirect URI': 'http://app.example/back#part' });
    await button(page, 'Register the application').click();
    await page.getByRole('alert').waitFor();
  }],
  registered: ['Reel Maker', async (page) => {
    await register(page);
    assert.ok(await page.getByText('Exchange the code for tokens').isVisible());
  }],
  'edit-advanced': ['Edit application', async (page) => {
    await open(page, 'olivia', `${kList}/demo-client-0003/edit`);
    assert.ok(await page.getByLabel('Require PKCE').isVisible(), 'what is set is not hidden');
  }],
  edit: ['Edit application', (page) => open(page, 'olivia', `${kList}/demo-client-0001/edit`)],
  'edit-overtaken': ['Not saved: Edit application', async (page) => {
    await open(page, 'olivia', `${kList}/demo-client-0003/edit`);
    const other = await stage.window();
    await open(other, 'manuel', `${kList}/demo-client-0003/edit`);
    await other.getByLabel('Description').fill(`Of Manuel, at ${Date.now()}.`);
    await button(other, 'Save the changes').click();
    await other.context().close();
    await page.getByLabel('Description').fill('Of Olivia.');
    await button(page, 'Save the changes').click();
    await page.getByText('Another user changed this application').waitFor();
  }],
  retire: ['Retire the old secret', async (page) => {
    await open(page, 'olivia', `${kList}/demo-client-0003`);
    const rotate = button(page, 'Create a new secret');
    if (await rotate.count()) await rotate.click();
    await link(page, 'Retire the old secret').click();
  }],
  delete: ['Delete application', (page) => open(page, 'olivia', `${kList}/demo-client-0001/delete`)],
  'password-again': ['Your password', async (page) => {
    await open(page, 'old', `${kList}/demo-client-0001`);
    await button(page, 'Show the client secret').click();
  }],
  connected: ['Connected applications', (page) => connect(page, 'olivia')],
  'connected-none': ['Connected applications', (page) => open(page, 'uma', '/settings/connected')],
  revoke: ['Revoke access', async (page) => {
    await connect(page, 'olivia');
    await page.getByRole('link', { name: 'Revoke access of Clip Scheduler' }).click();
  }],
  'embed-codes': ['Embed codes',
    (page) => page.goto(`${stage.svc}/embed-codes?url=l4unchf1lm`)],
  tokens: ['Account tokens', (page) => open(page, 'olivia', kTokens)],
  'tokens-wrong': ['Not saved: Account tokens', async (page) => {
    await open(page, 'olivia', kTokens);
    await page.evaluate(() => { document.getElementById('name').form.noValidate = true; });
    await button(page, 'Create token').click();
    await page.getByRole('alert').waitFor();
  }],
  'tokens-made': ['Account tokens', async (page) => {
    await open(page, 'olivia', kTokens);
    await kMakers['account token'][1](page, 'Nightly export');
    await button(page, 'Create token').click();
    await button(page, 'Copy the token').waitFor();
  }],
  'second-factor': ['Second factor', (page) => open(page, 'olivia', '/settings/second-factor')],
  'second-factor-wrong': ['Not changed', async (page) => {
    await open(page, 'olivia', '/settings/second-factor');
    await page.getByLabel('Code that the authenticator shows').fill('000000');
    await button(page, 'Set up the second factor').click();
    await page.getByRole('alert').getByRole('link').waitFor();
  }],
  security: ['Sessions and password', (page) => open(page, 'olivia', '/settings/security')],
  'security-wrong': ['Not changed', async (page) => {
    await open(page, 'olivia', '/settings/security');
    await enter(page, { 'Current password': 'x', 'New password': 'short', 'New password again': 'other' });
    await button(page, 'Change your password').click();
    await page.getByRole('alert').waitFor();
  }],
};

async function onEachPage(how, run) {
  for (const [name, [title, come]] of Object.entries(kPages)) {
    const page = await stage.window(how);
    await come(page);
    assert.match(await page.title(), new RegExp(`^${title}.* · `), name);
    await run(page, name);
    assert.deepEqual(page.problems, [], name);
    await page.context().close();
  }
}

// Text to be copied is visible without scrolling, and fills its box.
const badBoxes = (page) => page.evaluate(() => {
  const found = [];
  for (const text of document.querySelectorAll('textarea[readonly]')) {
    if (text.clientHeight === 0) continue;  // folded up
    if (text.scrollHeight > text.clientHeight) found.push(`${text.id} is cut`);
    const { height } = text.style;
    text.style.height = '1px';
    const needs = text.scrollHeight;
    text.style.height = height;
    if (text.clientHeight > needs + 4) found.push(`${text.id} is ${text.clientHeight} high for ${needs}`);
  }
  return found;
});

test('pages-W1 pages-W2 axe-core finds no problem in the settings, and nothing overflows', () =>
  onEachPage({}, async (page, name) => {
    await checkLooks(page, name, (picture) => stage.shot(page, `../settings/${picture}`), { frames: false });
    assert.deepEqual(await badBoxes(page), [], name);
  }));

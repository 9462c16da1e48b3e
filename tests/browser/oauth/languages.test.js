// The languages of login, account choice, consent and their problems, as a browser asks for them. In the catalog "eo" of
// test_browser_oauth.py each English word is doubled.
//
// Names begin with the ids of the contract's rules.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { Stage, kPeople } = require('./stage.js');
const { checkLooks } = require('../looks.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

const send = (page, button) => page.locator(`main form ${button}`).first().click();
async function logIn(page, { email, password }) {
  await page.locator('#email').fill(email);
  await page.locator('#password').fill(password);
  await send(page, 'button.primary');
}

// Each user logs in once, because a login is slow on purpose.
const sessions = new Map();
async function open(page, who, link) {
  if (sessions.has(who)) {
    await page.context().addCookies(sessions.get(who));
    await page.goto(link);
    return;
  }
  await page.goto(link);
  await logIn(page, kPeople[who]);
  await page.locator('button[name=answer]').first().waitFor();
  sessions.set(who, await page.context().cookies());
}

const kPages = {
  login: (page) => page.goto(stage.link('endless')),
  'login-wrong': async (page) => {
    await page.goto(stage.link('scheduler'));
    await logIn(page, { ...kPeople.olivia, password: 'wrong' });
    await page.getByRole('alert').waitFor();
  },
  'login-empty': async (page) => {
    await page.goto(stage.link('scheduler'));
    await page.evaluate(() => { document.querySelector('main form').noValidate = true; });
    await send(page, 'button.primary');
    await page.getByRole('alert').waitFor();
  },
  choice: (page) => open(page, 'maria', stage.link('endless')),
  'choice-none': async (page) => {
    await open(page, 'manuel', stage.link('hostile'));
    await send(page, 'button.primary');
    await page.getByRole('alert').waitFor();
  },
  consent: (page) => open(page, 'olivia', stage.link('everything')),
  'consent-endless': (page) => open(page, 'olivia', stage.link('endless')),
  barrier: (page) => open(page, 'uma', stage.link('scheduler')),
  error: (page) => page.goto(stage.link('scheduler', { redirect_uri: 'https://client.example/elsewhere' })),
  'form-post': async (page) => {
    await page.route('**/assets/send-form.js', (route) => route.fulfill({ body: '' }));
    await open(page, 'olivia', stage.link('hostile', { response_mode: 'form_post' }));
    await send(page, 'button[value=deny]');
    await page.locator('#send').waitFor();
    await page.unrouteAll();
  },
};

test('pages-W103 with words twice as long nothing overflows, and axe-core finds no problem', async () => {
  const page = await stage.window({ language: 'eo' });
  for (const [name, come] of Object.entries(kPages)) {
    await page.context().clearCookies();
    await come(page);
    await page.waitForLoadState();
    assert.equal(await page.locator('html').getAttribute('lang'), 'eo', name);
    assert.match(await page.locator('main').innerText(), /(\p{L}{3,})\1/u, `${name} has words twice`);
    await checkLooks(page, `long-${name}`, (picture) => stage.shot(page, picture), { widths: { wide: 1280, narrow: 320 } });
    assert.deepEqual(page.problems, [], name);
  }
  await page.context().close();
});

test('axe-core finds no problem in any language', async () => {
  for (const language of ['de-AT', 'es-419', 'fr-CA', 'ja-JP', 'pl-PL', 'pt-BR']) {
    const page = await stage.window({ language });
    for (const name of ['login', 'consent']) {
      await page.context().clearCookies();
      await kPages[name](page);
      await page.waitForLoadState();
      assert.equal(await page.locator('html').getAttribute('lang'), language.slice(0, 2));
      await checkLooks(page, `${language}-${name}`, (picture) => stage.shot(page, picture), { widths: { wide: 1280, narrow: 320 } });
    }
    assert.deepEqual(page.problems, [], language);
    await page.context().close();
  }
});

test('a login in German leads to a consent in Japanese, if the application asks for that', async () => {
  const page = await stage.window({ language: 'de-DE' });
  await page.goto(`${stage.svc}/login`);
  await page.getByLabel('E-Mail-Adresse').fill(kPeople.olivia.email);
  await page.getByRole('button', { name: 'Passwort anzeigen' }).click();
  await page.locator('#password').fill(kPeople.olivia.password);
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.locator('#password').waitFor({ state: 'detached' });
  await page.goto(stage.link('everything', { ui_locales: 'ja' }));
  await page.getByRole('heading', { name: /へのアクセスを求めています$/ }).waitFor();
  const [answer] = await stage.answerAfter(page, () => page.getByRole('button', { name: '拒否', exact: true }).click());
  assert.equal(answer.fields.get('error'), 'access_denied');
  assert.equal(answer.fields.get('error_description'), 'The user denied access.');
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

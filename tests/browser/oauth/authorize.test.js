// Authorizing an application in a browser: the complete flow, and every deviation from it.
//
// Names begin with the ids of the contract's rules.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { launchChromium } = require('../browsers.js');
const { Stage, kPeople, logIn, button, tlsServer } = require('./stage.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

// Runs a test in a window. At its end checks that errors and policy violations did not occur, and that only the service
// and the application got requests. `refused` are the expected error statuses of pages.
async function visiting(how, run, refused = []) {
  const page = await stage.window(how);
  await run(page);
  assert.deepEqual(page.problems, []);
  assert.deepEqual(page.refused, refused);
  const others = page.asked.filter((url) => !url.startsWith(`${stage.svc}/`)
    && !url.startsWith(`${stage.application}/`) && !url.startsWith('data:'));
  assert.deepEqual(others, []);
  await page.context().close();
}

const one = (answers) => {
  assert.equal(answers.length, 1, JSON.stringify(answers.map(({ fields }) => `${fields}`)));
  return answers[0];
};
const heading = (page) => page.locator('h1').innerText();

for (const mode of ['query', 'form_post']) {
  test(`pages-W49 Back after Deny and Allow with two accounts shows a page (${mode})`, () => visiting({}, async (page) => {
    await page.goto(stage.link('international', { response_mode: mode }));
    await logIn(page, kPeople.manuel);
    for (const answer of ['Deny', 'Allow']) {
      await page.goto(stage.link('international', { response_mode: mode, scope: 'media:read' }));
      // Each mode has an account of its own, since a consent is remembered.
      await page.getByLabel(mode === 'query' ? 'Binary & Sons <Studio>' : 'Acme Films').check();
      await button(page, 'Continue').click();
      await page.waitForURL(/svc_account=/);
      one(await stage.answerAfter(page, () => button(page, answer).click()));
      if (answer === 'Allow') {
        // A remembered consent answers again.
        one(await stage.answerAfter(page, () => page.goBack()));
      } else {
        await page.goBack();
        assert.match(await heading(page), / wants access to (Binary & Sons <Studio>|Acme Films)$/);
        await page.reload();
        assert.match(await heading(page), / wants access to /);
        await page.goBack();
        assert.match(await heading(page), /^Which account should /);
        await page.goForward();
        assert.match(await heading(page), / wants access to /);
      }
    }
  }));
}

test('pages-W49 Back, Forward and Reload after a failed login send no form, and lead to the same place',
  () => visiting({}, async (page) => {
  const sent = [];
  page.on('request', (request) => { if (request.method() === 'POST') sent.push(request.url()); });
  const wrong = { ...kPeople.manuel, password: 'wrong' };
  // With its script, which gives way to the page of a GET.
  const failed = async () => {
    await page.getByRole('alert').filter({ hasText: 'incorrect' }).waitFor();
    await page.waitForLoadState('load');
  };
  await page.goto(stage.link('everything'));
  await logIn(page, wrong);
  await failed();
  await page.reload();
  assert.match(await page.locator('main').innerText(), /sent you here/);
  await logIn(page, wrong);
  await failed();
  await logIn(page, kPeople.manuel);
  assert.match(await heading(page), /^Which account should /);
  assert.equal(sent.length, 3);
  for (const [way, times] of [['goBack', 3], ['goForward', 2], ['reload', 1]]) {
    for (let i = 0; i < times; i += 1) {
      await page[way]();
      assert.match(await heading(page), /^Which account should /, `${way} ${i}`);
    }
  }
  assert.equal(sent.length, 3);
}, [403, 403]));

test('oauth-A18 a redirect to a host that a policy cannot name arrives after Allow and Deny', async () => {
  const there = await tlsServer();
  const browser = await launchChromium(`--host-resolver-rules=MAP my_app.example 127.0.0.1:${there.port}`);
  try {
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(stage.link('underscore'));
    await logIn(page, stage.newcomer());
    for (const [name, field] of [['Deny', 'error'], ['Allow', 'code']]) {
      await page.goto(stage.link('underscore'));
      const asked = there.next();
      await button(page, name).click();
      const url = new URL(await asked, 'https://my_app.example');
      assert.equal(url.pathname, '/callback');
      assert.ok(url.searchParams.get(field), `${url}`);
    }
  } finally {
    await browser.close();
    there.close();
  }
});

// A click that waits for nothing, where the button is.
async function clickThere(page, name) {
  await button(page, name).scrollIntoViewIfNeeded();
  const { x, y, width, height } = await button(page, name).boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
}

test('pages-W27 buttons of consent act once the page was seen for half a second', () => visiting({}, async (page) => {
  await page.goto(stage.link('scheduler'));
  await logIn(page, stage.newcomer());
  await button(page, 'Allow').click({ trial: true });
  const sent = [];
  page.on('request', (request) => { if (request.method() === 'POST') sent.push(request.url()); });
  const act = await button(page, 'Allow').boundingBox();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.reload();
  // The second click of a double click on the page before, and the Enter of another window.
  await page.mouse.click(act.x + act.width / 2, act.y + act.height / 2);
  await button(page, 'Allow').focus();
  await page.keyboard.press('Enter');
  await page.clock.runFor(499);
  await clickThere(page, 'Allow');
  await clickThere(page, 'Deny');
  // Another window in front for a moment: the time begins again.
  await page.clock.runFor(1);
  await page.evaluate(() => window.dispatchEvent(new Event('blur')));
  await clickThere(page, 'Allow');
  await page.clock.runFor(499);
  await clickThere(page, 'Allow');
  assert.deepEqual(sent, []);
  await page.clock.runFor(1);
  const { fields } = one(await stage.answerAfter(page, () => clickThere(page, 'Allow')));
  assert.ok(fields.get('code'));
  assert.equal(sent.length, 1);
}));

test('pages-W27 buttons of consent do not act while the page lacks the focus', () => visiting({}, async (page) => {
  await page.addInitScript(() => { document.hasFocus = () => window.focused === true; });
  await page.goto(stage.link('scheduler'));
  await logIn(page, stage.newcomer());
  await button(page, 'Allow').waitFor();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.reload();
  await page.clock.runFor(60_000);
  const sent = [];
  page.on('request', (request) => { if (request.method() === 'POST') sent.push(request.url()); });
  await clickThere(page, 'Allow');
  assert.deepEqual(sent, []);
  await page.evaluate(() => { window.focused = true; window.dispatchEvent(new Event('focus')); });
  await page.clock.runFor(500);
  assert.ok(one(await stage.answerAfter(page, () => clickThere(page, 'Allow'))).fields.get('code'));
}));

// A page of the application, and the popup that it opens.
async function withPopup(address) {
  const page = await stage.window();
  await page.goto(stage.application);
  const opened = page.waitForEvent('popup');
  await page.evaluate((url) => { window.popup = window.open(url); }, address);
  return { page, popup: await opened };
}

test('a page that opens a login or the settings cannot reach their window', async () => {
  const { page, popup } = await withPopup(`${stage.svc}/settings`);
  await popup.waitForSelector('#password');
  assert.equal(await popup.evaluate('window.opener'), null);
  await page.waitForFunction('window.popup.closed');
  await page.context().close();
});

test('an application that opens consent in a popup has it until its callback, which calls back', async () => {
  const { page, popup } = await withPopup(stage.link('scheduler'));
  await logIn(popup, stage.newcomer());
  await button(popup, 'Allow').waitFor();
  assert.equal(await page.evaluate('window.popup.closed'), false);
  await page.evaluate(() => { window.received = (query) => { window.answer = query; }; });
  await stage.answerAfter(popup, () => button(popup, 'Allow').click());
  await popup.evaluate(() => window.opener.received(location.search));
  assert.match(new URLSearchParams(await page.evaluate('window.answer')).get('code'), /^svcc_/);
  await page.context().close();
});

test('a double click on Allow ends at the application', () => visiting({}, async (page) => {
  await page.goto(stage.link('scheduler'));
  await logIn(page, stage.newcomer());
  const answers = await stage.answerAfter(page, () => button(page, 'Allow').dblclick());
  assert.ok(answers.length > 0);
  assert.equal(new Set(answers.map(({ fields }) => fields.get('code'))).size, 1);
  assert.equal(await page.locator('p').innerText(), 'Welcome back');
}));

test('pages-W2 the complete flow by keyboard, with visible focus', () => visiting({}, async (page) => {
  const reach = async (selector) => {
    for (let press = 0; press < 12; press += 1) {
      const found = await page.evaluate((wanted) => {
        const focused = document.activeElement;
        if (!focused.matches(wanted)) return null;
        const { outlineStyle, outlineWidth } = getComputedStyle(focused);
        return { outlineStyle, width: parseFloat(outlineWidth) };
      }, selector);
      if (found) {
        assert.notEqual(found.outlineStyle, 'none', selector);
        assert.ok(found.width >= 2, selector);
        return;
      }
      await page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not reach ${selector}`);
  };
  const press = async (key, url) => {
    const shown = page.waitForEvent('load');
    await page.keyboard.press(key);
    await shown;
    if (url) await page.waitForURL(url);
  };
  await page.goto(stage.link('scheduler'));
  await reach('#email');
  await page.keyboard.type(kPeople.manuel.email);
  await page.keyboard.press('Tab');
  await reach('#password');
  await page.keyboard.type(kPeople.manuel.password);
  await press('Enter');
  assert.equal(await heading(page), 'Which account should Clip Scheduler get access to?');
  await reach('input[type=radio]');
  await page.keyboard.press('Space');
  assert.equal(await page.evaluate(() => document.activeElement.checked), true);
  await reach('button[value=choose]');
  await press('Enter');
  assert.match(await heading(page), /^Clip Scheduler wants access to Acme Films$/);
  await reach('button[value=allow]');
  await button(page, 'Allow').click({ trial: true }); // waits until it acts
  const { fields } = one(await stage.answerAfter(page, () => page.keyboard.press('Enter')));
  assert.equal(fields.get('account_id'), '1001');
}));

test('pages-W6 a password can be shown, and is hidden before it is sent', () => visiting({}, async (page) => {
  const person = stage.newcomer();
  await page.goto(stage.link('scheduler'));
  const field = page.locator('#password');
  await field.fill(person.password);
  await button(page, 'Show password').click();
  assert.equal(await field.getAttribute('type'), 'text');
  await button(page, 'Hide password').click();
  assert.equal(await field.getAttribute('type'), 'password');
  await button(page, 'Show password').click();
  await page.evaluate(() => document.querySelector('#password').form.addEventListener('submit', () => {
    window.name = document.querySelector('#password').type;
  }));
  await page.getByLabel('Email address').fill(person.email);
  await button(page, 'Log in').click();
  assert.equal(await heading(page), 'Clip Scheduler wants access to Acme Films');
  assert.equal(await page.evaluate(() => window.name), 'password');
}));

test('pages-W6 the complete flow without scripts', () => visiting({ scripts: false }, async (page) => {
  await page.goto(stage.link('everything'));
  assert.equal(await page.getByRole('button').count(), 1, 'nothing is offered that needs a script');
  await logIn(page, kPeople.manuel);
  await page.getByLabel('Acme Films').check();
  await button(page, 'Continue').click();
  assert.equal(await heading(page), 'Everything App wants access to Acme Films');
  const { fields } = one(await stage.answerAfter(page, () => button(page, 'Allow').click()));
  assert.ok(fields.get('code'));
}));

test('pages-W6 form_post is sent by a script, and without scripts by a button', async () => {
  for (const scripts of [true, false]) {
    const person = stage.newcomer();
    await visiting({ scripts }, async (page) => {
      for (const [word, field] of [['Deny', 'error'], ['Allow', 'code']]) {
        await page.goto(stage.link('scheduler', { response_mode: 'form_post', state: 'ö "&' }));
        if (word === 'Deny') await logIn(page, person);
        const { method, fields } = one(await stage.answerAfter(page, async () => {
          await button(page, word).click();
          if (!scripts) await button(page, 'Continue').click();
        }));
        assert.equal(method, 'POST');
        assert.ok(fields.get(field));
        assert.equal(fields.get('state'), 'ö "&');
      }
    });
  }
});

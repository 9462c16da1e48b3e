// Passkeys in a real browser with Chromium's virtual authenticator: by our own page, and by @simplewebauthn/browser,
// which others wrote. The service is at a name, because an address has none.
'use strict';

const assert = require('node:assert/strict');
const crypto = require('node:crypto');
const fs = require('node:fs');
const { after, before, test } = require('node:test');
const { Stage, logIn, button } = require('./stage.js');
const { checkLooks } = require('../looks.js');

const kLibrary = require.resolve('@simplewebauthn/browser').replace(/script\/index.js$/, 'dist/bundle/index.umd.min.js');
const kFactor = '/settings/second-factor';

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

// RFC 6238: the code of a key as the page shows it.
function codeOf(key) {
  const bits = [...key.replaceAll(' ', '')].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('');
  const secret = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000)));
  const mac = crypto.createHmac('sha1', secret).update(step).digest();
  return String((mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff) % 1000000).padStart(6, '0');
}

async function withAuthenticator(page) {
  const developers = await page.context().newCDPSession(page);
  await developers.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId } = await developers.send('WebAuthn.addVirtualAuthenticator', { options: { protocol: 'ctap2',
    transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
    automaticPresenceSimulation: true } });
  const credentials = async () => (await developers.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  // As another device.
  credentials.forget = () => developers.send('WebAuthn.clearCredentials', { authenticatorId });
  return credentials;
}

// Waits for the settings by their heading: the pages of the login are shown at the same address.
const isLoggedIn = (page) => page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();

// A user with a second factor, at its page. Returns the first recovery code, too.
async function userWithFactor(page) {
  const user = stage.newcomer();
  await page.goto(`${stage.svc}/login`);
  await logIn(page, user);
  await isLoggedIn(page);
  await page.goto(stage.svc + kFactor);
  await page.getByLabel('Code that').fill(codeOf(await page.locator('#key').inputValue()));
  await button(page, 'Set up the second factor').click();
  await page.getByText('The second factor is set up.').waitFor();
  const recovery = await page.locator('li code').first().textContent();
  await page.goto(stage.svc + kFactor);
  return { user, recovery };
}

async function giveThePassword(page, user) {
  await page.context().clearCookies();
  await page.goto(`${stage.svc}/login`);
  await logIn(page, user);
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
}

async function addPasskey(page, name) {
  await page.getByLabel('Name of the new passkey').fill(name);
  await button(page, 'Add a passkey').click();
}

test('a user adds a passkey on the page, and it replaces the code', async () => {
  const page = await stage.window();
  const credentials = await withAuthenticator(page);
  const { user } = await userWithFactor(page);
  assert.equal(await page.getByText('This browser cannot make passkeys here').isVisible(), false);
  await addPasskey(page, 'My laptop');
  await page.getByText('The passkey is added.').waitFor();
  await page.getByText('My laptop').waitFor();
  const [made] = await credentials();
  assert.equal(made.rpId, 'localhost');

  // The same authenticator refuses a second passkey, and the page tells so.
  await addPasskey(page, 'Again');
  await page.getByText('No passkey was made.').waitFor();
  assert.equal((await credentials()).length, 1);

  await giveThePassword(page, user);
  await button(page, 'Use a passkey').click();
  await isLoggedIn(page);
  await page.goto(stage.svc + kFactor);
  await page.getByText('last used just now').waitFor();
  assert.equal((await credentials())[0].signCount > made.signCount, true);
  assert.deepEqual(page.problems, []);
});

test('passkeys of managers whose toJSON() throws, or that lack it, are added and used', async () => {
  const page = await stage.window();
  const credentials = await withAuthenticator(page);
  // As extensions do: an object of their own with the prototype of the browser's.
  await page.addInitScript(() => {
    for (const kind of ['create', 'get']) {
      const real = navigator.credentials[kind].bind(navigator.credentials);
      navigator.credentials[kind] = async (options) => {
        const { id, rawId, type, response } = await real(options);
        const names = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];
        const copy = Object.fromEntries(names.map((name) => [name, response[name]]));
        const own = { id, rawId: new Uint8Array(rawId), type, response: copy, getClientExtensionResults: () => ({}) };
        return kind === 'create' ? Object.setPrototypeOf(own, PublicKeyCredential.prototype) : own;
      };
    }
  });
  const { user } = await userWithFactor(page);
  await addPasskey(page, 'By a manager');
  await page.getByText('The passkey is added.').waitFor();
  assert.equal((await credentials()).length, 1);
  await giveThePassword(page, user);
  await button(page, 'Use a passkey').click();
  await isLoggedIn(page);
  assert.deepEqual(page.problems, []);
});

test('@simplewebauthn/browser drives both ceremonies with the options of the pages', async () => {
  const page = await stage.window();
  const credentials = await withAuthenticator(page);
  const { user } = await userWithFactor(page);
  const library = fs.readFileSync(kLibrary, 'utf8');
  // In the page: its function gets the options, and the form takes its result.
  const drive = ([kind, name]) => {
    const form = document.querySelector(`form[data-passkey=${kind}]`);
    const { startRegistration, startAuthentication } = window.SimpleWebAuthnBrowser;
    const start = kind === 'create' ? startRegistration : startAuthentication;
    return start({ optionsJSON: JSON.parse(form.dataset.options) }).then((result) => {
      if (name) form.elements.name.value = name;
      form.elements.credential.value = JSON.stringify(result);
      HTMLFormElement.prototype.submit.call(form);
    });
  };
  await page.evaluate(library);
  await page.evaluate(drive, ['create', 'By a library']);
  await page.getByText('The passkey is added.').waitFor();
  await page.getByText('By a library').waitFor();
  assert.equal((await credentials()).length, 1);

  await giveThePassword(page, user);
  await page.evaluate(library);
  await page.evaluate(drive, ['get']);
  await isLoggedIn(page);
  assert.deepEqual(page.problems, []);
});

test('without scripts, a user with a passkey logs in with a code', async () => {
  const page = await stage.window();
  await withAuthenticator(page);
  const { user, recovery } = await userWithFactor(page);
  await addPasskey(page, 'Phone');
  await page.getByText('The passkey is added.').waitFor();

  const plain = await stage.window({ scripts: false });
  await plain.goto(`${stage.svc}/login`);
  await logIn(plain, user);
  await plain.getByRole('heading', { name: 'Enter your code' }).waitFor();
  assert.equal(await button(plain, 'Use a passkey').isVisible(), false);
  await plain.getByLabel('Code').fill(recovery);
  await button(plain, 'Log in').click();
  await isLoggedIn(plain);
  await plain.goto(stage.svc + kFactor);
  await plain.getByText('This browser cannot make passkeys here').waitFor();
  assert.equal(await button(plain, 'Add a passkey').isVisible(), false);
});

test('pages-W1 pages-W2 axe-core finds no problem on the pages of the second factor, and nothing overflows', async () => {
  const page = await stage.window();
  const shot = (name) => stage.shot(page, name);
  const credentials = await withAuthenticator(page);
  const user = stage.newcomer();
  await page.goto(`${stage.svc}/login`);
  await logIn(page, user);
  await isLoggedIn(page);
  await page.goto(stage.svc + kFactor);
  await checkLooks(page, 'second-factor-off', shot);
  await page.getByLabel('Code that').fill(codeOf(await page.locator('#key').inputValue()));
  await button(page, 'Set up the second factor').click();
  await page.getByText('The second factor is set up.').waitFor();
  await checkLooks(page, 'second-factor-made', shot);
  await page.goto(stage.svc + kFactor);
  for (const name of ['A phone with a long name, W'.padEnd(60, 'W'), 'مفتاح المكتب', 'My laptop']) {
    await addPasskey(page, name);
    await page.getByRole('radio', { name: name.slice(0, 24) }).waitFor();
    await credentials.forget();
  }
  await checkLooks(page, 'second-factor-on', shot);
  await giveThePassword(page, user);
  await checkLooks(page, 'login-passkey', shot);
  await page.getByLabel('Code').fill('000000');
  await button(page, 'Log in').click();
  await page.getByRole('alert').waitFor();
  await checkLooks(page, 'login-code-wrong', shot);
  assert.deepEqual(page.problems, []);
});

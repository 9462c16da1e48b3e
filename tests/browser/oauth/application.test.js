// A program without a secret in a page of another origin: oidc-client-ts, which others wrote.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { after, before, test } = require('node:test');
const { Stage, logIn, button } = require('./stage.js');

const kLibrary = require.resolve('oidc-client-ts').replace(/dist\/.*$/, 'dist/browser/oidc-client-ts.min.js');
const kDesk = 'browser-client-desk';  // registered for the application's origin, with its port
const kMedia = '/v1/medias/l4unchf1lm';

const stage = new Stage();
before(async () => {
  await stage.open();
  stage.pages.set('/library.js', ['text/javascript', fs.readFileSync(kLibrary, 'utf8')]);
  stage.pages.set('/desk', ['text/html; charset=utf-8',
    '<!DOCTYPE html><title>Film Desk</title><link rel="icon" href="data:,"><script src="/library.js"></script>']);
});
after(() => stage.close());

// Runs in the page.
const begin = ([svc, application, client_id]) => {
  window.desk = new window.oidc.UserManager({ authority: svc, client_id, redirect_uri: `${application}/desk`,
    metadataUrl: `${svc}/.well-known/oauth-authorization-server`, response_type: 'code', scope: 'media:read',
    loadUserInfo: false, automaticSilentRenew: false, revokeTokensOnSignout: true });
};
const read = async ([svc, path, token]) => {
  const answer = await fetch(svc + path, { headers: { Authorization: `Bearer ${token}` } });
  return { status: answer.status, challenge: answer.headers.get('WWW-Authenticate'), name: (await answer.json()).name };
};

test('oidc-client-ts gets, renews and revokes tokens in a page of a registered origin, which reads the data API', async () => {
  const page = await stage.window();
  const desk = `${stage.application}/desk`;
  await page.goto(desk);
  await page.evaluate(begin, [stage.svc, stage.application, kDesk]);
  await Promise.all([page.waitForURL(/\/oauth\/authorize/), page.evaluate(() => { window.desk.signinRedirect(); })]);
  await logIn(page, stage.newcomer());
  await Promise.all([page.waitForURL((url) => url.href.startsWith(desk)), button(page, 'Allow').click()]);
  await page.evaluate(begin, [stage.svc, stage.application, kDesk]);
  const first = await page.evaluate(async () => {
    const user = await window.desk.signinRedirectCallback();
    return { access: user.access_token, refresh: user.refresh_token, scope: user.scope };
  });
  assert.equal(first.scope, 'media:read');
  assert.equal((await page.evaluate(read, [stage.svc, kMedia, first.access])).name, 'Launch film');

  const second = await page.evaluate(async () => {
    const user = await window.desk.signinSilent();
    return { access: user.access_token, refresh: user.refresh_token };
  });
  assert.notEqual(second.refresh, first.refresh);
  assert.equal((await page.evaluate(read, [stage.svc, kMedia, second.access])).status, 200);

  await page.evaluate(() => window.desk.revokeTokens());
  const over = await page.evaluate(read, [stage.svc, kMedia, second.access]);
  assert.equal(over.status, 401);
  assert.match(over.challenge, /resource_metadata="/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test('a page of an origin that is not registered reads neither tokens nor why it gets none', async () => {
  const page = await stage.window();
  // Another host of the same server, and a page without an origin.
  const other = stage.application.replace('127.0.0.1', 'localhost');
  const ask = ([svc, client_id]) => fetch(`${svc}/oauth/token`, { method: 'POST', body: new URLSearchParams({
    grant_type: 'refresh_token', refresh_token: 'x', client_id }) }).then((answer) => answer.status, (error) => error.name);
  await page.goto(`${stage.application}/desk`);
  assert.equal(await page.evaluate(ask, [stage.svc, kDesk]), 400);
  await page.goto(`${other}/desk`);
  assert.equal(await page.evaluate(ask, [stage.svc, kDesk]), 'TypeError');
  await page.goto('data:text/html,<title>none</title>');
  assert.equal(await page.evaluate(ask, [stage.svc, kDesk]), 'TypeError');
  await page.context().close();
});

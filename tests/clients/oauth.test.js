// Third-party OAuth clients, and a user who authorises them, against the service at SVC_URL.
//
// These libraries detect mistakes that our own tests could miss: in
// metadata, state, iss, PKCE, types of fields, error responses.
import assert from 'node:assert/strict';
import test from 'node:test';

import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import simple from 'simple-oauth2';

import { Person } from './person.js';

const base = process.env.SVC_URL;
assert.ok(base, 'SVC_URL says where the service is');
const media = new URL('/v1/medias/l4unchf1lm', base);

// From the demonstration catalog. The first application gets scopes as an array, as old ones do; the second as a string,
// as in RFC 6749 §5.1, which strict libraries require.
const kScheduler = { id: 'demo-client-0001', secret: 'demo-secret-0001-not-for-production',
  redirect: 'http://127.0.0.1:9090/callback' };
const kEverything = { id: 'demo-client-0003', secret: 'demo-secret-0003-not-for-production',
  redirect: 'http://127.0.0.1:9090/all' };

const olivia = () => new Person(base, 'olivia@acme.example', 'olivia-demo-password');

// ---- oauth4webapi ---------------------------------------------------------------------------------

// The test's service runs without TLS.
const plain = { [oauth.allowInsecureRequests]: true };

async function discovered() {
  const issuer = new URL(base);
  const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...plain });
  return oauth.processDiscoveryResponse(issuer, answer);
}

// Returns a link, and the values that the client must keep until its response.
async function question(as, more = {}) {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const link = new URL(as.authorization_endpoint);
  link.search = new URLSearchParams({ client_id: kEverything.id, redirect_uri: kEverything.redirect,
    response_type: 'code', state, code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256', ...more });
  return { link, verifier, state };
}

test('flow of oauth4webapi',
  async (t) => {
  for (const [way, authentication] of [['Basic', oauth.ClientSecretBasic], ['body', oauth.ClientSecretPost]]) {
    await t.test(way, async () => {
      const as = await discovered();
      const client = { client_id: kEverything.id };
      const proof = authentication(kEverything.secret);
      assert.ok(as.code_challenge_methods_supported.includes('S256'));
      assert.equal(as.authorization_response_iss_parameter_supported, true);

      const { link, verifier, state } = await question(as, { scope: 'all:all' });
      const callback = await olivia().allow(link);
      const parameters = oauth.validateAuthResponse(as, client, callback, state);
      const tokens = await oauth.processAuthorizationCodeResponse(as, client,
        await oauth.authorizationCodeGrantRequest(as, client, proof, parameters, kEverything.redirect,
          verifier, plain));
      assert.equal(tokens.token_type, 'bearer');
      assert.equal(tokens.scope, 'all:all');
      assert.ok(Number.isInteger(tokens.expires_in) && tokens.expires_in > 0);

      const ask = (token) => oauth.protectedResourceRequest(token, 'GET', media, undefined, undefined, plain);
      assert.equal((await (await ask(tokens.access_token)).json()).hashed_id, 'l4unchf1lm');

      const newer = await oauth.processRefreshTokenResponse(as, client,
        await oauth.refreshTokenGrantRequest(as, client, proof, tokens.refresh_token, plain));
      assert.notEqual(newer.access_token, tokens.access_token);
      assert.equal(newer.refresh_token, tokens.refresh_token);
      for (const token of [tokens.access_token, newer.access_token]) {
        assert.equal((await ask(token)).status, 200);
      }

      const inspect = async (token) => oauth.processIntrospectionResponse(as, client,
        await oauth.introspectionRequest(as, client, proof, token, plain));
      const known = await inspect(newer.access_token);
      assert.equal(known.active, true);
      assert.equal(known.client_id, kEverything.id);
      assert.equal(known.scope, 'all:all');
      assert.equal(known.sub, callback.searchParams.get('contact_id'));
      assert.ok(known.exp > known.iat);

      await oauth.processRevocationResponse(
        await oauth.revocationRequest(as, client, proof, tokens.refresh_token, plain));
      for (const token of [tokens.access_token, newer.access_token]) {
        await assert.rejects(ask(token), (error) => error instanceof oauth.WWWAuthenticateChallengeError
          && error.cause.some(({ scheme, parameters: { error: why } }) =>
            scheme === 'bearer' && why === 'invalid_token'));
        assert.deepEqual(await inspect(token), { active: false });
      }
      await assert.rejects(async () => oauth.processRefreshTokenResponse(as, client,
        await oauth.refreshTokenGrantRequest(as, client, proof, tokens.refresh_token, plain)),
      { name: 'ResponseBodyError', error: 'invalid_grant', status: 400 });
    });
  }
});

test('oauth4webapi refuses a response to another request, or from another server', async () => {
  const as = await discovered();
  const client = { client_id: kEverything.id };
  const { link } = await question(as);
  const callback = await olivia().allow(link);
  assert.throws(() => oauth.validateAuthResponse(as, client, callback, 'another state'), /state/);
  assert.throws(() => oauth.validateAuthResponse({ ...as, issuer: 'https://other.example' }, client, callback,
    oauth.skipStateCheck), /iss/);
});

test('oauth4webapi recognises a denial and an error', async () => {
  const as = await discovered();
  const client = { client_id: kEverything.id };
  for (const [more, word, error] of [[{ prompt: 'whatever' }, 'deny', 'access_denied'],
    [{ scope: 'all:none' }, 'allow', 'invalid_scope'],
    [{ response_type: 'token' }, 'allow', 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'allow', 'invalid_request']]) {
    const { link, state } = await question(as, more);
    const person = new Person(base, 'manuel@acme.example', 'manuel-demo-password');
    const callback = await person.answer(link, word);
    assert.throws(() => oauth.validateAuthResponse(as, client, callback, state),
      { name: 'AuthorizationResponseError', error });
  }
});

test('oauth4webapi recognises why a code is refused, and a replay revokes the tokens',
  async () => {
  const as = await discovered();
  const client = { client_id: kEverything.id };
  const { link, verifier, state } = await question(as);
  const parameters = oauth.validateAuthResponse(as, client, await olivia().allow(link), state);
  const exchange = async (secret, proof) => oauth.processAuthorizationCodeResponse(as, client,
    await oauth.authorizationCodeGrantRequest(as, client, oauth.ClientSecretBasic(secret), parameters,
      kEverything.redirect, proof, plain));
  const other = oauth.generateRandomCodeVerifier();
  await assert.rejects(exchange(kEverything.secret, other), { error: 'invalid_grant' });
  await assert.rejects(exchange('no secret', verifier), (error) =>
    error instanceof oauth.WWWAuthenticateChallengeError && error.cause[0].scheme === 'basic');
  const tokens = await exchange(kEverything.secret, verifier);
  const ask = () => oauth.protectedResourceRequest(tokens.access_token, 'GET', media, undefined, undefined, plain);
  assert.equal((await ask()).status, 200);
  await assert.rejects(exchange(kEverything.secret, verifier), { error: 'invalid_grant' });
  await assert.rejects(ask(), { name: 'WWWAuthenticateChallengeError', status: 401 });
});

// ---- openid-client --------------------------------------------------------------------------------

test('flow of openid-client',
  async (t) => {
  for (const [way, authentication] of [['Basic', openid.ClientSecretBasic], ['body', openid.ClientSecretPost]]) {
    for (const mode of ['query', 'form_post']) {
      await t.test(`${way}, ${mode}`, async () => {
        const config = await openid.discovery(new URL(base), kEverything.id, undefined,
          authentication(kEverything.secret), { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] });
        assert.equal(config.serverMetadata().supportsPKCE(), true);
        const verifier = openid.randomPKCECodeVerifier();
        const state = openid.randomState();
        const link = openid.buildAuthorizationUrl(config, { redirect_uri: kEverything.redirect, scope: 'all:all',
          state, code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
          response_mode: mode });

        const callback = await olivia().allow(link);
        assert.equal(callback instanceof Request, mode === 'form_post');
        const tokens = await openid.authorizationCodeGrant(config, callback,
          { expectedState: state, pkceCodeVerifier: verifier });
        assert.equal(tokens.scope, 'all:all');
        assert.ok(tokens.expiresIn() > 0);

        const ask = (token) => openid.fetchProtectedResource(config, token, media, 'GET');
        assert.equal((await (await ask(tokens.access_token)).json()).name, 'Launch film');
        const newer = await openid.refreshTokenGrant(config, tokens.refresh_token);
        assert.equal((await ask(newer.access_token)).status, 200);

        const known = await openid.tokenIntrospection(config, newer.access_token);
        assert.equal(known.active, true);
        assert.equal(known.client_id, kEverything.id);

        await openid.tokenRevocation(config, newer.access_token, { token_type_hint: 'refresh_token' });
        assert.deepEqual(await openid.tokenIntrospection(config, tokens.refresh_token), { active: false });
        await assert.rejects(ask(newer.access_token), { name: 'WWWAuthenticateChallengeError', status: 401 });
        await assert.rejects(openid.refreshTokenGrant(config, tokens.refresh_token), { error: 'invalid_grant' });
      });
    }
  }
});

// ---- simple-oauth2 --------------------------------------------------------------------------------

test('flow of simple-oauth2', async (t) => {
  for (const authorizationMethod of ['header', 'body']) {
    for (const [application, scope] of [[kScheduler, ['media:read', 'stats:read']],
      [kEverything, ['all:all']]]) {
      await t.test(`${application.id}, credentials in the ${authorizationMethod}`, async () => {
        const client = new simple.AuthorizationCode({ client: { id: application.id, secret: application.secret },
          auth: { tokenHost: base }, options: { authorizationMethod } });
        const link = client.authorizeURL({ redirect_uri: application.redirect, scope, state: 'a b&c' });
        const callback = await olivia().allow(link);
        assert.equal(callback.searchParams.get('state'), 'a b&c');
        const first = await client.getToken({ code: callback.searchParams.get('code'),
          redirect_uri: application.redirect });
        assert.equal(first.expired(), false);
        assert.deepEqual([first.token.scope].flat(), scope);

        const ask = (how, token) => fetch(how === 'header' ? media : `${media}?access_token=${token}`,
          how === 'header' ? { headers: { Authorization: `Bearer ${token}` } } : {});
        for (const how of ['header', 'query']) assert.equal((await ask(how, first.token.access_token)).status, 200);
        const second = await first.refresh();
        assert.notEqual(second.token.access_token, first.token.access_token);
        assert.equal((await ask('header', second.token.access_token)).status, 200);
        if (application === kScheduler) {
          assert.deepEqual((await second.refresh({ scope: 'stats:read' })).token.scope, ['stats:read']);
          await assert.rejects(second.refresh({ scope: 'all:all' }),
            (error) => error.data.payload.error === 'invalid_scope');
        }
        await second.revokeAll();
        for (const { token } of [first, second]) {
          assert.equal((await ask('header', token.access_token)).status, 401);
        }
        await assert.rejects(second.refresh(), (error) => error.output.statusCode === 400
          && error.data.payload.error === 'invalid_grant');
      });
    }
  }
});

test('simple-oauth2 recognises a wrong secret', async () => {
  const client = new simple.AuthorizationCode({ client: { id: kScheduler.id, secret: 'wrong: %+"' },
    auth: { tokenHost: base } });
  await assert.rejects(client.getToken({ code: 'x', redirect_uri: kScheduler.redirect }),
    (error) => error.output.statusCode === 401 && error.data.payload.error === 'invalid_client');
});

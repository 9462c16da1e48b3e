// Third-party libraries of programs without a secret, against the service at SVC_URL.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import test from 'node:test';

import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import simple from 'simple-oauth2';

import { Person } from './person.js';

const base = process.env.SVC_URL;
assert.ok(base, 'SVC_URL says where the service is');
const media = new URL('/v1/medias/l4unchf1lm', base);

// From the demonstration catalog.
const kDesk = 'demo-client-0004';
const plain = { [oauth.allowInsecureRequests]: true };  // the test's service runs without TLS
const olivia = () => new Person(base, 'olivia@acme.example', 'olivia-demo-password');
const bearer = (token) => fetch(media, { headers: { Authorization: `Bearer ${token}` } });

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => { server.once('listening', resolve); });
  const { port } = server.address();
  await new Promise((resolve) => { server.close(resolve); });
  return port;
}

async function metadata() {
  const issuer = new URL(base);
  return oauth.processDiscoveryResponse(issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...plain }));
}

test('oauth4webapi: a program without a secret gets tokens, and its refresh tokens rotate', async () => {
  const as = await metadata();
  const client = { client_id: kDesk };
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const redirect = 'http://127.0.0.1:53682/callback';  // any port of loopback
  const link = new URL(as.authorization_endpoint);
  link.search = new URLSearchParams({ client_id: kDesk, redirect_uri: redirect, response_type: 'code', state,
    scope: 'media:read', code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256' });
  const parameters = oauth.validateAuthResponse(as, client, await olivia().allow(link), state);
  const tokens = await oauth.processAuthorizationCodeResponse(as, client,
    await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), parameters, redirect, verifier, plain));
  assert.equal(tokens.scope, 'media:read');
  assert.equal((await bearer(tokens.access_token)).status, 200);

  const refresh = async (token) => oauth.processRefreshTokenResponse(as, client,
    await oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, plain));
  const second = await refresh(tokens.refresh_token);
  assert.notEqual(second.refresh_token, tokens.refresh_token);
  const third = await refresh(second.refresh_token);
  assert.equal((await bearer(third.access_token)).status, 200);
  // The first token again, after its successor was used: an attacker has it.
  await assert.rejects(refresh(tokens.refresh_token), { name: 'ResponseBodyError', error: 'invalid_grant' });
  await assert.rejects(refresh(third.refresh_token), { error: 'invalid_grant' });
  assert.equal((await bearer(third.access_token)).status, 401);
});

test('openid-client: discovery, code, refresh and revocation without a secret', async () => {
  const config = await openid.discovery(new URL(base), kDesk, undefined, openid.None(),
    { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] });
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const link = openid.buildAuthorizationUrl(config, { redirect_uri: 'http://localhost:9090/callback',
    scope: 'media:read media:upload openid offline_access', state, code_challenge_method: 'S256',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier) });
  const tokens = await openid.authorizationCodeGrant(config, await olivia().allow(link),
    { expectedState: state, pkceCodeVerifier: verifier });
  assert.equal(tokens.scope, 'media:read media:upload');
  const newer = await openid.refreshTokenGrant(config, tokens.refresh_token);
  assert.equal((await openid.fetchProtectedResource(config, newer.access_token, media, 'GET')).status, 200);
  await openid.tokenRevocation(config, newer.refresh_token);
  assert.equal((await bearer(newer.access_token)).status, 401);
  await assert.rejects(openid.refreshTokenGrant(config, newer.refresh_token), { error: 'invalid_grant' });
});

test('simple-oauth2: an empty secret counts as absent', async () => {
  const client = new simple.AuthorizationCode({ client: { id: kDesk, secret: '' }, auth: { tokenHost: base },
    options: { authorizationMethod: 'body' } });
  const verifier = openid.randomPKCECodeVerifier();
  const redirect = 'http://127.0.0.1:53682/callback';
  const link = client.authorizeURL({ redirect_uri: redirect, scope: 'media:read', state: 'a b',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' });
  const callback = await olivia().allow(link);
  const first = await client.getToken({ code: callback.searchParams.get('code'), redirect_uri: redirect,
    code_verifier: verifier });
  const second = await first.refresh();
  assert.notEqual(second.token.refresh_token, first.token.refresh_token);
  assert.equal((await bearer(second.token.access_token)).status, 200);
});

// The library starts `xdg-open` and listens on loopback, as a desktop program does.
test('AppAuth: a native program with a loopback redirect', async () => {
  const require = createRequire(import.meta.url);
  // The browser, which the user's hands are in.
  const opened = [];
  require.cache[require.resolve('opener')] = { exports: (link) => opened.push(olivia().allow(link).then(fetch)) };
  const { AuthorizationNotifier, AuthorizationRequest, AuthorizationServiceConfiguration, BaseTokenRequestHandler,
    BasicQueryStringUtils, GRANT_TYPE_AUTHORIZATION_CODE, GRANT_TYPE_REFRESH_TOKEN, RevokeTokenRequest,
    TokenRequest } = require('@openid/appauth');
  const { NodeBasedHandler, NodeCrypto, NodeRequestor } = require('@openid/appauth/built/node_support');
  const configuration = new AuthorizationServiceConfiguration(await metadata());
  const port = await freePort();
  const redirect = `http://127.0.0.1:${port}/callback`;
  const handler = new NodeBasedHandler(port);
  const notifier = new AuthorizationNotifier();
  handler.setAuthorizationNotifier(notifier);
  const answered = new Promise((resolve) => {
    notifier.setAuthorizationListener((request, response, error) => resolve({ request, response, error }));
  });
  handler.performAuthorizationRequest(configuration, new AuthorizationRequest({ client_id: kDesk,
    redirect_uri: redirect, scope: 'media:read', response_type: AuthorizationRequest.RESPONSE_TYPE_CODE },
  new NodeCrypto()));
  const { request, response, error } = await answered;
  assert.equal(error, null);
  assert.equal(response.state, request.state);
  assert.equal((await Promise.all(opened)).length, 1);

  const exchanger = new BaseTokenRequestHandler(new NodeRequestor(), new BasicQueryStringUtils());
  const tokens = await exchanger.performTokenRequest(configuration, new TokenRequest({ client_id: kDesk,
    redirect_uri: redirect, grant_type: GRANT_TYPE_AUTHORIZATION_CODE, code: response.code,
    extras: { code_verifier: request.internal.code_verifier } }));
  const newer = await exchanger.performTokenRequest(configuration, new TokenRequest({ client_id: kDesk,
    redirect_uri: redirect, grant_type: GRANT_TYPE_REFRESH_TOKEN, refresh_token: tokens.refreshToken }));
  assert.notEqual(newer.refreshToken, tokens.refreshToken);
  assert.equal((await bearer(newer.accessToken)).status, 200);
  await exchanger.performRevokeTokenRequest(configuration, new RevokeTokenRequest({ client_id: kDesk,
    token: newer.refreshToken, token_type_hint: 'refresh_token' }));
  assert.equal((await bearer(newer.accessToken)).status, 401);
});

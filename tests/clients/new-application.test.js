// Libraries for confidential clients, with an application as SVC_CLIENT and SVC_SECRET that was made with the defaults.
import assert from 'node:assert/strict';
import test from 'node:test';

import { CodeChallengeMethod, OAuth2Client } from 'arctic';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { Person } from './person.js';

const { SVC_URL: base, SVC_CLIENT: id, SVC_SECRET: secret } = process.env;
const kRedirect = 'http://127.0.0.1:9090/new';
const kScope = 'media:read stats:read';
const olivia = () => new Person(base, 'olivia@acme.example', 'olivia-demo-password');

test('oauth4webapi takes the responses to a new application', async () => {
  // The test's service runs without TLS.
  const plain = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(base);
  const as = await oauth.processDiscoveryResponse(issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...plain }));
  const client = { client_id: id };
  const proof = oauth.ClientSecretBasic(secret);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const link = new URL(as.authorization_endpoint);
  link.search = new URLSearchParams({ client_id: id, redirect_uri: kRedirect, response_type: 'code', state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' });
  const parameters = oauth.validateAuthResponse(as, client, await olivia().allow(link), state);
  const tokens = await oauth.processAuthorizationCodeResponse(as, client,
    await oauth.authorizationCodeGrantRequest(as, client, proof, parameters, kRedirect, verifier, plain));
  assert.equal(tokens.scope, kScope);
  const newer = await oauth.processRefreshTokenResponse(as, client,
    await oauth.refreshTokenGrantRequest(as, client, proof, tokens.refresh_token, plain));
  assert.equal(newer.scope, kScope);
});

test('openid-client takes the responses to a new application', async () => {
  const config = await openid.discovery(new URL(base), id, secret, undefined,
    { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] });
  const state = openid.randomState();
  const verifier = openid.randomPKCECodeVerifier();
  const link = openid.buildAuthorizationUrl(config, { redirect_uri: kRedirect, state, code_challenge_method: 'S256',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier) });
  const tokens = await openid.authorizationCodeGrant(config, await olivia().allow(link),
    { expectedState: state, pkceCodeVerifier: verifier });
  assert.equal(tokens.scope, kScope);
  assert.equal((await openid.refreshTokenGrant(config, tokens.refresh_token)).scope, kScope);
});

test('arctic takes the responses to a new application', async () => {
  const client = new OAuth2Client(id, secret, kRedirect);
  const link = client.createAuthorizationURLWithPKCE(`${base}/oauth/authorize`, 'state', CodeChallengeMethod.S256,
    'a-verifier-that-is-as-long-as-it-must-be-12345', ['media:read']);
  const callback = await olivia().allow(link);
  const token = `${base}/oauth/token`;
  const tokens = await client.validateAuthorizationCode(token, callback.searchParams.get('code'),
    'a-verifier-that-is-as-long-as-it-must-be-12345');
  assert.ok(tokens.hasScopes());
  assert.deepEqual(tokens.scopes(), ['media:read']);
  const newer = await client.refreshAccessToken(token, tokens.refreshToken(), []);
  assert.deepEqual(newer.scopes(), ['media:read']);
});

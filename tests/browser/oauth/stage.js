// stage: the environment of the tests of the authorization pages: the real service at SVC_URL, an application's server
// that receives the redirects, users, and a browser that records all requests and problems.
'use strict';

const { execFileSync } = require('node:child_process');
const crypto = require('node:crypto');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const os = require('node:os');
const path = require('node:path');
const { launchChromium, takePicture } = require('../browsers.js');
const { kPatience } = require('../patience.js');

const kShots = path.join(__dirname, '..', 'screenshots', 'oauth');

// From the demonstration catalog, and from the additions of the Python module that starts this suite.
const kApplications = {
  scheduler: { client_id: 'demo-client-0001', path: '/callback' },
  hostile: { client_id: 'demo-client-0002', redirect_uri: 'https://client.example/oauth/callback?tenant=42' },
  everything: { client_id: 'demo-client-0003', path: '/all' },
  endless: { client_id: 'browser-client-endless', path: '/endless' },
  international: { client_id: 'browser-client-international', path: '/international' },
  underscore: { client_id: 'browser-client-underscore', redirect_uri: 'https://my_app.example/callback' },
};
const kPeople = Object.fromEntries(['olivia@acme.example', 'manuel@acme.example', 'uma@acme.example',
  'clara@closed.example'].map((email) => [email.split('@')[0],
  { email, password: `${email.split('@')[0]}-demo-password` }]));
kPeople.maria = { email: 'maria@acme.example', password: 'maria-password' };  // permission in one of three accounts

class Stage {
  // `browser: false`: without Chromium.
  async open({ browser = true } = {}) {
    this.svc = process.env.SVC_URL;
    if (!this.svc) throw new Error('SVC_URL says where the service is');
    this.newcomers = Number(process.env.SVC_NEWCOMERS);
    this.answers = [];
    this.pages = new Map();  // the application's pages, by path: [media type, text]; all others welcome the user
    this.server = http.createServer((request, response) => {
      let body = '';
      request.on('data', (piece) => { body += piece; });
      request.on('end', () => {
        const url = new URL(request.url, this.application);
        this.answers.push({ method: request.method, path: url.pathname,
          fields: new URLSearchParams(request.method === 'POST' ? body : url.search) });
        const [type, text] = this.pages.get(url.pathname) ?? ['text/html; charset=utf-8',
          '<!DOCTYPE html><title>Application</title><link rel="icon" href="data:,"><p>Welcome back'];
        response.writeHead(200, { 'Content-Type': type });
        response.end(text);
      });
    });
    await new Promise((resolve) => { this.server.listen(Number(process.env.SVC_APPLICATION_PORT ?? 0), '127.0.0.1', resolve); });
    this.application = `http://127.0.0.1:${this.server.address().port}`;
    if (browser) this.browser = await launchChromium();
  }

  async close() {
    await this.browser?.close();
    this.server?.closeAllConnections();
    await new Promise((resolve) => { this.server ? this.server.close(resolve) : resolve(); });
  }

  // Returns a user without grants, an owner of Acme Films. Each test has its own.
  newcomer() {
    if (this.newcomers <= 0) throw new Error('there is nobody left: raise SVC_NEWCOMERS');
    const name = `newcomer${this.newcomers}`;
    this.newcomers -= 1;
    return { email: `${name}@acme.example`, password: `${name}-password` };
  }

  // Returns an application's authorization link. Applications on this machine may use any port, RFC 8252 §7.3.
  link(application, more = {}) {
    const { client_id, path: where, redirect_uri = this.application + where } = kApplications[application];
    return `${this.svc}/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id, redirect_uri,
      state: 'st', ...more })}`;
  }

  // Opens a new window. Its `problems` are all errors and warnings, its `asked` all requested URLs, its `refused` the
  // statuses of responses from 400 on. `language`: the browser's, independent of the machine's.
  async window({ width = 1000, height = 800, scheme = 'light', scripts = true, scale = 1, language = 'en-US' } = {}) {
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme: scheme, locale: language,
      javaScriptEnabled: scripts, deviceScaleFactor: scale, reducedMotion: 'reduce' });
    const page = await context.newPage();
    Object.assign(page, { problems: [], asked: [], refused: [] });
    page.on('request', (request) => page.asked.push(request.url()));
    page.on('response', (response) => { if (response.status() >= 400) page.refused.push(response.status()); });
    page.on('pageerror', (error) => page.problems.push(`error: ${error.message}`));
    page.on('console', (message) => this.#note(page, message.type(), message.text()));
    const developers = await context.newCDPSession(page);
    developers.on('Log.entryAdded', ({ entry }) => this.#note(page, entry.level, entry.text));
    await developers.send('Log.enable');
    return page;
  }

  #note(page, level, text) {
    // Such a status is in `refused`.
    if (/^Failed to load resource: the server responded with a status of/.test(text)) return;
    if (['error', 'warning'].includes(level) || /Content Security Policy/i.test(text)) page.problems.push(text);
  }

  // Returns the requests that the application receives because of act(), once the window has reached it.
  async answerAfter(page, act) {
    const before = this.answers.length;
    // Not waitForURL, which fails if a second click aborts the first navigation.
    const there = page.waitForEvent('framenavigated', (frame) => frame.url().startsWith(this.application));
    await Promise.all([there, act()]);
    await page.waitForLoadState();
    return this.answers.slice(before);
  }

  // Tells the service of page views of that media, as players of different pages do.
  async watch(id, views = 3) {
    const { viewing } = await (await fetch(`${this.svc}/embed/medias/${id}.json`)).json();
    for (let view = 0; view < views; view++) {
      const session = crypto.randomBytes(7).toString('hex') + viewing;
      for (const what of ['load', 'play', 'seen 0-49']) {
        await fetch(`${this.svc}/embed/medias/${id}/viewing`, { method: 'POST', body: `v1 ${session} ${what}`,
          headers: { 'Content-Type': 'text/plain;charset=UTF-8', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' } });
      }
    }
  }

  shot(page, name) {
    return takePicture(page, kShots, name, { fullPage: true });
  }
}

async function logIn(page, { email, password }) {
  await page.getByLabel('Email address').fill(email);
  await page.locator('#password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

const button = (page, name) => page.getByRole('button', { name, exact: true });

// Starts a server with a certificate of its own on a free port. next() resolves with the path of the next request.
async function tlsServer() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-tls-'));
  const [key, cert] = ['key', 'cert'].map((name) => path.join(folder, name));
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes',
    '-subj', '/CN=test', '-days', '2', '-keyout', key, '-out', cert], { stdio: 'pipe' });
  const server = https.createServer({ key: fs.readFileSync(key), cert: fs.readFileSync(cert) });
  fs.rmSync(folder, { recursive: true });
  server.on('request', (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end('<!DOCTYPE html><title>Application</title><link rel="icon" href="data:,"><p>Welcome back');
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  return {
    port: server.address().port,
    next: async () => {
      const [{ url }] = await once(server, 'request', { signal: AbortSignal.timeout(kPatience.timeout) });
      return url;
    },
    close: () => { server.close(); server.closeAllConnections(); },
  };
}

module.exports = { Stage, kPeople, logIn, button, tlsServer };

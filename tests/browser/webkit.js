// webkit: drives MiniBrowser, the test browser of WebKitGTK, by WebDriver (W3C), on a virtual screen of its own. It is
// Safari's engine, with GStreamer for the media.
'use strict';

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const { atRest, kPatience, until } = require('./patience.js');

const kElement = 'element-6066-11e4-a52e-4f735466cecf'; // the key of a reference to an element (WebDriver, section 12)
const kArchitecture = { x64: 'x86_64', arm64: 'aarch64' }[process.arch] || process.arch;
const kMiniBrowser = `/usr/lib/${kArchitecture}-linux-gnu/webkit2gtk-4.1/MiniBrowser`;

// An engine that works answers each command within this time, also on a busy machine.
const kAnswer = 90_000;

// The engine gave no answer: see within() of webkit.test.js.
class Hangs extends Error {}

// Groups of their own get no signal of the terminal.
const running = new Set();
process.on('exit', () => { for (const webkit of running) webkit.kill(); });
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

class WebKit {
  constructor() {
    this.children = [];
    running.add(this);
  }

  // `nativeHls`: the engine plays HLS natively, as Safari does. Otherwise it has Media Source Extensions only.
  static async launch({ nativeHls = false } = {}) {
    const webkit = new WebKit();
    try {
      // Xvfb takes a free display, and writes its number once it can be used.
      const screen = webkit.start('Xvfb', ['-displayfd', '3', '-screen', '0', '1024x1600x24', '-nolisten', 'tcp'], {});
      const display = await new Promise((resolve, reject) => {
        screen.stdio[3].once('data', (number) => resolve(`:${String(number).trim()}`));
        screen.once('error', reject);
        screen.once('exit', () => reject(new Error('Xvfb does not start')));
      });
      const port = await freePort();
      webkit.url = `http://127.0.0.1:${port}`;
      const driver = webkit.start('WebKitWebDriver', [`--port=${port}`], { DISPLAY: display, GDK_BACKEND: 'x11',
        NO_AT_BRIDGE: '1', ...(nativeHls && { WEBKIT_GST_ENABLE_HLS_SUPPORT: '1' }) });
      await until(() => {
        if (driver.exitCode !== null) throw new Error('WebKitWebDriver does not start');
        return webkit.ask('GET', '/status').catch(() => null);
      }, 'WebKitWebDriver starts');
      const { sessionId } = await webkit.ask('POST', '/session', { capabilities: { alwaysMatch: {
        'webkitgtk:browserOptions': { binary: process.env.WEBKIT || kMiniBrowser, args: ['--automation'] } } } });
      webkit.session = `/session/${sessionId}`;
      await webkit.run('POST', '/window/rect', { x: 0, y: 0, width: 1000, height: 1500 });
      return webkit;
    } catch (error) {
      await webkit.close();
      throw error;
    }
  }

  start(program, parameters, environment) {
    const child = spawn(program, parameters, { env: { ...process.env, ...environment }, detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
    child.on('error', () => {});
    this.children.unshift(child);
    return child;
  }

  // Ends the engine, also if it hangs.
  async close() {
    if (this.session) await this.ask('DELETE', this.session, undefined, 10_000).catch(() => {});
    const ended = this.children.map((child) => child.pid === undefined || child.exitCode !== null ||
      child.signalCode !== null || new Promise((resolve) => { child.once('exit', resolve); }));
    this.kill();
    await Promise.all(ended);
    running.delete(this);
  }

  // Kills each child and all processes that it started: they are in its group.
  kill() {
    for (const { pid } of this.children) {
      try {
        if (pid !== undefined) process.kill(-pid, 'SIGKILL');
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    }
  }

  // Returns the value of the response. Throws the driver's error.
  async ask(method, path, body, milliseconds = kPatience.timeout) {
    const response = await fetch(this.url + path,
      { method, body: body && JSON.stringify(body), signal: AbortSignal.timeout(milliseconds) }).catch((error) => {
      throw error.name === 'TimeoutError' ? new Hangs(`${method} ${path}: no answer within ${milliseconds} ms`) : error;
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  }

  run(method, command, body) {
    return this.ask(method, this.session + command, body, kAnswer);
  }

  async show(url) {
    await this.run('POST', '/url', { url });
  }

  // All that follows happens in the frame with that index, or in the page.
  async enter(frame = null) {
    await this.run('POST', '/frame', { id: null });
    if (frame !== null) await this.run('POST', '/frame', { id: frame });
  }

  // Returns the result of that function in the page; for an element, a reference.
  evaluate(what, ...parameters) {
    return this.run('POST', '/execute/sync', { script: `return (${what})(...arguments)`, args: parameters });
  }

  // The same once it is true.
  until(what, ...parameters) {
    return until(() => this.evaluate(what, ...parameters), `${what} ${JSON.stringify(parameters)}`);
  }

  // Waits for the element that the function returns, and clicks it by the mouse, so that sound is allowed. Before that,
  // the page receives a movement of the mouse: a player hides its controls after 3 s without a movement.
  async click(what, ...parameters) {
    for (const end = Date.now() + kPatience.timeout; ;) {
      const element = await this.until(what, ...parameters);
      await this.evaluate((at) => {
        at.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, composed: true }));
      }, element);
      try {
        await this.run('POST', `/element/${element[kElement]}/click`, {});
        return;
      } catch (error) {
        if (!error.message.includes('element not interactable') || Date.now() > end) throw error;
      }
    }
  }

  // Sends keys to the focused element: text, or a code point of WebDriver's table of keys.
  async press(...keys) {
    await this.run('POST', '/actions', { actions: [{ type: 'key', id: 'keyboard',
      actions: keys.flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]) }] });
  }

  // The picture of the page once it has come to rest, as base64. The driver's pictures of an element lack the video.
  atRest() {
    return atRest(() => this.run('GET', '/screenshot'));
  }

  async screenshot({ path }) {
    fs.writeFileSync(path, Buffer.from(await this.run('GET', '/screenshot'), 'base64'));
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = http.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

module.exports = { Hangs, WebKit };

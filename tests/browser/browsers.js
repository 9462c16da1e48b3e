// browsers: starts Chromium and Firefox for the tests, and takes the pictures that a developer looks at.
//
// chromium-headless-shell is Chromium without windows, toolbars and their pages: a third of the processor time.
// CHROMIUM names another program, such as /usr/bin/chromium, with which the long tests run.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { chromium } = require('playwright-core');
const puppeteer = require('puppeteer-core');
const { kPatience } = require('./patience.js');
const { language } = require('./surroundings.js');

const kSandbox = process.getuid() === 0 ? ['--no-sandbox'] : []; // the sandbox does not work in containers

// Without a flag for autoplay: the browser's own rules are part of the tests.
// The libraries' own limits, 30 s for most, would fail tests on a busy machine.
async function launchChromium(...args) {
  const browser = await chromium.launch({ ...kPatience,
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell',
    args: [...kSandbox, `--lang=${language}`, `--accept-lang=${language}`, ...args] });
  const open = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await open(options);
    context.setDefaultTimeout(kPatience.timeout);
    return context;
  };
  return browser;
}

// With a mouse: without a screen, Firefox reports only a pointer that cannot hover. 2: it is fine, 4: it can hover.
const kMouse = { 'ui.primaryPointerCapabilities': 6, 'ui.allPointerCapabilities': 6 };
// With a finger, as on a phone: 1, it is coarse. Phones lack the button that desktops put over a video once it plays, which
// takes the next touch: its page gets only the end. A touch is one, however long a busy machine takes for it (ms).
const kFinger = { 'ui.primaryPointerCapabilities': 1, 'ui.allPointerCapabilities': 1, 'dom.w3c_touch_events.enabled': 1,
  'media.videocontrols.picture-in-picture.video-toggle.enabled': false, 'apz.max_tap_time': kPatience.timeout };

// Puppeteer drives it (WebDriver BiDi); Playwright cannot drive the Firefox of a distribution.
async function launchFirefox(settings = kMouse) {
  const browser = await puppeteer.launch({ ...kPatience, browser: 'firefox', headless: true, extraPrefsFirefox: settings,
    protocolTimeout: kPatience.timeout, executablePath: process.env.FIREFOX || '/usr/bin/firefox-esr' });
  const open = browser.newPage.bind(browser);
  browser.newPage = async () => {
    const page = await open();
    page.setDefaultTimeout(kPatience.timeout);
    return page;
  };
  return browser;
}

// Writes the picture NAME.png into the folder, if SVC_PICTURES is set.
async function takePicture(page, folder, name, options = {}) {
  if (!process.env.SVC_PICTURES) return;
  const file = path.join(folder, `${name}.png`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await page.screenshot({ ...options, path: file });
}

module.exports = { kFinger, kMouse, kSandbox, launchChromium, launchFirefox, takePicture };

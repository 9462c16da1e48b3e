// chromium: starts Chromium for the tests, and takes the pictures that a developer looks at.
//
// chromium-headless-shell is Chromium without windows, toolbars and their pages: a third of the processor time.
// CHROMIUM names another program, such as /usr/bin/chromium, with which the long tests run.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { chromium } = require('playwright-core');
const { language } = require('./surroundings.js');

const kSandbox = process.getuid() === 0 ? ['--no-sandbox'] : []; // the sandbox does not work in containers

// Without a flag for autoplay: the browser's own rules are part of the tests.
const launchChromium = (...args) => chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium-headless-shell',
  args: [...kSandbox, `--lang=${language}`, `--accept-lang=${language}`, ...args],
});

// Writes the picture NAME.png into the folder, if SVC_PICTURES is set.
async function takePicture(page, folder, name, options = {}) {
  if (!process.env.SVC_PICTURES) return;
  const file = path.join(folder, `${name}.png`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await page.screenshot({ ...options, path: file });
}

module.exports = { kSandbox, launchChromium, takePicture };

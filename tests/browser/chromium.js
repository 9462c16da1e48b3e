// chromium: starts Chromium for the tests, and takes the pictures that a developer looks at.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { chromium } = require('playwright-core');

const kSandbox = process.getuid() === 0 ? ['--no-sandbox'] : []; // the sandbox does not work in containers

// Without a flag for autoplay: the browser's own rules are part of the tests. Without the GPU process, which draws by
// software on machines without a GPU and takes a fifth of the suites' processor time.
const launchChromium = () => chromium.launch({
  executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: [...kSandbox, '--disable-gpu', '--disable-software-rasterizer'],
});

// Writes the picture NAME.png into the folder, if SVC_PICTURES is set.
async function takePicture(page, folder, name, options = {}) {
  if (!process.env.SVC_PICTURES) return;
  const file = path.join(folder, `${name}.png`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await page.screenshot({ ...options, path: file });
}

module.exports = { kSandbox, launchChromium, takePicture };

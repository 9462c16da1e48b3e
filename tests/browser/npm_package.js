// npm_package: the npm package of the element, as users install it.
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const kPackage = path.join(__dirname, '../../nginx/player/package');

// Returns a new folder that has the package in node_modules. The caller removes it.
function install() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-element-'));
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', folder, kPackage],
    { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  execFileSync('tar', ['-xzf', filename], { cwd: folder });
  fs.mkdirSync(path.join(folder, 'node_modules'));
  fs.renameSync(path.join(folder, 'package'), path.join(folder, 'node_modules/svc-player'));
  return folder;
}

module.exports = { install };

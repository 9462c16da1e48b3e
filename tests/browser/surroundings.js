// surroundings: the fonts, language and time zone of the browsers that the tests start, so that no test depends on those of
// the machine. SVC_SURROUNDINGS=other names others, in which the pages must look as well.
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const kFonts = '/usr/share/fonts/truetype';
// Fonts of fonts-dejavu-core. The folder is also that of fonts-dejavu-extra.
const kDejaVu = ['Sans', 'Sans-Bold', 'SansMono', 'SansMono-Bold', 'Serif', 'Serif-Bold'].map((name) =>
  `dejavu/DejaVu${name}.ttf`);
const kSurroundings = {
  usual: { sans: 'DejaVu Sans', fonts: () => kDejaVu, language: 'en-US', zone: 'UTC' },
  // The fonts of fonts-noto-core for many scripts, whose lines are higher.
  other: { sans: 'Noto Sans', language: 'de-DE', zone: 'Asia/Kathmandu',
    fonts: () => [...kDejaVu, ...fs.readdirSync(path.join(kFonts, 'noto'))
      .filter((file) => /^NotoSans.*-(Regular|Bold)\.ttf$/.test(file)).map((file) => `noto/${file}`)] },
};

const { sans, fonts, language, zone } = kSurroundings[process.env.SVC_SURROUNDINGS || 'usual'];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-fonts-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
for (const font of fonts()) {
  fs.accessSync(path.join(kFonts, font));
  fs.symlinkSync(path.join(kFonts, font), path.join(folder, path.basename(font)));
}
const kFamilies = { 'system-ui': sans, 'sans-serif': sans, serif: 'DejaVu Serif', 'ui-monospace': 'DejaVu Sans Mono',
  monospace: 'DejaVu Sans Mono' };
const config = path.join(folder, 'fonts.conf');
fs.writeFileSync(config, `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<dir>${folder}</dir>
<cachedir>${path.join(folder, 'cache')}</cachedir>
${Object.entries(kFamilies).map(([family, font]) => `<alias binding="same"><family>${family}</family>` +
    `<prefer><family>${font}</family></prefer></alias>`).join('\n')}
<match><edit name="family" mode="append_last"><string>${sans}</string></edit></match>
<match target="font"><edit name="hintstyle"><const>hintslight</const></edit></match>
</fontconfig>
`);
const locale = `${language.replace('-', '_')}.UTF-8`;
Object.assign(process.env, { FONTCONFIG_FILE: config, LANG: locale, LC_ALL: locale, TZ: zone });

module.exports = { language };

// catalogs: the player's texts in worker/pages/languages, for build.js.
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';

const kSources = 'nginx/player/';

// The translations of a gettext catalog (.po) whose references name a source of the player: { text: translation }.
// msgfmt has checked the catalog; texts of the player have no plural forms.
export function textsOf(po) {
  const texts = {};
  for (const entry of po.split(/\n\s*\n/)) {
    const lines = entry.split('\n');
    if (!lines.some((line) => line.startsWith('#:') && line.includes(kSources)) ||
      lines.some((line) => line.startsWith('#,') && line.includes('fuzzy'))) continue;
    const strings = {};
    let name;
    for (const line of lines) {
      const [, keyword, text] = /^(?:(msgid|msgstr) )?(".*")$/.exec(line) || [];
      if (!text) continue;
      name = keyword || name;
      strings[name] = (strings[name] || '') + JSON.parse(text);
    }
    if (strings.msgid && strings.msgstr) texts[strings.msgid] = strings.msgstr;
  }
  return texts;
}

// [language in lower case, texts] of each catalog in the folder.
export async function catalogs(folder) {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.po')).sort();
  return Promise.all(files.map(async (file) => [path.basename(file, '.po').toLowerCase(),
    textsOf(await readFile(path.join(folder, file), 'utf8'))]));
}

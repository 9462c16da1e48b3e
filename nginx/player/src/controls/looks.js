// looks: size, colour and background of captions, as the viewer chose them, for all players of a page. Without a choice
// the browser's own look applies, which the viewer's system may have set.
import { choose, chosen } from '../player/choices.js';
import { translatable } from '../player/words.js';

export const kSizes = [[translatable('Small'), 75], [translatable('Normal'), 100], [translatable('Large'), 150], [translatable('Very large'), 200]];
const kNormal = 1;
export const kColours = [[translatable('Default'), ''], [translatable('White'), '#fff'], [translatable('Yellow'), '#ff0'],
  [translatable('Cyan'), '#0ff'], [translatable('Green'), '#0f0']];
export const kGrounds = [[translatable('Default'), ''], [translatable('Black'), '#000'], [translatable('Half black'), 'rgba(0, 0, 0, 0.5)'],
  [translatable('None'), 'transparent']];
// Letters without a ground have an edge of their own.
const kEdge = '0 0 2px #000, 0 0 2px #000, 0 0 4px #000, 0 0 4px #000';

// The lists, by the name of the choice: label, entries, and the entry that needs no rule.
export const kLooks = { size: [translatable('Caption size'), kSizes, kNormal], colour: [translatable('Caption colour'), kColours, 0],
  ground: [translatable('Caption background'), kGrounds, 0] };

export function look(name, options) {
  const [, entries, usual] = kLooks[name];
  const at = chosen(name, options);
  return entries[at] ? at : usual;
}

// The size of letters, as a multiple of the usual one.
export const scale = (options) => kSizes[look('size', options)][1] / 100;

let sheet;

// Applies the choices to the tree that has the stage: the page, or a shadow root. A constructed sheet, which a page's
// Content-Security-Policy allows.
export function applyLooks(stage, options) {
  const rules = [];
  const size = look('size', options);
  const colour = kColours[look('colour', options)][1];
  const ground = kGrounds[look('ground', options)][1];
  // Not in percent: browsers disagree on the parent. Usual letters have a twentieth of the smaller side of the video.
  if (size !== kNormal) rules.push(`font-size: ${kSizes[size][1] / 20}cqmin !important`);
  if (colour) rules.push(`color: ${colour} !important`);
  if (ground) rules.push(`background: ${ground} !important`);
  if (ground === 'transparent') rules.push(`text-shadow: ${kEdge} !important`);
  if (!rules.length && !sheet) return;
  sheet ||= new CSSStyleSheet();
  sheet.replaceSync(`[data-svc-player] > video::cue { ${rules.join('; ')} }`);
  const root = stage.getRootNode();
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}

export function chooseLook(name, index, stage, options) {
  choose(name, index, options);
  applyLooks(stage, options);
}

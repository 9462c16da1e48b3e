// keys: the same keys as in other players.
import { translatable } from '../player/words.js';

// Rows of the help: the effect, the keys as it shows them, and their commands, [verb, value], by `key` of the event.
export const kKeys = [
  [translatable('Play or pause'), 'Space K', { ' ': ['toggle'], k: ['toggle'] }],
  [translatable('5 seconds back or on'), '\u2190 \u2192', { ArrowLeft: ['skip', -5], ArrowRight: ['skip', 5] }],
  [translatable('10 seconds back or on'), 'J L', { j: ['skip', -10], l: ['skip', 10] }],
  [translatable('Go to that part'), '0\u20139 Home End', { Home: ['part', 0], End: ['part', 1],
    ...Object.fromEntries(Array.from({ length: 10 }, (_, part) => [part, ['part', part / 10]])) }],
  [translatable('Volume'), '\u2191 \u2193', { ArrowUp: ['louder', 0.05], ArrowDown: ['louder', -0.05] }],
  [translatable('Mute'), 'M', { m: ['mute'] }],
  [translatable('Captions'), 'C', { c: ['captions'] }],
  [translatable('Speed'), '< >', { '<': ['speed', -1], '>': ['speed', 1] }],
  [translatable('Full screen'), 'F', { f: ['fullscreen'] }],
  [translatable('Show this list'), '?', { '?': ['help'] }],
];
const kMeanings = Object.assign(Object.create(null), ...kKeys.map(([, , commands]) => commands));

// Returns the character that replaces a key's own: the letter of its place on an American keyboard, on layouts without
// Latin letters (Cyrillic, Greek, Hebrew), and the digit, on layouts where digits need Shift (AZERTY). Returns '' for
// other keys: Latin letters are as typed, also on AZERTY and Dvorak.
function atPlace({ key, code = '', shiftKey }) {
  const [, letter, digit] = /^(?:Key([A-Z])|Digit(\d))$/.exec(code) || [];
  if (digit) return shiftKey ? '' : digit;
  // Vowel signs of some scripts are marks. The key is called Process while an input method has it.
  if (key !== 'Process' && (!/[\p{L}\p{M}]/u.test(key) || /\p{Script=Latin}/u.test(key))) return '';
  if (letter) return letter.toLowerCase();
  return shiftKey ? { Comma: '<', Period: '>' }[code] || '' : '';
}

// Returns the command of a key, or null.
export function meaning(event) {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) return null;
  return kMeanings[key.length === 1 ? key.toLowerCase() : key] ||
    (!event.getModifierState?.('AltGraph') && kMeanings[atPlace(event)]) || null;
}

// Whether the command is given again and again while its key is held.
export const repeats = ([verb]) => verb === 'skip' || verb === 'louder';

// Whether the element that has the focus needs that key itself.
export function takes(element, key) {
  const name = element.localName;
  if (name === 'button' || name === 'a') return key === ' ' || key === 'Enter';
  if (name === 'select' || name === 'textarea' || element.isContentEditable) return true;
  if (name !== 'input') return false;
  if (element.type !== 'range') return true;
  return element.dataset.own === '' && /^(Arrow|Home|End|Page)/.test(key);
}

export const kSpeeds = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];

// Returns the next speed up (1) or down (-1) from `now`; `now` at the end of the list.
export function speed(now, way) {
  const next = way > 0 ? kSpeeds.find((each) => each > now) : kSpeeds.filter((each) => each < now).pop();
  return next || now;
}

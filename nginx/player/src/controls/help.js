// help: the keys of the player, over its picture.
import { bare } from '../player/dom.js';
import { translatable } from '../player/words.js';
import { kKeys } from './keys.js';

export const kTitle = translatable('Keyboard shortcuts');

// Returns { element, open(from), close() }; close() returns false if it was closed. `can(verb)`: whether the page allows
// it; `icon`: of the button that closes it. The focus returns to `from`, or else to what had it, or `home`.
export function help({ can, icon, root, home, say }) {
  const close = bare('button', { type: 'button', class: 'close', 'aria-label': say('Close'), title: say('Close') }, icon);
  const list = bare('dl', {}, ...kKeys.filter(([, , commands]) => can(Object.values(commands)[0][0]))
    .map(([words, keys]) => bare('div', {}, bare('dt', {}, say(words)), bare('dd', {},
      ...keys.split(' ').flatMap((key, at) => [at ? ' ' : '', bare('kbd', {}, key)])))));
  const element = bare('div', { class: 'help', role: 'dialog', 'aria-label': say(kTitle) },
    bare('strong', {}, say(kTitle)), close, list);
  element.hidden = true;
  let before = home;
  const shut = () => {
    if (element.hidden) return false;
    element.hidden = true;
    before.focus({ preventScroll: true });
    return true;
  };
  close.addEventListener('click', shut);
  return { element, close: shut, open: (from) => {
    before = from || root.activeElement || home;
    element.hidden = false;
    close.focus();
  } };
}

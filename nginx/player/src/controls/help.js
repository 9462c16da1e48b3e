// help: the keys of the player, over its picture.
import { bare } from '../player/dom.js';
import { translatable } from '../player/words.js';
import { kKeys } from './keys.js';

export const kTitle = translatable('Keyboard shortcuts');

// Returns { isOpen(), open(from), close() }; close() returns false if it was closed. It is made in `place` when it first
// opens. `can(verb)`: whether the page allows it; `icon()`: of the button that closes it. The focus returns to `from`, or else
// to its former element, or `home`.
export function help({ can, icon, root, place, home, say }) {
  let element;
  let close;
  let before = home;
  const isOpen = () => Boolean(element) && !element.hidden;
  const shut = () => {
    if (!isOpen()) return false;
    element.hidden = true;
    before.focus({ preventScroll: true });
    return true;
  };
  const fill = () => {
    close = bare('button', { type: 'button', class: 'close', 'aria-label': say('Close'), title: say('Close') }, icon());
    close.addEventListener('click', shut);
    element = bare('div', { class: 'help', role: 'dialog', 'aria-label': say(kTitle) }, bare('strong', {}, say(kTitle)), close,
      bare('dl', {}, ...kKeys.filter(([, , commands]) => can(Object.values(commands)[0][0]))
        .map(([words, keys]) => bare('div', {}, bare('dt', {}, say(words)), bare('dd', {},
          ...keys.split(' ').flatMap((key, at) => [at ? ' ' : '', bare('kbd', {}, key)]))))));
    place.append(element);
  };
  return { isOpen, close: shut, open: (from) => {
    if (!element) fill();
    before = from || root.activeElement || home;
    element.hidden = false;
    close.focus();
  } };
}

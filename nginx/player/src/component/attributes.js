// attributes: the options of the player as attributes and properties of <svc-player>. `__OPTIONS__` is the table of
// their names (names() in ../player/options.js), which the build fills in.

// An element opens no popover, is always responsive, and needs no global name. Each element has `lang`.
const kNotOfElements = /^(popover|videoFoam$|handle$|lang$)/;
export const namesOf = (options) => options.filter((name) => !kNotOfElements.test(name));

// playerColor → player-color. HTML and frameworks also make playercolor of it.
export const attributeOf = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
export const attributesOf = (name) => [...new Set([attributeOf(name), name.toLowerCase()])];

// An attribute without a value is true, as that of <video>.
export const textOf = (value) => value || 'true';

// The text of an option of that element, or null.
export function textIn(element, name) {
  const attribute = attributesOf(name).find((each) => element.hasAttribute(each));
  return attribute === undefined ? null : textOf(element.getAttribute(attribute));
}

// The value of a property, and the text of an attribute; null: none.
export const valueOf = (text) => (text === 'true' ? true : text === 'false' ? false : text);
export function set(element, name, value) {
  const [first, ...others] = attributesOf(name);
  for (const other of others) element.removeAttribute(other);
  if (value === null || value === undefined) element.removeAttribute(first);
  else element.setAttribute(first, String(value));
}

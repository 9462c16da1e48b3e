// dom: elements and styles. Styles are set only through the CSSOM, which a page's
// Content-Security-Policy allows without 'unsafe-inline'.

// Styles an element of ours. Inline and important: no rule of a page's style sheets wins over it.
export function css(element, rules) {
  for (const name in rules) element.style.setProperty(name, rules[name], 'important');
  return element;
}

// Styles an element of the page, whose own important rules win.
export function place(element, rules) {
  for (const name in rules) element.style.setProperty(name, rules[name]);
  return element;
}

// Resets the style of an element of ours: a page's rules for `div`, `*` or `:empty` do not apply,
// including those for properties that are missing in `rules`. `all` leaves out the direction.
export function own(element, rules) {
  return css(element, { all: 'revert', direction: 'revert', 'unicode-bidi': 'revert', ...rules });
}

// An element within a shadow root, which has a style sheet of ours.
export function bare(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  element.append(...children); // strings become text, never markup: titles are from outside
  return element;
}

// An element in the page's own document.
export function make(tag, attributes, rules, ...children) {
  return own(bare(tag, attributes, ...children), rules);
}

export function icon(path, size) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  shape.setAttribute('d', path);
  svg.append(own(shape, { d: `path("${path}")` })); // where `d` is a property, `all` covers the attribute
  return own(svg, { width: size, height: size, fill: 'currentColor', display: 'block' });
}
export const kPlay = 'M8 5v14l11-7z';
export const kReplay = 'M12 5V1L7 6l5 5V7a6 6 0 1 1-6 6H4a8 8 0 1 0 8-8z';
export const kClose = 'M18.3 5.7 12 12l6.3 6.3-1.4 1.4-6.3-6.3-6.3 6.3-1.4-1.4L9.2 12 2.9 5.7l1.4-1.4 ' +
  '6.3 6.3 6.3-6.3z';

// Resets the properties that an element would inherit from the page, except its visibility and
// pointer events.
export const kApart = { all: 'initial', visibility: 'inherit', 'pointer-events': 'inherit' };
export const kFont = { ...kApart, font: '16px/1.4 system-ui, sans-serif' };
// Left is left, also in a page that is written from right to left.
export const kLeft = { direction: 'ltr', 'unicode-bidi': 'isolate' };
export const kFill = { position: 'absolute', inset: '0', width: '100%', height: '100%' };

// A real button whose focus shows on any ground. Inline styles know no :focus-visible, hence the listeners.
export function button(label, rules, ...children) {
  const element = make('button', { type: 'button', ...(label && { 'aria-label': label }) },
    { ...kFont, 'box-sizing': 'border-box', 'text-align': 'center', cursor: 'pointer', ...rules }, ...children);
  return ringed(element);
}
export function ringed(element) {
  element.addEventListener('focus', () => {
    if (!element.matches(':focus-visible')) return;
    // Blue and white, so that one of the colours is visible. Entries of a list lack space for an
    // outer ring.
    const inside = element.closest('ol');
    css(element, { outline: `3px solid ${inside ? '#fff' : '#0b5cad'}`,
      'outline-offset': inside ? '-3px' : '2px', 'box-shadow': inside ? 'none' : '0 0 0 2px #fff' });
  });
  element.addEventListener('blur', () => css(element, { outline: 'none', 'box-shadow': 'none' }));
  return element;
}

// Users choose player colours. Returns black or white, whichever is readable on `colour`.
export function ink(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? '#000' : '#fff';
}

export function clock(seconds) {
  const two = (number) => String(number).padStart(2, '0');
  const s = Math.round(seconds);
  const hours = Math.floor(s / 3600);
  const minutes = Math.floor(s / 60) % 60;
  return (hours ? `${hours}:${two(minutes)}` : minutes) + `:${two(s % 60)}`;
}

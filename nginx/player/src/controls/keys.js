// keys: the same keys as in other players.

// Returns the command of a key: [verb, value], or null.
export function meaning({ key, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey) return null;
  if (/^[0-9]$/.test(key)) return ['part', Number(key) / 10];
  return {
    ' ': ['toggle'], k: ['toggle'], j: ['skip', -10], l: ['skip', 10], ArrowLeft: ['skip', -5],
    ArrowRight: ['skip', 5], ArrowUp: ['louder', 0.05], ArrowDown: ['louder', -0.05], m: ['mute'], f: ['fullscreen'],
    c: ['captions'], '<': ['speed', -1], '>': ['speed', 1], Home: ['part', 0], End: ['part', 1],
  }[key.length === 1 ? key.toLowerCase() : key] || null;
}

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

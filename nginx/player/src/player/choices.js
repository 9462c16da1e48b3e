// choices: the viewer's choices in this browser, for all players of this site: volume, speed, captions and their look.
//
// Kept in the site's storage, as one record. Without storage (in a sandbox), and with `doNotTrack`, they last as long as
// the page. Only the viewer makes choices: calls of the page are not stored.
const kKey = 'svc:choices';
const kFits = {
  volume: (value) => value >= 0 && value <= 1,
  muted: (value) => typeof value === 'boolean',
  speed: (value) => value >= 0.25 && value <= 4,
  captions: Array.isArray, // [language, label]; [] for off
  size: Number.isFinite, colour: Number.isFinite, ground: Number.isFinite, // entries of the lists in controls/looks.js
};

// The choices of this page, for every part of the player.
const here = () => (window.svc.choices ||= {});

function stored() {
  try {
    const found = JSON.parse(localStorage.getItem(kKey));
    return Object(found) === found && !Array.isArray(found) ? found : {};
  } catch { return {}; } // no storage, or not ours
}

// Returns undefined if the viewer has not chosen. `options`: of the player that asks.
export function chosen(name, { remembers }) {
  const value = Object.hasOwn(here(), name) ? here()[name] : remembers ? stored()[name] : undefined;
  return value !== undefined && value !== null && kFits[name](value) ? value : undefined;
}

export function choose(name, value, { remembers }) {
  here()[name] = value;
  if (!remembers) return;
  try { localStorage.setItem(kKey, JSON.stringify({ ...stored(), [name]: value })); } catch { /* no storage */ }
}

// messages: the player.js protocol, by which a page that has our frame controls the player in it
// (SPEC.rst of the npm package player.js). Every message is {context, version, ...} as JSON text.
const kVersion = '0.0.11';
const kContext = 'player.js';
const kMostListeners = 200; // per window
const kMostEarly = 100; // messages of one window that wait for the player; later ones are dropped
const kLongest = 4096; // characters of a message

const number = (value) => typeof value === 'number' && Number.isFinite(value);

// The action of each method; the result of get… is the reply. kTakes checks the values.
const kMethods = {
  play: (player) => player.play(),
  pause: (player) => { player.pause(); },
  getPaused: (player) => player.video.paused,
  mute: ({ video }) => { video.muted = true; },
  unmute: ({ video }) => { video.muted = false; },
  getMuted: ({ video }) => video.muted,
  // 0 to 100. Apart from muting, as the protocol has it.
  setVolume: ({ video }, value) => { video.volume = Math.min(100, Math.max(0, value)) / 100; },
  getVolume: ({ video }) => Math.round(video.volume * 100),
  getDuration: (player) => player.duration(),
  setCurrentTime: (player, value) => { player.time(Math.min(1e6, Math.max(0, value))); },
  getCurrentTime: (player) => player.time(),
  setLoop: ({ video }, value) => { video.loop = value; },
  getLoop: ({ video }) => video.loop,
};
const kTakes = { setVolume: number, setCurrentTime: number, setLoop: (value) => typeof value === 'boolean' };

const buffered = ({ video }) => (video.buffered.length ? video.buffered.end(video.buffered.length - 1) : 0);
const kEvents = {
  play: () => undefined,
  pause: () => undefined,
  ended: () => undefined,
  seeked: () => undefined,
  timeupdate: (player) => ({ seconds: player.time(), duration: player.duration() }),
  progress: (player) => {
    const duration = player.duration();
    const seconds = Math.min(duration, buffered(player));
    return { seconds, duration, percent: duration ? seconds / duration : 0 };
  },
};
export const kSupported = { methods: [...Object.keys(kMethods), 'addEventListener', 'removeEventListener'],
  events: ['ready', ...Object.keys(kEvents), 'error'] };

// Returns { method, value, listener } if this is a message of the protocol, else null. Never throws.
export function parse(data) {
  let message = data;
  if (typeof data === 'string') {
    if (data.length > kLongest || !data.includes(kContext)) return null;
    try { message = JSON.parse(data); } catch { return null; }
  }
  if (message === null || typeof message !== 'object' || message.context !== kContext) return null;
  const { method, value, listener } = message;
  if (typeof method !== 'string' || method.length > 64) return null;
  if (listener === undefined || listener === null) return { method, value, listener: undefined };
  const fits = number(listener) || (typeof listener === 'string' && listener.length <= 256);
  return fits ? { method, value, listener } : null;
}

// Returns true for a page of the embedding chain. Other frames, as of an advertisement, are not
// part of it.
function isAbove(source) {
  for (let above = window; above !== above.parent; above = above.parent) {
    if (above.parent === source) return true;
  }
  return false;
}

// Lets the pages above control this player, which fills our own frame. Each answer and each event goes
// only to the window and the origin that asked; `ready` goes to the parent, unasked.
export function speak(player) {
  if (window.parent === window) return;
  const { video } = player;
  const listeners = []; // { source, origin, event, listener }

  const send = (source, origin, event, value, listener) => {
    const text = JSON.stringify({ context: kContext, version: kVersion, event, value, listener });
    try {
      // A sandboxed page has the origin "null", which is not an address.
      source.postMessage(text, origin === 'null' ? '*' : origin);
    } catch {
      // Nor is an origin like file://. The other listeners still get theirs.
    }
  };
  const emit = (event, value, only) => {
    for (const each of listeners) {
      if (each.event === event && (!only || each.source === only)) {
        send(each.source, each.origin, event, value, each.listener);
      }
    }
  };
  // The query may have the viewer's email. The parent wrote it; pages further up do not see it.
  const ready = (source) => ({ src: source === window.parent ? location.href : location.origin + location.pathname,
    ...kSupported });
  const same = (source, origin, event, listener) => (each) => each.source === source && each.origin === origin &&
    each.event === event && (listener === undefined || each.listener === listener);

  const kListening = {
    addEventListener(source, origin, event, listener) {
      const own = listeners.filter((each) => each.source === source).length;
      if (!kSupported.events.includes(event) || own >= kMostListeners) return;
      if (!listeners.some((each) => each.listener === listener && same(source, origin, event)(each))) {
        listeners.push({ source, origin, event, listener });
      }
      if (event === 'ready') player.loaded.then(() => send(source, origin, 'ready', ready(source), listener));
    },
    // Without a listener's name: all of this window for the event.
    removeEventListener(source, origin, event, listener) {
      const gone = same(source, origin, event, listener);
      for (let at = listeners.length - 1; at >= 0; at--) if (gone(listeners[at])) listeners.splice(at, 1);
    },
  };

  let early = new Map(); // window → messages before the player was loaded
  player.loaded.then(() => { early = null; });
  window.addEventListener('message', async ({ data, source, origin }) => {
    const message = source && isAbove(source) && parse(data);
    if (!message || player.removed) return;
    if (early) {
      const before = early.get(source) || 0;
      if (before >= kMostEarly) return;
      early.set(source, before + 1);
    }
    const { method, value, listener } = message;
    if (Object.hasOwn(kListening, method)) { kListening[method](source, origin, value, listener); return; }
    if (!Object.hasOwn(kMethods, method)) { emit('error', { code: 2, msg: 'method not supported' }, source); return; }
    if (kTakes[method] && !kTakes[method](value)) return;
    await player.loaded; // early messages wait
    try {
      const answer = await kMethods[method](player, value);
      if (method.startsWith('get')) send(source, origin, method, answer, listener);
    } catch (error) {
      emit('error', { code: -1, msg: error.name }, source); // play() without a gesture of the viewer
    }
  });
  for (const event of Object.keys(kEvents)) video.addEventListener(event, () => emit(event, kEvents[event](player)));
  player.box.addEventListener('svc:unplayable', () => emit('error', { code: 1, msg: 'cannot be played' }));
  player.loaded.then(() => {
    send(window.parent, '*', 'ready', ready(window.parent));
  });
}

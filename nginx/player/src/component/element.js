// element: <svc-player>, a player as a custom element. It has the player's parts in a shadow root, and loads them as an
// embed code does.
import { early } from '../early.js';
import { svc } from '../loader.js';
import { kMethods } from '../player/names.js';
import { attributesOf, namesOf, set, textIn, valueOf } from './attributes.js';

const kOptions = namesOf(__OPTIONS__);

// The properties that are not an option: how the handle is read, and how it is set.
const kProperties = {
  currentTime: [(handle) => handle.time(), (handle, seconds) => handle.time(Number(seconds))],
  time: [(handle) => handle.time(), (handle, seconds) => handle.time(Number(seconds))],
  duration: [(handle) => handle.duration()],
  volume: [(handle) => handle.volume(), (handle, level) => handle.volume(Number(level))],
  muted: [(handle) => handle.isMuted(), (handle, value) => (value ? handle.mute() : handle.unmute())],
  playbackRate: [(handle) => handle.playbackRate(), (handle, rate) => handle.playbackRate(Number(rate))],
  state: [(handle) => handle.state()],
  inFullscreen: [(handle) => handle.inFullscreen()],
  current: [(handle) => handle.current(), (handle, which) => handle.current(which)],
};
// The properties of its <video>, with their values before the <video> exists.
const kOfVideo = { paused: true, ended: false, seeking: false, readyState: 0, buffered: null, seekable: null,
  videoWidth: 0, videoHeight: 0 };
// The other methods of a handle. remove() is that of each element, and ends the player.
const kNotMethods = new Set(['time', 'duration', 'volume', 'isMuted', 'playbackRate', 'state', 'inFullscreen', 'current',
  'email', 'remove', 'requestFullscreen']);
const kOwnMethods = kMethods.filter((name) => !kNotMethods.has(name));

// A failure of the video is the event `error` only if the player gives up.
const kMediaEvents = ['canplay', 'canplaythrough', 'durationchange', 'emptied', 'ended', 'loadeddata', 'loadedmetadata',
  'loadstart', 'pause', 'play', 'playing', 'progress', 'ratechange', 'resize', 'seeked', 'seeking', 'stalled', 'suspend',
  'timeupdate', 'volumechange', 'waiting', 'enterpictureinpicture', 'leavepictureinpicture'];

const kIds = { 'media-id': 'medias', 'playlist-id': 'playlists' };
const kSizes = ['width', 'height'];

// contain: the box fills the element, whatever its position in the page.
const kStyle = `:host { display: block; position: relative; contain: layout; width: 100%; max-width: 100%; }
:host([hidden]) { display: none; }
div { position: absolute; inset: 0; }`;
let common;

// Resolves once the part is loaded; tries again as long as it must.
const part = (wait = 1000) => svc.part('player').catch(async () => {
  await new Promise((resolve) => { setTimeout(resolve, wait); });
  return part(Math.min(60000, 2 * wait));
});

class SvcPlayerElement extends HTMLElement {
  static observedAttributes = [...new Set([...Object.keys(kIds), ...kSizes, ...kOptions.flatMap(attributesOf)])];

  #early = early();
  #session = null; // { over, player, change }
  #changes = null; // whether a change is due, and whether it names another media
  #box;
  #shape;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    if (!common) {
      common = new CSSStyleSheet();
      common.replaceSync(kStyle);
    }
    this.#shape = new CSSStyleSheet();
    root.adoptedStyleSheets = [common, this.#shape];
    this.#box = document.createElement('div');
    root.append(this.#box);
  }

  connectedCallback() {
    // Properties that were set before the element was defined.
    for (const name of Object.keys(this)) {
      if (!(name in SvcPlayerElement.prototype)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    this.#changes = null; // earlier changes are read below
    this.#fit();
    if (!this.#session) this.#begin();
  }

  // moveBefore() keeps what plays, as does an element that is moved in one step.
  connectedMoveCallback() {}
  disconnectedCallback() {
    queueMicrotask(() => { if (!this.isConnected) this.#end(); });
  }

  attributeChangedCallback(name, before, value) {
    if (before === value) return;
    if (kSizes.includes(name)) { this.#fit(); return; }
    if (!this.#session && !(name in kIds)) return;
    if (name in kIds) this.#end(); // calls from now on are for the other media
    const due = this.#changes;
    this.#changes = { another: (due && due.another) || name in kIds };
    if (!due) queueMicrotask(() => this.#change());
  }

  #change() {
    const due = this.#changes;
    this.#changes = null;
    if (!due || !this.isConnected) return;
    const { player, change } = this.#session || {};
    if (!due.another && player && (player.wanted || player.started)) { change(player, this.#texts()); return; }
    this.#end();
    this.#begin();
  }

  #texts() {
    const texts = {};
    for (const name of kOptions) {
      const text = textIn(this, name);
      if (text !== null) texts[name] = text;
    }
    return texts;
  }

  #begin() {
    const attribute = Object.keys(kIds).find((each) => /^[A-Za-z0-9]{1,64}$/.test(this.getAttribute(each) || ''));
    if (!attribute || !svc.part) return;
    const session = (this.#session = { over: false, player: null, change: null });
    part().then(({ change, component, events }) => {
      if (session.over) return;
      const player = component(this, this.#box, kIds[attribute], this.getAttribute(attribute), this.#texts());
      Object.assign(session, { player, change });
      this.#relay(player, events);
      this.#early.take(player);
    });
  }

  #end() {
    const session = this.#session;
    this.#session = null;
    if (!session) return;
    session.over = true;
    if (!session.player) return;
    session.player.remove();
    this.#early = early();
  }

  // The events of the video, and those of the handle that videos lack: `detail` is the array of arguments that a listener
  // of bind() gets.
  #relay(player, events) {
    const { signal } = player.over;
    const tell = (name, detail) =>
      this.dispatchEvent(detail ? new CustomEvent(name, { detail }) : new Event(name));
    for (const name of kMediaEvents) player.video.addEventListener(name, () => tell(name), { signal });
    for (const name of events) {
      if (!kMediaEvents.includes(name)) player.bind(name, (...values) => tell(name, values));
    }
    this.#box.addEventListener('svc:unplayable', () => tell('error'), { signal });
    player.loaded.then(() => {
      if (player.removed) return;
      this.#fit();
      if (player.current()) tell('ready', [player]);
      else tell('error');
    });
  }

  // The ratio: of the attributes, else of the video. Each rule of the page wins over it.
  #fit() {
    const [width, height] = kSizes.map((name) => Number(this.getAttribute(name)));
    const known = this.#session && this.#session.player && this.#session.player.current();
    if (width > 0 && height > 0) {
      this.#shape.replaceSync(`:host { width: ${width}px; aspect-ratio: ${width} / ${height}; }`);
    } else {
      const { width: w = 16, height: h = 9 } = known || {};
      this.#shape.replaceSync(`:host { aspect-ratio: ${w} / ${h}; }`);
    }
  }

  // For properties and methods.
  get #handle() { return this.#early.handle; }
  static {
    const property = (name, get, put) => Object.defineProperty(this.prototype, name,
      { get, set: put, enumerable: true, configurable: true });
    for (const [name, [get, put]] of Object.entries(kProperties)) {
      property(name, function () { return get(this.#handle); },
        put && function (value) { put(this.#handle, value); });
    }
    for (const [name, value] of Object.entries(kOfVideo)) {
      property(name, function () { return this.#session && this.#session.player ? this.#session.player.video[name] : value; });
    }
    for (const name of kOwnMethods) {
      this.prototype[name] = function (...values) {
        const answer = this.#handle[name](...values);
        return answer === this.#handle ? this : answer;
      };
    }
    // As that of each element.
    this.prototype.requestFullscreen = async function () { this.#handle.requestFullscreen(); };
    for (const attribute of Object.keys(kIds)) {
      property(attribute.replace(/-id$/, 'Id'), function () { return this.getAttribute(attribute); },
        function (value) { set(this, attribute, value); });
    }
    // Those that each element has are attributes only.
    for (const name of kOptions) {
      if (name in this.prototype) continue;
      property(name, function () { return valueOf(textIn(this, name)); }, function (value) { set(this, name, value); });
    }
  }
}

export function define() {
  if (!customElements.get('svc-player')) customElements.define('svc-player', SvcPlayerElement);
}

// embeds: finds the embed codes of a page and turns them into players.
import { every, methods, treeOf } from '../roots.js';
import { button, css, icon, ink, kClose, kFill, kFont, kPlay, make, place } from './dom.js';
import { facts, factsNow, tell } from './facts.js';
import { assign } from './handle.js';
import { speak } from './messages.js';
import { customized, read, words } from './options.js';
import { expect, Player } from './player.js';
import { Playlist } from './playlist.js';
import { watch as watchPoster } from './renewal.js';
import { describe } from './seo.js';
import { enter, everywhere } from './trees.js';
import { kPassing, later, notice } from './trouble.js';
import { languageAt, Words } from './words.js';

const svc = window.svc;

// Returns the service's facts once it replies. Until then, shows the failure in `box`, and retries
// if it is temporary. Returns null if it is permanent, or once `over`, a signal, is aborted. By then the words have loaded.
async function known(box, kind, id, watch, spoken, over) {
  for (let tries = 1; ; tries++) {
    try {
      const [found] = await Promise.all([facts(svc.host, kind, id, watch), spoken.ready]);
      return found;
    } catch (error) {
      await spoken.ready;
      if (over.aborted) return null;
      const passing = kPassing.has(error.kind);
      let again;
      const next = new Promise((resolve) => { again = resolve; });
      const shown = box.querySelector('video')?.parentNode === box ? null
        : notice(box, error.kind, spoken, { again: passing && again });
      if (!passing) return null;
      const stop = later(tries, again);
      over.addEventListener('abort', again);
      await next;
      over.removeEventListener('abort', again);
      stop();
      if (shown) shown.remove();
      if (over.aborted) return null;
    }
  }
}

// Fills a player with the facts of a media or a playlist, or shows the failure. In our iframe pages
// the page's own markup plays until then.
async function fill(player, kind, id) {
  const { box } = player;
  player.again = (media) => factsNow(svc.host, 'medias', media, player.options.watch);
  const found = await known(box, kind, id, player.options.watch, player.words, player.over.signal);
  if (player.removed) return;
  if (!found) { player.isLoaded(); return; }
  if (kind === 'medias') player.customize(found);
  const { options } = player;
  if (player.isPage) ground(options);
  const begin = { play: options.autoPlay, time: options.time };
  // Our own pages have descriptions from the service.
  if (options.seo && !player.isPage && !found.watch) player.described = describe(svc.host,
    kind === 'playlists' ? found.videos[0] : found);
  if (kind === 'playlists') {
    const playlist = new Playlist(player, found);
    playlist.show();
    playlist.go(0, begin.play, 'time' in options.text ? begin.time : undefined);
  } else {
    if (player.box.dataset.svcSize !== undefined) place(player.box, sizeOf(found.width, found.height));
    else if (options.responsive && !player.inPlace) keepRatio(player, found);
    player.show();
    player.start(found, begin);
  }
}

// A responsive code leaves room below for a bar that our controls do not need: the player takes
// the ratio of the video, not of the room. Outside its wrappers the element itself keeps it.
function keepRatio(player, media) {
  const ratio = `${media.width || 16} / ${media.height || 9}`;
  const wrapper = player.box.closest('.svc_responsive_wrapper');
  if (wrapper && getComputedStyle(wrapper).position === 'absolute') {
    css(player.stage, { height: 'auto', bottom: 'auto', 'max-height': '100%',
      'aspect-ratio': ratio });
  } else {
    place(player.box, { width: '100%', height: 'auto', 'aspect-ratio': ratio });
  }
}

// The size of a code that a page left without one: as /oembed would have sized it.
const sizeOf = (width = 640, height = 360) => ({ display: 'block', width: '100%', height: 'auto',
  'max-width': `${Math.min(640, width)}px`, 'aspect-ratio': `${width} / ${height}` });

// A policy without 'unsafe-inline' drops style attributes. Chromium keeps their text, so the styles
// in the codes of /oembed are set again by the CSSOM; Firefox drops the text too. Other styles are
// not set: the policy may be meant to exclude them, such as a fixed position over the whole page.
const isLengths = (value) => /^\d+(?:\.\d+)?(?:px|%)?(?:\s+\d+(?:\.\d+)?(?:px|%)?){0,3}$/.test(value);
const isZero = (value) => /^0(?:px|%)?$/.test(value);
const kMay = {
  height: isLengths,
  width: isLengths,
  padding: isLengths,
  left: isZero,
  top: isZero,
  'max-width': isLengths,
  'aspect-ratio': (value) => /^\d+\s*\/\s*\d+$/.test(value),
  display: (value) => value === 'block' || value === 'inline-block',
  // The wrapper of a responsive code fills the padding around it.
  position: (value, element) => value === 'relative' || (value === 'absolute' &&
    element.matches('.svc_responsive_wrapper') && Boolean(element.parentElement) &&
    element.parentElement.matches('.svc_responsive_padding') &&
    getComputedStyle(element.parentElement).position === 'relative'),
};
function restyle(element) {
  const text = element.getAttribute('style');
  if (!text || element.style.length) return;
  for (const [, name, value] of text.matchAll(/(?:^|;)\s*([a-z-]+)\s*:\s*([^;]+?)\s*(?=;|$)/g)) {
    if (Object.hasOwn(kMay, name) && kMay[name](value, element)) element.style.setProperty(name, value);
  }
}

function clear(element, { popover } = {}) {
  // From the outside in: the wrapper depends on the padding.
  for (const each of [element.closest('.svc_responsive_padding'), element.closest('.svc_responsive_wrapper'),
    element]) {
    if (each) restyle(each);
  }
  // Never empty: some pages hide empty elements.
  element.replaceChildren(make('span', {}, { position: 'absolute' }));
  const { display } = getComputedStyle(element);
  // The player fills the size of the element, so the element needs a box of its own.
  if (!popover && /^(inline|contents)$/.test(display)) place(element, { display: 'block' });
  // The code's own &nbsp; goes; inside a line it stays, since the line's height depends on it.
  if (display === 'inline-block') element.prepend('\u00a0');
  if (getComputedStyle(element).position === 'static') css(element, { position: 'relative' });
  // A fixed size must not stick out of a narrow page.
  const { width, height } = element.style;
  if (/px$/.test(width) && /px$/.test(height)) {
    // The line of the &nbsp; may be higher than the thumbnail.
    place(element, { 'max-width': '100%', height: 'auto', 'min-height': '0',
      'aspect-ratio': `${parseFloat(width)} / ${parseFloat(height)}` });
  } else if (!width && !height && element.isConnected && element.clientHeight < 30) {
    const { videoWidth, videoHeight } = element.dataset;
    if (popover) place(element, { display: 'inline-block', width: '150px', height: '100px' });
    else if (videoWidth > 0 && videoHeight > 0) place(element, sizeOf(Number(videoWidth), Number(videoHeight)));
    else {
      element.dataset.svcSize = ''; // fill() corrects it
      place(element, sizeOf());
    }
  }
}

function inline(element, kind, id, options) {
  clear(element);
  const player = new Player(element, options);
  attach(player.over.signal, [element], () => {
    done.delete(element); // it may come back
    player.remove();
  });
  fill(player, kind, id);
  return player;
}

async function popover(element, kind, id, code) {
  const over = new AbortController();
  attach(over.signal, [element], () => {
    done.delete(element); // it may come back
    over.abort();
  });
  if (!code.popoverLink) clear(element, { popover: true });
  const spoken = new Words(element, code);
  const { say } = spoken;
  const found = await known(element, kind, id, code.watch, spoken, over.signal);
  if (!found || over.signal.aborted) return;
  const first = kind === 'playlists' ? found.videos[0] : found;
  const title = found.title || say('Video');
  const options = customized(code, first.customizations, kind === 'playlists' ? 0 : undefined);
  if (options.seo && !first.watch) {
    const described = describe(svc.host, first);
    over.signal.addEventListener('abort', () => described.remove());
  }
  const opener = options.popoverLink ? linkIn(element, title) : thumbnail(element, first, title, options, say);
  opener.setAttribute('aria-haspopup', 'dialog');
  expect(opener, first, options, over.signal);
  opener.addEventListener('click', (event) => {
    event.preventDefault();
    openDialog({ element, opener, kind, id, options: code, title, first, say });
  }, { signal: over.signal });
}

// popoverContent=link: the code's own link or text opens the dialog; without text, the title does.
function linkIn(element, title) {
  place(element, { width: 'auto', height: 'auto' });
  const own = element.querySelector('a, button');
  if (own) return own;
  const opener = button('', { display: 'inline-block', font: 'inherit', color: 'inherit',
    'text-decoration': 'underline' });
  opener.append(...(element.textContent.trim() ? element.childNodes : [title]));
  element.replaceChildren(opener);
  return opener;
}

function thumbnail(element, first, title, options, say) {
  const colour = options.colour || (first.player_color ? `#${first.player_color}` : '#0b5cad');
  const poster = options.still || first.poster;
  const disc = make('span', {}, { position: 'absolute', left: '50%', top: '50%', width: '44px',
    height: '44px', margin: '-22px 0 0 -22px', padding: '10px', 'box-sizing': 'border-box',
    'border-radius': '50%', background: colour, color: ink(colour) }, icon(kPlay, '24px'));
  const opener = button(say('Play {title}', { title }), { ...kFill, background: '#1c1d20', overflow: 'hidden' });
  opener.title = title;
  if (poster) {
    const picture = make('img', { loading: 'lazy', src: poster, alt: '' },
      { ...kFill, 'max-width': 'none', 'object-fit': 'cover', 'z-index': '-1' });
    watchPoster(picture, first, (id) => factsNow(svc.host, 'medias', id, options.watch));
    opener.append(picture);
    css(opener, { background: 'transparent', 'z-index': '0' });
    if (options.popoverAnimate && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
      css(picture, { transition: 'transform 0.3s' });
      for (const [events, scale] of [['pointerenter focus', '1.1'], ['pointerleave blur', '1']]) {
        for (const event of events.split(' ')) {
          opener.addEventListener(event, () => css(picture, { transform: `scale(${scale})` }));
        }
      }
    }
  }
  opener.append(disc);
  element.append(opener);
  return opener;
}

// The page below a dialog does not scroll, and does not move when its scroll bar goes, until the
// returned function is called; with several dialogs, until all their functions are called.
let locks = 0;
let unlock;
function lockScrolling() {
  locks++;
  if (locks === 1) {
    const root = document.documentElement;
    const { style } = root;
    const names = ['overflow', 'padding-right'];
    const before = names.map((name) => style.getPropertyValue(name));
    const bar = window.innerWidth - root.clientWidth;
    css(root, { overflow: 'hidden', ...(bar > 0 && { 'padding-right': `${bar}px` }) });
    unlock = () => names.forEach((name, at) => style.setProperty(name, before[at]));
  }
  return () => {
    locks--;
    if (!locks) unlock();
  };
}

// A modal <dialog>: the browser keeps the focus inside, closes it by Esc and then restores the
// focus. ::backdrop cannot be styled from here, so the dialog itself covers the page.
function openDialog({ element, opener, kind, id, options, title, first, say }) {
  const width = first.width || 1280;
  const height = first.height || 720;
  const [most, mostHigh] = options.popoverSize || [Math.max(width, 960), Infinity];
  const fits = Math.round(Math.min(most, (mostHigh * width) / height));
  const room = make('div', {}, { position: 'relative', 'aspect-ratio': `${width} / ${height}`, flex: 'none',
    width: `min(92vw, ${(80 * width) / height}vh, ${fits}px)` });
  if (kind === 'playlists') {
    const [wide, high] = options.popoverSize || [1200, 0];
    css(room, { 'aspect-ratio': 'auto', height: high ? `min(80vh, ${high}px)` : '80vh', width: `min(92vw, ${wide}px)` });
  }
  const close = button(say('Close video'), { position: 'absolute', right: '8px', top: '8px', width: '44px',
    height: '44px', padding: '12px', 'border-radius': '50%', color: '#fff', background: '#000' },
    icon(kClose, '20px'));
  const caption = options.popoverCaption ? [make('p', { dir: 'auto' }, { ...kFont, margin: '12px 0 0',
    'max-width': '92vw',
    'max-height': '10vh', overflow: 'auto', color: '#fff', 'text-align': 'center' }, options.popoverCaption)] : [];
  const dialog = make('dialog', { 'aria-label': title, 'data-svc-dialog': '' },
    { position: 'fixed', inset: '0', width: '100%', height: '100%', 'max-width': 'none',
      'max-height': 'none', margin: '0', padding: '0', border: '0', overflow: 'hidden',
      background: 'rgba(0, 0, 0, 0.85)', display: 'flex', 'flex-direction': 'column', 'align-items': 'center',
      'justify-content': 'center' }, close, room, ...caption);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  const player = new Player(room, read(options.text, { autoPlay: true, seo: false, language: options.language || languageAt(element) }));
  dialogs.add(dialog);
  document.body.append(dialog);
  dialog.showModal();
  const release = lockScrolling();
  // However the player ends: the dialog is closed or removed, the code is removed, the page calls remove().
  player.over.signal.addEventListener('abort', () => {
    release();
    if (dialog.open) dialog.close();
    dialog.remove();
    opener.focus();
  });
  const end = () => player.remove();
  dialog.addEventListener('close', end);
  attach(player.over.signal, [element, dialog], end);
  announce(element, player, options);
  fill(player, kind, id);
}

function announce(element, player, options) {
  assign(options.handle, player, (value) => value instanceof Player);
  plug(player);
  element.dispatchEvent(new CustomEvent('svc:player', { bubbles: true, composed: true, detail: player }));
}

// plugin[name][...]: calls the page's own svc.plugins.name(player, values), once the video is known.
function plug(player) {
  for (const [name, values] of player.options.plugins) {
    player.loaded.then(() => {
      const start = Object.hasOwn(svc.plugins || {}, name) && svc.plugins[name];
      if (typeof start === 'function' && !player.removed) start(player, { ...values });
    });
  }
}

// ---- finding them --------------------------------------------------------------------------

const kElements = '[class*="svc_async_"], [class*="svc_playlist_"]';
const done = new WeakMap();

function upgrade(element) {
  const [, kind, id] =
    /(?:^|\s)svc_(async|playlist)_([A-Za-z0-9]{1,64})(?:\s|$)/.exec(element.className) || [];
  if (!id || done.has(element)) return;
  const options = read(words(element.classList));
  const plural = kind === 'async' ? 'medias' : 'playlists';
  if (options.popover) {
    done.set(element, null);
    popover(element, plural, id, options);
  } else {
    const player = inline(element, plural, id, options);
    done.set(element, player);
    announce(element, player, options);
  }
}

// A dialog of the copy of a page that was taken while it was open, as Turbo and others keep them: it plays nothing
// and covers the page.
const dialogs = new WeakSet();
function clean(dialog) {
  if (!dialogs.has(dialog)) dialog.remove();
}

const kFound = [[kElements, upgrade], ['dialog[data-svc-dialog]', clean]];
function look(root) {
  const { matches } = methods(root);
  for (const [selector, run] of kFound) {
    if (matches?.call(root, selector)) run(root);
    every(root, selector).forEach(run);
  }
  // A page's components, without our own bars.
  for (const each of [...matches ? [root] : [], ...every(root, '*')]) {
    const tree = treeOf(each);
    if (!tree || each.dataset.svcControls !== undefined) continue;
    if (enter(tree)) observer.observe(tree, kChanges);
    look(tree);
  }
}

// Entries on the page, as { elements, end }: end() is called once one of the elements has left the
// page. Moving an element does not count. `over`: the signal that an entry has ended otherwise.
const attached = new Set();
function attach(over, elements, end) {
  const entry = { elements, end };
  attached.add(entry);
  over.addEventListener('abort', () => attached.delete(entry));
}

const kChanges = { childList: true, subtree: true };
const observer = new MutationObserver((changes) => {
  for (const change of changes) {
    for (const node of change.addedNodes) if (node.nodeType === 1) look(node);
  }
  if (!changes.some((change) => change.removedNodes.length)) return;
  for (const { elements, end } of attached) if (!elements.every((element) => element.isConnected)) end();
});

// Pages that build themselves add and remove embed codes at any time.
export function watch() {
  observer.observe(document, kChanges);
  svc.look = () => look(document);
  svc.look();
}

// ---- functions for other scripts -----------------------------------------------------------

// The same playlist may stand on a page twice, with the same id: each call takes the next one.
export function playlist(id, given) {
  svc.look();
  const places = everywhere(`[id="svc_${CSS.escape(id)}"]`);
  const place = places.find((element) => !done.has(element)) || make('div');
  const options = read(given);
  const player = inline(place, 'playlists', id, options);
  done.set(place, player);
  plug(player);
  return player;
}

// With a colour scheme of its own, a transparent frame would have an opaque ground.
function ground({ transparent }) {
  for (const each of [document.documentElement, document.body]) {
    if (transparent) css(each, { background: 'none', 'color-scheme': 'normal' });
  }
}

// A player in the shadow root of `host`, a <svc-player> (../component/element.js), which ends it.
export function component(host, box, kind, id, given) {
  const player = new Player(box, read(given));
  plug(player);
  fill(player, kind, id);
  host.dispatchEvent(new CustomEvent('svc:player', { bubbles: true, composed: true, detail: player }));
  return player;
}

// New options of such a player, which has begun to play: those that can still change take effect.
export function change(player, given) {
  player.code = read(given);
  if (!player.media) return;
  player.customize(player.media, player.playlist ? player.playlist.at : undefined);
  if (!player.options.remembers) player.viewing.end();
  player.tint();
}

export function frame(element, given) {
  const { media, playlist, facts: told } = element.dataset;
  const [kind, id] = media ? ['medias', media] : ['playlists', playlist];
  const player = new Player(element, read(given));
  if (told) tell(svc.host, kind, id, player.options.watch, told);
  attach(player.over.signal, [element], () => player.remove());
  speak(player);
  ground(player.options);
  fill(player, kind, id);
  return player;
}

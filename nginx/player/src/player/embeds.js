// embeds: finds the embed codes of a page and turns them into players.
import { button, css, icon, ink, kClose, kFill, kPlay, make } from './dom.js';
import { facts } from './facts.js';
import { assign } from './handle.js';
import { read, words } from './options.js';
import { Player } from './player.js';
import { Playlist } from './playlist.js';
import { kPassing, later, notice } from './trouble.js';

const svc = window.svc;

// What the service knows, once it answers. Says in `box` what is wrong meanwhile, and tries again by
// itself if that may pass; null if it does not, or after over().
async function known(box, kind, id, over) {
  for (let tries = 1; ; tries++) {
    try {
      return await facts(svc.host, kind, id);
    } catch (error) {
      if (over()) return null;
      const passing = kPassing.has(error.kind);
      let again;
      const next = new Promise((resolve) => { again = resolve; });
      const shown = box.querySelector('video')?.parentNode === box ? null
        : notice(box, error.kind, { again: passing && again });
      if (!passing) return null;
      const stop = later(tries, again);
      await next;
      stop();
      if (shown) shown.remove();
      if (over()) return null;
    }
  }
}

// Fills a player with what the service knows about a media or a playlist, or says why not. In our
// iframe pages the page's own markup plays until then.
async function fill(player, kind, id) {
  const { box, options } = player;
  const found = await known(box, kind, id, () => player.removed);
  if (player.removed) return;
  if (!found) { player.isLoaded(); return; }
  const begin = { play: options.autoPlay, time: options.time };
  if (kind === 'playlists') {
    const playlist = new Playlist(player, found);
    playlist.show();
    playlist.go(0, begin.play, begin.time);
  } else {
    if (options.responsive && !player.inPlace) keepRatio(player, found);
    player.show();
    player.start(found, begin);
  }
}

// A responsive code leaves room below for a bar that our controls do not need: the player takes
// the ratio of the video, not of the room. Outside its wrappers the element itself keeps it.
function keepRatio(player, media) {
  const ratio = `${media.width || 16} / ${media.height || 9}`;
  if (player.box.closest('.svc_responsive_wrapper')) {
    css(player.stage, { height: 'auto', bottom: 'auto', 'max-height': '100%',
      'aspect-ratio': ratio });
  } else {
    css(player.box, { width: '100%', height: 'auto', 'aspect-ratio': ratio });
  }
}

function clear(element) {
  // The code's own &nbsp; goes; inside a line it stays, since the line's height depends on it.
  element.replaceChildren(getComputedStyle(element).display === 'inline-block' ? '\u00a0' : '');
  if (getComputedStyle(element).position === 'static') css(element, { position: 'relative' });
  // A fixed size must not stick out of a narrow page.
  const { width, height } = element.style;
  if (/px$/.test(width) && /px$/.test(height)) {
    css(element, { 'max-width': '100%', height: 'auto',
      'aspect-ratio': `${parseFloat(width)} / ${parseFloat(height)}` });
  }
}

function inline(element, kind, id, options) {
  clear(element);
  const player = new Player(element, options);
  fill(player, kind, id);
  return player;
}

async function popover(element, kind, id, options) {
  clear(element);
  const found = await known(element, kind, id, () => !element.isConnected);
  if (!found) return;
  const first = kind === 'playlists' ? found.videos[0] : found;
  const title = found.title || 'Video';
  const colour = options.colour || (first.player_color ? `#${first.player_color}` : '#0b5cad');
  const poster = options.still || first.poster;
  const disc = make('span', {}, { position: 'absolute', left: '50%', top: '50%', width: '44px',
    height: '44px', margin: '-22px 0 0 -22px', padding: '10px', 'box-sizing': 'border-box',
    'border-radius': '50%', background: colour, color: ink(colour) }, icon(kPlay, '24px'));
  const opener = button(`Play ${title}`, { ...kFill, background: '#1c1d20', overflow: 'hidden' });
  opener.setAttribute('aria-haspopup', 'dialog');
  opener.title = title;
  if (poster) {
    opener.append(make('img', { loading: 'lazy', src: poster, alt: '' },
      { ...kFill, 'max-width': 'none', 'object-fit': 'cover', 'z-index': '-1' }));
    css(opener, { background: 'transparent', 'z-index': '0' });
  }
  opener.append(disc);
  opener.addEventListener('click', () =>
    openDialog({ element, opener, kind, id, options, title, first }));
  element.append(opener);
}

// A modal <dialog>: the browser keeps the focus inside, closes it by Esc and gives the focus back.
// ::backdrop cannot be styled from here, so the dialog itself covers the page.
function openDialog({ element, opener, kind, id, options, title, first }) {
  const width = first.width || 1280;
  const height = first.height || 720;
  const room = make('div', {}, { position: 'relative', 'aspect-ratio': `${width} / ${height}`,
    width: `min(92vw, ${(80 * width) / height}vh, ${Math.max(width, 960)}px)` });
  if (kind === 'playlists') {
    css(room, { 'aspect-ratio': '', height: '80vh', width: 'min(92vw, 1200px)' });
  }
  const close = button('Close video', { position: 'absolute', right: '8px', top: '8px', width: '44px',
    height: '44px', padding: '12px', 'border-radius': '50%', color: '#fff', background: '#000' },
    icon(kClose, '20px'));
  const dialog = make('dialog', { 'aria-label': title, 'data-svc-dialog': '' },
    { position: 'fixed', inset: '0', width: '100vw', height: '100vh', 'max-width': 'none',
      'max-height': 'none', margin: '0', padding: '0', border: '0', overflow: 'hidden',
      background: 'rgba(0, 0, 0, 0.85)', display: 'flex', 'align-items': 'center',
      'justify-content': 'center' }, close, room);
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
  const player = new Player(room, { ...options, autoPlay: true });
  dialog.addEventListener('close', () => {
    player.remove();
    dialog.remove();
    opener.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  announce(element, player, options);
  fill(player, kind, id);
}

function announce(element, player, options) {
  assign(options.handle, player, (value) => value instanceof Player);
  element.dispatchEvent(new CustomEvent('svc:player', { bubbles: true, detail: player }));
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

function look(root) {
  if (root.matches && root.matches(kElements)) upgrade(root);
  root.querySelectorAll(kElements).forEach(upgrade);
}

// Pages that build themselves add and remove embed codes at any time.
export function watch() {
  new MutationObserver((changes) => {
    for (const change of changes) {
      for (const node of change.addedNodes) if (node.nodeType === 1) look(node);
    }
    if (!changes.some((change) => change.removedNodes.length)) return;
    for (const player of svc.players) {
      if (player.box.isConnected) continue;
      done.delete(player.box); // it may come back
      player.remove();
    }
  }).observe(document.documentElement, { childList: true, subtree: true });
  look(document);
}

// ---- what other scripts call ---------------------------------------------------------------

// The same playlist may stand on a page twice, with the same id: each call takes the next one.
export function playlist(id, given) {
  const places = [...document.querySelectorAll(`[id="svc_${CSS.escape(id)}"]`)];
  const place = places.find((element) => !done.has(element)) || make('div');
  const options = read(given);
  const player = inline(place, 'playlists', id, options);
  done.set(place, player);
  return player;
}

export function frame(element, given) {
  const { media, playlist } = element.dataset;
  const player = new Player(element, read(given));
  fill(player, media ? 'medias' : 'playlists', media || playlist);
  return player;
}

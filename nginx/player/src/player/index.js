// player: turns embed codes into players; the loaders load it.
import { change, component, frame, playlist, watch } from './embeds.js';
import { kEvents, Player } from './player.js';
import { everywhere } from './trees.js';

const svc = window.svc;

// Frames with our players, and the page that has them, tell each other what plays.
const frames = () => everywhere('iframe')
  .filter((element) => element.src.startsWith(`${svc.host}/embed/`)).map((element) => element.contentWindow);

function pauseAll(except) {
  for (const player of svc.players) if (player !== except && player.wanted) player.pause();
}

// Starting one player pauses the others.
svc.playing = (player) => {
  pauseAll(player);
  for (const other of frames()) other.postMessage({ svc: 'pause' }, '*');
  if (window.parent === window) return;
  window.parent.postMessage({ svc: 'playing' }, '*');
  // The page may lack our script: tells the sibling frames of our origin.
  for (let i = 0; i < window.parent.length; i++) {
    const other = window.parent[i];
    if (other !== window) other.postMessage({ svc: 'pause' }, location.origin);
  }
};

window.addEventListener('message', ({ data, source, origin }) => {
  if (!data || !source) return;
  const inFrame = window.parent !== window && source !== window;
  if (data.svc === 'pause' && inFrame && (source === window.parent || origin === location.origin)) pauseAll();
  const ours = data.svc === 'playing' ? frames() : [];
  if (!ours.includes(source)) return;
  pauseAll();
  for (const other of ours) if (other !== source) other.postMessage({ svc: 'pause' }, '*');
});

if (!svc.players) {
  svc.players = [];
  watch();
  svc.playlist = playlist;
  svc.provide('player', { Player, change, component, events: Object.keys(kEvents), frame });
  // Calls of svc.playlist from before this file was here (playlist-v1.js).
  for (const call of svc.waiting || []) call();
  svc.waiting = null;
}

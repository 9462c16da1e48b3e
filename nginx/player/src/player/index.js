// player: turns embed codes into players; the loaders load it.
import { frame, playlist, watch } from './embeds.js';
import { Player } from './player.js';
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
  if (window.parent !== window) window.parent.postMessage({ svc: 'playing' }, '*');
};

window.addEventListener('message', ({ data, source }) => {
  if (!data || !source) return;
  if (data.svc === 'pause' && source === window.parent && source !== window) pauseAll();
  const ours = data.svc === 'playing' ? frames() : [];
  if (!ours.includes(source)) return;
  pauseAll();
  for (const other of ours) if (other !== source) other.postMessage({ svc: 'pause' }, '*');
});

if (!svc.players) {
  svc.players = [];
  watch();
  svc.playlist = playlist;
  svc.provide('player', { Player, frame });
  // Calls of svc.playlist from before this file was here (playlist-v1.js).
  for (const call of svc.waiting || []) call();
  svc.waiting = null;
}

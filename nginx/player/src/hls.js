// hls: hls.js for browsers that play no HLS by themselves. The light build: our manifests have no
// alternate audio and no subtitles (oembed-M1).
import Hls from 'hls.js/light';
import { within } from './player/levels.js';

// Returns null if the browser has no Media Source Extensions. `trouble(kind)` is called at most once,
// when this source is of no more use: kind is a number (an HTTP status, 0 for none) or 'unplayable'.
function open(video, url, { qualityMin, qualityMax, trouble }) {
  if (!Hls.isSupported()) return null;
  // No worker: it would be made from a blob, which the policies of many pages refuse.
  const hls = new Hls({ enableWorker: false, capLevelToPlayerSize: true, maxBufferLength: 20 });
  let recovered = 0;
  hls.on(Hls.Events.MANIFEST_PARSED, (_, { levels }) => {
    const left = new Set(within(levels, qualityMin, qualityMax));
    for (let index = levels.length - 1; index >= 0; index--) {
      if (!left.has(index)) hls.removeLevel(index);
    }
  });
  hls.on(Hls.Events.ERROR, (_, what) => {
    if (!what.fatal) return;
    // A decoder that stumbled once may go on; a second time within 10 s it does not.
    if (what.type === Hls.ErrorTypes.MEDIA_ERROR && Date.now() - recovered > 10000) {
      recovered = Date.now();
      hls.recoverMediaError();
      return;
    }
    const network = what.type === Hls.ErrorTypes.NETWORK_ERROR;
    trouble(network ? (what.response && what.response.code) || 0 : 'unplayable');
  });
  hls.loadSource(url);
  hls.attachMedia(video);
  return {
    levels: () => hls.levels.map(({ height }, index) => ({ height, index })).filter(({ height }) => height),
    // -1: chosen by bandwidth and by the size of the player.
    choose: (index) => { hls.nextLevel = index; },
    chosen: () => (hls.autoLevelEnabled ? -1 : hls.nextLevel),
    close: () => hls.destroy(),
  };
}

window.svc.provide('hls', open);

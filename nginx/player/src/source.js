// source: plays HLS by hls.js, in the build that it is given.
import { within } from './player/levels.js';

// hls.js's loader of playlists, which takes the response `early`, a promise of { url, text } or null, for the manifest.
const loaderOf = (Base, manifest, early) => class extends Base {
  load(context, config, callbacks) {
    if (context.url !== manifest) { super.load(context, config, callbacks); return; }
    early.then((found) => {
      early = Promise.resolve(null); // hls.js asks again if it has to
      if (this.over) return;
      if (!found) super.load(context, config, callbacks);
      else callbacks.onSuccess({ url: found.url, data: found.text, code: 200 }, this.stats, context, null);
    });
  }
  abort() {
    this.over = true;
    super.abort();
  }
  destroy() {
    this.over = true;
    super.destroy();
  }
};

// Returns what opens a source: (video, url, options) → source, or null if the browser has no Media Source
// Extensions. `from` is the position in seconds to begin at, `early` the response to the manifest (loaderOf). If `held`,
// no segment is loaded before start(). `trouble(kind)` is called at most once, when this source is of no more use: kind
// is a number (an HTTP status, 0 for none) or 'unplayable'. `cues(label, cues)` gets the cues of the captions that the
// source was told to show, and `lost(label)` is called when they do not come; the light build has none.
export const opener = (Hls) => (video, url, { qualityMin, qualityMax, from, early, held, trouble, cues, lost }) => {
  if (!Hls.isSupported()) return null;
  // No worker: it would be made from a blob, which the policies of many pages refuse. The tracks of
  // captions are the player's (captions.js): those of hls.js would outlive it.
  const hls = new Hls({ enableWorker: false, capLevelToPlayerSize: true, maxBufferLength: 20, autoStartLoad: false,
    pLoader: loaderOf(Hls.DefaultConfig.loader, url, early),
    renderTextTracksNatively: false, enableCEA708Captions: false });
  let recovered = 0;
  hls.on(Hls.Events.MANIFEST_PARSED, (_, { levels }) => {
    const left = new Set(within(levels, qualityMin, qualityMax));
    for (let index = levels.length - 1; index >= 0; index--) {
      if (!left.has(index)) hls.removeLevel(index);
    }
    // hls.js would cap the level to the player's size a moment later, and load the first segment uncapped.
    hls.capLevelController.detectPlayerSize();
    hls.startLoad(from || -1);
    if (held) hls.pauseBuffering();
  });
  let wanted = null;
  const select = () => { hls.subtitleTrack = hls.subtitleTracks.findIndex(({ name }) => name === wanted); };
  if (cues) {
    select(); // none: else hls.js begins with the manifest's default
    hls.on(Hls.Events.SUBTITLE_TRACKS_UPDATED, select);
    hls.on(Hls.Events.CUES_PARSED, (_, parsed) => cues(parsed.subtitleTrack.name, parsed.cues));
  }
  hls.on(Hls.Events.ERROR, (_, what) => {
    if (what.details === Hls.ErrorDetails.INTERNAL_ABORTED) return; // by a seek, or another choice
    if (/^subtitle/.test(what.details) || (what.frag && what.frag.type === 'subtitle')) {
      // The video goes on: for hls.js captions that are missing are as bad as a level that is.
      const label = wanted;
      wanted = null;
      select();
      if (what.fatal) hls.startLoad();
      if (label !== null) lost(label);
      return;
    }
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
    // From the next segment on; while the video stands, in the picture that is seen, which a seek makes new.
    choose: (index) => {
      if (!video.paused) { hls.nextLevel = index; return; }
      hls.once(Hls.Events.FRAG_BUFFERED, () => { if (video.paused) video.currentTime += 0; });
      hls.currentLevel = index;
    },
    start: () => {
      if (!held) return;
      held = false;
      hls.resumeBuffering();
      hls.streamController.tick(); // it would look every 100 ms
    },
    chosen: () => (hls.autoLevelEnabled ? -1 : hls.nextLevel),
    // The captions whose cues are loaded, by label; null: none.
    caption: (label) => {
      wanted = label;
      if (cues) select();
    },
    close: () => hls.destroy(),
  };
};

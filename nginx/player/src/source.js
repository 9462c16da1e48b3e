// source: plays HLS by hls.js, in the build that it is given.
import { text, within } from './player/levels.js';
import { stumbles } from './player/stumbles.js';

// Seconds ahead of the position until which segments are loaded. A segment may reach ten seconds beyond.
const kAhead = 20;

// A segment or a list of segments that is refused or cut off may load on a retry. hls.js itself
// retries after a failure of the server, but not after a status 4xx or without a response. With
// this policy it also retries these: after a status 4xx at most twice, since another rendition may
// have the segment.
function patient(policy) {
  const shouldRetry = (retries, count, isTimeout, response, retry) => {
    const { code = 0 } = response || {};
    return retry || count < (code >= 400 && code < 500 ? 2 : retries.maxNumRetry);
  };
  return { default: { ...policy.default, errorRetry: { ...policy.default.errorRetry, shouldRetry } } };
}

// An address of a file of ours that ends, up to the file's name: /signed-files/…/FOLDER/NUMBER/.
const kSigned = /[^\s"]*\/signed-files\/(?:[^\s"/]+\/){3}([\w-]+)\/[\d-]+\//g;

// Addresses that end: `renew(manifest)` resolves to the manifest's new address, or to null without one. Returns hls.js's
// loader for all files, which takes the new address of a file whose former address is refused (403), so that play continues.
function renewing(Base, manifest, renew) {
  const folders = new Map(); // the beginning of the new addresses, by the folder of the files
  let last = manifest;
  let asking = null;
  const fresh = (url) => (url === manifest ? last : url.replace(kSigned, (before, folder) => folders.get(folder) || before));
  const ask = async () => {
    const next = await renew(last);
    const found = next && await text(next);
    if (!found) return;
    last = next;
    for (const [address, folder] of found.text.matchAll(kSigned)) folders.set(folder, new URL(address, found.url).href);
  };
  return class extends Base {
    load(context, config, callbacks) {
      const first = context.url;
      const url = context.url = fresh(first);
      const onError = async (error, ...more) => {
        if (error.code === 403) {
          if (fresh(first) === url) await (asking ||= ask().finally(() => { asking = null; }));
          if (this.over) return;
          context.url = fresh(first);
        }
        if (context.url === url) { callbacks.onError(error, ...more); return; }
        this.stats.loading.start = this.stats.loading.first = 0;
        super.load(context, config, callbacks);
      };
      super.load(context, config, { ...callbacks, onError });
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
}

// That loader for playlists, which takes the response `early`, a promise of { url, text } or null, for the manifest.
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
};

// Returns a function that opens a source: (video, url, options) → source, or null if the browser
// lacks Media Source Extensions. `from` is the position in seconds to begin at, `early` the
// response to the manifest (loaderOf), `renew` its new address (renewing). If `held`, no segment is loaded before start().
// `trouble(kind)` is called at most once, when this source is of no more use: kind is a number (an
// HTTP status, 0 for none) or 'unplayable'. `cues(label, cues)` gets the cues of the captions that
// the source was told to show, and `lost(label)` is called when they do not come; the light build
// has none.
export const opener = (Hls) => (video, url, { qualityMin, qualityMax, from, early, renew, held, trouble, cues, lost }) => {
  if (!Hls.isSupported()) return null;
  const { loader: Base, fragLoadPolicy, playlistLoadPolicy } = Hls.DefaultConfig;
  const loader = renewing(Base, url, renew);
  // No worker: it would be made from a blob, which the policies of many pages refuse. The tracks of
  // captions are the player's (captions.js): those of hls.js would outlive it.
  const hls = new Hls({ enableWorker: false, capLevelToPlayerSize: true, maxBufferLength: kAhead,
    maxMaxBufferLength: kAhead, autoStartLoad: false,
    loader, pLoader: loaderOf(loader, url, early), fragLoadPolicy: patient(fragLoadPolicy),
    playlistLoadPolicy: patient(playlistLoadPolicy),
    renderTextTracksNatively: false, enableCEA708Captions: false });
  const again = stumbles();
  const recover = () => {
    if (again(video.currentTime)) hls.recoverMediaError();
    else trouble('unplayable');
  };
  // hls.js detects a failed decoder only when it appends more data. After its own recovery,
  // video.error is null.
  const failed = () => { if (video.error) recover(); };
  const ending = new AbortController();
  const on = (events, run) => {
    for (const event of events.split(' ')) video.addEventListener(event, run, { signal: ending.signal });
  };
  on('error', failed);
  const load = () => {
    hls.resumeBuffering();
    hls.streamController.tick(); // it would look every 100 ms
  };
  // Once it has played, a paused video loads only the picture at its position.
  let played = false;
  const settle = () => {
    if (!played || held) return;
    if (video.paused && !video.seeking && video.readyState > 1) hls.pauseBuffering();
    else load();
  };
  on('play', () => { played = true; });
  on('play pause seeking seeked loadeddata emptied', settle);
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
      // The video continues, although for hls.js missing captions are as severe as a missing level.
      const label = wanted;
      wanted = null;
      select();
      if (what.fatal) hls.startLoad();
      if (label !== null) lost(label);
      return;
    }
    if (!what.fatal) return;
    if (what.type === Hls.ErrorTypes.MEDIA_ERROR) { recover(); return; }
    const network = what.type === Hls.ErrorTypes.NETWORK_ERROR;
    trouble(network ? (what.response && what.response.code) || 0 : 'unplayable');
  });
  hls.loadSource(url);
  hls.attachMedia(video);
  return {
    levels: () => hls.levels.map(({ height }, index) => ({ height, index })).filter(({ height }) => height),
    // -1: chosen by bandwidth and by the size of the player.
    // From the next segment on; while the video is paused, also in the current picture, which a
    // seek loads again.
    choose: (index) => {
      if (!video.paused) { hls.nextLevel = index; return; }
      hls.once(Hls.Events.FRAG_BUFFERED, () => { if (video.paused) video.currentTime += 0; });
      hls.currentLevel = index;
      load();
    },
    start: () => {
      if (!held) return;
      held = false;
      load();
    },
    chosen: () => (hls.autoLevelEnabled ? -1 : hls.nextLevel),
    // The captions whose cues are loaded, by label; null: none.
    caption: (label) => {
      wanted = label;
      if (cues) select();
    },
    close: () => {
      ending.abort();
      hls.destroy();
    },
  };
};

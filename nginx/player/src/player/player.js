// player: one video in a box. Before play there is the poster and the play button and nothing else;
// controls, the manifest and hls.js come when the viewer comes near, segments when something plays.
import { approach } from './approach.js';
import { Captions } from './captions.js';
import { chosen } from './choices.js';
import { cover } from './cover.js';
import { button, css, icon, ink, kApart, kFill, kLeft, kPlay, kReplay, make, own } from './dom.js';
import { text } from './levels.js';
import { customized } from './options.js';
import { isSigned, watch } from './renewal.js';
import { stumbles } from './stumbles.js';
import { diagnose, fileTroubleOf, kPassing, later, notice } from './trouble.js';
import { viewing } from './viewing.js';
import { Words } from './words.js';

const svc = window.svc;
const kHls = 'application/vnd.apple.mpegurl';
// Our events, by the event of the video element that each follows. The last two are of our own making.
export const kEvents = { end: 'ended', seek: 'seeked', timechange: 'timeupdate', secondchange: 'timeupdate',
  playbackratechange: 'ratechange', enterfullscreen: 'svc:enterfullscreen', cancelfullscreen: 'svc:cancelfullscreen' };
const kNear = 100; // pixels around the player: a pointer there is about to click
const kMostRenewals = 2; // in a row: renewals of the addresses of a media that fails to play
const kNothing = () => {};

// The ways to play a media, best first. In a browser that has ManagedMediaSource, native HLS is
// preferred: it needs less memory and power than a script. But it does not support a range of
// qualities, and some of these browsers do not show the captions of a manifest, which scripts
// cannot detect. Others (Chromium) load the largest rendition into the smallest player.
function waysOf({ manifest, mp4, captions = [] }, { qualityMin, qualityMax }) {
  const segmented = captions.some((each) => each.segmented);
  const ways = [];
  if (manifest) {
    if (document.createElement('video').canPlayType(kHls)) ways.push({ kind: 'native', url: manifest });
    if (window.MediaSource || window.ManagedMediaSource) {
      ways.push({ kind: 'hls', url: manifest, part: segmented ? 'hls-captions' : 'hls' });
    }
    if (!window.ManagedMediaSource || qualityMin || qualityMax || segmented) ways.reverse();
  }
  if (mp4) ways.push({ kind: 'file', url: mp4 });
  return ways;
}

// The moments at which the viewer comes near an element.
const kComing = ['pointerenter', 'focusin', 'touchstart'];

// Loads the scripts with which a media will be played once the viewer comes near `opener`, until `signal`.
export function expect(opener, media, options, signal) {
  const [way] = waysOf(media, options);
  const load = (...names) => { for (const name of names) if (name) svc.part(name).catch(kNothing); };
  for (const event of kComing) opener.addEventListener(event, () => load('controls', way?.part), { passive: true, once: true });
  approach(opener, signal, () => load(way?.part), kNothing);
}

export class Player {
  // Fills `box`. An existing video (in our iframe pages) is kept and upgraded.
  constructor(box, options) {
    this.code = options; // those of the embed code
    this.options = options; // also those of the media
    this.box = box;
    this.media = null;
    this.again = async () => null; // the facts of a media, asked for again
    this.wanted = false; // whether the viewer or the page wants it to play
    this.started = false; // whether it has played since the poster was shown
    this.from = 0; // where it begins once it is loaded
    this.tries = 0;
    this.renewals = 0; // since it played
    this.held = false; // whether the source waits for play() to load segments
    this.bound = []; // { event, listener, end }
    this.over = new AbortController();
    this.detach = this.stopRetry = kNothing;
    const video = (this.video = box.querySelector('video') || make('video'));
    this.inPlace = this.isPage = video.parentNode === box;
    this.words = new Words(box, options, this.isPage);
    this.say = this.words.say;
    this.stage = make('div', { 'data-svc-player': '', role: 'group', tabindex: '-1' },
      // manipulation: a double tap must not zoom the page.
      { ...kApart, ...kLeft, ...kFill, background: options.transparent ? 'transparent' : '#000', overflow: 'hidden',
        'container-type': 'size', 'touch-action': 'manipulation' });
    video.playsInline = true;
    video.muted = options.muted;
    if (options.volume !== null) video.volume = options.volume;
    this.loaded = new Promise((resolve) => { this.isLoaded = resolve; });
    this.captions = new Captions(this);
    this.viewing = viewing(this);
    this.listen();
    svc.players.push(this);
  }

  listen() {
    const { video, stage } = this;
    video.addEventListener('loadedmetadata', () => {
      if (this.from) video.currentTime = this.from;
      this.from = 0;
    });
    video.addEventListener('play', () => this.onPlay());
    // A browser also pauses when the source fails, ends or is taken away: only a pause that was asked for counts.
    video.addEventListener('pause', () => {
      if (video.paused && !video.error && video.readyState && this.loading) this.wanted = false;
    });
    // A new source pauses: another quality, or one with which hls.js recovers.
    video.addEventListener('loadstart', () => {
      if (this.wanted && video.paused) video.play().catch(kNothing);
    });
    video.addEventListener('timeupdate', () => {
      if (!video.paused && video.readyState > 2) this.tries = this.renewals = 0;
      this.remember();
    });
    video.addEventListener('ended', () => this.ended());
    video.addEventListener('seeking', () => {
      if (this.started && this.bigButton && !video.ended) this.bigButton.remove();
    });
    const filled = () => {
      const full = this.inFullscreen();
      if (full === this.wasFull) return;
      this.wasFull = full;
      video.dispatchEvent(new Event(full ? 'svc:enterfullscreen' : 'svc:cancelfullscreen'));
    };
    this.wasFull = false;
    for (const event of ['fullscreenchange', 'webkitfullscreenchange']) {
      document.addEventListener(event, filled, { signal: this.over.signal });
    }
    for (const event of ['webkitbeginfullscreen', 'webkitendfullscreen']) video.addEventListener(event, filled);
    for (const event of kComing) {
      stage.addEventListener(event, () => this.near(), { passive: true });
    }
    document.addEventListener('pointermove', ({ clientX, clientY }) => {
      if (this.loading || !this.media) return;
      const { left, right, top, bottom } = stage.getBoundingClientRect();
      if (clientX > left - kNear && clientX < right + kNear && clientY > top - kNear && clientY < bottom + kNear) {
        this.prepare();
      }
    }, { passive: true, signal: this.over.signal });
    // Not every browser's clicks tell the kind of pointer.
    stage.addEventListener('pointerdown', ({ pointerType }) => { this.byTouch = pointerType === 'touch'; },
      { passive: true });
    stage.addEventListener('click', (event) => {
      if (event.target !== video || video.controls) return;
      if (this.started && this.controls && this.byTouch) this.controls.touched(event);
      else this.toggle();
      stage.focus({ preventScroll: true });
    });
  }

  // Takes the options of the media (api-Z1), once it is known; `index`: the media's in a playlist. Changes that the
  // viewer or the page has made until then stay.
  customize(media, index) {
    const { code, video, stage } = this;
    const options = (this.options = customized(code, media.customizations, index));
    const inList = index !== undefined;
    if (!inList && video.muted === code.muted) video.muted = options.muted;
    const { volume } = options;
    if (volume !== null && volume !== code.volume && (inList || video.volume === 1)) video.volume = volume;
    if (options.transparent) css(stage, { background: 'transparent' });
  }

  // Puts the stage in place, and the video into the stage.
  show() {
    const { box, stage, video } = this;
    if (this.inPlace && video.paused) {
      video.replaceChildren(); // the sources of the markup
      video.load();
    } else if (this.inPlace) {
      this.loading = Promise.resolve();
      this.onPlay();
    }
    this.inPlace = false;
    video.controls = false;
    video.preload = this.options.preload;
    own(video, { ...kFill, 'object-fit': 'contain',
      background: this.options.transparent ? 'transparent' : '#000' });
    stage.append(video);
    box.append(stage);
    if (this.options.playButton && !this.started) stage.append(this.makeBigButton());
  }

  // An audio has the button of its bar, which is always there.
  hasBigButton() {
    return this.options.playButton && !(this.media?.audio && this.options.smallPlayButton);
  }

  // In the middle of the picture: plays, or plays again.
  makeBigButton() {
    const again = this.started;
    const shape = icon(again ? kReplay : kPlay, '100%');
    if (!this.bigButton) {
      const size = 'clamp(44px, 14cqmin, 88px)';
      this.bigButton = button('', { position: 'absolute', left: '50%', top: '50%', width: '64px',
        height: '64px', 'max-width': '60%', 'max-height': '60%', 'aspect-ratio': '1', padding: '16px',
        'box-sizing': 'border-box', 'border-radius': '50%', transform: 'translate(-50%, -50%)',
        'z-index': '1' });
      css(this.bigButton, { width: size, height: size, padding: 'clamp(8px, 3.4cqmin, 22px)' });
      this.bigButton.addEventListener('click', () => {
        this.stage.focus({ preventScroll: true });
        this.play();
      });
    }
    this.bigButton.replaceChildren(shape);
    const { media, say } = this;
    const title = media && (media.title || say('Video'));
    this.bigButton.setAttribute('aria-label', again
      ? title ? say('Replay {title}', { title }) : say('Replay')
      : title ? say('Play {title}', { title }) : say('Play'));
    this.tint();
    return this.bigButton;
  }

  tint() {
    this.colour = this.options.colour ||
      (this.media && this.media.player_color && `#${this.media.player_color}`) || '#0b5cad';
    if (this.bigButton) css(this.bigButton, { background: this.colour, color: ink(this.colour) });
    if (this.controls) this.controls.update();
  }

  // Shows a media, and plays it if asked to. The video element stays the same from one media of a
  // playlist to the next, so that full screen and the permission to play with sound stay too.
  start(media, { play = false, time = 0 } = {}) {
    const { video, options, stage } = this;
    const title = media.title || this.say('Video');
    const playing = this.isPage && this.loading && !this.media; // the page's own markup plays already
    // The page's own poster, possibly smaller, is already shown.
    const shown = this.isPage && !this.media && !options.still && video.poster;
    const asked = this.media ? 0 : this.from; // by time() before the media was known
    this.viewing.end();
    if (!playing) this.unload();
    this.media = media;
    this.tries = this.renewals = 0;
    this.stumbles = stumbles();
    this.from = playing ? 0 : asked || time || this.remembered();
    video.setAttribute('title', title);
    video.setAttribute('aria-label', title);
    stage.setAttribute('aria-label', title);
    if (this.bigButton?.parentNode) this.makeBigButton();
    this.uncover();
    if (media.audio) this.showCover(title);
    else this.showPoster(shown || options.still || media.poster);
    if (!this.recalled) this.recall();
    this.captions.start(media.captions);
    video.loop = options.atEnd === 'loop' && !this.playlist;
    this.tint();
    if (!this.hasBigButton()) this.bigButton?.remove();
    if (playing) { // by the markup of the page
      this.captions.attached({ kind: 'page' });
      this.near();
    } else if (play) this.autoPlay();
    else if (options.preload !== 'none') this.load();
    if (options.bar === 'always' || media.audio) this.control();
    this.viewing.begin(media, options);
    this.expect();
    this.isLoaded();
  }

  // Begins as the viewer left the last player, unless the page has asked for something else since, or the viewer could
  // not change it here.
  recall() {
    this.recalled = true;
    const { options, video } = this;
    if (options.volumeControl) {
      const volume = chosen('volume', options);
      if (volume !== undefined && video.volume === (options.volume ?? 1)) video.volume = volume;
      if (chosen('muted', options)) video.muted = true;
    }
    const speed = chosen('speed', options);
    if (speed && options.settingsControl && options.playbackRateControl && video.playbackRate === 1) this.playbackRate(speed);
  }

  showCover(title) {
    const { media, options, stage, video } = this;
    this.tint();
    video.removeAttribute('poster');
    css(video, { background: 'transparent' });
    const element = cover(title, options.still || media.poster, this.colour);
    const image = element.querySelector('img');
    if (image) watch(image, media, this.again);
    stage.prepend(element);
  }

  // The media before was an audio.
  uncover() {
    const before = this.stage.querySelector('[data-svc-cover]');
    if (!before) return;
    before.remove();
    css(this.video, { background: this.options.transparent ? 'transparent' : '#000' });
  }

  // A poster is loaded once the player is about to be seen.
  showPoster(url) {
    const { video, stage } = this;
    this.poster = url;
    if (!url) { video.removeAttribute('poster'); return; }
    if (this.seen || this.started || video.hasAttribute('poster')) {
      if (video.poster !== url) this.setPoster(url);
      return;
    }
    if (this.looking) return;
    this.looking = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      this.looking.disconnect();
      this.seen = true;
      if (this.poster) this.setPoster(this.poster);
    }, { rootMargin: '300px' });
    this.looking.observe(stage);
  }

  // A video does not tell that its poster is refused: an image that shares the request does.
  setPoster(url) {
    const { media, video } = this;
    video.poster = url;
    if (!isSigned(url)) return;
    const image = new Image();
    image.src = url;
    watch(image, media, this.again, (now) => {
      if (this.poster === url) video.poster = this.poster = now;
    });
  }

  // The viewer is about to use the player: what playing needs, and controls.
  near() {
    this.prepare();
    this.control();
  }

  // Loads the files that a touch needs, while the player is near the viewport.
  expect() {
    if (this.expecting) return;
    this.expecting = true;
    approach(this.stage, this.over.signal, () => this.prepare(), () => { if (this.held) this.unload(); });
  }

  control() {
    if (this.controlling || this.removed || !this.media) return;
    this.controlling = svc.part('controls').then((attach) => {
      if (!this.removed) this.controls = attach(this);
    }, () => {
      this.controlling = null;
      this.video.controls = this.started; // the browser's own are better than none
    });
  }

  // Loads hls.js, the manifest and the list of segments, so that play() has only segments to wait for.
  prepare() {
    if (this.loading || this.removed || this.notice || !this.media) return;
    const [way] = this.ways();
    if (!way || way.kind !== 'hls') return;
    this.held = !this.wanted;
    this.load();
  }

  ways() {
    return waysOf(this.media, this.options);
  }

  // Loads the media. Returns the promise of the current attempt if it has begun.
  load() {
    if (!this.loading) this.loading = this.attach(this.ways());
    return this.loading;
  }

  // A file of the media was refused (403): its address may have ended. Returns whether the media has another one now.
  renew(url) {
    return svc.part('controls').then(({ renew }) => renew(this.media, url, this.again)).catch(() => false);
  }

  // Takes the first of these ways, and the next if it turns out not to work. `worst` is the trouble that
  // the ways before it had.
  async attach(ways, worst) {
    const { video, options } = this;
    const here = (this.attempt = {});
    const [way, ...rest] = ways;
    if (!worst) this.first = way?.url;
    if (!way) {
      // Files that were replaced are elsewhere now.
      if (worst !== 'gone' || !await this.reopen(here)) this.fail(worst || 'unplayable');
      return;
    }
    const trouble = async (kind) => {
      if (this.attempt !== here) return;
      this.attempt = null;
      this.from = video.currentTime || this.from;
      const { held } = this;
      // A browser with native HLS does not report why it stops.
      if (kind === 'unplayable' && way.kind !== 'hls' && video.readyState && this.stumbles(this.from)) kind = 'network';
      this.drop();
      if (held) return; // play() tries again, and reports the failure
      if (kPassing.has(kind)) { this.interrupted(kind); return; }
      this.loading = this.proceed(kind, rest, worst && worst !== 'unplayable' ? worst : kind);
      await this.loading;
      if (this.wanted && this.loading) await this.run().catch(kNothing);
    };
    if (way.kind === 'hls') {
      const early = text(way.url);
      const open = await svc.part(way.part).catch(() => null);
      if (this.attempt !== here) return;
      if (!open) { await trouble('network'); return; }
      const source = open(video, way.url, { qualityMin: options.qualityMin, qualityMax: options.qualityMax,
        from: this.from, early, held: this.held, renew: async (url) => (await this.renew(url) ? this.media.manifest : null),
        trouble: (kind) => trouble(typeof kind === 'number' ? fileTroubleOf(kind) : kind),
        cues: way.part === 'hls-captions' && ((label, cues) => this.captions.add(label, cues)),
        lost: (label) => this.captions.lost(label) });
      if (!source) { await trouble('unplayable'); return; }
      this.source = source;
      this.detach = () => { source.close(); };
    } else {
      this.source = null;
      // Native HLS does not support a range: the browser gets only the best rendition in it.
      if (way.kind === 'native' && (options.qualityMin || options.qualityMax)) {
        way.only = await svc.part('controls').then(({ rendition }) => rendition(way.url, options)).catch(() => null);
        if (this.attempt !== here) return;
      }
      const refused = async () => {
        const network = video.error && video.error.code === MediaError.MEDIA_ERR_NETWORK;
        const kind = await diagnose(video.currentSrc || way.url);
        trouble(network && kind !== 'closed' ? 'network' : kind);
      };
      video.addEventListener('error', refused);
      this.detach = () => video.removeEventListener('error', refused);
      video.src = way.only || way.url;
    }
    this.way = way;
    this.captions.attached(way);
  }

  // After a way whose trouble is `kind`: the same ways with new addresses, or those that are left.
  async proceed(kind, rest, worst) {
    const here = (this.attempt = {});
    if (kind === 'closed' && await this.reopen(here)) return;
    if (this.attempt === here) await this.attach(rest, worst);
  }

  // Takes the ways of the media as the service knows it now. Returns false if they are the same.
  async reopen(here) {
    const isNew = this.first && this.renewals < kMostRenewals && await this.renew(this.first);
    if (this.attempt !== here) return true; // another attempt continues
    if (!isNew) return false;
    this.renewals++;
    this.loading = this.attach(this.ways());
    await this.loading;
    return true;
  }

  // Releases the media and resets the video element.
  drop() {
    const { video } = this;
    this.viewing.note();
    this.detach();
    this.detach = kNothing;
    this.source = this.way = this.loading = null;
    this.held = false;
    if (video.hasAttribute('src') || video.currentSrc) {
      video.removeAttribute('src');
      video.load();
    }
  }

  unload() {
    this.attempt = null;
    this.clearTrouble();
    this.drop();
  }

  clearTrouble() {
    this.stopRetry();
    this.stopRetry = kNothing;
    if (this.notice) this.notice.remove();
    this.notice = null;
  }

  // Trouble that may pass: tries again after a growing delay, or when the viewer asks.
  interrupted(kind) {
    if (!this.wanted) return;
    this.clearTrouble();
    this.tries++;
    const again = () => {
      this.clearTrouble();
      this.run().catch(kNothing);
    };
    this.notice = notice(this.stage, kind, this.words, { poster: this.poster, again: () => { this.stage.focus(); again(); } });
    this.stopRetry = later(this.tries, again);
    this.changed();
  }

  fail(kind) {
    const { media, stage } = this;
    this.clearTrouble();
    this.wanted = false;
    this.loading = null;
    const again = () => {
      this.clearTrouble();
      stage.focus();
      this.play();
    };
    const url = media.url || `${svc.host}/medias/${media.id}`;
    this.notice = notice(stage, kind, this.words, { poster: this.poster, again,
      link: kind === 'unplayable' && !within(url) && { url, 
        title: media.title ? this.say('Watch {title}', { title: media.title }) : this.say('Watch the video') } });
    this.box.dispatchEvent(new CustomEvent('svc:unplayable', { bubbles: true }));
    this.changed();
  }

  // Browsers allow sound only after a gesture. If the browser refuses sound, play silently, unless
  // the page forbids that (`silentAutoPlay`).
  async run() {
    const { video, options } = this;
    this.changed();
    this.held = false;
    await this.load();
    if (this.source) this.source.start();
    if (!this.loading || !this.wanted) throw new Error('does not play');
    try {
      await video.play();
    } catch (error) {
      if (error.name !== 'NotAllowedError') throw error;
      if (!this.auto || video.muted || !options.mayMute) { this.wanted = false; this.changed(); throw error; }
      video.muted = true;
      await video.play();
    }
  }

  autoPlay() {
    this.auto = true;
    this.wanted = true;
    this.near();
    this.run().catch(kNothing);
  }

  play() {
    const done = this.loaded.then(() => {
      if (this.removed) return undefined;
      this.auto = false;
      this.wanted = true;
      this.near();
      return this.run();
    });
    done.catch(kNothing); // callers that want to know look at the promise
    return done;
  }

  pause() {
    this.wanted = false;
    this.video.pause();
    this.changed();
    return this;
  }

  toggle() {
    if (this.wanted) this.pause();
    else this.play();
  }

  onPlay() {
    this.wanted = this.started = true;
    if (this.bigButton) this.bigButton.remove();
    // A player that autoplays silently does not pause the other players.
    if (!(this.auto && this.video.muted)) svc.playing(this);
    this.captions.apply();
    this.changed();
  }

  // Updates the controls after a change for which the video sends no event.
  changed() {
    if (this.controls) this.controls.update();
  }

  ended() {
    this.wanted = false;
    this.forget();
    if (this.playlist?.ended()) return;
    if (this.options.atEnd === 'reset' && !this.playlist) this.reset();
    else if (this.hasBigButton()) this.stage.append(this.makeBigButton());
    this.changed();
  }

  // Back to the poster and the play button.
  reset() {
    this.unload();
    this.started = false;
    if (this.hasBigButton()) this.stage.append(this.makeBigButton());
    this.changed();
  }

  // resumable: where the viewer was, in this site's storage and nowhere else.
  remember() {
    const { video } = this;
    if (!this.options.resumable || !this.media || Math.abs(video.currentTime - (this.kept || 0)) < 2) return;
    this.kept = video.currentTime;
    try {
      localStorage.setItem(`svc:time:${this.media.id}`, String(Math.floor(this.kept)));
    } catch { /* no storage in a sandbox */ }
  }
  remembered() {
    if (!this.options.resumable) return 0;
    try {
      const time = Number(localStorage.getItem(`svc:time:${this.media.id}`));
      return time > 2 && time < this.duration() - 2 ? time : 0;
    } catch { return 0; }
  }
  forget() {
    if (!this.options.resumable || !this.media) return;
    try { localStorage.removeItem(`svc:time:${this.media.id}`); } catch { /* as above */ }
  }

  time(seconds) {
    const { video } = this;
    if (seconds === undefined) return video.readyState ? video.currentTime : this.from;
    if (video.readyState) video.currentTime = seconds;
    else this.from = seconds;
    this.changed();
    return this;
  }

  volume(level) {
    if (level === undefined) return this.video.muted ? 0 : this.video.volume;
    this.video.volume = Math.min(1, Math.max(0, level));
    if (level > 0) this.video.muted = false;
    return this;
  }

  duration() {
    const { duration } = this.video;
    return Number.isFinite(duration) ? duration : (this.media && this.media.duration) || 0;
  }

  mute() {
    this.video.muted = true;
    return this;
  }

  unmute() {
    this.video.muted = false;
    return this;
  }

  isMuted() {
    return this.video.muted;
  }

  // Beyond 0.25 to 4 browsers play no sound, or throw. Kept from one video to the next.
  playbackRate(rate) {
    const { video } = this;
    if (rate === undefined) return video.playbackRate;
    if (Number.isFinite(rate)) video.playbackRate = video.defaultPlaybackRate = Math.min(4, Math.max(0.25, rate));
    return this;
  }

  state() {
    if (!this.started) return 'beforeplay';
    if (this.video.ended) return 'ended';
    return this.wanted ? 'playing' : 'paused';
  }

  canFullscreen() {
    return Boolean(document.fullscreenEnabled || document.webkitFullscreenEnabled ||
      this.video.webkitSupportsFullscreen);
  }

  inFullscreen() {
    // Asks its own tree: the document names the host of a shadow root instead.
    const element = this.stage.getRootNode().fullscreenElement || document.webkitFullscreenElement;
    return element === this.stage || this.video.webkitDisplayingFullscreen === true;
  }

  requestFullscreen() {
    const { stage, video } = this;
    if (!this.canFullscreen()) return this;
    if (stage.requestFullscreen) stage.requestFullscreen().catch(kNothing);
    else if (stage.webkitRequestFullscreen) stage.webkitRequestFullscreen();
    else video.webkitEnterFullscreen(); // phones that fill the screen with a video only
    return this;
  }

  cancelFullscreen() {
    if (!this.inFullscreen()) return this;
    if (document.exitFullscreen) document.exitFullscreen().catch(kNothing);
    else if (document.webkitExitFullscreen) document.webkitExitFullscreen();
    else this.video.webkitExitFullscreen();
    return this;
  }

  // The facts of the current video; given an id or an index, plays that video of the playlist.
  current(which) {
    const { media, playlist } = this;
    if (which === undefined) {
      if (!media) return null;
      const { id, title, width, height, duration } = media;
      return { id, title, width, height, duration };
    }
    if (playlist) playlist.go(typeof which === 'number' ? which : playlist.videos.findIndex(({ id }) => id === which));
    return this;
  }

  // For the page's own scripts; the player itself sends it nowhere.
  email() {
    return this.options.email;
  }

  ready(callback) {
    const known = this.loaded.then(() => this);
    if (callback) known.then((player) => callback.call(player, player));
    return known;
  }

  // In a playlist; at its ends, and before it is known, nothing happens.
  next() {
    if (this.playlist) this.playlist.go(this.playlist.at + 1);
    return this;
  }

  previous() {
    if (this.playlist) this.playlist.go(this.playlist.at - 1);
    return this;
  }

  // Our events (player-v1.d.ts) and those of the video element; returns what ends it.
  bind(event, listener) {
    const { video } = this;
    const ending = new AbortController();
    const end = () => {
      ending.abort();
      this.bound = this.bound.filter((each) => each.end !== end);
    };
    const on = (name, run) => video.addEventListener(name, run, { signal: ending.signal });
    const call = (...values) => { if (!ending.signal.aborted) listener.apply(this, values); };
    const name = Object.hasOwn(kEvents, event) ? kEvents[event] : event;
    let last = video.currentTime;
    if (event === 'ready') this.loaded.then(() => call(this));
    else if (event === 'timechange') on(name, () => call(video.currentTime));
    else if (event === 'secondchange') {
      last = -1;
      on(name, () => {
        const second = Math.floor(video.currentTime);
        if (second !== last) call(last = second);
      });
    } else if (event === 'seek') {
      // While it seeks, the position is already the new one.
      let from = null;
      on('seeking', () => { from ??= last; });
      on('timeupdate', () => { if (!video.seeking) last = video.currentTime; });
      on(name, () => {
        call(video.currentTime, from ?? last);
        from = null;
      });
    } else if (event === 'volumechange') on(name, () => call(video.volume, video.muted));
    else if (event === 'playbackratechange') {
      last = video.playbackRate; // the event also tells of the default rate
      on(name, () => { if (video.playbackRate !== last) call(last = video.playbackRate); });
    } else on(name, () => call(this));
    this.bound.push({ event, listener, end });
    return end;
  }

  unbind(event, listener) {
    for (const each of [...this.bound]) {
      if (each.event === event && (!listener || each.listener === listener)) each.end();
    }
    return this;
  }

  remove() {
    if (this.removed) return;
    this.removed = true;
    this.wanted = false;
    this.viewing.end();
    this.over.abort();
    this.video.pause();
    this.unload();
    if (this.described) this.described.remove();
    if (this.looking) this.looking.disconnect();
    if (this.controls) this.controls.remove();
    this.captions.clear();
    this.box.replaceChildren();
    svc.players = svc.players.filter((player) => player !== this);
  }
}

// Whether this document is a frame in a page of the site of that URL: a link there leads nowhere new.
function within(url) {
  if (window.top === window) return false;
  try {
    return new URL(document.referrer).origin === new URL(url).origin;
  } catch { return false; }
}

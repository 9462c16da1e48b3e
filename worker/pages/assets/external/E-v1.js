// E-v1.js: turns our embed codes into players. Any page may load it, any number of times, before or
// after its embed codes.
//
//   <div class="svc_embed svc_async_ID name=value ...">          a player
//   <span class="svc_embed svc_async_ID popover=true ...">       a thumbnail that opens one
//   <span class="svc_embed svc_playlist_ID popover=true ...">    the same for a playlist
//   svc.playlist("ID", {...}) for <div id="svc_ID">              a player with a list of videos
//   svc.frame(element, {...})                                    for our own iframe pages
//
// It stands in pages of others, so: one global (svc, and the handles that embed codes ask for), no
// cookie, no storage, nothing from a third host; styles only through the CSSOM, which a page's
// Content-Security-Policy allows without 'unsafe-inline'. ASCII only, since the embed code says
// charset="ISO-8859-1". The page's policy must allow the embed host in script-src, connect-src,
// media-src and img-src.
(() => {
  'use strict';

  const svc = (window.svc = window.svc || {});
  if (svc.players) return; // an embed code more on the same page

  // The host is where this file comes from. currentScript is null in a module or a bundle.
  const self = document.currentScript || document.querySelector('script[src*="/external/E-v1.js"]');
  if (!self) return;
  const host = self.src.slice(0, self.src.indexOf('/assets/external/'));
  const nonce = self.nonce;
  svc.players = [];

  // ---- small tools ---------------------------------------------------------------------------

  function css(element, rules) {
    for (const name in rules) element.style.setProperty(name, rules[name]);
    return element;
  }

  function make(tag, attributes, rules, ...children) {
    const element = document.createElement(tag);
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    element.append(...children); // strings become text, never markup: titles are from outside
    return css(element, rules);
  }

  function icon(path, size) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    shape.setAttribute('d', path);
    svg.append(shape);
    return css(svg, { width: size, height: size, fill: 'currentColor', display: 'block' });
  }
  const kPlay = 'M8 5v14l11-7z';
  const kClose = 'M18.3 5.7 12 12l6.3 6.3-1.4 1.4-6.3-6.3-6.3 6.3-1.4-1.4L9.2 12 2.9 5.7l1.4-1.4 ' +
    '6.3 6.3 6.3-6.3z';

  const kFont = { font: '16px/1.4 system-ui, sans-serif', 'letter-spacing': 'normal',
    'text-transform': 'none', 'text-shadow': 'none', 'text-decoration': 'none' };
  const kFill = { position: 'absolute', inset: '0', width: '100%', height: '100%' };

  // A real button whose focus shows on any ground, whatever the page's own style sheet says. Inline
  // styles know no :focus-visible, hence the listeners.
  function button(label, rules, ...children) {
    const element = make('button', { type: 'button', ...(label && { 'aria-label': label }) },
      { ...kFont, margin: '0', padding: '0', border: '0', cursor: 'pointer', ...rules }, ...children);
    return ringed(element);
  }
  function ringed(element) {
    element.addEventListener('focus', () => {
      if (!element.matches(':focus-visible')) return;
      // Blue and white, so that one of them stands out. Entries of a list have no room outside.
      const inside = element.closest('ol');
      css(element, { outline: `3px solid ${inside ? '#fff' : '#0b5cad'}`,
        'outline-offset': inside ? '-3px' : '2px', 'box-shadow': inside ? 'none' : '0 0 0 2px #fff' });
    });
    element.addEventListener('blur', () => css(element, { outline: 'none', 'box-shadow': 'none' }));
    return element;
  }

  // Player colours are chosen by people: black or white on them, whichever can be read.
  function ink(colour) {
    const [r, g, b] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? '#000' : '#fff';
  }

  function clock(seconds) {
    const two = (number) => String(number).padStart(2, '0');
    const s = Math.round(seconds);
    const hours = Math.floor(s / 3600);
    const minutes = Math.floor(s / 60) % 60;
    return (hours ? `${hours}:${two(minutes)}` : minutes) + `:${two(s % 60)}`;
  }

  function load(url) {
    return new Promise((resolve, reject) => {
      const script = make('script', { src: url });
      if (nonce) script.nonce = nonce;
      script.onload = resolve;
      script.onerror = () => reject(new Error('not loaded'));
      document.head.append(script);
    });
  }

  // hls.js, for browsers that play no HLS by themselves. It may not be installed: then this fails,
  // and the player goes on to the next way.
  let hls;
  function hlsLibrary() {
    if (!hls) {
      const theirs = window.Hls; // the page may use its own; ours must not take its place
      hls = load(`${host}/assets/external/hls-v1.js`).then(() => {
        const ours = window.Hls;
        window.Hls = theirs;
        if (!ours || !ours.isSupported()) throw new Error('no hls.js');
        return ours;
      });
    }
    return hls;
  }

  // ---- facts and problems --------------------------------------------------------------------

  // The same words as on the service's own pages.
  const kProblems = {
    404: ['No such video', 'It may have been removed by its owner.'],
    501: ['Nothing to play here', 'What lies here is not a video, or is still being processed.'],
  };
  const kAway = ['Not available just now', 'Please try again in a moment.'];

  const asked = new Map();
  function facts(kind, id) {
    const url = `${host}/embed/${kind}/${id}.json`;
    if (!asked.has(url)) {
      const answer = fetch(url, { credentials: 'omit' }).then((response) => {
        if (!response.ok) throw Object.assign(new Error('refused'), { status: response.status });
        return response.json();
      });
      answer.catch(() => asked.delete(url)); // so that a later element may try again
      asked.set(url, answer);
    }
    return asked.get(url);
  }

  // Never an empty box: a title, a sentence, and where the video can be seen instead.
  function notice(box, [title, text], link, poster) {
    // Its own ground, so that it can be read over any poster.
    const inner = make('div', {}, { position: 'relative', 'max-width': '100%', padding: '8px 12px',
      'box-sizing': 'border-box', 'border-radius': '6px', background: 'rgba(28, 29, 32, 0.85)' },
      make('strong', {}, { display: 'block' }, title),
      make('span', {}, {}, text));
    if (link) {
      inner.append(make('br'), ringed(make('a', { href: link.url, target: '_blank', rel: 'noopener',
        dir: 'auto' }, { color: '#9ecbff', 'text-decoration': 'underline' }, link.title)));
    }
    const element = make('div', { role: 'status', lang: 'en', 'data-svc-notice': '' },
      { ...kFont, ...kFill, display: 'flex', 'align-items': 'center', 'justify-content': 'center',
        'text-align': 'center', 'box-sizing': 'border-box', padding: '4%', overflow: 'auto',
        background: '#1c1d20', color: '#fff' });
    if (box.clientWidth < 260) css(element, { 'font-size': '13px' });
    if (poster) {
      element.append(make('img', { src: poster, alt: '' },
        { ...kFill, 'object-fit': 'contain', opacity: '0.3' }));
    }
    element.append(inner);
    box.append(element);
    return element;
  }

  // ---- options -------------------------------------------------------------------------------

  // Everything arrives as text, from a class, a query or JSON; what nobody knows is ignored.
  function read(given) {
    const text = {};
    for (const [name, value] of Object.entries(given || {})) {
      text[name.replace(/^videoOptions\[(\w+)\]$/, '$1')] = String(value);
    }
    const is = (name) => text[name] === 'true';
    const isNot = (name) => text[name] === 'false';
    const volume = parseFloat(text.volume);
    const [, hours, minutes, seconds] =
      /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?$/.exec(text.time || '') || [];
    return {
      autoPlay: is('autoPlay'),
      // true: silent from the start; false: with sound or not at all; else silent if it must be.
      muted: is('muted') || (is('autoPlay') && is('silentAutoPlay')),
      mayMute: !isNot('silentAutoPlay'),
      volume: volume >= 0 && volume <= 1 ? volume : null,
      // A video takes no infinity for a time; past its end is its end.
      time: Math.min((hours || 0) * 3600 + (minutes || 0) * 60 + Number(seconds || 0), 1e6),
      controls: !isNot('controlsVisibleOnLoad'),
      playButton: !isNot('playButton'),
      colour: /^#?[0-9a-f]{6}$/i.test(text.playerColor || '')
        ? `#${text.playerColor.replace('#', '')}` : null,
      atEnd: text.endVideoBehavior,
      still: /^https?:\/\//i.test(text.stillUrl || '') ? text.stillUrl : null,
      preload: ['none', 'metadata', 'auto'].includes(text.preload) ? text.preload : 'metadata',
      without: ['nodownload', isNot('playbackRateControl') && 'noplaybackrate',
        isNot('fullscreenButton') && 'nofullscreen'].filter(Boolean).join(' '),
      volumeControl: !isNot('volumeControl'),
      popover: is('popover'),
      responsive: is('videoFoam'),
      handle: text.handle,
      playlistLoop: is('playlistLoop'),
    };
  }

  // The words name=value of a class attribute; the values are percent-encoded.
  function words(element) {
    const found = {};
    for (const word of element.classList) {
      const at = word.indexOf('=');
      if (at < 1) continue;
      try {
        found[word.slice(0, at)] = decodeURIComponent(word.slice(at + 1));
      } catch { /* a stray percent sign: as good as not there */ }
    }
    return found;
  }

  // An object of the page's own, as {} makes it: no element, function, array, class or Math.
  function isPlain(value) {
    if (value === null || typeof value !== 'object' || Symbol.toStringTag in value) return false;
    const prototype = Object.getPrototypeOf(value);
    return prototype === null || prototype === Object.prototype;
  }

  // handle=my.app.player: where the page wants to find the object. Somebody else may have written the
  // path, so only what a page has of its own is touched, and no getter or setter of it runs: from the
  // window on, each name is an own data property with a plain object, or free. The last one is free,
  // null, undefined or a former player. Whatever else the path says, nothing happens.
  function assign(path, player) {
    const names = (path || 'svcEmbed').split('.');
    if (!names.length || (path || '').length > 64 || names[0] === 'svc' || !names.every((name) =>
      /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'prototype' && !(name in Object.prototype))) return;
    try {
      let place = window;
      while (true) {
        const name = names.shift();
        const own = Object.getOwnPropertyDescriptor(place, name);
        if (!own) {
          // Inherited, or an element with that id or name: not free.
          if (name in place || !Object.isExtensible(place)) return;
          const value = names.reduceRight((inner, outer) => ({ [outer]: inner }), player);
          Object.defineProperty(place, name,
            { value, writable: true, enumerable: true, configurable: true });
          return;
        }
        // Names of the browser's are accessors, or not enumerable; Chromium's `chrome` is neither.
        const mine = 'value' in own && own.enumerable && !(place === window && name === 'chrome');
        if (!mine) return;
        if (!names.length) {
          if (own.writable && (own.value == null || own.value instanceof Player))
            Object.defineProperty(place, name, { value: player });
          return;
        }
        if (!isPlain(own.value)) return;
        place = own.value;
      }
    } catch { /* another site's window, or a page's Proxy that objects */ }
  }

  // ---- the player ----------------------------------------------------------------------------

  const kEvents = { end: 'ended', timechange: 'timeupdate', secondchange: 'timeupdate',
    ready: 'loadedmetadata' };

  class Player {
    // Fills `box`. A video that stands there already (in our iframe pages) is kept and upgraded.
    constructor(box, options) {
      this.options = options;
      this.box = box;
      this.media = null;
      const video = (this.video = box.querySelector('video') || make('video'));
      this.inPlace = video.parentNode === box;
      this.stage = make('div', { 'data-svc-player': '' }, { ...kFill, background: '#000' });
      video.preload = options.preload;
      video.playsInline = true;
      video.controls = options.controls;
      video.setAttribute('controlslist', options.without);
      video.muted = options.muted;
      if (options.volume !== null) video.volume = options.volume;
      css(video, { ...kFill, margin: '0', 'max-width': 'none', 'object-fit': 'contain',
        background: '#000' });
      if (!this.inPlace) this.stage.append(video);
      this.loaded = new Promise((resolve) => { this.isLoaded = resolve; });
      video.addEventListener('ended', () => this.ended());
      if (!options.volumeControl) {
        // No browser can hide the volume alone; with the options' own volume it at least stays.
        video.addEventListener('volumechange', () => {
          if (options.volume !== null && video.volume !== options.volume) video.volume = options.volume;
        });
      }
      if (!options.controls) this.hideControls();
      svc.players.push(this);
    }

    // Puts the stage, or the video that was there, in place.
    show() {
      if (!this.inPlace) this.box.append(this.stage);
    }

    // Until somebody points at it, touches it or tabs to it, or it plays by a press on the button.
    hideControls() {
      const { video } = this;
      const play = button('Play', { position: 'absolute', left: '50%', top: '50%', width: '64px',
        height: '64px', margin: '-32px 0 0 -32px', padding: '16px', 'box-sizing': 'border-box',
        'border-radius': '50%' }, icon(kPlay, '32px'));
      this.bigButton = play;
      this.tint();
      const reveal = () => { video.controls = true; play.remove(); };
      play.addEventListener('click', () => { reveal(); video.focus(); this.play(); });
      video.tabIndex = 0;
      for (const event of ['pointerenter', 'pointerdown', 'focus', 'play']) {
        video.addEventListener(event, () => {
          if (event !== 'play' || !this.options.autoPlay) reveal();
          else play.remove();
        });
      }
      if (this.options.playButton) (this.inPlace ? this.box : this.stage).append(play);
    }

    tint() {
      const colour = this.options.colour ||
        (this.media && this.media.player_color && `#${this.media.player_color}`) || '#0b5cad';
      this.colour = colour;
      css(this.video, { 'accent-color': colour });
      if (this.bigButton) css(this.bigButton, { background: colour, color: ink(colour) });
    }

    // Shows a media, and plays it if asked to. The video element stays the same from one media of a
    // playlist to the next, so that full screen and the permission to play with sound stay too.
    start(media, { play = false, time = 0 } = {}) {
      const { video } = this;
      this.media = media;
      this.tint();
      video.setAttribute('title', media.title || 'Video');
      video.setAttribute('aria-label', media.title || 'Video');
      const poster = this.options.still || media.poster;
      if (poster) video.poster = poster;
      else video.removeAttribute('poster');
      video.loop = this.options.atEnd === 'loop' && !this.playlist;
      if (this.notice) this.notice.remove();
      if (time) this.time(time);
      const here = (this.attempt = {}); // a later start() makes what is still under way stale
      const ways = this.ways(media);
      const next = async (error) => {
        if (this.attempt !== here) return;
        this.forget();
        const way = ways.shift();
        if (!way) { this.giveUp(error); return; }
        video.addEventListener('error', next, { once: true });
        this.forget = () => {
          video.removeEventListener('error', next);
          if (this.hls) { this.hls.destroy(); this.hls = null; }
        };
        try {
          await way(next);
        } catch (problem) { next(problem); return; }
        if (play && this.attempt === here) this.autoPlay();
      };
      next();
      this.isLoaded();
    }

    forget() {}

    // The ways to play a media, best first. A browser that plays HLS by itself does it with less
    // memory and power than any script.
    ways(media) {
      const { video } = this;
      const file = (url) => async () => {
        // In our iframe pages the markup's own <source> may be playing already.
        if (video.currentSrc === url && !video.error && video.networkState !== 3) return;
        video.src = url;
      };
      const ways = [];
      if (media.manifest) {
        if (video.canPlayType('application/vnd.apple.mpegurl')) ways.push(file(media.manifest));
        ways.push(async (next) => {
          const Hls = await hlsLibrary();
          this.hls = new Hls();
          this.hls.on(Hls.Events.ERROR, (_, what) => { if (what.fatal) next(what); });
          this.hls.loadSource(media.manifest);
          this.hls.attachMedia(video);
        });
      }
      if (media.mp4) ways.push(file(media.mp4));
      return ways;
    }

    giveUp() {
      const { media, video } = this;
      video.removeAttribute('src');
      this.notice = notice(this.inPlace ? this.box : this.stage,
        ['This browser cannot play the video here', ''],
        { url: media.url || `${host}/medias/${media.id}`, title: `Watch ${media.title || 'it'}` },
        this.options.still || media.poster);
      css(video, { visibility: 'hidden' });
      this.box.dispatchEvent(new CustomEvent('svc:unplayable', { bubbles: true }));
    }

    // Browsers allow sound only after a gesture. Silent is better than not at all, unless the page
    // says otherwise.
    async autoPlay() {
      const { video, options } = this;
      try {
        await video.play();
      } catch (error) {
        if (error.name !== 'NotAllowedError' || video.muted || !options.mayMute) return;
        video.muted = true;
        await video.play().catch(() => {});
      }
    }

    ended() {
      if (this.playlist) { this.playlist.ended(); return; }
      if (this.options.atEnd !== 'reset') return;
      // load() brings the poster back; with hls.js it would drop the source.
      if (this.hls) this.video.currentTime = 0;
      else this.video.load();
    }

    play() {
      const done = this.loaded.then(() => this.video.play());
      done.catch(() => {}); // whoever wants to know looks at the promise
      return done;
    }

    pause() {
      this.video.pause();
      return this;
    }

    time(seconds) {
      const { video } = this;
      if (seconds === undefined) return video.currentTime;
      if (video.readyState >= 1) video.currentTime = seconds;
      else video.addEventListener('loadedmetadata', () => { video.currentTime = seconds; },
        { once: true });
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

    // In a playlist; at its ends, and before it is known, nothing happens.
    next() {
      if (this.playlist) this.playlist.go(this.playlist.at + 1);
      return this;
    }

    previous() {
      if (this.playlist) this.playlist.go(this.playlist.at - 1);
      return this;
    }

    // Our names and those of the video element; returns what ends it.
    bind(event, listener) {
      const name = kEvents[event] || event;
      const call = () => listener.call(this, name === 'timeupdate' ? this.video.currentTime : this);
      if (event === 'ready' && this.video.readyState >= 1) call();
      this.video.addEventListener(name, call);
      return () => this.video.removeEventListener(name, call);
    }

    remove() {
      this.attempt = null;
      this.forget();
      this.video.pause();
      this.video.removeAttribute('src'); // ends the download
      this.video.load();
      this.box.replaceChildren();
      svc.players = svc.players.filter((player) => player !== this);
    }
  }

  // ---- a list of videos ----------------------------------------------------------------------

  class Playlist {
    constructor(player, playlist) {
      this.player = player;
      this.videos = playlist.videos;
      this.at = -1;
      player.playlist = this;

      this.buttons = this.videos.map((media, index) => {
        const title = media.title || `Video ${index + 1}`;
        const entry = button('', { display: 'flex', gap: '8px', width: '100%', padding: '10px 12px',
          'box-sizing': 'border-box', 'text-align': 'start', color: '#f2f2f2',
          'font-size': '14px', background: 'transparent',
          'border-inline-start': '4px solid transparent' },
          make('span', { dir: 'auto' }, { flex: '1', overflow: 'hidden', 'overflow-wrap': 'anywhere',
            display: '-webkit-box', '-webkit-box-orient': 'vertical', '-webkit-line-clamp': '2' },
            title),
          make('span', {}, { color: '#b9bdc4' }, media.duration ? clock(media.duration) : ''));
        entry.addEventListener('click', () => this.go(index));
        return entry;
      });
      this.list = make('ol', { 'aria-label': playlist.title || 'Videos', role: 'list' },
        { ...kFont, margin: '0', padding: '0', 'list-style': 'none', overflow: 'auto',
          background: '#17181b', flex: 'none', position: 'relative' },
        ...this.buttons.map((entry) => make('li', {}, { margin: '0', padding: '0' }, entry)));
      this.list.addEventListener('keydown', (event) => this.onKey(event));
    }

    // Beside the video, or where that would leave too little of it, under it. There an embed code
    // with a size grows; a frame and a dialog cannot, so that the list gets a part and scrolls.
    show() {
      const { player, list } = this;
      const { box, stage } = player;
      const ratio = box.style.aspectRatio;
      const outer = make('div', {}, { background: '#000' });
      css(stage, { position: 'relative', 'min-width': '0', 'min-height': '0', width: 'auto',
        height: 'auto' });
      if (player.inPlace) {
        stage.append(player.video);
        player.inPlace = false;
      }
      outer.append(stage, list);
      box.append(outer);
      let before;
      const arrange = () => {
        const narrow = box.clientWidth < 520;
        if (narrow === before) return;
        before = narrow;
        const grows = narrow && ratio;
        if (ratio) css(box, { 'aspect-ratio': grows ? 'auto' : ratio });
        css(outer, { ...kFill, display: 'flex', 'flex-direction': narrow ? 'column' : 'row',
          ...(grows && { position: 'relative', height: 'auto' }) });
        css(stage, { flex: grows ? 'none' : '1', 'aspect-ratio': grows ? ratio : 'auto' });
        css(list, { width: narrow ? 'auto' : 'min(32%, 320px)',
          'max-height': grows ? '220px' : narrow ? '40%' : 'none' });
        this.reveal();
      };
      // Not inside the observer's own turn, where a new size would be an error event of the page.
      new ResizeObserver(() => requestAnimationFrame(arrange)).observe(box);
      arrange();
    }

    go(index, play = true, time = 0) {
      const media = this.videos[index];
      if (!media) return;
      this.at = index;
      this.player.start(media, { play, time });
      this.buttons.forEach((entry, i) => {
        const current = i === index;
        if (current) entry.setAttribute('aria-current', 'true');
        else entry.removeAttribute('aria-current');
        css(entry, { 'font-weight': current ? '700' : '400',
          background: current ? '#34383f' : 'transparent',
          'border-inline-start-color': current ? this.player.colour : 'transparent' });
      });
      this.reveal();
    }

    // The current entry; not by scrollIntoView, which would scroll the page too.
    reveal() {
      const { list, at } = this;
      if (at < 0) return;
      const entry = this.buttons[at].parentNode;
      if (entry.offsetTop < list.scrollTop) list.scrollTop = entry.offsetTop;
      const bottom = entry.offsetTop + entry.offsetHeight - list.clientHeight;
      if (bottom > list.scrollTop) list.scrollTop = bottom;
    }

    ended() {
      const last = this.at === this.videos.length - 1;
      if (!last) this.go(this.at + 1);
      else if (this.player.options.playlistLoop) this.go(0);
    }

    onKey(event) {
      const from = this.buttons.indexOf(document.activeElement);
      const end = this.buttons.length - 1;
      const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: end }[event.key];
      if (from < 0 || to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.buttons[Math.min(end, Math.max(0, to))].focus();
    }
  }

  // ---- embed codes ---------------------------------------------------------------------------

  // Fills a player with what the service knows about a media or a playlist, or says why not.
  async function fill(player, kind, id) {
    const { box, options } = player;
    let known;
    try {
      known = await facts(kind, id);
    } catch (error) {
      if (player.inPlace) { player.isLoaded(); return; } // the page's own markup plays without us
      if (player.attempt === undefined) player.notice = notice(box, kProblems[error.status] || kAway);
      return;
    }
    if (player.attempt === null) return; // removed meanwhile
    const begin = { play: options.autoPlay, time: options.time };
    if (kind === 'playlists') {
      const playlist = new Playlist(player, known);
      playlist.show();
      playlist.go(0, begin.play, begin.time);
    } else {
      if (options.responsive && !player.inPlace) keepRatio(player, known);
      player.show();
      player.start(known, begin);
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
    element.replaceChildren(); // the code's own &nbsp;
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
    let known;
    try {
      known = await facts(kind, id);
    } catch (error) {
      notice(element, kProblems[error.status] || kAway);
      return;
    }
    const first = kind === 'playlists' ? known.videos[0] : known;
    const title = known.title || 'Video';
    const colour = options.colour || (first.player_color ? `#${first.player_color}` : '#0b5cad');
    const poster = options.still || first.poster;
    const disc = make('span', {}, { position: 'absolute', left: '50%', top: '50%', width: '44px',
      height: '44px', margin: '-22px 0 0 -22px', padding: '10px', 'box-sizing': 'border-box',
      'border-radius': '50%', background: colour, color: ink(colour) }, icon(kPlay, '24px'));
    const opener = button(`Play ${title}`, { ...kFill, background: '#1c1d20', overflow: 'hidden' });
    opener.setAttribute('aria-haspopup', 'dialog');
    opener.title = title;
    if (poster) {
      opener.append(make('img', { src: poster, alt: '' },
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
    const player = new Player(room, { ...options, autoPlay: true, controls: true });
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
    assign(options.handle, player);
    element.dispatchEvent(new CustomEvent('svc:player', { bubbles: true, detail: player }));
  }

  // ---- finding them --------------------------------------------------------------------------

  const kElements = '[class*="svc_async_"], [class*="svc_playlist_"]';
  const done = new WeakMap();

  function upgrade(element) {
    const [, kind, id] =
      /(?:^|\s)svc_(async|playlist)_([A-Za-z0-9]{1,64})(?:\s|$)/.exec(element.className) || [];
    if (!id || done.has(element)) return;
    const options = read(words(element));
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

  // ---- what other scripts call ---------------------------------------------------------------

  // The same playlist may stand on a page twice, with the same id: each call takes the next one.
  svc.playlist = (id, given) => {
    const places = [...document.querySelectorAll(`[id="svc_${CSS.escape(id)}"]`)];
    const place = places.find((element) => !done.has(element)) || make('div');
    const options = read(given);
    const player = inline(place, 'playlists', id, options);
    done.set(place, player);
    return player;
  };

  svc.frame = (element, given) => {
    const { media, playlist } = element.dataset;
    const player = new Player(element, read(given));
    fill(player, media ? 'medias' : 'playlists', media || playlist);
    return player;
  };

  // Calls of svc.playlist from before this file was here (playlist-v1.js).
  for (const call of svc.waiting || []) call();
  svc.waiting = null;
})();

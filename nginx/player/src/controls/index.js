// controls: the bar of a player, its keys, its spinner. Loaded when the viewer comes near or something
// plays; until then a player is a poster and a button.
import { choose } from '../player/choices.js';
import { captionsOf } from './captions-file.js';
import { at as chapterAt, marks as marksOf } from './chapters.js';
import { bare, clock, css, kApart, kClose, kFill, kLeft, kReplay, make } from '../player/dom.js';
import { parse, rendition, within } from '../player/levels.js';
import { help as makeHelp, kTitle } from './help.js';
import { kSpeeds, meaning, repeats, speed, takes } from './keys.js';
import { lift } from './lift.js';
import { applyLooks, chooseLook, kLooks, look as lookOf, scale } from './looks.js';
import { posterOf, renew } from './renewal.js';
import { Storyboard } from './storyboard.js';
import style from './style.js';
import { kStep, taps } from './taps.js';

const kIcons = {
  play: 'M8 5v14l11-7z', replay: kReplay, back: kReplay, ahead: kReplay, close: kClose, pause: 'M6 5h4v14H6zm8 0h4v14h-4z',
  loud: 'M3 9v6h4l5 5V4L7 9zm13.5 3A4.5 4.5 0 0 0 14 8v8a4.5 4.5 0 0 0 2.5-4zM14 3.2v2.1a7 7 0 0 1 0 13.4v2.1' +
    'a9 9 0 0 0 0-17.6z',
  mute: 'M3 9v6h4l5 5V4L7 9zm18.5.9L20.1 8.5 18 10.6' +
    'l-2.1-2.1-1.4 1.4 2.1 2.1-2.1 2.1 1.4 1.4 2.1-2.1 2.1 2.1 1.4-1.4-2.1-2.1z',
  captions: 'M4 5h16a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zm2 6v2h5v-2zm7 0v2h5v-2zm-7 4v2h8' +
    'v-2zm10 0v2h2v-2z',
  chapters: 'M3 5h2v2H3zm4 0h14v2H7zM3 11h2v2H3zm4 0h14v2H7zM3 17h2v2H3zm4 0h14v2H7z',
  settings: 'M19.4 13a7.5 7.5 0 0 0 0-2l2.1-1.6-2-3.5-2.5 1a7.300 7.300 0 0 0-1.700-1L15 3.200h-4l-.4 2.700' +
    'a7.300 7.300 0 0 0-1.700 1l-2.500-1-2 3.500L6.600 11a7.500 7.500 0 0 0 0 2l-2.200 1.600 2 3.500 2.500-1' +
    'a7.300 7.300 0 0 0 1.700 1l.4 2.700h4l.4-2.700a7.300 7.300 0 0 0 1.700-1l2.500 1 2-3.500zM13 15.500' +
    'a3.500 3.500 0 1 1 0-7 3.500 3.500 0 0 1 0 7z',
  pip: 'M3 5h18v14H3zm2 2v10h14V7zm7 5h6v4h-6z',
  cast: 'M4 4h16a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2h-3v-2h3V6H4v11h3v2H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2zm8 10 6 7H6z',
  full: 'M5 14H3v7h7v-2H5zM3 10h2V5h5V3H3zm16 9h-5v2h7v-7h-2zM14 3v2h5v5h2V3z',
  small: 'M3 16h5v5h2v-7H3zm5-8H3v2h7V3H8zm6 13h2v-5h5v-2h-7zm2-13V3h-2v7h7V8z',
};

function svg(path) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  element.setAttribute('viewBox', '0 0 24 24');
  element.setAttribute('aria-hidden', 'true');
  shape.setAttribute('d', path);
  element.append(shape);
  return element;
}

// A colour that can be told from the dark ground and from the loaded part (style.js): 1.5:1 at least, else white.
function bright(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.212 ? colour : '#fff';
}

let sheet;

function attach(player) {
  const { captions: tracks, options, say, stage, video } = player;
  const host = make('div', { 'data-svc-controls': '', lang: player.words.tag }, { ...kApart, ...kLeft, ...kFill, 'pointer-events': 'none',
    'container-type': 'size', 'z-index': '2' });
  const root = host.attachShadow({ mode: 'open' });
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
  }
  root.adoptedStyleSheets = [sheet];
  const ended = new AbortController();
  const on = (target, events, run) => {
    for (const event of events.split(' ')) target.addEventListener(event, run, { signal: ended.signal });
  };

  // ---- parts ---------------------------------------------------------------------------------------

  const button = (name, shown, run) => {
    const element = bare('button', { type: 'button', class: name });
    element.hidden = !shown;
    on(element, 'click', run);
    return element;
  };
  const label = (element, text, icon) => {
    if (element.label === text) return;
    element.label = text;
    element.setAttribute('aria-label', text);
    element.title = text;
    element.replaceChildren(svg(kIcons[icon]));
  };
  const range = (name, text, more) => bare('input', { type: 'range', class: name, 'aria-label': text, min: '0',
    value: '0', ...more });
  const filled = (input) => {
    const part = (input.value - input.min) / (input.max - input.min) || 0;
    input.style.setProperty('--at', `${(part * 100).toFixed(2)}%`);
  };

  // Changes by the viewer are stored, changes by the page are not.
  const remember = (name, value) => choose(name, value, options);
  const setVolume = (level) => {
    player.volume(level);
    remember('volume', video.volume);
    remember('muted', video.muted);
  };
  const silent = () => video.muted || !video.volume;
  const toggleSound = () => {
    if (silent() && !video.volume) setVolume(1);
    else {
      video.muted = !video.muted;
      remember('muted', video.muted);
    }
  };
  const setSpeed = (rate) => {
    player.playbackRate(rate);
    remember('speed', video.playbackRate);
  };

  const play = button('play', options.smallPlayButton, () => player.toggle());
  // A button that skips shows its seconds inside an arrow.
  const skipper = (name, text, seconds) => {
    const element = button(`skip ${name}`, options.playbar, () => verbs.skip(seconds));
    label(element, text, name);
    element.append(bare('span', { 'aria-hidden': 'true' }, String(kStep)));
    return element;
  };
  const back = skipper('back', say('{count} seconds back', { count: kStep }), -kStep);
  const forward = skipper('ahead', say('{count} seconds on', { count: kStep }), kStep);
  const mute = button('mute', options.volumeControl, toggleSound);
  const volume = range('volume', say('Volume'), { max: '1', step: '0.05', 'data-own': '' });
  const time = bare('span', { class: 'time' });
  // One track: a switch. Several: a menu.
  const captions = button('captions', false, () => {
    if (tracks.list().length > 1) openPanel(opener() !== captions, captions);
    else tracks.toggle();
  });
  const chapters = button('chapters', false, () => openPanel(opener() !== chapters, chapters));
  const settings = button('settings', options.settingsControl &&
    (options.qualityControl || options.playbackRateControl), () => openPanel(opener() !== settings, settings));
  // The next media of a playlist may be a video.
  const isAudio = () => Boolean(player.media?.audio);
  const canFull = options.fullscreenButton && player.canFullscreen();
  const pip = button('pip', false, () => togglePip());
  const cast = button('cast', false, () => { video.remote.prompt().catch(() => {}); });
  const full = button('full', false, () => toggleFull());
  const seek = range('seek', say('Position'), { max: '0', step: '0.01' });
  const picture = bare('div', { class: 'picture' });
  const moment = bare('span', {});
  const there = bare('div', { class: 'there', dir: 'auto' });
  const marks = bare('div', { class: 'marks', 'aria-hidden': 'true' });
  const part = bare('span', { class: 'part', dir: 'auto', 'aria-hidden': 'true' });
  const preview = bare('div', { class: 'preview', 'aria-hidden': 'true' }, picture, there, moment);
  const spinner = bare('div', { class: 'spinner', role: 'img', 'aria-label': say('Loading') });
  // In a small player for fingers: a touch of the picture plays.
  const sign = bare('div', { class: 'sign', 'aria-hidden': 'true' }, svg(kIcons.play));
  const skipped = bare('div', { class: 'skipped', 'aria-hidden': 'true' });
  const panel = bare('div', { class: 'panel', role: 'group', 'aria-label': say('Settings') });
  const all = bare('div', { class: 'all' },
    spinner, sign, skipped, panel, bare('div', { class: 'bar' }, bare('div', { class: 'line' }, seek, marks), preview,
      bare('div', { class: 'row' }, play, back, forward,
        bare('div', { class: 'tools' }, mute, volume, chapters, captions, settings, cast, pip),
        time, part, bare('span', { class: 'space' }), full)));
  const bar = all.querySelector('.bar');
  volume.hidden = !options.volumeControl;
  seek.hidden = !options.playbar;
  preview.hidden = true;
  panel.hidden = true;
  spinner.hidden = true;
  skipped.hidden = true;
  label(settings, say('Settings'), 'settings');
  label(captions, say('Captions'), 'captions');
  label(chapters, say('Chapters'), 'chapters');
  label(pip, say('Picture in picture'), 'pip');
  label(cast, say('Play on another device'), 'cast');
  for (const each of [settings, chapters]) each.setAttribute('aria-expanded', 'false');
  root.append(all);
  stage.append(host);

  // ---- settings ------------------------------------------------------------------------------------

  function choice(text, entries, chosen, run) {
    const select = bare('select', {});
    entries.forEach(([name], index) => select.append(bare('option', { value: String(index) }, name)));
    select.value = String(Math.max(0, chosen));
    on(select, 'change', () => run(entries[Number(select.value)][1]));
    panel.append(bare('label', {}, text, select));
  }

  // The qualities to choose from, and how: hls.js knows its levels; for native HLS, the playlist of
  // a single rendition replaces the manifest.
  async function qualities() {
    const { source, way } = player;
    if (source) {
      const levels = source.levels().sort((a, b) => b.height - a.height);
      const at = levels.findIndex(({ index }) => index === source.chosen());
      return { names: levels.map(({ height }) => `${height}p`), at,
        choose: (each) => source.choose(each < 0 ? -1 : levels[each].index) };
    }
    if (!way || way.kind !== 'native') return null;
    const response = await fetch(way.url, { credentials: 'omit' });
    const all = response.ok ? parse(await response.text(), way.url) : [];
    const levels = within(all, options.qualityMin, options.qualityMax).map((index) => all[index]);
    const at = way.only === video.src ? -1 : levels.findIndex(({ url }) => url === video.src);
    return { names: levels.map(({ height }) => `${height}p`), at, choose: (each) => {
      player.from = video.currentTime;
      player.viewing.note();
      const { paused } = video;
      video.preload = 'auto'; // also while it is paused
      video.src = each < 0 ? way.only || way.url : levels[each].url;
      if (!paused) player.play();
    } };
  }

  function chooseCaptions() {
    const list = tracks.list();
    if (!list.length) return;
    choice(say('Captions'), [[say('Off'), null], ...list.map((each) => [each.label || each.language || say('On'), each])],
      list.findIndex((each) => tracks.isShown(each)) + 1, (each) => tracks.choose(each));
  }

  // Each chapter with its time; the current chapter has the focus.
  function listChapters() {
    const now = chapterAt(list(), player.time());
    const entries = list().map((chapter) => {
      const entry = bare('button', { type: 'button', class: 'entry', ...(chapter === now && { 'aria-current': 'true' }) },
        bare('span', { class: 'when' }, clock(chapter.at)), bare('span', { dir: 'auto' }, chapter.title));
      on(entry, 'click', () => {
        go(chapter.at);
        openPanel(false);
        chapters.focus();
      });
      return entry;
    });
    panel.replaceChildren(...entries);
    (entries[list().indexOf(now)] || entries[0]).focus();
  }

  // The panel has the entries of the button that opened it.
  const opener = () => (panel.hidden ? null : panel.opener);
  async function openPanel(open, by = settings) {
    panel.hidden = !open;
    panel.opener = by;
    for (const each of [settings, captions, chapters]) {
      if (each.hasAttribute('aria-expanded')) each.setAttribute('aria-expanded', String(open && each === by));
    }
    if (!open) return;
    panel.setAttribute('aria-label', by.label);
    panel.replaceChildren();
    if (by === captions) { chooseCaptions(); return; }
    if (by === chapters) { listChapters(); return; }
    if (list().length) {
      choice(say('Chapter'), list().map((each) => [each.title, each.at]), list().indexOf(chapterAt(list(), player.time())), go);
    }
    if (options.playbackRateControl) {
      choice(say('Speed'), kSpeeds.map((each) => [each === 1 ? say('Normal') : `${each}\u00d7`, each]),
        kSpeeds.indexOf(video.playbackRate), setSpeed);
    }
    chooseCaptions();
    const found = options.qualityControl && await qualities().catch(() => null);
    if (opener() !== settings) return;
    if (found && found.names.length > 1) {
      choice(say('Quality'), [[say('Auto'), -1], ...found.names.map((name, index) => [name, index])], found.at + 1,
        found.choose);
    }
    for (const [name, [text, entries]] of tracks.list().length ? Object.entries(kLooks) : []) {
      choice(say(text), entries.map(([each], index) => [say(each), index]), lookOf(name, options), (index) => {
        chooseLook(name, index, stage, options);
        liftCues();
      });
    }
    const more = bare('button', { type: 'button', class: 'more' }, say(kTitle));
    on(more, 'click', () => {
      openPanel(false);
      help.open(settings);
    });
    panel.append(more);
  }

  // ---- what buttons and keys do ----------------------------------------------------------------------

  function toggleFull() {
    if (!options.fullscreenButton || (isAudio() && !player.inFullscreen())) return;
    if (player.inFullscreen()) player.cancelFullscreen();
    else player.requestFullscreen();
  }
  function togglePip() {
    if (video.getRootNode().pictureInPictureElement === video) document.exitPictureInPicture();
    else video.requestPictureInPicture().catch(() => {});
  }
  // The chapters that the viewer may go to.
  const list = () => (options.playbar && player.media?.chapters) || [];
  const go = (to) => player.time(Math.min(player.duration(), Math.max(0, to)));
  const verbs = {
    toggle: () => player.toggle(),
    skip: (by) => { if (options.playbar) go(player.time() + by); },
    part: (part) => { if (options.playbar) go(part * player.duration()); },
    louder: (by) => { if (options.volumeControl) setVolume(Math.round((player.volume() + by) * 100) / 100); },
    mute: () => { if (options.volumeControl) toggleSound(); },
    fullscreen: toggleFull,
    captions: () => tracks.toggle(),
    speed: (way) => { if (options.playbackRateControl) setSpeed(speed(video.playbackRate, way)); },
    help: () => { if (!help.close()) help.open(); },
  };
  const kAllowed = { skip: 'playbar', part: 'playbar', louder: 'volumeControl', mute: 'volumeControl',
    fullscreen: 'fullscreenButton', speed: 'playbackRateControl' };
  const help = makeHelp({ say, root, place: all, home: stage, icon: () => svg(kIcons.close), can: (verb) => options[kAllowed[verb]] ?? true });
  // Our own pages are one player: keys count wherever the focus is.
  on(player.isPage ? document : stage, 'keydown', (event) => {
    const target = event.composedPath()[0];
    if (event.defaultPrevented || (player.isPage && target.closest?.('ol'))) return;
    active();
    // A browser presses a button again and again while Enter is held.
    if (event.repeat && event.key === 'Enter' && target.localName === 'button' && !target.matches('.skip')) {
      event.preventDefault();
      return;
    }
    if (event.key === 'Escape' && help.close()) {
      event.preventDefault();
      return;
    }
    if (event.key === 'Escape' && !panel.hidden) {
      const by = opener();
      openPanel(false, by);
      by.focus();
      event.preventDefault();
      return;
    }
    const asked = meaning(event);
    if (!asked || takes(target, event.key)) return;
    event.preventDefault();
    if (!event.repeat || repeats(asked)) verbs[asked[0]](asked[1]);
  });
  on(seek, 'input', () => { go(Number(seek.value)); });
  on(volume, 'input', () => setVolume(Number(volume.value)));
  on(video, 'dblclick', () => { if (!player.byTouch) toggleFull(); });
  on(stage, 'click', (event) => {
    if (!panel.hidden && !event.composedPath().some((each) => each === panel || each === opener())) openPanel(false);
  });

  // ---- preview of a position -------------------------------------------------------------------------

  const kThumb = 14; // pixels: the middle of the thumb does not reach the ends of the bar
  let board = null;
  function look(x) {
    const place = seek.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (x - place.left - kThumb / 2) / Math.max(1, place.width - kThumb)));
    const to = part * player.duration();
    const { storyboard } = player.media || {};
    if (!board || board.url !== storyboard) board = storyboard ? new Storyboard(storyboard, (url) => player.renew(url)) : null;
    const shown = board && board.at(to, () => { if (!preview.hidden) look(x); });
    picture.hidden = !shown;
    if (shown) {
      picture.style.width = `${shown.width}px`;
      picture.style.height = `${shown.height}px`;
      picture.style.background = `url("${shown.url}") -${shown.x}px -${shown.y}px`;
    }
    moment.textContent = clock(to);
    there.textContent = chapterAt(list(), to)?.title || '';
    there.hidden = !there.textContent;
    preview.hidden = !player.duration();
    // Within the bar, also at its ends.
    const half = preview.offsetWidth / 2;
    const room = bar.getBoundingClientRect();
    preview.style.left = `${Math.max(half, Math.min(room.width - half, x - room.left))}px`;
  }
  on(seek, 'pointerenter pointermove', (event) => look(event.clientX));
  on(seek, 'pointerleave pointercancel', () => { preview.hidden = true; });

  // ---- visibility ------------------------------------------------------------------------------------

  // Above the bar's ground, which would darken them.
  const liftCues = () => lift(tracks.applied?.track, video, all.classList.contains('idle') || bar.hidden ? 0
    : parseFloat(getComputedStyle(bar, '::before').height), scale(options));
  applyLooks(stage, options);

  // The bar disappears during play after 3 s without movement, unless the settings are open or it
  // has the keyboard focus.
  let timer;
  function active() {
    all.classList.remove('idle');
    liftCues();
    css(stage, { cursor: 'auto' });
    clearTimeout(timer);
    timer = setTimeout(rest, 3000);
  }
  function rest() {
    const held = !panel.hidden || help.isOpen() || bar.matches(':focus-within') && root.activeElement?.matches(':focus-visible');
    if (!player.wanted || !player.started || held || isAudio()) return;
    all.classList.add('idle');
    liftCues();
    css(stage, { cursor: 'none' });
  }
  // A touch of the picture is up to taps.js; it also leaves the picture at its end.
  const isTouchOfPicture = (event) => event.pointerType === 'touch' && !event.composedPath().includes(all);
  let wasIdle; // when a touch began: the focus that follows it shows the bar
  on(stage, 'pointerdown', () => { wasIdle = all.classList.contains('idle'); });
  on(stage, 'pointermove pointerdown', (event) => { if (!isTouchOfPicture(event)) active(); });
  on(stage, 'focusin', active);
  on(stage, 'pointerleave', ({ pointerType }) => { if (pointerType !== 'touch') rest(); });

  // ---- touches and other devices ---------------------------------------------------------------------

  const touches = taps({ stage, isIdle: () => wasIdle, wake: active,
    toggle: () => {
      active();
      player.toggle();
    },
    skip: options.playbar && ((seconds) => {
      active();
      verbs.skip(seconds);
    }),
    show: (side, seconds) => {
      skipped.hidden = !side;
      skipped.className = side < 0 ? 'skipped left' : 'skipped';
      skipped.textContent = side ? `${side < 0 ? '\u2212' : '+'}${seconds} s` : '';
    } });

  // Another device, such as a television, by the browser: AirPlay or Cast.
  const { remote } = video;
  const watching = remote?.watchAvailability?.((available) => { cast.hidden = !available; });
  watching?.then((id) => {
    ended.signal.addEventListener('abort', () => { remote.cancelWatchAvailability(id).catch(() => {}); });
  }, () => {}); // it cannot watch, or what plays cannot be sent

  let waiting;
  function update() {
    const playing = player.wanted;
    const position = player.time();
    const length = player.duration();
    all.classList.toggle('audio', isAudio());
    css(host, { '--colour': player.colour, '--bright': bright(player.colour) });
    bar.hidden = options.bar === 'playing' && !player.started && !isAudio();
    pip.hidden = !document.pictureInPictureEnabled || isAudio();
    full.hidden = !canFull || (isAudio() && !player.inFullscreen());
    if (!playing && video.ended) label(play, say('Replay'), 'replay');
    else label(play, playing ? say('Pause') : say('Play'), playing ? 'pause' : 'play');
    label(mute, silent() ? say('Unmute') : say('Mute'), silent() ? 'mute' : 'loud');
    const isFull = player.inFullscreen();
    label(full, isFull ? say('Leave full screen') : say('Full screen'), isFull ? 'small' : 'full');
    volume.value = silent() ? 0 : video.volume;
    volume.setAttribute('aria-valuetext', `${Math.round(volume.value * 100)} %`);
    filled(volume);
    let loaded = position;
    for (let at = 0; at < video.buffered.length; at++) {
      if (video.buffered.start(at) <= position + 0.5) loaded = Math.max(loaded, video.buffered.end(at));
    }
    seek.style.setProperty('--loaded', `${length ? Math.min(100, (100 * loaded) / length).toFixed(2) : 0}%`);
    seek.max = length;
    seek.value = position;
    const chapter = chapterAt(list(), position);
    const title = chapter ? chapter.title : '';
    chapters.hidden = !list().length;
    if (part.textContent !== title) part.textContent = title;
    marksOf(marks, list(), length);
    seek.setAttribute('aria-valuetext', say('{position} of {length}', { position: clock(position), length: clock(length) }) +
      (title && `, ${title}`));
    filled(seek);
    time.textContent = `${clock(position)} / ${clock(length)}`;
    const several = tracks.list().length > 1;
    captions.hidden = !tracks.list().length;
    captions.classList.toggle('on', Boolean(tracks.chosen));
    // A menu is open or closed, a switch on or off.
    if (several) captions.removeAttribute('aria-pressed');
    else captions.setAttribute('aria-pressed', String(Boolean(tracks.chosen)));
    if (several !== captions.hasAttribute('aria-expanded')) {
      if (several) captions.setAttribute('aria-expanded', 'false');
      else captions.removeAttribute('aria-expanded');
    }
    liftCues();
    const busy = playing && !player.notice && (video.readyState < 3 || video.seeking);
    if (busy && !waiting) waiting = setTimeout(() => { spinner.hidden = false; }, 300);
    if (!busy) {
      clearTimeout(waiting);
      waiting = null;
      spinner.hidden = true;
    }
    sign.hidden = playing || !player.started || video.ended;
    if (!playing || isAudio()) active();
  }
  on(video, 'play playing pause waiting seeking seeked timeupdate durationchange volumechange ended canplay emptied ' +
    'ratechange progress', update);
  on(video.textTracks, 'addtrack removetrack change', update);
  on(document, 'fullscreenchange webkitfullscreenchange', update);
  update();
  active();

  return {
    update,
    // A touch outside the panel only closes it.
    touched: (event) => { if (panel.hidden) touches.tap(event); },
    remove: () => {
      touches.end();
      ended.abort();
      clearTimeout(timer);
      clearTimeout(waiting);
      host.remove();
    },
  };
}

// Also the functions that the player needs only after something plays or fails, so that a page loads them that late.
window.svc.provide('controls', Object.assign(attach, { captionsOf, posterOf, renew, rendition }));

// options: the options of an embed code (oembed-O1), from text to values.

// The positions of `time`: 90, 90s, 1m30s, 1h2m3s. 0 if it is none of these.
export function seconds(text) {
  const [, h, m, s] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?$/.exec(text || '') || [];
  // A video rejects an infinite time. A time after its end means its end.
  return Math.min((h || 0) * 3600 + (m || 0) * 60 + Number(s || 0), 1e6);
}

// plugin[name][key]=value as { name: { key: value } }, without those that [on]=false turns off.
function pluginsOf(text) {
  const found = new Map();
  for (const [name, value] of Object.entries(text)) {
    const [, plugin, , key] = /^plugin\[([\w.-]+)\](\[([\w.-]+)\])?$/.exec(name) || [];
    if (!plugin) continue;
    if (!found.has(plugin)) found.set(plugin, Object.create(null));
    if (key) found.get(plugin)[key] = value;
  }
  return [...found].filter(([, values]) => values.on !== 'false');
}

// media_0_j[option]: the options of the video number j of a playlist, from 0 on. A playlist has one section, 0.
function ownOf(text, index) {
  const own = {};
  for (const [name, value] of Object.entries(text)) {
    const [, number, option] = /^media_0_(\d{1,4})\[(\w+)\]$/.exec(name) || [];
    if (number && Number(number) === index) own[option] = value;
  }
  return own;
}

// The options that each media of a playlist has for itself; the others are the list's.
const kOfVideo = ['doNotTrack', 'playerColor', 'qualityMax', 'qualityMin', 'resumable', 'stillUrl', 'time', 'volume'];

// The options of a code take precedence over those of the media (api-Z1): a name that the code has is the code's.
// `index`: the media's in a playlist.
export function customized({ text, forced }, customizations = {}, index) {
  const inList = index !== undefined;
  const defaults = Object.entries(customizations).filter(([name]) => !inList || kOfVideo.includes(name));
  const { time, ...others } = text; // `time` of a list is for its first video only
  return meaning({ ...texts(Object.fromEntries(defaults)), ...(inList ? others : text),
    ...(inList && ownOf(text, index)) }, text, forced);
}

function texts(given) {
  const text = {};
  for (const [name, value] of Object.entries(given || {})) {
    text[name.replace(/^videoOptions\[(\w+)\]$/, '$1')] = String(value);
  }
  return text;
}

// Everything arrives as text, from a class, a query or JSON; unknown names are ignored. The options in `forced` never
// change.
export function read(given, forced) {
  const own = texts(given);
  return meaning(own, own, forced);
}

// `own`: the text that the code has itself.
function meaning(text, own, forced) {
  const is = (name) => text[name] === 'true';
  const isNot = (name) => text[name] === 'false';
  const volume = parseFloat(text.volume);
  const [, popoverWidth, popoverHeight] = /^(\d{2,4})x(\d{2,4})$/.exec(text.popoverSize || '') || [];
  const height = (name) => (/^\d{2,4}p?$/.test(text[name] || '') ? parseInt(text[name], 10) : null);
  return {
    autoPlay: is('autoPlay'),
    // true: silent from the start; false: with sound or not at all; else silent if it must be.
    muted: is('muted') || (is('autoPlay') && is('silentAutoPlay')),
    mayMute: !isNot('silentAutoPlay'),
    volume: volume >= 0 && volume <= 1 ? volume : null,
    time: seconds(text.time),
    // true: the bar shows immediately; false: only while something plays; else when the viewer
    // comes near.
    bar: is('controlsVisibleOnLoad') ? 'always' : isNot('controlsVisibleOnLoad') ? 'playing' : 'near',
    playButton: !isNot('playButton'),
    smallPlayButton: !isNot('smallPlayButton'),
    playbar: !isNot('playbar'),
    volumeControl: !isNot('volumeControl'),
    fullscreenButton: !isNot('fullscreenButton'),
    settingsControl: !isNot('settingsControl'),
    qualityControl: !isNot('qualityControl'),
    playbackRateControl: !isNot('playbackRateControl'),
    qualityMin: height('qualityMin'),
    qualityMax: height('qualityMax'),
    resumable: is('resumable') && !is('doNotTrack'),
    colour: /^#?[0-9a-f]{6}$/i.test(text.playerColor || '')
      ? `#${text.playerColor.replace('#', '')}` : null,
    atEnd: text.endVideoBehavior,
    still: /^https?:\/\//i.test(text.stillUrl || '') ? text.stillUrl : null,
    preload: ['metadata', 'auto'].includes(text.preload) ? text.preload : 'none',
    popover: is('popover'),
    responsive: is('videoFoam'),
    handle: text.handle,
    language: text.lang,
    remembers: !is('doNotTrack'),
    email: is('doNotTrack') ? null : text.email || null,
    playlistLoop: is('playlistLoop'),
    playlistLinks: is('playlistLinks') || text.playlistLinks === 'auto',
    popoverSize: popoverWidth > 0 && popoverHeight > 0 ? [Number(popoverWidth), Number(popoverHeight)] : null,
    popoverCaption: text.popoverCaption || null,
    popoverLink: text.popoverContent === 'link',
    popoverAnimate: is('popoverAnimateThumbnail'),
    seo: is('seo'),
    light: text.theme === 'light',
    transparent: text.wmode === 'transparent',
    watch: text.watch || '',
    plugins: pluginsOf(text),
    text: own,
    ...forced,
    forced,
  };
}

// The names of all options without brackets: those that meaning() reads. The build makes the attributes of
// <svc-player> from them.
export function names() {
  const found = new Set();
  const noted = new Proxy({}, { get(_, name) { found.add(name); } });
  meaning(noted, {});
  return [...found].sort();
}

// The words name=value of a class attribute; the values are percent-encoded.
export function words(list) {
  const found = {};
  for (const word of list) {
    const at = word.indexOf('=');
    if (at < 1) continue;
    try {
      found[word.slice(0, at)] = decodeURIComponent(word.slice(at + 1));
    } catch { /* a stray percent sign: as good as not there */ }
  }
  return found;
}

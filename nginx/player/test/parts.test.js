// The parts of the player that need no browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { kKeys, kSpeeds, meaning, repeats, speed, takes } from '../src/controls/keys.js';
import { pictures } from '../src/controls/storyboard.js';
import { isWebVtt } from '../src/controls/captions-file.js';
import { preferred } from '../src/player/captions.js';
import { parse, within } from '../src/player/levels.js';
import { parse as message, speak } from '../src/player/messages.js';
import { attributeOf, namesOf, textIn } from '../src/component/attributes.js';
import { customized, names, read, seconds, words } from '../src/player/options.js';
import { stumbles } from '../src/player/stumbles.js';
import { hundredths, pass, ranges, reached, viewing } from '../src/player/viewing.js';
import { choose, filled, languageAt } from '../src/player/words.js';
import { textsOf } from '../catalogs.js';

test('a time is seconds, or hours, minutes and seconds', () => {
  for (const [text, expected] of [['90', 90], ['90s', 90], ['1m30s', 90], ['1h2m3.5s', 3723.5], ['', 0],
    [undefined, 0], ['x', 0], ['-1', 0], ['1e9', 0], ['9'.repeat(400), 1e6]]) {
    assert.equal(seconds(text), expected, text);
  }
});

test('options that no embed code named have their defaults', () => {
  const options = read({});
  assert.equal(options.preload, 'none');
  assert.equal(options.bar, 'near');
  assert.equal(options.volume, null);
  for (const name of ['playButton', 'smallPlayButton', 'playbar', 'volumeControl', 'fullscreenButton',
    'settingsControl',
    'qualityControl', 'playbackRateControl', 'mayMute']) assert.equal(options[name], true, name);
  for (const name of ['autoPlay', 'muted', 'resumable', 'popover', 'responsive', 'playlistLoop']) {
    assert.equal(options[name], false, name);
  }
});

test('hostile values of options are ignored', () => {
  for (const value of ['"><script>', 'javascript:alert(1)', '__proto__', '-1', '1e999', 'NaN', 'red;x:url(//e)']) {
    const { colour, still, volume, preload, qualityMin } = read({ playerColor: value, stillUrl: value, volume: value,
      preload: value, qualityMin: value });
    assert.deepEqual([colour, still, volume, preload, qualityMin], [null, null, null, 'none', null], value);
  }
});

test('a playlist names its options videoOptions[...]', () => {
  assert.equal(read({ 'videoOptions[playerColor]': 'FF7043' }).colour, '#FF7043');
  assert.equal(read({ qualityMax: '720p' }).qualityMax, 720);
});

test('options of a media are those that a code does not name, whatever their type', () => {
  const customizations = { playbar: false, volume: 0.5, playerColor: '00ff00', time: '1m', muted: 'true', theme: 'light' };
  const { playbar, volume, colour, time, muted } = customized(read({ playerColor: 'FF7043', playbar: 'true', time: '0' }),
    customizations);
  assert.deepEqual([playbar, volume, colour, time, muted], [true, 0.5, '#FF7043', 0, true]);
  assert.equal(customized(read({ 'videoOptions[playerColor]': 'FF7043' }), customizations).colour, '#FF7043');
  assert.equal(customized(customized(read({ playbar: 'true' }), customizations), { playerColor: '0000ff' }).colour, '#0000ff');
  assert.equal(customized(read({}, { autoPlay: true }), { autoPlay: false }).autoPlay, true);
  assert.deepEqual(customized(read({})), read({}));
});

test('in a list, a video has options of its own, and the others are those of the list', () => {
  const customizations = { playerColor: '00ff00', stillUrl: 'https://h.example/a.jpg', time: 30, playbar: false };
  const code = read({ playerColor: 'FF7043', time: '90', 'media_0_1[playerColor]': '0000ff', 'media_0_1[time]': '5' });
  const [first, second] = [0, 1].map((index) => customized(code, customizations, index));
  assert.deepEqual([first.colour, first.still, first.time, first.playbar],
    ['#FF7043', 'https://h.example/a.jpg', 30, true]);
  assert.deepEqual([second.colour, second.still, second.time, second.playbar],
    ['#0000ff', 'https://h.example/a.jpg', 5, true]);
});

// The rows of the table in README.md, without brackets.
const documented = () => {
  const [section] = readFileSync(new URL('../README.md', import.meta.url), 'utf8').split(/^## Options$/m)[1].split(/^## /m);
  const rows = section.split('\n').filter((line) => line.startsWith('| `')).map((line) => line.split('|')[1]);
  return rows.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
};

test('the options that are read are those of the table, and the names of popovers and handles', () => {
  assert.deepEqual(names(), [...documented(), 'handle', 'popover'].sort());
});

test('each option is an attribute of the element, but what only embed codes have', () => {
  const found = namesOf(names());
  assert.deepEqual(documented().filter((name) => !found.includes(name)).sort(), ['lang', 'popoverAnimateThumbnail',
    'popoverCaption', 'popoverContent', 'popoverSize', 'videoFoam']);
  assert.deepEqual(['autoPlay', 'playbackRateControl', 'seo'].map(attributeOf),
    ['auto-play', 'playback-rate-control', 'seo']);
  const element = (attributes) => ({ hasAttribute: (name) => name in attributes, getAttribute: (name) => attributes[name] });
  for (const [attributes, expected] of [[{}, null], [{ 'auto-play': '' }, 'true'], [{ autoplay: 'false' }, 'false'],
    [{ autoplay: '', 'auto-play': 'false' }, 'false']]) {
    assert.equal(textIn(element(attributes), 'autoPlay'), expected);
  }
});

test('the language is the first wished language that exists, or its shorter form', () => {
  const languages = ['de', 'pt', 'zh-hant'];
  for (const [wished, expected] of [[['de-AT'], 'de'], [['nl', 'PT-br', 'de'], 'pt'], [['en-GB', 'de'], 'en'],
    [[undefined, '', 'zh-Hant-TW'], 'zh-hant'], [['zh'], 'en'], [[null, 'qqq', '-', '*', 'a b'], 'en'], [['deu'], 'de'], [[], 'en'],
    [['zh-TW', 'zh'], 'zh-hant'], [['zh-Hans-HK', 'de'], 'de']]) {
    assert.equal(choose(wished, languages), expected, String(wished));
  }
  for (const [wished, expected] of [['no', 'nb'], ['nb-NO', 'nb'], ['iw-IL', 'he'], ['in', 'id'], ['zh-CN', 'zh'],
    ['zh-MO', 'zh-hant'], ['sr-Latn', 'sr'], ['nn', 'en']]) {
    assert.equal(choose([wished], ['he', 'id', 'nb', 'sr', 'zh', 'zh-hant']), expected, wished);
  }
  const host = { lang: '', parentNode: { lang: 'fr' } };
  assert.equal(languageAt({ lang: '', parentNode: { host } }), 'fr', 'through a shadow root');
  assert.equal(languageAt({ lang: 'de', parentNode: host }), 'de');
  assert.equal(languageAt({ parentNode: null }), undefined);
});

test('values take the place of their names, as text', () => {
  assert.equal(filled('Play {title}', { title: '{title} $& <b>' }), 'Play {title} $& <b>');
  assert.equal(filled('{a}{b} {', { a: 1 }), '1{b} {');
});

test('the texts of the player are taken from a catalog', () => {
  const entry = (place, id, text, flag = '') => `#: ${place}\n${flag}msgid "${id}"\nmsgstr ${text}\n`;
  assert.deepEqual(textsOf(['msgid ""\nmsgstr "Language: de\\n"\n', entry('nginx/player/src/a.js', 'Play', '"Abspielen"'),
    entry('worker/pages/login_page.cpp', 'Log in', '"Anmelden"'), entry('nginx/player/src/b.js', 'Mute', '""'),
    entry('nginx/player/src/b.js', 'Say \\"a\\"', '""\n"Sag "\n"„a“"'),
    entry('nginx/player/src/b.js', 'Pause', '"Pause"', '#, fuzzy\n')].join('\n')), { Play: 'Abspielen', 'Say "a"': 'Sag „a“' });
});

test('words of a class are decoded, and a stray percent sign is left', () => {
  assert.deepEqual(words(['svc_embed', 'a=b%20c', 'bad=%', '=x']), { a: 'b c' });
});

test('the levels of a manifest: one per height, largest first, absolute', () => {
  const text = ['#EXTM3U', '#EXT-X-STREAM-INF:BANDWIDTH=100,AVERAGE-BANDWIDTH=900,RESOLUTION=640x360', 'a/360.m3u8',
    '#EXT-X-STREAM-INF:AVERAGE-BANDWIDTH=1,BANDWIDTH=300,RESOLUTION=640x360', 'b/360.m3u8',
    '#EXT-X-STREAM-INF:BANDWIDTH=500,RESOLUTION=1280x720', '', '720.m3u8',
    '#EXT-X-STREAM-INF:BANDWIDTH=64,CODECS="mp4a.40.2"', 'audio.m3u8'].join('\r\n');
  assert.deepEqual(parse(text, 'https://h.example/x/m.m3u8'), [
    { url: 'https://h.example/x/720.m3u8', height: 720, bandwidth: 500 },
    { url: 'https://h.example/x/b/360.m3u8', height: 360, bandwidth: 300 }]);
  assert.deepEqual(parse('', 'https://h.example/'), []);
});

test('qualityMin and qualityMax leave the levels between them, or all', () => {
  const levels = [1080, 720, 360].map((height) => ({ height }));
  assert.deepEqual(within(levels, 720, null), [0, 1]);
  assert.deepEqual(within(levels, null, 720), [1, 2]);
  assert.deepEqual(within(levels, 2000, null), [0, 1, 2]);
  assert.deepEqual(within([...levels, { height: 0 }], 720, 720), [1, 3]);
});

test('a key has its usual meaning, and none with Ctrl', () => {
  assert.deepEqual(meaning({ key: 'K' }), ['toggle']);
  assert.deepEqual(meaning({ key: '7' }), ['part', 0.7]);
  assert.equal(meaning({ key: 'k', ctrlKey: true }), null);
  assert.equal(meaning({ key: 'Tab' }), null);
  assert.equal(meaning({ key: 'constructor' }), null);
  for (const [, , commands] of kKeys) {
    for (const [key, command] of Object.entries(commands)) assert.deepEqual(meaning({ key }), command);
  }
});

// A layout, its pressed keys as [key, code, more], and the key that each counts as.
const kShift = { shiftKey: true };
const kLayouts = {
  Cyrillic: [['\u043b', 'KeyK', 'k'], ['\u041b', 'KeyK', 'k', kShift], ['\u0430', 'KeyF', 'f'], ['\u044c', 'KeyM', 'm'], ['\u0441', 'KeyC', 'c'],
    ['\u0411', 'Comma', '<', kShift], ['\u042e', 'Period', '>', kShift], ['\u0431', 'Comma', null], ['?', 'Digit7', '?', kShift], ['7', 'Digit7', '7']],
  Greek: [['\u03ba', 'KeyK', 'k'], ['\u039a', 'KeyK', 'k', kShift], ['\u03be', 'KeyJ', 'j'], ['\u03bb', 'KeyL', 'l'], [';', 'KeyQ', null]],
  Hebrew: [['\u05dc', 'KeyK', 'k'], ['\u05d7', 'KeyJ', 'j'], ['\u05da', 'KeyL', 'l'], ['\u05db', 'KeyF', 'f'], ['\u05ea', 'Comma', null],
    ['<', 'Period', '<', kShift], ['>', 'Comma', '>', kShift]],
  // Letters are as typed, digits without Shift, and the punctuation where an American keyboard has M is punctuation.
  AZERTY: [['&', 'Digit1', '1'], ['\u00e9', 'Digit2', '2'], ['\u00e0', 'Digit0', '0'], ['1', 'Digit1', '1', kShift], [',', 'KeyM', null],
    ['?', 'KeyM', '?', kShift], ['m', 'Semicolon', 'm'], ['k', 'KeyK', 'k'], ['<', 'IntlBackslash', '<'], ['>', 'IntlBackslash', '>', kShift],
    ['@', 'Digit0', null, { getModifierState: (name) => name === 'AltGraph' }]],
  Dvorak: [['t', 'KeyK', null], ['k', 'KeyV', 'k'], ['h', 'KeyJ', null], ['j', 'KeyC', 'j'], ['m', 'KeyM', 'm'], ['u', 'KeyF', null]],
  American: [['!', 'Digit1', null, kShift], ['*', 'Digit8', null, kShift]],
  Arabic: [['\u0661', 'Digit1', '1'], ['\u0646', 'KeyK', 'k']],
  Devanagari: [['\u093f', 'KeyF', 'f']],
  Korean: [['\u314f', 'KeyK', 'k']],
  'an input method': [['Process', 'KeyK', 'k']],
};
for (const [layout, pressed] of Object.entries(kLayouts)) {
  test(`pages-W141 keys of ${layout} are the letters that are typed, else those of their places`, () => {
    for (const [key, code, expected, more] of pressed) {
      assert.deepEqual(meaning({ key, code, ...more }), expected && meaning({ key: expected }), `${key} ${code}`);
      assert.equal(meaning({ key, code, ...more, altKey: true }), null);
    }
  });
}

test('held keys are repeated if they seek or change the volume', () => {
  assert.deepEqual(Object.entries(Object.assign({}, ...kKeys.map(([, , commands]) => commands)))
    .filter(([, command]) => repeats(command)).map(([key]) => key).sort(),
  ['ArrowDown', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'j', 'l']);
});

test('a control that has the focus keeps its own keys', () => {
  const element = (localName, more = {}) => ({ localName, dataset: {}, ...more });
  assert.equal(takes(element('button'), ' '), true);
  assert.equal(takes(element('button'), 'k'), false);
  assert.equal(takes(element('select'), 'k'), true);
  assert.equal(takes(element('input', { type: 'range' }), 'ArrowLeft'), false);
  assert.equal(takes(element('input', { type: 'range', dataset: { own: '' } }), 'ArrowLeft'), true);
  assert.equal(takes(element('div'), ' '), false);
});

test('speed goes up and down by steps, to the ends', () => {
  assert.equal(speed(1, 1), 1.25);
  assert.equal(speed(1, -1), 0.75);
  assert.equal(speed(kSpeeds.at(-1), 1), 2);
  assert.equal(speed(1.1, -1), 1);
});

test('captions begin with the choice of the session, by label, then by language, else with the default', () => {
  const [english, sdh, german] = [{ language: 'en', label: 'English' }, { language: 'en', label: 'English, SDH' },
    { language: 'de', label: 'Deutsch', default: true }];
  const list = [english, sdh, german];
  for (const [choice, expected] of [[null, german], [[], undefined], [['en', 'English, SDH'], sdh],
    [['EN', 'Anything'], english], [['fr', 'English'], german], [['de', 'English'], german]]) {
    assert.equal(preferred(list, choice), expected, `${choice}`);
  }
  assert.equal(preferred([english, sdh], null), undefined);
  assert.equal(preferred([english, sdh], ['fr', 'x']), undefined);
  assert.equal(preferred([], ['en', 'English']), undefined);
});

test('captions are WebVTT by their first line', () => {
  for (const text of ['WEBVTT', 'WEBVTT\n\n', '\ufeffWEBVTT\r\n', 'WEBVTT - a title\n', 'WEBVTT\tx']) {
    assert.ok(isWebVtt(text), text);
  }
  for (const text of ['', 'WEBVTTX', ' WEBVTT', '\nWEBVTT', 'webvtt', '<!DOCTYPE html>',
    '1\n00:00:01,000 --> 00:00:02,000']) {
    assert.equal(isWebVtt(text), false, text);
  }
});

test('a message of the page that is not of the protocol is ignored', () => {
  const good = { context: 'player.js', version: '0.0.11', method: 'setVolume', value: 50, listener: 'a' };
  const expected = { method: 'setVolume', value: 50, listener: 'a' };
  assert.deepEqual(message(JSON.stringify(good)), expected);
  assert.deepEqual(message(good), expected);
  for (const bad of [undefined, null, 7, '', '{', '"player.js"', 'null', '[]', 'player.js', [], {},
    { context: 'player.js' },
    { ...good, context: 'other.js' }, { ...good, method: 7 }, { ...good, method: 'x'.repeat(65) }, { ...good,
      listener: {} },
    { ...good, listener: 'x'.repeat(257) }, JSON.stringify({ ...good, value: 'x'.repeat(5000) }),
    `${'['.repeat(2000)}"player.js"`]) {
    assert.equal(message(bad), null, String(bad).slice(0, 40));
  }
});

// A frame in a page, which is in another page; a player in it. Returns how a window sends a message, and the
// messages that each window received.
function framed() {
  const page = (name) => ({ name, got: [], postMessage(text, origin) {
    if (origin.startsWith('file:')) throw new SyntaxError('no origin');
    this.got.push(JSON.parse(text));
  } });
  const [top, parent] = [page('top'), page('parent')];
  top.parent = top;
  parent.parent = top;
  let receive;
  const video = { addEventListener(name, run) { (video.on[name] ||= []).push(run); }, on: {}, paused: true,
    buffered: [] };
  let load;
  const player = { video, box: { addEventListener() {} }, loaded: new Promise((done) => { load = done; }),
    time: () => 1, duration: () => 2 };
  globalThis.window = { parent, addEventListener(_, run) { receive = run; } };
  globalThis.location = { href: 'https://e/x?q', origin: 'https://e', pathname: '/x' };
  speak(player);
  const say = (source, method, value, listener, origin = 'https://p') => receive({ source, origin,
    data: JSON.stringify({ context: 'player.js', version: '0', method, value, listener }) });
  return { top, parent, say, load, emit: (name) => { for (const run of video.on[name]) run(); } };
}
const got = (page, event) => page.got.filter((each) => each.event === event).length;

test('a listener with an invalid origin leaves the others working', async () => {
  const { top, parent, say, load, emit } = framed();
  load();
  await say(top, 'addEventListener', 'play', 'a', 'file://');
  await say(parent, 'addEventListener', 'play', 'b');
  emit('play');
  assert.deepEqual([got(top, 'play'), got(parent, 'play')], [0, 1]);
});

test('each window has at most 200 listeners, independently of other windows', async () => {
  const { top, parent, say, load, emit } = framed();
  load();
  for (let i = 0; i < 300; i++) await say(top, 'addEventListener', 'play', i);
  await say(parent, 'addEventListener', 'play', 'b');
  emit('play');
  assert.deepEqual([got(top, 'play'), got(parent, 'play')], [200, 1]);
});

test('at most 100 messages of a window wait for the player', async () => {
  const { top, parent, say, load } = framed();
  const said = [];
  for (let i = 0; i < 300; i++) said.push(say(top, 'getPaused', undefined, i));
  said.push(say(parent, 'getPaused'));
  load();
  await Promise.all(said);
  assert.deepEqual([got(top, 'getPaused'), got(parent, 'getPaused')], [100, 1]);
  await say(top, 'getPaused');
  assert.equal(got(top, 'getPaused'), 101);
});

test('the pictures of a storyboard are parts of images next to its file', () => {
  const text = ['WEBVTT', '', '00:00.000 --> 00:02.000', 'storyboard.jpg#xywh=0,0,160,90', '',
    'named', '01:00:02.000 --> 01:00:04.500 align:start', '/s.jpg?a#xywh=pixel:160,0,160,90', ''];
  const expected = [
    { from: 0, to: 2, url: 'https://h.example/files/a/storyboard.jpg', x: 0, y: 0, width: 160, height: 90 },
    { from: 3602, to: 3604.5, url: 'https://h.example/s.jpg?a', x: 160, y: 0, width: 160, height: 90 }];
  for (const line of ['\n', '\r\n']) {
    assert.deepEqual(pictures(text.join(line), 'https://h.example/files/a/storyboard.vtt'), expected);
  }
});

test('a storyboard drops cues whose picture is missing, hostile or too large', () => {
  const cue = (address) => `WEBVTT\n\n00:00.000 --> 00:02.000\n${address}\n`;
  for (const address of ['a.jpg', 'a.jpg#xywh=0,0,0,90', 'a.jpg#xywh=0,0,400,90', 'a.jpg#xywh=-1,0,9,9',
    'a.jpg#xywh=percent:0,0,9,9', 'a.jpg#xywh=0,0,9,9;x', 'javascript:alert(1)#xywh=0,0,9,9',
    'data:image/png,a#xywh=0,0,9,9', 'http://[#xywh=0,0,9,9', 'Words of captions']) {
    assert.deepEqual(pictures(cue(address), 'https://h.example/'), [], address);
  }
  assert.deepEqual(pictures('<html>', 'https://h.example/'), []);
  // It cannot leave the quotes of a style.
  const [{ url }] = pictures(cue('a"),url("//e.jpg#xywh=0,0,9,9'), 'https://h.example/');
  assert.equal(url, 'https://h.example/a%22),url(%22//e.jpg');
});

test('a film is tried again five times at a place where it fails, and as often at the next place', () => {
  const again = stumbles();
  assert.deepEqual([4, 4.2, 4, 4.4, 4, 4.1].map(again), [true, true, true, true, true, false]);
  assert.deepEqual([9, 9, 9, 9, 9, 9].map(again), [true, true, true, true, true, false]);
  assert.equal(again(4), true);
});

// ---- viewing ----------------------------------------------------------------------------------------

test('hundredths are told as ranges, once if seen once and twice if seen twice, and only new ones', () => {
  const seen = new Uint8Array(100);
  const told = new Uint8Array(100);
  const next = () => {
    const text = ranges(seen, told);
    told.set(seen);
    return text;
  };
  assert.equal(next(), '');
  pass(seen, 0, 13);
  pass(seen, 40, 42);
  assert.equal(next(), '0-12,40-41');
  assert.equal(next(), '');
  pass(seen, 10, 15);
  assert.equal(next(), '10-12,10-12,13-14');
  pass(seen, 99, 100);
  pass(seen, 99, 100);
  pass(seen, 10, 11);
  assert.equal(next(), '99-99,99-99', 'a third time is not told');
  pass(seen, 0, 100);
  assert.equal(next(), '0-9,0-9,13-14,13-14,15-39,40-41,40-41,42-98');
});

test('a hundredth is seen when playback passes its middle; without an end, nothing is seen', () => {
  const seenBetween = (from, to) => {
    const seen = new Uint8Array(100);
    pass(seen, from, to);
    return ranges(seen, new Uint8Array(100));
  };
  for (const [from, to, expected] of [[0, 0.5, ''], [0, 0.6, '0-0'], [0.5, 1, '0-0'], [0.6, 1.5, ''], [0.6, 1.6, '1-1'], [3, 3, ''],
    [5, 2, ''], [98, 120, '98-99'], [-3, 1, '0-0'], [NaN, 50, ''], [0, NaN, '']]) {
    assert.equal(seenBetween(from, to), expected, `${from} to ${to}`);
  }
  for (const [second, duration, expected] of [[4, 8, 50], [1800, 7200, 25], [1, Infinity, NaN], [1, NaN, NaN], [0, 0, NaN]]) {
    assert.equal(hundredths(second, duration), expected);
  }
});

const rangesOf = (...all) => ({ length: all.length, start: (i) => all[i][0], end: (i) => all[i][1] });

test('a video has played until the end of the range that has the second', () => {
  const played = rangesOf([0, 2], [5, 6.5]);
  for (const [second, expected] of [[0, 2], [1.9, 2], [2, 2], [3, 3], [5, 6.5], [9, 9]]) assert.equal(reached(played, second), expected);
});

// A video whose time passes by play(), and what its player sends.
class FakeVideo extends EventTarget {
  paused = true;
  seeking = false;
  readyState = 4;
  currentTime = 0;
  playbackRate = 1;
  played = rangesOf();
  constructor(duration) {
    super();
    this.duration = duration;
  }
  tell(...events) { for (const event of events) this.dispatchEvent(new Event(event)); }
  start() {
    this.paused = false;
    this.tell('play', 'playing');
  }
  // Plays until that second, with an event after each of these steps, in seconds of the media.
  play(until, step) {
    while (this.currentTime < until) {
      this.currentTime = Math.min(until, this.currentTime + step());
      this.tell('timeupdate');
    }
  }
  stop() {
    this.paused = true;
    this.tell('pause');
  }
  seek(second) {
    this.seeking = true;
    this.currentTime = second;
    this.tell('seeking', 'timeupdate');
    this.seeking = false;
    this.tell('seeked', 'timeupdate');
  }
  load(duration) {
    Object.assign(this, { currentTime: 0, readyState: 0, duration: NaN, paused: true });
    this.tell('emptied', 'timeupdate');
    Object.assign(this, { readyState: 4, duration });
    this.tell('loadedmetadata');
  }
}
const kFacts = { id: 'l4unchf1lm', viewing: 'ticket_8' };

// Calls `run` in the place of a page, with its clock in milliseconds. Returns the beacons, as [id, session, text].
function inPage(run, { navigator = {} } = {}) {
  const sent = [];
  const names = { window: Object.assign(new EventTarget(), { svc: { host: 'https://h.example' } }), document: new EventTarget(),
    performance: { now: () => names.performance.time, time: 0 },
    navigator: { sendBeacon: (url, body) => sent.push([url, body]), ...navigator } };
  const before = Object.keys(names).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
  try {
    for (const [name, value] of Object.entries(names)) Object.defineProperty(globalThis, name, { value, configurable: true });
    run(names);
  } finally {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else delete globalThis[name];
    }
  }
  return sent.map(([url, body]) => {
    const [, id] = /^https:\/\/h\.example\/embed\/medias\/(\w+)\/viewing$/.exec(url);
    const [, session, text] = /^v1 ([\w-]{14}ticket_8) (.*)$/.exec(body);
    return [id, session, text];
  });
}
const watching = (video, { signal } = new AbortController()) => viewing({ video, over: { signal } });
const begins = (counted, facts = kFacts) => counted.begin(facts, { remembers: true });
// How often each hundredth was seen, by the beacons of a session: once or more.
function sumOf(texts) {
  const sum = new Array(100).fill(0);
  for (const text of texts) {
    const now = new Array(100).fill(0);
    for (const range of text.replace('seen ', '').split(',')) {
      const [from, to] = range.split('-').map(Number);
      for (let i = from; i <= to; i++) now[i]++;
    }
    now.forEach((times, i) => { sum[i] = Math.max(sum[i], times); });
  }
  return sum.join('');
}

test('a media that is watched in full has each hundredth once, whatever its length and the steps of its events', () => {
  let random = 1;
  const next = () => (random = (random * 48271) % 2147483647) / 2147483647;
  for (const [duration, step] of [[1.5, 0.25], [8, 0.25], [8, 1], [60, 60], [5400, 0.25], [5400, 61], [7.3, 2]]) {
    const texts = inPage(() => {
      const video = new FakeVideo(duration);
      begins(watching(video));
      video.start();
      video.play(duration, () => step * (0.1 + next()));
      video.tell('ended');
    }).map(([, , text]) => text);
    assert.deepEqual(texts.slice(0, 2), ['load', 'play']);
    assert.deepEqual(texts.slice(2), ['seen 0-99'], `${duration} s by steps of ${step} s`);
  }
});

test('seen parts are told every 15 s, at the end, when the page is hidden or left, and when the media leaves', () => {
  const sent = inPage(({ performance, document, window }) => {
    const video = new FakeVideo(100);
    const counted = watching(video);
    begins(counted);
    video.start();
    const play = (until) => video.play(until, () => {
      performance.time += 250;
      return 0.25;
    });
    play(31);
    document.hidden = true;
    document.dispatchEvent(new Event('visibilitychange'));
    play(33);
    video.stop();
    window.dispatchEvent(new Event('pagehide'));
    window.dispatchEvent(new Event('pagehide'));
    // From the back/forward cache.
    video.start();
    play(35);
    counted.end();
    play(40);
    video.load(100);
    begins(counted, { ...kFacts, id: 'sm4ll480px' });
    counted.end();
    video.load(100);
    begins(counted);
    video.start();
    play(1);
    counted.end();
  });
  assert.deepEqual(sent.map(([id, , text]) => `${id[0]} ${text}`), ['l load', 'l play', 'l seen 0-14', 'l seen 15-29', 'l seen 30-30',
    'l seen 31-32', 'l seen 33-34', 's load', 'l seen 0-0,0-0']);
  const sessions = (wanted) => new Set(sent.filter(([id]) => id === wanted).map(([, session]) => session)).size;
  assert.deepEqual([sessions('l4unchf1lm'), sessions('sm4ll480px')], [1, 1]);
  assert.notEqual(sent[0][1], sent.find(([id]) => id === 'sm4ll480px')[1]);
});

test('only playback counts: not a seek, another source, or a media without an end', () => {
  const seen = (duration, run) => sumOf(inPage(({ performance }) => {
    const video = new FakeVideo(duration);
    const counted = watching(video);
    begins(counted);
    video.start();
    run(video, counted, performance);
    counted.end();
  }).map(([, , text]) => text).filter((text) => text.startsWith('seen')));
  const parts = (...lengths) => lengths.map(([times, count]) => String(times).repeat(count)).join('');
  const step = () => 0.2;
  assert.equal(seen(10, (video) => {
    video.play(2, step);
    video.seek(8);
    video.play(9, step);
    video.seek(1);
    video.play(3, step);
  }), parts([1, 10], [2, 10], [1, 10], [0, 50], [1, 10], [0, 10]));
  assert.equal(seen(10, (video) => {
    video.play(2, step);
    video.load(10);
    video.seek(5);
    video.start();
    video.play(6, step);
  }), parts([1, 20], [0, 30], [1, 10], [0, 40]), 'another source');
  assert.equal(seen(10, (video, counted) => {
    video.play(2, step);
    video.currentTime = 2.15;
    counted.note();
    video.load(10.1); // another rendition, a little longer
    video.seek(2.17);
    video.start();
    video.play(10.1, step);
  }), parts([1, 100]));
  for (const duration of [Infinity, NaN]) assert.equal(seen(duration, (video) => video.play(30, step)), parts([0, 100]));
  // Between its last event and a seek, a video has played on: as far as its `played` has, and as its speed allows.
  for (const [played, rate, until, expected] of [[[0, 2.2], 1, 1000, 22], [[0, 9], 2, 100, 22], [[0, 2], 1, 1000, 20]]) {
    assert.equal(seen(10, (video, counted, performance) => {
      video.playbackRate = rate;
      video.play(2, step);
      video.played = rangesOf(played);
      performance.time += until;
      video.seek(5);
    }), parts([1, expected], [0, 100 - expected]));
  }
});

test('parts that the page has played before the player came count, too', () => {
  const sent = inPage(() => {
    const video = new FakeVideo(10);
    Object.assign(video, { paused: false, currentTime: 6, played: rangesOf([0, 2], [5, 6]) });
    const counted = watching(video);
    begins(counted);
    video.play(7, () => 0.25);
    counted.end();
  });
  assert.deepEqual(sent.map(([, , text]) => text), ['load', 'play', 'seen 0-19,50-69']);
});

test('nothing is sent with doNotTrack, Global Privacy Control, DNT, or without a ticket; if a beacon is refused, fetch sends it', () => {
  const count = (facts, options, navigator) => inPage(() => {
    const video = new FakeVideo(10);
    const counted = watching(video);
    counted.begin(facts, options);
    video.start();
    video.play(10, () => 1);
    video.tell('ended');
    counted.end();
  }, { navigator }).length;
  const yes = { remembers: true };
  assert.equal(count(kFacts, yes), 3);
  assert.equal(count(kFacts, yes, { doNotTrack: '0', globalPrivacyControl: false }), 3);
  assert.equal(count(kFacts, { remembers: false }), 0);
  assert.equal(count(kFacts, yes, { globalPrivacyControl: true }), 0);
  assert.equal(count(kFacts, yes, { doNotTrack: '1' }), 0);
  assert.equal(count({ id: kFacts.id }, yes), 0);
  const real = globalThis.fetch;
  try {
    for (const sendBeacon of [undefined, () => false, () => { throw new TypeError('no'); }]) {
      const fetched = [];
      globalThis.fetch = async (...asked) => {
        fetched.push(asked);
        throw new TypeError('refused');
      };
      count(kFacts, yes, { sendBeacon });
      assert.equal(fetched.length, 3);
      const [url, { method, keepalive, credentials, body }] = fetched[2];
      assert.equal(url, 'https://h.example/embed/medias/l4unchf1lm/viewing');
      assert.deepEqual([method, keepalive, credentials], ['POST', true, 'omit']);
      assert.match(body, /^v1 [\w-]{22} seen 0-99$/);
    }
  } finally {
    globalThis.fetch = real;
  }
});

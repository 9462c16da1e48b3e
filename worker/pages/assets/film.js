// The page of a film: its chapters and transcript control the player, and follow it. Without this script each time is a link,
// with which the page begins there; so it is while the player is not ready.
//
// If only the file of the captions has their text, the transcript is shown once the file has loaded, and never if that fails.
(() => {
  'use strict';

  const kParagraph = 15_000; // ms
  const kMostBytes = 512 << 10;
  const kTiming = /^(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})[ \t]+-->/;
  const kEntities = { amp: '&', lt: '<', gt: '>', nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f' };

  const details = document.querySelector('details.times');
  const box = details?.querySelector('.transcript');

  // ---- the transcript of a file ----------------------------------------------------------------------

  // The cues of a WebVTT file, in the order of their times: { at, words }.
  const cuesOf = (file) => file.replace(/\r\n?/g, '\n').split(/\n{2,}/).flatMap((block) => {
    const lines = block.split('\n');
    const timing = lines.findIndex((line) => kTiming.test(line));
    if (timing < 0 || timing > 1) return [];
    const [, hours = '0', minutes, seconds, thousandths] = kTiming.exec(lines[timing]);
    const words = lines.slice(timing + 1).join(' ').replace(/<[^>]*>/g, '')
      .replace(/&(\w+);/g, (whole, name) => kEntities[name] ?? whole).trim();
    const at = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 + Number(thousandths);
    return words ? [{ at, words }] : [];
  }).sort((a, b) => a.at - b.at);

  const clock = (seconds) => {
    const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    const two = (number) => String(number).padStart(2, '0');
    return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
  };

  const element = (tag, more, ...children) => {
    const made = Object.assign(document.createElement(tag), more);
    made.append(...children);
    return made;
  };

  const linkTo = (seconds) => {
    const url = new URL(location.href);
    url.searchParams.set('time', seconds);
    return element('a', { href: url.search, textContent: clock(seconds) });
  };

  const showFile = async () => {
    const response = await fetch(details.dataset.captions, { credentials: 'omit' });
    const file = response.ok ? await response.text() : '';
    if (!/^\ufeff?WEBVTT/.test(file) || file.length > kMostBytes) return;
    let paragraph;
    for (const { at, words } of cuesOf(file)) {
      if (!paragraph || at >= paragraph.at + kParagraph) {
        paragraph = { at, element: element('p', { dir: 'auto' }, linkTo(Math.floor(at / 1000))) };
        box.append(paragraph.element);
      }
      const cue = element('span', {}, words);
      cue.dataset.at = at;
      paragraph.element.append(' ', cue);
    }
    details.hidden = !paragraph;
  };

  // ---- the player ------------------------------------------------------------------------------------

  // The protocol of player.js: https://github.com/embedly/player.js.
  const frame = document.querySelector('.stage iframe');
  const { origin } = new URL(frame.src);
  const kContext = { context: 'player.js', version: '0.0.11' };
  const tell = (method, value) => frame.contentWindow.postMessage(JSON.stringify({ ...kContext, method, value, listener: 'page' }), origin);
  let isReady = false;

  addEventListener('message', ({ data, source, origin: from }) => {
    if (source !== frame.contentWindow || from !== origin || typeof data !== 'string') return;
    let message;
    try { message = JSON.parse(data); } catch { return; }
    if (message?.context !== kContext.context) return;
    if (message.event === 'ready' && !isReady) {
      isReady = true;
      tell('addEventListener', 'timeupdate');
    } else if (message.event === 'timeupdate') follow(message.value.seconds * 1000);
  });
  tell('addEventListener', 'ready'); // if it was ready before this script
  frame.addEventListener('load', () => tell('addEventListener', 'ready'));

  document.addEventListener('click', (event) => {
    const link = event.target.closest('.times a');
    if (!link || !isReady || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // A paragraph begins with its first cue.
    const { at } = (link.closest('[data-at]') || link.parentNode.querySelector('[data-at]')).dataset;
    tell('setCurrentTime', Number(at) / 1000);
    tell('play');
    follow(Number(at), true);
    const { top, bottom } = frame.getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) frame.scrollIntoView({ block: 'nearest' });
  });

  // ---- the present part ------------------------------------------------------------------------------

  const kSpare = 100; // ms by which a seek may be early
  const isShown = ({ offsetTop, offsetHeight }) => offsetTop < box.scrollTop + box.clientHeight && offsetTop + offsetHeight > box.scrollTop;
  // Only the box scrolls. It stays where the viewer has scrolled to, until the present part is seen there again.
  const reveal = (cue) => { box.scrollTop = cue.offsetTop - Math.max(0, (box.clientHeight - cue.offsetHeight) / 2); };

  function follow(at, isAsked = false) {
    for (const place of document.querySelectorAll('.times')) {
      const before = place.querySelector('[aria-current]');
      const now = [...place.querySelectorAll('[data-at]')].findLast((each) => Number(each.dataset.at) <= at + kSpare);
      if (now === before && !isAsked) continue;
      const wasSeen = !before || !box || isShown(before);
      before?.removeAttribute('aria-current');
      now?.setAttribute('aria-current', 'true');
      if (now && place === details && details.open && (isAsked || wasSeen)) reveal(now);
    }
  }
  details?.addEventListener('toggle', () => {
    const now = box.querySelector('[aria-current]');
    if (details.open && now) reveal(now);
  });

  // ---- search ----------------------------------------------------------------------------------------

  const search = details?.querySelector('.search');
  const field = search?.querySelector('input');
  const result = search?.querySelector('output');
  let found = []; // the marks of each place that was found
  let shown = 0;

  // Without case and accents: the letters, and the index of each in the text.
  const folded = (text) => {
    const letters = [];
    const from = [];
    for (let at = 0; at < text.length; at++) {
      for (const letter of text[at].normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()) {
        letters.push(letter);
        from.push(at);
      }
    }
    return { letters: letters.join(''), from };
  };

  // The places of `wanted` in a paragraph, whose cues may divide it, get marks.
  function markIn(paragraph, wanted) {
    const cues = [...paragraph.querySelectorAll('[data-at]')];
    const texts = cues.map(({ textContent }) => textContent);
    const { letters, from } = folded(texts.join(' '));
    const ranges = [];
    for (let at = letters.indexOf(wanted); at >= 0; at = letters.indexOf(wanted, at + wanted.length)) {
      ranges.push({ begin: from[at], end: from[at + wanted.length - 1] + 1, marks: [] });
    }
    if (!ranges.length) return [];
    let offset = 0;
    cues.forEach((cue, index) => {
      const text = texts[index];
      const parts = [];
      let done = 0;
      for (const { begin, end, marks } of ranges) {
        const [first, last] = [Math.max(begin - offset, done), Math.min(end - offset, text.length)];
        if (first >= last) continue;
        marks.push(element('mark', {}, text.slice(first, last)));
        parts.push(text.slice(done, first), marks.at(-1));
        done = last;
      }
      if (parts.length) cue.replaceChildren(...parts, text.slice(done));
      offset += text.length + 1;
    });
    return ranges.map(({ marks }) => marks).filter((marks) => marks.length);
  }

  function go(to) {
    for (const mark of found[shown] || []) mark.classList.remove('now');
    shown = (to + found.length) % found.length;
    for (const mark of found[shown]) mark.classList.add('now');
    reveal(found[shown][0]);
    result.value = `${shown + 1} / ${found.length}`;
  }

  function seek() {
    for (const cue of box.querySelectorAll('[data-at]')) if (cue.firstElementChild) cue.textContent = cue.textContent;
    const wanted = folded(field.value.trim().replace(/\s+/g, ' ')).letters;
    found = wanted ? [...box.children].flatMap((paragraph) => markIn(paragraph, wanted)) : [];
    shown = 0;
    result.value = wanted && !found.length ? result.dataset.none : '';
    if (found.length) go(0);
  }
  field?.addEventListener('input', seek);
  field?.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !found.length) return;
    event.preventDefault();
    go(shown + (event.shiftKey ? -1 : 1));
  });
  if (search) search.hidden = false;
  if (details?.dataset.captions) showFile().catch(() => {});
})();

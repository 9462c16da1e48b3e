// The transcript of captions whose text only their file has: it is shown once the file has come. Without this script, and
// if the file does not come, the page has none.
(() => {
  'use strict';

  const kParagraph = 15; // seconds
  const kMostBytes = 512 << 10;
  const kTiming = /^(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})[ \t]+-->/;
  const kEntities = { amp: '&', lt: '<', gt: '>', nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f' };

  // The cues of a WebVTT file, in the order of their times: { at, words }.
  const cuesOf = (file) => file.replace(/\r\n?/g, '\n').split(/\n{2,}/).flatMap((block) => {
    const lines = block.split('\n');
    const timing = lines.findIndex((line) => kTiming.test(line));
    if (timing < 0 || timing > 1) return [];
    const [, hours = '0', minutes, seconds] = kTiming.exec(lines[timing]);
    const words = lines.slice(timing + 1).join(' ').replace(/<[^>]*>/g, '')
      .replace(/&(\w+);/g, (whole, name) => kEntities[name] ?? whole).trim();
    return words ? [{ at: Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds), words }] : [];
  }).sort((a, b) => a.at - b.at);

  const clock = (seconds) => {
    const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
    const two = (number) => String(number).padStart(2, '0');
    return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
  };

  const show = async (place) => {
    const response = await fetch(place.dataset.captions, { credentials: 'omit' });
    const file = response.ok ? await response.text() : '';
    if (!/^\ufeff?WEBVTT/.test(file) || file.length > kMostBytes) return;
    let paragraph;
    const into = place.querySelector('div');
    for (const { at, words } of cuesOf(file)) {
      if (paragraph && at < paragraph.at + kParagraph) {
        paragraph.element.append(` ${words}`);
        continue;
      }
      const element = document.createElement('p');
      element.dir = 'auto';
      const link = Object.assign(document.createElement('a'), { href: `?time=${at}`, textContent: clock(at) });
      element.append(link, ` ${words}`);
      into.append(element);
      paragraph = { at, element };
    }
    place.hidden = !paragraph;
  };
  const place = document.querySelector('[data-captions]');
  if (place) show(place).catch(() => {});
})();

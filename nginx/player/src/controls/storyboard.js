// storyboard: the small pictures over the position bar. A WebVTT file has one cue per picture; its text is the
// URL of an image with a part of it, "#xywh=x,y,width,height" (Media Fragments URI 1.0 section 4.2.2).
import { isWebVtt, textOf } from './captions-file.js';
import { isRefused } from './renewal.js';

const kMost = 10000; // cues
const kWidest = 320; // pixels of a picture

const seconds = (text) => text.split(':').reduce((sum, part) => 60 * sum + Number(part), 0);

// The pictures of a storyboard: { from, to, url, x, y, width, height }, times in seconds. Leaves out cues that
// name no part of an http(s) image, or too large a part. `base` is the file's own URL.
export function pictures(text, base) {
  const found = [];
  if (!isWebVtt(text)) return found;
  const cue = /^((?:\d+:)?\d\d:\d\d\.\d{3})[ \t]+-->[ \t]+((?:\d+:)?\d\d:\d\d\.\d{3})[^\r\n]*\r?\n([^\r\n]+)/gm;
  for (const [, from, to, address] of text.matchAll(cue)) {
    const part = /^(.*)#xywh=(?:pixel:)?(\d+),(\d+),(\d+),(\d+)$/.exec(address.trim());
    let url;
    try { url = new URL(part[1], base); } catch { continue; }
    const [x, y, width, height] = part.slice(2).map(Number);
    if (!/^https?:$/.test(url.protocol) || !width || !height || width > kWidest || height > kWidest) continue;
    found.push({ from: seconds(from), to: seconds(to), url: url.href, x, y, width, height });
    if (found.length === kMost) break;
  }
  return found;
}

// Loads a storyboard and its images when asked for the first picture.
export class Storyboard {
  // `renew(url)`: a file of the storyboard was refused.
  constructor(url, renew) {
    this.url = url;
    this.renew = renew;
    this.found = null;
    this.images = new Map(); // by URL: whether the image is loaded
  }

  // Returns the picture at a time; undefined while it is not loaded. Calls `later` when it may be
  // loaded.
  at(time, later) {
    if (!this.found) {
      this.found = [];
      this.load().then(later, () => {});
    }
    const picture = this.found.find(({ from, to }) => time >= from && time < to);
    if (!picture) return undefined;
    if (!this.images.has(picture.url)) {
      this.images.set(picture.url, false);
      const image = new Image();
      image.onload = () => {
        this.images.set(picture.url, true);
        later();
      };
      image.onerror = async () => {
        if (await isRefused(picture.url) && await this.renew(this.url)) later();
      };
      image.src = picture.url;
    }
    return this.images.get(picture.url) ? picture : undefined;
  }

  async load() {
    const response = await fetch(this.url, { credentials: 'omit' });
    if (response.ok) this.found = pictures(await textOf(response), this.url);
    else if (response.status === 403) await this.renew(this.url);
  }
}

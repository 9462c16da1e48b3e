// levels: the qualities of a multivariant playlist.

// [{ url, height, bandwidth }], largest first, one per height; from the text of the playlist.
export function parse(text, base) {
  const found = new Map();
  const lines = text.split(/\r?\n/);
  lines.forEach((line, at) => {
    if (!line.startsWith('#EXT-X-STREAM-INF:')) return;
    const height = Number((/RESOLUTION=\d+x(\d+)/.exec(line) || [])[1] || 0);
    const bandwidth = Number((/[:,]BANDWIDTH=(\d+)/.exec(line) || [])[1] || 0);
    const uri = lines.slice(at + 1).find((next) => next && !next.startsWith('#'));
    if (!height || !uri) return;
    const known = found.get(height);
    if (known && known.bandwidth >= bandwidth) return;
    found.set(height, { url: new URL(uri, base).href, height, bandwidth });
  });
  return [...found.values()].sort((a, b) => b.height - a.height);
}

// Returns the indexes of the levels between qualityMin and qualityMax; all indexes if the range
// does not contain any level.
export function within(levels, min, max) {
  const all = levels.map((_, index) => index);
  const left = all.filter((index) => !levels[index].height ||
    (levels[index].height >= (min || 0) && levels[index].height <= (max || Infinity)));
  return left.some((index) => levels[index].height) ? left : all;
}

// The text of a manifest and the URL that it came from; null if it does not come.
export async function text(url) {
  try {
    const response = await fetch(url, { credentials: 'omit' });
    return response.ok ? { url: response.url, text: await response.text() } : null;
  } catch { return null; } // what plays it asks again, and reports the failure
}

// The URL of the largest rendition between qualityMin and qualityMax; null if all are, or it is unknown.
export async function rendition(url, { qualityMin, qualityMax }) {
  const found = await text(url);
  if (!found) return null; // the video's own request reports the failure
  const levels = parse(found.text, url);
  const left = within(levels, qualityMin, qualityMax);
  return left.length < levels.length ? levels[left[0]].url : null;
}

// renewal: asks for the new addresses of a media's files (player/renewal.js).
const kAddresses = ['manifest', 'mp4', 'poster', 'storyboard', 'captions'];
const kPause = 5000; // ms between two requests of a media's facts

const has = (media, url) => JSON.stringify(kAddresses.map((name) => media[name])).includes(url);
const asked = new WeakMap(); // by media: { at, done }

// The address `url` of a file was refused: asks for the media's facts by `again(id)`, once for all files that are refused
// then. Returns whether the media has other addresses now.
export async function renew(media, url, again) {
  if (!has(media, url)) return true;
  let last = asked.get(media);
  if (!last || performance.now() - last.at > kPause) {
    last = { at: performance.now(), done: again(media.id).then((now) => {
      for (const name of kAddresses) media[name] = now?.[name] || media[name];
    }, () => {}) };
    asked.set(media, last);
  }
  await last.done;
  return !has(media, url);
}

// Whether that address is refused. Browsers hide the reason why a picture fails.
export async function isRefused(url) {
  try {
    return (await fetch(url, { method: 'HEAD', credentials: 'omit' })).status === 403;
  } catch { return false; }
}

// The media's poster could not be shown: `shown(url)` is told its new address, if that has ended.
export async function posterOf(media, poster, again, shown) {
  if (await isRefused(poster) && await renew(media, poster, again)) shown(media.poster);
}

// renewal: new addresses of a media's files. Those of files that not everybody may watch end, whatever a viewer does in the
// meantime; the first file that is refused (403) brings new ones for all.
const kAddresses = ['manifest', 'mp4', 'poster', 'storyboard', 'captions'];
const kPause = 5000; // ms between two requests of a media's facts

// Whether an address of ours ends.
export const isSigned = (url) => /\/signed-files\/|[?&]watch=/.test(url);

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

// Whether that address is refused. A browser does not tell why it shows no picture.
export async function isRefused(url) {
  try {
    return (await fetch(url, { method: 'HEAD', credentials: 'omit' })).status === 403;
  } catch { return false; }
}

// If the image cannot show the media's poster because its address has ended, it gets the new one; `shown(url)` is told.
export function watch(image, media, again, shown = (url) => { image.src = url; }) {
  const { poster } = media;
  if (image.src !== poster) return;
  image.addEventListener('error', async () => {
    if (await isRefused(poster) && await renew(media, poster, again)) shown(media.poster);
  }, { once: true });
}

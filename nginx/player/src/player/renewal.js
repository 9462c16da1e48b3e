// renewal: new addresses of a media's files. If only some viewers may watch a media, the addresses of its files end, also
// during play; the first refused file (403) renews all. controls/renewal.js does it, which is loaded then.

// Whether an address of ours ends.
export const isSigned = (url) => /\/signed-files\/|[?&]watch=/.test(url);

// If the image cannot show the media's poster because its address has ended, it gets the new one; `shown(url)` is told.
export function watch(image, media, again, shown = (url) => { image.src = url; }) {
  const { poster } = media;
  if (image.src !== poster) return;
  image.addEventListener('error', () => {
    window.svc.part('controls').then(({ posterOf }) => posterOf(media, poster, again, shown), () => {});
  }, { once: true });
}

// renewal: new addresses of a media's files. Those of files that not everybody may watch end, whatever a viewer does in the
// meantime; the first file that is refused (403) brings new ones for all. How is in controls/renewal.js, which is loaded then.

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

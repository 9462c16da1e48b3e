// seo: a video as schema.org describes it, for search engines that read the page.
import { isSigned } from './renewal.js';

// Adds the description to the page's head; returns the element. A data block needs no permission of the
// page's Content-Security-Policy, and its text is never parsed as markup.
export function describe(host, { id, title, poster, duration, width, height, mp4, manifest, url }) {
  // What ends is of no use for search engines.
  const file = [mp4, manifest].find((each) => each && !isSigned(each));
  const element = document.createElement('script');
  element.type = 'application/ld+json';
  // Not textContent, which throws under Trusted Types.
  element.append(JSON.stringify({ '@context': 'https://schema.org', '@type': 'VideoObject',
    name: title || 'Video', url,
    thumbnailUrl: poster, duration: duration ? `PT${Math.round(duration)}S` : undefined, width, height,
    embedUrl: `${host}/embed/iframe/${id}`, contentUrl: file }));
  document.head.append(element);
  return element;
}

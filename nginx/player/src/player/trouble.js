// trouble: the kinds of failures, and their messages.
import { button, css, kFill, kFont, kLeft, make, ringed } from './dom.js';
import { translatable } from './words.js';

// The same words as on the service's own pages.
const kWords = {
  gone: [translatable('No such video'), translatable('It may have been removed by its owner.')],
  closed: [translatable('This video is private'), translatable('Ask its owner for a link. Links expire.')],
  elsewhere: [translatable('Not shown here'), translatable('This video may not be shown on this site.')],
  processing: [translatable('Nothing to play here'), translatable('This is not a video, or it is still being processed.')],
  away: [translatable('Not available just now'), translatable('The service did not answer. The player tries again by itself.')],
  network: [translatable('The connection was lost'), translatable('The player tries again by itself.')],
  unplayable: [translatable('This browser cannot play the video'), ''],
};
export const kPassing = new Set(['away', 'network']);

// Returns the kind of trouble for an HTTP status; 0 means that the request got no response.
export function troubleOf(status) {
  if (status === 404 || status === 410) return 'gone';
  if (status === 403) return 'elsewhere';
  if (status === 501) return 'processing';
  return status ? 'away' : 'network';
}

// The same for a file of the video. Its address may have ended, but the page around it may show it.
export const fileTroubleOf = (status) => (status === 403 ? 'closed' : troubleOf(status));

// Why the browser refused that URL. A media element does not tell a status from a format.
export async function diagnose(url) {
  try {
    const response = await fetch(url, { method: 'HEAD', credentials: 'omit', cache: 'no-store' });
    return response.ok ? 'unplayable' : fileTroubleOf(response.status);
  } catch {
    return 'network';
  }
}

// Seconds until the try number `tries` (from 1 on): 2, 4, 8, up to 60.
export const pause = (tries) => Math.min(60, 2 ** Math.min(tries, 6));

// Shows the message of a failure on the whole of `box`, in the language of `words`. `again` is called by the button,
// `link` opens in a new tab.
export function notice(box, kind, words, { poster, link, again } = {}) {
  const { say } = words;
  const [title, text] = kWords[kind].map((each) => say(each));
  // Its own ground, so that it can be read over any poster.
  const inner = make('div', {}, { position: 'relative', 'max-width': '100%', padding: '8px 12px',
    'box-sizing': 'border-box', 'border-radius': '6px', background: 'rgba(28, 29, 32, 0.85)' },
    make('strong', {}, { display: 'block' }, title), make('span', {}, {}, text));
  if (again) {
    const retry = button('', { display: 'block', margin: '8px auto 0', padding: '6px 16px',
      'min-height': '44px', 'border-radius': '4px', color: '#000', background: '#fff' }, say('Try again'));
    retry.addEventListener('click', again);
    inner.append(retry);
  }
  if (link) {
    inner.append(make('br'), ringed(make('a', { href: link.url, target: '_blank', rel: 'noopener',
      dir: 'auto' }, { color: '#9ecbff', 'text-decoration': 'underline' }, link.title)));
  }
  const element = make('div', { role: 'status', lang: words.tag, 'data-svc-notice': kind },
    { ...kFont, ...kLeft, ...kFill, display: 'flex', 'align-items': 'center', 'justify-content': 'center',
      'text-align': 'center', 'box-sizing': 'border-box', padding: '4%', overflow: 'auto',
      background: '#1c1d20', color: '#fff', 'z-index': '3' });
  if (box.clientWidth < 260) css(element, { 'font-size': '13px' });
  if (poster) {
    element.append(make('img', { src: poster, alt: '' },
      { ...kFill, 'object-fit': 'contain', opacity: '0.3' }));
  }
  element.append(inner);
  box.append(element);
  return element;
}

// Calls `run` after the pause for that try, or as soon as the browser is online again; returns what
// cancels it.
export function later(tries, run) {
  let over = false;
  const once = () => {
    if (over) return;
    stop();
    run();
  };
  const timer = setTimeout(once, 1000 * pause(tries));
  const stop = () => {
    over = true;
    clearTimeout(timer);
    window.removeEventListener('online', once);
  };
  window.addEventListener('online', once);
  return stop;
}

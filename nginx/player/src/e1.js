// E-v1.js: turns our embed codes into players. Any page may load it, any number of times, before or
// after its embed codes.
import { begin, svc } from './loader.js';
import { every, methods, treeOf } from './roots.js';

const kCodes = '[class*="svc_async_"], [class*="svc_playlist_"], dialog[data-svc-dialog]';
const kChanges = { childList: true, subtree: true };

// Calls `load` once the page, or an open shadow root of it, has a code that needs the player. An iframe brings its own.
function whenNeeded(load) {
  if (svc.look) return; // a second load
  let found = false;
  const observer = new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) if (node.nodeType === 1) look(node);
  });
  const look = (root) => {
    if (found) return;
    const { matches, querySelector } = methods(root);
    if (matches?.call(root, kCodes) || querySelector.call(root, kCodes)) {
      found = true;
      observer.disconnect();
      load();
      return;
    }
    for (const each of [...matches ? [root] : [], ...every(root, '*')]) {
      const tree = treeOf(each);
      if (!tree) continue;
      observer.observe(tree, kChanges);
      look(tree);
    }
  };
  svc.look = () => look(document); // until the player has its own
  observer.observe(document, kChanges);
  svc.look();
}

// A player that starts in one of our frames pauses those in the others, as the player itself does once it is here.
function tellFrames({ data, source }) {
  if (svc.players || !data || data.svc !== 'playing') return;
  const frames = every(document, 'iframe').filter(({ src }) => src.startsWith(`${svc.host}/embed/`))
    .map(({ contentWindow }) => contentWindow);
  if (!frames.includes(source)) return;
  for (const frame of frames) if (frame !== source) frame.postMessage({ svc: 'pause' }, '*');
}

const isFirst = !svc.part;
begin(whenNeeded);
if (isFirst && svc.part) window.addEventListener('message', tellFrames);

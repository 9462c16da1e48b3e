// cover: the picture of an audio: its poster, or a tile of the player's colour, and its title.
import { icon, ink, kFill, kFont, make } from './dom.js';

const kSound = 'M12 3v10.6A4 4 0 1 0 14 17V7h4V3z';
// The height of the bar, which covers the lower part; for fingers one row, or two where there is room (controls/style.js).
const kBar = '68px';
const kTouchBar = 'clamp(52px, min(100cqw - 480px, 100cqh - 300px) * 99, 100px)';

// The video covers it, but lacks pictures, and may show captions.
export function cover(title, poster, colour) {
  const bar = matchMedia('(pointer: coarse)').matches ? kTouchBar : kBar;
  // All or nothing: a small tile shows nothing.
  const side = `clamp(0px, (100cqh - ${bar} - 80px) * 99, min(120px, 100cqh - ${bar} - 24px))`;
  const tile = { flex: 'none', width: side, height: side, 'margin-inline-end': `min(16px, ${side})`, 'border-radius': '8px', overflow: 'hidden' };
  const picture = poster ? make('img', { src: poster, alt: '' }, { ...tile, 'object-fit': 'cover' })
    : make('span', {}, { ...tile, display: 'grid', 'place-items': 'center', background: colour, color: ink(colour) },
      icon(kSound, '56%'));
  return make('div', { 'aria-hidden': 'true', 'data-svc-cover': '' }, { ...kFont, ...kFill, display: 'flex',
    'align-items': 'center', padding: `4px 16px ${bar}`, 'box-sizing': 'border-box', overflow: 'hidden',
    color: '#fff', background: '#1c1d20' }, picture,
  make('span', { dir: 'auto' }, { flex: '1', 'min-width': '0', 'font-size': 'clamp(15px, 3.6cqw, 22px)',
    'font-weight': '600', overflow: 'hidden', display: '-webkit-box', '-webkit-box-orient': 'vertical',
    '-webkit-line-clamp': '2', 'overflow-wrap': 'anywhere' }, title));
}

// playlist: the list of videos next to or below a player.
import { button, clock, css, kFill, kFont, make, place } from './dom.js';

// The list's colours, dark and light: ground, text, durations, the current entry's ground.
const kDark = ['#17181b', '#f2f2f2', '#b9bdc4', '#34383f'];
const kLight = ['#fff', '#1c1d20', '#555a63', '#dde1e7'];

export class Playlist {
  constructor(player, playlist) {
    this.player = player;
    this.videos = playlist.videos;
    this.at = -1;
    player.playlist = this;
    this.options = player.options; // those of all videos
    const [ground, text, faint, mark] = this.options.light ? kLight : kDark;
    this.mark = mark;

    this.buttons = this.videos.map((media, index) => {
      const title = media.title || player.say('Video {number}', { number: index + 1 });
      const entry = button('', { display: 'flex', gap: '8px', width: '100%', padding: '10px 12px',
        'min-height': '44px', 'box-sizing': 'border-box', 'text-align': 'start', color: text,
        'font-size': '14px', background: 'transparent',
        'border-inline-start': '4px solid transparent' },
        make('span', { dir: 'auto' }, { flex: '1', overflow: 'hidden', 'overflow-wrap': 'anywhere',
          display: '-webkit-box', '-webkit-box-orient': 'vertical', '-webkit-line-clamp': '2' },
          title),
        make('span', {}, { color: faint }, media.duration ? clock(media.duration) : ''));
      entry.addEventListener('click', () => this.go(index));
      return entry;
    });
    this.list = make('ol', { 'aria-label': playlist.title || player.say('Videos'), role: 'list' },
      { ...kFont, margin: '0', padding: '0', 'list-style': 'none', overflow: 'auto',
        background: ground, flex: 'none', position: 'relative' },
      ...this.buttons.map((entry) => make('li', {}, { margin: '0', padding: '0' }, entry)));
    this.list.addEventListener('keydown', (event) => this.onKey(event));
    if (this.options.playlistLinks) {
      document.addEventListener('click', (event) => this.onLink(event), { signal: player.over.signal });
    }
  }

  // The list is next to the video, or below it if the video would become too small. There an embed
  // code with a size grows; a frame and a dialog cannot, so that the list gets a part and scrolls.
  show() {
    const { player, list } = this;
    const { box, stage } = player;
    const ratio = box.style.aspectRatio;
    const outer = make('div', {}, { background: '#000' });
    css(stage, { position: 'relative', 'min-width': '0', 'min-height': '0', width: 'auto',
      height: 'auto' });
    player.show();
    outer.append(stage, list);
    box.append(outer);
    let before;
    const arrange = () => {
      const narrow = box.clientWidth < 520;
      if (narrow === before) return;
      before = narrow;
      const grows = narrow && ratio;
      if (ratio) place(box, { 'aspect-ratio': grows ? 'auto' : ratio });
      css(outer, { ...kFill, display: 'flex', 'flex-direction': narrow ? 'column' : 'row',
        ...(grows && { position: 'relative', height: 'auto' }) });
      css(stage, { flex: grows ? 'none' : '1', 'aspect-ratio': grows ? ratio : 'auto' });
      css(list, { width: narrow ? 'auto' : 'min(32%, 320px)',
        'max-height': grows ? '220px' : narrow ? '40%' : 'none' });
      this.reveal();
    };
    // Not inside the observer's own turn, where a new size would be an error event of the page.
    const resized = new ResizeObserver(() => requestAnimationFrame(arrange));
    resized.observe(box);
    player.over.signal.addEventListener('abort', () => resized.disconnect());
    arrange();
  }

  go(index, play = true, time = undefined) {
    const media = this.videos[index];
    if (!media) return;
    this.at = index;
    this.player.customize(media, index);
    this.player.start(media, { play, time: time ?? this.player.options.time });
    this.buttons.forEach((entry, i) => {
      const current = i === index;
      if (current) entry.setAttribute('aria-current', 'true');
      else entry.removeAttribute('aria-current');
      css(entry, { 'font-weight': current ? '700' : '400',
        background: current ? this.mark : 'transparent',
        'border-inline-start-color': current ? this.player.colour : 'transparent' });
    });
    this.reveal();
  }

  // The current entry; not by scrollIntoView, which would scroll the page too.
  reveal() {
    const { list, at } = this;
    if (at < 0) return;
    const entry = this.buttons[at].parentNode;
    if (entry.offsetTop < list.scrollTop) list.scrollTop = entry.offsetTop;
    const bottom = entry.offsetTop + entry.offsetHeight - list.clientHeight;
    if (bottom > list.scrollTop) list.scrollTop = bottom;
  }

  // Returns true if another video begins.
  ended() {
    const last = this.at === this.videos.length - 1;
    if (last && !this.player.options.playlistLoop) return false;
    this.go(last ? 0 : this.at + 1);
    return true;
  }

  // A link of the page to #svc_ID plays that video.
  onLink(event) {
    const link = !event.defaultPrevented && event.composedPath()[0].closest?.('a[href^="#svc_"]');
    const index = link ? this.videos.findIndex(({ id }) => link.hash === `#svc_${id}`) : -1;
    if (index < 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.go(index);
  }

  onKey(event) {
    const from = this.buttons.indexOf(this.list.getRootNode().activeElement);
    const end = this.buttons.length - 1;
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: end }[event.key];
    if (from < 0 || to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.buttons[Math.min(end, Math.max(0, to))].focus();
  }
}

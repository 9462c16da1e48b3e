// captions: the tracks of a player, the choice among them, and the message if a track fails to
// load.
//
// Each track is a <track> of ours, empty until the viewer has chosen it and the video plays. A side file is
// fetched and given to the browser as a blob: a <track> with another site's URL needs
// <video crossorigin>, which only plays videos with CORS. The cues of segmented captions come from hls.js.
import { choose, chosen } from './choices.js';
import { css, kFont, make } from './dom.js';

const kShownFor = 6000; // ms

const same = (a, b) => String(a).toLowerCase() === String(b).toLowerCase();

// Which of these captions ({ language, label, default }) to begin with, given the viewer's choice: the same
// label and language, else the same language, else the default. Undefined for none.
export function preferred(list, choice) {
  if (choice && !choice.length) return undefined;
  const [language, label] = choice || [];
  return (choice && (list.find((each) => same(each.language, language) && each.label === label) ||
    list.find((each) => same(each.language, language)))) || list.find((each) => each.default);
}

export class Captions {
  constructor(player) {
    this.player = player;
    this.own = [];
    this.chosen = null; // an entry of list()
    this.applied = null; // the entry whose track this object has switched on
    player.video.textTracks.addEventListener('change', () => this.follow());
  }

  // Begins with the captions of the next media and removes those of the former.
  start(captions = []) {
    this.clear();
    for (const facts of captions) {
      if (facts.segmented && !this.canSegment()) continue;
      const element = make('track', { kind: 'captions', srclang: facts.language, label: facts.label });
      const entry = { ...facts, element, track: element.track, seen: new Set() };
      element.addEventListener('cuechange', () => this.player.changed()); // they lift it
      this.own.push(entry);
      this.player.video.append(element);
    }
    this.chosen = preferred(this.own, chosen('captions', this.player.options)) || null;
  }

  clear() {
    this.applied = this.chosen = this.last = null;
    // Chromium keeps a video whose captions show in memory, also without its page.
    for (const { track } of this.list()) track.mode = 'disabled';
    for (const entry of this.own) this.drop(entry);
    this.own = [];
    this.silence();
  }

  drop(entry) {
    entry.element.remove();
    if (entry.blob) URL.revokeObjectURL(entry.blob);
    entry.gone = true;
    if (entry.abort) entry.abort.abort();
  }

  // Segmented captions are in the manifest; a file that plays has none.
  canSegment() {
    return this.player.ways().some(({ kind }) => kind === 'hls');
  }

  // Called once the way to play is known: drops the captions that it does not support.
  attached(way) {
    if (way.kind !== 'hls') {
      for (const entry of this.own.filter(({ segmented }) => segmented)) {
        if (this.chosen === entry) this.chosen = null;
        if (this.applied === entry) this.applied = null;
        this.drop(entry);
      }
      this.own = this.own.filter(({ gone }) => !gone);
    }
    this.apply();
    this.player.changed();
  }

  // All captions that there are to choose from: ours, and those that the browser found in the manifest.
  list() {
    const ours = new Set(this.own.map(({ track }) => track));
    return [...this.own, ...[...this.player.video.textTracks]
      .filter((track) => !ours.has(track) && (track.kind === 'captions' || track.kind === 'subtitles'))
      .map((track) => ({ track, label: track.label, language: track.language, native: true }))];
  }

  isShown(entry) {
    return Boolean(this.chosen && entry.track === this.chosen.track);
  }

  // The viewer's choice; null: off.
  choose(entry) {
    this.chosen = entry;
    if (entry) this.last = entry;
    choose('captions', entry ? [entry.language, entry.label] : [], this.player.options);
    this.silence();
    this.apply();
    this.player.changed();
  }

  toggle() {
    const list = this.list();
    if (this.chosen) this.choose(null);
    else if (list.length) this.choose(this.last || list.find((each) => each.default) || list[0]);
  }

  // Makes the choice true, once something plays: before, nothing is loaded.
  async apply() {
    const { player, chosen } = this;
    if (!player.started) return;
    const before = this.applied;
    this.applied = null;
    for (const { track } of this.list()) {
      if (!chosen || track !== chosen.track) track.mode = 'disabled';
    }
    if (player.source) player.source.caption(chosen && chosen.segmented ? chosen.label : null);
    if (!chosen) return;
    if (!chosen.native && !chosen.segmented && !chosen.blob) {
      // At most one request at a time for a file.
      chosen.loading ||= this.load(chosen).finally(() => { chosen.loading = null; });
      await chosen.loading;
      if (this.chosen !== chosen || chosen.gone || !chosen.blob) return;
    }
    this.applied = chosen;
    chosen.track.mode = 'showing';
    if (before !== chosen) player.changed();
  }

  async load(entry) {
    try {
      const { captionsOf } = await window.svc.part('controls');
      const text = await captionsOf(entry, this.player);
      if (entry.gone) return;
      entry.blob = URL.createObjectURL(new Blob([text], { type: 'text/vtt' }));
      entry.element.src = entry.blob;
    } catch {
      this.fail(entry);
    }
  }

  // Segmented captions did not come.
  lost(label) {
    this.fail(this.own.find((each) => each.segmented && each.label === label));
  }

  // Nothing is shown now, and the next toggle() tries again. The viewer's choice stays.
  fail(entry) {
    if (!entry || entry.gone || this.chosen !== entry) return;
    this.chosen = this.applied = null;
    this.last = entry;
    entry.track.mode = 'disabled';
    this.tell(this.player.say('The captions “{label}” could not be loaded.', { label: entry.label }));
    this.player.changed();
  }

  // Cues of segmented captions, some of them again after a seek or a reconnection.
  add(label, cues) {
    const entry = this.own.find((each) => each.segmented && each.label === label);
    if (!entry) return;
    for (const cue of cues) {
      const name = `${cue.startTime} ${cue.endTime} ${cue.text}`;
      if (entry.seen.has(name)) continue;
      entry.seen.add(name);
      entry.track.addCue(cue);
    }
  }

  // The browser's own controls switched tracks.
  follow() {
    const shown = this.list().find(({ track }) => track.mode === 'showing') || null;
    const now = shown && shown.track;
    if (now === (this.applied && this.applied.track)) return;
    if (shown || this.applied) this.choose(shown);
  }

  // Shows an error in a corner of the video, which continues to play.
  tell(text) {
    this.silence();
    this.words = make('div', { role: 'status', lang: this.player.words.tag, dir: 'auto', 'data-svc-captions': '' },
      { ...kFont, position: 'absolute', left: '8px', top: '8px', 'max-width': 'calc(100% - 16px)', 'z-index': '2',
        'box-sizing': 'border-box', padding: '6px 10px', 'border-radius': '4px', color: '#fff',
        'font-size': '13px', background: 'rgba(28, 29, 32, 0.85)', 'pointer-events': 'none' }, text);
    this.player.stage.append(this.words);
    this.timer = setTimeout(() => this.silence(), kShownFor);
  }
  silence() {
    clearTimeout(this.timer);
    if (this.words) this.words.remove();
    this.words = null;
  }
}

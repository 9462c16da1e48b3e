// viewing: counts which parts of a media are seen, and tells the service (README.md, "How viewing is counted").
//
// The unit is a hundredth of the duration. A hundredth is seen when playback passes its middle, so a media that is
// watched once has each of them once, wherever the events of the video fall. Positions are counted without a clock, so the
// speed and throttled timers do not matter.
const kParts = 100;
const kPause = 15000; // milliseconds between two beacons while it plays
const kLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

// Adds the hundredths whose middle is in [from, to) to `seen`: how often each was seen, up to twice. The positions are
// in hundredths; NaN adds nothing.
export function pass(seen, from, to) {
  seen.forEach((times, i) => { if (i + 0.5 >= from && i + 0.5 < to && times < 2) seen[i]++; });
}

// Returns the hundredths that `seen` has more often than `told`, as ranges, twice if seen twice; '' without any.
export function ranges(seen, told) {
  const found = [];
  const times = (i) => (seen[i] > told[i] ? seen[i] : 0);
  for (let from = 0, i = 1; i <= kParts; i++) {
    if (i < kParts && times(i) === times(from)) continue;
    for (let n = times(from); n; n--) found.push(`${from}-${i - 1}`);
    from = i;
  }
  return found.join();
}

// Returns a second in hundredths. NaN for a media without an end: it never counts as seen.
export const hundredths = (second, duration) => (duration > 0 && duration < 1 / 0 ? (second * kParts) / duration : NaN);

// Until where the video has played from that second on, of its `played`.
export function reached(played, second) {
  for (let i = played.length; i--;) if (played.start(i) <= second && second < played.end(i)) return played.end(i);
  return second;
}

// A page may forbid the request, also by its policy: then viewing is not counted, and the player continues.
function send(url, body) {
  try {
    if (navigator.sendBeacon(url, body)) return;
  } catch { /* not in this browser */ }
  fetch(url, { method: 'POST', body, keepalive: true, mode: 'no-cors', credentials: 'omit' }).catch(() => {});
}

// Counts the plays of a player: begin(media, options) when it shows a media, end() when that leaves, note() before the
// video loses its position.
export function viewing({ video, over: { signal } }) {
  const sessions = new Map(); // by the id of the media: if it comes again in a playlist, its session continues
  let session; // the session of the player's media, if it is counted
  let second; // where the video was last, and when
  let when;
  let at; // the hundredths until which playback was noted
  let runs;
  let sent;
  const of = (time) => hundredths(time, video.duration);

  // Playback has come from `second` to where the video is.
  const note = () => {
    if (!session || video.seeking) return;
    second = video.currentTime;
    const to = of(second);
    pass(session.seen, at, to);
    if (!(to <= at)) at = to; // never back: a new duration moves all hundredths
    when = performance.now();
    runs = !video.paused && video.readyState > 2;
  };
  // The video has jumped. It played on since the last note, for up to 250 ms.
  const jump = () => {
    if (!session) return;
    if (runs) {
      const end = second + ((performance.now() - when) / 1000) * video.playbackRate;
      const known = reached(video.played, second); // much later if this part has played before
      pass(session.seen, at, of(known < end + 0.1 ? known : end));
    }
    runs = false;
    at = of(second = video.currentTime);
  };
  const tell = () => {
    note();
    const what = session && ranges(session.seen, session.told);
    if (!what) return;
    session.told.set(session.seen);
    sent = when;
    session.send(`seen ${what}`);
  };
  // A page that is prepared for a viewer who may never come is loaded when the viewer comes.
  const once = (what) => {
    if (!session || session[what] || document.prerendering) return;
    session[what] = true;
    sent = when;
    session.send(what);
  };
  const plays = () => {
    note();
    once('play');
  };
  const end = () => {
    tell();
    session = runs = null;
  };

  for (const [target, names, run] of [
    [video, 'play pause waiting ratechange', note],
    [video, 'timeupdate', () => {
      note();
      if (runs && when - sent >= kPause) tell();
    }],
    [video, 'playing', plays],
    [video, 'seeking emptied loadedmetadata', jump],
    [video, 'ended', tell],
    [window, 'pagehide', tell], // the page may come back: the session continues
    [document, 'prerenderingchange', () => once('load')],
    [document, 'visibilitychange', () => { if (document.hidden) tell(); }],
  ]) for (const name of names.split(' ')) target.addEventListener(name, run, { signal });

  const begin = ({ id, viewing: ticket }, { remembers }) => {
    if (!ticket || !remembers || navigator.globalPrivacyControl || navigator.doNotTrack === '1') return;
    session = sessions.get(id);
    if (!session) {
      session = { seen: new Uint8Array(kParts), told: new Uint8Array(kParts) };
      sessions.set(id, session);
      const name = [...crypto.getRandomValues(new Uint8Array(14))].map((byte) => kLetters[byte & 63]).join('') + ticket;
      session.send = (what) => send(`${window.svc.host}/embed/medias/${id}/viewing`, `v1 ${name} ${what}`);
    }
    once('load');
    jump();
    if (video.paused || video.readyState < 3) return;
    // The page's own video played before the player came.
    const { played } = video;
    for (let i = played.length; i--;) pass(session.seen, of(played.start(i)), of(played.end(i)));
    plays();
  };
  return { begin, end, note };
}

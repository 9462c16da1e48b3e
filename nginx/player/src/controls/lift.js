// lift: places cues above the bar while the bar is visible.

// The height of a row of a cue in pixels, and how many rows it takes at most: browsers do not tell, but their letters
// have a twentieth of the video's smaller side, times the viewer's choice.
let ruler;
function extent(cue, { clientWidth, clientHeight }, scale) {
  ruler ||= document.createElement('canvas').getContext('2d');
  ruler.font = `${0.05 * scale * Math.min(clientWidth, clientHeight)}px sans-serif`;
  const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = ruler.measureText('');
  // Words do not fill a row to its end.
  const width = 0.85 * clientWidth * (cue.size / 100);
  const rows = cue.getCueAsHTML().textContent.split('\n')
    .reduce((sum, text) => sum + Math.max(1, Math.ceil(ruler.measureText(text).width / width)), 0);
  return { row: Math.max(1, Math.round(up) + Math.round(down)), rows };
}

// Chromium lays a visible cue out again if its alignment changes, and not if only its line does.
function move(cue, line, snapToLines) {
  if (cue.line === line && cue.snapToLines === snapToLines) return;
  const { align } = cue;
  cue.snapToLines = snapToLines;
  cue.line = line;
  cue.align = align === 'start' ? 'end' : 'start';
  cue.align = align;
}

const places = new WeakMap(); // by cue: the place of its own

// Puts the cues of a track that are shown now above `room` pixels; 0: where they were. `scale`: of their letters.
export function lift(track, video, room, scale = 1) {
  const high = video.clientHeight || 1;
  let taken = room; // by the bar and the earlier cues
  for (const cue of (track && track.activeCues) || []) {
    if (cue.vertical) continue;
    if (!places.has(cue)) places.set(cue, [cue.line, cue.snapToLines]);
    const [line, snapToLines] = places.get(cue);
    const { row, rows } = extent(cue, video, scale);
    const top = snapToLines ? line * row + (line < 0 && high) : (line * high) / 100;
    if (!room || (line !== 'auto' && top + rows * row <= high - room)) {
      move(cue, line, snapToLines);
    } else {
      move(cue, -Math.ceil(taken / row) - rows, true);
      taken += rows * row;
    }
  }
}

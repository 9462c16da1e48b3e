// taps: touches of the picture. One shows the bar, or plays and pauses. Two at the left or right go 10 s back or on, and
// each further touch another 10 s.
const kDouble = 300; // ms between two taps
const kMore = 700; // ms between further ones
const kShown = 700; // ms
export const kStep = 10; // seconds

// `skip(seconds)` is null if the page allows no seeking; `show(side, seconds)` tells the viewer, side 0 ends it.
export function taps({ stage, isIdle, wake, toggle, skip, show }) {
  let last = { side: 0, at: -Infinity, count: 0 };
  let single;
  let shown;
  return {
    tap({ clientX, timeStamp }) {
      const { left, width } = stage.getBoundingClientRect();
      const part = (clientX - left) / width;
      const side = !skip ? 0 : part < 1 / 3 ? -1 : part > 2 / 3 ? 1 : 0;
      const again = side && side === last.side && timeStamp - last.at < (last.count ? kMore : kDouble);
      last = { side, at: timeStamp, count: again ? last.count + 1 : 0 };
      clearTimeout(single);
      if (again) {
        skip(side * kStep);
        show(side, kStep * last.count);
        clearTimeout(shown);
        shown = setTimeout(() => show(0), kShown);
      } else if (isIdle()) wake();
      else if (side) single = setTimeout(toggle, kDouble); // unless it is the first of two
      else toggle();
    },
    end() {
      clearTimeout(single);
      clearTimeout(shown);
    },
  };
}

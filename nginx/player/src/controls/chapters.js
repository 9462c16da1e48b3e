// chapters: the parts of a media, { at, title }, ascending: the marks in the bar.
import { bare } from '../player/dom.js';

// The chapter at a time; undefined before the first.
export const at = (list, time) => list.findLast((each) => each.at <= time + 0.01);

// Puts a mark where each chapter begins, other than at the ends. The same chapters leave them as they are.
export function marks(place, list, duration) {
  const wanted = duration ? list.map((each) => each.at / duration).filter((part) => part > 0 && part < 1) : [];
  if (place.wanted?.join() === wanted.join()) return;
  place.wanted = wanted;
  place.replaceChildren(...wanted.map((part) => {
    const mark = bare('i', {});
    mark.style.setProperty('--part', part);
    return mark;
  }));
}

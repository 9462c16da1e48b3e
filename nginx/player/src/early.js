// early: a handle for the time before its player is loaded.
import { kMethods } from './player/names.js';

// The empty player's results of calls without an argument; all other calls are stored.
const kUnknown = { time: 0, volume: 1, duration: 0, playbackRate: 1, state: 'beforeplay', isMuted: false,
  inFullscreen: false, current: null, email: null };

// Returns { handle, take }: an object with the methods of a handle, which stores calls and returns the values of an
// empty player until take(player) is called, and then is that player's.
export function early() {
  let kept = [];
  const handle = {};
  let player = null;
  for (const method of kMethods) {
    handle[method] = (...values) => {
      if (player) {
        const answer = player[method](...values);
        return answer === player ? handle : answer;
      }
      if (method in kUnknown && !values.length) return kUnknown[method];
      // As in the player, play() and ready() return promises, and bind() a function that unbinds.
      let answer = handle;
      let settle = () => {};
      if (method === 'play' || method === 'ready') {
        answer = new Promise((resolve) => { settle = resolve; });
        answer.catch(() => {});
      }
      let result;
      let ended = false;
      if (method === 'bind') answer = () => { ended = true; if (result) result(); };
      kept.push(() => {
        if (ended) return;
        result = player[method](...values);
        settle(result);
      });
      return answer;
    };
  }
  const take = (found) => {
    player = found;
    for (const call of kept) call();
    kept = [];
  };
  return { handle, take };
}

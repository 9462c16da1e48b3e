// playlist-v1.js: svc.playlist("ID", {options}) for the playlist embed code, whose inline script runs
// right after this file and needs the result immediately:
//
//   <div id="svc_ID" class="svc_embed" ...></div>
//   <script src=".../playlist-v1.js"></script>
//   <script>svcPlaylist = svc.playlist("ID", {...});</script>
//
// The player itself is loaded from here without blocking the page. Until it is loaded, the code's
// object stores calls and returns the values of an empty player.
import { begin } from './loader.js';
import { kMethods } from './player/names.js';

const svc = (window.svc = window.svc || {});

function prepare() {
  // The empty player's results of calls without an argument; all other calls are stored.
  const kUnknown = { time: 0, volume: 1, duration: 0, playbackRate: 1, state: 'beforeplay', isMuted: false,
    inFullscreen: false, current: null, email: null };

  svc.waiting = [];
  svc.playlist = (id, options) => {
    const kept = [];
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
    svc.waiting.push(() => {
      player = svc.playlist(id, options); // the real function by now
      for (const call of kept) call();
    });
    return handle;
  };
}

if (!svc.playlist) prepare(); // else the player is here, or on its way
begin();

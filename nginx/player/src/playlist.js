// playlist-v1.js: svc.playlist("ID", {options}) for the playlist embed code, whose inline script runs
// right after this file and needs the result immediately:
//
//   <div id="svc_ID" class="svc_embed" ...></div>
//   <script src=".../playlist-v1.js"></script>
//   <script>svcPlaylist = svc.playlist("ID", {...});</script>
//
// The player itself is loaded from here without blocking the page. Until it is loaded, the code's
// object stores calls and returns the values of an empty player.
import { begin, svc } from './loader.js';
import { early } from './early.js';

function prepare() {
  svc.waiting = [];
  svc.playlist = (id, options) => {
    const { handle, take } = early();
    svc.waiting.push(() => { take(svc.playlist(id, options)); }); // the real function by now
    return handle;
  };
}

if (!svc.playlist) prepare(); // else the player is here, or on its way
begin();

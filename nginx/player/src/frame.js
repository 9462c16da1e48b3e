// frame-v1.js: the player in our own iframe pages.
//
//   <div class="svc_frame" data-media="ID"><video ...></video></div>      or data-playlist="ID"
//   with data-facts="JSON" if only some sites may show it
//
// The page's own <video> plays without this. With it come the options of the iframe's address, the
// list of a playlist, our controls, and HLS in browsers that do not play it.
import { begin, svc } from './loader.js';

begin();
if (svc.part) {
  svc.part('player').then((player) => {
    const options = Object.fromEntries(new URLSearchParams(location.search));
    for (const element of document.querySelectorAll('.svc_frame')) {
      window.svcEmbed = player.frame(element, options);
    }
  }, () => {});
}

// player.js, player@N.js: defines the element <svc-player>. Any page may load it, any number of times, before or after
// its elements.
//
//   <script src="https://EMBED_HOST/assets/player.js" async></script>
//   <svc-player media-id="ID"></svc-player>
import { begin, svc } from './loader.js';
import { define } from './component/element.js';

begin();
if (!svc.part) console.error('svc-player: unknown host. Load this file by <script src>, or set svc.host before.');
define();

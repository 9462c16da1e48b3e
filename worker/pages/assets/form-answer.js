// This page answers a form. A browser that loads it again, or comes back to it, opens `data-path` instead: the page itself is
// not stored, and its form must not be sent again. Without scripts, the browser asks whether to send it again.
'use strict';

history.replaceState(history.state, '', document.currentScript.dataset.path);

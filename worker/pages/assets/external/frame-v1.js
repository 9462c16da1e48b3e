// frame-v1.js: the player in our own iframe pages.
//
//   <div class="svc_frame" data-media="ID"><video ...></video></div>      or data-playlist="ID"
//
// The page's own <video> plays without this. With it come the options of the iframe's address, the
// list of a playlist, and other ways to play for browsers without HLS. The player is in E-v1.js, one
// source for embed codes and frames.
(() => {
  'use strict';

  const self = document.currentScript;
  const script = document.createElement('script');
  script.src = self.src.replace(/frame-v1\.js.*$/, 'E-v1.js');
  script.onload = () => {
    const options = Object.fromEntries(new URLSearchParams(location.search));
    for (const element of document.querySelectorAll('.svc_frame')) {
      window.svcEmbed = window.svc.frame(element, options);
    }
  };
  document.head.append(script);
})();

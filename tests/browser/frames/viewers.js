// viewers: Chromium and Firefox with pages of a stage, for films that only some viewers may watch, and the frames that others
// make of our oEmbed code.
'use strict';

const { after, before } = require('node:test');
const { launchChromium, launchFirefox } = require('../browsers.js');
const { kPatience } = require('../patience.js');

// The ways of both libraries to wait for something in a page or a frame.
const kWaits = {
  Chromium: (place, what) => place.waitForFunction(what, undefined, kPatience),
  Firefox: (place, what) => place.waitForFunction(what, kPatience),
};

// Opens both, and closes them with the stage. Returns the functions that open a page.
function viewersOf(stage) {
  let firefox;
  before(async () => {
    await stage.open({ browser: false });
    stage.browser = await launchChromium('--disable-features=LocalNetworkAccessChecks');
    firefox = await launchFirefox();
  });
  after(async () => {
    await firefox?.close();
    await stage.close();
  });
  return {
    Chromium: async () => (await stage.browser.newContext()).newPage(),
    Firefox: () => firefox.newPage(),
  };
}

const frameOf = async (page) => (await page.waitForSelector('iframe')).contentFrame();

// In a page or a frame.
const plays = () => {
  const host = document.querySelector('svc-player');
  const video = (host?.shadowRoot || document).querySelector('video');
  return Boolean(video && video.currentTime > 0.5 && video.videoWidth > 0);
};

// The frame of a code with these of its attributes, and more.
function frameWith(html, kept, more, suffix = '') {
  const [, attributes] = /<iframe ([^>]*)>/.exec(html);
  const found = kept.map((name) => new RegExp(`(?<![\\w-])${name}(="[^"]*")?(?= |$)`).exec(attributes)?.[0] || '');
  return `<iframe ${more} ${found.join(' ').replace(/(src="[^"]*)"/, `$1${suffix}"`)}></iframe>`;
}

const kSecret = 'aB3dE6gH9j';
// What programs that ask for oEmbed show of a code by default, by the names of their filters.
const kConsumers = {
  // WordPress: wp_filter_oembed_result().
  WordPress: (html) => frameWith(
    html, ['src', 'width', 'height', 'frameborder', 'marginwidth', 'marginheight', 'scrolling', 'title'],
    `class="wp-embedded-content" sandbox="allow-scripts" security="restricted" data-secret="${kSecret}"`, `#?secret=${kSecret}`),
  // Mastodon: what its sanitizer keeps of an embed code.
  Mastodon: (html) => frameWith(
    html, ['allowfullscreen', 'frameborder', 'height', 'scrolling', 'src', 'width'],
    'sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms"'),
};
// The size that they ask for.
const kAsked = { maxwidth: '600', maxheight: '900' };

module.exports = { frameOf, kAsked, kConsumers, kWaits, plays, viewersOf };

'use strict';

// Guards against hangs of a step; a whole test may take as long as its suite: a busy machine fails none. Milliseconds. A first try of two may have less.
const kPatience = { timeout: Number(process.env.SVC_PATIENCE_MS) || 300_000 };

// Calls `look`, once per pause, until it returns a true value, and returns that.
async function until(look, what, pause = 100) {
  for (const end = Date.now() + kPatience.timeout; ;) {
    const value = await look();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited without success: ${what}`);
    await new Promise((resolve) => { setTimeout(resolve, pause); });
  }
}

// The picture that `take` returns twice in a row: nothing is being painted.
function atRest(take) {
  let last = '';
  return until(async () => {
    const before = last;
    last = await take();
    return last === before && last;
  }, 'the picture comes to rest', 200);
}

// Sets `window.isCopied` in the page once a button shows `Copied`. The word disappears after two seconds, so on a busy
// machine a poll could miss it.
const noteCopies = (page) => page.evaluate(() => {
  window.isCopied = false;
  new MutationObserver((changes, observer) => {
    if (!changes.some(({ target }) => target.textContent === 'Copied')) return;
    window.isCopied = true;
    observer.disconnect();
  }).observe(document.body, { childList: true, subtree: true });
});

// Clicks a button that copies, and waits until it has.
async function copyBy(page, button) {
  await noteCopies(page);
  await button.click();
  await until(() => page.evaluate(() => window.isCopied), 'the button says Copied');
}

module.exports = { atRest, copyBy, kPatience, noteCopies, until };

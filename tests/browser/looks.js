// looks: what every page of ours shows, light and dark, wide and narrow: no problem that axe-core finds, nothing that
// overflows. It leaves pictures, to be looked at after a change.
'use strict';

const assert = require('node:assert/strict');
const { source } = require('axe-core');

// axe-core cannot tell the ground of a text in a drawing. Returns those with less contrast than 4.5:1 to the card around it.
const faintTexts = (page) => page.evaluate(() => {
  const light = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, at) => sum + one * [0.2126, 0.7152, 0.0722][at], 0);
  const groundOf = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    return /, 0\)$/.test(backgroundColor) ? groundOf(element.parentElement) : backgroundColor;
  };
  return [...document.querySelectorAll('svg text')].flatMap((text) => {
    const [dark, bright] = [light(getComputedStyle(text).fill), light(groundOf(text))].sort((a, b) => a - b);
    const contrast = (bright + 0.05) / (dark + 0.05);
    return contrast < 4.5 ? [`the text ${text.textContent} of a drawing: contrast ${contrast}`] : [];
  });
});

// Returns the problems that axe-core finds. `only` names the rules to check; otherwise all are.
async function findProblems(page, { only, frames = true } = {}) {
  await page.evaluate(source);
  const { violations, incomplete } = await page.evaluate((options) => window.axe.run({ exclude: [['svg text']] }, options), {
    // A page in a frame has tests of its own.
    ...(frames ? {} : { iframes: false }),
    ...(only ? { runOnly: only }
      : { rules: { 'target-size': { enabled: true }, ...(frames ? {} : { 'frame-tested': { enabled: false } }) } }),
    resultTypes: ['violations', 'incomplete'],
  });
  return [...violations, ...incomplete].map(({ id, nodes }) =>
    `${id}: ${nodes.map(({ html, any }) => `${html} ${any.map(({ message }) => message)}`).join(' | ')}`)
    .concat(await faintTexts(page));
}

// Returns everything that overflows the window.
const overflows = (page) => page.evaluate(() => {
  const found = [];
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide, the window ${clientWidth}`);
  for (const element of document.querySelectorAll('main *, header *')) {
    const box = element.getBoundingClientRect();
    if (box.width > 1 && (box.left < 0 || box.right > clientWidth + 0.5)) {
      found.push(`${element.tagName} "${element.textContent.slice(0, 30)}" from ${box.left} to ${box.right}`);
    }
  }
  return found;
});

// Checks the page in a window of each width, and calls `shot` with a name for each picture. The schemes differ in their
// colours only, and the colours are the same at each width, so the dark scheme needs one rule at the first width.
async function checkLooks(page, name, shot, { widths = { wide: 1000, narrow: 320 }, frames = true } = {}) {
  const [first] = Object.values(widths);
  await page.waitForLoadState(); // with its style sheets
  for (const [width, pixels] of Object.entries(widths)) {
    await page.setViewportSize({ width: pixels, height: 800 });
    // As high as the page, where nothing sticks above a text, whose colours axe-core could not see.
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    if (height > 800) await page.setViewportSize({ width: pixels, height });
    for (const scheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: scheme });
      const only = scheme === 'dark' ? ['color-contrast'] : undefined;
      if (scheme === 'light' || pixels === first) {
        assert.deepEqual(await findProblems(page, { only, frames }), [], `${name}, ${width}, ${scheme}`);
      }
      await shot(`${name}-${width}-${scheme}`);
    }
    assert.deepEqual(await overflows(page), [], `${name}, ${width}`);
    assert.ok(await page.locator('.primary').count() <= 1, `${name} has one primary action`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

module.exports = { checkLooks, findProblems, overflows };

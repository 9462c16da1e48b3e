// The player in pages that others build: policies with Trusted Types.
'use strict';

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const puppeteer = require('puppeteer-core');
const { kPatience, playsPast, Stage } = require('./stage.js');

const stage = new Stage();
before(() => stage.open());
after(() => stage.close());

// ---- Trusted Types ----------------------------------------------------------------------------------

const kTrusted = [['without a list of policies', ''], ['with a list', '; trusted-types page'],
  ['without any policy', "; trusted-types 'none'"]];
// A dialog, captions that hls.js parses, and a description, which the policy reports but leaves.
const trustedPage = async () => `<script src="${stage.svc}/assets/external/E-v1.js" async></script>` +
  '<div class="svc_embed svc_async_p0rtrait99 autoPlay=true muted=true seo=true"></div>' +
  '<span class="svc_embed svc_async_l4unchf1lm popover=true muted=true"></span>';
const description = () => JSON.parse(document.querySelector('[type="application/ld+json"]').textContent).embedUrl;

for (const [what, list] of kTrusted) {
  for (const scripts of ['', "; script-src 'nonce-cjRuZDBt' 'strict-dynamic'"]) {
    test(`pages-W45 the player plays under Trusted Types ${what}${scripts && ', with a nonce'}`, kPatience, async () => {
      const page = await stage.show((await trustedPage()).replace('<script', '<script nonce="cjRuZDBt"'),
        { policy: `require-trusted-types-for 'script'${list}${scripts}` });
      await playsPast(page, 0.5);
      assert.match(await page.evaluate(description), /p0rtrait99/);
      await page.locator('[data-svc-player]').hover();
      await page.locator('[data-svc-controls] .play').click();
      await page.getByRole('button', { name: 'Play Launch film' }).click();
      await page.waitForFunction(() => document.querySelector('dialog video').currentTime > 0.5);
      assert.deepEqual(page.problems.filter((each) => !/HTMLScriptElement text|inline script/i.test(each)), []);
      await page.context().close();
    });
  }
}

test('pages-W45 Firefox: the player plays under Trusted Types without any policy', kPatience, async () => {
  const firefox = await puppeteer.launch({ browser: 'firefox', headless: true,
    executablePath: process.env.FIREFOX || '/usr/bin/firefox-esr' });
  try {
    const page = await firefox.newPage();
    await page.goto(stage.page((await trustedPage()).replace('<script', '<script nonce="cjRuZDBt"'),
      { policy: "require-trusted-types-for 'script'; trusted-types 'none'; script-src 'nonce-cjRuZDBt'" }));
    await page.waitForFunction(() => document.querySelector('video')?.currentTime > 0.5, kPatience);
    assert.match(await page.evaluate(description), /p0rtrait99/);
  } finally {
    await firefox.close();
  }
});

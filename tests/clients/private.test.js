// Third-party clients and a private film, against the running service at SVC_URL: SVC_MEDIA opens with the link SVC_WATCH.
import assert from 'node:assert/strict';
import test from 'node:test';

import { extract, setProviderList } from '@extractus/oembed-extractor';
import { unfurl } from 'unfurl.js';

const { SVC_URL: base, SVC_MEDIA: media, SVC_WATCH: link } = process.env;
const closed = `${base}/medias/${media}`;
const open = `${closed}?watch=${link}`;

// This client requests every endpoint over https, but the test's service runs without TLS.
const plainFetch = globalThis.fetch;
globalThis.fetch = (url, how) =>
  plainFetch(typeof url === 'string' ? url.replace(base.replace('http:', 'https:'), base) : url, how);

test('an oEmbed client gets the code of a private film by its link only', async () => {
  const [entry] = await (await fetch(`${base}/providers.json`)).json();
  setProviderList([entry]);
  const found = await extract(open, { maxwidth: 400 });
  assert.equal(found.title, 'Private film');
  assert.ok(found.html.includes(`/embed/iframe/${media}?watch=${link}"`), found.html);
  await assert.rejects(extract(closed), /401/);
});

test('a preview client finds a private film by its link only', async () => {
  const page = await unfurl(open);
  assert.equal(page.title, 'Private film');
  assert.equal(page.twitter_card.players[0].url, `${base}/embed/iframe/${media}?watch=${link}`);
  const other = await unfurl(closed).catch((error) => error);
  assert.ok(!JSON.stringify(other).includes('Private film') && !JSON.stringify(other).includes('/embed/'), JSON.stringify(other));
});

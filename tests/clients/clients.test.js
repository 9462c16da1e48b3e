// Third-party clients, against the running service at SVC_URL.
//
// These libraries interpret responses in their own way; a test only
// checks that they find the intended values.
import assert from 'node:assert/strict';
import test from 'node:test';

import { extract, setProviderList } from '@extractus/oembed-extractor';
import HLS from 'hls-parser';
import { Parser } from 'm3u8-parser';
import { unfurl } from 'unfurl.js';

const base = process.env.SVC_URL;
assert.ok(base, 'SVC_URL says where the service is');
const media = 'l4unchf1lm';

// This client requests every endpoint over https, but the test's service runs without TLS.
const plainFetch = globalThis.fetch;
globalThis.fetch = (url, how) =>
  plainFetch(typeof url === 'string' ? url.replace(base.replace('http:', 'https:'), base) : url, how);

async function text(path) {
  const answer = await fetch(base + path);
  assert.equal(answer.status, 200, path);
  return answer.text();
}

test('an oEmbed client finds the endpoint through our registry entry', async () => {
  const [entry] = JSON.parse(await text('/providers.json'));
  setProviderList([entry]);
  for (const url of [`${base}/medias/${media}`, `https://acme.svc.localhost/medias/${media}`,
    `https://svc.test/m/${media}`, `${base}/embed/playlists/pl4yl1st01`]) {
    const found = await extract(url, { maxwidth: 400 });
    assert.equal(found.type, 'video', url);
    assert.equal(found.version, '1.0');
    assert.equal(found.width, 400);
    assert.match(found.html, /^<iframe src="/);
  }
});

test('an oEmbed client without providers discovers the endpoint on the page', async () => {
  setProviderList([]);
  const found = await extract(`${base}/medias/${media}`);
  assert.equal(found.title, 'Launch film');
  assert.equal(found.thumbnail_width, 640);
});

test('hostile and international titles arrive unchanged', async () => {
  for (const [id, title] of [['xss0title1', `"><script>alert('svc')</script> & <b>bold</b> ]]> 'quoted'`],
    ['un1c0de777', 'Żółta łódź — ビデオ 🎬 \u2028 line']]) {
    const page = await unfurl(`${base}/medias/${id}`, { oembed: true });
    const plain = (words) => words.replace(/\s+/g, ' ').trim();
    assert.equal(plain(page.open_graph.title), plain(title));
    assert.equal(plain(page.oEmbed.title), plain(title));
    assert.equal(page.oEmbed.type, 'video');
  }
});

test('a preview client finds cards, tags and the player', async () => {
  const page = await unfurl(`${base}/medias/${media}`, { oembed: true });
  assert.equal(page.title, 'Launch film');
  assert.equal(page.twitter_card.card, 'player');
  assert.equal(page.twitter_card.players[0].url, `${base}/embed/iframe/${media}`);
  assert.equal(page.open_graph.type, 'video.other');
  assert.equal(page.open_graph.images[0].width, 640);
  assert.equal(page.open_graph.videos[0].type, 'text/html');
  assert.equal(page.oEmbed.width, 640);
});

const ready = process.env.SVC_MEDIA ? [process.env.SVC_MEDIA] : ['l4unchf1lm', 'sm4ll480px', 'p0rtrait99', '0dd1279717', 'cinema2391', 'xss0title1',
  'un1c0de777', 'l1ves0und1'];

test('hls-parser accepts every manifest in strict mode', async () => {
  HLS.setOptions({ strictMode: true });
  for (const id of ready) {
    const playlist = HLS.parse(await text(`/embed/medias/${id}.m3u8`));
    assert.ok(playlist.isMasterPlaylist && playlist.variants.length > 0, id);
    assert.equal(playlist.version, 6);
    assert.ok(playlist.independentSegments);
  }
});

test('m3u8-parser reads every variant', async () => {
  for (const id of ready) {
    const manifest = await text(`/embed/medias/${id}.m3u8`);
    const parser = new Parser();
    const warnings = [];
    parser.on('warn', (warning) => warnings.push(warning));
    parser.push(manifest);
    parser.end();
    assert.deepEqual(warnings, [], id);
    assert.equal(parser.manifest.playlists.length, manifest.split('#EXT-X-STREAM-INF').length - 1);
    for (const { attributes } of parser.manifest.playlists) assert.ok(attributes.BANDWIDTH > 0);
  }
});

test('every variant leads to existing segments', async () => {
  HLS.setOptions({ strictMode: true });
  for (const id of ready) {
    for (const { uri } of HLS.parse(await text(`/embed/medias/${id}.m3u8`)).variants) {
      const answer = await fetch(uri);
      assert.equal(answer.status, 200, uri);
      const list = HLS.parse(await answer.text());
      assert.ok(list.segments.length > 0 && list.endlist, uri);
      for (const at of [0, -1]) {
        const segment = new URL(list.segments.at(at).uri, uri);
        const head = await fetch(segment, { method: 'HEAD' });
        assert.equal(head.status, 200, segment.href);
        assert.equal(head.headers.get('access-control-allow-origin'), '*');
      }
    }
  }
});

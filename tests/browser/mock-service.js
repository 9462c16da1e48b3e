// mock-service: the part of the service that embed codes need, from the demonstration catalog, so that the player can
// be developed without a build. It is as simple as possible, and the same tests run against the real service.
//
//   node mock-service.js [PORT]        prints its URL and runs in the foreground
'use strict';

const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const top = path.resolve(__dirname, '../..');
const kTypes = { '.js': 'application/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
  '.m3u8': 'application/vnd.apple.mpegurl', '.ts': 'video/mp2t', '.m4s': 'video/mp4',
  '.mp4': 'video/mp4', '.vtt': 'text/vtt', '.jpg': 'image/jpeg' };
const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

function readCatalog() {
  const records = { media: new Map(), playlist: new Map() };
  const text = fs.readFileSync(path.join(top, 'scripts/demo/catalog.jsonl'), 'utf8');
  for (const line of text.split('\n')) {
    if (!line) continue;
    const record = JSON.parse(line);
    if (records[record.kind]) records[record.kind].set(record.id, record);
  }
  return records;
}

class MockService {
  constructor() {
    this.catalog = readCatalog();
    this.server = http.createServer((request, response) => this.answer(request, response));
  }

  async listen(port = 0) {
    await new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this.url;
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }

  answer(request, response) {
    const url = new URL(request.url, this.url);
    const [, folder, id, end] =
      /^\/embed\/(medias|playlists|iframe)\/(\w+)(\.json|\.m3u8|)$/.exec(url.pathname) || [];
    if (url.pathname === '/oembed') return this.oembed(url, response);
    if (folder) {
      const kind = folder === 'playlists' ? 'playlist' : 'media';
      const record = this.catalog[kind].get(id);
      const videos = !record ? [] : kind === 'media' ? [record]
        : record.media_ids.map((media) => this.catalog.media.get(media));
      const playable = videos.filter((v) => v.type === 'Video' && v.status === 'ready');
      if (!record) return this.send(response, 404, 'application/json', '{"error":"no such media"}');
      if (!playable.length) return this.send(response, 501, 'application/json', '{"error":"not one"}');
      if (end === '.m3u8') return this.manifest(response, record);
      if (end === '.json') {
        const facts = playable.map((video) => this.facts(video));
        return this.send(response, 200, 'application/json', JSON.stringify(
          kind === 'media' ? facts[0] : { id, title: record.name, videos: facts }));
      }
      return this.frame(response, kind, record, this.facts(playable[0]));
    }
    const [, base, rest] = /^\/(assets\/external|assets|deliveries)\/([\w./-]+)$/.exec(url.pathname) || [];
    const root = { 'assets/external': 'nginx/player/dist', assets: 'worker/pages/assets',
      deliveries: 'scripts/demo/deliveries' }[base];
    if (!root || rest.includes('..')) return this.send(response, 404, 'text/plain', 'not found');
    return this.file(request, response, path.join(top, root, rest));
  }

  send(response, status, type, body, headers = {}) {
    response.writeHead(status, { 'Content-Type': type, 'Access-Control-Allow-Origin': '*',
      'X-Content-Type-Options': 'nosniff', ...headers });
    response.end(body);
  }

  file(request, response, name) {
    if (!fs.existsSync(name) || !fs.statSync(name).isFile()) {
      return this.send(response, 404, 'text/plain', 'not found');
    }
    const body = fs.readFileSync(name);
    const type = kTypes[path.extname(name)];
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range || '') || [];
    if (from === undefined) {
      return this.send(response, 200, type, body, { 'Accept-Ranges': 'bytes' });
    }
    const part = body.subarray(Number(from), to ? Number(to) + 1 : undefined);
    const last = Number(from) + part.length - 1;
    return this.send(response, 206, type, part,
      { 'Content-Range': `bytes ${from}-${last}/${body.length}` });
  }

  facts(video) {
    const manifest = video.assets.some((asset) => asset.type === 'hls');
    const mp4 = video.assets.find((asset) => asset.type === 'mp4');
    const captions = video.assets.filter((asset) => asset.type === 'captions');
    return { id: video.id, title: video.name, width: video.width, height: video.height,
      duration: video.duration, poster: this.url + video.thumbnail.url,
      ...(video.player_color && { player_color: video.player_color }),
      ...(manifest && { manifest: `${this.url}/embed/medias/${video.id}.m3u8` }),
      ...(mp4 && { mp4: this.url + mp4.url }),
      ...(captions.length && { captions: captions.map((each) => ({ url: this.url + each.url, language: each.language,
        label: each.label, default: Boolean(each.default), segmented: each.url.endsWith('.m3u8') })) }),
      url: `${this.url}/medias/${video.id}` };
  }

  manifest(response, video) {
    const order = video.assets.filter((asset) => asset.type === 'hls').sort((a, b) => b.bandwidth - a.bandwidth);
    const first = order.find((asset) => asset.width && asset.width <= 960) || order.at(-1);
    const lines = ['#EXTM3U', '#EXT-X-VERSION:6', '#EXT-X-INDEPENDENT-SEGMENTS'];
    const subtitles = video.assets.filter((asset) => asset.type === 'captions' && asset.url.endsWith('.m3u8'));
    for (const { label, language, url } of subtitles) {
      lines.push(`#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="${label}",LANGUAGE="${language}",` +
        `DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,URI="${this.url}${url}"`);
    }
    for (const asset of [first, ...order.filter((other) => other !== first)]) {
      lines.push(`#EXT-X-STREAM-INF:BANDWIDTH=${asset.bandwidth},` +
        `AVERAGE-BANDWIDTH=${asset.average_bandwidth},CODECS="${asset.codecs}"` +
        (asset.width ? `,RESOLUTION=${asset.width}x${asset.height}` : '') +
        (asset.frame_rate ? `,FRAME-RATE=${asset.frame_rate.toFixed(3)}` : '') +
        (subtitles.length ? ',SUBTITLES="captions"' : ''), this.url + asset.url);
    }
    this.send(response, 200, kTypes['.m3u8'], `${lines.join('\n')}\n`);
  }

  // The iframe page, with the real page's policy.
  frame(response, kind, record, video) {
    this.send(response, 200, 'text/html; charset=utf-8', `<!DOCTYPE html><html lang="en"><head>
<meta charset="utf-8"><title>${escape(record.name)}</title>
<link rel="stylesheet" href="${this.url}/assets/external/frame-v1.css">
<script src="${this.url}/assets/external/frame-v1.js" defer></script></head><body>
<div class="svc_frame" data-${kind}="${record.id}">
<video controls playsinline preload="none" aria-label="${escape(record.name)}" poster="${video.poster}">
${video.manifest ? `<source src="${video.manifest}" type="application/vnd.apple.mpegurl">` : ''}
${video.mp4 ? `<source src="${video.mp4}" type="video/mp4">` : ''}
<a href="${video.url}">${escape(record.name)}</a></video></div></body></html>`,
    { 'Content-Security-Policy': `default-src 'none'; base-uri 'none'; form-action 'none'; style-src ${
      this.url}; script-src ${this.url}; img-src * data:; media-src ${this.url} blob:; connect-src ${
      this.url}` });
  }

  // The embed codes of the contract, section 5, as far as the tests request them.
  oembed(url, response) {
    const asked = url.searchParams;
    const [, folder, id] = /\/(medias|embed\/playlists)\/(\w+)$/.exec(asked.get('url')) || [];
    const playlist = folder !== 'medias';
    const found = this.catalog[playlist ? 'playlist' : 'media'].get(id);
    const native = playlist && found ? this.catalog.media.get(found.media_ids[0]) : found;
    if (!native || !native.width) return this.send(response, 404, 'application/json', '{"error":""}');
    const type = asked.get('embedType') || 'iframe';
    const foam = asked.get('videoFoam') === 'true';
    const width = Number(asked.get('width')) || Math.min(640, native.width);
    const height = Math.round((width * native.height) / native.width);
    const kOurs = ['url', 'embedType', 'width', 'handle', 'popover', 'videoFoam'];
    const options = [...asked].filter(([name]) => !kOurs.includes(name)).sort();
    const e1 = `${this.url}/assets/external/E-v1.js`;
    const script = `<script charset="ISO-8859-1" src="${e1}" async></script>`;
    const word = ([name, value]) => ` ${name}=${encodeURIComponent(value)}`;
    const wrap = (extra, inner) => '<div class="svc_responsive_padding" style="padding:' +
      `${Math.round((1e4 * native.height) / native.width) / 100}% 0 ${extra} 0;position:relative;">` +
      '<div class="svc_responsive_wrapper" style="height:100%;left:0;position:absolute;top:0;' +
      `width:100%;">${inner}</div></div>`;
    const words = (handle) => options.concat(
      handle && asked.get('handle') ? [['handle', asked.get('handle')]] : []).map(word).join('');
    let html;
    if (type.endsWith('iframe')) {
      const query = foam ? [...options, ['seo', 'true'], ['videoFoam', 'true']] : options;
      const src = `${this.url}/embed/${playlist ? 'playlists' : 'iframe'}/${id}` +
        query.map((o, i) => `${i ? '&amp;' : '?'}${o[0]}=${encodeURIComponent(o[1])}`).join('');
      const name = playlist ? 'svc_playlist' : 'svc_embed';
      const iframe = `<iframe src="${src}" title="${escape(found.name)} Video" allow="autoplay; ` +
        `fullscreen" allowtransparency="true" frameborder="0" scrolling="no" class="${name}" name="${
          name}" msallowfullscreen width="${foam ? '100%' : width}" height="${
          foam ? '100%' : height}"></iframe>`;
      html = `${foam ? wrap('0', iframe) : iframe}\n<script src="${e1}" async></script>`;
    } else if (type.endsWith('popover') || asked.get('popover') === 'true') {
      const size = asked.get('width') ? [height, width] : [100, 150];
      html = `${script}<span class="svc_embed svc_${playlist ? 'playlist' : 'async'}_${id} popover=true${
        words(false)}" style="display:inline-block;height:${size[0]}px;width:${size[1]}px">&nbsp;</span>`;
    } else if (type === 'playlist_api') {
      html = `<div id="svc_${id}" class="svc_embed" style="width:${width}px;height:${height}px;" ` +
        `data-video-width="${width}" data-video-height="${height}">&nbsp;</div>\n` +
        script.replace('E-v1.js', 'playlist-v1.js').replace(' async', '') +
        `\n<script>\n${asked.get('handle') || 'svcPlaylist'} = svc.playlist("${id}", ${
          JSON.stringify(Object.fromEntries(options))});\n</script>`;
    } else if (foam) {
      html = script + wrap('28px', `<div class="svc_embed svc_async_${id} videoFoam=true${
        words(true)}" style="height:100%;width:100%">&nbsp;</div>`);
    } else {
      html = `${script}<div class="svc_embed svc_async_${id}${words(true)}" style="height:${
        height}px;width:${width}px">&nbsp;</div>`;
    }
    return this.send(response, 200, 'application/json', JSON.stringify({ html }));
  }
}

module.exports = { MockService };

if (require.main === module) {
  const mock = new MockService();
  mock.listen(Number(process.argv[2] || 0)).then((url) => console.log(url));
}

// captions-file: loads files of captions.
const kPatience = 20000; // ms that a file may take
// Bytes of a file. The captions of a film of three hours have about 200 KB; with every word timed, a few MB.
const kLargest = 8 << 20;

// Whether a text is WebVTT, by its first line (WebVTT section 4.1).
export const isWebVtt = (text) => /^\ufeff?WEBVTT(?:[ \t\r\n]|$)/.test(text);

// The text of a response. Throws if it is larger than kLargest, without reading the rest.
export async function textOf(response) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > kLargest) {
      reader.cancel();
      throw new Error('too large');
    }
    text += decoder.decode(value, { stream: true });
  }
}

// The text of the captions of an entry of player/captions.js, whose address may have ended. Throws if it does not come, or is
// not WebVTT.
export async function captionsOf(entry, player) {
  entry.abort = new AbortController();
  const { signal } = entry.abort;
  const ask = () => fetch(entry.url, { credentials: 'omit', signal });
  const late = setTimeout(() => entry.abort.abort(), kPatience);
  try {
    let response = await ask();
    if (response.status === 403 && await player.renew(entry.url)) {
      const now = player.media.captions?.find(({ language, label }) => language === entry.language && label === entry.label);
      entry.url = now?.url || entry.url;
      response = await ask();
    }
    const text = response.ok ? await textOf(response) : '';
    if (!isWebVtt(text)) throw new Error('no captions');
    return text;
  } finally {
    clearTimeout(late);
  }
}

// facts: the service's data about a media or a playlist, requested once per page.
import { troubleOf } from './trouble.js';

const asked = new Map();

// `watch`: the link of a private media, or ''.
const urlOf = (host, kind, id, watch) => `${host}/embed/${kind}/${id}.json${watch && `?watch=${encodeURIComponent(watch)}`}`;

// The page has the facts itself, as JSON: the service may tell them only to this page.
export function tell(host, kind, id, watch, json) { asked.set(urlOf(host, kind, id, watch), JSON.parse(json)); }

// As facts(), of the service as it is now. The link is not counted again.
export function factsNow(host, kind, id, watch) {
  asked.delete(urlOf(host, kind, id, watch));
  return facts(host, kind, id, watch, watch && '&renewed');
}

// Rejects with an error whose `kind` is the kind of trouble; a later call then asks again.
export function facts(host, kind, id, watch, how = '') {
  const url = urlOf(host, kind, id, watch);
  if (!asked.has(url)) {
    const asking = (async () => {
      let status = 0;
      let reason;
      try {
        const response = await fetch(url + how, { credentials: 'omit' });
        status = response.status;
        const answer = await response.json();
        if (response.ok) return answer;
        reason = answer.reason;
      } catch { /* no response, half of one, or not ours */ }
      throw Object.assign(new Error('no facts'), { kind: reason === 'link' ? 'closed' : troubleOf(status) });
    })();
    asking.catch(() => asked.delete(url));
    asked.set(url, asking);
  }
  return asked.get(url);
}

// facts: the service's data about a media or a playlist, requested once per page.
import { troubleOf } from './trouble.js';

const asked = new Map();

const urlOf = (host, kind, id) => `${host}/embed/${kind}/${id}.json`;

// The page has the facts itself, as JSON: it may be the only one that the service tells them.
export function tell(host, kind, id, json) { asked.set(urlOf(host, kind, id), JSON.parse(json)); }

// Rejects with an error whose `kind` is the kind of trouble; a later call then asks again.
export function facts(host, kind, id) {
  const url = urlOf(host, kind, id);
  if (!asked.has(url)) {
    const answer = (async () => {
      let status = 0;
      try {
        const response = await fetch(url, { credentials: 'omit' });
        status = response.status;
        if (response.ok) return await response.json();
      } catch { /* no response, or half of one */ }
      throw Object.assign(new Error('no facts'), { kind: troubleOf(status) });
    })();
    answer.catch(() => asked.delete(url));
    asked.set(url, answer);
  }
  return asked.get(url);
}

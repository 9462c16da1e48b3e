// The embed-codes page works without this script; with it, a choice updates the code immediately.
(() => {
  'use strict';

  // Fetches the page again, so that only the service builds codes. Replaces only the result; the focus
  // stays.
  const form = document.getElementById('choice');
  const main = form.parentElement;
  let asked = 0;
  form.addEventListener('change', async () => {
    if (!form.elements.url.value || !form.checkValidity()) return;
    const number = ++asked;
    const query = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...query]) if (!value) query.delete(name);
    const answer = await fetch(`${form.action}?${query}`).catch(() => null);
    if (!answer || !answer.ok || number !== asked) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const id of ['code']) {
      const box = document.getElementById(id);
      const fresh = page.getElementById(id);
      if (!box || !fresh) { location.assign(`${form.action}?${query}`); return; }
      box.value = fresh.value;
    }
    const now = main.querySelector('details');
    const then = page.querySelector('main details');
    if (now && then) { then.open = now.open; now.replaceWith(document.adoptNode(then)); }
    history.replaceState(null, '', `${form.action}?${query}`);
  });
})();

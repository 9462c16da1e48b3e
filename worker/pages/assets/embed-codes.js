// The pages of embed codes and of a media's player work without this script; with it, a choice updates preview and codes
// immediately.
(() => {
  'use strict';

  const form = document.getElementById('choice');
  const picker = document.getElementById('picker');
  const colour = document.getElementById(picker.dataset.for);
  const page = form.action.split('#')[0];
  const kOfPost = ['csrf', 'edition'];
  let asked = 0;

  // What differs between two versions of the page. An equal preview stays, so that it does not start again.
  const take = (fresh, id) => {
    const now = document.getElementById(id);
    const then = fresh.getElementById(id);
    if (!now || !then || now.outerHTML === then.outerHTML) return;
    if (now.matches('details')) then.open = now.open;
    now.replaceWith(document.adoptNode(then));
  };
  const takeProblems = (fresh) => {
    for (const field of form.querySelectorAll('input[id], select[id]')) {
      const then = fresh.getElementById(field.id);
      for (const name of ['aria-invalid', 'aria-describedby']) {
        const value = then?.getAttribute(name);
        if (value) field.setAttribute(name, value); else field.removeAttribute(name);
      }
      field.parentElement.querySelector('.field-problem')?.remove();
      const problem = fresh.getElementById(`${field.id}-problem`);
      if (problem) field.parentElement.append(document.adoptNode(problem));
    }
    // The focus stays in the form: an alert is announced anyway.
    fresh.querySelector('#problems [autofocus]')?.removeAttribute('autofocus');
  };

  // Fetches the page again, so that only the service builds codes and checks values. The focus stays.
  const update = async () => {
    if (form.elements.url && !form.elements.url.value) return;
    const number = ++asked;
    const query = new URLSearchParams(new FormData(form));
    for (const [name, value] of [...query]) if (!value || kOfPost.includes(name)) query.delete(name);
    if (form.method === 'post') query.set('preview', '1');
    const answer = await fetch(`${page}?${query}`).catch(() => null);
    const text = answer?.ok ? await answer.text() : '';
    if (!text || number !== asked) return;
    const fresh = new DOMParser().parseFromString(text, 'text/html');
    takeProblems(fresh);
    const whole = !document.getElementById('code') !== !fresh.getElementById('code');
    for (const id of ['problems', ...(whole ? ['outcome'] : ['result', 'preview', 'answer']), 'ready']) take(fresh, id);
    const code = document.getElementById('code');
    if (code && !whole) code.value = fresh.getElementById('code').value;
    document.dispatchEvent(new Event('svc-content'));
    history.replaceState(null, '', `${page}?${query}`);
  };
  form.addEventListener('change', update);

  // The picker is not sent, since it lacks a name: the form sends the text field next to it.
  const show = () => {
    if (/^#?[0-9a-f]{6}$/i.test(colour.value)) picker.value = `#${colour.value.replace('#', '').toLowerCase()}`;
  };
  picker.value = '#54bbff';
  picker.hidden = false;
  show();
  colour.addEventListener('input', show);
  picker.addEventListener('input', () => { colour.value = picker.value.slice(1); });
})();

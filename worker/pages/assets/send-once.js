// A form of this page is sent once: a second click or key before its answer does nothing. It can be sent again after some
// seconds, if no answer has come, and when the browser shows this page again. Without scripts, it is sent twice.
'use strict';

{
  const kAgain = 10000; // milliseconds, longer than any answer takes
  const sent = new Map(); // timers by form

  // Not `disabled`: the button would lose the focus, and its value would not be sent.
  const mark = (form, busy) => {
    for (const button of form.querySelectorAll('button:not([type=button])')) {
      busy ? button.setAttribute('aria-disabled', 'true') : button.removeAttribute('aria-disabled');
    }
  };
  const release = (form) => {
    clearTimeout(sent.get(form));
    sent.delete(form);
    mark(form, false);
  };
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.getAttribute('method') !== 'post') return;
    if (sent.has(form)) {
      event.preventDefault();
      return;
    }
    sent.set(form, setTimeout(release, kAgain, form));
    mark(form, true);
  });
  window.addEventListener('pageshow', () => [...sent.keys()].forEach(release));
}

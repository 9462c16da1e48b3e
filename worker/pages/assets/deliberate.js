// The forms of this page can be sent only once the page was visible and had the focus for half a second. Before, a click
// was meant for the previous page: the second click of a double click lands on a page that has just appeared.
// Without scripts they can be sent immediately. Included in front of the forms, so that no click is earlier.
'use strict';

{
  const kWait = 500; // milliseconds
  let ready = false;
  let timer;

  // Not `disabled`: the button would lose the focus.
  const show = () => {
    for (const button of document.querySelectorAll('form[method=post] button')) {
      button.setAttribute('aria-disabled', String(!ready));
    }
  };
  const begin = () => {
    clearTimeout(timer);
    ready = false;
    show();
    if (document.visibilityState !== 'visible' || !document.hasFocus()) return;
    timer = setTimeout(() => { ready = true; show(); }, kWait);
  };
  document.addEventListener('submit', (event) => {
    if (ready) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true });
  document.addEventListener('visibilitychange', begin);
  for (const name of ['DOMContentLoaded', 'focus', 'blur', 'pageshow']) window.addEventListener(name, begin);
  begin();
}

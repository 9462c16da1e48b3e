// A little comfort for the pages that people log in to, which work without it: a password can be shown,
// and what is long can be copied.
'use strict';

for (const field of document.querySelectorAll('input[type=password]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'reveal';
  const show = (shown) => {
    field.type = shown ? 'text' : 'password';
    button.textContent = shown ? 'Hide' : 'Show';
    button.setAttribute('aria-label', shown ? 'Hide password' : 'Show password');
  };
  show(false);
  const box = document.createElement('span');
  box.className = 'revealing';
  const focused = document.activeElement === field;
  field.before(box);
  box.append(field, button);
  // A field that is moved loses the focus.
  if (focused) field.focus();
  button.addEventListener('click', () => show(field.type === 'password'));
  // A browser keeps what was typed into a text field; a password goes as one.
  field.form.addEventListener('submit', () => show(false));
}

for (const button of document.querySelectorAll('button.copy')) {
  if (!navigator.clipboard) break; // only on https and loopback
  const words = button.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const box = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(box.value);
      button.textContent = 'Copied';
    } catch {
      box.select();
      button.textContent = 'Press Ctrl+C to copy';
    }
    setTimeout(() => { button.textContent = words; }, 2000);
  });
}

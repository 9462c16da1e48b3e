// A little comfort for the pages that people log in to, which work without it: a password can be shown.
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

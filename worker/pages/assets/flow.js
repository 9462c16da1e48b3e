// A little comfort for flow pages, which work without it: a password can be shown.
'use strict';

for (const field of document.querySelectorAll('input[type=password]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'reveal';
  button.textContent = 'Show';
  button.setAttribute('aria-label', 'Show password');
  button.setAttribute('aria-pressed', 'false');
  button.setAttribute('aria-controls', field.id);
  const box = document.createElement('span');
  box.className = 'revealing';
  field.before(box);
  box.append(field, button);
  const show = (shown) => {
    field.type = shown ? 'text' : 'password';
    button.textContent = shown ? 'Hide' : 'Show';
    button.setAttribute('aria-pressed', String(shown));
  };
  button.addEventListener('click', () => {
    show(field.type === 'password');
    field.focus();
  });
  // What is shown must not be kept by the browser among what was typed into other fields.
  field.form.addEventListener('submit', () => show(false));
}

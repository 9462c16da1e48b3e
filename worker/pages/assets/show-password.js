// Adds a "Show" button to password fields. The login pages work without it.
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
  // Moving a field removes the focus.
  if (focused) field.focus();
  button.addEventListener('click', () => show(field.type === 'password'));
  // Browsers remember the contents of text fields: submit it as a password field.
  field.form.addEventListener('submit', () => show(false));
}

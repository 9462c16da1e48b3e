// Adds a "Show" button to password fields, with the words of the field's data. The login pages work without it.
'use strict';

for (const field of document.querySelectorAll('input[type=password]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'reveal';
  const reveal = (shown) => {
    field.type = shown ? 'text' : 'password';
    const { show = 'Show', hide = 'Hide', showPassword = 'Show password', hidePassword = 'Hide password' } = field.dataset;
    button.textContent = shown ? hide : show;
    button.setAttribute('aria-label', shown ? hidePassword : showPassword);
  };
  reveal(false);
  const box = document.createElement('span');
  box.className = 'revealing';
  const focused = document.activeElement === field;
  field.before(box);
  box.append(field, button);
  // Moving a field removes the focus.
  if (focused) field.focus();
  button.addEventListener('click', () => reveal(field.type === 'password'));
  // Browsers remember the contents of text fields: submit it as a password field.
  field.form.addEventListener('submit', () => reveal(false));
}

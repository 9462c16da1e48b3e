// Forms with data-passkey are answered by an authenticator: data-options are those of the browser's dialog, and the
// hidden field `credential` takes its result. The forms are shown only in browsers that have passkeys here, which
// other elements of the page (data-without-passkeys) replace.
'use strict';

{
  // Only on https and localhost.
  const can = globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON &&
    PublicKeyCredential.parseRequestOptionsFromJSON && PublicKeyCredential.prototype.toJSON;
  const kCeremonies = {
    create: (options) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
    get: (options) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  };

  for (const form of can ? document.querySelectorAll('form[data-passkey]') : []) {
    const problem = form.querySelector('[data-problem]');
    let isOpen = false;
    form.hidden = false;
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (isOpen) return;
      isOpen = true;
      problem.hidden = true;
      try {
        const credential = await kCeremonies[form.dataset.passkey](JSON.parse(form.dataset.options));
        form.elements.credential.value = JSON.stringify(credential.toJSON());
        form.submit();
      } catch {
        // The user has closed the dialog, or has no authenticator for it: browsers do not tell which.
        problem.hidden = false;
      }
      isOpen = false;
    });
  }
  if (can) for (const element of document.querySelectorAll('[data-without-passkeys]')) element.hidden = true;
}

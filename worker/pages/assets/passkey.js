// Forms with data-passkey are answered by an authenticator: data-options are those of the browser's dialog, and the
// hidden field `credential` takes its result. The forms are shown only in browsers that have passkeys here, which
// other elements of the page (data-without-passkeys) replace.
'use strict';

{
  // Only on https and localhost.
  const can = globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON &&
    PublicKeyCredential.parseRequestOptionsFromJSON;
  const kCeremonies = {
    create: (options) => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }),
    get: (options) => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }),
  };

  const inBase64url = (bytes) => btoa(String.fromCharCode(...(ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : new Uint8Array(bytes))))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

  // Returns the members of the credential's toJSON() that the server reads. Password managers put objects of their own in
  // the place of the browser's, for which toJSON() throws.
  function inJson({ rawId, type, response }) {
    const id = inBase64url(rawId);
    const json = { id, rawId: id, type, clientExtensionResults: {}, response: {} };
    for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'])
      if (response[name]) json.response[name] = inBase64url(response[name]);
    try {
      if (response.attestationObject) json.response.transports = response.getTransports();
    } catch {
      // Without them the browser asks each kind of authenticator.
    }
    return JSON.stringify(json);
  }

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
        form.elements.credential.value = inJson(credential);
        form.submit();
      } catch {
        // The user has closed the dialog, or lacks an authenticator for it: browsers do not tell which.
        problem.hidden = false;
      }
      isOpen = false;
    });
  }
  if (can) for (const element of document.querySelectorAll('[data-without-passkeys]')) element.hidden = true;
}

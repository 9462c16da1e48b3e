// Adds buttons that copy long texts, in boxes or blocks of code, in browsers that support it. The pages work without it.
'use strict';

// Also for content that a script has put into the page since.
function showCopyButtons() {
  if (!navigator.clipboard) return; // only on https and loopback
  for (const button of document.querySelectorAll('button.copy')) button.hidden = false;
}
showCopyButtons();
document.addEventListener('svc-content', showCopyButtons);

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button.copy');
  if (!button) return;
  const box = document.getElementById(button.dataset.copy);
  button.dataset.words ??= button.textContent;
  try {
    await navigator.clipboard.writeText(box.value ?? box.textContent);
    button.textContent = button.dataset.copied ?? 'Copied';
  } catch {
    box.select ? box.select() : getSelection().selectAllChildren(box);
    button.textContent = button.dataset.byKey ?? 'Press Ctrl+C to copy';
  }
  setTimeout(() => { button.textContent = button.dataset.words; }, 2000);
});

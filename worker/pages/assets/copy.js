// Adds buttons that copy long texts, in browsers that support it. The pages work without it.
'use strict';

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

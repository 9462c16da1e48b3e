// Closes the menu of the bar at a click outside of it and at Escape. Without this script, a click on its name does.
'use strict';

{
  const menu = document.querySelector('.menu');
  const close = () => { if (menu) menu.open = false; };
  document.addEventListener('click', ({ target }) => { if (!menu?.contains(target)) close(); });
  menu?.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !menu.open) return;
    close();
    menu.querySelector('summary').focus();
  });
}

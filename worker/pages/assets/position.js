// Buttons that fill a field with the position of the page's player (the protocol of the npm package player.js). Without
// this script they are hidden, and the time is typed.
'use strict';

{
  const frame = document.querySelector('#player iframe');
  const buttons = [...document.querySelectorAll('[data-position]')];
  const origin = frame && new URL(frame.src).origin;
  let wanted = null; // the field that waits for the position

  // "1:02.5", as the forms take it.
  const clock = (seconds) => {
    const ms = Math.round(seconds * 1000);
    const of = (from, to) => String(Math.floor(ms / from) % to).padStart(2, '0');
    const hours = Math.floor(ms / 3600000);
    const minutes = hours ? `${hours}:${of(60000, 60)}` : String(Math.floor(ms / 60000));
    const rest = String(ms % 1000).padStart(3, '0').replace(/0+$/, '');
    return `${minutes}:${of(1000, 60)}${rest && `.${rest}`}`;
  };
  window.addEventListener('message', ({ source, origin: from, data }) => {
    if (!frame || source !== frame.contentWindow || from !== origin) return;
    let message = null;
    try { message = JSON.parse(data); } catch { return; }
    if (message?.context !== 'player.js') return;
    if (message.event === 'ready') buttons.forEach((button) => { button.hidden = false; });
    if (message.event !== 'getCurrentTime' || !wanted || !Number.isFinite(message.value)) return;
    wanted.value = clock(message.value);
    wanted.focus();
    wanted = null;
  });
  const tell = (method) => frame.contentWindow.postMessage(
    JSON.stringify({ context: 'player.js', version: '0.0.11', method, listener: 'position' }), origin);
  for (const button of buttons) {
    button.addEventListener('click', () => {
      wanted = document.getElementById(button.dataset.position);
      tell('getCurrentTime');
    });
  }
  // The player may have been ready before this script ran; it repeats the event for a new listener.
  if (frame) {
    const ask = () => frame.contentWindow.postMessage(
      JSON.stringify({ context: 'player.js', version: '0.0.11', method: 'addEventListener', value: 'ready', listener: 'position' }),
      origin);
    ask();
    frame.addEventListener('load', ask);
  }
}

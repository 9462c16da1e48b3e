// approach: a viewer without a pointer comes near by scrolling, since a touch comes without a hover.

// Calls `come` when `element` comes within 100 px of the viewport, once the page has loaded, and `leave` when it leaves. Does
// nothing if the main pointer can hover, or the viewer saves data. `signal` ends it. The pointer is only asked for
// on screens with touches: the query takes a page 3 KB.
export function approach(element, signal, come, leave) {
  if (!navigator.maxTouchPoints || !matchMedia('(hover: none), (pointer: coarse)').matches || navigator.connection?.saveData) return;
  const observer = new IntersectionObserver((entries) => (entries.at(-1).isIntersecting ? come() : leave()),
    { rootMargin: '100px' });
  signal.addEventListener('abort', () => observer.disconnect());
  if (document.readyState === 'complete') observer.observe(element);
  else window.addEventListener('load', () => observer.observe(element), { once: true, signal });
}

// svc-player: loads the element <svc-player> from the host of players, which has the release that fits its service.
let loading = null;

// Defines the element once, and resolves to its class. On a server, which lacks elements, it resolves to null.
// Rejects if the host does not answer; the next call tries again.
export function load(host) {
  if (typeof customElements === 'undefined') return Promise.resolve(null);
  const base = String(host).replace(/\/+$/, '');
  if (!/^https?:\/\/[^/]+$/.test(base)) {
    return Promise.reject(new TypeError(`svc-player: the host of players is a URL like https://embed.example, not ${host}`));
  }
  if (customElements.get('svc-player')) return Promise.resolve(customElements.get('svc-player'));
  // Only an object that scripts made: an element with the id `svc` is a property of the window, too.
  const isOurs = Object.hasOwn(window, 'svc') && window.svc && Object.getPrototypeOf(window.svc) === Object.prototype;
  const svc = isOurs ? window.svc : (window.svc = {});
  svc.host ||= base;
  loading ||= import(/* webpackIgnore: true */ /* @vite-ignore */ `${base}/assets/player@__MAJOR__.js`)
    .then(() => customElements.get('svc-player'))
    .catch((error) => {
      loading = null;
      throw error;
    });
  return loading;
}

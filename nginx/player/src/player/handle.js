// handle: writes a player to the global name that an embed code asks for (oembed-O3).

// An object of the page's own, as {} makes it: no element, function, array, class or Math.
function isPlain(value) {
  if (value === null || typeof value !== 'object' || Symbol.toStringTag in value) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

// handle=my.app.player: where the page wants to find the object. Another author may have written
// the path, so assign() changes only the page's own properties and runs none of its getters and
// setters. From the window on, each name must be an own data property with a plain object, or free.
// The last name must be free, null, undefined or a former player. Any other path has no effect.
export function assign(path, player, isPlayer) {
  const names = (path || 'svcEmbed').split('.');
  if (!names.length || (path || '').length > 64 || names[0] === 'svc' || !names.every((name) =>
    /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'prototype' && !(name in Object.prototype))) return;
  try {
    let place = window;
    while (true) {
      const name = names.shift();
      const own = Object.getOwnPropertyDescriptor(place, name);
      if (!own) {
        // Inherited, or an element with that id or name: not free.
        if (name in place || !Object.isExtensible(place)) return;
        const value = names.reduceRight((inner, outer) => ({ [outer]: inner }), player);
        Object.defineProperty(place, name,
          { value, writable: true, enumerable: true, configurable: true });
        return;
      }
      // Names of the browser's are accessors, or not enumerable; Chromium's `chrome` is neither.
      const mine = 'value' in own && own.enumerable && !(place === window && name === 'chrome');
      if (!mine) return;
      if (!names.length) {
        if (own.writable && (own.value == null || isPlayer(own.value)))
          Object.defineProperty(place, name, { value: player });
        return;
      }
      if (!isPlain(own.value)) return;
      place = own.value;
    }
  } catch { /* another site's window, or a page's Proxy that objects */ }
}

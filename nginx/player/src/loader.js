// loader: the part of E-v1.js, playlist-v1.js, frame-v1.js and player.js that loads everything else.
//
// The loaders have fixed names and a short lifetime. Every other file has a content hash in its name
// and never changes. __PARTS__ is the table of these names; the build fills it in.

// The object that parts and pages share. Only the page's own scripts make it: a page may have texts of its users, and an
// element or frame with the id or name `svc` is a property of the window, too, whose `host` or `part` is the user's.
export const svc = Object.hasOwn(window, 'svc') && window.svc && Object.getPrototypeOf(window.svc) === Object.prototype
  ? window.svc : (window.svc = {});

// Where this service is: where this script came from. An element named currentScript hides the document's property, but
// not its getter, which returns null in a module and a shadow root; there, the first line of the stack has the address.
// Further lines, and the query of an address, may be those of the page, which others write. A copy in a bundle has
// svc.host from its page or from package/index.js.
const kFolder = '/assets/external/';
function hostOf(text = '') {
  const [scheme, none, host, folder, file] = text.slice(text.search(/https?:/)).split('/', 5);
  return none === '' && host && !/[\s()@?#]/.test(host) && folder === 'assets' &&
    (file === 'external' || /^player(@\d+)?\.js/.test(file)) && `${scheme}//${host}`;
}
const current = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript').get.call(document);
const kHost = hostOf(current?.src) || hostOf(new Error().stack) || (typeof svc.host === 'string' && svc.host);

// Loads a script. import() needs no permission of Trusted Types, and takes over the nonce of the script that calls
// it. Firefox remembers a module that failed, by its whole URL, so a fragment tells a later try from the first.
let failures = 0;
const script = (url) => import(failures ? `${url}#${failures}` : url).catch((error) => {
  failures++;
  throw error;
});

// Installs svc.part(name), which loads a part once and returns a promise of its value
// (svc.provide). Then loads the player, or calls `wait` with the function that does.
export function begin(wait = (load) => load()) {
  // A second load of the loader brings the names of a newer release, and may be that of a code in a shadow root, which
  // tells the page nothing.
  svc.names = __PARTS__;
  svc.look?.();
  if (svc.part) wait(svc.load);
  if (svc.part || !kHost) return;
  svc.host = kHost;
  const base = `${kHost}${kFolder}`;
  const provided = {};
  const promised = {};
  svc.provide = (name, value) => { provided[name] = value; };
  svc.part = (name) => {
    if (!promised[name]) {
      const load = async () => {
        await script(base + svc.names[name]);
        if (!provided[name]) throw new Error(`no ${name}`);
        return provided[name];
      };
      // A loader from a cache may name files that a new release has replaced: ask for it again.
      promised[name] = load().catch(() => script(`${base}E-v1.js?${Date.now()}`).then(load));
      promised[name].catch(() => { delete promised[name]; });
    }
    return promised[name];
  };

  let pause = 1000;
  svc.load = () => svc.part('player').catch(() => {
    pause = Math.min(60000, 2 * pause);
    setTimeout(svc.load, pause);
  });
  wait(svc.load);
}

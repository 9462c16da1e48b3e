// loader: the part of E-v1.js, playlist-v1.js, frame-v1.js and player.js that loads everything else.
//
// The loaders have fixed names and a short lifetime. Every other file has a content hash in its name
// and never changes. __PARTS__ is the table of these names; the build fills it in.

const svc = (window.svc = window.svc || {});

// currentScript is null in a module or a bundle. The npm package sets svc.host instead (package/index.js).
const self = document.currentScript || document.querySelector('script[src*="/assets/external/E-v1.js"], ' +
  'script[src*="/external/playlist-v1.js"], script[src*="/assets/player.js"], script[src*="/assets/player@"]');

// Loads a script. import() needs no permission of Trusted Types, and takes over the nonce of the script that calls
// it. Firefox remembers a module that failed, by its whole URL, so a fragment tells a later try from the first.
let failures = 0;
const script = (url) => import(failures ? `${url}#${failures}` : url).catch((error) => {
  failures++;
  throw error;
});

// Installs svc.part(name), which loads a part once and returns a promise of its value
// (svc.provide).
export function begin() {
  // A second load of the loader only brings the names of a newer release.
  svc.names = __PARTS__;
  if (svc.part || !(svc.host || self)) return;
  svc.host ||= self.src.slice(0, self.src.indexOf('/assets/'));
  const base = `${svc.host}/assets/external/`;
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

  let wait = 1000;
  const player = () => svc.part('player').catch(() => {
    wait = Math.min(60000, 2 * wait);
    setTimeout(player, wait);
  });
  player();
}

// The style of the controls, in a shadow root: it separates the style of the page and that of the
// controls. Their host, to which the page's style applies, has its own inline style. This is a
// constructed sheet, which a page's Content-Security-Policy allows.
export default `
.all { font: 13px/1.3 system-ui, sans-serif; color: #fff; color-scheme: dark; user-select: none;
  -webkit-user-select: none; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.bar { position: absolute; left: 0; right: 0; bottom: 0; padding: 24px 8px 4px; pointer-events: auto;
  background: linear-gradient(transparent, rgba(0, 0, 0, .55) 40%, rgba(0, 0, 0, .85)); transition: opacity .2s; }
.idle .bar { opacity: 0; pointer-events: none; }
.row { display: flex; align-items: center; gap: 2px; }
.space { flex: 1; }
button { all: unset; box-sizing: border-box; flex: none; width: 36px; height: 36px; padding: 7px; cursor: pointer;
  border-radius: 4px; color: #fff; }
button:hover { background: rgba(255, 255, 255, .18); }
:focus-visible { outline: 3px solid #fff; outline-offset: -2px; box-shadow: 0 0 0 2px #0b5cad; border-radius: 4px; }
svg { display: block; width: 100%; height: 100%; fill: currentColor; }
button.on svg { border-bottom: 2px solid var(--colour); }
.time { padding: 0 6px; white-space: nowrap; font-variant-numeric: tabular-nums; }
input { appearance: none; -webkit-appearance: none; height: 20px; margin: 0; cursor: pointer; background: none;
  --played: var(--bright); --there: rgba(255, 255, 255, .7); --rest: rgba(255, 255, 255, .35); --edge: #fff;
  --thumb: var(--colour); }
.seek { display: block; width: 100%; }
.volume { width: 64px; }
.preview { position: absolute; bottom: calc(100% - 24px); transform: translateX(-50%); padding: 3px; border-radius: 4px;
  background: rgba(20, 21, 24, .95); text-align: center; pointer-events: none; font-variant-numeric: tabular-nums; }
.picture { border-radius: 2px; margin-bottom: 2px; }
input::-webkit-slider-runnable-track { height: 4px; border-radius: 2px;
  background: linear-gradient(to right, var(--played) var(--at), var(--there) var(--at) var(--loaded, 100%),
    var(--rest) var(--loaded, 100%)); }
input::-moz-range-track { height: 4px; border-radius: 2px;
  background: linear-gradient(to right, var(--played) var(--at), var(--there) var(--at) var(--loaded, 100%),
    var(--rest) var(--loaded, 100%)); }
input::-webkit-slider-thumb { -webkit-appearance: none; width: 14px; height: 14px; margin-top: -5px;
  border: 2px solid var(--edge); border-radius: 50%; background: var(--thumb); }
input::-moz-range-thumb { width: 10px; height: 10px; border: 2px solid var(--edge); border-radius: 50%;
  background: var(--thumb); }
.panel { position: absolute; right: 8px; bottom: 64px; max-width: calc(100% - 16px); max-height: calc(100% - 72px);
  overflow: auto; padding: 8px; border-radius: 6px; background: rgba(20, 21, 24, .95); pointer-events: auto; }
.panel label { display: flex; align-items: center; justify-content: space-between; gap: 12px; padding: 4px; }
select { font: inherit; color: #fff; background: #34383f; border: 1px solid #8a8f98; border-radius: 4px;
  padding: 5px; min-height: 30px; max-width: 60%; }
.spinner { position: absolute; left: 50%; top: 50%; width: 48px; height: 48px; margin: -24px; border-radius: 50%;
  border: 4px solid rgba(255, 255, 255, .35); border-top-color: #fff; animation: turn 1s linear infinite; }
@keyframes turn { to { transform: rotate(360deg); } }
@media (prefers-reduced-motion: reduce) { .spinner { animation-duration: 4s; } .bar { transition: none; } }
@media (forced-colors: active) { .bar { background: Canvas; } .spinner { border-color: GrayText; border-top-color: Highlight; }
  input { forced-color-adjust: none; --played: Highlight; --there: CanvasText; --rest: GrayText; --thumb: Canvas;
    --edge: CanvasText; } :focus-visible { outline-color: Highlight; } }
@container (max-width: 420px) { .volume, .pip { display: none; } }
@container (max-width: 300px) { .time, .captions { display: none; } .bar { padding: 16px 2px 0; }
  button { width: 32px; height: 32px; padding: 6px; } }
@container (max-width: 190px) { .mute { display: none; } button { width: 28px; height: 28px; padding: 5px; } }
@container (max-height: 200px) { .picture { display: none; } }
@container (max-height: 160px) { .panel { bottom: 4px; max-height: calc(100% - 8px); } .bar { padding-top: 4px; } }
@container (max-height: 70px) { .seek { display: none; } }
@media (pointer: coarse) { button, select { min-width: 44px; min-height: 44px; padding: 10px; } .seek { height: 44px; }
  .volume, .pip { display: none; } .panel { bottom: 100px; max-height: calc(100% - 104px); }
  @container (max-width: 360px) { .time { display: none; } }
  @container (max-height: 240px) { .panel { bottom: 4px; max-height: calc(100% - 8px); } }
  @container (max-height: 110px) { .seek { display: none; } .bar { padding-top: 0; } } }
@container (min-width: 1200px) { .all { font-size: 16px; } button { width: 44px; height: 44px; }
  .spinner { width: 72px; height: 72px; margin: -36px; } }
`;

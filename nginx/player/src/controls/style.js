// The style of the controls, in a shadow root: it separates the style of the page and that of the
// controls. The root's host, to which the page's style applies, has its own inline style. This is a
// constructed sheet, which a page's Content-Security-Policy allows.
export default `
.all { font: 13px/1.3 system-ui, sans-serif; color: #fff; color-scheme: dark; user-select: none;
  -webkit-user-select: none; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
.bar { position: absolute; left: 0; right: 0; bottom: 0; padding: 0 8px 4px; pointer-events: auto; transition: opacity .2s; }
/* Its ground begins above it, where a touch or click is one of the picture. */
.bar::before { content: ""; position: absolute; inset: calc(-1 * var(--rise, 24px)) 0 0; z-index: -1; pointer-events: none;
  background: linear-gradient(transparent, rgba(0, 0, 0, .55) 40%, rgba(0, 0, 0, .85)); }
.idle .bar { opacity: 0; pointer-events: none; }
.row { display: flex; align-items: center; gap: 2px; }
.tools { display: contents; }
.sign { display: none; }
.space { flex: 1; }
.time, .part, .space { order: 1; }
.tools > :not(.mute, .volume), .full { order: 2; }
button { all: unset; box-sizing: border-box; flex: none; width: 36px; height: 36px; padding: 7px; cursor: pointer;
  border-radius: 4px; color: #fff; }
button:hover { background: rgba(255, 255, 255, .18); }
:focus-visible { outline: 3px solid #fff; outline-offset: -2px; box-shadow: 0 0 0 2px #0b5cad; border-radius: 4px; }
svg { display: block; width: 100%; height: 100%; fill: currentColor; }
button.on svg { border-bottom: 2px solid var(--colour); }
.time { padding: 0 6px; white-space: nowrap; font-variant-numeric: tabular-nums; }
input { appearance: none; -webkit-appearance: none; height: 20px; margin: 0; cursor: pointer; background: none;
  --played: var(--bright); --there: #62666d; --rest: #2f3237; --edge: #fff; --thumb: var(--colour);
  --under: transparent; --thick: 6px; --thin: 4px; --rail: 4px;
  --track: linear-gradient(var(--played) 0 0) 0 50% / var(--at) var(--thick) no-repeat,
    linear-gradient(var(--under) 0 0) 0 50% / var(--at) var(--thick) no-repeat,
    linear-gradient(var(--there) 0 0) 0 50% / var(--loaded, 100%) var(--thin) no-repeat,
    linear-gradient(var(--rest) 0 0) 0 50% / 100% var(--rail) no-repeat; }
.seek { display: block; width: 100%; }
.line { position: relative; }
.marks { position: absolute; inset: 0; pointer-events: none; }
.marks i { position: absolute; top: calc(50% - 5px); left: calc(7px + (100% - 14px) * var(--part) - 1px); width: 2px;
  height: 10px; background: #fff; box-shadow: 0 0 0 1px rgba(0, 0, 0, .6); }
.seek:focus-visible + .marks { opacity: .6; }
.part { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; min-width: 0; opacity: .9; display: none; }
.there { display: block; max-width: 220px; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.panel .entry { display: flex; width: 100%; height: auto; min-height: 36px; gap: 12px; align-items: center; }
.panel .entry[aria-current] { font-weight: 700; box-shadow: inset 3px 0 0 var(--bright); }
.when { min-width: 4ch; font-variant-numeric: tabular-nums; }
.volume { width: 64px; }
.skip { position: relative; display: none; }
.skip span { position: absolute; inset: 3px 0 0; display: grid; place-items: center; font: 700 8px system-ui, sans-serif; }
.skip.ahead svg { transform: scaleX(-1); }
.skipped { position: absolute; top: 0; bottom: 0; right: 0; width: 33%; display: grid; place-items: center;
  font-size: 1.5em; font-weight: 600; background: rgba(20, 21, 24, .75); border-radius: 100% 0 0 100% / 50% 0 0 50%; }
.skipped.left { right: auto; left: 0; border-radius: 0 100% 100% 0 / 0 50% 50% 0; }
.help { position: absolute; inset: 0; margin: auto; width: fit-content; height: fit-content; min-width: 200px;
  max-width: calc(100% - 16px); max-height: calc(100% - 16px); overflow: auto; padding: 8px 16px 12px; border-radius: 8px;
  background: rgba(20, 21, 24, .97); pointer-events: auto; }
.help strong { font-size: 1.15em; line-height: 36px; }
.help .close { float: right; margin-right: -8px; }
.help dl { clear: both; margin: 0; columns: 2 240px; column-gap: 32px; }
.help dl div { display: flex; align-items: center; justify-content: space-between; gap: 24px; padding: 3px 0;
  break-inside: avoid; }
.help dd { margin: 0; white-space: nowrap; }
kbd { display: inline-block; min-width: 22px; padding: 1px 5px; border: 1px solid #8a8f98; border-radius: 4px;
  font: inherit; text-align: center; }
.preview { position: absolute; bottom: 100%; transform: translateX(-50%); padding: 3px; border-radius: 4px;
  background: rgba(20, 21, 24, .95); text-align: center; pointer-events: none; font-variant-numeric: tabular-nums; }
.picture { border-radius: 2px; margin-bottom: 2px; }
input::-webkit-slider-runnable-track { height: 6px; border-radius: 3px; background: var(--track); }
input::-moz-range-track { height: 6px; border-radius: 3px; background: var(--track); }
input::-webkit-slider-thumb { -webkit-appearance: none; width: 14px; height: 14px; margin-top: -4px;
  border: 2px solid var(--edge); border-radius: 50%; background: var(--thumb); }
input::-moz-range-thumb { width: 10px; height: 10px; border: 2px solid var(--edge); border-radius: 50%;
  background: var(--thumb); }
.panel, .help { z-index: 1; }
.panel { position: absolute; right: 8px; bottom: 64px; max-width: calc(100% - 16px); max-height: calc(100% - 72px);
  overflow: auto; padding: 8px; border-radius: 6px; background: rgba(20, 21, 24, .95); pointer-events: auto; }
.panel .more { width: 100%; height: auto; min-height: 36px; margin-top: 4px; text-align: center;
  background: rgba(255, 255, 255, .12); }
.panel label { display: flex; align-items: center; justify-content: space-between; gap: 12px; padding: 4px; }
select { font: inherit; color: #fff; background: #34383f; border: 1px solid #8a8f98; border-radius: 4px;
  padding: 5px; min-height: 30px; min-width: 96px; max-width: 60cqw; }
.spinner { position: absolute; left: 50%; top: 50%; width: 48px; height: 48px; margin: -24px; border-radius: 50%; background: rgb(0 0 0 / 55%);
  border: 4px solid rgba(255, 255, 255, .35); border-top-color: #fff; animation: turn 1s linear infinite; }
@keyframes turn { to { transform: rotate(360deg); } }
@media (prefers-reduced-motion: reduce) { .spinner { animation-duration: 4s; } .bar { transition: none; } }
/* The system's Highlight is translucent. */
@media (forced-colors: active) { .bar::before { background: Canvas; } .spinner { border-color: GrayText; border-top-color: Highlight; }
  .marks i { forced-color-adjust: none; background: CanvasText; box-shadow: 0 0 0 1px Canvas; }
  input { forced-color-adjust: none; --played: Highlight; --there: CanvasText; --rest: GrayText; --under: Canvas; --thumb: Canvas;
    --edge: CanvasText; --rail: 2px; } .help, .panel, .sign, .skipped, .preview { border: 1px solid CanvasText; } :focus-visible { outline-color: Highlight; } }
@container (max-width: 420px) { .volume, .pip, .chapters { display: none; } }
@container (max-width: 300px) { .time, .captions { display: none; } .bar { --rise: 16px; padding: 0 2px; }
  button { width: 32px; height: 32px; padding: 6px; } }
@container (max-width: 190px) { .mute { display: none; } button { width: 28px; height: 28px; padding: 5px; } }
@container (min-width: 600px) { .skip { display: block; } }
@container (min-width: 760px) { .part { display: block; } }
@container (max-height: 200px) { .picture { display: none; } }
@container (max-height: 160px) { .panel { bottom: 4px; max-height: calc(100% - 8px); } .bar { --rise: 4px; } }
@container (max-height: 70px) { .seek { display: none; } }
/* For fingers. In a small player the middle of the picture is free: time and position are in one row with the buttons to
   play and to fill the screen, and the others are at the top. An audio has all in that row. */
@media (pointer: coarse) { .panel .more { display: none; } button, select { min-width: 44px; min-height: 44px; padding: 10px; }
  .seek { height: 44px; } .volume, .pip, .part { display: none; } .panel { bottom: 100px; max-height: calc(100% - 104px); }
  @container (max-width: 480px) or (max-height: 300px) {
    .bar { display: flex; align-items: center; padding: 0 4px 2px; } .row { display: contents; } .space, .skip { display: none; }
    .bar::after { content: ""; position: absolute; left: 0; right: 0; bottom: calc(100cqh - 64px); height: 64px; z-index: -1;
      pointer-events: none; background: linear-gradient(rgba(0, 0, 0, .75), rgba(0, 0, 0, .45) 60%, transparent); }
    .line { flex: 1; min-width: 0; order: 1; } .chapters { display: block; }
    .tools { display: flex; position: absolute; right: 4px; bottom: calc(100cqh - 46px); }
    .panel { top: 48px; right: 4px; bottom: auto; max-height: calc(100% - 52px); background: #141518; }
    .panel select { min-width: 128px; }
    .sign { display: block; position: absolute; inset: 0; margin: auto; width: clamp(44px, 14cqmin, 88px); height: clamp(44px, 14cqmin, 88px);
      padding: clamp(8px, 3.4cqmin, 22px); border-radius: 50%; background: rgba(20, 21, 24, .65); } }
  @container (max-width: 420px) { .audio :is(.chapters, .captions) { display: none; } }
  @container (max-height: 300px) { .audio .panel { top: 4px; max-height: calc(100% - 8px); } }
  .audio .bar::after, .audio .sign { display: none; } .audio .tools { display: contents; }
  @container (max-height: 110px) { .line, .time, .sign, .bar::after { display: none; } .tools { display: contents; } .bar { --rise: 0px; }
    .panel { top: 4px; max-height: calc(100% - 8px); } } }
@container (min-width: 1200px) { .all { font-size: 16px; } button { width: 44px; height: 44px; }
  .spinner { width: 72px; height: 72px; margin: -36px; } }
`;

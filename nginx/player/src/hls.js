// hls: hls.js for browsers that play no HLS by themselves. The light build: manifests have no alternate
// audio (oembed-M1), and few have subtitles (hls-captions.js).
import Hls from 'hls.js/light';
import { opener } from './source.js';

window.svc.provide('hls', opener(Hls));

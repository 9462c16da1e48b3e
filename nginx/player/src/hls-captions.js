// hls-captions: hls.js for media with segmented captions (oembed-M7). The full build, 67 KB more over the wire
// than the light one, and so only for these media. A parser of our own would be smaller, but cues in
// segments count from the timestamps of the video (X-TIMESTAMP-MAP, RFC 8216 section 3.5), which only
// hls.js knows.
import Hls from 'hls.js';
import { opener } from './source.js';

window.svc.provide('hls-captions', opener(Hls));

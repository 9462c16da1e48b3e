'use strict';

// Guards against hangs: a busy machine fails no test. Milliseconds. A first try of two may have less.
module.exports = { kPatience: { timeout: Number(process.env.SVC_PATIENCE_MS) || 300_000 } };

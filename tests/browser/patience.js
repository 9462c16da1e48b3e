'use strict';

// Guards against hangs: a busy machine fails no test. Milliseconds.
module.exports = { kPatience: { timeout: 300_000 } };

// stumbles: failures of what plays that may be over the next time, such as a segment that came broken.
const kSame = 1; // seconds: within them a film fails at the same place
const kMost = 5; // failures at one place

// Returns a function that is told where the film has failed, in seconds, and returns whether to try again there.
export function stumbles() {
  let last = -Infinity;
  let failures = 0;
  return (at) => {
    failures = Math.abs(at - last) < kSame ? failures + 1 : 1;
    last = at;
    return failures <= kMost;
  };
}

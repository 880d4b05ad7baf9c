/** Loads the testkit and starts a venue, once, and says how long each took, in ms. */
const beganMs = performance.now();
const { startVenue } = await import('@oddlot/testkit');
const loadedMs = performance.now();
const venue = await startVenue();
const startedMs = performance.now();
await venue.stop();
const told = { loadMs: loadedMs - beganMs, startMs: startedMs - loadedMs };
process.stdout.write(`${JSON.stringify(told)}\n`);

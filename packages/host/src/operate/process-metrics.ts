import { collectDefaultMetrics, Registry } from '@prometheus-io/client';

/**
 * The library counts how busy the loop was once for each such span that has passed, all in one go: a process that was
 * frozen for hours would be busy for seconds with counting tenths of a second when it goes on.
 */
const UTILIZATION_EVERY_MS = 10_000;

let collected: Registry | undefined;

/**
 * What Node tells about this process. There is one of it, however many venues begin and end in a process: its timers
 * and observers run until the process ends.
 */
export function processMetrics(): Registry {
  if (collected === undefined) {
    collected = new Registry();
    const eventLoopUtilizationTimeout = UTILIZATION_EVERY_MS;
    collectDefaultMetrics({ register: collected, eventLoopUtilizationTimeout });
  }
  return collected;
}

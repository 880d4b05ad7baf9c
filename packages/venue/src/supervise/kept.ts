import { type Config, hasBots } from '../config.ts';

const DAY_MS = 86_400_000;
const DAYS_OF_BOTS = 1;

/** How long old parts of the log are kept; undefined for ever. What simulated traders did is soon of no interest. */
export function logKeptMsOf(config: Config): number | undefined {
  return keptMsOf(config, config.logKeep);
}

/** The same of the rows of the history. */
export function historyKeptMsOf(config: Config): number | undefined {
  return keptMsOf(config, config.historyKeep);
}

function keptMsOf(config: Config, told: Config['logKeep']): number | undefined {
  const days = told ?? (hasBots(config) ? DAYS_OF_BOTS : 'all');
  return days === 'all' ? undefined : days * DAY_MS;
}

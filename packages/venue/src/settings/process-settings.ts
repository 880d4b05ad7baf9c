import { availableParallelism } from 'node:os';
import { LOG_LEVEL, setting, text, whole } from '@oddlot/host/settings';

export const PROCESS_SETTINGS = {
  recoverWorkers: setting(whole(), {
    default: Math.max(1, availableParallelism() - 1),
    unset: 'cores − 1',
    help: 'Threads that verify signatures',
  }),
  logLevel: setting(LOG_LEVEL, {
    default: 'info',
    help:
      'Minimum level of log messages: `fatal`, `error`, `warn`, `info`, `debug`, `trace` ' +
      'or `silent`',
    isEveryday: true,
  }),
  fault: setting(text(), {
    unset: 'none',
    help:
      'Test hook (see [testing a bot](../build/testing-a-bot.md)): `slow-sync:MS` delays ' +
      'every sync of the log; never on a mainnet',
  }),
};

import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '../config.ts';
import type { JournalFaults } from './segment-writer.ts';

const SLOW_SYNC_PATTERN = /^slow-sync:([0-9]{1,6})$/;

/** Faults that an operator orders to see how clients cope: `slow-sync:MS` is a slow disk. */
export function journalFaults(text: string | undefined): JournalFaults {
  if (text === undefined) return {};
  const [, ms] = SLOW_SYNC_PATTERN.exec(text) ?? [];
  if (ms === undefined) throw new ConfigError(`unknown fault: ${text}`);
  return { beforeSync: () => delay(Number(ms)) };
}

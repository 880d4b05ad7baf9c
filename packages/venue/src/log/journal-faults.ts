import { setTimeout as delay } from 'node:timers/promises';
import type { JournalFaults } from './segment-writer.ts';

const SLOW_SYNC_PATTERN = /^slow-sync:([0-9]{1,6})$/;

/**
 * Faults that an operator orders to see how clients cope: `slow-sync:MS` is a slow disk. Undefined
 * when the text names no fault that is known.
 */
export function journalFaults(text: string | undefined): JournalFaults | undefined {
  if (text === undefined) return {};
  const [, ms] = SLOW_SYNC_PATTERN.exec(text) ?? [];
  if (ms === undefined) return undefined;
  return { beforeSync: () => delay(Number(ms)) };
}

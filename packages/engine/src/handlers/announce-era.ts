import type { CommandResult } from '../messages/block.ts';

/** R-era: changes nothing: who leads stops proposing, and who knows the new rules opens their era behind what was under way. */
export function announceEra(): CommandResult {
  return {};
}

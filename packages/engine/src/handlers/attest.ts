import type { CommandResult } from '../messages/block.ts';

/** Changes nothing: the replica compares its own hash when it applies the block. */
export function attest(): CommandResult {
  return {};
}

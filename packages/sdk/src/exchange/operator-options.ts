import type { ActionOptions } from './send-action.ts';

/** Operator's actions act for the venue itself, never for a vault. */
export type OperatorOptions<Confirm extends 'executed' | undefined = undefined> = Omit<
  ActionOptions<Confirm>,
  'vaultAddress'
>;

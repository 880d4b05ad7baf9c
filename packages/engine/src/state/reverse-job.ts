import { type Holding, holdingKey, type Leg } from './account.ts';

/** A position being turned round: closed first, then opened on the other side. */
export type ReverseJob = {
  readonly accountIndex: number;
  readonly instrumentId: number;
  /** The leg that is closed. */
  readonly leg: Leg;
  /** Signed. */
  readonly sizeAtStart: number;
  readonly startedMs: number;
  readonly isIsolated: boolean;
  phase: 'closing' | 'opening';
  /** Lots that the job's own orders have closed, and opened. */
  closed: number;
  opened: number;
};

/** One job at a time for an account's leg of an instrument. */
export function reverseJobKey(accountIndex: number, instrumentId: number, leg: Leg): string {
  return `${accountIndex}:${holdingKey(instrumentId, leg)}`;
}

/** The job of a holding's account and leg. */
export function holdingJobKey(accountIndex: number, { leg, perp }: Holding): string {
  return reverseJobKey(accountIndex, perp.definition.instrumentId, leg);
}

import type { TestAccount, TestVenue } from '@oddlot/testkit';
import type { Recorder } from './recorder.ts';

/** Names of the accounts of the samples. */
export const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin'] as const;

/** The accounts by name. */
export type People = Readonly<Record<(typeof NAMES)[number], TestAccount>>;

/** The venue of the samples and its accounts. */
export type Stage = {
  readonly venue: TestVenue;
  readonly recorder: Recorder;
  readonly people: People;
};

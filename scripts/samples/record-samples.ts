import { startVenue, type TestAccount, type TestVenue } from '@oddlot/testkit';
import { act } from './act.ts';
import { ask } from './ask.ts';
import { follow } from './follow.ts';
import { Recorder, type Samples } from './recorder.ts';
import { NAMES, type People } from './stage.ts';

const RESERVES_EVERY_MS = 3_600_000;

/**
 * Sends every action, every query and every subscription to a venue with fixed keys, prices and time, and returns
 * the requests with their answers.
 */
export async function recordSamples(): Promise<Samples> {
  const flags = ['--faucet', '--reserves-every-ms', String(RESERVES_EVERY_MS)];
  const venue = await startVenue({ seed: 'samples', accounts: 0, chain: true, flags });
  const recorder = new Recorder(venue);
  try {
    const stage = { venue, recorder, people: await peopleOf(venue) };
    const traces = await act(stage);
    await ask(stage, traces);
    await follow(stage, traces);
    const { actions, channels, queries, services } = recorder;
    return { actions, channels, queries, services };
  } finally {
    recorder.close();
    await venue.stop();
  }
}

async function peopleOf(venue: TestVenue): Promise<People> {
  const money = { perp: '100000', outcome: '1000' };
  const accounts: [string, TestAccount][] = [];
  for (const name of NAMES) accounts.push([name, await venue.account(name, money)]);
  return Object.fromEntries(accounts) as People;
}

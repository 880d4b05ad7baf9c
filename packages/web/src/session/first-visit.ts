import { createStore } from 'zustand/vanilla';
import { approveOwnAgent } from './approve-own-agent.ts';
import { loadSigning } from './load-signing.ts';
import { sessionStore, setSession } from './session.ts';
import { exportBurner, forgetView, keepBurner, NO_TRADER } from './stored-session.ts';

/** From nothing to a live ticket in three steps, each of them shown while it happens. */

export const STEPS = ['key', 'money', 'agent'] as const;
type Step = (typeof STEPS)[number];

type FirstVisit = {
  /** `idle` before anybody pressed the button, `done` when the ticket is live. */
  readonly at: 'idle' | Step | 'done';
  /** What stopped the step that it stands at. */
  readonly error: unknown;
};

export const firstVisit = createStore<FirstVisit>(() => ({ at: 'idle', error: undefined }));

export function isUnderWay({ at, error }: FirstVisit): boolean {
  return at !== 'idle' && at !== 'done' && error === undefined;
}

/** Makes a test account and makes it ready to trade. Pressed again after a fault, it goes on where it stood. */
export async function openTestAccount(): Promise<void> {
  if (isUnderWay(firstVisit.getState())) return;
  try {
    firstVisit.setState({ at: 'key', error: undefined });
    const { clientOf, keyWallet, newKey } = await loadSigning();
    const key = (await exportBurner()) ?? newKey();
    await keepBurner(key);
    const wallet = keyWallet(key);
    const owner = clientOf(wallet);

    firstVisit.setState({ at: 'money' });
    // Who comes back to a key that the browser kept has been paid already.
    const { exists } = await owner.accountStatus({ user: wallet.address });
    if (!exists) await owner.faucet({ user: wallet.address });
    forgetView();
    setSession({ kind: 'burner', address: wallet.address, owner, ...NO_TRADER });

    firstVisit.setState({ at: 'agent' });
    const trader = await approveOwnAgent(owner, wallet.address);
    const { session } = sessionStore.getState();
    if (session?.owner === owner) setSession({ ...session, ...trader });
    firstVisit.setState({ at: 'done' });
  } catch (fault) {
    firstVisit.setState({ error: fault });
  }
}

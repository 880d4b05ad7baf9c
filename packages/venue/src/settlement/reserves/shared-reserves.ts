import type { Address } from '@oddlot/units';
import type { TreeProof } from '../../reserves/read-proof.ts';
import type { SharedSettlement } from '../shared-settlement.ts';
import type { CurrentReserves, ReservesWorker } from './reserves-worker.ts';

type Source = Pick<ReservesWorker, 'current' | 'proof'>;

/** Reserves of a cluster: the replica that works on the chain compares them and has the tree, and the others ask it. */
export function sharedReserves(own: Source, settlement: SharedSettlement): Source {
  settlement.tells(() => own.current);
  settlement.answer('proof', async (user) => (await own.proof(user as Address)) ?? null);
  return {
    get current() {
      return settlement.isHere ? own.current : (settlement.told as CurrentReserves | undefined);
    },
    async proof(user) {
      if (settlement.isHere) return own.proof(user);
      const asked = settlement.ask('proof', user).catch(() => 'missing');
      return ((await asked) as TreeProof | 'missing' | null) ?? undefined;
    },
  };
}

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dump } from '../dump/dump.ts';
import { checkInvariants } from '../check-invariants.ts';
import type { SignedCommand } from '../messages/command.ts';
import { outcomeAccountView, outcomeOpenOrders } from '../read/read-outcome.ts';
import { simulateCommand } from '../simulate/simulate-command.ts';
import type { State } from '../state/state.ts';
import {
  openForSteps,
  outcomeSteps,
  OWNERS,
  takeStep,
  toCommand,
} from '@oddlot/testing/engine/outcome-steps';
import { share, shareOrder, sharesOf } from '@oddlot/testing/engine/outcomes';
import { Reached } from '@oddlot/testing/engine/reached';
import { alice, bob } from '@oddlot/testing/engine/scenario';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 36);

function views(state: State): object[] {
  return OWNERS.map((owner) => ({
    account: outcomeAccountView(state, owner),
    orders: outcomeOpenOrders(state, owner),
  }));
}

test('a simulation on an outcome market gives the same result as execution and changes nothing', () => {
  const reached = new Reached();
  fc.assert(
    fc.property(outcomeSteps, (steps) => {
      const venue = openForSteps(0);
      for (const step of steps) {
        if (step.kind === 'wait') {
          takeStep(venue, step);
          continue;
        }
        venue.block();
        const command = toCommand(venue, step, false) as SignedCommand;
        const before = JSON.stringify(dump(venue.state));
        const { after, events, outcome } = simulateCommand(
          venue.state,
          command.authority.signer,
          command,
        );
        const predicted = views(after);
        checkInvariants(after);
        expect(JSON.stringify(dump(venue.state))).toBe(before);
        const block = venue.block(command);
        // Admission would reject the whole action; a block rejects each order separately.
        if (outcome.reject !== undefined) {
          reached.note('refused');
          continue;
        }
        reached.note(command.type);
        expect(outcome).toEqual(block.outcomes[0]);
        expect(events).toEqual(block.events);
        expect(predicted).toEqual(views(venue.state));
      }
    }),
    { numRuns: RUNS },
  );
  reached.demand(1, 'refused', 'placeOrders', 'operateOutcome', 'modifyOrder', 'cancelOrders');
});

test('R-delay: a simulation releases a delayed order immediately', () => {
  const venue = openForSteps(250);
  share(venue, alice, { price: 6_000, size: 1_000 });
  const command: SignedCommand = {
    type: 'placeOrders',
    authority: venue.authority(bob),
    orders: [shareOrder({ leg: 'no', price: 4_500, size: 1_000 })],
  };
  const { events, outcome } = simulateCommand(venue.state, bob, command);
  expect(outcome.entries).toMatchObject([{ state: 'filled', filled: 1_000 }]);
  expect(events[0]).toMatchObject({ type: 'outcomeOrderQueued', dueMs: venue.nowMs + 250 });
  expect(sharesOf(venue, bob)?.no.size).toBe(4_000);
});

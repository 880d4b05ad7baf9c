import { beforeAll, describe, expect, test } from 'vitest';
import { aVenue, type Actor } from '../support/actors.ts';
import { Deployer } from '../support/deployer.ts';
import { OUTCOMES } from '../support/outcomes.ts';
import { act, succeeded, expectRefusal, Operator } from '../support/perps.ts';
import type { JsonObject } from '../support/wallet.ts';

const world = aVenue(OUTCOMES);
const operator = new Operator(world);
const deployer = new Deployer(world);

const setOperators = (change: JsonObject) => ({ type: 'venueAdmin', setOperators: change });
const refused = (type: string) => `Signer is not permitted to send ${type}`;

let carol: Actor;

beforeAll(() => {
  carol = world.unfunded('carol');
});

/** An admin action with no visible effect. */
const harmless = { type: 'venueAdmin', setGate: { channel: 0 } };

async function roleOf(actor: Actor, action: JsonObject): Promise<string> {
  const { envelope } = await actor.sign(action);
  return (await world.client.data({ type: 'explainSignature', envelope })).role;
}

describe('setOperators changes the admin and deployer lists', () => {
  test('an added admin can act from the next command on and may remove other admins', async () => {
    expectRefusal(await act(carol, harmless), 10003, refused('venueAdmin'));
    expect(await roleOf(carol, harmless)).toBe('none');
    const { address } = operator.actor;
    const reply = await operator.send({ setOperators: { role: 'admins', add: [carol.address] } });
    succeeded(reply);
    expect(reply.json.data.type).toBe('VenueAdmin');
    expect(await roleOf(carol, harmless)).toBe('admin');
    succeeded(await act(carol, setOperators({ role: 'admins', remove: [address] })));
    expectRefusal(await act(operator.actor, harmless), 10003, refused('venueAdmin'));
    expect(await roleOf(operator.actor, harmless)).toBe('none');
    await world.venue.stop();
    await world.venue.startAgain();
    expectRefusal(await act(operator.actor, harmless), 10003, refused('venueAdmin'));
    succeeded(await act(carol, setOperators({ role: 'admins', add: [address] })));
    succeeded(await act(operator.actor, harmless));
    succeeded(await operator.send({ setOperators: { role: 'admins', remove: [carol.address] } }));
  });

  test('the last admin cannot be removed, and additions are applied before removals', async () => {
    const { address } = operator.actor;
    const message = 'At least one admin must remain';
    const alone = { role: 'admins', add: [], remove: [address] };
    const reply = await operator.send({ setOperators: alone });
    expectRefusal(reply, 10000, message);
    expect(reply.json.details).toMatchObject({ field: 'setOperators.remove' });
    const both = { role: 'admins', add: [carol.address], remove: [carol.address, address] };
    expectRefusal(await operator.send({ setOperators: both }), 10000, message);
    succeeded(await act(operator.actor, harmless));
  });

  test('deployers are a separate list, which may be empty', async () => {
    const halt = { type: 'outcomeDeploy', setTrading: { instrumentIds: [1], state: 'halt' } };
    expectRefusal(await act(carol, halt), 10003, refused('outcomeDeploy'));
    const { address } = deployer.actor;
    const swap = { role: 'deployers', add: [carol.address], remove: [address] };
    succeeded(await operator.send({ setOperators: swap }));
    expectRefusal(await act(deployer.actor, halt), 10003, refused('outcomeDeploy'));
    expectRefusal(await act(carol, harmless), 10003, refused('venueAdmin'));
    expectRefusal(await act(carol, halt), 10404, 'Instrument not found');
    succeeded(
      await operator.send({ setOperators: { role: 'deployers', remove: [carol.address] } }),
    );
    expectRefusal(await act(carol, halt), 10003, refused('outcomeDeploy'));
  });

  test.each([
    ['an empty change', { role: 'admins' }, 'setOperators.add'],
    ['no role', { add: [] }, 'setOperators.role'],
    ['another role', { role: 'kings', add: [] }, 'setOperators.role'],
    ['more than 20', { role: 'admins', add: Array(21).fill(`0x${'1'.repeat(40)}`) }, 'add'],
    ['no address', { role: 'admins', remove: ['0x1'] }, 'setOperators.remove[0]'],
  ])('setOperators rejects %s', async (_, change, field) => {
    const reply = await operator.send({ setOperators: change });
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toMatchObject({ status: 'err', code: 10002 });
    expect(reply.json.details.field).toContain(field);
  });
});

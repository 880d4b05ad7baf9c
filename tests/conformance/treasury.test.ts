import { expect, test } from 'vitest';
import { aVenue } from '../support/actors.ts';
import { deltasOf, tokenSend } from '../support/keys.ts';
import { done, expectRefusal, Operator, OPERATED, refusalOf, trade } from '../support/perps.ts';
import { ZERO_ADDRESS } from '../support/wallet.ts';

/** R-treasury: collected fees leave only while the insurance fund has what it should have. */

const world = aVenue(OPERATED);
const operator = new Operator(world);

test('the treasury pays what it has, once the fund is at its target, and to perp', async () => {
  const perp = await operator.list();
  const [alice, bob] = [await world.trader('alice'), await world.trader('bob')];
  const pay = async (amount: string, destination: string = bob.address) =>
    operator.send({ treasurySend: { destination, amount } });
  await trade(alice, bob, { market: perp, price: '100', size: '20' });
  // Open interest of 2000: the target is 20, and a tenth of 0.9 + 0.3 of fees is in the fund.
  expectRefusal(await pay('0.1'), 10000, 'Insurance fund is below its target');
  const { insurance_fund_address: fund } = await world.client.data({ type: 'settings' });
  done(await tokenSend(alice, { to: fund, amount: '19.879999' }));
  expectRefusal(await pay('0.1'), 10000, 'Insurance fund is below its target');
  done(await tokenSend(alice, { to: fund, amount: '0.000001' }));
  const refused = refusalOf(await pay('1.080001'));
  expect(refused).toMatchObject({
    code: 10010,
    message: 'Insufficient balance',
    details: { required: '1.080001', available: '1.08' },
  });
  const before = await bob.balance();
  done(await pay('1'));
  expect(Number(await bob.balance()) - Number(before)).toBeCloseTo(1, 9);
  expect((await deltasOf(bob))[0]).toMatchObject({
    type: 'receive',
    amount: '1',
    user: ZERO_ADDRESS,
    destination: bob.address,
    fee: '0',
  });
  expect(refusalOf(await pay('0.080001')).details).toMatchObject({ available: '0.08' });
});

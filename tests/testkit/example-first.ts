import { startVenue } from '@oddlot/testkit';

const venue = await startVenue();
const [alice] = venue.accounts; // ten of them, each with 100,000 test USDC in perps and in outcome markets

await venue.fillBook('BTC-USDC');
const order = {
  a: 1,
  b: true,
  p: '98000',
  s: '0.5',
  r: false,
  t: { limit: { tif: 'Ioc' } },
} as const;
await alice!.client.exchange.order({ orders: [order] }, { confirm: 'executed' });

await venue.advance('8h'); // eight payments of funding
console.log(await alice!.client.info.userFundings({ user: alice!.address }));
await venue.stop();

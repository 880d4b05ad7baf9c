import { beforeAll, describe, expect, test } from 'vitest';
import { aVenue } from '../support/actors.ts';
import type { Json } from '../support/client.ts';
import { Deployer, eventFields, marketFields, type OutcomeMarket } from '../support/deployer.ts';
import { marketMeta, OUTCOMES } from '../support/outcomes.ts';
import { act, succeeded, expectRefusal, Operator, refusalOf } from '../support/perps.ts';
import type { JsonObject } from '../support/wallet.ts';

const world = aVenue(OUTCOMES);
const deployer = new Deployer(world);
const operator = new Operator(world);
const DAY_MS = 24 * 3_600_000;

const metaOf = async (fields: object): Promise<Json> =>
  world.client.data({ type: 'outcomeMeta', ...fields });
const phaseOf = async (market: OutcomeMarket) => (await marketMeta(world, market)).phase;

describe('deployer actions must be well-formed and signed by the deployer', () => {
  const message = 'Signer is not permitted to send outcomeDeploy';
  let market: OutcomeMarket;
  beforeAll(async () => {
    market = await deployer.list();
  });
  const halt = () => ({
    type: 'outcomeDeploy',
    setTrading: { instrumentIds: [market.id], state: 'halt' },
  });

  test("a trader, an unknown address, an admin and the deployer's agent are all rejected", async () => {
    const agent = world.unfunded('agent');
    await world.client.post('/request-fund', { user: deployer.actor.address });
    succeeded(await deployer.actor.approveAgent(agent.address));
    const trader = await world.trader('trader');
    for (const actor of [trader, world.unfunded('stranger'), operator.actor, agent]) {
      expectRefusal(await act(actor, halt()), 10003, message);
    }
    expect(await phaseOf(market)).toBe('open');
  });

  test('a deployer action with a vaultAddress is rejected', async () => {
    const vaultAddress = world.unfunded('vault').address;
    const signed = await deployer.actor.sign(halt(), { vaultAddress });
    const reply = await world.client.executed(signed);
    expectRefusal(reply, 10003, 'vaultAddress is not allowed for this action');
  });

  test.each<[string, () => JsonObject]>([
    ['no variant', () => ({})],
    ['an unknown variant', () => ({ nonsense: {} })],
    ['two variants', () => ({ ...halt(), pushPrice: { prices: [] } })],
    ['an additional unknown key', () => ({ ...halt(), note: 'x' })],
    ['an unknown key inside', () => ({ registerEvent: eventFields({ colour: 'red' }) })],
    ['no id', () => ({ setTrading: { instrumentIds: [], state: 'halt' } })],
    ['51 ids', () => ({ setTrading: { instrumentIds: Array(51).fill(market.id), state: 'halt' } })],
    ['an unknown state', () => ({ setTrading: { instrumentIds: [market.id], state: 'resolve' } })],
    ['no price', () => ({ pushPrice: { prices: [] } })],
    [
      'a fraction that is a number',
      () => ({ resolve: { instrumentId: market.id, settlementFraction: 1 } }),
    ],
    [
      'evidence that is too long',
      () => ({
        resolve: {
          instrumentId: market.id,
          settlementFraction: '1',
          evidence: 'x'.repeat(2001),
        },
      }),
    ],
  ])('rejects a malformed action: %s', async (_, variant) => {
    const reply = await deployer.send(variant());
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json).toMatchObject({ status: 'err', code: 10002 });
  });
});

describe('an invalid value is rejected, and the valid range is given', () => {
  test.each<[JsonObject, string]>([
    [{ priceTick: '0.03' }, 'priceTick: must be 0.0001 to 0.5 and divide 1 without a rest'],
    [{ takerFeeRate: '1' }, 'takerFeeRate: must be 0 to 0.99, at most 8 decimals'],
    [{ maxOrderSize: '1' }, 'maxOrderSize: must be 5 to '],
    [{ endTime: 4_000_000_000_000 }, "endTime: must not be after the event's, "],
    [{ startTime: 1 }, "startTime: must not be before the event's, "],
  ])('rejects registerMarket with %j', async (changes, expectedDetails) => {
    const fields = marketFields(await deployer.event(), changes);
    const { status, json } = await deployer.send({ registerMarket: fields });
    const [name] = Object.keys(changes);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 10002, details: { field: `registerMarket.${name}` } });
    expect(json.message.startsWith(`Invalid ${expectedDetails}`), json.message).toBe(true);
  });
});

describe('registerEvent lists an event', () => {
  test('registerEvent lists the event as defined, and its texts can be changed', async () => {
    const fields = eventFields({ tags: ['a', 'b'], image: 'https://example.org/i.png' });
    const reply = await deployer.send({ registerEvent: fields });
    expect(reply.json.data.type).toBe('OutcomeDeploy');
    const { eventId } = succeeded(reply).created;
    const { slug, title, startTime, endTime } = fields;
    const event = await metaOf({ eventSlug: slug });
    expect(event).toMatchObject({
      event_id: eventId,
      slug,
      title,
      description: '',
      category: 'test',
      tags: ['a', 'b'],
      image: 'https://example.org/i.png',
      icon: null,
      series_slug: null,
      exchange_id: 1,
      mutually_exclusive: false,
      start_time: startTime,
      end_time: endTime,
      status: 'upcoming',
      markets: [],
      settlement: { resolution_status: 'prepared', resolved_time: null },
    });
    const changed = { ...fields, title: 'Another', description: 'More', tags: ['c'], image: null };
    expect(succeeded(await deployer.send({ registerEvent: changed })).created).toEqual({ eventId });
    expect(await metaOf({ eventSlug: slug })).toEqual({
      ...event,
      title: 'Another',
      description: 'More',
      tags: ['c'],
      image: null,
    });
  });

  test('registerEvent rejects a slug that a resolved event has already used', async () => {
    const slug = await deployer.event();
    const market = await deployer.list({}, slug);
    await deployer.resolve(market, '1');
    const again = await deployer.send({ registerEvent: eventFields({ slug }) });
    expectRefusal(again, 10017, `Slug already used: ${slug}`);
  });

  test('registerEvent accepts a given id only once', async () => {
    const eventId = 4_321;
    expect(
      succeeded(await deployer.send({ registerEvent: eventFields({ eventId }) })).created,
    ).toEqual({
      eventId,
    });
    const again = refusalOf(await deployer.send({ registerEvent: eventFields({ eventId }) }));
    expect(again.code).toBe(10002);
  });

  test.each<[string, JsonObject]>([
    ['slug', { slug: 'Capital' }],
    ['slug', { slug: 'x'.repeat(121) }],
    ['slug', { slug: '' }],
    ['title', { title: 'x'.repeat(301) }],
    ['description', { description: 'x'.repeat(5001) }],
    ['tags', { tags: Array(21).fill('x') }],
    ['endTime', { endTime: 1 }],
  ])('registerEvent names the field of an invalid %s', async (field, changes) => {
    const reply = await deployer.send({ registerEvent: eventFields(changes) });
    expect(reply.status).toBe(400);
    expect(reply.json.details.field, reply.text).toContain(field);
  });
});

describe('registerMarket lists a market', () => {
  let eventSlug: string;
  beforeAll(async () => {
    eventSlug = await deployer.event();
  });

  test('registerMarket lists the market as defined, with its own id', async () => {
    const fields = marketFields(eventSlug, {
      groupTitle: 'Monday',
      outcomes: ['Rain', 'Sun'],
      priceTick: '0.005',
      takerFeeRate: '0.07',
      orderDelayMs: 100,
      underlying: { symbol: 'BTC', source: 'twap', priceToBeat: '97000' },
    });
    const { instrumentId } = succeeded(await deployer.send({ registerMarket: fields })).created;
    const event = await metaOf({ eventSlug });
    const market = event.markets.find((entry: Json) => entry.instrument_id === instrumentId);
    expect(market).toEqual({
      instrument_id: instrumentId,
      market_id: String(instrumentId),
      slug: fields['slug'],
      question: 'Will it?',
      group_title: 'Monday',
      description: '',
      resolution_source: 'the test',
      outcomes: ['Rain', 'Sun'],
      event_slug: eventSlug,
      start_time: fields['startTime'],
      end_time: fields['endTime'],
      phase: 'open',
      price_tick: '0.005',
      price_decimals: 3,
      size_decimals: 2,
      min_order_size: '5',
      max_order_size: '100000',
      taker_fee_rate: '0.07',
      maker_fee_rate: '0',
      fee_exponent: 1,
      trading: { enabled: true, accepting_orders: true, halted: false, order_delay_ms: 100 },
      pricing: {
        yes_price: '0.5',
        no_price: '0.5',
        best_bid: null,
        best_ask: null,
        last_price: null,
        change_24h: '0',
      },
      volume: { total: '0', day: '0' },
      open_interest: '0',
      underlying: { symbol: 'BTC', source: 'twap', price_to_beat: '97000' },
      settlement: {
        resolution_status: 'prepared',
        winning_outcome: null,
        settlement_fraction: null,
        oracle_outcome: null,
        resolved_time: null,
      },
    });
  });

  test('registerMarket accepts each slug and each id only once', async () => {
    const instrumentId = 234_567;
    const { id, slug } = await deployer.list({ instrumentId }, eventSlug);
    expect(id).toBe(instrumentId);
    const send = (changes: JsonObject) =>
      deployer.send({ registerMarket: marketFields(eventSlug, changes) });
    expectRefusal(await send({ slug }), 10017, `Slug already used: ${slug}`);
    expectRefusal(
      await send({ instrumentId }),
      10017,
      `Instrument id already used: ${instrumentId}`,
    );
  });

  test('registerMarket rejects an unknown event', async () => {
    const reply = await deployer.send({ registerMarket: marketFields('nothing') });
    expect(refusalOf(reply)).toMatchObject({
      code: 10404,
      message: 'Event not found',
      details: { field: 'registerMarket.eventSlug', got: 'nothing' },
    });
  });

  test.each<[string, JsonObject]>([
    ['slug', { slug: 'no spaces' }],
    ['question', { question: 'x'.repeat(301) }],
    ['outcomes', { outcomes: ['Yes'] }],
    ['startTime', { startTime: Date.now() - DAY_MS }],
    ['endTime', { endTime: Date.now() + 3 * DAY_MS }],
    // The end time is before the start time.
    ['startTime', { endTime: Date.now() - 120_000 }],
    ['priceTick', { priceTick: '0.03' }],
    ['priceTick', { priceTick: '0.00001' }],
    ['priceTick', { priceTick: '1' }],
    ['priceTick', { priceTick: '0' }],
    ['sizeDecimals', { sizeDecimals: 5 }],
    ['minOrderSize', { minOrderSize: '0' }],
    ['minOrderSize', { minOrderSize: '0.001' }],
    ['maxOrderSize', { maxOrderSize: '4' }],
    ['takerFeeRate', { takerFeeRate: '1' }],
    ['takerFeeRate', { takerFeeRate: '-0.01' }],
    ['orderDelayMs', { orderDelayMs: 10_001 }],
    ['orderDelayMs', { orderDelayMs: -1 }],
    ['instrumentId', { instrumentId: 99_999 }],
    ['underlying', { underlying: { symbol: 'BTC', source: 'rumour', priceToBeat: null } }],
  ])('registerMarket names the field of an invalid %s: %j', async (field, changes) => {
    const reply = await deployer.send({ registerMarket: marketFields(eventSlug, changes) });
    expect(reply.status, reply.text).toBe(400);
    expect(reply.json.details.field, reply.text).toContain(field);
  });
});

describe('pushPrice sets reference prices', () => {
  const priceOf = async (symbol: string) => {
    const { closePrice } = await world.client.data({ type: 'cryptoPrice', symbol });
    return closePrice;
  };
  const entry = (symbol: string, px: string, time: number) => {
    return { symbol, source: 'oracle', px, time };
  };

  test('pushPrice skips stale, early and zero prices and applies the other entries', async () => {
    const now = Date.now();
    await deployer.push(entry('STALE', '100', now));
    const refused = refusalOf(
      await deployer.send({
        pushPrice: { prices: [entry('STALE', '99', now - 1), entry('OTHER', '7.5', now - 1)] },
      }),
    );
    expect(refused.message).toBe('prices[0]: stale');
    expect([await priceOf('STALE'), await priceOf('OTHER')]).toEqual(['100', '7.5']);
    // A price with the same time is applied, and one slightly in the future is applied as if
    // observed now.
    await deployer.push(entry('STALE', '101', now), entry('OTHER', '8', Date.now() + 3_000));
    expect([await priceOf('STALE'), await priceOf('OTHER')]).toEqual(['101', '8']);
    const ahead = { prices: [entry('STALE', '103', Date.now() + 60_000)] };
    expect(refusalOf(await deployer.send({ pushPrice: ahead })).message).toBe('prices[0]: stale');
    const zero = { prices: [entry('STALE', '0', Date.now())] };
    expect(refusalOf(await deployer.send({ pushPrice: zero })).message).toMatch(/^prices\[0\]: /);
    expect(await priceOf('STALE')).toBe('101');
  });

  test('pushPrice requires between 1 and 100 prices', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, () => entry('MANY', '1', Date.now()));
    await deployer.push(...many(100));
    expect((await deployer.send({ pushPrice: { prices: many(101) } })).status).toBe(400);
  });
});

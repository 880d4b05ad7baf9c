import type { RegisterEventParameters, RegisterMarketParameters } from '@oddlot/sdk';

export type TestMarket = {
  readonly id: number;
  readonly slug: string;
  readonly eventSlug: string;
};

/**
 * Changes to the default market, which is open for a day, has a tick of one cent, and has no fee
 * and no delay.
 */
export type MarketInput = Partial<Omit<RegisterMarketParameters, 'eventSlug'>> & {
  readonly event?: Partial<RegisterEventParameters>;
};

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

export function eventOf(
  { event = {} }: MarketInput,
  { nowMs, number }: { readonly nowMs: number; readonly number: number },
): RegisterEventParameters {
  return {
    slug: `test-event-${number}`,
    title: `Test event ${number}`,
    description: '',
    category: 'test',
    tags: [],
    image: null,
    icon: null,
    mutuallyExclusive: false,
    startTime: nowMs - MINUTE_MS,
    endTime: nowMs + 2 * DAY_MS,
    ...event,
  };
}

export function marketOf(
  { event: _, ...changes }: MarketInput,
  { slug }: RegisterEventParameters,
  nowMs: number,
): RegisterMarketParameters {
  return {
    eventSlug: slug,
    slug: `${slug}-market`,
    question: 'Will it?',
    groupTitle: null,
    description: '',
    resolutionSource: 'the test',
    outcomes: ['Yes', 'No'],
    startTime: nowMs - MINUTE_MS,
    endTime: nowMs + DAY_MS,
    priceTick: '0.01',
    sizeDecimals: 2,
    minOrderSize: '5',
    maxOrderSize: '1000000',
    takerFeeRate: '0',
    orderDelayMs: 0,
    underlying: null,
    ...changes,
  };
}

import { type OutcomeEventMeta, parseAction } from '@oddlot/protocol';
import {
  ApiError,
  type Client,
  type ExecutedReply,
  type PendingReply,
  type RegisterEventParameters,
  type RegisterMarketParameters,
} from '@oddlot/sdk';
import { parseDecimal } from '@oddlot/units';
import { marketFault } from '@oddlot/translate/actions/outcome';
import { CliError } from '../cli-error.ts';
import { CONFIRM } from '../print-reply.ts';
import { readJsonFile } from '../arguments.ts';

/** A market in the file, and whether this run listed it. */
type ListedMarket = { readonly slug: string; readonly id: number; readonly isNew: boolean };

/**
 * Lists whatever parts of a file are not listed yet. Each step is a separate action that cannot be
 * undone, so to complete an interrupted run, run the same file again. All checks that can be made
 * in advance are made first.
 */
export async function listEvent(
  client: Client,
  content: EventFile,
  file: string,
): Promise<readonly ListedMarket[]> {
  const there = await eventOf(client, content.event.slug);
  await checkBefore(client, content, { there, file });
  const made: string[] = [];
  const markets: ListedMarket[] = [];
  const step = async (what: string, send: () => Promise<ExecutedReply | PendingReply>) => {
    try {
      return createdBy(await send());
    } catch (error) {
      if (made.length === 0) throw error;
      const why = error instanceof Error ? error.message : String(error);
      const next = 'Correct the file and run the command again; it lists only what is missing.';
      const message = `${what} was not listed: ${why}. Already listed: ${made.join(', ')}. ${next}`;
      const facts = { notListed: what, event: content.event.slug, markets };
      throw new CliError('part', message, { cause: error, facts });
    }
  };
  const { outcomeDeploy } = client.exchange;
  if (there === undefined || !hasTexts(there, content)) {
    const created = await step(content.event.slug, () =>
      outcomeDeploy.registerEvent(content.event, CONFIRM),
    );
    made.push(`event ${content.event.slug} (${created?.eventId})`);
  }
  for (const market of content.markets) {
    const { slug } = market;
    const found = there?.markets.find((each) => each.slug === slug);
    if (found !== undefined) {
      markets.push({ slug, id: found.instrument_id, isNew: false });
      continue;
    }
    const created = await step(slug, () => outcomeDeploy.registerMarket(market, CONFIRM));
    const id = created?.instrumentId ?? 0;
    made.push(`market ${slug} (${id})`);
    markets.push({ slug, id, isNew: true });
  }
  return markets;
}

async function eventOf({ info }: Client, eventSlug: string): Promise<OutcomeEventMeta | undefined> {
  try {
    return await info.outcomeEvent({ eventSlug });
  } catch (error) {
    if (error instanceof ApiError && error.name === 'NOT_FOUND') return undefined;
    throw error;
  }
}

/** Checks that existing parts match the file and that the missing parts can be listed. */
async function checkBefore(
  { info }: Client,
  { event, markets }: EventFile,
  { there, file }: { readonly there: OutcomeEventMeta | undefined; readonly file: string },
): Promise<void> {
  const { blockTime } = await info.stateHash();
  if (there !== undefined) {
    const isSame =
      there.start_time === event.startTime &&
      there.end_time === event.endTime &&
      there.mutually_exclusive === event.mutuallyExclusive;
    if (!isSame) {
      const why = 'is already listed with different times or a different mutuallyExclusive';
      throw new CliError('usage', `${file}: event ${event.slug} ${why}. Nothing was sent.`);
    }
  }
  for (const [index, market] of markets.entries()) {
    const where = `${file}: markets[${index}] ${market.slug}`;
    const found = there?.markets.find(({ slug }) => slug === market.slug);
    if (found === undefined) {
      const fault = marketFault(market as Parameters<typeof marketFault>[0], event, blockTime);
      if (fault === undefined) continue;
      throw new CliError('usage', `${where}: ${fault.field} ${fault.why}. Nothing was sent.`);
    }
    const different = differing(found, market);
    if (different === undefined) continue;
    const why = `is already listed with a different ${different}`;
    throw new CliError('usage', `${where} ${why}. Nothing was sent.`);
  }
}

type Market = EventFile['markets'][number];

/** Returns the first term that differs from the file and can no longer be changed on the venue. */
function differing(found: OutcomeEventMeta['markets'][number], market: Market): string | undefined {
  const terms: readonly (readonly [name: string, isSame: boolean])[] = [
    ['question', found.question === market.question],
    ['outcomes', found.outcomes.join('\n') === market.outcomes.join('\n')],
    ['startTime', found.start_time === market.startTime],
    ['endTime', found.end_time === market.endTime],
    ['priceTick', isSameDecimal(found.price_tick, market.priceTick)],
    ['sizeDecimals', found.size_decimals === market.sizeDecimals],
    ['minOrderSize', isSameDecimal(found.min_order_size, market.minOrderSize)],
    ['maxOrderSize', isSameDecimal(found.max_order_size, market.maxOrderSize)],
    ['takerFeeRate', isSameDecimal(found.taker_fee_rate, market.takerFeeRate)],
  ];
  return terms.find(([, isSame]) => !isSame)?.[0];
}

/** More decimals than any tick, size or rate on the venue has, so comparisons are exact. */
const DECIMALS = 12;

function isSameDecimal(one: string, other: string): boolean {
  return parseDecimal(one, DECIMALS)?.floor === parseDecimal(other, DECIMALS)?.floor;
}

function hasTexts(there: OutcomeEventMeta, { event }: EventFile): boolean {
  const texts = ['title', 'description', 'category', 'image', 'icon'] as const;
  const isSame = texts.every((name) => there[name] === event[name]);
  return isSame && JSON.stringify(there.tags) === JSON.stringify(event.tags);
}

function createdBy(reply: ExecutedReply | PendingReply): ExecutedReply['created'] {
  if (reply.status !== 'executed') {
    throw new CliError(
      'unreachable',
      `The result is unknown. Check transaction ${reply.txHash} before you retry.`,
    );
  }
  if (reply.failure !== undefined) throw new CliError('refused', reply.failure.error);
  return reply.created;
}

/** An event with its markets, as written in a deployer's file. */
type EventFile = {
  readonly event: RegisterEventParameters;
  readonly markets: readonly RegisterMarketParameters[];
};

/** Validates the whole file with the venue's schemas, because a listing cannot be undone. */
export function readEventFile(file: string): EventFile {
  const { event, markets } = readJsonFile<{ event: RegisterEventParameters; markets: unknown }>(
    file,
    ['event', 'markets'],
  );
  if (!Array.isArray(markets)) throw new CliError('usage', `${file}: markets must be an array`);
  check(`${file}: event`, { registerEvent: event });
  const listed = markets.map((market: RegisterMarketParameters, index) => {
    const where = `${file}: markets[${index}]`;
    const { eventSlug } = market ?? {};
    if (eventSlug !== undefined && eventSlug !== event.slug) {
      throw new CliError('usage', `${where} refers to a different event, ${eventSlug}`);
    }
    const whole = { ...market, eventSlug: event.slug };
    check(where, { registerMarket: whole });
    return whole;
  });
  const slugs = listed.map(({ slug }) => slug);
  const twice = slugs.find((slug, index) => slugs.indexOf(slug) !== index);
  if (twice !== undefined)
    throw new CliError('usage', `${file}: the slug ${twice} is used by two markets`);
  if (event.endTime <= event.startTime) {
    throw new CliError('usage', `${file}: event: endTime must be after startTime`);
  }
  return { event, markets: listed };
}

function check(where: string, variant: object): void {
  const parsed = parseAction({ type: 'outcomeDeploy', ...variant });
  if (!parsed.ok) throw new CliError('usage', `${where}: ${parsed.error.message}`);
}

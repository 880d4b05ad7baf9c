import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Actor, fund } from '../support/actors.ts';
import { Client, eventually, type Json } from '../support/client.ts';
import { Deployer, DEPLOYED, type OutcomeMarket } from '../support/deployer.ts';
import { readMarket, type Market } from '../support/market.ts';
import { seededRandom } from '../support/seeded.ts';
import { Venue } from '../support/venue-process.ts';
import { keyOf } from '../support/wallet.ts';
import type { Line } from './line.ts';
import { Load } from './load.ts';
import { ReplayedLog } from './replayed-log.ts';
import { makeLines } from './subscribers.ts';
import { BookView, LastView, ListView, LiveOrdersView, OrdersView } from './views.ts';

/**
 * Goal: whatever faults affect the connection and the venue, no subscriber misses a message,
 * receives one twice, or receives one out of order. Method: users trade with signed orders while
 * 200 subscriptions are cut, paused and resumed, and the venue is killed. At the end, the state
 * computed from the frames must equal query answers and the replayed log. `GAPLESS_SECONDS=600
 * GAPLESS_KILLS=20 GAPLESS_SEED=7 npx vitest run tests/gapless` makes it longer.
 */

const SEED = Number(process.env['GAPLESS_SEED'] ?? 20_261_115);
const SECONDS = Number(process.env['GAPLESS_SECONDS'] ?? 8);
const KILLS = Number(process.env['GAPLESS_KILLS'] ?? 1);
const SUBSCRIBERS = Number(process.env['GAPLESS_SUBSCRIBERS'] ?? 200);
const PER_LINE = 4;
const PEOPLE = 6;
const BOTH = ['perp', 'outcome'];
/** The maximum duration of a cut or a pause, in milliseconds. */
const TROUBLE_MS_MAX = 1500;
/** The maximum time until the last frames after trading has stopped, in milliseconds. */
const SETTLE_MS = 30_000;

const random = seededRandom(SEED);
const flags = [...DEPLOYED, '--snapshot-every-blocks', '40'];
const actors: Actor[] = [];
let venue: Venue;
let markets: Market[];
let outcome: OutcomeMarket;
let lines: Line[] = [];

const client = (): Client => new Client(venue.url);

beforeAll(async () => {
  process.stdout.write(`gapless test: GAPLESS_SEED=${SEED} GAPLESS_SECONDS=${SECONDS}\n`);
  venue = await Venue.start(flags);
  for (let index = 0; index < PEOPLE; index++) {
    const actor = new Actor(`person ${index}`, keyOf(`gapless ${SEED} ${index}`), client);
    await fund(client(), actor.address);
    actors.push(actor);
  }
  const reader = actors[0]!.address;
  const names = ['BTC-USDC', 'ETH-USDC'];
  markets = await Promise.all(names.map((name) => readMarket(client(), name, reader)));
  outcome = await new Deployer({ client: client() } as never).list();
});

afterAll(async () => {
  for (const line of lines) line.cut();
  await venue?.remove();
});

/** Cuts and pauses connections until a promise settles, and then restores them all. */
async function trouble(until: Promise<unknown>): Promise<void> {
  const over = { is: false };
  const end = until.finally(() => {
    over.is = true;
  });
  // A rejection is handled once the faults have ended.
  end.catch(() => undefined);
  while (!over.is) {
    const line = random.pick(lines);
    const forMs = random.below(TROUBLE_MS_MAX);
    if (random.below(2) === 0) {
      line.cut();
      setTimeout(() => line.open(), forMs);
    } else {
      line.freeze();
      setTimeout(() => line.thaw(), forMs);
    }
    await sleep(random.below(60));
  }
  await end;
  await sleep(TROUBLE_MS_MAX);
}

/** Kills the venue the given number of times at equal intervals. */
async function kills(): Promise<void> {
  const pauseMs = (SECONDS * 1000) / (KILLS + 1);
  await sleep(pauseMs);
  for (let kill = 0; kill < KILLS; kill++) {
    await venue.kill();
    await sleep(random.below(300));
    await venue.startAgain();
    await sleep(pauseMs);
  }
}

/** Returns all rows of a query, page by page, oldest first. */
async function allRows(query: object): Promise<Json[]> {
  const rows: Json[] = [];
  let cursor: string | undefined;
  do {
    const { json, text } = await client().info({ ...query, limit: 100, ...(cursor && { cursor }) });
    expect(json?.success, text).toBe(true);
    rows.push(...json.data);
    cursor = json.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return rows.toReversed();
}

type Answers = Map<string, Json>;

/** Returns the query answers that correspond to all followed subscriptions. */
async function askAll(): Promise<Answers> {
  const answers: Answers = new Map();
  for (const { address: user } of actors) {
    const fills = await allRows({ type: 'userFills', user, accountType: BOTH });
    const orders = await allRows({ type: 'historicalOrders', user, accountType: BOTH });
    const ledger = await allRows({ type: 'userNonFundingLedgerUpdates', user });
    const open = await client().data({ type: 'frontendOpenOrders', user });
    answers.set(user, { fills, orders, ledger, open });
  }
  for (const { coin } of markets) {
    answers.set(coin, await client().data({ type: 'l2Book', coin }));
  }
  return answers;
}

/**
 * Checks that the received rows are the last of all rows, and at least as many as in a snapshot.
 */
function expectEnd(shown: Json[], all: Json[], what: string): void {
  expect(shown, what).toEqual(all.slice(all.length - shown.length));
  expect(shown.length, what).toBeGreaterThanOrEqual(Math.min(200, all.length));
}

/** Checks that each subscriber's data equals the query answers. */
function compare(answers: Answers): void {
  for (const { subscription, view } of lines.flatMap(({ followed }) => followed)) {
    const { coin, type, user } = subscription as Json;
    const answer = answers.get(user ?? coin);
    const what = JSON.stringify(subscription);
    if (type === 'userFills') expectEnd((view as ListView).rows, answer.fills, what);
    if (type === 'userNonFundingLedgerUpdates') {
      expectEnd((view as ListView).rows, answer.ledger, what);
    }
    if (view instanceof OrdersView) {
      const all = new Map<number, Json>(answer.orders.map((row: Json) => [row.order.oid, row]));
      for (const [oid, row] of view.orders) expect(row, what).toEqual(all.get(oid));
      for (const row of answer.orders.slice(-200))
        expect(view.orders.has(row.order.oid), what).toBe(true);
    }
    if (view instanceof LiveOrdersView) {
      const open = new Map(answer.open.map((row: Json) => [row.oid, row.sz]));
      expect(new Map([...view.live].toSorted()), what).toEqual(new Map([...open].toSorted()));
    }
    if (view instanceof BookView) expect(view.levels, what).toEqual(answer.levels);
    if (view instanceof LastView) expect(view.data.levels, what).toEqual(answer.levels);
  }
}

/** Checks that the queries agree with the log. */
function compareWithLog(answers: Answers, log: ReplayedLog): void {
  for (const { address: user } of actors) {
    const { fills, ledger, orders } = answers.get(user);
    expect(fills.map(withoutTexts)).toEqual(log.fills(user));
    expect(ledger).toEqual(log.ledger(user));
    const shown = orders.map((row: Json) => [
      row.order.oid,
      { ...row, order: withoutTexts(row.order) },
    ]);
    expect(new Map(shown)).toEqual(log.orders(user));
  }
  for (const { coin } of markets) {
    expect(answers.get(coin).levels).toEqual(log.ask({ type: 'l2Book', coin }).levels);
  }
}

function withoutTexts({ slug: _slug, title: _title, ...row }: Json): Json {
  return row;
}

/** Compares the received events with the log itself, because no query returns them. */
function compareEvents(log: ReplayedLog): void {
  const hashes = log.blockHashes();
  const txs = log.txs();
  for (const { subscription, view } of lines.flatMap(({ followed }) => followed)) {
    const { coin, type } = subscription as Json;
    const { rows } = view as ListView;
    if (type === 'trades') {
      const received = rows.map(({ tid }: Json) => tid);
      expect(received).toEqual(log.trades(Number(coin)).slice(-received.length));
    } else if (type === 'explorerBlock') {
      const first = rows[0]?.height ?? 0;
      expect(rows.map(({ height }: Json) => height)).toEqual(rows.map((_, index) => first + index));
      for (const { hash, height } of rows) expect(hash).toBe(hashes.get(height));
    } else if (type === 'explorerTxs') {
      const end = txs.findLastIndex(({ hash }) => hash === rows.at(-1)?.hash);
      expect(rows).toEqual(txs.slice(end + 1 - rows.length, end + 1));
    }
  }
}

test(
  '200 subscribers receive every message once despite cuts, pauses and a kill of the venue',
  { timeout: 120_000 + SECONDS * 2000 },
  async () => {
    const urlOf = () => venue.streams;
    const chosen = { actors, markets, random, urlOf };
    lines = makeLines({ count: SUBSCRIBERS, perLine: PER_LINE, ...chosen });
    for (const line of lines) line.open();
    await eventually(
      () => expect(lines.filter(({ isComplete }) => !isComplete)).toEqual([]),
      20_000,
    );

    const load = new Load({ actors, markets, outcome, random });
    const running = load.run();
    await trouble(kills()).finally(() => load.stop());
    await running;
    for (const line of lines) {
      line.thaw();
      line.open();
    }

    let answers: Answers = new Map();
    await eventually(async () => {
      expect(lines.filter(({ isComplete }) => !isComplete).length).toBe(0);
      answers = await askAll();
      compare(answers);
    }, SETTLE_MS);
    expect(lines.flatMap(({ faults }) => faults)).toEqual([]);
    const total = { subscribers: 0, connects: 0, resumes: 0, resyncs: 0, retries: 0, frames: 0 };
    for (const { counts, followed } of lines) {
      total.subscribers += followed.length;
      for (const key of ['connects', 'resumes', 'resyncs', 'retries', 'frames'] as const) {
        total[key] += counts[key];
      }
    }
    process.stdout.write(`gapless test: ${load.sent} requests, ${JSON.stringify(total)}\n`);
    expect(total.subscribers).toBe(SUBSCRIBERS);
    expect(Math.min(total.resumes, total.resyncs, load.sent)).toBeGreaterThan(20);
    for (const { followed } of lines) {
      for (const { view } of followed)
        if (view instanceof ListView && view.beginsWithSnapshot) expect(view.gaps).toBe(0);
    }

    for (const line of lines) line.cut();
    expect(await venue.stop()).toEqual({ code: 0, signal: null });
    const log = await ReplayedLog.read(venue.data);
    compareWithLog(answers, log);
    compareEvents(log);
    expect(venue.faults()).toEqual([]);
  },
);

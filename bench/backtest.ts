import { applyBlock, type Block, dump, restore, type StateDump } from '@oddlot/engine';
import { type Bot, type RecordedRow, replayMarket } from '@oddlot/testkit';
import { timeMs } from '@oddlot/units';
import { movingAverage } from '../examples/moving-average.ts';
import { TestVenue } from '../packages/testkit/src/test-venue.ts';
import {
  cpuMs,
  cpuMsOf,
  createRandom,
  noted,
  same,
  show,
  sized,
  type Row,
  type Scale,
} from './report.ts';

/**
 * Measures the time and memory of a backtest of one bot over a year of hourly candles. The baseline
 * is an engine that only applies the same blocks.
 */

const START_MS = Date.parse('2025-01-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const TERMS = { fast: 12, slow: 48, size: 0.05 };

export async function backtestSection(scale: Scale): Promise<readonly Row[]> {
  const hours = sized(scale, { full: 8_760, quick: 2_000, tiny: 60 });
  const startedMs = performance.now();
  const cpu = await cpuMsOf(async () => void (await replayOf(hours, movingAverage(TERMS))));
  const seconds = (performance.now() - startedMs) / 1_000;
  const memoryMib = process.resourceUsage().maxRSS / 1_024;
  const words = `${show(hours)} hourly candles, one bot; ${show(cpu / 1_000)} s of CPU`;
  const candle = `${show((cpu * 1_000) / hours)} µs of CPU a candle`;
  return [
    noted('a backtest of a year', `wall-clock; ${words}, ${candle}`, seconds, ' s'),
    noted('memory of the process', 'resident set, the most of it', memoryMib, ' MiB'),
    await againstEngine(sized(scale, { full: 1_000, quick: 500, tiny: 60 })),
  ];
}

/** Records the blocks of a shorter run and reapplies them to the bot's initial state. */
async function againstEngine(hours: number): Promise<Row> {
  const blocks: Block[] = [];
  let began: StateDump | undefined;
  const bot: Bot = (start) => {
    const parts = TestVenue.partsOf(start.venue);
    began = dump(parts.state);
    parts.onBlock(({ commands, height, timeMs: ms }) => {
      blocks.push({ height, timeMs: timeMs(ms), commands: commands.map((each) => each.command) });
    });
    const turn = movingAverage(TERMS)(start);
    return async (moment) => {
      digest = parts.state.digest.hex();
      blockCount = blocks.length;
      await (
        await turn
      )(moment);
    };
  };
  let digest = '';
  let blockCount = 0;
  const whole = await cpuMsOf(async () => void (await replayOf(hours, bot)));
  const state = restore(began!);
  const alone = cpuMs(() => {
    for (const block of blocks.slice(0, blockCount)) applyBlock(state, block);
  });
  same('the digest of the engine alone', state.digest.hex(), digest);
  const words = `CPU, ${show(blockCount)} blocks; ${show(whole)} ms against ${show(alone)} ms`;
  return noted('a backtest, against the engine alone', words, whole / alone);
}

function replayOf(hours: number, bot: Bot) {
  return replayMarket({ recording: recordedHours(hours), bot });
}

/** Generates candles whose prices move by up to 0.5% an hour. */
function* recordedHours(count: number): Generator<RecordedRow> {
  const random = createRandom(17);
  const upTo = (share: number): number => (random.below(1_000_000) / 1_000_000) * share;
  let price = 60_000;
  for (let hour = 0; hour < count; hour += 1) {
    const open = price;
    const close = open * (1 + upTo(0.01) - 0.005);
    const high = Math.max(open, close) * (1 + upTo(0.004));
    const low = Math.min(open, close) * (1 - upTo(0.004));
    const [o, h, l, c] = [open, high, low, close].map((value) => value.toFixed(2));
    const startMs = START_MS + hour * HOUR_MS;
    yield {
      kind: 'candle',
      timeMs: startMs,
      endMs: startMs + HOUR_MS,
      open: o!,
      high: h!,
      low: l!,
      close: c!,
      volume: (500 + upTo(1_000)).toFixed(3),
    };
    price = Number(c);
  }
}

import type { AppliedBlock } from '../../../block/block.ts';
import { startOf, type CandleInterval } from '../../../read-models/candle-interval.ts';
import type { CandleBar } from '../../../read-models/candles.ts';
import type { Instrument } from '../../../translate/instruments.ts';
import { candleRecord } from '../../../translate/info/candles.ts';
import type { Source, Stream } from '../stream.ts';
import { Pace } from '../timing.ts';
import {
  instrumentOf,
  type ChannelContext,
  type NodeChannel,
  type Opening,
} from './node-channel.ts';

type Params = { readonly coin: string; readonly interval: CandleInterval };

/** The candle in progress of one instrument and interval, as it grows, and each one as it ended. */
export class CandleChannel implements NodeChannel<Params> {
  readonly #context: ChannelContext;
  readonly #sources = new Set<CandleSource>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open({ coin, interval }: Params): Opening {
    const found = instrumentOf(this.#context, coin);
    if (!found.ok) return found;
    const { instrument } = found;
    const source = (stream: Stream): Source => {
      const opened: CandleSource = new CandleSource(this.#context, stream, {
        instrument,
        interval,
        onClose: () => this.#sources.delete(opened),
      });
      this.#sources.add(opened);
      return opened;
    };
    const key = `candle:${instrument.instrumentId}:${interval}`;
    return { ok: true, recipe: { key, channel: 'candle', source } };
  }

  onBlock(block: AppliedBlock): void {
    for (const source of this.#sources) source.onBlock(block);
  }
}

type Subject = {
  readonly instrument: Instrument;
  readonly interval: CandleInterval;
  readonly onClose: () => void;
};

/** One stream of candles. */
class CandleSource implements Source {
  readonly #context: ChannelContext;
  readonly #subject: Subject;
  readonly #stream: Stream;
  readonly #pace: Pace;
  /** The start of the candle in progress. */
  #startMs: number;
  /** What every subscriber has seen; undefined when they have seen different things. */
  #seen: string | undefined;

  constructor(context: ChannelContext, stream: Stream, subject: Subject) {
    this.#context = context;
    this.#subject = subject;
    this.#stream = stream;
    this.#startMs = startOf(subject.interval, context.state().timeMs);
    this.#seen = this.#text(this.#running());
    const { contextIntervalMs } = context.limits;
    this.#pace = new Pace(context.timing, contextIntervalMs, () => this.#tell(this.#running()));
  }

  onBlock(block: AppliedBlock): void {
    const { instrument, interval } = this.#subject;
    const { instrumentId } = instrument;
    const startMs = startOf(interval, block.timeMs);
    const hasEnded = startMs !== this.#startMs;
    if (!hasEnded && !this.#context.tape.fresh.has(instrumentId)) return;
    if (hasEnded) {
      // The pace may have held back what the candle was at its end.
      const { candles } = this.#context.markets;
      const [ended] = candles.snapshot(instrumentId, interval, this.#startMs, this.#startMs);
      this.#tell(ended);
      this.#startMs = startMs;
    }
    this.#pace.ask();
  }

  snapshot() {
    const text = this.#text(this.#running());
    if (text !== this.#seen) this.#seen = undefined;
    return text === undefined ? undefined : { data: text };
  }

  close(): void {
    this.#pace.stop();
    this.#subject.onClose();
  }

  #tell(bar: CandleBar | undefined): boolean {
    const text = this.#text(bar);
    if (text === undefined || text === this.#seen) return false;
    this.#seen = text;
    this.#stream.publish(text);
    return true;
  }

  #running(): CandleBar | undefined {
    const { instrument, interval } = this.#subject;
    return this.#context.markets.candles.running(instrument.instrumentId, interval);
  }

  #text(bar: CandleBar | undefined): string | undefined {
    const { instrument, interval } = this.#subject;
    return bar === undefined ? undefined : JSON.stringify(candleRecord(instrument, interval, bar));
  }
}

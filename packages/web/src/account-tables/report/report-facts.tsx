import type { OrderReport } from '@oddlot/sdk';
import type { ReactNode } from 'react';
import { magnitude, sign } from '../../lib/decimal.ts';
import { NOTHING, number, short } from '../../lib/format.ts';
import { countdown, exactTime, wholeDate } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { Fact } from '../../ui/fact.tsx';
import { BlockLink, OriginLink } from '../origin.tsx';
import { goneAhead, waitedMs } from './executed.ts';

/** The parts of a report that are names and figures. Figures are whole: who checks a price rounds nothing. */

type Reported = { readonly report: OrderReport };

/** What it got, what that cost, and how far it is from what the market was. */
export function Result({ report }: Reported) {
  const t = useWords();
  const { avgPx, builderFee, fee, filledSz, origSz, slippage } = report;
  const filled = { filled: number(filledSz), size: number(origSz) };
  return (
    <Part title={t('report.result')}>
      <Fact name={t('report.filled')}>{t('report.filledOf', filled)}</Fact>
      <Fact name={t('report.average')}>{number(avgPx)}</Fact>
      <Fact name={t('report.fee')}>{number(fee)}</Fact>
      <Fact name={t('report.builderFee')}>{number(builderFee)}</Fact>
      <Fact name={t('report.againstMid')}>
        <Slipped points={slippage?.mid} />
      </Fact>
      <Fact name={t('report.againstMark')}>
        <Slipped points={slippage?.mark} />
      </Fact>
    </Part>
  );
}

/** Above zero is worse for its owner. */
function Slipped({ points }: { readonly points: string | null | undefined }) {
  const t = useWords();
  if (points === null || points === undefined) return NOTHING;
  const words = { points: number(magnitude(points)) };
  if (sign(points) > 0) return <span className="text-sell">{t('report.worse', words)}</span>;
  if (sign(points) < 0) return <span className="text-buy">{t('report.better', words)}</span>;
  return t('report.same');
}

/** The market as it was when the order came. */
export function Arrival({ report: { arrival } }: Reported) {
  const t = useWords();
  if (arrival === null) {
    return (
      <Titled title={t('report.arrival')}>
        <p>{t('report.notArrived')}</p>
      </Titled>
    );
  }
  return (
    <Part title={t('report.arrival')}>
      <Fact name={t('report.bestBid')}>{number(arrival.bestBid)}</Fact>
      <Fact name={t('report.bestAsk')}>{number(arrival.bestAsk)}</Fact>
      <Fact name={t('report.mid')}>{number(arrival.midPx)}</Fact>
      <Fact name={t('report.mark')}>{number(arrival.markPx)}</Fact>
      <Fact name={t('report.oracle')}>{number(arrival.oraclePx)}</Fact>
    </Part>
  );
}

/** From the door to the book. */
export function Times({ report }: Reported) {
  const t = useWords();
  const { entered, received } = report;
  return (
    <Part title={t('report.times')}>
      <Fact name={t('report.received')}>
        <Moment ms={received.time} />
      </Fact>
      <Fact name={t('report.entered')}>
        {entered === null ? NOTHING : <Moment ms={entered.time} />}
      </Fact>
      <Fact name={t('report.waited')}>{waitText(waitedMs(report), t)}</Fact>
      <Fact name={t('report.transaction')}>
        <span className="font-mono text-12">
          <OriginLink hash={received.txHash}>{short(received.txHash)}</OriginLink>
        </span>
      </Fact>
      <Fact name={t('report.block')}>
        <BlockLink height={received.height} />
      </Fact>
      {entered !== null && entered.height !== received.height && (
        <Fact name={t('report.enteredBlock')}>
          <BlockLink height={entered.height} />
        </Fact>
      )}
    </Part>
  );
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

function waitText(ms: number | undefined, t: Words): string {
  if (ms === undefined) return NOTHING;
  if (ms === 0) return t('report.noWait');
  if (ms < SECOND_MS) return `${ms} ms`;
  return ms < MINUTE_MS ? `${number(String(ms / SECOND_MS))} s` : countdown(ms);
}

/** How what is in front of it at its price has shrunk. */
export function Queue({ report }: Reported) {
  const t = useWords();
  const { resting } = report;
  if (resting === null) return null;
  const counted = (size: string | null): string =>
    size === null ? t('report.uncounted') : number(size);
  const isOver = resting.to !== null;
  return (
    <Part title={t('report.queue')}>
      <Fact name={t('report.restedAt')}>{number(resting.px)}</Fact>
      <Fact name={t('report.since')}>
        <Moment ms={resting.from} />
      </Fact>
      <Fact name={t('report.until')}>
        {resting.to === null ? t('report.still') : <Moment ms={resting.to} />}
      </Fact>
      <Fact name={t('report.aheadAtStart')}>{counted(resting.aheadAtStart)}</Fact>
      <Fact name={t(isOver ? 'report.aheadAtEnd' : 'report.aheadNow')}>
        {counted(resting.ahead)}
      </Fact>
      <Fact name={t('report.gone')}>{number(goneAhead(report))}</Fact>
    </Part>
  );
}

/** What became of it, and why, in the venue's words. */
export function Ending({ report: { end } }: Reported) {
  const t = useWords();
  if (end === null) {
    return (
      <Titled title={t('report.end')}>
        <p>{t('report.lives')}</p>
      </Titled>
    );
  }
  return (
    <Part title={t('report.end')}>
      <Fact name={t('report.state')}>{t(`report.states.${end.state}`)}</Fact>
      <Fact name={t('report.reason')}>{end.reason ?? t('report.noReason')}</Fact>
      <Fact name={t('report.ended')}>
        <Moment ms={end.time} />
      </Fact>
      <Fact name={t('report.block')}>
        <BlockLink height={end.height} />
      </Fact>
    </Part>
  );
}

type Titles = { readonly title: string; readonly children: ReactNode };

function Part({ title, children }: Titles) {
  return (
    <Titled title={title}>
      <dl>{children}</dl>
    </Titled>
  );
}

function Titled({ title, children }: Titles) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-12 text-muted">{title}</h3>
      {children}
    </section>
  );
}

function Moment({ ms }: { readonly ms: number }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={wholeDate(ms)}>
      {exactTime(ms)}
    </time>
  );
}
